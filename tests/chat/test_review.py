"""How did I play: reviews of finished games by button, command and menu."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.domain.crossword.notations import gcg
from bot.review.crossword.values import Depth
from tests.review.games import Table, self_played

from .test_analysis import ids
from .viewer import answer_of, components_of, replies


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("bot.jobs.review.USUAL_SECONDS", {Depth.QUICK: 1.5, Depth.DEEP: 3.0})
    monkeypatch.setattr("bot.chat.controls.analysis.EDIT_SECONDS", 0.05)


def posted(game):
    return gcg.write(replace(game, rules=replace(game.rules, lexicon="SCOWL80")))


def mistaken():
    """A game in which bob passes though he has something to play."""
    return self_played(8, lambda table: next(reversed(table.best(9))).play if len(table.turns) == 5 else None)


async def test_a_finished_game_is_reviewed_for_whoever_presses(world):
    await world.alice.send(world.channel, posted(mistaken()))
    message = replies(world.channel)[-1]
    result = await world.bob.click(message, custom_id=ids(message)["kibitz:review"]["custom_id"])
    answer = answer_of(result)
    assert answer.ephemeral
    head, *lines = answer.content.split("\n")
    assert re.match(r"\*\*Alice \d+ – Bob \d+\*\* · quick review · SCOWL80$", head)
    assert (
        sum(
            re.match(r"(Alice|Bob): .*mistakes: \d large, \d medium, \d small", line) is not None
            for line in lines
        )
        == 2
    )
    [picture] = answer.attachments
    assert picture.filename == "review.png"
    assert picture.description.startswith("Chance to win of Alice: 5")
    assert re.search(r"(100|0|50) % at the end\.$", picture.description)
    turns = [item["label"] for item in components_of(answer) if item.get("label", "").startswith("Turn ")]
    for line in lines:
        if found := re.match(r"- Turn (\d+), ", line):
            assert f"Turn {found[1]}" in turns
    if turns:
        opened = answer_of(await world.bob.click(answer, label=turns[0]))
        assert opened.ephemeral
        assert f"{turns[0]} of" in opened.content


async def test_a_review_is_asked_for_by_command_and_menu(world):
    await world.alice.slash(world.channel, "review", game=posted(self_played(8)), depth="deep")
    answer = replies(world.channel)[-1]
    assert " · deep review · " in answer.content
    assert not any(item["label"] == "Deeper" for item in components_of(answer) if "label" in item)
    sent = await world.alice.send(world.channel, posted(self_played(9)))
    shown = answer_of(await world.bob.context_menu(world.channel, "Review game", sent))
    assert shown.ephemeral
    assert " · quick review · " in shown.content


async def test_what_is_not_reviewed_is_told_in_private(world):
    table = Table(5)
    table.play()
    result = await world.alice.slash(world.channel, "review", game=posted(table.game()))
    answer = answer_of(result)
    assert answer.ephemeral
    assert "the game is not over" in answer.content
    result = await world.alice.slash(world.channel, "review", game="15/15 nothing")
    assert answer_of(result).ephemeral
