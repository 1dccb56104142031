"""The commands about words: ``/check``, ``/hooks`` and ``/anagram``."""

from __future__ import annotations

import pytest

from .actions import reply_of, text_of


@pytest.mark.parametrize(
    ("command", "options", "output"),
    [
        ("check", {"words": "cat"}, "✅ **CAT** is valid\nLexicon: SCOWL95"),
        (
            "check",
            {"words": "cat qzx"},
            (
                "❌ **QZX** isn't valid\nThe play isn't valid.\n"
                "Lexicon: SCOWL95, a free list, close to the tournament lists but not one of them"
            ),
        ),
        (
            "check",
            {"words": "qi", "lexicon": "CROSSWD"},
            (
                "❌ **QI** isn't valid, but it is in SCOWL95, SCOWL80\n"
                "Lexicon: CROSSWD, a free list that predates words such as QI and ZA"
            ),
        ),
        ("hooks", {"word": "hoo"}, "Back hooks: "),
        ("anagram", {"letters": "aeinrst"}, "**AEINRST** makes"),
        ("anagram", {"letters": "qq"}, "**QQ** doesn't make a word in SCOWL95."),
    ],
)
async def test_questions_about_words_are_answered_in_public(world, command, options, output):
    result = await world.alice.slash(world.channel, command, **options)
    assert not result.ephemeral
    assert output in text_of(reply_of(result))


async def test_an_invalid_question_is_refused_privately(world):
    for command, options in (
        ("check", {"words": "cat", "lexicon": "NWL23"}),
        ("anagram", {"letters": "a" * 40}),
        ("hooks", {"word": "c4t"}),
    ):
        result = await world.alice.slash(world.channel, command, **options)
        assert result.ephemeral
        assert text_of(reply_of(result)).startswith("That doesn't work: ")
