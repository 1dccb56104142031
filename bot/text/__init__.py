"""Sentences in the reader's language.

Every sentence is written in English where it is used, as a literal template with ``{named}`` places; catalogues
(gettext, one folder a language under ``locale/``) translate the template before its places are filled.
:mod:`bot.text.catalogues` keeps them in step with the code.
"""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from functools import cache
from importlib import resources

from bot.domain.reading.problems import DomainError, Phrase, ReadWarning

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
        return self.catalogue.ngettext(one, many, number).format(number=number, **self._translate(values))

    def name(self, name: str) -> str:
        """Translate a name; one that is no :class:`Phrase` is the same in every language."""
        return self(name) if isinstance(name, Phrase) else name

    def _translate(self, values: dict[str, object]) -> dict[str, object]:
        """Translate the values that are pieces of sentences."""
        return {
            name: self.catalogue.gettext(value) if isinstance(value, Phrase) else value
            for name, value in values.items()
        }

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
