"""Chess as a kind of game: its notations, and how each is found in a text."""

from __future__ import annotations

from bot.domain.chess import board_link
from bot.domain.chess.convert import convert
from bot.domain.chess.documents import NAMES, BookSource, ChessDocument, PuzzleSet
from bot.domain.chess.game import ChessGame
from bot.domain.chess.notations import (
    book,
    epd,
    fen,
    fen_in_text,
    json_document,
    pgn,
    pgn_in_text,
    puzzles,
    uci,
)
from bot.domain.chess.position import ChessPosition
from bot.domain.reading.notation import Finder, Kind, Meant, Notation
from bot.domain.reading.problems import Phrase

FINDERS: tuple[Finder, ...] = (
    ("[", puzzles.find),
    ("", pgn_in_text.find),
    ("/", board_link.find),
    ("/", fen_in_text.find),
)
"""How each notation is found, in order of precedence where two overlap: puzzles, books, games and links hold FENs."""

MEANT: tuple[tuple[str, Meant], ...] = (
    ("puzzles", puzzles.is_meant),
    ("book", book.is_meant),
    ("pgn", pgn_in_text.is_meant),
    ("fen", fen_in_text.is_meant),
    ("uci", uci.is_meant),
)
"""How a whole text is known that means to be one, though it is not recognized."""

NEARLY: tuple[Finder, ...] = (('"', pgn_in_text.find_nearly), ("/", fen_in_text.find_nearly))
"""How each notation is found where it is clearly meant, in order of precedence."""

CHESS: Kind[ChessDocument] = Kind(
    "chess",
    (ChessPosition, ChessGame, PuzzleSet, BookSource),
    (
        Notation("fen", NAMES["fen"], "fen", fen.read),
        Notation("epd", NAMES["epd"], "epd", epd.read),
        Notation("pgn", NAMES["pgn"], "pgn", pgn.read),
        Notation("uci", NAMES["uci"], "txt", uci.read),
        Notation("puzzles", NAMES["puzzles"], "txt", puzzles.read),
        Notation("book", NAMES["book"], "txt", book.read),
        Notation("json", NAMES["json"], "json", json_document.read),
    ),
    FINDERS,
    MEANT,
    NEARLY,
    convert,
    {
        ChessPosition: frozenset(("uci", "book", "puzzles")),
        ChessGame: frozenset(("puzzles",)),
        PuzzleSet: frozenset(("pgn", "uci", "book")),
        BookSource: frozenset(("fen", "epd", "uci", "puzzles")),
    },
    Phrase("this is chess, and {notation} is for crossword games"),
)
