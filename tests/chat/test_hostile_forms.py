"""Markdown, mentions and right-to-left marks in a form have no effect in the reply."""

from __future__ import annotations

import pytest
from simcord.components import walk_components

from tests.positions import MAVEN
from tests.replies.test_hostile import TEXTS, assert_inert_text

from .actions import click, fields_of, id_of, last_reply, raw_components, reply_of, text_of
from .test_chess import GAME as CHESS_GAME
from .test_lessons import ANNOTATED, request_private_review
from .test_polls import BOARD
from .test_puzzles import puzzle_button_id

MARKS = "||`@everyone ```\u202e<@1> **EVIL** [EVIL](https://evil.example) \u2066# "


def filled_values(modal, text):
    """Return values for a form. Every text field gets the text, repeated up to the field's maximum length."""
    values = {}
    for item in fields_of(modal):
        if item["custom_id"] == "hour":  # an invalid hour would hide the error about the time zone
            values["hour"] = item["value"]
        elif item["type"] == 4:
            max_length = item.get("max_length") or 4_000
            values[item["custom_id"]] = (text * (max_length // len(text) + 1))[:max_length]
        elif item["type"] in (3, 21, 22) and item.get("required", True):
            first = item["options"][0]["value"]
            values[item["custom_id"]] = first if item["type"] == 21 else [first]
    return values


async def open_forms(world, carol):
    """Open every form that has a text field, except the forms that correct what was read from a picture. Yield names and forms."""
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
    board = last_reply(world)
    yield "try", await click(world.bob, board, custom_id=id_of(board, "try:"))
    form = await click(world.alice, board, custom_id=id_of(board, "ask:"))
    await world.alice.submit_modal(form, {"when": "0"})
    poll = last_reply(world)
    yield "poll", await click(world.bob, poll, custom_id=id_of(poll, "poll:p"))
    puzzle = reply_of(await world.bob.slash(channel, "puzzle", game="chess", private=True))
    yield "puzzle", await click(world.bob, puzzle, custom_id=puzzle_button_id(puzzle, "a"))
    await world.alice.send(channel, "\n\n".join([CHESS_GAME, CHESS_GAME.replace("bob", "bert")]))
    games = last_reply(world)
    yield "goto", await click(world.bob, games, custom_id=id_of(games, "goto:"))
    review = await request_private_review(world.bob, world, ANNOTATED)
    lesson = reply_of(await click(world.bob, review, label="Learn"))
    yield "lesson", await click(world.bob, lesson, label="Answer")
    settings = (await carol.slash(channel, "settings server")).response
    for page in ("looks", "daily"):
        yield page, await carol.click(settings, custom_id=f"kibitz:set:server:{page}")


@pytest.mark.parametrize("text", [MARKS, TEXTS[3]])
async def test_hostile_text_in_a_form_has_no_effect(world, carol, text):
    names = set()
    async for name, form in open_forms(world, carol):
        assert form.modal is not None, name
        earlier_request_count = len(world.env.http_requests)
        person = carol if name in {"looks", "daily"} else world.bob
        reply = reply_of(await person.submit_modal(form, filled_values(form.modal, text)))
        assert reply is not None, name
        for component in walk_components(raw_components(reply)):
            if component["type"] == 10:
                assert_inert_text(component["content"].removeprefix("-# "))
        for request in world.env.http_requests[earlier_request_count:]:
            if isinstance(request.json, dict) and "allowed_mentions" in request.json:
                assert request.json["allowed_mentions"].get("parse") == []
        assert len(text_of(reply)) <= 4_000
        names.add(name)
    assert len(names) == 12


async def test_a_position_in_a_form_is_shown(world):
    form = await world.bob.slash(world.channel, "show")
    [field] = [item for item in fields_of(form.modal) if item["type"] == 4]
    await world.bob.submit_modal(form, {field["custom_id"]: MAVEN})
    assert last_reply(world).attachments
