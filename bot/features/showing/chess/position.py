"""Chess positions: the moment of a document that is shown, its picture, and what is said about it in one line."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from urllib.parse import quote

from bot.chat.card import Drawing, Moment, Style
from bot.chat.markdown import behind_bars, escape
from bot.domain.chess import board_link
from bot.domain.chess.documents import BookSource, ChessDocument, ChessGame, PuzzleSet
from bot.domain.chess.eco import opening_of
from bot.domain.chess.notations import epd
from bot.domain.chess.notations.polyglot import Book, compile_book
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.board_scene import book_scene, chess_scene, game_scene
from bot.features.showing.chess.words import (
    castling_text,
    chess_alt_text,
    game_facts,
    moment_words,
    player_name,
    state_text,
    variant_words,
)
from bot.features.showing.findings import Found
from bot.features.showing.remarks import doubted
from bot.text import Speaker

QUIET = 50
"""Half-moves without a capture or a pawn's move from which the line counts them; at a hundred it is a draw."""

MAX_TAG = 60
"""Characters of a tag's value in a line."""


def chess_drawing(item: Found, style: Style) -> Drawing:
    """Return the picture of a document: of a game its end, of puzzles the first, of a book where it starts."""
    document, say, lead = item.chess, style.say, ""
    match document:
        case ChessPosition():
            position, scene = document, chess_scene(document, style, doubtful=doubted(item))
        case ChessGame():
            turn = len(document.turns)
            position, scene = document.position_at(turn), game_scene(document, turn, style)
            lead = moment_words(document, turn, say)
        case PuzzleSet():
            position = document.puzzles[0].position
            lead = say("Puzzle 1 of {puzzles}.", puzzles=len(document.puzzles))
            scene = chess_scene(position, style, white_below=position.white_to_move)
        case _:
            position, lead = document.lines[0].start, say("Opening book.")
            scene = book_scene(position, compiled(document).continuations(position), style)
    return Drawing(scene, chess_alt_text(position, say, lead), item.spoiler)


@lru_cache(maxsize=4)
def compiled(source: BookSource) -> Book:
    """Compile a book once for its picture, its line and its menus."""
    return compile_book(source)


def chess_line(document: ChessDocument, say: Speaker) -> str:
    """Say in one line what a document is."""
    match document:
        case ChessPosition():
            return position_line(document, say)
        case ChessGame():
            return _game_line(document, say)
        case PuzzleSet():
            return _puzzles_line(document, say)
        case _:
            return " · ".join((say("**Opening book**"), book_size(document, say)))


def position_line(position: ChessPosition, say: Speaker) -> str:
    """Say in one line who is to move, and castling, en passant and clocks in words."""
    parts = [_to_move(position, say)]
    if state := state_text(position, say):
        parts.append(state)
    parts += variant_words(position, say)
    if opening := opening_of(position):
        parts.append(escape(opening))
    parts.append(say("move {number}", number=position.fullmove_number))
    if set(position.castling) == set("KQkq"):
        parts.append(say("both sides may castle"))
    elif position.castling and set(position.castling) <= set("KQkq"):
        parts.append(say("castling: {rights}", rights=castling_text(position, say)))
    if position.en_passant:
        parts.append(say("en passant on {square}", square=position.en_passant))
    if position.halfmove_clock >= QUIET:
        parts.append(
            say.count(
                "{number} half-move since a capture or a pawn's move",
                "{number} half-moves since a capture or a pawn's move",
                position.halfmove_clock,
            )
        )
    if position.operations:
        told = "; ".join(f"{opcode} {operands}".rstrip() for opcode, operands in position.operations)
        parts.append(escape(told, MAX_TAG * 2))
    return " · ".join(parts)


def _to_move(position: ChessPosition, say: Speaker) -> str:
    return say("**White to move**") if position.white_to_move else say("**Black to move**")


def _game_line(game: ChessGame, say: Speaker) -> str:
    turn = len(game.turns)
    position = game.position_at(turn)
    white, black = (escape(player_name(game, say, white=white)) for white in (True, False))
    parts = [say("**{white} – {black}**", white=white, black=black)]
    if game.result != "*":
        parts.append(escape(game.result.replace("1/2-1/2", "½–½").replace("-", "–")))
    parts.append(say.count("{number} turn", "{number} turns", turn))
    if turn:
        parts.append(f"{game.number(turn)} {escape(game.turns[-1].san)}")
    if state := state_text(position, say):
        parts.append(state)
    elif game.result == "*":
        parts.append(_to_move(position, say))
    parts += game_facts(game, turn)
    return " · ".join(parts)


def _puzzles_line(document: PuzzleSet, say: Speaker) -> str:
    first = document.puzzles[0]
    parts = [
        say.count("**{number} puzzle**", "**{number} puzzles**", len(document.puzzles)),
        _to_move(first.position, say),
        *(escape(text) for text in first.description if text),
    ]
    line = " · ".join(parts)
    if first.solution_text.strip():
        line += "\n" + say("Solution: {solution}", solution=behind_bars(escape(first.solution_text)))
    return line


def book_size(document: BookSource, say: Speaker) -> str:
    """Write the size of a book."""
    book = compiled(document)
    return " · ".join(
        (
            say.count("{number} line", "{number} lines", book.lines),
            say.count("{number} position", "{number} positions", book.positions),
            say.count("{number} half-move deep", "{number} half-moves deep", book.depth),
            say.count("{number} transposition", "{number} transpositions", book.transpositions),
        )
    )


def chess_to_copy(document: ChessDocument, text: str) -> str | None:
    """Return the position in canonical form when that says something else than the text that was posted."""
    match document:
        case ChessPosition():
            canonical = epd.write(document) if document.operations else document.fen
        case ChessGame():
            canonical = document.position_at(len(document.turns)).fen
        case PuzzleSet():
            canonical = document.puzzles[0].position.fen
        case _:
            return None
    return None if " ".join(text.split()) == canonical else canonical


MAX_TURN = 9_999
"""The last turn that a control can name."""

WHITE, BLACK = 0, 1
"""The sides of a moment: who sits below."""


def is_white_below(moment: Moment, *, otherwise: bool = True) -> bool:
    """Return whether White sits below; ``otherwise`` is the default."""
    return otherwise if moment.side is None else moment.side != BLACK


def turned(moment: Moment, *, white_below: bool) -> Moment:
    """Return a moment from the other side."""
    return replace(moment, side=BLACK if white_below else WHITE)


def lichess_link(position: ChessPosition, say: Speaker, *, white_below: bool) -> str:
    """Link to a position on lichess' analysis board, without any request to lichess.

    The link holds only letters, digits, slashes, hyphens and plus signs of the FEN.
    """
    side = "" if white_below else "?color=black"
    rules = position.variant or "standard"
    fen = quote(position.fen.replace(" ", "_"), safe="/_-+")
    return f"[{say('Analysis board on lichess')}](<https://lichess.org/analysis/{rules}/{fen}{side}>)"


def is_running(position: ChessPosition) -> bool:
    """Return whether a move can be played."""
    return not position.is_over


def first_moment(item: Found) -> Moment:
    """Return the moment of a document, also of a crossword, that is shown first: the end or the linked turn of a game.

    Of puzzles it is the first.
    """
    turn = MAX_TURN if item.at is None else item.at
    if isinstance(item.document, PuzzleSet):
        turn = 0
    black = item.black or (isinstance(item.document, ChessPosition) and board_link.is_black_below(item.text))
    return Moment(item.digest, turn, BLACK if black else None, item.spoiler)


def moment_to_analyze(item: Found) -> Moment:
    """Return the moment of a document that an engine is asked about: of a game the last with a move left to play."""
    moment = within(first_moment(item), item.chess)
    if moment.turn and not is_running(position_of_moment(item.chess, moment)):
        return replace(moment, turn=moment.turn - 1)
    return moment


def position_of_moment(document: ChessDocument, moment: Moment) -> ChessPosition:
    """Return the position that is shown at a moment."""
    moment = within(moment, document)
    match document:
        case ChessPosition():
            return document
        case ChessGame():
            return document.position_at(moment.turn)
        case PuzzleSet():
            return document.puzzles[moment.turn].position
        case _:
            return document.lines[0].start


def within(moment: Moment, document: ChessDocument) -> Moment:
    """Return the moment, or the nearest that there is: a custom id may come from an older reading of the text."""
    match document:
        case ChessGame():
            last = min(len(document.turns), MAX_TURN)
        case PuzzleSet():
            last = len(document.puzzles) - 1
        case _:
            last = 0
    side = moment.side if moment.side in (WHITE, BLACK) else None
    if side is None and isinstance(document, ChessGame) and document.is_black_below:
        side = BLACK
    return replace(moment, turn=min(moment.turn, last), side=side)
