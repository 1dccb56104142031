"""Crossword games as a kind: their notations, and how those are found."""

from __future__ import annotations

from bot.domain.crossword.convert import Document, convert
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.notations.cgp import span as cgp_span
from bot.domain.crossword.notations.gcg import span as gcg_span
from bot.domain.crossword.notations.turn_url import span as turn_url_span
from bot.domain.crossword.position import Position
from bot.domain.reading.detection import Finder, Meant
from bot.domain.reading.kind import Kind, Notation
from bot.domain.reading.problems import Phrase, Reading

FINDERS: tuple[Finder, ...] = (
    ("", gcg.find),
    ("gid=", turn_url.find),
    ("\n", board_text.find),
    ("/", cgp.find),
    ("~", cgp_ascii.find),
)
"""How each notation is found, in order of precedence where two overlap."""


MEANT: tuple[tuple[str, Meant], ...] = (
    ("gcg", gcg_span.is_meant),
    ("turn-url", turn_url_span.is_meant),
    ("cgp", cgp_span.is_meant),
)
"""How a whole text is known that means to be a notation, in order of precedence."""

NEARLY: tuple[Finder, ...] = (
    (">", gcg_span.find_nearly),
    ("=", turn_url_span.find_nearly),
    ("/", cgp_span.find_nearly),
)
"""How each notation is found where it is clearly meant, in order of precedence."""


def _read_turn_url(text: str) -> Reading[Game]:
    """Read a link and play its game through as onlookers can; warnings of both are kept."""
    link = turn_url.read(text)
    played = turn_url.seen_by_all(link.value)
    return Reading(played.value.game, link.warnings + played.warnings, link.error or played.error)


CROSSWORD: Kind[Document] = Kind(
    "crossword",
    (Position, Game),
    (
        Notation("cgp", "CGP", "cgp", cgp.read),
        Notation("gcg", "GCG", "gcg", gcg.read),
        Notation("turn-url", "Turn URL", "txt", _read_turn_url),
        Notation("text", Phrase("Text"), "txt", board_text.read),
        Notation("json", "JSON", "json", json_document.read),
        Notation("cgp-ascii", Phrase("CGP (ASCII draft)"), "txt", cgp_ascii.read),
    ),
    FINDERS,
    MEANT,
    NEARLY,
    convert,
    {Position: frozenset(("gcg", "turn-url"))},
    Phrase("this is a crossword game, and {notation} is for chess"),
)
