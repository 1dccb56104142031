"""Every notation Kibitz knows, crossword and chess: how it is called, recognized, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

import bot.domain.chess.convert
import bot.domain.crossword.convert
from bot.domain.chess import detect as chess_detect
from bot.domain.chess import documents as chess_documents
from bot.domain.chess.documents import ChessDocument
from bot.domain.chess.notations import book as book_reader
from bot.domain.chess.notations import fen, pgn, uci
from bot.domain.chess.notations import json_document as chess_json
from bot.domain.chess.notations import puzzles as puzzle_reader
from bot.domain.chess.notations.fen import epd
from bot.domain.crossword import detect as crossword_detect
from bot.domain.crossword.convert import Document as CrosswordDocument
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.position import Position
from bot.domain.reading import detection
from bot.domain.reading.conversion import Conversion
from bot.domain.reading.detection import Detection
from bot.domain.reading.problems import ConversionError, Phrase, Reading

__all__ = [
    "NOTATIONS",
    "ChessDocument",
    "Conversion",
    "CrosswordDocument",
    "Document",
    "Notation",
    "convert",
    "detect",
    "final_position",
    "is_chess",
    "offered",
    "whole_text",
]

Document: TypeAlias = CrosswordDocument | ChessDocument


@dataclass(frozen=True, slots=True)
class Notation:
    """One notation. :func:`detect` recognizes it in free text, :func:`convert` writes it."""

    name: str
    """The name in commands and in stored documents."""
    label: str
    """The name for people; one that is no :class:`Phrase` is the same in every language."""
    suffix: str
    """The ending of a file in this notation, without the dot."""
    read: Callable[[str], Reading[Document]]
    """Reads one text; raises ``DomainError``."""


def is_chess(document: Document) -> TypeGuard[ChessDocument]:
    """Tell chess from crossword games."""
    return not isinstance(document, Position | Game)


def final_position(document: CrosswordDocument) -> Position:
    """Return a position itself, of a game the position after its last turn."""
    return document if isinstance(document, Position) else document.position_at(len(document.turns))


def _read_turn_url(text: str) -> Reading[Game]:
    """Read a link and play its game through as onlookers can; what both forgave is told."""
    link = turn_url.read(text)
    played = turn_url.seen_by_all(link.value)
    return Reading(played.value.game, link.warnings + played.warnings, link.error or played.error)


def _read_json(text: str) -> Reading[Document]:
    return chess_json.read(text) if chess_json.is_chess(text) else json_document.read(text)


NOTATIONS: dict[str, Notation] = {
    notation.name: notation
    for notation in (
        Notation("cgp", "CGP", "cgp", cgp.read),
        Notation("gcg", "GCG", "gcg", gcg.read),
        Notation("turn-url", "Turn URL", "txt", _read_turn_url),
        Notation("text", Phrase("Text"), "txt", board_text.read),
        Notation("json", "JSON", "json", _read_json),
        Notation("cgp-ascii", Phrase("CGP (ASCII draft)"), "txt", cgp_ascii.read),
        Notation("fen", "FEN", "fen", fen.read),
        Notation("epd", "EPD", "epd", epd.read),
        Notation("pgn", "PGN", "pgn", pgn.read),
        Notation("uci", "UCI", "txt", uci.read),
        Notation("puzzles", Phrase("TI-Chess puzzles"), "txt", puzzle_reader.read),
        Notation("book", Phrase("TI-Chess opening book"), "txt", book_reader.read),
    )
}

_JSON, _CROSSWORD = crossword_detect.FINDERS[:1], crossword_detect.FINDERS[1:]
# A CGP is whatever has some slashes, to who asks; chess is asked about first.
_MEANT = crossword_detect.MEANT[:1] + chess_detect.MEANT + crossword_detect.MEANT[1:]


def detect(text: str) -> tuple[Detection, ...]:
    """Return what looks like any notation in a text, in the order it stands there."""
    return detection.detect(text, _JSON + chess_detect.finders(text) + _CROSSWORD)


def whole_text(text: str) -> Detection | None:
    """Return the text as one detection when it is meant as a notation, though it is not recognized as one."""
    return detection.whole_text(text, _MEANT)


def offered(document: Document) -> tuple[str, ...]:
    """Return the notations that a document may be told in: those of its kind of game."""
    return tuple(
        name
        for name in NOTATIONS
        if name in (chess_documents.NAMES if is_chess(document) else bot.domain.crossword.convert.NOTATIONS)
    )


def convert(document: Document, to: str, *, turn: int | None = None) -> Conversion:
    """Tell a document in another notation; of a game, as it stands after so many turns (all when None).

    Raises:
        ConversionError: the notation cannot tell it at all, or the game has fewer turns.

    """
    if to in NOTATIONS and to not in offered(document):
        raise ConversionError(
            "other-game",
            "this is chess, and {notation} is for crossword games"
            if is_chess(document)
            else "this is a crossword game, and {notation} is for chess",
            notation=NOTATIONS[to].label,
        )
    if isinstance(document, Position | Game):
        return bot.domain.crossword.convert.convert(document, to, turn=turn)
    return bot.domain.chess.convert.convert(document, to, turn=turn)
