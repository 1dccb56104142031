"""The message catalogues contain exactly the sentences that the bot uses, in every language."""

import re
import textwrap
from string import Formatter

import pytest

from bot.domain.reading.problems import ParseError, Phrase
from bot.text import LANGUAGES, translator
from training.catalogues import (
    LOCALE_FOLDER,
    catalogue_path,
    extract_templates,
    read_catalogue,
    template_catalogue,
    to_mo,
    to_po,
    updated_catalogue,
)

TRANSLATIONS = sorted(LANGUAGES.keys() - {"en"})
HINT = "run python -m training.catalogues, then translate the new sentences"


@pytest.fixture(scope="module")
def template():
    return template_catalogue()


def strings(message):
    return list(message.string) if message.pluralizable else [message.string]


def fields(text):
    return sorted((name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text) if name)


def test_sentences_are_found_in_all_call_forms(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "module.py").write_text(
        textwrap.dedent(
            """
            translate("plain {x}", x=1)
            translate("one" if fine else "other")
            translate.plural("{number} turn", "{number} turns", 3)
            raise ParseError("a-code", "an error with {value}", value=1)
            node.error("a-code", "joined " "over two strings")
            self._translate("said by the object")
            LATER = {"key": Phrase("said later")}
            template = "named so" if fine else "named otherwise"
            text.count("not a sentence of ours")
            log.info("nor is", "this one")
            """
        )
    )
    assert extract_templates(package) == {
        "plain {x}": None,
        "one": None,
        "other": None,
        "{number} turn": "{number} turns",
        "an error with {value}": None,
        "joined over two strings": None,
        "said by the object": None,
        "said later": None,
        "named so": None,
        "named otherwise": None,
    }


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_the_catalogue_contains_exactly_the_sentences_in_use(language, template):
    ids = {message.id for message in template}
    assert {message.id for message in read_catalogue(language)} == ids, HINT


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_sentence_is_translated_with_all_its_fields(language):
    catalogue = read_catalogue(language)
    assert len(catalogue) > 200
    for message in catalogue:
        if not message.id:
            continue
        originals = message.id if message.pluralizable else (message.id,)
        assert all(strings(message)), f"{originals[0]!r} is not translated: {HINT}"
        assert not message.fuzzy, originals[0]
        if message.pluralizable:
            assert len(message.string) == catalogue.num_plurals
        expected_fields = [fields(original) for original in originals]
        for text in strings(message):
            assert fields(text) in expected_fields, (originals[0], text)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_keep_markdown_and_line_breaks(language):
    """A missing asterisk would make half of a reply bold."""
    for message in read_catalogue(language):
        if message.id:
            original = str(message.id[0] if message.pluralizable else message.id)
            for text in strings(message):
                for mark in ("**", "`", "\n"):
                    assert text.count(mark) == original.count(mark), (original, text)
                assert not re.search(r"\s$", text) or re.search(r"\s$", original), text


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_mo_files_are_compiled_from_po_files(language, template):
    path = catalogue_path(language)
    catalogue = read_catalogue(language)
    assert path.with_suffix(".mo").read_bytes() == to_mo(catalogue), HINT
    assert path.read_bytes() == to_po(updated_catalogue(catalogue, template, language)), HINT


def test_the_template_matches_the_code(template):
    assert (LOCALE_FOLDER / "kibitz.pot").read_bytes() == to_po(template), HINT


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_sentences_are_written_in_the_readers_language(language):
    english, translate = translator("en-GB"), translator(language)
    error = ParseError(
        "cgp-row-width",
        "row {row} should have {columns} squares, but has {width}",
        row=3,
        width=16,
        columns=15,
    )
    assert translate.problem(error) != english.problem(error)
    assert "16" in translate.problem(error)
    plural_forms = {
        translate.plural("{number} tile unseen", "{number} tiles unseen", number).replace(str(number), "")
        for number in (1, 2, 5)
    }
    assert len(plural_forms) == (3 if language == "pl" else 2)
    assert translate("Not included: {losses}.", losses=Phrase("the lexicon")) != english(
        "Not included: {losses}.", losses="the lexicon"
    )


@pytest.mark.parametrize(
    ("locale", "language"), [("es-419", "es"), ("pt-BR", "en"), ("de", "de"), ("", "en"), ("xx_YY", "en")]
)
def test_a_discord_locale_gets_its_language_or_english(locale, language):
    sentence = "The game is over."
    assert translator(locale)(sentence) == translator(language)(sentence)
