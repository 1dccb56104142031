"""The parser of Discord's Markdown that other tests use."""

import pytest

from tests.replies import discord_markdown as markdown


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("plain words, 3 < 4", []),
        ("**bold** and *slanted*", ["emphasis", "emphasis"]),
        (r"\*\*not bold\*\*", []),
        ("__under__ _it_ ~~gone~~", ["emphasis"] * 3),
        ("`code **not bold**`", ["inline code"]),
        ("``a ` in code``", ["inline code"]),
        ("```\nblock\n``` after", ["code block"]),
        ("```json\n{}\n```", ["code block"]),
        ("`````\nx\n`````", ["code block"]),
        ("```\n\n```", ["inline code"]),
        ("||hidden **bold**||", ["spoiler", "emphasis"]),
        ("|||edge||", ["spoiler"]),
        (r"\||not hidden|", []),
        ("https://example.org/x", ["link"]),
        ("seehttps://example.org", ["link"]),
        (r"https\:\/\/example.org", []),
        ("<https://example.org>", ["link"]),
        ("discord.gg/abc", ["link"]),
        ("[words](https://example.org)", ["masked link"]),
        (r"\[words](example)", []),
        ("<@1> <@!1> <@&1> <#1> @everyone @here </show:1> <id:home>", ["mention"] * 8),
        ("<:name:1> <a:name:1> :smile:", ["emoji"] * 3),
        ("<t:1:R> <t:1>", ["timestamp"] * 2),
        ("# head\n## head\n### head", ["header"] * 3),
        ("#### no head, #none", []),
        ("> quote\n>none", ["quote"]),
        (">>> all\nof **it**", ["quote", "emphasis"]),
        ("- one\n* two\n3. three\nno - four", ["list"] * 3),
        ("-# small", ["subtext"]),
    ],
)
def test_active_markdown_is_recognized(text, kinds):
    active_kinds = [node.kind for node in markdown.walk(text) if node.kind != markdown.TEXT]
    assert active_kinds == kinds


def test_spoilers_are_distinguished_from_visible_text():
    text = "**a** \\*b ||c `d`|| `e` ```\nf\n```"
    assert markdown.unmarked_text(text) == "a *b c d e f"
    assert markdown.text_before_clicks(text) == "a *b ▒ e f"
