"""Other views of a game: in private, from one side, as a replay, as a chart and as text. A private view can be shared."""

from __future__ import annotations

import io

import png
import pytest
import simcord
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from bot.chat.card import Card, RefusalError
from bot.features.showing.controls import PRESENTER

from .actions import (
    GAME,
    TURN_TEXTS,
    choose_view,
    click,
    control,
    controls_of,
    go_to,
    id_of,
    ids_of,
    labels_of,
    only_reply,
    other_view_ids,
    press,
    press_copy,
    replies,
    reply_of,
    text_of,
)


async def test_a_private_view_has_separate_controls(world, game_reply):
    result = await choose_view(world.bob, game_reply, "private")
    reply = reply_of(result)
    assert reply.ephemeral
    assert TURN_TEXTS[3] in text_of(reply)
    assert not [id_ for id_ in other_view_ids(reply) if id_.endswith(":private")]
    await press(world.bob, reply, "first")
    assert TURN_TEXTS[0] in text_of(reply_of(result))
    assert text_of(only_reply(world)) == text_of(game_reply), (
        "a step in the private view changed the public message"
    )
    with pytest.raises(simcord.SetupError):
        await press(world.alice, reply, "last")


async def test_a_view_from_one_side_shows_only_that_sides_rack(world, game_reply):
    await press(world.bob, game_reply, "first")
    await choose_view(world.bob, only_reply(world), "side:1")
    description = only_reply(world).attachments[0].description
    assert "Bob 0, rack ABCDEFG." in description
    assert "AEINRST" not in description
    await press(world.bob, only_reply(world), "next")
    assert "Bob 0, to move, rack ABCDEFG." in only_reply(world).attachments[0].description
    await choose_view(world.bob, only_reply(world), "side:w")
    await press(world.bob, only_reply(world), "first")
    assert "AEINRST" in only_reply(world).attachments[0].description


async def test_the_replay_is_an_animation_of_every_turn(world, game_reply):
    result = await choose_view(world.bob, game_reply, "replay")
    reply = reply_of(result)
    assert reply.ephemeral
    [file] = reply.attachments
    assert file.filename == "replay.gif"
    assert file.description.startswith("A replay of 3 turns. Alice 92")
    assert "8 ...NASTIER....." in file.description
    animation = Image.open(io.BytesIO(await file.read()))
    assert isinstance(animation, GifImageFile)
    assert animation.n_frames >= 3
    animation.seek(animation.n_frames - 1)
    assert animation.convert("RGB").getbbox()
    assert "Alice 92 – Bob 0" in text_of(reply)


def animation_milliseconds(data):
    animation = Image.open(io.BytesIO(data))
    assert isinstance(animation, GifImageFile)
    total = 0
    for number in range(animation.n_frames):
        animation.seek(number)
        total += animation.info["duration"]
    return total


async def test_a_replay_can_be_shared_at_a_chosen_speed(world, game_reply):
    reply = reply_of(await choose_view(world.bob, game_reply, "replay"))
    normal_milliseconds = animation_milliseconds(await reply.attachments[0].read())
    buttons = {component["label"]: component for component in controls_of(reply)}
    assert [label for label, item in buttons.items() if item.get("disabled")] == ["Normal speed"]
    await click(world.bob, reply, custom_id=buttons["Slow"]["custom_id"])
    buttons = {component["label"]: component for component in controls_of(reply)}
    assert animation_milliseconds(await reply.attachments[0].read()) > normal_milliseconds
    result = await click(world.bob, reply, custom_id=buttons["Show to everyone"]["custom_id"])
    shared_reply = reply_of(result)
    assert not shared_reply.ephemeral
    assert shared_reply.attachments[0].filename == "replay.gif"
    assert animation_milliseconds(await shared_reply.attachments[0].read()) > normal_milliseconds
    assert labels_of(shared_reply) == ["Slow", "Normal speed", "Fast"]
    assert id_of(shared_reply, "delete:").split(":")[2] == str(world.bob.id)
    await world.restart()
    await click(world.alice, shared_reply, label="Fast")
    assert animation_milliseconds(await shared_reply.attachments[0].read()) < normal_milliseconds
    await assert_a_muted_user_cannot_share(world, "replay")


async def test_a_private_view_can_be_shared(world, game_reply):
    assert not [id_ for id_ in ids_of(game_reply) if id_.startswith("kibitz:publish:")]
    reply = reply_of(await choose_view(world.bob, game_reply, "private"))
    await press(world.bob, reply, "previous")
    result = await click(world.bob, reply, label="Show to everyone")
    shared_reply = reply_of(result)
    assert not shared_reply.ephemeral
    assert text_of(shared_reply) == text_of(reply)
    assert shared_reply.attachments[0].filename == reply.attachments[0].filename
    assert id_of(shared_reply, "delete:").split(":")[2] == str(world.bob.id)
    text_before = text_of(shared_reply)
    await press(world.alice, shared_reply, "previous")
    assert text_of(shared_reply) != text_before, "another user can't step through the shared game"
    await assert_a_muted_user_cannot_share(world, "private")


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize(("view", "method"), [("private", "show_moment"), ("replay", "show_replay")])
async def test_a_card_without_a_result_is_not_shared(
    world, game_reply, monkeypatch, view, method, is_refused
):
    reply = reply_of(await choose_view(world.bob, game_reply, view))

    async def fail(*_arguments, **_options):
        if is_refused:
            raise RefusalError.with_text("No picture.")
        return Card("No picture.", has_result=False)

    monkeypatch.setattr(world.bot.services[PRESENTER], method, fail)
    result = await click(world.bob, reply, label="Show to everyone")
    assert text_of(reply_of(result)) == "No picture."
    assert reply_of(result).ephemeral
    assert len(replies(world.channel)) == 1, "everyone still sees the acknowledgement"


async def assert_a_muted_user_cannot_share(world, view):
    channel = world.create_channel_with_permissions(world.alice, send_messages=False)
    await world.bob.send(channel, GAME)
    reply = reply_of(await choose_view(world.alice, replies(channel)[0], view))
    result = await click(world.alice, reply, label="Show to everyone")
    assert "You can't write in this channel" in text_of(reply_of(result))
    assert len(replies(channel)) == 1


async def test_the_chart_shows_the_scores(world, game_reply):
    reply = reply_of(await choose_view(world.bob, game_reply, "chart"))
    [file] = reply.attachments
    assert file.filename == "scores.png"
    assert file.description == (
        "Who was ahead. Alice ahead: +, Bob ahead: -. 0, +66, +66, +92. Bingo on turn 1."
    )
    assert png.Reader(bytes=await file.read()).read()[0] == 900


async def test_the_copy_button_gives_the_cgp_of_the_shown_turn(world, game_reply):
    await go_to(world.bob, game_reply, "2")
    assert "```" not in text_of(only_reply(world))
    reply = await press_copy(world.bob, only_reply(world))
    assert reply.ephemeral
    assert "3NASTIER5/" in text_of(reply)
    assert " EIQU/ 66/0 1 lex CSW21;" in text_of(reply)


async def test_a_game_is_converted_up_to_the_shown_turn(world, game_reply):
    await go_to(world.bob, game_reply, "1")
    game_reply = only_reply(world)
    offered_values = [
        option["value"] for option in control(await press_copy(world.bob, game_reply), "more")["options"]
    ]
    assert {"to:cgp", "to:gcg", "to:text", "to:json"} <= set(offered_values)
    assert "to:turn-url" not in offered_values, (
        "a Turn URL is offered, although no seed produces the draws of this game"
    )
    reply = reply_of(await choose_view(world.bob, game_reply, "to:cgp"))
    assert " ABCDEFG/ 0/66 0 lex CSW21;" in text_of(reply)
    reply = reply_of(await choose_view(world.bob, game_reply, "to:gcg"))
    assert "NASTIER" in text_of(reply)
    assert "7H" not in text_of(reply), "the GCG contains turns after the shown turn"
