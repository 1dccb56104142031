"""Chess documents as JSON, for programs. ``docs/json.md`` explains each member.

>>> from bot.domain.chess.position import START
>>> document = write(START)
>>> read(document).value == START
True
>>> list(find(document)) == [(0, len(document) - 1, "json")]
True
"""

from bot.domain.chess.notations.json_document.reader import is_chess, read
from bot.domain.chess.notations.json_document.writer import write
from bot.domain.reading.json_document import find

__all__ = [
    "find",
    "is_chess",
    "read",
    "write",
]
