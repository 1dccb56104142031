"""A mention that asks for the best plays gets them, mostly in reply to a position of another user."""

from __future__ import annotations

import pytest

from bot.features.analysis.commands import ANALYSIS_STEM
from tests.domain.crossword.notations.live_links import history, whole
from tests.positions import EMPTY, OPENING

from .viewer import components_of, replies, text_of


def kinds(message):
    return {item["custom_id"].split(":")[1] for item in components_of(message)}


async def test_a_mention_in_a_reply_shows_the_best_plays(world):
    first = await world.bob.send(world.channel, OPENING)
    reply = await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=first)
    answer, analysis = replies(world.channel)
    assert "best of " not in text_of(answer)
    assert " · best of " in text_of(analysis)
    assert analysis.reference.message_id == reply.id
    assert analysis.attachments[0].filename == "analysis.png"
    assert {"ranked", "delete"} <= kinds(analysis)
    await world.alice.edit(reply, f"<@{world.me.id}> only show it")
    assert "best of " not in text_of(replies(world.channel)[1])
    await world.alice.edit(reply, f"<@{world.me.id}> Analyse, bitte!")
    assert " · best of " in text_of(replies(world.channel)[1])
    await world.alice.delete(reply)
    assert len(replies(world.channel)) == 1


async def test_the_command_word_needs_a_mention(world):
    first = await world.bob.send(world.channel, OPENING)
    await world.alice.send(world.channel, "analyze this please", reply_to=first)
    await world.alice.send(world.channel, f"my analysis: {OPENING}")
    assert not any("best of " in text_of(message) for message in replies(world.channel))
    assert len(replies(world.channel)) == 2


async def test_a_hidden_position_is_analyzed_behind_bars(world):
    first = await world.bob.send(world.channel, f"||{OPENING}||")
    await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=first)
    analysis = replies(world.channel)[-1]
    assert "best of " in text_of(analysis)
    assert not "".join(text_of(analysis).replace("-# ", "").split("||")[::2]).strip()
    assert analysis.attachments[0].is_spoiler()


async def test_a_running_game_is_only_shown(world):
    first = await world.bob.send(world.channel, whole(history("g7", 5)))
    await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=first)
    assert "Turn 5 of 5" in text_of(replies(world.channel)[-1])
    assert "best of " not in text_of(replies(world.channel)[-1])


async def test_a_missing_analysis_is_explained(world):
    first = await world.bob.send(world.channel, f"{EMPTY} / 0/0 0")
    await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=first)
    assert "No analysis: the rack of the player to move is not known." in text_of(replies(world.channel)[-1])


async def test_without_analysis_the_position_is_shown(world, monkeypatch):
    monkeypatch.delitem(world.bot.service._by_name, "analyses")
    first = await world.bob.send(world.channel, OPENING)
    await world.alice.send(world.channel, f"<@{world.me.id}> analyze", reply_to=first)
    assert len(replies(world.channel)) == 2
    assert replies(world.channel)[1].attachments[0].filename == "position.png"


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
def test_the_word_is_known_in_every_language(text, asks):
    assert (ANALYSIS_STEM.search(text) is not None) is asks
