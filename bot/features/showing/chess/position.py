"""What is said about chess: positions, games at their end, puzzle files, opening books."""

from __future__ import annotations

from functools import lru_cache

from bot.chat.card import Drawing, Style
from bot.chat.markdown import behind_bars, escape
from bot.domain.chess.documents import BookSource, ChessDocument, ChessGame, PuzzleSet
from bot.domain.chess.eco import opening_of
from bot.domain.chess.notations import epd
from bot.domain.chess.notations.polyglot import Book, compile_book
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.board_scene import book_scene, chess_scene, game_scene
from bot.features.showing.chess.game import game_facts
from bot.features.showing.chess.words import (
    castling_text,
    chess_alt_text,
    player_name,
    state_text,
    variant_words,
)
from bot.features.showing.findings import Found
from bot.features.showing.remarks import doubted
from bot.text import Speaker

QUIET = 50
"""From how many half-moves without a capture or a pawn's move on they are told: at a hundred it is a draw."""

MAX_TAG = 60
"""Characters of a tag's value that are told."""


def chess_drawing(item: Found, style: Style) -> Drawing:
    """Return the picture of a document: of a game its end, of puzzles the first, of a book where it starts."""
    document, spoiler, say = item.chess, item.spoiler, style.say
    match document:
        case ChessPosition():
            scene = chess_scene(document, style, doubtful=doubted(item))
            return Drawing(scene, chess_alt_text(document, say), spoiler)
        case ChessGame():
            turn = len(document.turns)
            lead = say(
                "{white} against {black}, after turn {turn} of {turns}.",
                white=player_name(document, say, white=True),
                black=player_name(document, say, white=False),
                turn=turn,
                turns=turn,
            )
            alt = chess_alt_text(document.position_at(turn), say, lead)
            return Drawing(game_scene(document, turn, style), alt, spoiler)
        case PuzzleSet():
            position = document.puzzles[0].position
            lead = say("Puzzle 1 of {puzzles}.", puzzles=len(document.puzzles))
            scene = chess_scene(position, style, white_below=position.white_to_move)
            return Drawing(scene, chess_alt_text(position, say, lead), spoiler)
        case _:
            start = document.lines[0].start
            book = compiled(document)
            return Drawing(
                book_scene(start, book.continuations(start), style),
                chess_alt_text(start, say, say("Opening book.")),
                spoiler,
            )


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
            return book_line(document, say)


def position_line(position: ChessPosition, say: Speaker) -> str:
    """Say in one line who is to move, and castling, en passant and clocks in words."""
    parts = [_to_move(position, say)]
    if state := state_text(position, say):
        parts.append(state)
    parts += variant_words(position, say)
    if opening := opening_of(position):
        parts.append(escape(str(opening)))
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


def book_line(document: BookSource, say: Speaker) -> str:
    """Say in one line how large a book is."""
    return " · ".join((say("**Opening book**"), book_size(document, say)))


def book_size(document: BookSource, say: Speaker) -> str:
    """Say how large a book is."""
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
