"""The mode of a server, channel or thread: whether the bot replies to every position, waits for a request, or replies only to commands and mentions."""

from __future__ import annotations

import discord

from bot.chat.preferences import Mode
from tests.positions import MAVEN

from .actions import post, reactions_of_bot, replies, replies_with_files, text_of

MARK = "🔍"
"""The bot's reaction to a position that it shows on request. Users request the reply with the same reaction."""


async def change_server_settings(world, **options):
    manager = world.add_member("carol", manage_guild=True)
    return await manager.slash(world.channel, "settings server", **options)


async def test_in_off_mode_only_mentions_and_commands_get_replies(world):
    await change_server_settings(world, mode="off")
    source = await world.alice.send(world.channel, MAVEN)
    assert replies(world.channel) == []
    await world.bob.send(world.channel, f"<@{world.me.id}>", reply_to=source)
    assert len(replies(world.channel)) == 1
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    assert result.response.attachments
    await world.alice.send_dm(MAVEN)
    assert world.alice.user.dm_channel.last_message.attachments, "a server's mode applied to direct messages"


async def test_on_request_mode_replies_to_a_reaction_once(world):
    await change_server_settings(world, mode="on_request")
    source = await world.alice.send(world.channel, MAVEN)
    assert replies(world.channel) == []
    assert reactions_of_bot(world, source) == [MARK]
    await world.bob.react(source, MARK)
    [reply] = replies(world.channel)
    assert reply.reference.message_id == source.id
    assert reply.attachments
    assert reactions_of_bot(world, source) == [], "the bot did not remove its reaction after the reply"
    await world.alice.react(source, MARK)
    assert len(replies(world.channel)) == 1


async def test_on_request_mode_ignores_chat_and_other_reactions(world):
    await change_server_settings(world, mode="on_request")
    chat = await world.alice.send(world.channel, "hello")
    await world.bob.react(chat, MARK)
    source = await world.alice.send(world.channel, MAVEN)
    await world.bob.react(source, "👍")
    assert reactions_of_bot(world, chat) == []
    assert replies(world.channel) == []


async def test_a_reaction_that_only_a_user_added_is_ignored(world):
    source = await world.alice.send(world.channel, f"{MAVEN[:-60]} not a position")
    await change_server_settings(world, mode="on_request")
    await world.bob.react(source, MARK)
    assert replies(world.channel) == []


async def test_a_mention_gets_an_immediate_reply_in_on_request_mode(world):
    await change_server_settings(world, mode="on_request")
    await world.alice.send(world.channel, f"<@{world.me.id}> {MAVEN}")
    assert len(replies(world.channel)) == 1


async def test_an_edit_that_removes_the_position_removes_the_reaction(world):
    await change_server_settings(world, mode="on_request")
    source = await world.alice.send(world.channel, MAVEN)
    await world.alice.edit(source, "never mind")
    await world.bob.react(source, MARK)
    assert replies(world.channel) == []
    assert reactions_of_bot(world, source) == []


async def test_threads_inherit_the_mode_of_their_channel(world):
    channel = world.guild.create_text_channel("quiet")
    result = await change_server_settings(world, mode="off", channel=channel)
    assert f"<#{channel.id}>: Reply only to commands and mentions" in text_of(result.response)
    assert await post(world, MAVEN, channel=channel) == []
    thread = await world.bot.get_channel(channel.id).create_thread(
        name="inside", type=discord.ChannelType.public_thread
    )
    [world_thread] = channel.threads
    assert world_thread.id == thread.id
    await world.alice.send(world_thread, MAVEN)
    assert replies_with_files(world_thread) == []
    await world.alice.send(world.channel, MAVEN)
    assert len(replies(world.channel)) == 1
    await world.bot.preferences.set_channel_mode(world.guild.id, world_thread.id, Mode.AUTO)
    await world.alice.send(world_thread, MAVEN)
    assert len(replies_with_files(world_thread)) == 1


async def test_forum_posts_inherit_their_forums_mode(world):
    forum = world.guild.create_forum_channel("problems")
    await change_server_settings(world, mode="off", channel=forum)
    await world.bot.get_channel(forum.id).create_thread(name="Endgame of the week", content="?")
    [post] = forum.threads
    await world.alice.send(post, MAVEN)
    assert replies_with_files(post) == []


async def test_a_channel_can_return_to_the_servers_mode(world):
    await change_server_settings(world, mode="off", channel=world.channel)
    result = await change_server_settings(world, mode="default", channel=world.channel)
    assert "The same mode in all channels" in text_of(result.response)
    await world.alice.send(world.channel, MAVEN)
    assert len(replies(world.channel)) == 1


async def test_missing_reaction_permission_is_reported_once(world):
    await change_server_settings(world, mode="on_request")
    channel = world.create_channel_with_permissions(add_reactions=False)
    [notice] = await post(world, MAVEN, channel=channel)
    assert "**Add Reactions**" in text_of(notice)
    assert await post(world, MAVEN, channel=channel) == []


async def test_an_unknown_stored_mode_is_ignored(world):
    await world.bot.store.set_channel_mode(world.guild.id, world.channel.id, "shout")
    await world.alice.send(world.channel, MAVEN)
    assert len(replies(world.channel)) == 1


async def test_two_concurrent_reactions_get_one_reply(world):
    await change_server_settings(world, mode="on_request")
    source = await world.alice.send(world.channel, MAVEN)
    for person in (world.alice, world.bob):
        world.env.backend.set_reaction(world.channel.id, source.id, MARK, person.id, True)
    await world.env.settle()
    assert len(replies(world.channel)) == 1


async def test_a_reaction_to_a_deleted_message_is_ignored(world, caplog):
    await change_server_settings(world, mode="on_request")
    source = await world.alice.send(world.channel, MAVEN)
    backend = world.env.backend
    backend.set_reaction(world.channel.id, source.id, MARK, world.bob.id, True)
    backend.delete_message(world.channel.id, source.id)
    await world.env.settle()
    assert replies_with_files(world.channel) == []
    assert "fault" not in caplog.text


async def test_a_refused_reaction_causes_no_fault(world, caplog):
    await change_server_settings(world, mode="on_request")
    world.env.inject_error("PUT", "/channels/*/messages/*/reactions/*", status=403, code=90001)
    assert await post(world, MAVEN) == []
    assert "fault" not in caplog.text
    source = await world.alice.send(world.channel, MAVEN)
    assert reactions_of_bot(world, source) == [MARK]


async def test_spoilers_stay_hidden_in_on_request_mode(world):
    await change_server_settings(world, mode="on_request")
    source = await world.alice.send(world.channel, f"||{MAVEN}||")
    await world.bob.react(source, MARK)
    [reply] = replies(world.channel)
    assert reply.attachments[0].is_spoiler()
