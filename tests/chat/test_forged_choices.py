"""Modified clients can send any value. Kibitz refuses values that a menu or form field does not offer."""

from __future__ import annotations

import logging

from simcord.actors import _component_interaction, _visible_message

from bot.storage.settings import UserSettings

from .actions import (
    EXTRA_MENU_ID,
    GAME,
    fields_of,
    id_of,
    last_reply,
    make_old_message,
    post_and_get_reply,
    press_copy,
    reply_of,
    text_of,
)
from .test_chess import GAME as CHESS_GAME

REFUSAL = "This choice is no longer available. Choose again."
FORGED_VALUES = [["1²"], ["around:x"], ["to:cgpx"], ["x" * 100], [f"kibitz:delete:{1 << 60}"], [""], []]
"""Lists of values that no menu accepts."""


async def send_values(actor, message, custom_id, values):
    """Send any values for a menu. SimCord itself accepts only a menu's options."""
    data = {"custom_id": custom_id, "component_type": 3, "id": 1, "values": values}
    return await _component_interaction(actor, _visible_message(actor, message), data)


async def post_menus(world):
    """Yield messages with menus of different kinds, and the id of each menu. No menu needs an engine."""
    game = await post_and_get_reply(world, GAME)
    yield game, id_of(game, "turns:")
    yield game, EXTRA_MENU_ID
    copy_reply = await press_copy(world.bob, game)
    yield copy_reply, id_of(copy_reply, "more:")
    games = await post_and_get_reply(world, "\n\n".join([CHESS_GAME, CHESS_GAME.replace("bob", "bert")]))
    yield games, id_of(games, "games:")
    panel = (await world.bob.slash(world.channel, "settings me")).response
    make_old_message(world, panel, ("kibitz:choose:me:theme", "dark"))
    yield panel, "kibitz:choose:me:theme"


async def test_a_menu_refuses_a_value_that_it_does_not_offer(world, caplog):
    caplog.set_level(logging.WARNING)
    async for message, custom_id in post_menus(world):
        earlier_text = text_of(last_reply(world))
        for values in FORGED_VALUES:
            reply = reply_of(await send_values(world.bob, message, custom_id, values))
            assert text_of(reply) == REFUSAL, (custom_id, values)
            assert reply.flags.ephemeral
        assert text_of(last_reply(world)) == earlier_text
    assert not caplog.records
    assert (await world.bot.store.user_settings(world.bob.id)).theme is None


async def open_forms(world, carol):
    """Yield a user, an opened form, the name of a field in it, and a forged value for the field."""
    settings = (await carol.slash(world.channel, "settings server")).response
    foreign_channel = world.env.create_guild("Elsewhere").create_text_channel("private")
    for name, value in (("channel_id", foreign_channel.id), ("games", "go"), ("level", "9")):
        form = await carol.click(settings, custom_id="kibitz:set:server:daily")
        yield carol, form, name, str(value)
    own_settings = (await world.bob.slash(world.channel, "settings me")).response
    yield world.bob, await world.bob.click(own_settings, custom_id="kibitz:set:me:looks"), "theme", "pink"


async def test_a_form_refuses_a_value_that_it_does_not_offer(world, carol, caplog):
    caplog.set_level(logging.WARNING)
    async for person, form, name, value in open_forms(world, carol):
        values = {}
        for field in fields_of(form._interaction.modal):
            is_list = field["type"] in (3, 22)
            if field["custom_id"] == name:
                field["options"].append(
                    {"label": value, "value": value}
                )  # otherwise, SimCord rejects the value
                values[name] = [value] if is_list else value
            elif options := field.get("options"):
                values[field["custom_id"]] = [options[0]["value"]] if is_list else options[0]["value"]
            else:
                values[field["custom_id"]] = field.get("value") or ""
        reply = reply_of(await person.submit_modal(form, values))
        assert text_of(reply) == REFUSAL, name
    assert not caplog.records
    assert await world.bot.store.daily_settings(world.guild.id) is None


async def test_a_form_refuses_text_that_is_longer_than_its_field(world, caplog):
    caplog.set_level(logging.WARNING)
    settings = (await world.bob.slash(world.channel, "settings me")).response
    form = await world.bob.click(settings, custom_id="kibitz:set:me:looks")
    values = {}
    for field in fields_of(form._interaction.modal):
        values[field["custom_id"]] = field.get("value", "")
        if field["custom_id"] == "lexicon":
            field["max_length"] = 4_000  # otherwise, SimCord rejects the value
            values["lexicon"] = "X" * 33
        elif "options" in field:
            values[field["custom_id"]] = field["options"][0]["value"]
    reply = reply_of(await world.bob.submit_modal(form, values))
    assert text_of(reply) == "This text is longer than 32 characters."
    assert not caplog.records
    assert await world.bot.store.user_settings(world.bob.id) == UserSettings()
