"""Bring the message catalogues in step with the sentences in the code.

``python -m training.catalogues`` finds every sentence in ``bot``, writes the template ``bot/text/locale/kibitz.pot``, adds
new sentences to each language's ``kibitz.po`` (untranslated), removes those no longer in the code, and compiles the
``kibitz.mo`` files that the bot reads. Sentences are sorted alphabetically, without their locations in the source, so
moving a file does not change a catalogue.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from bot.text import DOMAIN, LANGUAGES

PACKAGE = Path(__file__).parents[1] / "bot"
LOCALE = PACKAGE / "text" / "locale"

_CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_FIRST = frozenset({"say", "Phrase", "locale_str"})
_UNSPOKEN = ("bot/demo/", "bot/cli/", "bot/__main__.py", "bot/observe/")
"""English alone: the people in the demo, the command line, and what the operator sees."""
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
"""The date in every catalogue: a new date would change the files in every run."""


def extract(package: Path = PACKAGE) -> dict[str, str | None]:
    """Return every sentence said in a package: its English template, and the plural one where it depends on a number."""
    found: dict[str, str | None] = {}
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package.parent).as_posix().startswith(_UNSPOKEN):
            continue
        for singular, plural in _sentences(ast.parse(path.read_text(encoding="utf-8"))):
            found[singular] = plural or found.get(singular)
    return found


def _sentences(tree: ast.Module) -> Iterator[tuple[str, str | None]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _sentences_in(node)
        elif isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "template" for target in node.targets
        ):
            yield from ((text, None) for text in _literals(node.value))


def _sentences_in(call: ast.Call) -> Iterator[tuple[str, str | None]]:
    """Yield the sentences that a call says.

    1. ``say(template)``, and what is marked for being said later: ``Phrase(…)``, ``locale_str(…)``.
    2. ``say.count(singular, plural, number)``.
    3. An error, a warning or something that makes one: a code and, right after it, the template.
    """
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in _FIRST and call.args:
        yield from ((text, None) for text in _literals(call.args[0]))
    elif name == "count" and len(call.args) >= 3:
        singular, plural = _literals(call.args[0]), _literals(call.args[1])
        if singular and plural:
            yield singular[0], plural[0]
    else:
        for code, template in zip(call.args, call.args[1:], strict=False):
            if any(map(_CODE.fullmatch, _literals(code))):
                yield from ((text, None) for text in _literals(template) if " " in text)


def _literals(node: ast.expr) -> list[str]:
    """Return the text of a literal; both texts of a choice between literals."""
    if isinstance(node, ast.IfExp):
        return _literals(node.body) + _literals(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return []


def template_catalogue() -> Catalog:
    """Return the catalogue of all sentences, none translated."""
    catalogue = _empty(None)
    for singular, plural in extract().items():
        catalogue.add(singular if plural is None else (singular, plural))
    return catalogue


def _empty(language: str | None) -> Catalog:
    return Catalog(
        locale=language,
        domain=DOMAIN,
        project="Kibitz",
        charset="utf-8",
        fuzzy=False,
        header_comment="# Sentences of Kibitz. Licence: GPL-3.0-or-later, like the rest of it.",
        creation_date=_WRITTEN,
        revision_date=_WRITTEN,
    )


def catalogue_path(language: str) -> Path:
    """Return the path of a language's catalogue."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_catalogue(language: str) -> Catalog:
    """Read a language's catalogue; an empty one when there is none yet."""
    path = catalogue_path(language)
    if not path.is_file():
        return _empty(language)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def update_catalogue(old: Catalog, template: Catalog, language: str) -> Catalog:
    """Return a language's catalogue with exactly the template's sentences, translated where the old one was."""
    new = _empty(language)
    for message in template:
        if message.id:
            known = old.get(message.id)
            fits = known is not None and known.pluralizable == message.pluralizable
            new.add(message.id, known.string if known and fits else None, flags=message.flags)
    return new


def text_of(catalogue: Catalog) -> bytes:
    """Return a catalogue as a ``.po`` file."""
    file = io.BytesIO()
    write_po(file, catalogue, width=110, no_location=True, sort_output=True)
    return file.getvalue()


def compile_catalogue(catalogue: Catalog) -> bytes:
    """Return a catalogue as a ``.mo`` file."""
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def main() -> int:
    """Update and compile every catalogue; print how much is still to be translated."""
    template = template_catalogue()
    LOCALE.mkdir(exist_ok=True)
    (LOCALE / f"{DOMAIN}.pot").write_bytes(text_of(template))
    for language in sorted(LANGUAGES.keys() - {"en"}):
        catalogue = update_catalogue(read_catalogue(language), template, language)
        path = catalogue_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text_of(catalogue))
        path.with_suffix(".mo").write_bytes(compile_catalogue(catalogue))
        missing = sum(not all(_strings(message.string)) for message in catalogue if message.id)
        print(f"{language}: {len(catalogue)} sentences, {missing} to translate")
    return 0


def _strings(string: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return (string or "",) if string is None or isinstance(string, str) else tuple(string)


if __name__ == "__main__":
    sys.exit(main())
