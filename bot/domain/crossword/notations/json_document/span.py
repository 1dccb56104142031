"""Where a JSON document of Kibitz starts and ends in free text: its first member tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_START = re.compile(r'\{\s{0,40}"format"\s{0,4}:\s{0,4}"kibitz"')
_QUOTED = re.compile(r"^> ", re.MULTILINE)
_MEANT = re.compile(r'[\ufeff\s]*\{.{0,4000}"format"\s*:\s*"kibitz"', re.DOTALL)
MAX_BROKEN = 4
"""Starts that are followed in vain; a hostile text can hold one start in another."""


def find(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each document in a text, from left to right."""
    if '"kibitz"' not in text:
        return
    if "\n> " in text:
        # Blanks in the place of the marks: no text of JSON goes over the end of a line.
        text = _QUOTED.sub("  ", text)
    decoder = json.JSONDecoder()
    position = broken = 0
    while broken < MAX_BROKEN and (match := _START.search(text, position)):
        try:
            _, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
            broken += 1
        else:
            yield match.start(), position


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be such a document, though it cannot be followed to its end."""
    return _MEANT.match(text) is not None
