"""Spoilers are recognized in any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from bot.domain.notations import detect
from bot.domain.reading.notation import hide_spoilers, spoiler_ranges
from tests.domain.growth import find_superlinear_growth
from tests.positions import EMPTY_BOARD
from tests.replies import discord_markdown as markdown

SURROUNDING_TEXTS = st.lists(
    st.sampled_from(
        [
            "|",
            "||",
            "`",
            "```",
            "\\",
            "*",
            "**",
            "a",
            " ",
            "\n",
            "> ",
            "# ",
            "- ",
            "https://a",
            "[a",
            "](https://a)",
        ]
    ),
    max_size=12,
).map("".join)


@given(SURROUNDING_TEXTS, SURROUNDING_TEXTS)
@example("|||||x||", "||")
@example("`||` ||", "||")
@example("```||``` ||", "||")
@example("\\\\|| ||", "||")
@example("||", "`||`")
def test_text_that_discord_hides_is_replaced(before, after):
    text = f"{before}SECRET{after}"
    assert len(hide_spoilers(text)) == len(text)
    if any(node.kind == markdown.SPOILER and "SECRET" in node.unmarked_text for node in markdown.walk(text)):
        assert "SECRET" not in hide_spoilers(text), spoiler_ranges(text)


@pytest.mark.parametrize("text", ["", "a", "a | b", "||", "||||", "a||b", "\\||a|"])
def test_unpaired_bars_hide_nothing(text):
    assert hide_spoilers(text) == text


def test_a_position_in_a_spoiler_is_hidden_even_after_bars_in_code():
    position = EMPTY_BOARD + " A/B 1/2 0"
    for text in (f"`||` is how one hides ||{position}||", f"||{position}||", f"|||||x||{position}||"):
        assert [item.spoiler for item in detect(text)] == [True], text


@pytest.mark.parametrize("mark", ["`", "||", "|", "\\|", "`a", "``a`", "||a", "`||", "```a"])
def test_text_full_of_marks_is_read_in_linear_time(mark):
    def repeat_mark(size):
        return mark * (size // len(mark))

    assert len(hide_spoilers(repeat_mark(10_000))) == len(repeat_mark(10_000))
    assert not find_superlinear_growth(hide_spoilers, repeat_mark, 10_000)
