"""The answer with what an opening book knows of a position, and the way from there."""

from __future__ import annotations

from bot.chat.card import Card, Drawing
from bot.chat.control import Control
from bot.chat.markdown import escape
from bot.chat.moment import Choice, Moment
from bot.chat.page import MAX_CHOICES, MAX_LABEL, clipped, told
from bot.chat.style import Style
from bot.domain.chess.documents import BookSource, ChessGame
from bot.domain.chess.notations.polyglot import BookMove
from bot.features.showing.chess.board_scene import MAX_KNOWN, book_scene
from bot.features.showing.chess.page import Page
from bot.features.showing.chess.position import book_size, compiled
from bot.features.showing.chess.words import chess_alt_text, state_text, to_move_text
from bot.features.showing.controls import BookPlace, Copy, Known, TakeBack
from bot.text import Speaker

MAX_NAMES = 3
"""Names of lines told of one move."""
MAX_PLAYED = 16
"""Half-moves told of the way to a position."""


def answer_book(source: BookSource, page: Page) -> Card:
    """Sum up the book that the moment names, and show what it knows where it starts."""
    moment, say = page.moment, page.style.say
    path = ChessGame(source.lines[0].start)
    known = compiled(source).continuations(path.start)
    head = " · ".join((say("**Opening book**"), to_move_text(path.start, say)))
    blocks = [head, *_known_lines(known, say, weighted=False), *page.remarks, book_size(source, say)]
    place = BookPlace(moment.digest, moment.digest, moment.spoiler)
    panel = _panel(place, path, known, say, weighted=False)
    drawing = _drawing(path, known, page.style, spoiler=moment.spoiler)
    return Card(told(blocks, moment), (drawing,), controls=panel)


def answer_known(
    place: BookPlace,
    path: ChessGame,
    known: tuple[BookMove, ...],
    style: Style,
    *,
    weighted: bool,
    remarks: tuple[str, ...] = (),
) -> Card:
    """Tell which moves a book knows after the moves of ``path``.

    ``weighted`` tells books that give moves weights from those that count their lines;
    ``remarks`` are about the book.
    """
    say = style.say
    position = path.position_at(len(path.turns))
    line = [say("**Opening book**")]
    if path.turns:
        line.append(escape(_played(path)))
    line.append(state_text(position, say) or to_move_text(position, say))
    blocks = [" · ".join(line)]
    if known:
        blocks += _known_lines(known, say, weighted=weighted)
    else:
        blocks.append(say("The book knows no move here."))
    blocks += remarks
    shown = _panel(place, path, known, say, weighted=weighted)
    moment = Moment(place.path, len(path.turns), spoiler=place.spoiler)
    drawing = _drawing(path, known, style, spoiler=place.spoiler)
    return Card(told(blocks, moment), (drawing,), controls=(*shown, Copy(moment)))


def answer_which_book(say: Speaker) -> Card:
    """Say that there is no book to look into."""
    return Card(
        say(
            "Which book? Choose a file – a book source, or a Polyglot book (.bin) – or post a source here;"
            " I keep the last one of each channel in mind for a while."
        ),
        found=False,
    )


def answer_no_position(say: Speaker) -> Card:
    """Say that no chess position was found to look up."""
    return Card(
        say("There is no chess position in it. Give a FEN, moves as in PGN, or the link of a message here."),
        found=False,
    )


def _drawing(path: ChessGame, known: tuple[BookMove, ...], style: Style, *, spoiler: bool) -> Drawing:
    say = style.say
    position = path.position_at(len(path.turns))
    # A board that turned round with every move could not be followed.
    scene = book_scene(position, known, style, white_below=path.start.white_to_move)
    lead = say("Opening book.")
    if known:
        moves = ", ".join(move.san for move in known[:MAX_KNOWN])
        lead += " " + say("Known moves: {moves}.", moves=moves)
    return Drawing(scene, chess_alt_text(position, say, lead), spoiler)


def _known_lines(known: tuple[BookMove, ...], say: Speaker, *, weighted: bool) -> list[str]:
    """List moves with how often they are played and in which lines."""
    total = sum(move.count for move in known) or 1
    lines = []
    for move in known[:MAX_KNOWN]:
        parts = [f"**{escape(move.san)}**", _frequency(move, total, say, weighted=weighted)]
        if move.names:
            parts.append(escape(_names(move)))
        lines.append("• " + " · ".join(parts))
    more = len(known) - MAX_KNOWN
    if more > 0:
        lines.append(say.count("… and {number} more move", "… and {number} more moves", more))
    return lines


def _frequency(move: BookMove, total: int, say: Speaker, *, weighted: bool) -> str:
    share = round(100 * move.count / total)
    if weighted:
        return say("weight {weight} ({share} %)", weight=move.count, share=share)
    return say.count("{number} line ({share} %)", "{number} lines ({share} %)", move.count, share=share)


def _names(move: BookMove) -> str:
    more = ", …" if len(move.names) > MAX_NAMES else ""
    return clipped(", ".join(move.names[:MAX_NAMES]), 120) + more


def _played(path: ChessGame) -> str:
    """Write the last moves of a path as in PGN."""
    first = max(0, len(path.turns) - MAX_PLAYED)
    words = ["…"] if first else []
    for turn, move in enumerate(path.turns[first:], start=first + 1):
        label = path.number(turn)
        if turn == first + 1 or not label.endswith("..."):
            words.append(label)
        words.append(move.san)
    return " ".join(words)


def _panel(
    place: BookPlace, path: ChessGame, known: tuple[BookMove, ...], say: Speaker, *, weighted: bool
) -> tuple[Control, ...]:
    total = sum(move.count for move in known) or 1
    label = path.number(len(path.turns) + 1)
    choices = tuple(
        Choice(
            move.uci,
            say("No. {rank}", rank=rank) if place.spoiler else f"{label} {move.san}",
            ""
            if place.spoiler
            else clipped(
                " · ".join(
                    text
                    for text in (_frequency(move, total, say, weighted=weighted), ", ".join(move.names))
                    if text
                ),
                MAX_LABEL,
            ),
        )
        for rank, move in enumerate(known[:MAX_CHOICES], start=1)
    )
    return TakeBack(place, disabled=not path.turns), Known(place, choices)
