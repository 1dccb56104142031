"""Writes plain values as JSON, and reads them back with strict type checks.

Dataclasses, named tuples and msgspec structs become objects; fields with ``compare=False`` are left out. Other tuples become arrays. An
enumeration member becomes its value. A value whose type is a union of several classes becomes an array: the name of its class, and the value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import NoneType, UnionType
from typing import Any, Final, Generic, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
Converter: TypeAlias = Callable[[Any, bool], Any]
"""Converts a value to JSON or, if the second argument is True, JSON to a value."""

ENCODING_VERSION: Final = 1
"""The version of the encoding itself. If an encoded type changes, the program's version changes instead."""

MAX_LENGTH: Final = 8_000_000
"""Maximum length of the JSON. A deep review of a long game takes about 200,000 characters."""

_INFINITIES: Final = {"inf": math.inf, "-inf": -math.inf}
"""Strings for infinite numbers, which JSON does not have."""


class CodecError(ValueError):
    """The text cannot be read as a value of the codec's type, or a value is too long to write."""


class Codec(Generic[Value]):
    """Writes and reads the values of one type. ``converters`` maps types to custom converters."""

    def __init__(
        self,
        type_: Any,  # noqa: ANN401 - a type or a union of types
        converters: Mapping[Any, Converter] | None = None,
    ) -> None:
        self._type = type_
        self._converters: dict[Any, Converter] = dict(converters or {})

    def write(self, value: Value) -> str:
        """Return a value as JSON.

        Raises:
            CodecError: the JSON is too long.

        """
        text = json.dumps(
            [ENCODING_VERSION, self._converter(value, False)],  # noqa: FBT003 - see Converter
            separators=(",", ":"),
            allow_nan=False,
        )
        if len(text) > MAX_LENGTH:
            raise CodecError(f"the value has {len(text)} characters, more than {MAX_LENGTH}")
        return text

    def read(self, text: str) -> Value:
        """Return the value that JSON text represents.

        Raises:
            CodecError: the text is not valid JSON for this type.

        """
        if len(text) > MAX_LENGTH:
            raise CodecError(f"the text has {len(text)} characters, more than {MAX_LENGTH}")
        try:
            version, node = _require_array(json.loads(text), 2)
            require(type(version) is int and version == ENCODING_VERSION)
            value: Value = self._converter(node, True)  # noqa: FBT003 - see Converter
        except (LookupError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise CodecError(
                f"the text can't be decoded as the expected type ({type(error).__name__})"
            ) from error
        return value

    @cached_property
    def _converter(self) -> Converter:
        return self._converter_of(self._type)

    def _converter_of(self, type_: Any) -> Converter:  # noqa: ANN401 - as above
        """Return a type's converter. For a recursive type, a temporary converter looks up the finished converter."""
        if type_ not in self._converters:
            self._converters[type_] = lambda value, is_reading: self._converters[type_](value, is_reading)  # noqa: PLW0108 - looked up when called
            self._converters[type_] = self._new_converter(type_)
        return self._converters[type_]

    def _new_converter(self, type_: Any) -> Converter:  # noqa: ANN401 - as above
        origin, parts = get_origin(type_), get_args(type_)
        if origin in {Union, UnionType}:
            return self._union_converter(parts)
        if origin is tuple:
            return self._tuple_converter(parts)
        if isinstance(type_, type) and issubclass(type_, Enum):
            return lambda value, is_reading: type_(value) if is_reading else value.value
        if isinstance(type_, type) and (is_dataclass(type_) or _field_names(type_)):
            return self._class_converter(type_)
        if type_ is float:
            return _convert_float
        if type_ in {int, str, bool, NoneType, None}:
            return _plain_converter(NoneType if type_ is None else type_)
        raise TypeError(f"{type_!r} can't be converted to JSON")

    def _class_converter(self, type_: type) -> Converter:
        hints = get_type_hints(type_)
        # Skip fields with compare=False, whose types may have no converter.
        converters = {
            name: self._converter_of(hints[name])
            for name in _field_names(type_)
            or [field.name for field in fields(type_) if field.init and field.compare]
        }

        def convert(value: Any, is_reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
            if not is_reading:
                return {
                    name: converter(getattr(value, name), is_reading)
                    for name, converter in converters.items()
                }
            require(isinstance(value, dict) and value.keys() == converters.keys())
            return type_(
                **{name: converter(value[name], is_reading) for name, converter in converters.items()}
            )

        return convert

    def _tuple_converter(self, parts: tuple[Any, ...]) -> Converter:
        item_converter = self._converter_of(parts[0]) if parts[1:] == (...,) else None
        converters = [] if item_converter else [self._converter_of(part) for part in parts]

        def convert(value: Any, is_reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
            values = _require_array(value) if is_reading else value
            if item_converter:
                items = [item_converter(item, is_reading) for item in values]
            else:
                items = [
                    converter(item, is_reading) for converter, item in zip(converters, values, strict=True)
                ]
            return tuple(items) if is_reading else items

        return convert

    def _union_converter(self, parts: tuple[Any, ...]) -> Converter:
        converters = {part.__name__: self._converter_of(part) for part in parts if part is not NoneType}
        is_optional = NoneType in parts
        only_converter = next(iter(converters.values())) if len(converters) == 1 else None

        def convert(value: Any, is_reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
            if value is None and is_optional:
                return None
            if only_converter:
                return only_converter(value, is_reading)
            name, member = _require_array(value, 2) if is_reading else (type(value).__name__, value)
            require(isinstance(name, str) and name in converters)
            return (
                converters[name](member, is_reading)
                if is_reading
                else [name, converters[name](member, is_reading)]
            )

        return convert


def require(condition: object) -> None:
    if not condition:
        raise CodecError("this is not a value of the expected type")


def _field_names(type_: type) -> tuple[str, ...]:
    """Return the field names of a named tuple or a msgspec struct, or an empty tuple."""
    return getattr(type_, "_fields", ()) or getattr(type_, "__struct_fields__", ())


def _require_array(node: Any, length: int | None = None) -> list[Any]:  # noqa: ANN401 - parsed JSON
    require(isinstance(node, list) and length in {None, len(node)})
    return node  # type: ignore[no-any-return]  # just checked


def _plain_converter(type_: type) -> Converter:
    def convert(value: Any, is_reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
        if is_reading:
            require(type(value) is type_)
        # The engine's numbers may have NumPy types.
        return value if is_reading or value is None else type_(value)

    return convert


def _convert_float(value: Any, is_reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
    if not is_reading:
        return ("inf" if value > 0 else "-inf") if math.isinf(value) else float(value)
    if isinstance(value, str):
        return _INFINITIES[value]
    require(type(value) is float and math.isfinite(value))
    return value
