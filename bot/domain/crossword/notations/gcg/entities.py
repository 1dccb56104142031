"""HTML entities, which the notes and the description of a GCG may hold: ``&lt;3`` for ``<3``."""

from __future__ import annotations

import re
from html.entities import html5

_ENTITY = re.compile(
    r"&(?:#(?P<decimal>[0-9]{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[A-Za-z][A-Za-z0-9]{1,31}));"
)


def read_entities(text: str) -> str:
    """Return a text with the signs that its entities stand for; what is no entity stays."""
    return _ENTITY.sub(lambda match: _sign(match) or match[0], text) if "&" in text else text


def write_entities(text: str) -> str:
    """Return a text that reads back to the same: an ampersand that would start an entity is written as one."""
    return _ENTITY.sub(lambda match: f"&amp;{match[0][1:]}" if _sign(match) else match[0], text)


def _sign(match: re.Match[str]) -> str:
    """Return what an entity stands for, or an empty text: nothing that people can see, or a line's end."""
    if match["name"]:
        return html5.get(f"{match['name']};", "")
    number = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    sign = chr(number) if number <= 0x10FFFF else ""
    return sign if sign.isprintable() or sign == "\n" else ""
