"""Sentences in the reader's language.

Every sentence is written in English where it is used, as a literal template with ``{named}`` fields. The gettext catalogues
in ``locale/`` translate the template before its fields are filled in. In a source checkout, ``training.catalogues``
synchronizes the catalogues with the code.

Numbers follow the conventions of the language (``−1,234.5``, ``−1.234,5``, ``−1 234,5``), always with a real minus sign.
"""

from __future__ import annotations

import gettext
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from importlib import resources
from typing import Final, NamedTuple

from bot.domain.reading.problems import DomainError, Phrase, ReadWarning

CATALOGUE_NAME = "kibitz"

LANGUAGES = {"en": "English", "es": "Español", "fr": "Français", "de": "Deutsch", "pl": "Polski"}
MINUS: Final = "−"
_FORMAT_SPEC: Final = re.compile(r"(?P<plus>\+)?(?P<group>,)?(?:\.(?P<decimals>[0-9])f|d)?")
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
"""Replacements for the English group and decimal separators, by locale, from Unicode's CLDR."""


class Number(NamedTuple):
    """A number in a sentence. The template sets the format, and the language sets the separators."""

    value: float
    locale: str

    def __format__(self, spec: str) -> str:
        """Write the number in a Python format such as ``+d``, ``.1f`` or ``,``. Other formats raise :exc:`ValueError`."""
        match = _FORMAT_SPEC.fullmatch(spec)
        if match is None:
            raise ValueError(f"unsupported format {spec!r}")
        if match["decimals"]:
            text = f"{self.value:,.{match['decimals']}f}"
        else:
            text = f"{Decimal(str(self.value)):,.6f}".rstrip("0").removesuffix(".")
        digits = text.lstrip("-")
        # A number that rounds to zero has no minus sign.
        is_negative = digits != text and digits.strip("0.,")
        sign = MINUS if is_negative else "+" if match["plus"] else ""
        locale = self.locale.replace("_", "-")
        separators = _SEPARATORS.get(locale) or _SEPARATORS.get(locale.partition("-")[0], {})
        return sign + (digits if match["group"] else digits.replace(",", "")).translate(separators)


@dataclass(frozen=True)
class Translator:
    """Writes sentences in one language."""

    locale: str
    catalogue: gettext.NullTranslations

    def __call__(self, template: str, /, **values: object) -> str:
        """Translate a template, and fill in its fields."""
        return self.catalogue.gettext(template).format(**self._translate_fields(values))

    def plural(self, singular: str, plural: str, number: int, /, **values: object) -> str:
        """Translate the singular or plural template that fits ``number``, and fill in its fields, including ``{number}``."""
        values["number"] = number
        return self.catalogue.ngettext(singular, plural, number).format(**self._translate_fields(values))

    def number(self, value: float, spec: str = "d") -> str:
        """Write a number in a format such as ``+d`` or ``.1f``."""
        return format(Number(value, self._number_locale), spec)

    def name(self, name: str) -> str:
        """Translate a name if it is a :class:`Phrase`; other names are the same in every language."""
        return self(name) if isinstance(name, Phrase) else name

    def problem(self, problem: DomainError | ReadWarning) -> str:
        """Describe a problem with a text or a play, without its line and column."""
        return self(problem.template, **dict(problem.values))

    def _translate_fields(self, values: dict[str, object]) -> dict[str, object]:
        for name, value in values.items():
            if isinstance(value, Phrase):
                values[name] = self.catalogue.gettext(value)
            elif type(value) in {int, float}:  # not bool, which is a subclass
                values[name] = Number(value, self._number_locale)  # type: ignore[arg-type]
        return values

    @cached_property
    def _number_locale(self) -> str:
        return self.locale if self.catalogue.info() or self.locale.startswith("en") else "en"


@cache
def translator(locale: str) -> Translator:
    """Return the translator of a locale, such as ``en-US`` or ``de``. A locale without a catalogue gets English sentences."""
    folder = resources.files("bot.text") / "locale"
    languages = [locale.replace("-", "_"), locale.split("-", maxsplit=1)[0]]
    return Translator(locale, gettext.translation(CATALOGUE_NAME, str(folder), languages, fallback=True))
