"""Sentences in the reader's language.

Every sentence is written in English where it is used, with ``{named}`` places; catalogues (gettext, one folder a
language under ``locale/``) translate the template before its places are filled.
"""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from functools import cache
from importlib import resources

from bot.domain.errors import DomainError, ReadWarning

DOMAIN = "kibitz"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says sentences in one language."""

    locale: str
    catalogue: gettext.NullTranslations

    def __call__(self, template: str, /, **values: object) -> str:
        """Say a sentence."""
        return self.catalogue.gettext(template).format(**values)

    def count(self, one: str, many: str, number: int, /, **values: object) -> str:
        """Say a sentence that depends on a number, which is also its ``{number}``."""
        return self.catalogue.ngettext(one, many, number).format(number=number, **values)

    def problem(self, problem: DomainError | ReadWarning) -> str:
        """Say what is wrong with a text or a play, without its place."""
        values = problem.values if isinstance(problem.values, dict) else dict(problem.values)
        return self(problem.template, **values)


@cache
def speaker(locale: str) -> Speaker:
    """Return who speaks a language (``en-US``, ``de``); English when there is no catalogue for it."""
    folder = resources.files("bot.text") / "locale"
    languages = [locale.replace("-", "_"), locale.split("-", maxsplit=1)[0]]
    return Speaker(locale, gettext.translation(DOMAIN, str(folder), languages, fallback=True))
