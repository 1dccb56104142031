"""Text from users is escaped before the bot repeats it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from bot.chat.markdown import (
    as_spoiler,
    code_block,
    escape,
    escape_line,
    inline_code,
    isolated_name,
    one_line,
)
from bot.text.visible import END_ISOLATE, ISOLATE
from tests.replies import discord_markdown as markdown

MARKS = [
    *"\\*_~`|<>[]()#@:/-+.!&1a ",
    "```", "`````", "||", "|||", "**", "__", "~~", "> ", ">>> ", "- ", "-# ", "# ", "1. ", "\n", "\r\n", "\u2028",
    "https://", "[a](https://example.org)", "<@1>", "<@&1>", "<#1>", "@everyone", ":smile:", "<:a:1>", "<t:1:R>",
    "</show:1>", "discord.gg/a", "<id:home>", "json\n", "ansi\n", "\u202e", "\u2066", "\u2068", "\u2069", "\u200b", "\u200d",
    "שלום", "\u0661", "😀", "\ud800", "\x1b[31m",
]  # fmt: skip
HOSTILE_TEXTS = st.lists(st.one_of(st.sampled_from(MARKS), st.characters()), max_size=14).map("".join)


def active_parts(text):
    return [node for node in markdown.walk(text) if node.kind != markdown.TEXT]


def assert_harmless(text):
    """Assert that no character is invisible, breaks the line, or changes the direction of the text after it."""
    depth = 0
    for char in text:
        depth += (char == ISOLATE) - (char == END_ISOLATE)
        assert 0 <= depth <= 1
        assert char not in "\n\r\x1b\u2028\u2029\u200b\u202a\u202b\u202c\u202d\u202e\u2066\u2067"
        assert unicodedata.category(char) != "Cs"
    assert depth == 0


@given(HOSTILE_TEXTS)
@example("[Free Nitro](https://evil.example)")
@example("- list")
@example("12. list")
@example(" -# subtext")
def test_escaped_text_is_visible_and_inert(text):
    plain = one_line(text)
    for template, expected_kinds in (
        ("a {} b", []),
        ("• {}: {}", []),
        ("**{}**", ["emphasis"]),
        ("||{}||", ["spoiler"]),
    ):
        visible = template.format(*[escape(text)] * template.count("{}"))
        if plain:
            assert [node.kind for node in active_parts(visible)] == expected_kinds, visible
    assert active_parts(f"{escape_line(text)}\n{escape_line(text)}") == []
    if ISOLATE not in plain:
        assert (
            markdown.unmarked_text(f"a{escape(text)}").replace(ISOLATE, "").replace(END_ISOLATE, "")
            == f"a{plain}"
        )
        assert markdown.unmarked_text(escape_line(text)).strip(ISOLATE + END_ISOLATE) == plain
    assert_harmless(escape(text))


@given(HOSTILE_TEXTS)
def test_inline_code_is_one_piece_of_code(text):
    visible = f"names: {inline_code(text)}, {inline_code('b')} *"
    assert [node.kind for node in active_parts(visible)] == [markdown.INLINE_CODE] * 2
    assert_harmless(inline_code(text))


@given(HOSTILE_TEXTS)
@example("`````\n[Free Nitro](https://evil.example)")
@example("")
@example("\n\n")
@example("``")
def test_a_code_block_is_one_block(text):
    visible = f"see\n{code_block(text)}\nand\n{code_block('b')}\n*"
    first, second = active_parts(visible)
    assert (first.kind, second.kind) == (markdown.CODE_BLOCK, markdown.CODE_BLOCK)
    expected = re.sub("[\ud800-\udfff]", "\ufffd", text.replace("\u200b", ""))
    assert first.text.replace("\u200b", "").strip() == expected.strip()


@given(HOSTILE_TEXTS, HOSTILE_TEXTS)
@example("|", "a||b|||c")
@example("a|", "|")
def test_text_in_a_spoiler_is_hidden_completely(first, second):
    for to_markdown in (escape, code_block, inline_code, str):
        visible = f"a {as_spoiler(to_markdown('x' + first))} b\n{as_spoiler(to_markdown(second + 'x'))} c"
        assert markdown.text_before_clicks(visible) == "a ▒ b\n▒ c", visible


@given(HOSTILE_TEXTS, st.integers(2, 12))
def test_names_are_harmless_and_limited_in_length(text, max_length):
    for visible in (
        isolated_name(text),
        one_line(text),
        isolated_name(text, max_length),
        one_line(text, max_length),
    ):
        assert_harmless(visible)
    assert len(one_line(text, max_length)) <= max_length
    assert len(isolated_name(text, max_length)) <= max_length + 2
    assert one_line(one_line(text)) == one_line(text)
    assert isolated_name(isolated_name(text)) == isolated_name(text)


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("al\u200bi\u2060ce\ufeff", "alice"),
        ("\u202eecila", "ecila"),
        ("alice\nbob", "alice bob"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
        ("a\u200db", "ab"),
        ("\ud800", "\ufffd"),
        ("\u3164\u2800", ""),
    ],
)
def test_invisible_characters_are_removed_unless_the_spelling_needs_them(text, visible):
    assert one_line(text) == visible


def test_a_right_to_left_name_is_isolated():
    assert escape("שלום 12") == f"{ISOLATE}שלום 12{END_ISOLATE}"
    assert isolated_name("שלום") == f"{ISOLATE}שלום{END_ISOLATE}"
    assert escape("Anna") == "Anna"
