"""A few German words, and a picture of a board with them."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from bot.chat.card import Style, View
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.folder import write_lexicon
from bot.features.showing.crossword.board_scene import position_scene
from render.layout import draw_board
from render.scene import Layout

GERMAN = load_distribution("german")
WORDS = "KÄSE KASSE SCHÖN SCHON HÖREN ÜBEN EICHE GEHT TISCH LICHT HEU"
BOARD = "15/15/15/15/15/4GEHT7/7I7/5KÄSE6/7C7/5SCHÖN5/15/15/15/15/15"


def write_german(folder: Path) -> None:
    words = [bytes(GERMAN.numbers[letter] for letter in word) for word in WORDS.split()]
    write_lexicon(folder, "Wenig", build_word_graph(words), GERMAN, word_count=len(words))


def picture_of(board: str, opcodes: str = "") -> bytes:
    """Return a picture without embedded text, like a screenshot of Kibitz's picture."""
    scene = position_scene(cgp.read(f"{board} / 0/0 0{opcodes}").value, Style(View("light", Layout.BOARD)))
    picture = Image.open(io.BytesIO(draw_board(scene).data)).convert("RGB")
    stream = io.BytesIO()
    picture.resize((round(picture.width * 0.85), round(picture.height * 0.85))).save(stream, "PNG")
    return stream.getvalue()
