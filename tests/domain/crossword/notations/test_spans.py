"""Boards, JSON documents and CGPs are found in messages."""

from __future__ import annotations

import pytest

from bot.domain.crossword.notations import cgp
from bot.domain.notations import NOTATIONS, convert, detect, detect_whole

POSITIONS = [
    "15/15/15/15/15/15/15/7CaT5/15/15/15/15/15/15/15 AEINRST/ 12/34 2 lex NWL23;",
    "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 / 0/0 0",
    "/".join(["21"] * 20 + ["9QUIZ8"]) + " AEINR?T/BCD -1/340 0",
    "/".join(["15"] * 14 + ["[L·L]13A"]) + " [NY]A/ 0/0 0 ld catalan;",
    "/".join(["9"] * 9) + " A/B/C 1/2/3 0",
]


@pytest.mark.parametrize("source", POSITIONS)
@pytest.mark.parametrize("notation", ["text", "json", "cgp-ascii", "cgp"])
@pytest.mark.parametrize("frame", ["{}", "```\n{}\n```", "look:\n{}\n\nwhat do you think?", "```{}```"])
def test_every_notation_is_found_whole_in_free_text(source, notation, frame):
    position = cgp.read(source).value
    text = convert(position, notation).text.rstrip("\n")
    [found] = detect(frame.format(text))
    assert found.format == notation
    assert NOTATIONS[notation].read(found.text).value == position


@pytest.mark.parametrize("source", POSITIONS)
@pytest.mark.parametrize("notation", ["text", "json", "cgp-ascii", "cgp"])
def test_every_notation_is_found_in_a_quote(source, notation):
    position = cgp.read(source).value
    text = convert(position, notation).text.rstrip("\n")
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    for message in (f"bob wrote\n{lines}\nyes?", f"bob wrote\n>>> {text}"):
        [found] = detect(message)
        assert found.format == notation
        assert NOTATIONS[notation].read(found.text).value == position


@pytest.mark.parametrize("source", POSITIONS)
@pytest.mark.parametrize("space", ["\u00a0", "\u2007", "\u202f"])
def test_non_breaking_spaces_count_as_spaces(source, space):
    position = cgp.read(source).value
    [found] = detect(f"look\n{convert(position, 'text').text}\nwell?".replace(" ", space))
    assert found.format == "text"
    assert NOTATIONS["text"].read(found.text).value == position


@pytest.mark.parametrize("source", POSITIONS)
@pytest.mark.parametrize("marks", ["*", "**", "***"])
def test_a_board_in_bold_or_italics_is_found(source, marks):
    position = cgp.read(source).value
    text = convert(position, "text").text.rstrip("\n")
    [found] = detect(f"look\n{marks}{text}{marks}\nwell?")
    assert found.text == text.lstrip(" ") or found.text == text
    assert NOTATIONS["text"].read(found.text).value == position


def test_a_board_drawn_by_another_program_is_found():
    rows = "\n".join(f"{row:2}|{'  ' * 15}|" for row in range(1, 16))
    header = "   " + " ".join("ABCDEFGHIJKLMNO")
    rule = "   " + "-" * 30
    [found] = detect(f"see\n{header}\n{rule}\n{rows}\n{rule}\nok?")
    assert found.format == "text"


@pytest.mark.parametrize(
    "chat",
    [
        "A B C D E F G\nnow I know my ABC",
        "| A | B | C | D | E |\n|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 |",
        "   A B C D E\n1 . . . . .\n2 . . . . .",
        '{"format": "kibitz", ' * 50,
        '{"format":"kibitz","x":' + "[" * 3000,
    ],
)
def test_text_that_resembles_a_document_is_ignored(chat):
    assert detect(chat) == ()


def test_a_command_accepts_a_broken_document():
    detection = detect_whole('{"format": "kibitz", "version": 1,')
    assert detection is not None
    assert detection.format == "json"
