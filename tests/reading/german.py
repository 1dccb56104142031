"""A few German words, and a picture of a board with them."""

from __future__ import annotations

from pathlib import Path

from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.folder import write_lexicon
from render.scene import Layout
from tests.sight.pictures import crossword_picture, encode

GERMAN = load_distribution("german")
WORDS = "KÄSE KASSE SCHÖN SCHON HÖREN ÜBEN EICHE GEHT TISCH LICHT HEU"
BOARD = "15/15/15/15/15/4GEHT7/7I7/5KÄSE6/7C7/5SCHÖN5/15/15/15/15/15"


def write_german(folder: Path) -> None:
    words = [bytes(GERMAN.machine_letters[letter] for letter in word) for word in WORDS.split()]
    write_lexicon(folder, "Wenig", build_word_graph(words), GERMAN, word_count=len(words))


def picture_of(board: str, opcodes: str = "") -> bytes:
    """Return a picture without embedded text, like a screenshot of Kibitz's picture."""
    picture = crossword_picture(board, layout=Layout.BOARD, rack="", opcodes=opcodes)
    return encode(picture.resize((round(picture.width * 0.85), round(picture.height * 0.85))), "PNG")
