"""Plain values as JSON and back, by their types: what one process writes another reads strictly, or not at all.

Data classes are objects with all their members, tuples are arrays, enumerations their values. A member of a union of
several classes is an array of the class's name and the value. Members that take no part in comparing are left out.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final, Generic, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
Json: TypeAlias = Any
Pair: TypeAlias = tuple[Callable[[Any], Json], Callable[[Json], Any]]

VERSION: Final = 1
"""The version of how values are written; the types themselves belong to the version of the program."""

MAX_LENGTH: Final = 8_000_000
"""Characters of one value; a deep review of a long game has some 200,000."""


class CodecError(ValueError):
    """A text is not a value of the type that was expected, or a value cannot be written."""


class Codec(Generic[Value]):
    """Writes and reads the values of one type.

    ``names`` are types that annotations name without their modules importing them. ``special`` are types with a form of
    their own: a function that makes JSON of a value, and one that makes a value of that.
    """

    def __init__(
        self,
        kind: Any,  # noqa: ANN401 - a type, a union of types
        names: Mapping[str, object] | None = None,
        special: Mapping[type, Pair] | None = None,
    ) -> None:
        self._kind = kind
        self._names = dict(names or {})
        self._special = dict(special or {})
        self._pairs: dict[Any, Pair] = {}

    def write(self, value: Value) -> str:
        """Write a value.

        Raises:
            CodecError: it is too long.

        """
        text = json.dumps([VERSION, self._pair[0](value)], separators=(",", ":"), allow_nan=False)
        if len(text) > MAX_LENGTH:
            raise CodecError(f"the value has {len(text)} characters, more than {MAX_LENGTH}")
        return text

    def read(self, text: str) -> Value:
        """Read a value.

        Raises:
            CodecError: the text is not what :meth:`write` writes for a value of the type.

        """
        if len(text) > MAX_LENGTH:
            raise CodecError(f"the text has {len(text)} characters, more than {MAX_LENGTH}")
        try:
            value: Value = self._pair[1](_of_our_version(json.loads(text, parse_constant=_no_constant)))
        except CodecError:
            raise
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise CodecError(f"the text is no such value: {type(error).__name__}") from error
        return value

    @cached_property
    def _pair(self) -> Pair:
        return self._pair_of(self._kind)

    def _pair_of(self, kind: Any) -> Pair:  # noqa: ANN401 - as above
        """Return how values of a type are written and read; a type that holds itself is looked up when it is met."""
        if kind in self._pairs:
            return self._pairs[kind]
        self._pairs[kind] = (
            lambda value: self._pairs[kind][0](value),  # noqa: PLW0108 - what is found when it is called
            lambda node: self._pairs[kind][1](node),  # noqa: PLW0108 - as above
        )
        self._pairs[kind] = self._made(kind)
        return self._pairs[kind]

    def _made(self, kind: Any) -> Pair:  # noqa: ANN401 - as above
        kind = types.NoneType if kind is None else kind
        origin, parts = get_origin(kind), get_args(kind)
        if kind in self._special:
            return self._special[kind]
        if kind in _PLAIN:
            return _PLAIN[kind]
        if origin in {Union, types.UnionType}:
            return self._of_union(parts)
        if origin is tuple:
            return self._of_tuple(parts)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return (lambda value: value.value), _enumerated(kind)
        if isinstance(kind, type) and is_dataclass(kind):
            return self._of_class(kind)
        raise TypeError(f"{kind!r} has no form in JSON")

    def _of_class(self, kind: type) -> Pair:
        hints = get_type_hints(kind, localns=self._names)
        # What takes no part in comparing is looked up nowhere: its types may not even be there.
        members = {
            field.name: self._pair_of(hints[field.name])
            for field in fields(kind)
            if field.init and field.compare
        }

        def write(value: object) -> Json:
            return {name: pair[0](getattr(value, name)) for name, pair in members.items()}

        def read(node: Json) -> object:
            if not isinstance(node, dict) or node.keys() != members.keys():
                raise CodecError(f"this is no {kind.__name__}")
            return kind(**{name: pair[1](node[name]) for name, pair in members.items()})

        return write, read

    def _of_tuple(self, parts: tuple[Any, ...]) -> Pair:
        if len(parts) == 2 and parts[1] is Ellipsis:
            write, read = self._pair_of(parts[0])
            return (lambda value: [write(one) for one in value]), (
                lambda node: tuple(read(one) for one in _tuple(node))
            )
        pairs = [self._pair_of(part) for part in parts]
        return (
            lambda value: [pair[0](one) for pair, one in zip(pairs, value, strict=True)],
            lambda node: tuple(
                pair[1](one) for pair, one in zip(pairs, _tuple(node, len(pairs)), strict=True)
            ),
        )

    def _of_union(self, parts: tuple[Any, ...]) -> Pair:
        classes = [part for part in parts if part is not types.NoneType]
        pairs = {part.__name__: self._pair_of(part) for part in classes}
        optional, alone = len(classes) < len(parts), len(classes) == 1
        (first, *_) = pairs.values()

        def write(value: object) -> Json:
            if value is None and optional:
                return None
            return first[0](value) if alone else [type(value).__name__, pairs[type(value).__name__][0](value)]

        def read(node: Json) -> object:
            if node is None and optional:
                return None
            if alone:
                return first[1](node)
            name, held = _tuple(node, 2)
            if not isinstance(name, str) or name not in pairs:
                raise CodecError("this is of no class that was expected")
            return pairs[name][1](held)

        return write, read


def _of_our_version(node: Json) -> Json:
    version, held = _tuple(node, 2)
    if type(version) is not int or version != VERSION:
        raise CodecError(f"the value was not written by version {VERSION}")
    return held


def _tuple(node: Json, length: int | None = None) -> list[Any]:
    if not isinstance(node, list) or (length is not None and len(node) != length):
        raise CodecError("this is no array of the right length")
    return node


def _enumerated(kind: type[Enum]) -> Callable[[Json], Enum]:
    known = {member.value: member for member in kind}

    def read(node: Json) -> Enum:
        if not isinstance(node, str | int) or node not in known:
            raise CodecError(f"this is no {kind.__name__}")
        return known[node]

    return read


def _exactly(kind: type) -> Callable[[Json], Any]:
    def read(node: Json) -> object:
        if type(node) is not kind:
            raise CodecError(f"this is no {kind.__name__}")
        return node

    return read


_NO_NUMBERS: Final = {"inf": math.inf, "-inf": -math.inf}


def _write_float(value: float) -> Json:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def _read_float(node: Json) -> float:
    if type(node) is float:
        return node
    if isinstance(node, str) and node in _NO_NUMBERS:
        return _NO_NUMBERS[node]
    raise CodecError("this is no number")


def _no_constant(name: str) -> Json:
    raise CodecError(f"{name} is no number")


_PLAIN: Final[dict[type, Pair]] = {
    # Numbers of the engine may be numpy's, which are theirs by their value alone.
    int: (int, _exactly(int)),
    float: (_write_float, _read_float),
    str: (str, _exactly(str)),
    bool: (bool, _exactly(bool)),
    types.NoneType: (lambda _: None, _exactly(types.NoneType)),
}
