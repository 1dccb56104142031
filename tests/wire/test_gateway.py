"""The gateway of the local Discord: resumed and refused sessions, repeated events, dead connections, close codes."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from .server import TOKEN
from .throwaway import Echo, running

if TYPE_CHECKING:
    from .conftest import Serve
    from .server import WireServer


@pytest.mark.parametrize("code", [None, 4000, 1000, 1012])
async def test_a_dropped_connection_resumes_with_the_missed_events(
    wire: WireServer, code: int | None
) -> None:
    client = Echo()
    async with running(client):
        (session,) = await wire.gateway.wait_until_ready()
        await wire.wait_for_reply(await wire.say("before"))
        await wire.gateway.drop(code=code)
        missed = [await wire.say(f"missed {number}") for number in range(3)]
        for message in missed:
            await wire.wait_for_reply(message)
        await wire.wait_for_reply(await wire.say("after"))
    assert client.heard == ["before", "missed 0", "missed 1", "missed 2", "after"]
    assert len(wire.gateway.identifies) == 1
    assert [resume["session_id"] for resume in wire.gateway.resumes] == [session.id]
    assert wire.gateway.replayed >= 3
    assert client.resumed == 1
    assert all(len(wire.world.replies_to(message)) == 1 for message in missed)


async def test_a_resume_can_repeat_delivered_events(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        message = await wire.say("twice")
        await wire.wait_for_reply(message)
        # The last two events are the message and the bot's answer.
        wire.gateway.repeat_on_resume = 2
        await wire.gateway.drop()
        await wire.journal.until(lambda: len(wire.world.replies_to(message)) == 2, "the second answer")
    assert client.heard == ["twice", "twice"]


async def test_a_message_event_can_be_repeated(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        message = await wire.say("twice")
        await wire.gateway.message_created(message)
        await wire.journal.until(lambda: len(wire.world.replies_to(message)) == 2, "the second answer")


async def test_a_session_that_cannot_be_resumed_is_replaced(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        (old,) = await wire.gateway.wait_until_ready()
        await wire.gateway.drop(resumable=False)
        await wire.say("lost for ever")
        await wire.journal.until(lambda: len(wire.gateway.identifies) == 2, "a second identify")
        (new,) = await wire.gateway.wait_until_ready()
        await wire.wait_for_reply(await wire.say("after"))
    assert new is not old
    assert len(wire.gateway.resumes) == 1
    assert client.heard == ["after"]


async def test_a_resume_can_be_refused(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        wire.gateway.refuse_resumes = 1
        await wire.gateway.drop()
        await wire.journal.until(lambda: len(wire.gateway.identifies) == 2, "a second identify")
        await wire.gateway.wait_until_ready()
        await wire.wait_for_reply(await wire.say("after"))
    assert wire.gateway.refuse_resumes == 0


async def test_the_gateway_can_ask_to_reconnect(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        await wire.gateway.ask_to_reconnect()
        await wire.journal.until(lambda: wire.gateway.resumes, "a resume")
        await wire.wait_for_reply(await wire.say("after"))
    assert len(wire.gateway.identifies) == 1


@pytest.mark.parametrize(("resumable", "identifies"), [(True, 1), (False, 2)])
async def test_a_session_can_be_invalidated(wire: WireServer, resumable: bool, identifies: int) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        await wire.gateway.invalidate(resumable=resumable)
        await wire.journal.until(lambda: len(wire.gateway.connections) == 2, "a second connection")
        await wire.gateway.wait_until_ready()
        await wire.wait_for_reply(await wire.say("after"))
    assert len(wire.gateway.identifies) == identifies


async def test_heartbeats_are_acknowledged(serve: Serve) -> None:
    wire = await serve(beat=0.05)
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        await wire.journal.until(lambda: wire.gateway.heartbeats >= 4, "four heartbeats")
        assert client.latency < float("inf")
    assert len(wire.gateway.connections) == 1


async def test_a_silent_connection_is_resumed(serve: Serve) -> None:
    wire = await serve(beat=0.05)
    client = Echo(heartbeat_timeout=0.3)
    async with running(client):
        await wire.gateway.wait_until_ready()
        wire.gateway.silent = True
        await wire.journal.until(
            lambda: wire.gateway.connections[0].closed, "the client to close the dead connection"
        )
        missed = await wire.say("missed")
        wire.gateway.silent = False
        await wire.wait_for_reply(missed)
    assert wire.gateway.connections[0].client_code == 4000
    assert len(wire.gateway.resumes) >= 1
    assert len(wire.gateway.identifies) == 1


IDENTIFY = {"token": TOKEN, "intents": 0, "properties": {}}


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (["not json"], 4002),
        (["[]"], 4002),
        (["x" * 5000], 4002),
        ([{"op": 99, "d": None}], 4001),
        ([{"op": 3, "d": {}}], 4003),
        ([{"op": 2, "d": {**IDENTIFY, "token": "wrong"}}], 4004),
        ([{"op": 2, "d": {**IDENTIFY, "shard": [2, 2]}}], 4010),
        ([{"op": 2, "d": IDENTIFY}, {"op": 2, "d": IDENTIFY}], 4005),
    ],
)
async def test_an_invalid_frame_closes_the_connection_with_its_code(
    wire: WireServer, frames: list[str | dict[str, Any]], code: int
) -> None:
    async with aiohttp.ClientSession() as session, session.ws_connect(wire.gateway.url) as socket:
        assert (await socket.receive_json())["op"] == 10
        for frame in frames:
            await socket.send_str(frame if isinstance(frame, str) else json.dumps(frame))
        async with asyncio.timeout(5):
            async for _ in socket:
                pass
        assert socket.close_code == code


async def test_a_resume_after_an_unknown_sequence_number_is_refused(wire: WireServer) -> None:
    async with running(Echo()):
        (session,) = await wire.gateway.wait_until_ready()
        async with aiohttp.ClientSession() as http, http.ws_connect(wire.gateway.url) as socket:
            await socket.receive_json()
            await socket.send_json(
                {"op": 6, "d": {"token": wire.token, "session_id": session.id, "seq": 10**6}}
            )
            async with asyncio.timeout(5):
                assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
            assert socket.close_code == 4007
