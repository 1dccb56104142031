"""Positions and games as JSON: everything they hold, for programs. ``docs/json.md`` tells what each member means."""

from bot.domain.crossword.notations.json_document.document import read, write
from bot.domain.reading.json_document import find

__all__ = [
    "find",
    "read",
    "write",
]
