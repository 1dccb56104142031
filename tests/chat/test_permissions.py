"""If the bot lacks permissions, its reply is as complete as possible, and the server gets one notice."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import discord
import pytest

from tests.positions import MAVEN

from .actions import GAME, choose_view, post, press, press_copy, replies, reply_of, text_of

GAME_WITH_WARNINGS = (
    "#player1 a {name}\n#player2 b {name}\n>a: AEINRST 8D NASTIER +99 99\n>b: ABCDEFG -AB +5 5\n"
    ">a: EIQU 7H QI +99 999\n"
)
"""A game that gets many warnings."""


async def test_without_attach_permission_the_board_is_described(world):
    channel = world.create_channel_with_permissions(attach_files=False)
    await world.alice.send(channel, f"?\n{MAVEN} -lex OSPD1")
    reply, notice = replies(channel)
    assert not reply.attachments
    assert ".....BERGS....." in text_of(reply)
    assert MAVEN in text_of(await press_copy(world.alice, reply))
    assert "Kibitz can't attach files in <#" in text_of(notice)
    await world.alice.send(channel, MAVEN)
    assert len(replies(channel)) == 3, "the notice was sent twice"


async def test_a_reply_without_files_stays_text_after_an_edit(world):
    channel = world.create_channel_with_permissions(attach_files=False)
    source = await world.alice.send(channel, "15/" * 14 + "15 ABC/ 0/0 0 lex NWL23;")
    await world.alice.edit(source, MAVEN)
    assert ".....BERGS....." in text_of(replies(channel)[0])


async def test_long_text_without_files_is_cut_with_a_remark(world):
    channel = world.create_channel_with_permissions(attach_files=False)
    names = [name * 8 for name in ("alice", "bobby", "carol", "david")]
    files = [(f"{name}.gcg", GAME_WITH_WARNINGS.format(name=name).encode()) for name in names]
    await world.alice.send(channel, "", attachments=files)
    reply = replies(channel)[0]
    assert len(text_of(reply)) <= 2000
    assert text_of(reply).endswith("(The rest doesn't fit into a message without files.)")


async def test_hidden_positions_stay_hidden_as_text(world):
    channel = world.create_channel_with_permissions(attach_files=False)
    await world.alice.send(channel, f"||{MAVEN}||")
    text_before, _, text_after = text_of(replies(channel)[0]).partition("BERGS")
    assert text_before.count("||") % 2 == 1
    assert text_after.count("||") % 2 == 1


def create_mute_channel(world, permission="send_messages"):
    """Create a channel in which Alice has a permission that the bot lacks."""
    return world.guild.create_text_channel(
        "mute",
        overwrites={
            world.guild.default_role: discord.PermissionOverwrite(**{permission: False}),
            world.alice: discord.PermissionOverwrite(**{permission: True}),
        },
    )


async def test_missing_send_permission_is_reported_once_elsewhere(world, system_channel):
    mute = create_mute_channel(world)
    await world.alice.send(mute, "hello")
    for _ in range(2):
        assert await post(world, MAVEN, channel=mute) == []
    [notice] = replies(system_channel)
    assert f"a position in <#{mute.id}>, but Kibitz can't reply there" in text_of(notice)
    assert "**Send Messages**" in text_of(notice)


async def test_without_a_system_channel_missing_permissions_are_not_reported(world):
    await world.alice.send(create_mute_channel(world), MAVEN)
    assert [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")] == []


async def test_without_history_permission_the_message_is_not_a_reply(world):
    channel = world.create_channel_with_permissions(read_message_history=False)
    await world.alice.send(channel, MAVEN)
    [sent] = [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    assert len(replies(channel)) == 1
    assert "message_reference" not in (sent.json or {})


async def test_a_missing_thread_permission_is_reported_in_the_updates_channel(world):
    office = world.guild.create_text_channel("office")
    world.bot.get_guild(world.guild.id)._public_updates_channel_id = office.id
    parent = create_mute_channel(world, "send_messages_in_threads")
    await world.bot.get_channel(parent.id).create_thread(
        name="inside", type=discord.ChannelType.public_thread
    )
    [thread] = parent.threads
    await world.alice.send(thread, MAVEN)
    await world.alice.send(thread, MAVEN)
    [notice] = replies(office)
    assert f"in a thread of <#{parent.id}>" in text_of(notice)
    assert "**Send Messages in Threads**" in text_of(notice)


async def test_a_refused_notice_is_logged_without_a_fault(world, system_channel, caplog):
    world.env.inject_error("POST", f"/channels/{system_channel.id}/messages", status=403, code=50013)
    await world.alice.send(create_mute_channel(world), MAVEN)
    assert replies(system_channel) == []
    assert re.search(r"the notice missing:\d+:send_messages was not delivered", caplog.text)
    assert "fault" not in caplog.text


async def test_a_notice_that_one_channel_refuses_is_sent_to_another(world, system_channel):
    office = world.guild.create_text_channel("office")
    world.bot.get_guild(world.guild.id)._public_updates_channel_id = office.id
    world.env.inject_error("POST", f"/channels/{office.id}/messages", status=403, code=50013)
    mute = create_mute_channel(world)
    for _ in range(2):
        await world.alice.send(mute, MAVEN)
    assert replies(office) == []
    assert len(replies(system_channel)) == 1


async def test_a_command_gets_text_if_files_are_refused(world):
    refuse_once(world, "POST", "/webhooks/*")
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    assert ".....BERGS....." in text_of(result.response or result.followups[-1])


@pytest.fixture(params=["server", "thread", "forum post", "private message"])
async def channel_of_kind(request, world):
    """Return a channel of one kind, a function that sends a message there as Alice, and Alice's actor there."""
    if request.param == "private message":
        return world.alice.user.dm_channel, world.alice.send_dm, world.alice.user
    channel = world.channel
    if request.param != "server":
        parent = world.guild.create_text_channel("parent")
        content: dict[str, Any] = {"type": discord.ChannelType.public_thread}
        if request.param == "forum post":
            parent, content = world.guild.create_forum_channel("problems"), {"content": "?"}
        await world.bot.get_channel(parent.id).create_thread(name="inside", **content)
        [channel] = parent.threads
    return channel, partial(world.alice.send, channel), world.alice


def refuse_once(world, method, path):
    """Have Discord refuse the next request to a path despite the permissions."""
    world.env.inject_error(method, path, status=403, code=50013, times=1)


def is_only_text(message, text):
    return not message.attachments and text in text_of(message)


async def test_a_new_reply_is_text_if_files_are_refused(world, channel_of_kind):
    channel, send, _ = channel_of_kind
    refuse_once(world, "POST", "/channels/*/messages")
    await send(MAVEN)
    assert is_only_text(replies(channel)[-1], ".....BERGS.....")


async def test_a_card_becomes_text_when_its_files_are_refused(world, channel_of_kind):
    channel, send, alice = channel_of_kind
    await send(GAME)
    reply = replies(channel)[-1]
    assert reply.attachments
    refuse_once(world, "PATCH", "/webhooks/*")
    await press(alice, reply, "first")
    assert is_only_text(replies(channel)[-1], "The start of the game; 3 turns follow")
    refuse_once(world, "POST", "/webhooks/*")
    private_reply = reply_of(await choose_view(alice, replies(channel)[-1], "private"))
    assert is_only_text(private_reply, "The start of the game; 3 turns follow")


async def test_an_edited_reply_is_text_if_files_are_refused(world):
    source = await world.alice.send(world.channel, MAVEN)
    refuse_once(world, "PATCH", "/channels/*/messages/*")
    await world.alice.edit(source, GAME)
    [reply] = replies(world.channel)
    assert is_only_text(reply, "Turn 3 of 3")


async def test_no_file_is_sent_if_discord_reports_the_missing_permission(world):
    channel = world.create_channel_with_permissions(attach_files=False)
    sent_files = []

    async def record_files(route, **options):
        sent_files.append(options.get("files"))
        return await request(route, **options)

    request = world.bot.http.request
    world.bot.http.request = record_files
    reply = (await world.alice.slash(channel, "show", position=GAME)).response
    assert is_only_text(reply, "Turn 3 of 3")
    await press(world.alice, replies(channel)[-1], "first")
    assert is_only_text(replies(channel)[-1], "The start of the game; 3 turns follow")
    assert not any(sent_files)
