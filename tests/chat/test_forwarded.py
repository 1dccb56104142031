"""Positions in forwarded messages, forum posts, webhook posts and followed announcement channels."""

from __future__ import annotations

import discord
import pytest
from simcord.backend import serializers

from tests.positions import MAVEN

from .actions import post, replies


async def test_a_forwarded_position_is_shown_in_the_new_channel(world):
    other_channel = world.guild.create_text_channel("elsewhere")
    source = await world.alice.send(world.channel, MAVEN)
    forwarded = await world.bob.forward(source, other_channel)
    [reply] = replies(other_channel)
    assert "rack IKLMTZ" in reply.attachments[0].description
    assert reply.reference.message_id == forwarded.id
    assert len(replies(world.channel)) == 1


async def test_a_forwarded_file_is_read(world):
    other_channel = world.guild.create_text_channel("elsewhere")
    source = await world.alice.send(world.channel, "", attachments=[("a.txt", MAVEN.encode())])
    await world.bob.forward(source, other_channel)
    [reply] = replies(other_channel)
    assert "rack IKLMTZ" in reply.attachments[0].description


async def test_forwarded_chat_gets_no_reply(world):
    other_channel = world.guild.create_text_channel("elsewhere")
    source = await world.alice.send(world.channel, "hello")
    await world.bob.forward(source, other_channel)
    assert replies(other_channel) == []


async def test_the_message_menu_shows_a_forwarded_spoiler_as_a_spoiler(world):
    other_channel = world.guild.create_text_channel("elsewhere")
    source = await world.alice.send(world.channel, f"||{MAVEN}||")
    forwarded = await world.bob.forward(source, other_channel)
    result = await world.alice.context_menu(other_channel, "Show position", forwarded)
    [picture] = result.response.attachments
    assert picture.is_spoiler()


async def test_a_position_in_a_forum_post_gets_a_reply_in_the_post(world):
    forum = world.guild.create_forum_channel("problems")
    forum_channel = world.bot.get_channel(forum.id)
    created_post = await forum_channel.create_thread(name="Endgame of the week", content="?")
    [post] = forum.threads
    assert created_post.thread.id == post.id
    await world.alice.send(post, MAVEN)
    [reply] = [message for message in replies(post) if message.attachments]
    assert "rack IKLMTZ" in reply.attachments[0].description


async def test_positions_posted_by_webhooks_are_ignored(world):
    webhook = world.guild.create_webhook(world.channel)
    await webhook.send(MAVEN)
    assert bot_messages(world) == []


async def receive_announcement(world, **changes):
    """Let the bot receive a post with a position from an announcement channel that the test's channel follows."""
    webhook = world.guild.create_webhook(world.channel, "News")
    sent = await webhook.send("wait")
    backend = world.env.backend
    payload = dict(serializers.message_payload(backend, backend.get_message(world.channel.id, sent.id)))
    payload |= {"content": MAVEN, "flags": discord.MessageFlags(is_crossposted=True).value, **changes}
    backend.emit("MESSAGE_CREATE", payload)
    await world.env.settle()


def bot_messages(world):
    """Return the bot's messages, without those of webhooks."""
    return [message for message in world.channel.history() if message.author.id == world.me.id]


async def test_a_post_from_a_followed_announcement_channel_gets_a_reply(world):
    await receive_announcement(world)
    assert len(bot_messages(world)) == 1


@pytest.mark.parametrize(("poster", "reply_count"), [("person", 1), ("webhook", 0), ("other bot", 0)])
async def test_a_published_message_is_answered_only_if_a_person_wrote_it(world, poster, reply_count):
    news = world.guild.create_news_channel("news")
    if poster == "person":
        original = await world.alice.send(news, MAVEN)
    elif poster == "webhook":
        original = await world.guild.create_webhook(news).send(MAVEN)
    else:
        other_bot = world.guild.add_member(world.env.create_user("helper", bot=True))
        original = await other_bot.send(news, MAVEN)
    reference = {"channel_id": str(news.id), "message_id": str(original.id), "guild_id": str(world.guild.id)}
    await receive_announcement(world, message_reference=reference)
    assert len(bot_messages(world)) == reply_count


async def test_a_published_reply_of_the_bot_is_ignored(world):
    news = world.guild.create_news_channel("news")
    [reply] = await post(world, MAVEN, channel=news)
    reference = {"channel_id": str(news.id), "message_id": str(reply.id), "guild_id": str(world.guild.id)}
    await receive_announcement(world, message_reference=reference)
    assert bot_messages(world) == []
