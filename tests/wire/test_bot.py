"""Kibitz against the local Discord: pictures, sessions, faults and controls. Each message gets one reply."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import png
import pytest

from bot.chat.card import ReplyContext
from bot.chat.client import SHUTDOWN_GRACE_SECONDS
from bot.chat.source import Source
from bot.features.showing.controls import PRESENTER
from bot.text import translator

from .faults import CALLBACK, CREATE_MESSAGE, DOWNLOAD, REGISTER_COMMANDS
from .interactions import SELECT, Callback
from .journal import MAX_WAIT_SECONDS
from .kibitz import MAX_STOP_SECONDS, kibitz, position, until_log_contains
from .message_bodies import control_id, every_component

if TYPE_CHECKING:
    from .server import WireServer
    from .world import StoredMessage


def decode_picture(message: StoredMessage) -> tuple[int, int]:
    """Decode all rows of a message's only picture. Return its size in pixels."""
    (file,) = message.files
    width, height, rows, _ = png.Reader(bytes=file.data).asRGBA8()
    assert sum(1 for _ in rows) == height
    return width, height


# The picture


async def test_the_picture_arrives_intact_with_alt_text(wire: WireServer) -> None:
    async with kibitz(wire) as bot:
        message = await wire.post(position("HELLO"))
        reply = await wire.wait_for_reply(message)
        card = await bot.services[PRESENTER].show(
            Source(position("HELLO"), on_request=False),
            ReplyContext(bot.preferences._default_appearance, translator("en-US")),
        )
    width, height = decode_picture(reply)
    assert 500 < width < height
    assert reply.files[0].data == card.drawings[0].picture.data
    assert reply.files[0].description == card.drawings[0].alt
    assert "....HELLO......" in card.drawings[0].alt
    assert reply.reply_to == message.id


async def test_no_user_is_mentioned(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(position()))
        help_card = await wire.wait_for_reply(
            await wire.post(f"<@{wire.world.bot.id}> @everyone", mentions=(wire.world.bot,))
        )
    assert reply.sent["allowed_mentions"] == {"parse": []}
    assert help_card.sent["allowed_mentions"] == {"parse": []}


async def test_an_attached_position_is_downloaded_and_shown(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(
            await wire.post("look", files={"game.cgp": position("FILED").encode()})
        )
    assert "....FILED......" in (reply.files[0].description or "")


async def test_a_command_gets_a_reply_with_the_picture(wire: WireServer) -> None:
    async with kibitz(wire):
        interaction = await wire.interactions.command("show", position=position(), channel=wire.world.direct)
        reply = await wire.interactions.until_replied(interaction)
    decode_picture(reply)
    assert interaction.callback == {"type": Callback.THINKING}
    assert reply.sent["allowed_mentions"] == {"parse": []}


async def test_a_menu_command_reads_messages_without_the_content_intent(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZ_DISCORD__MESSAGE_CONTENT", "false")
    async with kibitz(wire):
        target = await wire.post(position("MENUS"), author=wire.world.bob)
        interaction = await wire.interactions.use_menu_command("Show position", target)
        reply = await wire.interactions.until_replied(interaction)
    assert "....MENUS......" in (reply.files[0].description or "")
    assert wire.world.replies_to(target) == []


# Each message gets one reply


async def until_earlier_events_received(wire: WireServer) -> None:
    """Post another message, and wait for the reply. By then, the bot has received all earlier events."""
    await wire.wait_for_reply(await wire.post(position("LASTLY")))


async def test_missed_messages_get_replies_after_a_resume(wire: WireServer) -> None:
    async with kibitz(wire):
        before = await wire.post(position("BEFORE"))
        await wire.wait_for_reply(before)
        await wire.gateway.drop()
        missed = [await wire.post(position(word)) for word in ("FIRST", "SECOND", "THIRD")]
        for message in missed:
            await wire.wait_for_reply(message)
        await until_earlier_events_received(wire)
    assert len(wire.gateway.identifies) == 1
    assert len(wire.gateway.resumes) == 1
    assert all(len(wire.world.replies_to(message)) == 1 for message in (before, *missed))


async def test_messages_repeated_by_a_resume_get_one_reply(wire: WireServer) -> None:
    async with kibitz(wire):
        messages = [await wire.post(position(word)) for word in ("FIRST", "SECOND")]
        for message in messages:
            await wire.wait_for_reply(message)
        # The two messages and the two replies: the bot also receives events for its own messages.
        wire.gateway.events_to_repeat = 4
        await wire.gateway.drop()
        await wire.journal.until(lambda: wire.gateway.replayed_count, "the replay")
        await until_earlier_events_received(wire)
    assert wire.gateway.replayed_count >= 4
    assert all(len(wire.world.replies_to(message)) == 1 for message in messages)
    # Count the requests, because Discord would drop a second reply with the same nonce.
    assert wire.request_count("POST", "/messages") == 3


async def test_a_repeated_message_event_gets_one_reply(wire: WireServer) -> None:
    async with kibitz(wire):
        # Before the first response, discord.py doesn't know the rate limit, and sends one message at a time.
        await wire.wait_for_reply(await wire.post(position("BEFORE")))
        hold = wire.faults.hold(CREATE_MESSAGE)
        message = await wire.post(position())
        await asyncio.wait_for(hold.reached.wait(), 10)
        for _ in range(5):
            await wire.gateway.message_created(message)
        await until_earlier_events_received(wire)
        hold.release()
        await wire.wait_for_reply(message)
    assert len(wire.world.replies_to(message)) == 1
    assert wire.request_count("POST", "/messages") == 3


async def test_no_message_gets_two_replies_after_a_refused_resume(wire: WireServer) -> None:
    async with kibitz(wire):
        message = await wire.post(position())
        await wire.wait_for_reply(message)
        wire.gateway.resumes_to_refuse = 1
        await wire.gateway.drop()
        await wire.journal.until(lambda: len(wire.gateway.identifies) == 2, "a second identify")
        await wire.gateway.wait_until_ready()
        await wire.gateway.message_created(message)
        await until_earlier_events_received(wire)
    assert len(wire.world.replies_to(message)) == 1


async def test_commands_are_registered_once(wire: WireServer) -> None:
    for _ in range(2):
        async with kibitz(wire):
            await until_earlier_events_received(wire)
    assert wire.rest.registration_count == 1
    names = {command["name"] for command in wire.rest.commands}
    assert {"show", "convert", "Show position"} <= names


# Faults


@pytest.mark.parametrize("is_global", [False, True])
async def test_a_rate_limit_is_waited_out(wire: WireServer, is_global: bool) -> None:
    fault = wire.faults.rate_limit(CREATE_MESSAGE, after=0.2, is_global=is_global)
    async with kibitz(wire):
        message = await wire.post(position())
        reply = await wire.wait_for_reply(message)
        await until_earlier_events_received(wire)
    assert (fault.hits, fault.early_retry_count) == (1, 0)
    decode_picture(reply)
    assert len(wire.world.replies_to(message)) == 1


@pytest.mark.slow
async def test_a_burst_of_messages_gets_replies_despite_rate_limits(wire: WireServer) -> None:
    wire.faults.rate_limit(CREATE_MESSAGE, after=0.2, times=3)
    async with kibitz(wire):
        messages = [await wire.post(position("BURST", rack="ABCDEFG"[: n % 7 + 1])) for n in range(14)]
        for message in messages:
            decode_picture(await wire.wait_for_reply(message))
    assert all(len(wire.world.replies_to(message)) == 1 for message in messages)


@pytest.mark.parametrize("status", [500, 502])
async def test_a_failed_send_is_retried_with_the_whole_picture(wire: WireServer, status: int) -> None:
    wire.faults.fail(CREATE_MESSAGE, status=status, times=2)
    async with kibitz(wire):
        message = await wire.post(position())
        reply = await wire.wait_for_reply(message)
        await until_earlier_events_received(wire)
    decode_picture(reply)
    assert len(wire.world.replies_to(message)) == 1


@pytest.mark.parametrize(
    # After 403, the bot sends the position again as text, in case only the picture is forbidden.
    ("status", "times"),
    [(500, 5), (403, 2), (404, 1), (413, 1)],
    ids=["500", "403", "404", "413"],
)
async def test_a_failed_send_is_logged(
    wire: WireServer,
    status: int,
    times: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No claim expires during the test.
    monkeypatch.setattr("bot.storage.replies.CLAIM_DURATION", timedelta(seconds=2 * MAX_WAIT_SECONDS))
    wire.faults.fail(CREATE_MESSAGE, status=status, times=times)
    async with kibitz(wire):
        message = await wire.post(position("REFUSED"))
        await wire.until_requested("POST", "/messages", times)
        await until_earlier_events_received(wire)
        await until_log_contains(caplog, f"replying to message {message.id} failed")
        # The bot has released its claim. If the event is repeated, as after a resume, the bot replies.
        await wire.gateway.message_created(message)
        await wire.wait_for_reply(message)
    assert wire.token not in caplog.text


async def test_a_reply_lost_to_a_connection_reset_is_sent_later(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    wire.faults.reset_connection(CREATE_MESSAGE)
    async with kibitz(wire):
        message = await wire.post(position("RESET"))
        await wire.until_requested("POST", "/messages")
        await until_earlier_events_received(wire)
        await until_log_contains(caplog, str(message.id))
        await wire.gateway.message_created(message)
        await wire.wait_for_reply(message)
    assert len(wire.world.replies_to(message)) == 1


@pytest.mark.parametrize("reset", [True, False])
async def test_a_dropped_response_causes_no_second_reply(wire: WireServer, reset: bool) -> None:
    wire.faults.drop_response(CREATE_MESSAGE, reset=reset)
    async with kibitz(wire):
        message = await wire.post(position("DROPPED"))
        await wire.wait_for_reply(message)
        wire.gateway.events_to_repeat = 2
        await wire.gateway.drop()
        await wire.journal.until(lambda: wire.gateway.replayed_count, "the replay")
        await until_earlier_events_received(wire)
        await wire.gateway.message_created(message)
        await wire.wait_for_reply(await wire.post(position("AGAIN")))
    assert len(wire.world.replies_to(message)) == 1


async def test_a_deleted_message_causes_no_error(wire: WireServer, caplog: pytest.LogCaptureFixture) -> None:
    hold = wire.faults.hold(CREATE_MESSAGE)
    async with kibitz(wire):
        message = await wire.post(position("DELETED"))
        await asyncio.wait_for(hold.reached.wait(), 10)
        await wire.remove(message)
        hold.release()
        await wire.until_requested("POST", "/messages")
        await until_earlier_events_received(wire)
    assert f"message {message.id} failed" not in caplog.text
    assert "fault " not in caplog.text


async def test_a_missing_attachment_causes_no_error(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    wire.faults.fail(DOWNLOAD, status=404)
    async with kibitz(wire):
        message = await wire.post("look", files={"game.cgp": position().encode()})
        await wire.until_requested("GET", "/game.cgp")
        await until_earlier_events_received(wire)
    assert wire.world.replies_to(message) == []
    assert f"message {message.id} failed" not in caplog.text
    assert "fault " not in caplog.text


async def test_a_reply_that_cannot_be_finished_does_not_delay_closing(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SHUTDOWN_GRACE_SECONDS < MAX_STOP_SECONDS
    for name in ("STOP_READING_SECONDS", "SHUTDOWN_GRACE_SECONDS"):
        monkeypatch.setattr(f"bot.chat.client.{name}", 0.1)
    hold = wire.faults.hold(CREATE_MESSAGE)
    async with kibitz(wire) as bot:
        await wire.post(position())
        await asyncio.wait_for(hold.reached.wait(), 10)
        await bot.close()
        hold.release()
    (connection,) = wire.gateway.connections
    await wire.journal.until(lambda: connection.closed, "the connection to close")
    assert connection.client_close_code == 1000


async def test_a_gateway_that_hangs_does_not_prolong_closing(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in {
        "STOP_READING_SECONDS": 0.1,
        "LOCK_RELEASE_SECONDS": 0.3,
        "SHUTDOWN_GRACE_SECONDS": 1.2,
    }.items():
        monkeypatch.setattr(f"bot.chat.client.{name}", seconds)
    hold = wire.faults.hold(CREATE_MESSAGE)
    async with kibitz(wire) as bot:
        await wire.post(position())
        await asyncio.wait_for(hold.reached.wait(), 10)
        (shard,) = bot.shards.values()
        monkeypatch.setattr(type(shard), "disconnect", lambda _: asyncio.sleep(30))
        deadlines = []
        wait_for_tasks = bot._wait_for_tasks

        async def record(deadline: float) -> int:
            deadlines.append(deadline)
            return await wait_for_tasks(deadline)

        monkeypatch.setattr(bot, "_wait_for_tasks", record)
        await bot.close()
        assert deadlines[1] - deadlines[0] == pytest.approx(1.1), "disconnecting prolonged the wait for tasks"
        hold.release()


async def test_a_reply_to_a_command_is_retried(wire: WireServer) -> None:
    wire.faults.fail(CALLBACK, status=502)
    async with kibitz(wire):
        interaction = await wire.interactions.command("show", position=position())
        decode_picture(await wire.interactions.until_replied(interaction))


async def test_commands_that_cannot_be_registered_do_not_stop_the_bot(wire: WireServer) -> None:
    wire.faults.fail(REGISTER_COMMANDS, times=5)
    async with kibitz(wire):
        await until_earlier_events_received(wire)


# Controls


async def test_a_button_and_its_menu_work_after_a_restart(wire: WireServer) -> None:
    async with kibitz(wire):
        board_reply = await wire.wait_for_reply(await wire.post(position("MENU")))
    async with kibitz(wire):
        interaction = await wire.interactions.press(
            board_reply, control_id(board_reply, "copy:"), user=wire.world.bob
        )
        copied = await wire.interactions.until_replied(interaction)
        assert copied.ephemeral
        (menu,) = [part for part in every_component(copied.components) if part["type"] == SELECT]
        values = [option["value"] for option in menu["options"]]
        assert len(values) >= 2
    async with kibitz(wire):
        for value in values:
            interaction = await wire.interactions.press(copied, menu["custom_id"], value, user=wire.world.bob)
            reply = await wire.interactions.until_replied(interaction)
            assert reply.ephemeral
            assert reply.sent["allowed_mentions"] == {"parse": []}
            assert reply.text or reply.files
    assert board_reply.edit_count == 0
