"""Positions and games as JSON: everything they hold, for programs. ``docs/json.md`` explains each member.

The text is an object with ``format`` ("kibitz"), ``version`` and ``kind`` ("position" or "game"). A tile is its
written form, a blank that stands for a tile has ``?`` before it, and a square without a tile is an empty string.

>>> from bot.domain.crossword.notations import cgp
>>> position = cgp.read("/".join(["15"] * 15)).value
>>> document = write(position)
>>> read(document).value == position
True
>>> list(find(document)) == [(0, len(document) - 1, "json")]
True
"""

from bot.domain.crossword.notations.json_document.reader import read
from bot.domain.crossword.notations.json_document.writer import write
from bot.domain.reading.json_document import find

__all__ = [
    "find",
    "read",
    "write",
]
