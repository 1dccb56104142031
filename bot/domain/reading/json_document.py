"""What JSON documents of both games have in common: their head, how they are found and written. See ``docs/json.md``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from bot.domain.reading.detection import Span
from bot.domain.reading.json_node import Node

FORMAT = "kibitz"
VERSION = 1

Members = dict[str, object]

_MAX_WIDTH = 110
_START = re.compile(r'\{\s{0,40}"format"\s{0,4}:\s{0,4}"kibitz"')
_QUOTED = re.compile(r"^> ", re.MULTILINE)
_MEANT = re.compile(r'[\ufeff\s]*\{.{0,4000}"format"\s*:\s*"kibitz"', re.DOTALL)
MAX_BROKEN = 4
"""Starts that are followed in vain; a hostile text can hold one start in another."""


def kind_of(root: Node, members: dict[str, Node], *kinds: str) -> str:
    """Return which of the kinds a document of ours is.

    Raises:
        ParseError: it is none of ours, of a later version, or of another kind.

    """
    if "format" not in members or members["format"].value != FORMAT:
        raise root.fail(
            "json-format",
            "this JSON is not a document of Kibitz: it lacks the format {format!r}",
            format=FORMAT,
        )
    version = root.require(members, "version")
    if version.integer(1, 10**9) > VERSION:
        raise version.fail(
            "json-version",
            "version {version} is newer than {known}, the last one known here",
            version=version.value,
            known=VERSION,
        )
    return root.require(members, "kind").choice(*kinds)


def lay_out(kind: str, members: Members) -> str:
    """Write a document of a kind with its own members."""
    return _laid_out({"format": FORMAT, "version": VERSION, "kind": kind} | members, "") + "\n"


def _laid_out(value: object, indent: str) -> str:
    """Write a value on one line if it fits, else each member on its own."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _MAX_WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {_laid_out(item, inner)}"
            for name, item in value.items()
        ]
        return "{\n" + inner + f",\n{inner}".join(items) + f"\n{indent}}}"
    return "[\n" + inner + f",\n{inner}".join(_laid_out(item, inner) for item in value) + f"\n{indent}]"


def find(text: str) -> Iterator[Span]:
    """Yield each document in a text, from left to right; see :data:`MAX_BROKEN`."""
    if "\n> " in text:
        # Blanks in the place of the marks: no text of JSON goes over the end of a line.
        text = _QUOTED.sub("  ", text)
    decoder = json.JSONDecoder()
    position = broken = 0
    while match := _START.search(text, position):
        if broken == MAX_BROKEN:
            yield match.start(), match.start(), "json"
            return
        try:
            _, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
            broken += 1
        else:
            yield match.start(), position, "json"


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be such a document, though it cannot be followed to its end."""
    return _MEANT.match(text) is not None
