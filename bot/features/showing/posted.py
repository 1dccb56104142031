"""The reply to a posted source: a viewer for one document or several chess games, or a picture of several documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from bot.chat.card import (
    MAX_ALT_LENGTH,
    MAX_LABEL_LENGTH,
    MAX_TEXT_LENGTH,
    Card,
    Choice,
    Drawing,
    Moment,
    ReplyContext,
    TextFile,
    join_fitting_blocks,
    truncate,
)
from bot.chat.markdown import as_spoiler, code_block, inline_code, isolated_name
from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.domain.notations import Document, is_chess, target_notations
from bot.features.showing.chess import viewer as chess_viewer
from bot.features.showing.controls import (
    ALL_DOCUMENTS,
    ControlProvider,
    DocumentMenu,
    NotationMenu,
    first_moment,
    with_game_menu,
)
from bot.features.showing.crossword import viewer as crossword_viewer
from bot.features.showing.findings import FoundDocument, are_several_chess_games
from bot.features.showing.pace import Pace
from bot.features.showing.remarks import remarks, stop_text, unconfirmed_squares
from bot.text import Translator
from render.scene import BoardScene, ChessScene, MosaicPart, MosaicScene

MAX_SHOWN_DOCUMENTS = 4
"""Maximum number of positions shown in a reply. The reply quotes the beginnings of a few more."""
_BOARDS_PER_ROW = 2


def posted_card(
    documents: tuple[FoundDocument, ...],
    context: ReplyContext,
    controls_for: ControlProvider,
    *,
    are_stored: bool,
    left_out_count: int = 0,
) -> Card:
    """Return the reply to the documents in a source. The reply has controls only if the documents are stored.

    ``left_out_count`` is the number of documents in the source that were not read.
    """
    translate = context.translate
    if not are_stored:
        return card_without_controls(documents, context, left_out_count=left_out_count)
    are_chess_games = are_several_chess_games(documents)
    if len(documents) > 1 and not are_chess_games:
        return together_card(documents, context, controls_for, left_out_count=left_out_count)
    initial = next((found for found in documents if found.is_link_target), documents[0])
    card = viewer_of(initial.document).card_at(initial, first_moment(initial), context, controls_for)
    if are_chess_games:
        card = with_game_menu(card, chess_viewer.game_choices(documents, translate))
    if not left_out_count:
        return card
    if are_chess_games:
        left_out_text = translate.plural(
            "{number} more game doesn't fit into the list of games.",
            "{number} more games don't fit into the list of games.",
            left_out_count,
        )
    else:
        [left_out_text] = _left_out_lines(documents, left_out_count, translate)
    return replace(card, text=join_fitting_blocks([card.text, left_out_text]))


def together_card(
    documents: tuple[FoundDocument, ...],
    context: ReplyContext,
    controls_for: ControlProvider,
    *,
    left_out_count: int = 0,
) -> Card:
    translate = context.translate
    shown_documents = documents[:MAX_SHOWN_DOCUMENTS]
    spoiler = any(found.spoiler for found in shown_documents)
    moment = Moment(shown_documents[0].digest, 0, spoiler=spoiler)
    feature_controls = [
        control
        for number, found in enumerate(shown_documents, start=1)
        if isinstance(found.document, Position | ChessPosition) and unconfirmed_squares(found) is None
        for control in controls_for(found, Moment(found.digest, 0, spoiler=found.spoiler), number)
    ]
    return Card(
        _fitting_text(shown_documents, _left_out_lines(documents, left_out_count, translate), translate),
        (_mosaic_drawing(shown_documents, context, spoiler=spoiler),),
        controls=(
            DocumentMenu(moment, _document_choices(shown_documents, translate), shows_all=True),
            *feature_controls,
        ),
        accent="board",
    )


def _mosaic_drawing(documents: tuple[FoundDocument, ...], context: ReplyContext, *, spoiler: bool) -> Drawing:
    parts, alts = [], []
    for number, found in enumerate(documents, start=1):
        viewer = viewer_of(found.document)
        drawing = viewer.document_drawing(found, context)
        assert isinstance(drawing.scene, BoardScene | ChessScene)  # a document is always drawn as a board
        parts.append(
            MosaicPart(drawing.scene, f"{number}. {viewer.document_label(found, context.translate)}".rstrip())
        )
        alts.append(truncate(f"{number}. {drawing.alt}", MAX_ALT_LENGTH // len(documents) - 1))
    rows = tuple(
        tuple(parts[start : start + _BOARDS_PER_ROW]) for start in range(0, len(parts), _BOARDS_PER_ROW)
    )
    scene = MosaicScene(rows, theme=context.appearance.theme, has_equal_widths=True)
    return Drawing(scene, " ".join(alts), spoiler=spoiler, name="positions")


def _document_choices(documents: tuple[FoundDocument, ...], translate: Translator) -> tuple[Choice, ...]:
    choices = [Choice(ALL_DOCUMENTS, translate("All together"))]
    for number, found in enumerate(documents, start=1):
        document_label = "" if found.spoiler else viewer_of(found.document).document_label(found, translate)
        label = (
            f"{number}. {isolated_name(document_label, MAX_LABEL_LENGTH)}"
            if document_label
            else translate("Position {number}", number=number)
        )
        choices.append(Choice(found.digest, label[:MAX_LABEL_LENGTH]))
    return tuple(choices)


def card_without_controls(
    documents: tuple[FoundDocument, ...], context: ReplyContext, *, left_out_count: int = 0
) -> Card:
    translate = context.translate
    shown_documents, left_out_lines = (
        documents[:MAX_SHOWN_DOCUMENTS],
        _left_out_lines(documents, left_out_count, translate),
    )
    files: tuple[TextFile, ...] = ()
    text = "\n".join(
        [
            line if copy is None else f"{line}\n{copy}"
            for line, copy in zip(
                _lines(shown_documents, _remarks_text, translate),
                map(_copy_block, shown_documents),
                strict=True,
            )
        ]
        + left_out_lines
    )
    if len(text) > MAX_TEXT_LENGTH:
        texts = [viewer_of(found.document).canonical_text(found) or found.text for found in shown_documents]
        spoiler = any(found.spoiler for found in shown_documents)
        files = (TextFile("positions.txt", "\n".join(texts) + "\n", spoiler=spoiler),)
        text = _fitting_text(shown_documents, left_out_lines, translate)
    drawings = tuple(viewer_of(found.document).document_drawing(found, context) for found in shown_documents)
    return Card(text, drawings, files, accent="board")


def conversions_card(documents: tuple[FoundDocument, ...], translate: Translator) -> Card:
    return Card(
        join_fitting_blocks(_lines(documents, _stop_line, translate)),
        controls=tuple(
            NotationMenu(
                found.digest, target_notations(found.document), number if len(documents) > 1 else None
            )
            for number, found in enumerate(documents, start=1)
        ),
        accent="board",
    )


def _fitting_text(
    documents: tuple[FoundDocument, ...], left_out_lines: list[str], translate: Translator
) -> str:
    text = "\n".join([*_lines(documents, _remarks_text, translate), *left_out_lines])
    return (
        text
        if len(text) <= MAX_TEXT_LENGTH
        else join_fitting_blocks([*_lines(documents, _stop_line, translate), *left_out_lines])
    )


def _lines(
    documents: tuple[FoundDocument, ...],
    describe_remarks: Callable[[FoundDocument, Translator], str],
    translate: Translator,
) -> list[str]:
    is_numbered = len(documents) > 1
    lines = []
    for number, found in enumerate(documents, start=1):
        line = viewer_of(found.document).document_line(found, translate) + describe_remarks(found, translate)
        lines.append(
            (f"**{number}.** " if is_numbered else "") + (as_spoiler(line) if found.spoiler else line)
        )
    return lines


def _remarks_text(found: FoundDocument, translate: Translator) -> str:
    return "".join(f"\n{remark}" for remark in remarks(found, translate))


def _stop_line(found: FoundDocument, translate: Translator) -> str:
    return f"\n{stop_text(found.error, found.text, translate)}" if found.error else ""


def _left_out_lines(
    documents: tuple[FoundDocument, ...], left_out_count: int, translate: Translator
) -> list[str]:
    unshown_documents = documents[MAX_SHOWN_DOCUMENTS:]
    if not (unshown_documents or left_out_count):
        return []
    beginnings = ("▒▒▒" if found.spoiler else found.text[:24] + "…" for found in unshown_documents[:8])
    names = ", ".join(map(inline_code, beginnings))
    if len(unshown_documents) + left_out_count > 8:
        names += ", …" if names else "…"
    return [
        translate.plural(
            "{number} more position isn't shown (at most {shown} in a message): {names}",
            "{number} more positions aren't shown (at most {shown} in a message): {names}",
            len(unshown_documents) + left_out_count,
            shown=len(documents) - len(unshown_documents),
            names=names,
        )
    ]


def _copy_block(found: FoundDocument) -> str | None:
    canonical = viewer_of(found.document).canonical_text(found)
    if canonical is None:
        return None
    return as_spoiler(code_block(canonical)) if found.spoiler else code_block(canonical)


def count_turns(document: Document) -> int:
    return len(document.turns) if isinstance(document, Game | ChessGame) else 0


class Viewer(Protocol):
    """The interface of the two viewer modules, for crossword games and for chess."""

    COPIED_NOTATION: str
    """The notation that the *Copy* button sends."""

    def document_line(self, found: FoundDocument, translate: Translator) -> str:
        """Describe a document in Markdown."""

    def document_label(self, found: FoundDocument, translate: Translator) -> str:
        """Return short plain text for a menu or a picture, or an empty string."""

    def document_drawing(self, found: FoundDocument, context: ReplyContext) -> Drawing: ...

    def canonical_text(self, found: FoundDocument) -> str | None:
        """Return the canonical text of the position that :meth:`document_drawing` shows.

        Return None if the posted text is already canonical, or if there is no canonical text.
        """

    def card_at(
        self,
        found: FoundDocument,
        moment: Moment,
        context: ReplyContext,
        controls_for: ControlProvider,
        *,
        centre: int | None = None,
    ) -> Card:
        """Return the card of a moment. Its menu lists the turns or puzzles near ``centre`` (a turn, or a puzzle's index)."""

    def replay_card(self, game: Any, moment: Moment, pace: Pace, context: ReplyContext) -> Card:  # noqa: ANN401
        """Return the card that replays a game. Refuse any other document."""

    def convert_moment(self, document: Any, moment: Moment, target: str, translate: Translator) -> Card:  # noqa: ANN401
        """Convert a document to another notation. A game is converted up to the moment."""


def viewer_of(document: Document) -> Viewer:
    return chess_viewer if is_chess(document) else crossword_viewer
