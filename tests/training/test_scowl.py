"""SCOWL80 can be rebuilt from Debian's ``scowl`` package."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.builder import build_word_graph, kwg_bytes, words_of
from bot.engine.lexicon.installed import BUILT_IN_FOLDER
from bot.engine.lexicon.lexica import Lexica
from bot.engine.lexicon.spelling import speller
from tests.domain.shared import SHARED, needs_corpus
from training import scowl

PACKAGE = Path("/usr/share/dict/scowl")
needs_package = pytest.mark.skipif(not PACKAGE.is_dir(), reason="Debian's scowl package is not installed")
ENGLISH = load_distribution("english")


@pytest.fixture(scope="module")
def lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find(scowl.NAME))


def test_words_are_chosen_by_the_rules():
    source_words = ["cat", "Paris", "can't", "aïoli", "kb", "shh", "qi", "oui", "a", "rhythm", "m" * 16, ""]
    words = scowl.choose_words(source_words, ["SHH", "VON", "ABANDON", "B" * 16])
    assert words == tuple(sorted({"CAT", "AIOLI", "SHH", "QI", "RHYTHM", "ABANDON"} | scowl.SUPPLEMENT))


def test_well_known_words_are_in_the_lexicon_and_left_out_words_are_not(lexicon):
    spell = speller(ENGLISH).spell
    for word in "QI ZA KI TE DA FE PO BLOG EMAIL BLOGS QIS ZAS OK EW AIOLI SELFIE HMM ZZZ".split():  # noqa: SIM905
        assert lexicon.graph.accepts(spell(word)), word
    for word in ("KB", "LM", "FS", *scowl.LEFT_OUT):
        assert not lexicon.graph.accepts(spell(word)), word


def test_the_word_list_ships_with_the_notice_of_scowl():
    notice = (BUILT_IN_FOLDER / "SCOWL80.copyright").read_text(encoding="utf-8")
    assert "Copyright 2000-2011 by Kevin Atkinson" in notice
    if (installed := Path("/usr/share/doc/scowl/copyright")).exists():
        assert notice == installed.read_text(encoding="utf-8")


@pytest.mark.slow
@needs_package
def test_the_lexicon_has_exactly_the_words_chosen_from_the_package(lexicon):
    spell = speller(ENGLISH).spell
    words = scowl.choose_words(scowl.read_scowl_words(PACKAGE), scowl.read_crosswd_words())
    assert list(words_of(lexicon.graph)) == [spell(word) for word in words]


@pytest.mark.long
@needs_package
def test_the_graph_is_rebuilt_byte_for_byte(capsys):
    assert scowl.main([str(PACKAGE)]) == 0
    spell = speller(ENGLISH).spell
    graph_bytes = kwg_bytes(build_word_graph([spell(word) for word in capsys.readouterr().out.split()]))
    properties = json.loads((BUILT_IN_FOLDER / "SCOWL80.json").read_bytes())
    assert hashlib.sha256(graph_bytes).hexdigest() == properties["digest"]


def test_a_folder_without_word_lists_is_reported(tmp_path, capsys):
    assert scowl.main([str(tmp_path)]) == 1
    assert "contains no SCOWL word lists" in capsys.readouterr().err
    assert scowl.main([]) == 2


@pytest.mark.slow
@needs_corpus
def test_scowl_has_nearly_all_words_of_enable1(lexicon):
    text = (SHARED / "lexica" / "enable1.txt").read_text(encoding="ascii")
    spell = speller(ENGLISH).spell
    other = [spell(word) for word in text.split() if len(word) <= scowl.MAX_LENGTH]
    assert sum(map(lexicon.graph.accepts, other)) / len(other) > 0.999
