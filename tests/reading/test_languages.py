"""The lexicon that contains a board's words determines the letter distribution."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.chat.source import Attachment, Source
from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.folder import write_lexicon
from bot.engine.lexicon.installed import BUILT_IN_FOLDER, find_lexica_in
from bot.features.showing.reading import languages as languages_module
from bot.features.showing.reading.documents import read_file
from bot.features.showing.reading.languages import languages

from .german import BOARD, picture_of, write_german


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a German lexicon, and with invalid files that are named like lexica."""
    folder = tmp_path_factory.mktemp("lexica")
    write_german(folder)
    (folder / "Broken.kwg").write_bytes(b"not a lexicon at all")
    (folder / "Empty.kwg").write_bytes(b"")
    return folder


def read_board(board: str, folder=None, opcodes: str = ""):
    [item] = read_file(Attachment("a.png", picture_of(board, opcodes)), Source(""), folder).documents
    return item


def test_the_words_of_a_board_decide_its_language(folder):
    item = read_board(BOARD, folder, " ld german;")
    assert item.text == f"{BOARD} / 0/0 0 ld german;"
    assert {"G8", "I10"} <= set(item.picture_confidence.doubtful_squares), (
        "the user is not asked to check letters with a diacritic"
    )
    without_lexica = read_board(BOARD, None, " ld german;")
    assert "ld" not in without_lexica.text, "a language was chosen, although no lexicon contains the words"
    assert "KASE" in without_lexica.text


def test_a_blank_gets_a_diacritic_if_only_that_makes_a_word(folder):
    board = BOARD.replace("5SCHÖN5", "5SCHON5").replace("5KÄSE6", "5KäSe6")
    item = read_board(board, folder, " ld german;")
    assert item.text.split("/")[7] == "5KäSe6"
    assert "G8" in item.picture_confidence.doubtful_squares
    assert "I8" not in item.picture_confidence.doubtful_squares, (
        "the blank E is doubtful, although German has no E with a diacritic"
    )


def test_english_is_tried_first(folder):
    board = "15/15/15/15/15/15/15/4TEACHER4/15/15/15/15/15/15/15"
    assert read_board(board, folder).text == f"{board} / 0/0 0"


def test_each_language_has_its_own_words_and_diacritics(folder):
    english, german = languages(folder, 15)
    assert english.distribution.name == "english"
    assert english.has_word("QUIZ")
    assert not english.has_word("KÄSE")
    assert english.letters_with_diacritics == {}
    assert german.has_word("KÄSE")
    assert not german.has_word("KASE")
    assert not german.has_word("")
    assert not german.has_word("K?SE")
    assert german.letters_with_diacritics == {"A": ("Ä",), "O": ("Ö",), "U": ("Ü",)}
    assert german.tile_counts["E"] == 15


def test_a_larger_board_has_the_tiles_of_the_larger_game(tmp_path):
    catalan = load_distribution("catalan")
    write_lexicon(
        tmp_path, "Poc", build_word_graph([bytes([catalan.machine_letters["A"]] * 2)]), catalan, word_count=1
    )
    usual_names, large_names = (
        [language.distribution.name for language in languages(tmp_path, side)] for side in (15, 21)
    )
    assert (usual_names, large_names) == (["english", "catalan"], ["english_super", "catalan_super"])


def test_lexica_are_cached_until_they_change(tmp_path, monkeypatch):
    write_german(tmp_path)
    (tmp_path / "Broken.kwg").write_bytes(b"not a lexicon at all")
    names_read: list[str] = []
    read_bytes = Path.read_bytes

    def record_read(path: Path) -> bytes:
        if path.suffix == ".kwg":
            names_read.append(path.stem)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", record_read)
    cache = languages_module._GRAPHS
    cache.clear()
    for _ in range(3):
        found = list(languages(tmp_path, 15))
        assert [language.distribution.name for language in found] == ["english", "german"]
    assert sorted(names_read) == sorted(
        [*(lexicon.name for lexicon in find_lexica_in(BUILT_IN_FOLDER)), "Broken", "Wenig"]
    )
    assert cache.currsize == 1 + sum(graph.nodes.nbytes for language in found for graph in language.graphs), (
        "the cache does not count bytes"
    )
    (tmp_path / "Broken.kwg").write_bytes((tmp_path / "Wenig.kwg").read_bytes())
    names_read.clear()
    _, german = languages(tmp_path, 15)
    assert names_read == ["Broken"]
    assert len(german.graphs) == 1


def test_a_lexicon_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    write_german(tmp_path)
    languages_module._GRAPHS.clear()
    monkeypatch.setattr(languages_module, "_MAX_LEXICON_BYTES", (tmp_path / "Wenig.kwg").stat().st_size - 1)
    assert "german" not in [language.distribution.name for language in languages(tmp_path, 15)]
    languages_module._GRAPHS.clear()
