"""Numbers as the reader of a language writes them: ``−1,234.5``, ``−1.234,5``, ``−1 234,5``; always with the true minus."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

MINUS: Final = "−"
_SPEC: Final = re.compile(r"(?P<plus>\+)?(?P<group>,)?(?:\.(?P<digits>[0-9])f|d)?")
_SEPARATORS: Final = {
    locale: str.maketrans(",.", separators)
    for locale, separators in {
        "de": ".,",
        "es": ".,",
        "es-419": ",.",
        "fr": "\u202f,",
        "pl": "\xa0,",
    }.items()
}
"""How a language separates groups of digits and the decimals, after Unicode's CLDR; the others write as English does."""


def written(value: float, spec: str, locale: str) -> str:
    """Write a number by a format such as ``+d``, ``.1f`` or ``,``, as Python has them, in a language.

    Raises:
        ValueError: the format is another one.

    """
    form = _SPEC.fullmatch(spec)
    if form is None:
        raise ValueError(f"numbers are not written as {spec!r}")
    if form["digits"]:
        text = f"{value:,.{form['digits']}f}"
    else:
        text = f"{Decimal(str(value)):,.6f}".rstrip("0").removesuffix(".")
    digits = text.lstrip("-")
    # What rounds to zero has no minus.
    below = digits != text and digits.strip("0.,")
    sign = MINUS if below else "+" if form["plus"] else ""
    locale = locale.replace("_", "-")
    separators = _SEPARATORS.get(locale) or _SEPARATORS.get(locale.partition("-")[0], {})
    return sign + (digits if form["group"] else digits.replace(",", "")).translate(separators)


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

    __repr__ = __str__
