"""Times the detection of notations in messages, and the conversion of a CGP to a picture."""

from __future__ import annotations

from statistics import median
from time import thread_time

import pytest

from bot.chat.card import ReplyContext
from bot.domain.crossword.notations import cgp
from bot.domain.notations import detect
from bot.features.showing.crossword.board_scene import alt_text, position_scene
from bot.text import translator
from render.layout import draw_board
from tests.positions import EMPTY_BOARD, MAVEN

pytestmark = pytest.mark.bench

SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
CHAT = (
    "so I was looking at the game from last night and I still think that holding the S was right, because the board "
    "was closed and you had 3/4 of the bag left; anyway, see you on Sunday at the club, 7pm?"
)[:200]


def test_detection_in_ordinary_chat(benchmark):
    assert benchmark(detect, CHAT) == ()


def test_detection_in_chat_with_many_slashes(benchmark):
    assert benchmark(detect, (CHAT[:100] + " https://example.com/a/b/c/d/e/f/g/h and 1/2/3")[:200]) == ()


UNITS = {
    "letters": "a/",
    "runs": "15/",
    "brackets": "[a/",
    "bars": "|",
    "tildes and bars": "~~/|",
    "boards": EMPTY_BOARD + " ",
    "small boards": "7/7/7/7/7/7/7 w ",
    "drawn": "A B C D E\n1 \n2 \n3 \n4 \n5 \n6 \n7 \n",
    "headers": "A B C D E\n",
    "games": "#player1 a b\n#player2 c d\n>a: - +0 0\n#title x\n",
    "events": ">a: ABC 8D ABC +1 1\n",
    "links": "#gid=a&tn=1 ",
    "spoilers": "||" + EMPTY_BOARD + "|| ",
    "moves": "1. e4 e5 ",
    "numbers": "1. ",
    "chessboards": "8/8/8/8/8/8/8/8 ",
    "fens": SICILIAN + " ",
    "tags": '[Event "x"]\n',
    "puzzles": "[D]\n",
    "variations": "1. e4 (",
    "results": "1. e4 e5 1-0 ",
    "moves and words": "1. e4 e5 a b ",
}
"""Pieces of text that may make detection slow when they are repeated."""
each_unit = pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)


@each_unit
def test_detection_in_the_worst_four_thousand_characters(benchmark, unit):
    benchmark(detect, (unit * 4000)[:4000])


@each_unit
def test_detection_in_a_hostile_file_of_a_megabyte(benchmark, unit):
    benchmark.pedantic(detect, (unit * (1_000_000 // len(unit)),), rounds=3)


def test_converting_a_cgp_to_a_picture(capsys):
    translate = translator("en")

    def picture() -> bytes:
        position = cgp.read(MAVEN).value
        alt_text(position, translate)
        return draw_board(position_scene(position, ReplyContext(translate=translate))).data

    seconds = []
    for _ in range(60):
        start = thread_time()
        data = picture()
        seconds.append(thread_time() - start)
    with capsys.disabled():
        print(f"\nCGP to PNG: {1000 * median(seconds):.2f} ms of CPU time, {len(data):,} bytes")
    assert len(data) <= 29_778
