"""The local Discord with a small discord.py bot: login, messages, files, limits, intents and shards."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

import discord
import pytest

from .faults import TYPING
from .server import WireServer
from .throwaway import INTENTS, Echo, running
from .world import FILE_CAP, Intent

if TYPE_CHECKING:
    from .conftest import Serve

#: Bytes that any conversion of text or of line ends would change, with something like the boundary of a form.
AWKWARD = bytes(range(256)) * 40 + b"\r\n--boundary--\r\n" + os.urandom(2048)


class _Zlib:
    """The decompressor that discord.py uses if zstd is not installed."""

    COMPRESSION_TYPE = "zlib-stream"

    def __init__(self) -> None:
        self._context = zlib.decompressobj()

    def decompress(self, data: bytes, /) -> str:
        return self._context.decompress(data).decode()


async def test_the_bot_logs_in_and_answers(wire: WireServer) -> None:
    async with running(Echo()):
        (session,) = await wire.gateway.wait_until_ready()
        assert session.intents == Intent(INTENTS.value)
        message = await wire.say("hello")
        answer = await wire.wait_for_reply(message)
    assert answer.content == "hello"
    assert answer.sent["allowed_mentions"] == {"parse": []}
    assert wire.gateway.identifies[0]["token"] == wire.token


async def test_the_bot_answers_in_a_direct_channel(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        answer = await wire.wait_for_reply(await wire.say("hello", channel=wire.world.direct))
    assert answer.channel is wire.world.direct


@pytest.mark.parametrize("compression", ["zlib", "zstd"])
async def test_the_gateway_is_compressed_as_one_stream(
    wire: WireServer, compression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compression == "zlib":
        monkeypatch.setattr(discord.utils, "_ActiveDecompressionContext", _Zlib)
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        (connection,) = wire.gateway.connections
        assert connection.request.query["compress"] == f"{compression}-stream"
        assert connection.compress is not None
        # Each frame is decompressed correctly only with the frames before it.
        for number in range(5):
            text = f"{number} " + "lorem ipsum " * 100
            assert (await wire.wait_for_reply(await wire.say(text.strip()))).content == text.strip()


async def test_an_uploaded_file_is_kept_byte_for_byte(wire: WireServer) -> None:
    async with running(Echo(picture=AWKWARD)):
        await wire.gateway.wait_until_ready()
        answer = await wire.wait_for_reply(await wire.say("picture"))
    (file,) = answer.files
    assert (file.name, file.description, file.data) == ("board.png", "a board", AWKWARD)
    assert answer.sent["allowed_mentions"] == {"parse": []}


async def test_a_posted_file_can_be_downloaded(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        answer = await wire.wait_for_reply(
            await wire.say("read", files={"a game.gcg": AWKWARD, "x.png": b""})
        )
    assert answer.content == f"{len(AWKWARD)} bytes, None"


async def test_edits_and_deletions_are_sent_as_events(wire: WireServer) -> None:
    events: list[str] = []

    class Watcher(Echo):
        async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
            events.append(f"edited: {payload.message.content}")
            await payload.message.channel.send("noted")

        async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
            events.append(f"deleted: {payload.message_id}")
            await self.get_partial_messageable(payload.channel_id).send("noted")

    async with running(Watcher()):
        await wire.gateway.wait_until_ready()
        message = await wire.say("hello")
        await wire.wait_for_reply(message)
        await wire.change(message, "hello again")
        await wire.until_requested("POST", "/messages", 2)
        await wire.remove(message)
        await wire.until_requested("POST", "/messages", 3)
    assert events == ["edited: hello again", f"deleted: {message.id}"]


async def test_the_bot_edits_reacts_types_and_deletes(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        posted = await wire.say("hello")
        answer = await wire.wait_for_reply(posted)
        channel = await client.fetch_channel(wire.world.general.id)
        assert isinstance(channel, discord.TextChannel)
        message = await channel.fetch_message(answer.id)
        assert message.reference is not None
        assert message.reference.message_id == posted.id
        async with channel.typing():
            await message.add_reaction("🧩")
        file = discord.File(BytesIO(b"text"), filename="später.txt", description="ein Text")
        await message.edit(content="changed", attachments=[file])
        assert [m.id async for m in channel.history(limit=2)] == [answer.id, posted.id]
        assert answer.reactions == {"🧩": {wire.world.bot.id}}
        await message.delete()
    assert (answer.content, answer.edits, answer.deleted) == ("changed", 1, True)
    assert [(file.name, file.description) for file in answer.files] == [("später.txt", "ein Text")]
    assert wire.rest.typing == [wire.world.general.id]


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
        "file": discord.File(BytesIO(bytes(FILE_CAP + 1)), filename="x.bin")
    },
}


@pytest.mark.parametrize("sentence", REFUSED_MESSAGES)
async def test_requests_that_discord_refuses_are_refused(wire: WireServer, sentence: str) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        channel = client.get_partial_messageable(wire.world.general.id)
        with pytest.raises(discord.HTTPException, match=sentence):
            await channel.send(**REFUSED_MESSAGES[sentence](channel))
    assert wire.world.messages_of_the_bot() == []


async def test_the_same_nonce_makes_one_message(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        channel = client.get_partial_messageable(wire.world.general.id)
        first = await channel.send("once", nonce=17)
        again = await channel.send("once", nonce=17)
    assert first.id == again.id
    assert len(wire.world.messages_of_the_bot()) == 1


async def test_a_layout_shows_an_uploaded_file(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        file = discord.File(BytesIO(b"text"), filename="board.txt")
        view = discord.ui.LayoutView()
        view.add_item(discord.ui.Container(discord.ui.TextDisplay("a board"), discord.ui.File(file)))
        message = await client.get_partial_messageable(wire.world.general.id).send(view=view, file=file)
    (stored,) = wire.world.messages_of_the_bot()
    assert stored.id == message.id
    assert stored.components[0]["components"][1]["file"]["url"].startswith(f"{wire.world.base}/attachments/")


async def test_a_wrong_token_is_refused_at_login(wire: WireServer) -> None:
    client = Echo()
    async with running(client, token="wrong") as task:
        with pytest.raises(discord.LoginFailure):
            await task
    assert wire.gateway.connections == []


async def test_a_token_reset_after_login_is_refused_by_the_gateway(wire: WireServer) -> None:
    wire.gateway.token = "another"
    async with running(Echo()) as task:
        with pytest.raises(discord.ConnectionClosed) as refused:
            await task
    assert refused.value.code == 4004


async def test_a_denied_intent_closes_the_gateway(serve: Serve) -> None:
    wire = await serve(denied=Intent.MESSAGE_CONTENT)
    async with running(Echo()) as task:
        with pytest.raises(discord.PrivilegedIntentsRequired):
            await task
    assert wire.gateway.connections[0].server_code == 4014


async def test_without_message_content_only_the_exceptions_are_readable(wire: WireServer) -> None:
    client = Echo(intents=discord.Intents(guilds=True, guild_messages=True, dm_messages=True))
    async with running(client):
        await wire.gateway.wait_until_ready()
        await wire.wait_for_reply(await wire.say("unreadable"))
        await wire.wait_for_reply(await wire.say("mentioned", mentions=(wire.world.bot,)))
        await wire.wait_for_reply(await wire.say("direct", channel=wire.world.direct))
    assert client.heard == ["", "mentioned", "direct"]


async def test_shards_receive_events_of_assigned_guilds(serve: Serve) -> None:
    wire = await serve(shards=2)
    client = Echo()
    async with running(client):
        sessions = await wire.gateway.wait_until_ready()
        assert sorted(session.shard for session in sessions) == [0, 1]
        await wire.wait_for_reply(await wire.say("in the guild"))
        await wire.wait_for_reply(await wire.say("direct", channel=wire.world.direct))
    assert client.heard == ["in the guild", "direct"]


async def test_closing_the_client_closes_the_gateway_session(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
    (connection,) = wire.gateway.connections
    await wire.journal.until(lambda: connection.closed, "the gateway connection to close")
    assert connection.client_code == 1000


async def test_a_fault_that_no_request_met_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="never met"):
        async with WireServer() as wire:
            wire.faults.fail(TYPING)


async def test_an_unknown_route_fails_the_test(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        with pytest.raises(discord.NotFound):
            await client.fetch_invite("none")
    assert wire.journal.complaints.pop().startswith("nothing serves GET /invites/none")
