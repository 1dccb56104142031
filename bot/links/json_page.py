"""JSON pages taken apart with care: whatever is not there, or is of another type, is one error."""

from __future__ import annotations

import json
import math

from bot.links.values import LinkError

_MISSING = object()


def parse(page: bytes) -> object:
    """Return the value of a JSON page.

    Raises:
        LinkError: it is none.

    """
    try:
        return json.loads(page)
    except (ValueError, RecursionError):
        raise _odd() from None


def member(value: object, name: str, default: object = _MISSING) -> object:
    """Return a member of an object; the default where it is missing, as members are that have their usual value."""
    if not isinstance(value, dict):
        raise _odd()
    found = value.get(name, default)
    if found is None and default is not _MISSING:
        return default
    if found is _MISSING:
        raise _odd()
    return found


def listed(value: object) -> list[object]:
    """Return a list."""
    if not isinstance(value, list):
        raise _odd()
    return value


def text(value: object) -> str:
    """Return a text, without halves of surrogate pairs."""
    if not isinstance(value, str):
        raise _odd()
    return value.encode("utf-8", "replace").decode()


def number(value: object) -> float:
    """Return a finite number; large ones are texts in this JSON."""
    try:
        found = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise _odd()
    return found


def _odd() -> LinkError:
    return LinkError("link-odd", "the site gave something else than a game")
