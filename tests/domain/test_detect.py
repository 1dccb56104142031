"""Where a CGP starts and ends in a message."""

from __future__ import annotations

from functools import partial

import pytest

from bot.domain.crossword.convert import CROSSWORD
from bot.domain.reading import notation
from tests.positions import EMPTY_BOARD, MAVEN

detect = partial(notation.detect, finders=CROSSWORD.finders)
detect_whole = partial(notation.detect_whole, sniffers=CROSSWORD.sniffers)

BOARD = MAVEN.partition(" ")[0]
FIELDS = " IKLMTZ/AEINRU? 0/0 0"


@pytest.mark.parametrize(
    ("before", "expected", "after"),
    [
        ("", BOARD + FIELDS, ""),
        ("best play here? `", BOARD + FIELDS + " lex OSPD1;", "`"),
        ("look ", BOARD + FIELDS + " lex OSPD1;", " what now?"),
        ("(", BOARD, "), nice"),
        ("", BOARD, " what about QI"),
        ("", BOARD, " NICE 26/11 was the day"),
        ("hm: ", BOARD + " AEINRU?/", " thoughts?"),
        ("> ", "cgp " + BOARD + " AB/ 1/2 0", ""),
        ("```\n", "load cgp " + BOARD + FIELDS, "\n```"),
        ("", BOARD + "\nIKLMTZ/AEINRU?\n0/0 0 lex X;", "\nand then?"),
        ("", BOARD + FIELDS + " -lex CSW21", " thoughts?"),
        ("", BOARD + FIELDS + " lex CSW21", " to win you need luck"),
        ("", BOARD + FIELDS + " lex CSW21; ld english; foo bar;", " i think so, or not; who knows"),
        ("", BOARD + FIELDS + " lex Weird Name;", " or what?"),
        ("", BOARD + FIELDS + " lex Weird Name; ld klingon;", ""),
        ("", BOARD + FIELDS + " lex CSW21 ld english", " or so it is called; what now"),
        ("", BOARD + FIELDS + " lex CSW21", " now, you see; what?"),
        ("", BOARD + FIELDS + " lm 8D W.RD +5; oru; gid x-1;", " ok"),
        ("", BOARD + FIELDS + " lm -2;", ""),
        ("", BOARD + " ABC 0/0 0", ""),
        ("", EMPTY_BOARD + "/15 / 0/0 0", ""),
        ("<", "9/9/9/9/9/9/9/4A4/9", ">"),
        ("\u200b", BOARD, ""),
        ("", "/".join(["[L·L]14"] * 15), ""),
    ],
)
def test_the_detected_part_is_the_whole_position(before, expected, after):
    [detection] = detect(before + expected + after)
    assert detection.text == expected
    assert (detection.start, detection.end) == (len(before), len(before) + len(expected))
    assert detection.format == "cgp"


@pytest.mark.parametrize(
    "chat",
    [
        "",
        "hello",
        "12/24 and 1/2/3/4/5/6/7/8/9/10/11/12/13/14/15",
        "/usr/lib/python3/dist-packages/a/b/c/d/e/f/g/h/i",
        "https://example.com/15/15/15/15/15/15/15/15/15/15/15/15/15/15/15",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "he/she/it/we/you/they/one/all/none/some/few/any/each/both/much",
        "7/7/7 or 5/5/5/5/5",
        "2001:db8/32/64/48/56/60/62/63",
    ],
)
def test_no_position_is_found_in_ordinary_chat(chat):
    assert detect(chat) == ()


@pytest.mark.parametrize(
    ("text", "spoilers"),
    [
        (f"||{BOARD}||", [True]),
        (f"|| {BOARD} ||", [True]),
        (f"a || b || {BOARD} || c ||", [False]),
        (f"||{BOARD}|| and {EMPTY_BOARD}", [True, False]),
        (f"|| `{BOARD}`\n{EMPTY_BOARD} A/B 0/0 0 ||", [True, True]),
        (f"||{BOARD}", [False]),
    ],
)
def test_positions_between_spoiler_bars_are_spoilers(text, spoilers):
    assert [detection.spoiler for detection in detect(text)] == spoilers


def test_several_positions_are_found_in_order():
    text = f"{BOARD}{FIELDS} and `{EMPTY_BOARD}` or\n> {EMPTY_BOARD} A/B 1/2 0 lex X;"
    found = detect(text)
    assert [detection.text for detection in found] == [
        BOARD + FIELDS,
        EMPTY_BOARD,
        EMPTY_BOARD + " A/B 1/2 0 lex X;",
    ]


@pytest.mark.parametrize(
    "text", ["15/15/15 / 0/0 0", "cgp 1A1/3", "3/1A1/3 AB/C 0/1 0", "9999999999/15/15", f"{EMPTY_BOARD}/15 x"]
)
def test_a_command_accepts_a_small_or_broken_document_whole(text):
    found = detect_whole(text)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "and/or",
        "`and/or` is a thing",
        "https://example.com/a/b 5 6",
        "9/11",
        "3/4 of 5 people",
        "2024/11/21",
        "a/b/c",
    ],
)
def test_a_command_rejects_a_text_without_a_document(text):
    assert detect_whole(text) is None


def test_a_text_over_the_limit_is_not_searched():
    assert detect(f"{BOARD} " + "x" * 1_000_000) == ()


def test_a_text_is_searched_to_its_end():
    assert len(detect("7/7/7/7/7/7/7 / 0/0 0\n" * 250)) == 250
    position = f"{BOARD}{FIELDS}\n"
    assert len(detect(position * 362)) == 362
