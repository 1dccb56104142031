"""How crossword positions and games are found in free text, for the detection over all notations."""

from __future__ import annotations

from bot.domain.crossword.notations.board_text import span as board_text_span
from bot.domain.crossword.notations.cgp import span as cgp_span
from bot.domain.crossword.notations.cgp_ascii import span as cgp_ascii_span
from bot.domain.crossword.notations.gcg import span as gcg_span
from bot.domain.crossword.notations.json_document import span as json_span
from bot.domain.crossword.notations.turn_url import span as turn_url_span
from bot.domain.reading.detection import Finder, Meant

FINDERS: tuple[tuple[str, Finder], ...] = (
    ("json", json_span.find),
    ("gcg", gcg_span.find),
    ("turn-url", turn_url_span.find),
    ("text", board_text_span.find),
    ("cgp", cgp_span.find),
    ("cgp-ascii", cgp_ascii_span.find),
)
"""How each notation is found, in order of precedence where two overlap."""


MEANT: tuple[tuple[str, Meant], ...] = (
    ("json", json_span.is_meant),
    ("gcg", gcg_span.is_meant),
    ("turn-url", turn_url_span.is_meant),
    ("cgp", cgp_span.is_meant),
)
"""How a whole text is known that means to be a notation, in order of precedence."""
