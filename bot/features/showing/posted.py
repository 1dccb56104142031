"""The answer to a post, of any kind of game: a viewer, or several documents in one picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from bot.chat.card import (
    MAX_ALT,
    MAX_LABEL,
    MAX_TEXT,
    Card,
    Choice,
    Drawing,
    Moment,
    Style,
    TextFile,
    clip,
    join_fitting,
)
from bot.chat.markdown import as_spoiler, code_block, inline_code, isolated_name
from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.domain.notations import Document, is_chess
from bot.domain.notations import offered as offered_notations
from bot.features.showing.chess import viewer as chess_viewer
from bot.features.showing.chess.viewer import listed_games
from bot.features.showing.controls import TOGETHER, Games, Notations, Offers, first_moment, with_games
from bot.features.showing.crossword import viewer as crossword_viewer
from bot.features.showing.findings import Found, is_collection
from bot.features.showing.pace import Pace
from bot.features.showing.remarks import doubtful_squares_text, remarks, stop_text
from bot.text import Speaker
from render.scene import BoardScene, ChessScene, MosaicPart, MosaicScene

MAX_SHOWN = 4
"""Maximum number of positions shown for one message; more are counted and named."""
_IN_ROW = 2


def answer_posted(
    found: tuple[Found, ...], style: Style, offers: Offers, *, stored: bool, unread: int = 0
) -> Card:
    """Return the reply to found documents: a viewer for one, a mosaic for several.

    If the documents are not ``stored``, the reply has no controls. ``unread`` is the number of documents left out.
    """
    say = style.say
    if not stored:
        return answer_positions(found, style, unread=unread)
    is_list = is_collection(found)
    if len(found) > 1 and not is_list:
        return answer_together(found, style, offers, unread=unread)
    first = next((item for item in found if item.is_link_target), found[0])
    card = answers_of(first.document).answer_moment(first, first_moment(first), style, offers)
    if is_list:
        card = with_games(card, listed_games(found, say))
    if not unread:
        return card
    if is_list:
        further = say.count(
            "{number} more game does not fit into the list of games.",
            "{number} more games do not fit into the list of games.",
            unread,
        )
    else:
        further = _left_out_text((), unread, 1, say)
    return replace(card, text=join_fitting([card.text, further]))


def answer_together(found: tuple[Found, ...], style: Style, offers: Offers, *, unread: int = 0) -> Card:
    """Show several documents in one picture, with a menu to open each and an *Analyze* button where analysis is possible.

    ``unread`` is the number of documents left out.
    """
    say = style.say
    listed, left_out = found[:MAX_SHOWN], found[MAX_SHOWN:]
    last = [_left_out_text(left_out, unread, len(listed), say)] if left_out or unread else []
    text = "\n".join([*_lines(listed, _oddities, say), *last])
    if len(text) > MAX_TEXT:
        text = join_fitting([*_lines(listed, _stop, say), *last])
    spoiler = any(item.spoiler for item in listed)
    moment = Moment(listed[0].digest, 0, spoiler=spoiler)
    games = Games(moment, _choices(listed, say), together=True)
    offered = [
        control
        for number, item in enumerate(listed, start=1)
        if isinstance(item.document, Position | ChessPosition) and doubtful_squares_text(item) is None
        for control in offers(item, Moment(item.digest, 0, spoiler=item.spoiler), number)
    ]
    return Card(
        text, (_join_pictures(listed, style, spoiler=spoiler),), controls=(games, *offered), accent="board"
    )


def _join_pictures(items: tuple[Found, ...], style: Style, *, spoiler: bool) -> Drawing:
    """Return the one picture of several documents; each is described in its share of the room."""
    parts, alts = [], []
    for number, item in enumerate(items, start=1):
        about = answers_of(item.document)
        drawing = about.document_drawing(item, style)
        assert isinstance(drawing.scene, BoardScene | ChessScene)  # what a document is shown as
        parts.append(MosaicPart(drawing.scene, f"{number}. {about.document_brief(item, style.say)}".rstrip()))
        alts.append(clip(f"{number}. {drawing.alt}", MAX_ALT // len(items) - 1))
    rows = tuple(tuple(parts[start : start + _IN_ROW]) for start in range(0, len(parts), _IN_ROW))
    scene = MosaicScene(rows, layout=style.view.layout, theme=style.view.theme, equal_widths=True)
    return Drawing(scene, " ".join(alts), spoiler=spoiler, name="positions")


def _choices(items: tuple[Found, ...], say: Speaker) -> tuple[Choice, ...]:
    """List all together, and each; of a hidden one its number alone."""
    choices = [Choice(TOGETHER, say("All together"))]
    for number, item in enumerate(items, start=1):
        brief = "" if item.spoiler else answers_of(item.document).document_brief(item, say)
        label = (
            f"{number}. {isolated_name(brief, MAX_LABEL)}"
            if brief
            else say("Position {number}", number=number)
        )
        choices.append(Choice(item.digest, label[:MAX_LABEL]))
    return tuple(choices)


def answer_positions(found: tuple[Found, ...], style: Style, *, unread: int = 0) -> Card:
    """Answer a source where nothing is kept for controls: with a picture and a text to copy of each document.

    ``unread`` is the number of documents left out.
    """
    say = style.say
    listed, left_out = found[:MAX_SHOWN], found[MAX_SHOWN:]
    last = [_left_out_text(left_out, unread, len(listed), say)] if left_out or unread else []
    files: tuple[TextFile, ...] = ()
    text = "\n".join(
        [
            line if copy is None else f"{line}\n{copy}"
            for line, copy in zip(_lines(listed, _oddities, say), map(_copy, listed), strict=True)
        ]
        + last
    )
    if len(text) > MAX_TEXT:
        texts = [answers_of(item.document).canonical_text(item) or item.text for item in listed]
        spoiler = any(item.spoiler for item in listed)
        files = (TextFile("positions.cgp", "\n".join(texts) + "\n", spoiler=spoiler),)
        text = "\n".join([*_lines(listed, _oddities, say), *last])
    if len(text) > MAX_TEXT:
        text = join_fitting([*_lines(listed, _stop, say), *last])
    drawings = tuple(answers_of(item.document).document_drawing(item, style) for item in listed)
    return Card(text, drawings, files, accent="board")


def answer_offer(found: tuple[Found, ...], say: Speaker) -> Card:
    """Offer documents in other notations, without pictures."""
    several = len(found) > 1
    menus = tuple(
        Notations(item.digest, offered_notations(item.document), number if several else None)
        for number, item in enumerate(found, start=1)
    )
    return Card(join_fitting(_lines(found, _stop, say)), controls=menus, accent="board")


def _lines(found: tuple[Found, ...], remark: Callable[[Found, Speaker], str], say: Speaker) -> list[str]:
    """Say a line about each document and a remark, hidden where the document is."""
    several = len(found) > 1
    lines = []
    for number, item in enumerate(found, start=1):
        line = document_line(item, say) + remark(item, say)
        lines.append((f"**{number}.** " if several else "") + (as_spoiler(line) if item.spoiler else line))
    return lines


def document_line(item: Found, say: Speaker) -> str:
    """Say in one line what a document is."""
    return answers_of(item.document).document_line(item, say)


def _oddities(item: Found, say: Speaker) -> str:
    """Return the remarks on a document, each on a line of its own."""
    return "".join(f"\n{remark}" for remark in remarks(item, say))


def _stop(item: Found, say: Speaker) -> str:
    """Say on a line of its own where reading stopped."""
    return f"\n{stop_text(item.error, item.text, say)}" if item.error else ""


def _left_out_text(left_out: tuple[Found, ...], unread: int, listed: int, say: Speaker) -> str:
    beginnings = ("▒▒▒" if item.spoiler else item.text[:24] + "…" for item in left_out[:8])
    names = ", ".join(map(inline_code, beginnings))
    if len(left_out) + unread > 8:
        names += ", …" if names else "…"
    return say.count(
        "{number} more position is not shown (at most {shown} in a message): {names}",
        "{number} more positions are not shown (at most {shown} in a message): {names}",
        len(left_out) + unread,
        shown=listed,
        names=names,
    )


def _copy(item: Found) -> str | None:
    """Return the canonical CGP as a block to copy, hidden where the document is."""
    canonical = answers_of(item.document).canonical_text(item)
    if canonical is None:
        return None
    return as_spoiler(code_block(canonical)) if item.spoiler else code_block(canonical)


def turns_in(document: Document) -> int:
    """Return the number of turns of a game; 0 for any other document."""
    return len(document.turns) if isinstance(document, Game | ChessGame) else 0


class Viewer(Protocol):
    """The functions that the viewers of crosswords and chess share; documents are those of the game."""

    COPIED_NOTATION: str

    def document_line(self, item: Found, say: Speaker) -> str:
        """Say in one line what a document is."""

    def document_brief(self, item: Found, say: Speaker) -> str:
        """Say in few words what a document is."""

    def document_drawing(self, item: Found, style: Style) -> Drawing:
        """Return the picture of a document: of a game its end."""

    def canonical_text(self, item: Found) -> str | None:
        """Return the canonical text of a position when it says something else than the text that was posted."""

    def answer_moment(
        self, item: Found, moment: Moment, style: Style, offers: Offers, *, around: int | None = None
    ) -> Card:
        """Show a moment of a document; ``around`` is the turn or puzzle around which others are listed."""

    def answer_replay(self, game: Any, moment: Moment, pace: Pace, style: Style) -> Card | None:  # noqa: ANN401
        """Show a game from the start to the end; None if the document is not a game."""

    def convert_moment(self, document: Any, moment: Moment, to: str, say: Speaker) -> Card | None:  # noqa: ANN401
        """Give a document up to a moment in another notation; None when it has no moments."""


def answers_of(document: Document) -> Viewer:
    """Return the module that answers about a document's kind of game."""
    return chess_viewer if is_chess(document) else crossword_viewer
