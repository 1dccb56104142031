"""Bars, backticks, mentions and right-to-left marks in every field of a form have no effect in its answer."""

from __future__ import annotations

import pytest
from simcord.components import walk_components

from tests.answers.test_hostile import TEXTS, judge_text
from tests.positions import MAVEN

from .test_chess import GAME as CHESS
from .test_dailies import carol
from .test_lessons import ANNOTATED, reviewed
from .test_polls import BOARD, control
from .viewer import answer_of, click, raw_components, replies, text_of

__all__ = ["carol"]

MARKS = "||`@everyone ```\u202e<@1> **EVIL** [EVIL](https://evil.example) \u2066# "


def inputs(modal):
    """Return the inputs of a form."""
    every = [item.get("component", item) for item in modal["components"]]
    return [child for item in every for child in item.get("components", [item]) if "custom_id" in child]


def filled(modal, text):
    """Return the form with a text, as long as it may be, in every field for text."""
    values = {}
    for item in inputs(modal):
        if item["custom_id"] == "hour":  # a wrong one hides what is wrong with the zone
            values["hour"] = item["value"]
        elif item["type"] == 4:
            max_length = item.get("max_length") or 4_000
            values[item["custom_id"]] = (text * (max_length // len(text) + 1))[:max_length]
        elif item["type"] in (3, 21, 22) and item.get("required", True):
            first = item["options"][0]["value"]
            values[item["custom_id"]] = first if item["type"] == 21 else [first]
    return values


async def forms(world, carol):
    """Yield every open form with a text field, except the forms that correct a picture."""
    channel = world.channel
    for name, options in (
        ("show", {}),
        ("convert", {"to": "cgp"}),
        ("analyze", {}),
        ("review", {}),
        ("game open", {}),
    ):
        yield name, await world.bob.slash(channel, name, **options)
    await world.alice.send(channel, BOARD)
    board = replies(channel)[-1]
    yield "try", await click(world.bob, board, custom_id=control(board, "try:"))
    opened = await click(world.alice, board, custom_id=control(board, "ask:"))
    await world.alice.submit_modal(opened, {"when": "0"})
    poll = replies(channel)[-1]
    yield "poll", await click(world.bob, poll, custom_id=control(poll, "poll:p"))
    puzzle = answer_of(await world.bob.slash(channel, "puzzle", game="chess", private=True))
    [answer] = [
        component["custom_id"]
        for component in walk_components(raw_components(puzzle))
        if component.get("custom_id", "").startswith("kibitz:puzzle:") and component.get("label") == "Answer"
    ]
    yield "puzzle", await click(world.bob, puzzle, custom_id=answer)
    await world.alice.send(channel, "\n\n".join([CHESS, CHESS.replace("bob", "bert")]))
    games = replies(channel)[-1]
    yield "goto", await click(world.bob, games, custom_id=control(games, "goto:"))
    lesson = answer_of(await click(world.bob, await reviewed(world.bob, world, ANNOTATED), label="Learn"))
    yield "lesson", await click(world.bob, lesson, label="Answer")
    settings = (await carol.slash(channel, "settings server")).response
    for page in ("looks", "daily"):
        yield page, await carol.click(settings, custom_id=f"kibitz:set:server:{page}")


@pytest.mark.parametrize("text", [MARKS, TEXTS[3]])
async def test_hostile_text_in_a_form_has_no_effect(world, carol, text):
    seen = set()
    async for name, opened in forms(world, carol):
        assert opened.modal is not None, name
        begun = len(world.env.http_requests)
        person = carol if name in {"looks", "daily"} else world.bob
        sent = await person.submit_modal(opened, filled(opened.modal, text))
        answer = answer_of(sent)
        assert answer is not None, name
        for component in walk_components(raw_components(answer)):
            if component["type"] == 10:
                judge_text(component["content"].removeprefix("-# "))
        for request in world.env.http_requests[begun:]:
            if isinstance(request.json, dict) and "allowed_mentions" in request.json:
                assert request.json["allowed_mentions"].get("parse") == []
        assert len(text_of(answer)) <= 4_000
        seen.add(name)
    assert len(seen) == 12


async def test_an_answer_is_read_from_a_form_that_was_not_hostile(world):
    opened = await world.bob.slash(world.channel, "show")
    [field] = [item for item in inputs(opened.modal) if item["type"] == 4]
    await world.bob.submit_modal(opened, {field["custom_id"]: MAVEN})
    assert replies(world.channel)[-1].attachments
