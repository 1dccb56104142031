"""Parses and writes JSON documents. ``docs/json.md`` explains each member."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any, NamedTuple

from bot.domain.reading.notation import Span
from bot.domain.reading.problems import (
    ParseError,
    Phrase,
    TextPiece,
    Value,
    Warnings,
    location,
    require_max_length,
)

MAX_LENGTH = 2_000_000

MAX_STRING_LENGTH = 20_000

MAX_MEMBER_WARNINGS = 10
"""Maximum number of warnings about unknown members of an object, and about repeated names in a text."""

MAX_SEARCHED_LENGTH = 100_000
"""Text length up to which warnings have a location. In longer text, they point to the start, because finding
locations takes too long."""

Path = tuple[str | int, ...]
"""The names and indexes that lead from the root to a value."""

_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a JSON text, and its path."""

    value: Any
    path: Path
    text: str
    warnings: Warnings

    @property
    def location(self) -> tuple[int, int]:
        return location(self.text, _offset_of(self.text, self.path))

    def error(self, code: str, template: str, **values: object) -> ParseError:
        """Return an error about this value. ``{where}`` in the template stands for the value's path."""
        return ParseError(code, template, self.location, where=self.where, **values)

    @property
    def where(self) -> str:
        """The path as text: ``turns[3].play``."""
        parts = (f"[{part}]" if isinstance(part, int) else f".{part[:40]}" for part in self.path)
        return "".join(parts).removeprefix(".") or Phrase("the document")

    def warn(self, code: str, template: str, **values: object) -> None:
        if not self.warnings.is_full:  # finding the location is slow
            offset = _offset_of(self.text, self.path) if len(self.text) <= MAX_SEARCHED_LENGTH else 0
            self.warnings.add(code, template, offset, where=self.where, **values)

    def require_type(self, kind: type[Value], template: Phrase) -> Value:
        """Return the value, or raise :class:`ParseError` if it is not a ``kind``. A boolean is not a number."""
        if type(self.value) is not kind:
            raise self.error("json-type", template)
        return self.value

    def members(self, *known_names: str) -> dict[str, Node]:
        """Return the known members of an object, except null ones. Warn about unknown members."""
        value = self.require_type(dict, Phrase("{where} is not an object"))
        unknown_names = (name for name in value if name not in known_names)
        for name in islice(unknown_names, MAX_MEMBER_WARNINGS):
            Node(None, (*self.path, name), self.text, self.warnings).warn(
                "unknown-member", "{where} is unknown; ignored"
            )
        return self.members_present(known_names)

    def members_present(self, names: Iterable[str]) -> dict[str, Node]:
        """Return the members with these names, except null ones."""
        return {
            name: Node(self.value[name], (*self.path, name), self.text, self.warnings)
            for name in names
            if self.value.get(name) is not None
        }

    def require(self, members: dict[str, Node], name: str) -> Node:
        if name not in members:
            raise self.error("json-missing", "{name!r} is missing from {where}", name=name)
        return members[name]

    def items(self, limit: int) -> Iterator[Node]:
        values = self.require_type(list, Phrase("{where} is not a list"))
        if len(values) > limit:
            raise self.error(
                "json-too-many",
                "{where} has {count} items; at most {limit} are allowed",
                count=len(values),
                limit=limit,
            )
        for index, value in enumerate(values):
            yield Node(value, (*self.path, index), self.text, self.warnings)

    def string(self, limit: int = MAX_STRING_LENGTH) -> str:
        value = self.require_type(str, Phrase("{where} is not a string"))
        if len(value) > limit or _SURROGATE.search(value):
            raise self.error(
                "json-type", "{where} is longer than {limit} characters or not valid text", limit=limit
            )
        return value

    def integer(self, low: int, high: int) -> int:
        value = self.value
        if type(value) is not int or not low <= value <= high:
            raise self.error(
                "json-range" if type(value) is int else "json-type",
                "{where} is not a whole number from {low} to {high}"
                if low < high
                else "{where} is not {low}, the only number allowed",
                low=low,
                high=high,
            )
        return value

    def choice(self, *choices: str) -> str:
        if self.value not in choices:
            raise self.error("json-type", "{where} is not one of {choices}", choices=", ".join(choices))
        return str(self.value)


def parse(text: str, warnings: Warnings) -> Node:
    """Parse JSON text.

    Raises:
        ParseError: the text is too long, nested too deeply, or not JSON.

    """
    require_max_length(text, MAX_LENGTH)
    repeated_names: dict[str, None] = {}

    def collect_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        value_by_name = dict(pairs)
        if len(value_by_name) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            repeated_names.update(dict.fromkeys(name for name, count in counts.items() if count > 1))
        return value_by_name

    try:
        value = json.loads(
            text,
            parse_int=_bounded_integer,
            parse_constant=lambda _: math.nan,
            object_pairs_hook=collect_members,
        )
    except json.JSONDecodeError as error:
        raise ParseError(
            "json-syntax",
            "this is not JSON: {reason}",
            (error.lineno, error.colno),
            reason=error.msg,
        ) from None
    except RecursionError:
        raise _depth_error(text) from None
    for name in islice(repeated_names, MAX_MEMBER_WARNINGS):
        offset = max(0, text.rfind(json.dumps(name, ensure_ascii=False)))
        warnings.add("repeated-member", "{name} is given twice; the later one counts", offset, name=name[:40])
    return Node(value, (), text, warnings)


def _bounded_integer(digits: str) -> int | float:
    # No number in a document needs more than 15 digits, and int() takes seconds to read a million digits.
    return int(digits) if len(digits) <= 15 else math.inf


def _depth_error(text: str) -> ParseError:
    depth = max_depth = offset = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += 1 if match[0] in "[{" else -1 if match[0] in "]}" else 0
        if depth > max_depth:
            max_depth, offset = depth, match.start()
    return TextPiece("", offset, text).parse_error("json-depth", "lists and objects are nested too deeply")


def _offset_of(text: str, path: Path) -> int:
    """Return the offset of the value at a path. The text must be valid JSON."""
    offset = _skip_space(text, 0)
    for part in path:
        offset = _offset_of_member(text, offset, part)
    return offset


def _offset_of_member(text: str, offset: int, part: str | int) -> int:
    """Return the offset of a member of the list or object at ``offset``. If a name is repeated, the last one counts."""
    decoder = json.JSONDecoder(parse_int=_bounded_integer)
    member_offset = offset
    index = 0
    offset = _skip_space(text, offset + 1)
    while offset < len(text) and text[offset] not in "]}":
        name: str | int = index
        if isinstance(part, str):
            name, offset = decoder.raw_decode(text, offset)
            offset = _skip_space(text, _skip_space(text, offset) + 1)
        if name == part:
            member_offset = offset
            if isinstance(part, int):
                return member_offset
        _, offset = decoder.raw_decode(text, offset)
        offset = _skip_space(text, offset)
        if text[offset : offset + 1] == ",":
            offset = _skip_space(text, offset + 1)
        index += 1
    return member_offset


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


FORMAT = "kibitz"
VERSION = 1

Members = dict[str, object]

_MAX_WIDTH = 110
_START = re.compile(r'\{\s{0,40}"format"\s{0,4}:\s{0,4}"kibitz"')
_QUOTE_MARK = re.compile(r"^> ", re.MULTILINE)
_LOOKS_LIKE_DOCUMENT = re.compile(r'[\ufeff\s]*\{.{0,4000}"format"\s*:\s*"kibitz"', re.DOTALL)
MAX_BROKEN_DOCUMENTS = 4
"""Bounds the search, because each broken document may require a scan of the remaining text."""


HEADER_NAMES = ("format", "version", "kind")


def kind_of(root: Node, *kinds: str) -> str:
    """Return the kind of a Kibitz document.

    Raises:
        ParseError: the JSON is not a Kibitz document, its version is too new, or its kind is not one of
            ``kinds``.

    """
    members = root.members_present(HEADER_NAMES) if isinstance(root.value, dict) else {}
    if "format" not in members or members["format"].value != FORMAT:
        raise root.error(
            "json-format",
            "this JSON is not a Kibitz document: its format is not {format!r}",
            format=FORMAT,
        )
    version = root.require(members, "version")
    if version.integer(1, 10**9) > VERSION:
        raise version.error(
            "json-version",
            "version {version} is newer than {known}, the latest that this version of Kibitz can read",
            version=version.value,
            known=VERSION,
        )
    return root.require(members, "kind").choice(*kinds)


def write_document(kind: str, members: Members) -> str:
    return _format_value({"format": FORMAT, "version": VERSION, "kind": kind} | members, "") + "\n"


def _format_value(value: object, indent: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _MAX_WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {_format_value(item, inner)}"
            for name, item in value.items()
        ]
        return "{\n" + inner + f",\n{inner}".join(items) + f"\n{indent}}}"
    return "[\n" + inner + f",\n{inner}".join(_format_value(item, inner) for item in value) + f"\n{indent}]"


class Codec(NamedTuple):
    """Reads and writes a member of a document. Both functions also take a context, such as the rules."""

    read: Callable[[Node, Any], Any]
    write: Callable[[Any, Any], object] = lambda value, _: value or None
    """Returns None to leave the member out."""
    attribute: str = ""
    """Name of the Python attribute, if it differs from the member's name."""


Codecs = dict[str, Codec]
"""The members of an object, in the order in which they are written."""


def number(low: int, high: int) -> Codec:
    """Return a codec for whole numbers. A 0 is written."""
    return Codec(lambda node, _: node.integer(low, high), lambda value, _: value)


def count(high: int) -> Codec:
    """Return a codec for whole numbers from 0 to ``high``. A 0 is left out."""
    return Codec(lambda node, _: node.integer(0, high))


def string(limit: int = MAX_STRING_LENGTH) -> Codec:
    return Codec(lambda node, _: node.string(limit))


def keep_empty(codec: Codec, empty: object = "") -> Codec:
    """Return a copy of ``codec`` that writes an empty value as ``empty`` instead of leaving it out."""
    return codec._replace(write=lambda value, context: codec.write(value, context) or empty)


def choice(kind: type[Enum]) -> Codec:
    return Codec(
        lambda node, _: kind(node.choice(*(member.value for member in kind))), lambda value, _: value.value
    )


def list_codec(codec: Codec, limit: int) -> Codec:
    """Return a codec for lists of at most ``limit`` items. An empty list is left out."""
    return Codec(
        lambda node, context: tuple(codec.read(item, context) for item in node.items(limit)),
        lambda values, context: [codec.write(value, context) for value in values] or None,
    )


def pairs(limit: int, max_length: int) -> Codec:
    """Return a codec for lists of at most ``limit`` pairs of a name and a value."""

    def read(node: Node, _: object) -> tuple[str, ...]:
        pair = tuple(item.string(max_length) for item in node.items(2))
        if len(pair) != 2:
            raise node.error("json-type", "{where} is not a pair of a name and a value")
        return pair

    return list_codec(Codec(read, lambda pair, _: list(pair)), limit)


def reject_empty(items: Codec, code: str, template: Phrase) -> Codec:
    """Return a copy of ``items`` that rejects empty lists."""

    def read(node: Node, context: Any) -> object:  # noqa: ANN401 - each codec has its own type of context
        values = items.read(node, context)
        if not values:
            raise node.error(code, template)
        return values

    return items._replace(read=read)


FLAG = Codec(lambda node, _: node.require_type(bool, Phrase("{where} is not true or false")))
"""A boolean. False is left out."""


def record(make: Callable[..., object], required: str = "", /, **codecs: Codec) -> Codec:
    """Return a codec for JSON objects. ``make`` builds a value from the members.

    ``required`` lists the names of required members, separated by spaces.
    """

    def read(node: Node, context: Any) -> object:  # noqa: ANN401 - each codec has its own type of context
        return make(**read_members(node, node.members(*codecs), codecs, required, lambda _: context))

    return Codec(read, lambda value, context: value and write_members(value, codecs, context))


def read_members(
    node: Node,
    members: dict[str, Node],
    codecs: Codecs,
    required: str,
    make_context: Callable[[dict[str, Any]], object],
) -> dict[str, Any]:
    """Read the given members in the order of their codecs, and return the values by Python attribute.

    The context of each codec is ``make_context(values)``, with the values read so far.

    Raises:
        ParseError: a value does not follow the schema, or a required member is missing.

    """
    for name in required.split():
        node.require(members, name)
    values: dict[str, Any] = {}
    for name, codec in codecs.items():
        if name in members:
            values[codec.attribute or name] = codec.read(members[name], make_context(values))
    return values


def write_members(value: object, codecs: Codecs, context: object) -> Members:
    written_values = (
        (name, codec.write(getattr(value, codec.attribute or name), context))
        for name, codec in codecs.items()
    )
    return {name: item for name, item in written_values if item is not None}


def find(text: str) -> Iterator[Span]:
    text = _QUOTE_MARK.sub("  ", text)  # JSON strings contain no line breaks, so this changes no string
    decoder = json.JSONDecoder()
    offset = broken_count = 0
    while match := _START.search(text, offset):
        if broken_count == MAX_BROKEN_DOCUMENTS:
            yield match.start(), match.start(), "json"
            return
        try:
            _, offset = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            offset = match.end()
            broken_count += 1
        else:
            yield match.start(), offset, "json"


def sniff(text: str) -> bool:
    return _LOOKS_LIKE_DOCUMENT.match(text) is not None
