"""The gateway: one websocket per shard, sessions that outlive their connections, and numbered events.

Opcodes, close codes and the rules for resuming follow version 10 of Discord's gateway documentation.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import zlib
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

import zstandard
from aiohttp import WSMsgType, web

from .journal import MAX_START_SECONDS
from .transport import cut
from .world import PRIVILEGED, Channel, ChannelKind, Intent

if TYPE_CHECKING:
    from collections.abc import Callable

    from .journal import Journal
    from .world import Payload, StoredMessage, World

#: Maximum length of a client's frame, in bytes. After a longer frame, Discord closes the connection with code 4002.
MAX_FRAME_BYTES = 4096
#: Maximum number of events stored for each session. A resume that needs older events is refused.
MAX_STORED_EVENTS = 1000
#: Maximum total number of connections that a server accepts. This limit stops a client that reconnects endlessly.
MAX_CONNECTIONS = 100
HEARTBEAT_MILLISECONDS = 41_250
#: Maximum time for sending a frame, in seconds.
SEND_TIMEOUT = 5.0


class Op(IntEnum):
    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    RESUME = 6
    RECONNECT = 7
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Close(IntEnum):
    UNKNOWN_OPCODE = 4001
    DECODE_ERROR = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQ = 4007
    INVALID_SHARD = 4010
    DISALLOWED_INTENTS = 4014


class Refusal(Exception):  # noqa: N818 - a client error, answered with a close code
    """The client violated the protocol. The gateway closes the connection with `code`."""

    def __init__(self, code: Close) -> None:
        super().__init__(code.name)
        self.code = code


def _compressor(compression: str | None) -> Callable[[bytes], bytes] | None:
    """Return a function that compresses a connection's frames as one stream, flushed after each frame.

    discord.py requests zstd if it is installed, and zlib otherwise. For any other value, return None: the frames are sent
    as text.
    """
    if compression == "zlib-stream":
        deflater = zlib.compressobj()
        return lambda data: deflater.compress(data) + deflater.flush(zlib.Z_SYNC_FLUSH)
    if compression == "zstd-stream":
        compressor = zstandard.ZstdCompressor().compressobj()
        return lambda data: compressor.compress(data) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return None


@dataclass(eq=False, slots=True)
class Connection:
    """A websocket and its compressor."""

    socket: web.WebSocketResponse
    request: web.Request
    compress: Callable[[bytes], bytes] | None = None
    session: Session | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    server_close_code: int | None = None
    client_close_code: int | None = None
    closed: bool = False

    async def send(
        self, op: Op, data: object = None, *, seq: int | None = None, event: str | None = None
    ) -> None:
        """Send a frame, compressed if the client requested compression. Ignore a disconnected client."""
        text = json.dumps({"op": int(op), "d": data, "s": seq, "t": event})
        async with self.lock, asyncio.timeout(SEND_TIMEOUT):
            try:
                if self.compress is None:
                    await self.socket.send_str(text)
                else:
                    await self.socket.send_bytes(self.compress(text.encode()))
            except ConnectionError:
                self.closed = True

    async def close(self, code: int) -> None:
        self.server_close_code = code
        await self.socket.close(code=code)


@dataclass(eq=False, slots=True)
class Session:
    """A client's session: its shard, its intents and its events."""

    id: str
    shard: int
    shard_count: int
    intents: Intent
    sequence: int = 0
    events: deque[tuple[int, str, Payload]] = field(default_factory=lambda: deque(maxlen=MAX_STORED_EVENTS))
    connection: Connection | None = None
    ready: bool = False
    resumable: bool = True
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def push(self, event: str, payload: Payload) -> None:
        """Number and store an event, and send it if the client is connected."""
        async with self.lock:
            await self._push(event, payload)

    async def _push(self, event: str, payload: Payload) -> None:
        self.sequence += 1
        self.events.append((self.sequence, event, payload))
        if self.connection is not None:
            await self.connection.send(Op.DISPATCH, payload, seq=self.sequence, event=event)

    async def replay(self, connection: Connection, after: int) -> int:
        """Attach a new connection, and replay the events numbered above `after`. Return how many there were."""
        async with self.lock:
            self.connection = connection
            missed = [event for event in self.events if event[0] > after]
            for seq, event, payload in missed:
                await connection.send(Op.DISPATCH, payload, seq=seq, event=event)
            await self._push("RESUMED", {"_trace": []})
        return len(missed)


class Gateway:
    """Accepts connections, stores sessions, and sends events to the sessions whose intents include them."""

    def __init__(
        self, world: World, journal: Journal, *, token: str, shard_count: int, denied: Intent
    ) -> None:
        self.world = world
        self.journal = journal
        self.token = token
        self.shard_count = shard_count
        self.denied = denied
        self.url = ""
        self.connections: list[Connection] = []
        self.sessions: dict[str, Session] = {}
        self.identifies: list[Payload] = []
        self.resumes: list[Payload] = []
        self.replayed_count = 0
        #: The number of resumes that will be refused as "invalid session".
        self.resumes_to_refuse = 0
        #: The number of buckets into which shards are divided. The shards in a bucket must identify one after another.
        self.max_concurrency = 1
        #: Minimum number of seconds between two identifies in a bucket, or None for no limit.
        self.bucket_seconds: float | None = None
        self._identify_times: dict[int, float] = {}
        self.early_identify_count = 0
        #: The session starts from which the reported `remaining` counts down. Nothing enforces this limit.
        self.max_session_starts = 1000
        #: The number of delivered events that the next resume will repeat.
        self.events_to_repeat = 0

    @property
    def live_sessions(self) -> list[Session]:
        """Return the connected sessions that have received their guilds."""
        return [
            session for session in self.sessions.values() if session.connection is not None and session.ready
        ]

    async def wait_until_ready(
        self, count: int | None = None, *, within: float = MAX_START_SECONDS
    ) -> list[Session]:
        """Wait until `count` sessions are live; by default, one per shard."""
        wanted = self.shard_count if count is None else count
        return await self.journal.until(
            lambda: self.live_sessions if len(self.live_sessions) >= wanted else None,
            f"{wanted} live gateway session(s)",
            within=within,
        )

    # What tests do to the gateway

    async def drop(self, *, resumable: bool = True, code: int | None = None) -> None:
        """End every live connection: with a close code, or with a TCP reset if `code` is None.

        Unless `resumable`, the sessions also end.
        """
        for session in self.live_sessions:
            connection = session.connection
            session.connection = None
            session.resumable = session.resumable and resumable
            if connection is None:
                continue
            self.journal.note(f"gateway: dropped shard {session.shard} (code {code}, resumable {resumable})")
            if code is None:
                cut(connection.request)
            else:
                await connection.close(code)

    async def ask_to_reconnect(self) -> None:
        for session in self.live_sessions:
            if session.connection is not None:
                await session.connection.send(Op.RECONNECT)

    async def invalidate(self, *, resumable: bool) -> None:
        for session in self.live_sessions:
            session.resumable = resumable
            if session.connection is not None:
                await session.connection.send(Op.INVALID_SESSION, resumable)

    async def stop(self) -> None:
        for connection in self.connections:
            if not connection.closed:
                cut(connection.request)

    # Events

    async def message_created(self, message: StoredMessage) -> None:
        """Send the event for a new message. A second call repeats the event."""
        await self._send_message_event("MESSAGE_CREATE", message, self.world.message_event(message))

    async def message_updated(self, message: StoredMessage) -> None:
        await self._send_message_event("MESSAGE_UPDATE", message, self.world.message_event(message))

    async def message_deleted(self, message: StoredMessage) -> None:
        payload = {"id": str(message.id), "channel_id": str(message.channel.id)}
        await self._send_event(
            "MESSAGE_DELETE", payload, message.channel, Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES
        )

    async def reaction_added(self, message: StoredMessage, emoji: str, user_id: int) -> None:
        payload: Payload = {
            "user_id": str(user_id),
            "channel_id": str(message.channel.id),
            "message_id": str(message.id),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        await self._send_event(
            "MESSAGE_REACTION_ADD", payload, message.channel, Intent.GUILD_REACTIONS, Intent.DIRECT_REACTIONS
        )

    async def interaction_created(self, payload: Payload, channel: Channel) -> None:
        await self._send_event("INTERACTION_CREATE", payload, channel, Intent(0), Intent(0))

    async def _send_event(
        self, event: str, payload: Payload, channel: Channel, in_guild: Intent, direct: Intent
    ) -> None:
        needed = in_guild if channel.kind is ChannelKind.TEXT else direct
        if channel.guild_id is not None:
            payload = {**payload, "guild_id": str(channel.guild_id)}
        for session in self._listening_sessions(channel, needed):
            await session.push(event, payload)

    async def _send_message_event(self, event: str, message: StoredMessage, payload: Payload) -> None:
        needed = Intent.GUILD_MESSAGES if message.channel.kind is ChannelKind.TEXT else Intent.DIRECT_MESSAGES
        session_count = 0
        for session in self._listening_sessions(message.channel, needed):
            await session.push(event, self.payload_seen_with(session.intents, message, payload))
            session_count += 1
        self.journal.note(
            f"gateway: {event} {message.id} {message.content[:40]!r} to {session_count} session(s)"
        )

    def _listening_sessions(self, channel: Channel, needed: Intent) -> list[Session]:
        return [
            session
            for session in self.sessions.values()
            if session.resumable
            and session.intents & needed == needed
            and session.shard == self.world.shard_of(channel, session.shard_count)
        ]

    def payload_seen_with(self, intents: Intent, message: StoredMessage, payload: Payload) -> Payload:
        """Return a message's payload as a client with these intents receives it.

        Without the message content intent, the content, embeds, attachments and components are empty, except in direct messages,
        messages from the bot and messages that mention the bot.
        """
        bot = self.world.bot
        is_exempt = (
            message.channel.kind is ChannelKind.DIRECT or message.author is bot or bot in message.mentions
        )
        if is_exempt or intents & Intent.MESSAGE_CONTENT:
            return payload
        return {**payload, "content": "", "embeds": [], "attachments": [], "components": []}

    # The protocol

    async def accept(self, request: web.Request) -> web.StreamResponse:
        if len(self.connections) >= MAX_CONNECTIONS:
            self.journal.complain(f"the client opened more than {MAX_CONNECTIONS} gateway connections")
            return web.Response(status=503)
        socket = web.WebSocketResponse(timeout=2.0, max_msg_size=1 << 20)
        await socket.prepare(request)
        connection = Connection(socket, request, _compressor(request.query.get("compress")))
        self.connections.append(connection)
        self.journal.note(f"gateway: connection {len(self.connections)} opened")
        await connection.send(Op.HELLO, {"heartbeat_interval": HEARTBEAT_MILLISECONDS})
        try:
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    await self._receive(connection, frame.data)
        except Refusal as refusal:
            self.journal.note(f"gateway: closing with {refusal.code.value} {refusal.code.name}")
            await connection.close(refusal.code)
        finally:
            self._note_closed(connection)
        return socket

    def _note_closed(self, connection: Connection) -> None:
        connection.closed = True
        if connection.server_close_code is None:
            connection.client_close_code = connection.socket.close_code
        session = connection.session
        if session is not None and session.connection is connection:
            session.connection = None
            # Discord ends a session if its client closes with 1000 or 1001. After any other code, the session continues.
            if connection.client_close_code in (1000, 1001):
                session.resumable = False
        self.journal.note(
            f"gateway: closed (client {connection.client_close_code}, server {connection.server_close_code})"
        )

    async def _receive(self, connection: Connection, text: str) -> None:
        if len(text.encode()) > MAX_FRAME_BYTES:
            raise Refusal(Close.DECODE_ERROR)
        try:
            frame = json.loads(text)
            op, data = Op(frame["op"]), frame["d"]
        except (json.JSONDecodeError, KeyError, TypeError):
            raise Refusal(Close.DECODE_ERROR) from None
        except ValueError:
            raise Refusal(Close.UNKNOWN_OPCODE) from None
        match op:
            case Op.HEARTBEAT:
                await connection.send(Op.HEARTBEAT_ACK)
            case Op.IDENTIFY:
                await self._identify(connection, data)
            case Op.RESUME:
                await self._resume(connection, data)
            case Op.PRESENCE if connection.session is not None:
                self.journal.note(f"gateway: presence {data}")
            case _:
                raise Refusal(Close.NOT_AUTHENTICATED if connection.session is None else Close.UNKNOWN_OPCODE)

    async def _identify(self, connection: Connection, data: Payload) -> None:
        self.identifies.append(data)
        if connection.session is not None:
            raise Refusal(Close.ALREADY_AUTHENTICATED)
        if data.get("token") != self.token:
            raise Refusal(Close.AUTHENTICATION_FAILED)
        shard, shard_count = data.get("shard", (0, 1))
        if not 0 <= shard < shard_count:
            raise Refusal(Close.INVALID_SHARD)
        is_early = self._record_identify(shard % self.max_concurrency)
        if is_early:
            self.early_identify_count += 1
            self.journal.note(f"gateway: shard {shard} identifies too soon")
            await connection.send(Op.INVALID_SESSION, data=False)
            return
        intents = data["intents"]
        if intents & self.denied & PRIVILEGED:
            raise Refusal(Close.DISALLOWED_INTENTS)
        session = Session(secrets.token_hex(16), shard, shard_count, Intent(intents), connection=connection)
        connection.session = session
        self.sessions[session.id] = session
        await self._welcome(session)

    def _record_identify(self, bucket: int) -> bool:
        """Record the time of an identify, and return whether it is too early."""
        if self.bucket_seconds is None:
            return False
        now = time.monotonic()
        last, self._identify_times[bucket] = self._identify_times.get(bucket, -1e9), now
        return now - last < self.bucket_seconds

    async def _welcome(self, session: Session) -> None:
        guilds = (
            [*self.world.guild_payloads(session.shard, session.shard_count)]
            if session.intents & Intent.GUILDS
            else []
        )
        bot = self.world.bot
        await session.push(
            "READY",
            {
                "v": 10,
                "user": bot.payload(),
                "guilds": [{"id": guild["id"], "unavailable": True} for guild in guilds],
                "session_id": session.id,
                "resume_gateway_url": self.url,
                "shard": [session.shard, session.shard_count],
                "application": {"id": str(bot.id), "flags": 0},
            },
        )
        for guild in guilds:
            await session.push("GUILD_CREATE", guild)
        session.ready = True
        self.journal.note(f"gateway: shard {session.shard} is ready with {session.intents!r}")

    async def _resume(self, connection: Connection, data: Payload) -> None:
        self.resumes.append(data)
        if data.get("token") != self.token:
            raise Refusal(Close.AUTHENTICATION_FAILED)
        session = self.sessions.get(data["session_id"])
        seq = data["seq"]
        is_refused = self.resumes_to_refuse > 0
        self.resumes_to_refuse -= is_refused
        oldest = session.events[0][0] if session is not None and session.events else 0
        if is_refused or session is None or not session.resumable or seq + 1 < oldest:
            if session is not None:
                session.resumable = False
            self.journal.note("gateway: resume refused")
            await connection.send(Op.INVALID_SESSION, data=False)
            return
        if seq > session.sequence:
            raise Refusal(Close.INVALID_SEQ)
        connection.session = session
        repeat, self.events_to_repeat = self.events_to_repeat, 0
        self.replayed_count = await session.replay(connection, seq - repeat)
        self.journal.note(
            f"gateway: shard {session.shard} resumed after {seq}, {self.replayed_count} event(s) replayed"
        )
