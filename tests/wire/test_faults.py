"""The faults that tests can inject have the described effect on discord.py, which reacts as expected."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import discord
import pytest

from .faults import CREATE_MESSAGE, DOWNLOAD, GATEWAY, ME, TYPING
from .redirect import MAX_UNCHANGED_DELAY, SHRINK, PacedAsyncio
from .throwaway import Echo, running

if TYPE_CHECKING:
    from .server import WireServer


async def test_a_rate_limit_is_waited_out(wire: WireServer) -> None:
    fault = wire.faults.rate_limit(CREATE_MESSAGE, after=0.15, times=2)
    client = Echo(picture=b"picture")
    async with running(client):
        await wire.gateway.wait_until_ready()
        answer = await wire.wait_for_reply(await wire.say("picture"))
    assert (fault.hits, fault.early_retries) == (2, 0)
    assert answer.files[0].data == b"picture"
    assert client.failures == []


async def test_an_early_retry_is_refused_again(wire: WireServer) -> None:
    fault = wire.faults.rate_limit(CREATE_MESSAGE, after=0.2)
    url = f"{wire.api}/channels/{wire.world.general.id}/messages"
    headers = {"Authorization": f"Bot {wire.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        left = 0.0
        for _ in range(2):
            async with session.post(url, json={"content": "now"}) as response:
                body = await response.json()
                assert (response.status, body["global"]) == (429, False)
                left = body["retry_after"]
        await asyncio.sleep(left)
        async with session.post(url, json={"content": "now"}) as response:
            assert response.status == 200
    assert (fault.hits, fault.early_retries) == (1, 1)


async def test_a_global_rate_limit_stops_every_route(wire: WireServer) -> None:
    fault = wire.faults.rate_limit(TYPING, after=0.2, everywhere=True)
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        channel = client.get_partial_messageable(wire.world.general.id)
        typing = asyncio.create_task(channel.typing().__aenter__())
        await wire.journal.until(lambda: fault.hits, "the global limit")
        await channel.send("after the limit")
        await typing
    assert wire.count("POST", "/typing") == 2
    # The second request waited for the client's own lock, or was sent before the lock and refused once.
    assert fault.early_retries <= 1


async def test_a_ban_by_the_proxy_is_not_retried(wire: WireServer) -> None:
    wire.faults.ban(CREATE_MESSAGE)
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        await wire.say("hello")
        await wire.until_requested("POST", "/messages")
        await wire.wait_for_reply(await wire.say("again"))
    assert [getattr(error, "status", None) for error in client.failures] == [429]


@pytest.mark.parametrize("status", [500, 502])
async def test_a_failure_is_retried_by_the_library(wire: WireServer, status: int) -> None:
    fault = wire.faults.fail(CREATE_MESSAGE, status=status, times=2)
    client = Echo(picture=b"picture")
    async with running(client):
        await wire.gateway.wait_until_ready()
        answer = await wire.wait_for_reply(await wire.say("picture"))
    assert fault.hits == 2
    assert answer.files[0].data == b"picture"
    assert client.failures == []


async def test_a_failure_of_all_retries_is_reported(wire: WireServer) -> None:
    fault = wire.faults.fail(CREATE_MESSAGE, times=5)
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        await wire.say("hello")
        await wire.until_requested("POST", "/messages", 5)
        await wire.wait_for_reply(await wire.say("again"))
    assert fault.hits == 5
    assert [type(error) for error in client.failures] == [discord.DiscordServerError]


async def test_a_forbidden_answer_is_reported(wire: WireServer) -> None:
    wire.faults.fail(CREATE_MESSAGE, status=403, body={"code": 50013, "message": "Missing Permissions"})
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        await wire.say("hello")
        await wire.until_requested("POST", "/messages")
        await wire.wait_for_reply(await wire.say("again"))
    assert [type(error) for error in client.failures] == [discord.Forbidden]


async def test_a_reset_connection_processes_nothing(wire: WireServer) -> None:
    wire.faults.reset(CREATE_MESSAGE)
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        lost = await wire.say("lost")
        await wire.until_requested("POST", "/messages")
        await wire.wait_for_reply(await wire.say("again"))
    # On Linux, a reset has errno 104. discord.py retries only after 54 and 10054 (http.py).
    assert [type(error) for error in client.failures] == [aiohttp.ClientOSError]
    assert wire.world.replies_to(lost) == []


@pytest.mark.parametrize("reset", [True, False])
async def test_a_swallowed_acknowledgement_leaves_the_message_posted(wire: WireServer, reset: bool) -> None:
    wire.faults.swallow(CREATE_MESSAGE, reset=reset)
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        message = await wire.say("hello")
        await wire.wait_for_reply(message)
        await wire.wait_for_reply(await wire.say("again"))
    assert len(client.failures) == 1
    assert isinstance(client.failures[0], aiohttp.ClientError)
    assert len(wire.world.replies_to(message)) == 1


async def test_a_held_request_waits_for_the_test(wire: WireServer) -> None:
    hold = wire.faults.hold(CREATE_MESSAGE)
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        message = await wire.say("hello")
        await asyncio.wait_for(hold.reached.wait(), 5)
        assert wire.world.replies_to(message) == []
        hold.release()
        await wire.wait_for_reply(message)


async def test_a_slow_request_is_processed(wire: WireServer) -> None:
    wire.faults.slow(DOWNLOAD, seconds=0.05)
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        answer = await wire.wait_for_reply(await wire.say("read", files={"x.txt": b"four"}))
    assert answer.content.startswith("4 bytes")


async def test_a_server_error_at_login_is_not_reported_as_a_wrong_token(wire: WireServer) -> None:
    wire.faults.fail(ME, times=5)
    async with running(Echo()) as task:
        with pytest.raises(discord.DiscordServerError):
            await task


async def test_a_gateway_that_is_not_found_is_reported(wire: WireServer) -> None:
    wire.faults.fail(GATEWAY, status=404)
    async with running(Echo()) as task:
        with pytest.raises(discord.GatewayNotFound):
            await task


async def test_only_long_sleeps_are_shortened() -> None:
    delays: list[float] = []
    paced = PacedAsyncio()
    assert paced.TimeoutError is asyncio.TimeoutError

    async def record(delay: float, result: object = None) -> object:
        delays.append(delay)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "sleep", record)
        assert await paced.sleep(MAX_UNCHANGED_DELAY, "a") == "a"
        await paced.sleep(5.0)
    assert delays == [MAX_UNCHANGED_DELAY, 5.0 * SHRINK]
