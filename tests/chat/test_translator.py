"""The names and descriptions of commands are translated into the bot's languages."""

from __future__ import annotations

import gettext

import pytest
from discord import Locale

from bot.chat import client
from bot.chat.client import commands_payload
from bot.domain.notations import NOTATIONS
from bot.domain.reading.problems import Phrase
from bot.text import LANGUAGES as LANGUAGE_NAMES, Translator
from tests.positions import MAVEN

from .actions import control, post, press_copy

LANGUAGES = [locale for locale in Locale if locale.value.split("-")[0] in ("en", "es", "fr", "de", "pl")]


class Catalogue(gettext.NullTranslations):
    def __init__(self, sentences):
        super().__init__()
        self.sentences = sentences

    def gettext(self, message):
        return self.sentences.get(message, message)


@pytest.fixture
def german(monkeypatch):
    """Translate a few names and a description into German. The name of ``convert`` is invalid, and the description is too long."""
    sentences = {
        "Show position": "Stellung zeigen",
        "show": "zeigen",
        "convert": "Um Wandeln",
        "The notation you want": "Die gewünschte Notation " + "x" * 100,
        "me": "ich",
    }
    monkeypatch.setattr(
        client,
        "translator",
        lambda locale: Translator(locale, Catalogue(sentences if locale == "de" else {})),
    )


async def uploaded_commands(world):
    """Return the commands as uploaded to Discord."""
    return await commands_payload(world.bot.tree)


async def test_names_of_commands_options_and_menus_are_translated(world, german):
    commands = {command["name"]: command for command in await uploaded_commands(world)}
    assert commands["show"]["name_localizations"] == {"de": "zeigen"}
    assert commands["Show position"]["name_localizations"] == {"de": "Stellung zeigen"}
    [me] = [option for option in commands["settings"]["options"] if option["name"] == "me"]
    assert me["name_localizations"] == {"de": "ich"}


async def test_notation_names_are_translated(world, monkeypatch):
    sentences = {"Text": "Brett als Text", "CGP (ASCII draft)": "CGP (ASCII-Entwurf)"}
    german = Translator("de", Catalogue(sentences))
    monkeypatch.setattr(client, "translator", lambda locale: german)
    commands = {command["name"]: command for command in await uploaded_commands(world)}
    [to] = [option for option in commands["convert"]["options"] if option["name"] == "to"]
    names = {choice["value"]: choice.get("name_localizations") or {} for choice in to["choices"]}
    assert names["text"]["de"] == "Brett als Text"
    assert names["cgp"] == {}
    monkeypatch.setattr("bot.chat.preferences.translator", lambda locale: german)
    [reply] = await post(world, MAVEN)
    menu = control(await press_copy(world.alice, reply), "more")
    labels = {option["value"]: option["label"] for option in menu["options"]}
    assert labels["to:cgp-ascii"] == "CGP (ASCII-Entwurf)"
    assert labels["to:cgp"] == "CGP"


async def test_invalid_command_names_are_omitted_and_long_descriptions_are_cut(world, german, caplog):
    commands = {command["name"]: command for command in await uploaded_commands(world)}
    assert commands["convert"]["name_localizations"] == {}
    assert "'Um Wandeln' can't be a command's name in de" in caplog.text
    [to] = [option for option in commands["convert"]["options"] if option["name"] == "to"]
    assert len(to["description_localizations"]["de"]) == 100


async def test_option_names_differ_in_every_language(world, caplog):
    def check_options(node):
        options = node.get("options", [])
        for language in LANGUAGES:
            names = [
                (item.get("name_localizations") or {}).get(language.value, item["name"]) for item in options
            ]
            assert len(set(names)) == len(names), f"{node['name']} in {language.value}: {names}"
        for option in options:
            check_options(option)

    for command in await uploaded_commands(world):
        check_options(command)
    assert "can't be a command's name" not in caplog.text


async def test_every_text_of_a_command_can_be_translated(world):
    """The extraction misses plain strings that are not marked for translation."""
    from training.catalogues import extract_templates  # noqa: PLC0415 - only this test needs Babel

    translatable = {*extract_templates()} | set(LANGUAGE_NAMES.values())
    translatable |= {
        notation.label for notation in NOTATIONS.values() if not isinstance(notation.label, Phrase)
    }

    def texts_in(node):
        yield node["name"]
        if node.get("description"):
            yield node["description"]
        for option in node.get("options", []):
            yield from texts_in(option)
            yield from (choice["name"] for choice in option.get("choices", []))

    displayed = {text for command in await uploaded_commands(world) for text in texts_in(command)}
    assert displayed - translatable == set()
