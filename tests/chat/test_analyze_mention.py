"""Users mention the bot with the word "analyze", usually in a reply to a position, to see the best plays."""

from __future__ import annotations

import pytest

from bot.features.analysis.commands import ANALYSIS_STEM
from tests.domain.crossword.notations.live_links import game_link, history
from tests.positions import EMPTY_BOARD, OPENING

from .actions import kinds_of, last_reply, replies, text_of


async def ask_for_analysis(world, text):
    """Mention the bot with "analyze" in a reply to a new message from Bob. Return the bot's last message."""
    message = await world.bob.send(world.channel, text)
    await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=message)
    return last_reply(world)


async def test_a_mention_in_a_reply_shows_the_best_plays(world):
    position = await world.bob.send(world.channel, OPENING)
    reply = await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=position)
    picture_reply, analysis = replies(world.channel)
    assert "best of " not in text_of(picture_reply)
    assert " · best of " in text_of(analysis)
    assert analysis.reference.message_id == reply.id
    assert analysis.attachments[0].filename == "analysis.png"
    assert {"ranked", "delete"} <= set(kinds_of(analysis))
    await world.alice.edit(reply, f"<@{world.me.id}> only show it")
    assert "best of " not in text_of(replies(world.channel)[1])
    await world.alice.edit(reply, f"<@{world.me.id}> Analyse, bitte!")
    assert " · best of " in text_of(replies(world.channel)[1])
    await world.alice.delete(reply)
    assert len(replies(world.channel)) == 1


async def test_the_word_analyze_without_a_mention_is_ignored(world):
    position = await world.bob.send(world.channel, OPENING)
    await world.alice.send(world.channel, "analyze this please", reply_to=position)
    await world.alice.send(world.channel, f"my analysis: {OPENING}")
    assert not any("best of " in text_of(message) for message in replies(world.channel))
    assert len(replies(world.channel)) == 2


async def test_the_analysis_of_a_hidden_position_is_a_spoiler(world):
    analysis = await ask_for_analysis(world, f"||{OPENING}||")
    assert "best of " in text_of(analysis)
    assert not "".join(text_of(analysis).replace("-# ", "").split("||")[::2]).strip()
    assert analysis.attachments[0].is_spoiler()


async def test_a_live_game_is_shown_without_an_analysis(world):
    reply = await ask_for_analysis(world, game_link(history("g7", 5)))
    assert "Turn 5 of 5" in text_of(reply)
    assert "best of " not in text_of(reply)


async def test_the_reply_says_why_a_position_cannot_be_analyzed(world):
    reply = await ask_for_analysis(world, f"{EMPTY_BOARD} / 0/0 0")
    assert "No analysis: the rack of the player to move is not known." in text_of(reply)


async def test_a_bot_without_analysis_shows_the_position(world, monkeypatch):
    monkeypatch.delitem(world.bot.services._by_name, "analyses")
    reply = await ask_for_analysis(world, OPENING)
    assert len(replies(world.channel)) == 2
    assert reply.attachments[0].filename == "position.png"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("analyze", True),
        ("Please ANALYSE it", True),
        ("analysier das mal", True),
        ("une analyse ?", True),
        ("analiza esto", True),
        ("analízalo", True),
        ("przeanalizuj to", True),
        ("banalize", False),
        ("what a position", False),
    ],
)
def test_the_word_analyze_is_recognized_in_every_language(text, asks):
    assert (ANALYSIS_STEM.search(text) is not None) is asks
