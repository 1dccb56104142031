"""Chess as a kind of game: its notations, and how they are found."""

from __future__ import annotations

from bot.domain.chess import board_link
from bot.domain.chess.book import BookSource
from bot.domain.chess.convert import convert
from bot.domain.chess.documents import NAMES, ChessDocument
from bot.domain.chess.game import ChessGame
from bot.domain.chess.notations import book, fen, json_document, pgn, puzzles, uci
from bot.domain.chess.notations.book import span as book_span
from bot.domain.chess.notations.fen import epd
from bot.domain.chess.notations.fen import nearly as nearly_fen
from bot.domain.chess.notations.fen import span as fen_span
from bot.domain.chess.notations.pgn import nearly as nearly_pgn
from bot.domain.chess.notations.pgn import span as movetext_span
from bot.domain.chess.notations.puzzles import span as puzzle_span
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.puzzles import PuzzleSet
from bot.domain.reading.detection import Finder, Meant
from bot.domain.reading.kind import Kind, Notation
from bot.domain.reading.problems import Phrase

FINDERS: tuple[Finder, ...] = (
    ("[", puzzle_span.find),
    ("", movetext_span.find),
    ("/", board_link.find),
    ("/", fen_span.find),
)
"""How each notation is found, in order of precedence where two overlap: puzzles, books, games and links hold FENs."""

MEANT: tuple[tuple[str, Meant], ...] = (
    ("puzzles", puzzle_span.is_meant),
    ("book", book_span.is_meant),
    ("pgn", movetext_span.is_meant),
    ("fen", fen_span.is_meant),
    ("uci", uci.is_meant),
)
"""How a whole text is known that means to be one, though it is not recognized."""

NEARLY: tuple[Finder, ...] = (('"', nearly_pgn.find), ("/", nearly_fen.find))
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
