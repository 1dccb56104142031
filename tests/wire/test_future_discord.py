"""The bot handles every close code and long rate limits. Events, components and fields that Discord may add cause no errors."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest

from .faults import CREATE_MESSAGE
from .kibitz import bot_process, kibitz, position, uses_programs

if TYPE_CHECKING:
    from pathlib import Path

    from .server import WireServer

pytestmark = uses_programs


@pytest.mark.parametrize(
    "code", [None, 1000, 1001, 1006, 1011, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009]
)
async def test_the_bot_survives_a_close_code_that_is_not_final(wire: WireServer, code: int | None) -> None:
    async with kibitz(wire) as bot:
        await wire.wait_for_reply(await wire.post(position("BEFORE")))
        # After two of the codes, Discord has ended the session.
        await wire.gateway.drop(code=code, resumable=code not in {4007, 4009})
        missed = await wire.post(position("MISSED"))
        await wire.wait_for_reply(missed)
        assert not bot.is_closed()
    assert len(wire.world.replies_to(missed)) == 1


async def test_the_bot_resumes_after_a_request_to_reconnect(wire: WireServer) -> None:
    async with kibitz(wire):
        await wire.gateway.ask_to_reconnect()
        await wire.journal.until(lambda: wire.gateway.resumes, "a resume")
        await wire.wait_for_reply(await wire.post(position("AFTER")))
    assert len(wire.gateway.identifies) == 1


@pytest.mark.parametrize("code", [4004, 4010, 4011, 4012, 4013, 4014])
async def test_a_final_close_code_ends_the_process_with_an_explanation(
    wire: WireServer, tmp_path: Path, code: int
) -> None:
    async with bot_process(wire, tmp_path) as program:
        # Wait for a reply, because a client that is sending may miss the close code.
        await wire.wait_for_reply(await wire.post(position("BEFORE")))
        await wire.gateway.drop(code=code)
        assert await program.until_ended(within=30) not in {0, None}
    assert program.exception_lines == [], program.output
    sentences = {4004: "rejects the token", 4014: "message-content intent"}
    assert sentences.get(code, f"closed the connection for good (code {code})") in program.lines[-1]
    assert wire.token not in program.output


async def test_unknown_events_and_fields_are_ignored(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire):
        [session] = wire.gateway.live_sessions
        await session.push("SOMETHING_NEW_CREATE", {"id": "1", "guild_id": str(wire.world.guild_id)})
        await session.push("MESSAGE_REACTION_ADD_MANY", {})
        message = await wire.post("talk")
        payload = wire.world.message_event(message)
        new = {
            **copy.deepcopy(payload),
            "id": str(wire.world.ids.next()),
            "content": position("FIELDS"),
            "type": 0,
            "flags": 1 << 40,
            "something_new": {"deep": [1, None]},
            "components": [{"type": 99, "id": 1, "novel": True}],
            "attachments": [],
            "sticker_items": [{"id": "1", "name": "new", "format_type": 77}],
        }
        await session.push("MESSAGE_CREATE", new)
        await wire.journal.until(wire.world.bot_messages, "a reply")
        await session.push("MESSAGE_CREATE", {**new, "id": str(wire.world.ids.next()), "type": 250})
        await wire.wait_for_reply(await wire.post(position("AFTER")))
    assert "fault " not in caplog.text


async def test_presses_of_unknown_controls_cause_no_error(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(position("BEFORE")))
        [session] = wire.gateway.live_sessions
        interaction = await wire.interactions.command("help")
        await wire.interactions.until_replied(interaction)
        for data in (
            {"custom_id": "kibitz:novel:1", "component_type": 2},
            {"custom_id": "kibitz:novel:1", "component_type": 99, "novel": [1]},
            {"custom_id": "\0" * 100, "component_type": 3, "values": []},
            {"custom_id": "kibitz:view:short:0:wo:f", "component_type": 2},
        ):
            payload = wire.interactions._payload(interaction, data)
            payload |= {
                "id": str(wire.world.ids.next()),
                "type": 3,
                "message": wire.world.message_json(reply),
            }
            await session.push("INTERACTION_CREATE", payload)
        await wire.interactions.until_replied(await wire.interactions.command("help"))
    assert "fault " not in caplog.text


async def test_a_long_rate_limit_delays_only_one_channel(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path, WIRE_DISCORD_DELAY_FACTOR="1") as program:
        fault = wire.faults.rate_limit(CREATE_MESSAGE, after=4.0)
        limited = await wire.post(position("LIMITED"))
        await wire.journal.until(lambda: fault.hits, "the limit")
        other = await wire.post(position("OTHER"), channel=wire.world.direct)
        replies = [await wire.wait_for_reply(message) for message in (other, limited)]
        assert program.exception_lines == [], program.output
    assert replies[0].id < replies[1].id
    assert fault.early_retry_count == 0
    assert [len(wire.world.replies_to(message)) for message in (limited, other)] == [1, 1]
