"""Where a text is clearly meant as a PGN, readable or not: it begins with tags that only games have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.domain.chess.notations.pgn.span import TAGS
from bot.domain.reading.detection import Span
from bot.domain.reading.nearly import is_mostly

_TAG = re.compile(r"^\[([A-Z][A-Za-z]{2,20})[^\S\r\n]{1,4}\"[^\r\n]{0,255}+$", re.MULTILINE)
_MOVES = re.compile(r"^[^\S\r\n]{0,4}1[^\S\r\n]?\.", re.MULTILINE)

_PROVING: Final = 3
"""Tags that prove a game, where moves follow."""


def find(text: str) -> Iterator[Span]:
    """Yield the part of a text that is clearly meant as a game: from its first tag to the end."""
    if "1" not in text:
        return
    tags = list(_TAG.finditer(text))
    right = sum(tag[1] in TAGS for tag in tags)
    if right >= _PROVING and is_mostly(right, len(tags)) and _MOVES.search(text, tags[-1].end()):
        yield tags[0].start(), len(text), "pgn"
