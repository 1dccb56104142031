"""Languages: a board is weighed by the words of whatever lexicon knows it, and has that language's tiles."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from bot.domain.crossword.distributions import load_distribution
from bot.domain.crossword.notations import cgp
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.folder import write_lexicon
from bot.reading import Attachment, Source, read_file
from bot.reading.words import languages
from bot.scenes.crossword.position import position_scene
from bot.scenes.style import Style, View
from render.board import draw_board
from render.scene import Layout

GERMAN = load_distribution("german")
WORDS = "KÄSE KASSE SCHÖN SCHON HÖREN ÜBEN EICHE GEHT TISCH LICHT HEU"
BOARD = "15/15/15/15/15/4GEHT7/7I7/5KÄSE6/7C7/5SCHÖN5/15/15/15/15/15"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a German lexicon, and files that are none."""
    folder = tmp_path_factory.mktemp("lexica")
    words = [bytes(GERMAN.numbers[letter] for letter in word) for word in WORDS.split()]
    write_lexicon(folder, "Wenig", build_word_graph(words), GERMAN, words=len(words))
    (folder / "Broken.kwg").write_bytes(b"no lexicon at all")
    (folder / "Empty.kwg").write_bytes(b"")
    return folder


def item_of(board: str, folder=None, more: str = ""):
    scene = position_scene(cgp.read(f"{board} / 0/0 0{more}").value, Style(View("light", Layout.BOARD)))
    picture = Image.open(io.BytesIO(draw_board(scene).data)).convert("RGB")
    stream = io.BytesIO()
    picture.resize((round(picture.width * 0.85), round(picture.height * 0.85))).save(stream, "PNG")
    [item] = read_file(Attachment("a.png", stream.getvalue()), Source(""), folder).found
    return item


def test_a_board_has_the_tiles_and_the_letters_of_the_language_whose_words_it_has(folder):
    item = item_of(BOARD, folder, " ld german;")
    assert item.text == f"{BOARD} / 0/0 0 ld german;"
    assert {"G8", "I10"} <= set(item.sight.doubtful), "a letter with a mark is still to be checked"
    plain = item_of(BOARD, None, " ld german;")
    assert "ld" not in plain.text, "nobody knows its words"
    assert "KASE" in plain.text


def test_a_blank_that_may_have_a_mark_is_doubtful_and_has_it_where_only_that_makes_a_word(folder):
    board = BOARD.replace("5SCHÖN5", "5SCHON5").replace("5KÄSE6", "5KäSe6")
    item = item_of(board, folder, " ld german;")
    assert item.text.split("/")[7] == "5KäSe6"
    assert "G8" in item.sight.doubtful
    assert "I8" not in item.sight.doubtful, "there is no other E"


def test_english_comes_first(folder):
    board = "15/15/15/15/15/15/15/4TEACHER4/15/15/15/15/15/15/15"
    assert item_of(board, folder).text == f"{board} / 0/0 0"


def test_languages_and_the_letters_they_add(folder):
    english, german = languages(folder, 15)
    assert english.distribution.name == "english"
    assert english.has("QUIZ")
    assert not english.has("KÄSE")
    assert english.marked == {}
    assert german.has("KÄSE")
    assert not german.has("KASE")
    assert not german.has("")
    assert not german.has("K?SE")
    assert german.marked == {"A": ("Ä",), "O": ("Ö",), "U": ("Ü",)}
    assert german.counts["E"] == 15


def test_a_larger_board_has_the_tiles_of_the_larger_game(tmp_path):
    catalan = load_distribution("catalan")
    write_lexicon(tmp_path, "Poc", build_word_graph([bytes([catalan.numbers["A"]] * 2)]), catalan, words=1)
    usual, large = ([one.distribution.name for one in languages(tmp_path, side)] for side in (15, 21))
    assert (usual, large) == (["english", "catalan"], ["english_super", "catalan_super"])
