"""Chess documents as JSON, for programs. ``docs/json.md`` tells what each member means."""

from bot.domain.chess.notations.json_document.document import is_chess, read, write

__all__ = [
    "is_chess",
    "read",
    "write",
]
