"""Synchronizes the message catalogues with the messages in the code: ``python -m training.catalogues``.

It adds new messages in ``bot`` to the ``kibitz.po`` of each language, and removes unused messages. It also writes the template
``kibitz.pot`` and the ``kibitz.mo`` files that the bot reads. Messages have no source locations, so moving a file does not
change a catalogue.
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

from bot.text import CATALOGUE_NAME, LANGUAGES

PACKAGE = Path(__file__).parents[1] / "bot"
LOCALE_FOLDER = PACKAGE / "text" / "locale"

_ERROR_CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_CALLS_WITH_TEMPLATE_FIRST = frozenset({"translate", "_translate", "Phrase", "locale_str"})
_UNTRANSLATED_PATHS = ("bot/demo/", "bot/cli/", "bot/__main__.py", "bot/observe/")
"""Paths with messages that are not translated: samples, the command line, and messages for the person who hosts the bot."""
_FIXED_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Keeps catalogues from changing on every run."""


def extract_templates(package: Path = PACKAGE) -> dict[str, str | None]:
    """Return the English template of every message to translate, with the plural template, if any."""
    templates: dict[str, str | None] = {}
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package.parent).as_posix().startswith(_UNTRANSLATED_PATHS):
            continue
        for singular, plural in _templates(ast.parse(path.read_text(encoding="utf-8"))):
            templates[singular] = plural or templates.get(singular)
    return templates


def _templates(tree: ast.Module) -> Iterator[tuple[str, str | None]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _templates_in_call(node)
        elif isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "template" for target in node.targets
        ):
            yield from ((text, None) for text in _literals(node.value))


def _templates_in_call(call: ast.Call) -> Iterator[tuple[str, str | None]]:
    """Yield the templates in a call, with their plural templates.

    These calls contain templates:

    1. ``translate(template)``, ``self._translate(template)``, ``Phrase(template)`` and ``locale_str(template)``.
    2. ``translate.plural(singular, plural, number)``.
    3. Constructors of errors and warnings: a code, followed by the template.
    """
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in _CALLS_WITH_TEMPLATE_FIRST and call.args:
        yield from ((text, None) for text in _literals(call.args[0]))
    elif name == "plural" and len(call.args) >= 3:
        singular, plural = _literals(call.args[0]), _literals(call.args[1])
        if singular and plural:
            yield singular[0], plural[0]
    else:
        for code, template in zip(call.args, call.args[1:], strict=False):
            if any(map(_ERROR_CODE.fullmatch, _literals(code))):
                yield from ((text, None) for text in _literals(template) if " " in text)


def _literals(node: ast.expr) -> list[str]:
    if isinstance(node, ast.IfExp):
        return _literals(node.body) + _literals(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return []


def template_catalogue() -> Catalog:
    catalogue = _empty_catalogue(None)
    for singular, plural in extract_templates().items():
        catalogue.add(singular if plural is None else (singular, plural))
    return catalogue


def _empty_catalogue(language: str | None) -> Catalog:
    return Catalog(
        locale=language,
        domain=CATALOGUE_NAME,
        project="Kibitz",
        charset="utf-8",
        fuzzy=False,
        header_comment="# Kibitz's user-facing text. Licence: GPL-3.0-or-later, like Kibitz itself.",
        creation_date=_FIXED_DATE,
        revision_date=_FIXED_DATE,
    )


def catalogue_path(language: str) -> Path:
    return LOCALE_FOLDER / language / "LC_MESSAGES" / f"{CATALOGUE_NAME}.po"


def read_catalogue(language: str) -> Catalog:
    path = catalogue_path(language)
    if not path.is_file():
        return _empty_catalogue(language)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=CATALOGUE_NAME)


def updated_catalogue(old_catalogue: Catalog, template: Catalog, language: str) -> Catalog:
    new_catalogue = _empty_catalogue(language)
    for message in template:
        if message.id:
            old_message = old_catalogue.get(message.id)
            is_same_kind = old_message is not None and old_message.pluralizable == message.pluralizable
            new_catalogue.add(
                message.id, old_message.string if old_message and is_same_kind else None, flags=message.flags
            )
    return new_catalogue


def to_po(catalogue: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalogue, width=110, no_location=True, sort_output=True)
    return file.getvalue()


def to_mo(catalogue: Catalog) -> bytes:
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def main() -> int:
    template = template_catalogue()
    LOCALE_FOLDER.mkdir(exist_ok=True)
    (LOCALE_FOLDER / f"{CATALOGUE_NAME}.pot").write_bytes(to_po(template))
    for language in sorted(LANGUAGES.keys() - {"en"}):
        catalogue = updated_catalogue(read_catalogue(language), template, language)
        path = catalogue_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_po(catalogue))
        path.with_suffix(".mo").write_bytes(to_mo(catalogue))
        missing_count = sum(not all(_texts(message.string)) for message in catalogue if message.id)
        print(f"{language}: {len(catalogue)} messages, {missing_count} to translate")
    return 0


def _texts(string: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return (string or "",) if string is None or isinstance(string, str) else tuple(string)


if __name__ == "__main__":
    sys.exit(main())
