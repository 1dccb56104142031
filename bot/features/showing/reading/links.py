"""Links in a source, and the pages fetched for one, read like any other text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from bot.domain.chess.documents import UNKNOWN_RESULT, ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import detect
from bot.domain.reading.notation import Detection
from bot.domain.reading.notation import detect as detect_with
from bot.domain.reading.problems import DomainError
from bot.features.showing.findings import Findings, Found, Opened, Refused
from bot.features.showing.reading.documents import read_detections, read_document
from bot.links.sites import SITES, address_in, find, source_of
from bot.links.values import Address, Contents, Kind, LinkError, Pages

MAX_GAMES = 25
"""Maximum number of chess games to read from one link: as many as a list holds."""


def addresses_in(
    text: str, detections: tuple[Detection, ...] = (), *, spoiler: bool = False
) -> tuple[Address, ...]:
    """Return what the links of a text name, each once; links in what was detected are a part of that."""
    spans = [(start, end, "link") for start, end, _ in find(text)]
    if not spans:
        return ()
    found: dict[Address, Address] = {}
    for link in detect_with(text, [("", 1, lambda _: spans)]):
        address = address_in(link.text)
        if address is not None and not any(
            detection.start < link.end and link.start < detection.end for detection in detections
        ):
            found.setdefault(address, replace(address, spoiler=spoiler or link.spoiler))
    return tuple(found.values())


def read_link(address: Address, pages: Pages) -> tuple[Opened, Findings]:
    """Read what a site gave for a link, trusted no more than what a user pastes.

    Raises:
        LinkError: a page is not what it should be.

    """
    contents = SITES[address.site].read(address, pages)
    findings = _document(contents, address) if contents.format else _chess(contents.text, address)
    if not (findings.found or findings.refused or contents.listed):
        raise LinkError("link-empty", "it contains no game")
    return Opened(address, None, contents.title, contents.listed, contents.review), findings


def _document(contents: Contents, address: Address) -> Findings:
    """Read the document that a site gave."""
    try:
        item = read_document(contents.format, contents.text)
    except DomainError as error:
        return Findings(
            refused=(Refused(contents.format, contents.text, error, contents.text, address.spoiler),)
        )
    going_on = contents.going_on and isinstance(item.document, Game) and not _is_over(item.document)
    return Findings((_at_link_target(replace(item, going_on=going_on), address),))


def _chess(text: str, address: Address) -> Findings:
    """Read games of chess; of very many only those around the game that the link names."""
    detections = tuple(detection for detection in detect(text) if detection.format == "pgn")
    first = 0
    if address.part:
        at = next(
            (
                number
                for number, detection in enumerate(detections)
                if f"/{address.part}" in detection.text[:4_000]
            ),
            0,
        )
        first = max(0, min(at - MAX_GAMES // 2, len(detections) - MAX_GAMES))
    findings = read_detections(text, detections[first : first + MAX_GAMES])
    found = tuple(_at_link_target(replace(item, going_on=_goes_on(item)), address) for item in findings.found)
    unread = len(detections) - len(detections[first : first + MAX_GAMES])
    return replace(findings, found=found, unread=unread, beyond=unread)


def _at_link_target(item: Found, address: Address) -> Found:
    """Return a document as its link opens it: at a turn, from a side, hidden where the link is."""
    at, named = address.turn, False
    if isinstance(item.document, Game) and at is not None:
        at = turn_after(item.document, item.text, at)
    if address.kind in (Kind.STUDY, Kind.BROADCAST) and address.part:
        source = source_of(item.document)
        named = source is not None and address.part in (source.part, source.id)
        if not named:
            at = None
    if at is None and address.kind is Kind.STUDY:
        at = 0  # a chapter begins at its start
    return replace(item, at=at, black=address.black, named=named, spoiler=address.spoiler)


def turn_after(game: Game, text: str, events: int) -> int:
    """Return the number of turns of a game after a number of events of its text, as sites count them."""
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if line.lstrip().startswith(">")]
    if events <= 0:
        return 0
    last = lines[min(events, len(lines)) - 1] if lines else 0
    return bisect_right([turn.line for turn in game.turns], last)


def _is_over(game: Game) -> bool:
    return game.position_at(len(game.turns)).is_over


def _goes_on(item: Found) -> bool:
    """Return whether a game of lichess continues: an unterminated game, or a game of a broadcast without a result."""
    game = item.document
    if not isinstance(game, ChessGame) or game.result != UNKNOWN_RESULT:
        return False
    source = source_of(game)
    broadcast = source is not None and source.kind is Kind.BROADCAST
    return broadcast or game.tag("Termination") == "Unterminated"
