"""Sentences in the reader's language.

Every sentence is written in English where it is used, as a literal template with ``{named}`` places; catalogues
(gettext, one folder a language under ``locale/``) translate the template before its places are filled.
``training.catalogues`` in a checkout keeps them in step with the code.

Numbers are written as readers of the language write them: ``−1,234.5``, ``−1.234,5``, ``−1 234,5``; always with the true
minus.
"""

from __future__ import annotations

import gettext
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Final

from bot.domain.reading.problems import DomainError, Phrase, ReadWarning

DOMAIN = "kibitz"

LANGUAGES = {"en": "English", "es": "Español", "fr": "Français", "de": "Deutsch", "pl": "Polski"}
"""The languages Kibitz speaks, by their codes, each in its own words."""

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


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says sentences in one language."""

    locale: str
    catalogue: gettext.NullTranslations

    def __call__(self, template: str, /, **values: object) -> str:
        """Say a sentence."""
        return self.catalogue.gettext(template).format(**self._translate(values))

    def count(self, one: str, many: str, number: int, /, **values: object) -> str:
        """Say a sentence that depends on a number, which is also its ``{number}``."""
        values["number"] = number
        return self.catalogue.ngettext(one, many, number).format(**self._translate(values))

    def number(self, value: float, spec: str = "d") -> str:
        """Write a number for the reader, by a format such as ``+d`` or ``.1f``."""
        return written(value, spec, self._language)

    def name(self, name: str) -> str:
        """Translate a name; one that is no :class:`Phrase` is the same in every language."""
        return self(name) if isinstance(name, Phrase) else name

    def _translate(self, values: dict[str, object]) -> dict[str, object]:
        """Translate the values that are pieces of sentences, and the signs of those that are numbers."""
        return {name: self._value(value) for name, value in values.items()}

    def _value(self, value: object) -> object:
        if isinstance(value, Phrase):
            return self.catalogue.gettext(value)
        # Whether something is so is no number, though Python counts with it.
        return Number(value, self._language) if type(value) in {int, float} else value  # type: ignore[arg-type]

    @property
    def _language(self) -> str:
        """The language of the sentences, with its country: English where there is no catalogue."""
        return self.locale if self.catalogue.info() or self.locale.startswith("en") else "en"

    def problem(self, problem: DomainError | ReadWarning) -> str:
        """Describe the fault in a text or a play, without its place."""
        values = problem.values if isinstance(problem.values, dict) else dict(problem.values)
        return self(problem.template, **values)


@cache
def speaker(locale: str) -> Speaker:
    """Return the speaker of a language (``en-US``, ``de``); of English when there is no catalogue for it."""
    folder = resources.files("bot.text") / "locale"
    languages = [locale.replace("-", "_"), locale.split("-", maxsplit=1)[0]]
    return Speaker(locale, gettext.translation(DOMAIN, str(folder), languages, fallback=True))
