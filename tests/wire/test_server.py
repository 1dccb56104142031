"""The local Discord rejects what Discord rejects. An unused fault or an unknown route fails the test."""

from __future__ import annotations

import asyncio
import json
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import pytest
from discord import app_commands

from .faults import CREATE_MESSAGE, DOWNLOAD
from .kibitz import kibitz, position
from .server import TOKEN, WireServer
from .world import MAX_FILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable


class ZlibDecompressor:
    """The decompressor that discord.py uses without zstd."""

    COMPRESSION_TYPE = "zlib-stream"

    def __init__(self) -> None:
        self._context = zlib.decompressobj()

    def decompress(self, data: bytes, /) -> str:
        return self._context.decompress(data).decode()


@pytest.mark.parametrize("compression", ["zlib", "zstd"])
async def test_the_gateway_is_compressed_as_one_stream(
    wire: WireServer, compression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compression == "zlib":
        monkeypatch.setattr(discord.utils, "_ActiveDecompressionContext", ZlibDecompressor)
    async with kibitz(wire):
        (connection,) = wire.gateway.connections
        assert connection.request.query["compress"] == f"{compression}-stream"
        # A frame can be decompressed only after all earlier frames.
        for word in ("FIRST", "SECOND", "THIRD"):
            assert (await wire.wait_for_reply(await wire.post(position(word)))).files


REFUSED_MESSAGES: dict[str, Callable[[discord.PartialMessageable], dict[str, Any]]] = {
    "2000 or fewer": lambda _: {"content": "x" * 2001},
    "empty message": lambda _: {"content": " "},
    "1024 or fewer": lambda _: {
        "file": discord.File(BytesIO(b"x"), filename="x.txt", description="x" * 1025)
    },
    "attachment was not found": lambda _: {"embed": discord.Embed().set_image(url="attachment://none.png")},
    "Unknown message": lambda channel: {"content": "x", "reference": channel.get_partial_message(5)},
    "100 or fewer": lambda _: {
        "view": discord.ui.View().add_item(discord.ui.Button(label="x", custom_id="y" * 101))
    },
    "Request entity too large": lambda _: {
        "file": discord.File(BytesIO(bytes(MAX_FILE_BYTES + 1)), filename="x.bin")
    },
}
"""Arguments for messages that Discord rejects, by a part of the error message."""


async def test_messages_and_commands_that_discord_refuses_are_refused(wire: WireServer) -> None:
    async def unused_callback(interaction: discord.Interaction) -> None:
        raise NotImplementedError

    async with kibitz(wire) as bot:
        channel = bot.get_partial_messageable(wire.world.general.id)
        for sentence, arguments_for in REFUSED_MESSAGES.items():
            with pytest.raises(discord.HTTPException, match=sentence):
                await channel.send(**arguments_for(channel))
        # discord.py shortens long descriptions in decorators, but not in this constructor.
        bot.tree.add_command(
            app_commands.Command(name="long", description="x" * 101, callback=unused_callback)
        )
        with pytest.raises(discord.HTTPException, match="1 to 100 characters"):
            await bot.tree.sync()
    assert wire.world.bot_messages() == []


async def test_a_repeated_nonce_creates_no_second_message(wire: WireServer) -> None:
    async with kibitz(wire) as bot:
        channel = bot.get_partial_messageable(wire.world.general.id)
        first, second = [await channel.send("once", nonce=17) for _ in range(2)]
    assert first.id == second.id
    assert len(wire.world.bot_messages()) == 1


async def test_an_early_retry_is_refused_again(wire: WireServer) -> None:
    fault = wire.faults.rate_limit(CREATE_MESSAGE, after=0.2)
    url = f"{wire.api}/channels/{wire.world.general.id}/messages"
    headers = {"Authorization": f"Bot {wire.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        retry_after = 0.0
        for _ in range(2):
            async with session.post(url, json={"content": "now"}) as response:
                body = await response.json()
                assert (response.status, body["global"]) == (429, False)
                retry_after = body["retry_after"]
        await asyncio.sleep(retry_after)
        async with session.post(url, json={"content": "now"}) as response:
            assert response.status == 200
    assert (fault.hits, fault.early_retry_count) == (1, 1)


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
    async with kibitz(wire):
        (session,) = wire.gateway.live_sessions
        async with aiohttp.ClientSession() as http, http.ws_connect(wire.gateway.url) as socket:
            await socket.receive_json()
            data = {"token": wire.token, "session_id": session.id, "seq": 10**6}
            await socket.send_json({"op": 6, "d": data})
            async with asyncio.timeout(5):
                assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
            assert socket.close_code == 4007


async def test_an_untriggered_fault_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="never triggered"):
        async with WireServer() as wire:
            wire.faults.fail(DOWNLOAD)


async def test_an_unknown_route_fails_the_test(wire: WireServer) -> None:
    async with kibitz(wire) as bot:
        with pytest.raises(discord.NotFound):
            await bot.fetch_invite("none")
    assert wire.journal.complaints.pop().startswith("unknown route: GET /invites/none")
