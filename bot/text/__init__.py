"""Sentences in the reader's language.

Every sentence is written in English where it is used, as a literal template with ``{named}`` places; catalogues
(gettext, one folder a language under ``locale/``) translate the template before its places are filled.
``training.catalogues`` in a checkout keeps them in step with the code.
"""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from functools import cache
from importlib import resources

from bot.domain.reading.problems import DomainError, Phrase, ReadWarning
from bot.text.numbers import Number, written

DOMAIN = "kibitz"

LANGUAGES = {"en": "English", "es": "Español", "fr": "Français", "de": "Deutsch", "pl": "Polski"}
"""The languages Kibitz speaks, by their codes, each in its own words."""


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
