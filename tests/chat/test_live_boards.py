"""Only the newest reply about a live game shows its board."""

from __future__ import annotations

import discord

from tests.domain.crossword.notations.live_links import history, racks_after, turn_link

from .actions import click, id_of, kinds_of, post, replies, reply_of, text_of
from .test_live_secrets import post_turns

GAME = history("g7", 6)


def messages_with_boards(messages):
    return [message for message in messages if message.attachments]


async def test_only_the_newest_reply_keeps_its_board(world):
    await post_turns(world, 2)
    first, second = replies(world.channel)
    assert messages_with_boards((first, second)) == [second]
    assert kinds_of(first) == ["delete"]
    assert "Turn 1 of 1" in text_of(first)
    await world.restart()
    await post_turns(world, 3, first=3)
    assert messages_with_boards(replies(world.channel)) == [replies(world.channel)[2]]
    # Another game has its own board. An older link does not restore an older board.
    await post(world, turn_link(history("other", 1), 1), world.bob)
    older_link = await world.alice.send(world.channel, "see " + turn_link(GAME, 2))
    assert len(messages_with_boards(replies(world.channel))) == 2
    await world.bob.send(world.channel, turn_link(GAME, 4))
    await world.alice.edit(older_link, "look at " + turn_link(GAME, 2))
    boards = messages_with_boards(replies(world.channel))
    assert [text_of(board).count("Turn 4 of 4") for board in boards] == [0, 1]
    result = await world.bob.slash(world.channel, "game show")
    assert "Turn 4 of 4" in text_of(reply_of(result))
    empty_channel = world.guild.create_text_channel("empty")
    assert "There are no live games here" in text_of(
        reply_of(await world.bob.slash(empty_channel, "game show"))
    )


async def test_an_author_can_delete_a_reply_that_lost_its_board(world):
    await post_turns(world, 2)
    first = replies(world.channel)[0]
    await click(world.alice, first, custom_id=id_of(first, "delete:"))
    assert first.id not in {message.id for message in replies(world.channel)}
    await post_turns(world, 3, first=3)
    assert len(messages_with_boards(replies(world.channel))) == 1


async def test_known_players_are_shown_with_their_server_nicknames(world):
    world.env.backend.guilds[world.guild.id].members[world.bob.id].nick = "Bobby *the* Tiles"
    [second] = await post_turns(world, 2)
    assert "**alice to move**" in text_of(second)
    assert "Turn 2 of 2: bob" in text_of(second)
    await post_turns(world, 4, first=3)
    fourth = replies(world.channel)[3]
    assert r"Turn 4 of 4: Bobby \*the\* Tiles ·" in text_of(fourth)
    await world.restart()
    [fifth] = await post(world, turn_link(GAME, 5), world.alice)
    assert f"**<@{world.bob.id}> to move**" in text_of(fifth), (
        "the card shows a name that the bot can't know right after its restart"
    )


async def test_only_subscribed_players_are_notified_of_their_turn(world, carol):
    def pings():
        """Return the mentions in the messages that were sent."""
        requests = [
            http_request
            for http_request in world.env.http_requests
            if http_request.method == "POST" and http_request.path.endswith("/messages")
        ]
        mentions = [
            item.json["allowed_mentions"] for item in requests if item.json and "content" in item.json
        ]
        return [
            (item["parse"], item.get("users", []), item.get("roles", []), item.get("replied_user", False))
            for item in mentions
        ]

    await post_turns(world, 4)
    assert pings()
    assert set(map(str, pings())) == {str(([], [], [], False))}
    panel = await world.bob.slash(world.channel, "settings me", turns="yes")
    assert "- Mention me when it is my turn in a live game" in text_of(panel.response)
    [fifth] = await post_turns(world, 5, first=5)
    assert f"<@{world.bob.id}>, it is your turn." in text_of(fifth)
    assert str(pings()[-1]) == str(([], [world.bob.id], [], False))
    for text, author in ((turn_link(GAME, 5), world.alice), (turn_link(GAME, 6), world.bob)):
        [reply] = await post(world, text, author)
        assert "it is your turn" not in text_of(reply), (
            "bob was notified again of turn 5, or alice, who has not subscribed, was notified"
        )
    await carol.slash(world.channel, "settings server", turns="no")
    await world.alice.slash(world.channel, "settings me", turns="yes")
    [reply] = await post(world, turn_link(GAME, 6), world.bob)
    assert "it is your turn" not in text_of(reply)


async def test_a_game_gets_a_thread_if_the_server_wants_threads(world, carol):
    await carol.slash(world.channel, "settings server", live="thread")
    await post_turns(world, 1)
    [thread] = world.channel.threads
    assert thread.name == "alice – bob"
    [hint] = replies(thread)
    assert "continue the game in this thread" in text_of(hint)
    # The thread and its channel share the game.
    [second] = await post(world, turn_link(GAME, 2), world.bob, thread)
    assert "Turn 2 of 2" in text_of(second)
    assert messages_with_boards(replies(world.channel)) == []
    [third] = await post(world, turn_link(GAME, 3), world.alice)
    assert (
        f"Kibitz assumes that the players are <@{world.alice.id}> (alice), <@{world.bob.id}> (bob)."
        in text_of(third)
    )
    assert [len(messages_with_boards(replies(channel))) for channel in (world.channel, thread)] == [1, 0]
    result = await world.alice.slash(thread, "game show", my_rack=True)
    text = "".join(item.description or "" for item in reply_of(result).attachments)
    assert f"rack {racks_after(GAME, 3)[0]}" in text
    for message in [*replies(world.channel), *replies(thread)]:
        words = text_of(message) + "".join(attachment.description or "" for attachment in message.attachments)
        assert not any(rack in words for turns in range(4) for rack in racks_after(GAME, turns))
    assert len(world.channel.threads) == 1
    private_thread = await world.bot.get_channel(world.channel.id).create_thread(
        name="aside", type=discord.ChannelType.private_thread
    )
    [aside] = [thread for thread in world.channel.threads if thread.id == private_thread.id]
    await private_thread.add_user(discord.Object(world.bob.id))
    [reply] = await post(world, turn_link(GAME, 4), world.bob, aside)
    assert "Turn 4 of 4" in text_of(reply), "a known player could not continue the game from another channel"


async def test_without_thread_permission_a_game_stays_in_the_channel(world, carol):
    await carol.slash(world.channel, "settings server", live="thread")
    channel = world.create_channel_with_permissions(create_public_threads=False)
    [reply] = await post(world, turn_link(GAME, 1), world.alice, channel)
    assert reply.attachments
    assert channel.threads == []
