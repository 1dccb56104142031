"""Numbers as the reader of a language writes them: ``−1,234.5``, ``−1.234,5``, ``−1 234,5``; always with the true minus."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.numbers import format_decimal

MINUS: Final = "−"
_SPEC: Final = re.compile(r"(?P<plus>\+)?(?P<group>,)?(?:\.(?P<digits>[0-9])f|d)?")
_OTHERWISE: Final = "en"


def written(value: float, spec: str, locale: str) -> str:
    """Write a number by a format such as ``+d``, ``.1f`` or ``,``, as Python has them, in a language.

    Raises:
        ValueError: the format is another one.

    """
    form = _SPEC.fullmatch(spec)
    if form is None:
        raise ValueError(f"numbers are not written as {spec!r}")
    digits = int(form["digits"] or 0)
    # Python's rounding, so that a figure is the same in every language.
    exact = Decimal(f"{value:.{digits}f}") if form["digits"] else Decimal(str(value))
    below = exact < 0
    sign = MINUS if below else "+" if form["plus"] else ""
    pattern = ("#,##0" if form["group"] else "0") + (f".{'0' * digits}" if digits else "")
    if not form["digits"] and exact != exact.to_integral_value():
        pattern += ".######"
    return sign + format_decimal(abs(exact), format=pattern, locale=_locale(locale))


@lru_cache(maxsize=64)
def _locale(name: str) -> Locale:
    for tried in (name.replace("-", "_"), name.partition("-")[0]):
        try:
            return Locale.parse(tried)
        except (UnknownLocaleError, ValueError):
            continue
    return Locale.parse(_OTHERWISE)


class Number:
    """A number on its way into a sentence: its place there says how it is written, its language with which signs."""

    __slots__ = ("_locale", "_value")

    def __init__(self, value: float, locale: str) -> None:
        self._value = value
        self._locale = locale

    def __format__(self, spec: str) -> str:
        return written(self._value, spec, self._locale)

    def __str__(self) -> str:
        return written(self._value, "", self._locale)

    def __repr__(self) -> str:
        return str(self)
