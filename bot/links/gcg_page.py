"""GCG texts of sites: what they leave out of a game, and the link that was opened tells."""

from __future__ import annotations

import re
from typing import Final

_ID: Final = re.compile(r"^#id(?![\w-])[^\r\n]*", re.MULTILINE | re.IGNORECASE)
_ENCODING: Final = re.compile(r"\A\ufeff?[ \t]{0,20}#character-encoding[^\r\n]*\r?\n?", re.IGNORECASE)
_BEGINNING: Final = re.compile(r"\ufeff?\s{0,20}[#>]")


def is_gcg(text: str) -> bool:
    """Tell a GCG from a page about something else: it begins with a pragma or a turn."""
    return _BEGINNING.match(text) is not None


def with_id(text: str, authority: str, game_id: str) -> str:
    """Return a GCG with an id, that of the link, whatever other it gives."""
    line = f"#id {authority} {game_id}"
    given = _ID.search(text)
    if given is None:
        return _begun(text, line)
    return text[: given.start()] + line + text[given.end() :]


def with_lexicon(text: str, lexicon: str) -> str:
    """Return a GCG that names no lexicon with one."""
    return _begun(text, f"#lexicon {lexicon}")


def _begun(text: str, line: str) -> str:
    """Return a GCG with one more line at its beginning, below that of the encoding."""
    first = _ENCODING.match(text)
    at = first.end() if first is not None else 0
    return f"{text[:at]}{line}\n{text[at:]}"
