"""Finds links, and reads the pages that were fetched for a link."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from bot.domain.chess.documents import UNKNOWN_RESULT, ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import detect
from bot.domain.reading.notation import Detection, detect as detect_with
from bot.domain.reading.problems import DomainError
from bot.features.showing.findings import Findings, FoundDocument, LinkResult, UnreadableText
from bot.features.showing.reading.documents import read_detections, read_document
from bot.links.sites import SITES, find_links, source_target, target_in
from bot.links.values import Contents, LinkError, LinkTarget, Pages, TargetKind

MAX_GAMES = 25
"""A menu has at most 25 entries."""


def targets_in(
    text: str, detections: tuple[Detection, ...] = (), *, spoiler: bool = False
) -> tuple[LinkTarget, ...]:
    """Return the targets of the links in text, without repeats. Links inside ``detections``, such as those in a PGN tag, are left out."""
    spans = [(start, end, "link") for start, end, _ in find_links(text)]
    if not spans:
        return ()
    targets: dict[LinkTarget, LinkTarget] = {}
    # ``detect_with`` also recognizes which targets are spoilers.
    for link in detect_with(text, [("", 1, lambda _: spans)]):
        target = target_in(link.text)
        if target is not None and not any(
            detection.start < link.end and link.start < detection.end for detection in detections
        ):
            targets.setdefault(target, replace(target, spoiler=spoiler or link.spoiler))
    return tuple(targets.values())


def read_link(target: LinkTarget, pages: Pages) -> tuple[LinkResult, Findings]:
    """Read the pages that a site returned for a link. The pages are no more trusted than text from a user.

    Raises:
        LinkError: a page has unexpected content.

    """
    contents = SITES[target.site].read(target, pages)
    findings = _read_contents(contents, target) if contents.format else _read_chess(contents.text, target)
    if not (findings.documents or findings.unreadable_texts or contents.games):
        raise LinkError("link-empty", "it contains no games")
    return LinkResult(target, None, contents.title, contents.games, contents.review), findings


def _read_contents(contents: Contents, target: LinkTarget) -> Findings:
    try:
        found = read_document(contents.format, contents.text)
    except DomainError as error:
        return Findings(
            unreadable_texts=(
                UnreadableText(contents.format, contents.text, error, contents.text, target.spoiler),
            )
        )
    is_in_progress = (
        contents.may_be_in_progress and isinstance(found.document, Game) and not found.position.is_over
    )
    return Findings((_apply_target(replace(found, is_in_progress=is_in_progress), target),))


def _read_chess(text: str, target: LinkTarget) -> Findings:
    """Read the chess games in text.

    If there are too many, read the first games or, if the link points to a specific game, the games around it.
    """
    detections = tuple(detection for detection in detect(text) if detection.format == "pgn")
    first = 0
    if target.part:
        linked_index = next(
            (
                index
                for index, detection in enumerate(detections)
                if f"/{target.part}" in detection.text[:4_000]
            ),
            0,
        )
        first = max(0, min(linked_index - MAX_GAMES // 2, len(detections) - MAX_GAMES))
    to_read = detections[first : first + MAX_GAMES]
    findings = read_detections(text, to_read)
    documents = tuple(
        _apply_target(replace(found, is_in_progress=_is_in_progress(found)), target)
        for found in findings.documents
    )
    left_out_count = len(detections) - len(to_read)
    return replace(
        findings,
        documents=documents,
        left_out_count=left_out_count,
        left_out_count_with_repeats=left_out_count,
    )


def _apply_target(found: FoundDocument, target: LinkTarget) -> FoundDocument:
    turn, is_link_target = target.turn, False
    if isinstance(found.document, Game) and turn is not None:
        turn = turn_after_events(found.document, found.text, turn)
    if target.kind in (TargetKind.STUDY, TargetKind.BROADCAST) and target.part:
        source = source_target(found.document)
        is_link_target = source is not None and target.part in (source.part, source.id)
        if not is_link_target:
            turn = None
    if turn is None and target.kind is TargetKind.STUDY:
        turn = 0  # a chapter of a study is shown from its start
    return replace(
        found,
        linked_turn=turn,
        is_black_at_bottom=target.is_black_at_bottom,
        is_link_target=is_link_target,
        spoiler=target.spoiler,
    )


def turn_after_events(game: Game, text: str, event_count: int) -> int:
    """Return the turn that a game has reached after its first ``event_count`` events.

    The links of crossword sites count events instead of turns. An event is a line of the GCG ``text`` that starts with ``>``.
    """
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if line.lstrip().startswith(">")]
    if event_count <= 0:
        return 0
    last = lines[min(event_count, len(lines)) - 1] if lines else 0
    return bisect_right([turn.line for turn in game.turns], last)


def _is_in_progress(found: FoundDocument) -> bool:
    """Return whether a lichess game has no result, and is in a broadcast or tagged as unterminated."""
    game = found.document
    if not isinstance(game, ChessGame) or game.result != UNKNOWN_RESULT:
        return False
    source = source_target(game)
    is_broadcast = source is not None and source.kind is TargetKind.BROADCAST
    return is_broadcast or game.tag("Termination") == "Unterminated"
