"""Finds the chess position at a moment of a document, describes it in one line, and links to it on lichess."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from urllib.parse import quote

from bot.chat.card import Moment
from bot.chat.control import MAX_TURN
from bot.chat.markdown import escape
from bot.domain.chess.documents import BookSource, ChessDocument, ChessGame, PuzzleSet
from bot.domain.chess.eco import opening_of
from bot.domain.chess.notations.polyglot import CompiledBook, compile_book
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.texts import (
    castling_text,
    status_text,
    variant_facts,
)
from bot.features.showing.controls import first_moment
from bot.features.showing.findings import BLACK, WHITE, FoundDocument
from bot.text import Translator

MIN_QUIET_PLIES = 50
"""A position's description mentions the half-moves since the last capture or pawn move if there are at least this many."""

MAX_OPERATIONS_LENGTH = 120


@lru_cache(maxsize=4)
def compiled_book(source: BookSource) -> CompiledBook:
    return compile_book(source)


def position_line(position: ChessPosition, translate: Translator) -> str:
    parts = [bold_side_to_move(position, translate)]
    if status := status_text(position, translate):
        parts.append(status)
    parts += variant_facts(position, translate)
    if opening := opening_of(position):
        parts.append(escape(opening))
    parts.append(translate("move {number}", number=position.fullmove_number))
    if set(position.castling) == set("KQkq"):
        parts.append(translate("both sides may castle"))
    elif position.castling and set(position.castling) <= set("KQkq"):
        parts.append(translate("castling: {rights}", rights=castling_text(position, translate)))
    if position.en_passant:
        parts.append(translate("en passant on {square}", square=position.en_passant))
    if position.halfmove_clock >= MIN_QUIET_PLIES:
        parts.append(
            translate.plural(
                "{number} half-move since the last capture or pawn move",
                "{number} half-moves since the last capture or pawn move",
                position.halfmove_clock,
            )
        )
    if position.operations:
        operations = "; ".join(f"{opcode} {operands}".rstrip() for opcode, operands in position.operations)
        parts.append(escape(operations, MAX_OPERATIONS_LENGTH))
    return " · ".join(parts)


def bold_side_to_move(position: ChessPosition, translate: Translator) -> str:
    return translate("**White to move**") if position.white_to_move else translate("**Black to move**")


def book_size_text(document: BookSource, translate: Translator) -> str:
    book = compiled_book(document)
    return " · ".join(
        (
            translate.plural("{number} line", "{number} lines", book.line_count),
            translate.plural("{number} position", "{number} positions", book.position_count),
            translate.plural("{number} half-move deep", "{number} half-moves deep", book.depth),
            translate.plural("{number} transposition", "{number} transpositions", book.transposition_count),
        )
    )


def is_white_at_bottom(moment: Moment, *, default: bool = True) -> bool:
    return default if moment.seat is None else moment.seat != BLACK


def flipped_moment(moment: Moment, *, white_at_bottom: bool) -> Moment:
    """Return the same moment, seen from the other side of the board. ``white_at_bottom`` describes the board before the flip."""
    return replace(moment, seat=BLACK if white_at_bottom else WHITE)


def lichess_link(position: ChessPosition, translate: Translator, *, white_at_bottom: bool) -> str:
    side = "" if white_at_bottom else "?color=black"
    rules = position.variant or "standard"
    fen = quote(position.fen.replace(" ", "_"), safe="/_-+")
    return f"[{translate('Analysis board on lichess')}](<https://lichess.org/analysis/{rules}/{fen}{side}>)"


def moment_to_analyze(found: FoundDocument) -> Moment:
    """Return the moment that is shown first. If the game has ended by then, return the moment one turn earlier."""
    moment = nearest_moment(first_moment(found), found.chess_document)
    if moment.turn and position_of_moment(found.chess_document, moment).is_over:
        return replace(moment, turn=moment.turn - 1)
    return moment


def position_of_moment(document: ChessDocument, moment: Moment) -> ChessPosition:
    moment = nearest_moment(moment, document)
    match document:
        case ChessPosition():
            return document
        case ChessGame():
            return document.position_at(moment.turn)
        case PuzzleSet():
            return document.puzzles[moment.turn].position
        case _:
            return document.lines[0].start


def nearest_moment(moment: Moment, document: ChessDocument) -> Moment:
    """Return the nearest moment in the document.

    The turn may be too high: it may be :data:`MAX_TURN`, or an earlier version of Kibitz may have read more turns in the text.
    If a moment of a game has no side, the game determines which side is at the bottom.
    """
    match document:
        case ChessGame():
            last = min(len(document.turns), MAX_TURN)
        case PuzzleSet():
            last = len(document.puzzles) - 1
        case _:
            last = 0
    side = moment.seat if moment.seat in (WHITE, BLACK) else None
    if side is None and isinstance(document, ChessGame) and document.is_black_at_bottom:
        side = BLACK
    return replace(moment, turn=min(moment.turn, last), seat=side)
