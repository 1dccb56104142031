"""How chess documents are found in free text, for the detection over all notations."""

from __future__ import annotations

from bot.domain.chess.notations import uci
from bot.domain.chess.notations.fen import span as fen_span
from bot.domain.chess.notations.pgn import span as movetext_span
from bot.domain.chess.notations.puzzles import span as puzzle_span
from bot.domain.reading.detection import Finder, Meant


def finders(text: str) -> tuple[tuple[str, Finder], ...]:
    """Return how each notation is found in a text, in order of precedence: puzzles, books and games hold FENs.

    Only those come back that can find anything in it, which in ordinary chat are none.
    """
    found: list[tuple[str, Finder]] = []
    if "[" in text:
        found.append(("puzzles", puzzle_span.find))
    if "1." in text or "1 ." in text or '"' in text:
        movetext = movetext_span.Movetext(text)  # books and games are told apart when all of it is known
        found += [("book", movetext.books), ("pgn", movetext.games)]
    if text.count("/") >= fen_span.SLASHES:
        found += [("epd", fen_span.find_epd), ("fen", fen_span.find)]
    return tuple(found)


MEANT: tuple[tuple[str, Meant], ...] = (
    ("puzzles", puzzle_span.is_meant),
    ("book", movetext_span.is_meant_book),
    ("pgn", movetext_span.is_meant),
    ("fen", fen_span.is_meant),
    ("uci", uci.is_meant),
)
"""How a whole text is known that means to be one, though it is not recognized."""
