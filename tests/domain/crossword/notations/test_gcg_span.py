"""GCGs are found in messages, with their exact start and end."""

from __future__ import annotations

import pytest

from bot.domain.notations import detect, detect_whole

GAME = (
    "#player1 alice Alice\n#player2 bob Bob\n>alice: AEINRST 8D NASTIER +66 66\n#note a fine start\n"
    "with more to come\n>bob: ABCDEFG -AB +0 0\n>alice: QIXXXXX H8 .I +2 68"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("", "\n"),
        ("look at this:\n", "\nwhat do you think?\n"),
        ("```\n", "\n```\nand then?"),
        ("```gcg\n", "\n```"),
        ("```", "```"),
        ("||", "||"),
        ("hm ||\n", "\n||"),
        ("||```\n", "\n```||"),
        ("\ufeff", ""),
        ("\u200b", ""),
    ],
)
def test_a_game_is_found_in_a_message(before, after):
    [found] = detect(before + GAME + after)
    assert found.format == "gcg"
    assert found.text == GAME


LAST_REMARKS = (
    "\n#note one\ntwo\n  three",
    "\n#note one\n#findingsad two\nthree",
    '\n#comment date="2006-06-02 13:05"; author="John Chew\n  <jjchew@math.utoronto.ca">; text="\\"Hello, world!\\""',
)


@pytest.mark.parametrize("remark", LAST_REMARKS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("", "\n"),
        ("hm:\n", "\n\nand then?"),
        ("```\n", "\n```\nand then?"),
        ("||", "||"),
        ("||\n", "\n||"),
    ],
)
def test_lines_right_after_the_last_remark_belong_to_it(before, after, remark):
    [found] = detect(before + GAME + remark + after)
    assert found.text == GAME + remark


def test_a_quoted_remark_ends_with_the_quote():
    quote = "\n".join(f"> {line}" for line in (GAME + "\n#note one\ntwo").split("\n"))
    [found] = detect(f"{quote}\nI think so too")
    assert found.text == GAME + "\n#note one\ntwo"


def test_a_game_is_found_with_every_kind_of_line_ending():
    for end in ("\r\n", "\r"):
        [found] = detect(GAME.replace("\n", end))
        assert found.format == "gcg"


def test_two_events_are_enough():
    events = ">alice: AEINRST 8D NASTIER +66 66\n>bob: - +0 0"
    [found] = detect(f"so far\n{events}\nhm")
    assert found.text == events
    assert detect(events.split("\n", maxsplit=1)[0]) == ()


@pytest.mark.parametrize(
    "chat",
    [
        "> quoted: 8D is the spot +5 I think",
        "> alice: hello\n> bob: hello",
        "# Title\n\n#hashtag #player\n>quote",
        "#include <stdio.h>\n#define X 1\n>x: y",
        ">>> print('a:b')\n>>> 1",
        "#player one wins",
    ],
)
def test_quotes_headings_and_code_are_ignored(chat):
    assert detect(chat) == ()


def test_games_in_two_code_blocks_are_found_separately():
    found = detect(f"```\n{GAME}\n```\nand\n```\n{GAME}\n```")
    assert [detection.text for detection in found] == [GAME, GAME]


@pytest.mark.parametrize("header", ["", "#character-encoding UTF-8\n#title Game two\n", "#lexicon CSW24\n\n"])
@pytest.mark.parametrize("between", ["\n", "\n\nand the second one:\n\n", "\n#note it ended there\n"])
def test_consecutive_games_are_found_separately(header, between):
    games = (header + GAME, header + GAME.replace("alice", "carol"))
    found = detect(between.join(games))
    assert [detection.text.removesuffix("\n#note it ended there") for detection in found] == list(games)


def test_late_settings_belong_to_the_game():
    game_with_late_settings = GAME + "\n#title late\n>bob: AB 1A AB +8 8\n#description later"
    [found] = detect(f"{game_with_late_settings}\nso it goes")
    assert found.text == game_with_late_settings


def test_a_command_accepts_a_header_alone():
    detection = detect_whole("#character-encoding UTF-8\n#title x\n")
    assert detection is not None
    assert detection.format == "gcg"


def test_a_quoted_game_is_found_without_the_quote_markers():
    for quote in ("\n".join(f"> {line}" for line in GAME.split("\n")), f">>> {GAME}"):
        [found] = detect(f"bob wrote\n{quote}\n")
        assert found.format == "gcg"
        assert found.text == GAME
