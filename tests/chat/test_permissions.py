"""Tests missing permissions: the reply is as complete as possible, and the server gets one notice."""

from __future__ import annotations

from functools import partial
from typing import Any

import discord
import pytest

from tests.positions import MAVEN

from .viewer import answer_of, click, other_views, press, press_copy, replies, text_of

GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n#lexicon CSW21\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +26 92\n"
)

WRONG = (
    "#player1 a {name}\n#player2 b {name}\n>a: AEINRST 8D NASTIER +99 99\n>b: ABCDEFG -AB +5 5\n"
    ">a: EIQU 7H QI +99 999\n"
)
"""A game with many remarks."""


def channel_without(world, **denied):
    overwrite = discord.PermissionOverwrite(**denied)
    return world.guild.create_text_channel("quiet", overwrites={world.guild.default_role: overwrite})


async def test_without_attach_permission_the_board_is_described(world):
    quiet = channel_without(world, attach_files=False)
    await world.alice.send(quiet, f"?\n{MAVEN} -lex OSPD1")
    answer, notice = replies(quiet)
    assert not answer.attachments
    assert ".....BERGS....." in text_of(answer)
    assert MAVEN in (text_of(await press_copy(world.alice, answer))), "the text to copy is there"
    assert "Kibitz can't attach files in <#" in text_of(notice)
    await world.alice.send(quiet, MAVEN)
    assert len(replies(quiet)) == 3, "told once"


async def test_an_edit_where_files_may_not_be_sent_stays_in_words(world):
    quiet = channel_without(world, attach_files=False)
    source = await world.alice.send(quiet, "15/" * 14 + "15 ABC/ 0/0 0 lex NWL23;")
    await world.alice.edit(source, MAVEN)
    assert ".....BERGS....." in text_of(replies(quiet)[0])


async def test_text_cut_for_lack_of_files_is_reported(world):
    quiet = channel_without(world, attach_files=False)
    names = [name * 8 for name in ("alice", "bobby", "carol", "david")]
    files = [(f"{name}.gcg", WRONG.format(name=name).encode()) for name in names]
    await world.alice.send(quiet, "", attachments=files)
    answer = replies(quiet)[0]
    assert len(text_of(answer)) <= 2000
    assert text_of(answer).endswith("(The rest does not fit into a message without files.)")


async def test_hidden_positions_stay_hidden_in_words(world):
    quiet = channel_without(world, attach_files=False)
    await world.alice.send(quiet, f"||{MAVEN}||")
    before, _, after = text_of(replies(quiet)[0]).partition("BERGS")
    assert before.count("||") % 2 == 1
    assert after.count("||") % 2 == 1


def mute_channel(world):
    """Make a channel in which alice may write and we may not."""
    return world.guild.create_text_channel(
        "mute",
        overwrites={
            world.guild.default_role: discord.PermissionOverwrite(send_messages=False),
            world.alice: discord.PermissionOverwrite(send_messages=True),
        },
    )


async def test_missing_send_permission_is_reported_once_elsewhere(world):
    office = world.guild.create_text_channel("office")
    world.bot.get_guild(world.guild.id)._system_channel_id = office.id
    mute = mute_channel(world)
    await world.alice.send(mute, "hello")
    await world.alice.send(mute, MAVEN)
    await world.alice.send(mute, MAVEN)
    assert replies(mute) == []
    [notice] = replies(office)
    assert f"a position in <#{mute.id}>, but Kibitz can't reply there" in text_of(notice)
    assert "**Send Messages**" in text_of(notice)


async def test_missing_permissions_are_not_reported_without_a_channel(world):
    await world.alice.send(mute_channel(world), MAVEN)
    assert [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")] == []


async def test_without_history_permission_the_answer_is_no_reply(world):
    channel = channel_without(world, read_message_history=False)
    await world.alice.send(channel, MAVEN)
    [sent] = [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    assert len(replies(channel)) == 1
    assert "message_reference" not in (sent.json or {})


async def test_a_missing_thread_permission_is_reported_in_the_system_channel(world):
    office = world.guild.create_text_channel("office")
    world.bot.get_guild(world.guild.id)._public_updates_channel_id = office.id
    parent = world.guild.create_text_channel(
        "parent",
        overwrites={
            world.guild.default_role: discord.PermissionOverwrite(send_messages_in_threads=False),
            world.alice: discord.PermissionOverwrite(send_messages_in_threads=True),
        },
    )
    await world.bot.get_channel(parent.id).create_thread(
        name="inside", type=discord.ChannelType.public_thread
    )
    [thread] = parent.threads
    await world.alice.send(thread, MAVEN)
    await world.alice.send(thread, MAVEN)
    [notice] = replies(office)
    assert f"in a thread of <#{parent.id}>" in text_of(notice)
    assert "**Send Messages in Threads**" in text_of(notice)


async def test_a_notice_that_is_refused_does_no_harm(world, caplog):
    office = world.guild.create_text_channel("office")
    world.bot.get_guild(world.guild.id)._system_channel_id = office.id
    world.env.inject_error("POST", f"/channels/{office.id}/messages", status=403, code=50013)
    await world.alice.send(mute_channel(world), MAVEN)
    assert replies(office) == []
    assert "the notice about send_messages" in caplog.text
    assert "fault" not in caplog.text


async def test_a_command_is_answered_in_words_if_files_are_refused(world):
    world.env.inject_error("POST", "/webhooks/*", status=403, code=50013, times=1)
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    text = text_of(result.response or result.followups[-1])
    assert ".....BERGS....." in text


@pytest.fixture(params=["server", "thread", "forum post", "private message"])
async def channel_of_kind(request, world):
    """Return a channel of a kind, the way alice sends something there, and who she is there."""
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
    """Have Discord refuse the next request of a kind, whatever permissions it has reported."""
    world.env.inject_error(method, path, status=403, code=50013, times=1)


def in_words(message, output):
    return not message.attachments and output in text_of(message)


async def test_a_new_answer_is_in_words_if_files_are_refused(world, channel_of_kind):
    channel, send, _ = channel_of_kind
    refuse_once(world, "POST", "/channels/*/messages")
    await send(MAVEN)
    assert in_words(replies(channel)[-1], ".....BERGS.....")


async def test_a_card_becomes_text_when_its_files_are_refused(world, channel_of_kind):
    channel, send, alice = channel_of_kind
    await send(GAME)
    reply = replies(channel)[-1]
    assert reply.attachments
    refuse_once(world, "PATCH", "/webhooks/*")
    await press(alice, reply, "first")
    assert in_words(replies(channel)[-1], "The start of the game; 3 turns follow")
    refuse_once(world, "POST", "/webhooks/*")
    again = next(
        other_view for other_view in other_views(replies(channel)[-1]) if other_view.endswith(":private")
    )
    private = answer_of(await click(alice, replies(channel)[-1], custom_id=again))
    assert in_words(private, "The start of the game; 3 turns follow")


async def test_an_edit_is_in_words_if_files_are_refused(world):
    source = await world.alice.send(world.channel, MAVEN)
    refuse_once(world, "PATCH", "/channels/*/messages/*")
    await world.alice.edit(source, GAME)
    [answer] = replies(world.channel)
    assert in_words(answer, "Turn 3 of 3")


async def test_where_the_right_is_known_to_lack_no_file_is_sent(world):
    quiet = channel_without(world, attach_files=False)
    sent = []

    async def noted(route, **more):
        sent.append(more.get("files"))
        return await request(route, **more)

    request = world.bot.http.request
    world.bot.http.request = noted
    answer = (await world.alice.slash(quiet, "show", position=GAME)).response
    assert in_words(answer, "Turn 3 of 3")
    await press(world.alice, replies(quiet)[-1], "first")
    assert in_words(replies(quiet)[-1], "The start of the game; 3 turns follow")
    assert not any(sent)
