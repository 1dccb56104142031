"""The Delete button under the bot's replies."""

from __future__ import annotations

from tests.positions import MAVEN

from .actions import click, ids_of, post, replies, text_of


def delete_button_id(member):
    return f"kibitz:delete:{member.id}"


async def test_the_author_deletes_the_reply(world):
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    await click(world.alice, reply, custom_id=delete_button_id(world.alice))
    assert replies(world.channel) == []
    record = await world.bot.store.reply(source.id)
    assert record.reply_ids == ()
    await world.alice.edit(source, f"{MAVEN} !")
    assert replies(world.channel) == [], "an edit brought the deleted reply back"
    await world.alice.delete(source)
    assert await world.bot.store.reply(source.id) is None


async def test_other_users_are_refused_privately(world):
    [reply] = await post(world, MAVEN)
    result = await click(world.bob, reply, custom_id=delete_button_id(world.alice))
    assert result.ephemeral
    assert "Only moderators and the person Kibitz replied to" in text_of(result.response)
    assert len(replies(world.channel)) == 1


async def test_a_moderator_deletes_any_reply(world):
    carol = world.add_member("carol", manage_messages=True)
    await world.alice.send(world.channel, MAVEN)
    await click(carol, replies(world.channel)[0], custom_id=delete_button_id(world.alice))
    assert replies(world.channel) == []


async def test_the_reply_to_a_command_belongs_to_its_user(world):
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    await click(world.bob, result.response, custom_id=delete_button_id(world.alice))
    assert result.response is not None
    await click(world.alice, result.response, custom_id=delete_button_id(world.alice))
    assert result.response is None


async def test_a_private_reply_has_no_delete_button(world):
    result = await world.alice.slash(world.channel, "show", position=MAVEN, private=True)
    assert not [id_ for id_ in ids_of(result.response) if id_.startswith("kibitz:delete")]


async def test_a_reply_in_a_direct_message_is_deleted(world):
    await world.alice.send_dm(MAVEN)
    reply = world.alice.user.dm_channel.last_message
    await click(world.alice.user, reply, custom_id=delete_button_id(world.alice))
    assert replies(world.alice.user.dm_channel) == []


async def test_deleting_a_missing_reply_succeeds(world):
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    world.env.inject_error("DELETE", "/webhooks/*", status=404, code=10008, times=1)
    result = await click(world.alice, reply, custom_id=delete_button_id(world.alice))
    assert result.acknowledged
    assert (await world.bot.store.reply(source.id)).reply_ids == ()


async def test_an_error_while_deleting_gets_an_apology(world, caplog):
    await world.alice.send(world.channel, MAVEN)
    world.env.inject_error("DELETE", "/webhooks/*", status=400, code=50035, times=1)
    result = await click(world.alice, replies(world.channel)[0], custom_id=delete_button_id(world.alice))
    text = text_of(result.followups[-1])
    assert "Something went wrong in Kibitz" in text
    assert text.rsplit(" ", 1)[1].rstrip(".") in caplog.text
