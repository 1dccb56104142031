"""The REST API for channels, messages and the application's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from . import message_bodies
from .commands import check_commands
from .faults import json_response
from .message_bodies import ApiError, read_body
from .world import Intent, StoredMessage

if TYPE_CHECKING:
    from .gateway import Gateway
    from .journal import Journal
    from .world import Channel, Payload, World

#: A server that stores this many messages rejects the bot's messages, so a bot that replies to itself cannot fill the memory.
MAX_MESSAGES = 2000
#: The flag of an application that has the message content intent without approval, because it is in few servers.
GATEWAY_MESSAGE_CONTENT_LIMITED = 1 << 19


class Rest:
    """Handlers for REST requests. As on Discord, the gateway sends an event before the request is answered."""

    def __init__(self, world: World, gateway: Gateway, journal: Journal) -> None:
        self.world = world
        self.gateway = gateway
        self.journal = journal
        #: The application's registered commands.
        self.commands: list[Payload] = []
        self.registration_count = 0

    def routes(self) -> list[web.RouteDef]:
        message = r"/channels/{channel:\d+}/messages/{message:\d+}"
        reaction = message + "/reactions/{emoji}/@me"
        return [
            web.get("/users/@me", self.me),
            web.get("/users/@me/guilds", self.guilds),
            web.post("/users/@me/channels", self.open_direct),
            web.get("/oauth2/applications/@me", self.application),
            web.get("/gateway/bot", self.gateway_address),
            web.get(r"/guilds/{guild:\d+}/members/{user:\d+}", self.guild_member),
            web.get(r"/channels/{channel:\d+}", self.channel),
            web.get(r"/channels/{channel:\d+}/messages", self.history),
            web.post(r"/channels/{channel:\d+}/messages", self.create),
            web.get(message, self.fetch),
            web.patch(message, self.edit),
            web.delete(message, self.delete),
            web.put(reaction, self.react),
            web.delete(reaction, self.unreact),
            web.put(r"/applications/{application:\d+}/commands", self.put_commands),
        ]

    # Users and channels

    async def me(self, request: web.Request) -> web.Response:
        return json_response(
            200, {**self.world.bot.payload(), "verified": True, "mfa_enabled": False, "locale": "en-US"}
        )

    async def guilds(self, request: web.Request) -> web.Response:
        permissions = str(self.world.permissions)
        return json_response(
            200, [{"id": str(self.world.guild_id), "name": "Club", "permissions": permissions}]
        )

    async def guild_member(self, request: web.Request) -> web.Response:
        if int(request.match_info["guild"]) != self.world.guild_id:
            raise ApiError(404, 10004, "Unknown Guild")
        for account in self.world.accounts:
            if str(account.id) == request.match_info["user"]:
                return json_response(200, {**self.world.member_payload(), "user": account.payload()})
        raise ApiError(404, 10013, "Unknown User")

    async def application(self, request: web.Request) -> web.Response:
        bot = self.world.bot
        return json_response(
            200,
            {
                "id": str(bot.id),
                "name": bot.name,
                "icon": None,
                "description": "",
                "summary": "",
                "verify_key": "0" * 64,
                "flags": 0
                if self.gateway.denied & Intent.MESSAGE_CONTENT
                else GATEWAY_MESSAGE_CONTENT_LIMITED,
                "bot_public": True,
                "bot_require_code_grant": False,
                "owner": self.world.alice.payload(),
                "team": None,
                "interactions_endpoint_url": None,
                "integration_types_config": {"0": {}, "1": {}},
            },
        )

    async def gateway_address(self, request: web.Request) -> web.Response:
        limit = {
            "total": 1000,
            "remaining": self.gateway.max_session_starts - len(self.gateway.identifies),
            "reset_after": 14_400_000,
            "max_concurrency": self.gateway.max_concurrency,
        }
        return json_response(
            200, {"url": self.gateway.url, "shards": self.gateway.shard_count, "session_start_limit": limit}
        )

    def _channel(self, request: web.Request) -> Channel:
        channel = self.world.channels.get(int(request.match_info["channel"]))
        if channel is None:
            raise ApiError(404, 10003, "Unknown Channel")
        return channel

    def _message(self, request: web.Request) -> StoredMessage:
        channel = self._channel(request)
        message = self.world.messages.get(int(request.match_info["message"]))
        if message is None or message.deleted or message.ephemeral or message.channel is not channel:
            raise ApiError(404, 10008, "Unknown Message")
        return message

    async def channel(self, request: web.Request) -> web.Response:
        return json_response(200, self._channel(request).payload())

    async def open_direct(self, request: web.Request) -> web.Response:
        wanted = (await read_body(request)).payload.get("recipient_id")
        direct = self.world.direct
        if direct.recipient is None or str(direct.recipient.id) != str(wanted):
            raise ApiError(403, 50007, "Cannot send messages to this user")
        return json_response(200, direct.payload())

    # Messages

    async def create(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        body = await read_body(request)
        existing = self._find_by_nonce(body.payload)
        if existing is not None:
            return json_response(200, self.world.message_json(existing))
        if len(self.world.messages) >= MAX_MESSAGES:
            raise ApiError(400, 30046, "Too many messages for one test")
        message = StoredMessage(self.world.ids.next(), channel, self.world.bot)
        message.reply_to = self._referenced_id(body.payload.get("message_reference"), channel)
        nonce = body.payload.get("nonce")
        message.nonce = None if nonce is None else str(nonce)
        message_bodies.apply(self.world, message, body)
        self.world.messages[message.id] = message
        await self.gateway.message_created(message)
        return json_response(200, self.world.message_json(message))

    def _find_by_nonce(self, body: Payload) -> StoredMessage | None:
        """If the client sets "enforce_nonce", return the bot's earlier message with the same nonce."""
        nonce = body.get("nonce")
        if nonce is None or not body.get("enforce_nonce"):
            return None
        if len(str(nonce)) > 25:
            raise message_bodies.invalid_form_error("nonce", "Must be 25 or fewer in length.")
        return next((m for m in self.world.messages.values() if m.nonce == str(nonce)), None)

    def _referenced_id(self, reference: Payload | None, channel: Channel) -> int | None:
        if reference is None:
            return None
        original = self.world.messages.get(int(reference["message_id"]))
        if original is not None and not original.deleted and original.channel is channel:
            return original.id
        if reference.get("fail_if_not_exists", True):
            raise message_bodies.invalid_form_error("message_reference", "Unknown message")
        return None

    async def fetch(self, request: web.Request) -> web.Response:
        return json_response(200, self._payload_as_seen(self._message(request)))

    def _payload_as_seen(self, message: StoredMessage) -> Payload:
        """Return the payload of a message for an application without the denied intents."""
        return self.gateway.payload_seen_with(~self.gateway.denied, message, self.world.message_json(message))

    async def history(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        limit = min(int(request.query.get("limit", "50")), 100)
        before = int(request.query.get("before", "0")) or None
        after = int(request.query.get("after", "0"))
        messages = [
            message
            for number, message in sorted(self.world.messages.items(), reverse=True)
            if message.channel is channel
            and not (message.deleted or message.ephemeral)
            and after < number
            and (before is None or number < before)
        ]
        chosen = messages[-limit:] if after else messages[:limit]
        return json_response(200, [self._payload_as_seen(message) for message in chosen])

    async def edit(self, request: web.Request) -> web.Response:
        message = self._message(request)
        if message.author is not self.world.bot:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        message_bodies.edit(self.world, message, await read_body(request))
        await self.gateway.message_updated(message)
        return json_response(200, self.world.message_json(message))

    async def delete(self, request: web.Request) -> web.Response:
        message = self._message(request)
        message.deleted = True
        await self.gateway.message_deleted(message)
        return json_response(204)

    async def react(self, request: web.Request) -> web.Response:
        message, emoji = self._message(request), request.match_info["emoji"]
        message.reactions.setdefault(emoji, set()).add(self.world.bot.id)
        await self.gateway.reaction_added(message, emoji, self.world.bot.id)
        return json_response(204)

    async def unreact(self, request: web.Request) -> web.Response:
        message, emoji = self._message(request), request.match_info["emoji"]
        message.reactions.get(emoji, set()).discard(self.world.bot.id)
        return json_response(204)

    # The application's commands

    async def put_commands(self, request: web.Request) -> web.Response:
        if request.match_info["application"] != str(self.world.bot.id):
            raise ApiError(404, 10002, "Unknown Application")
        commands = await request.json()
        check_commands(commands)
        extra: Payload = {"application_id": str(self.world.bot.id), "version": str(self.world.ids.next())}
        existing = {(c["type"], c["name"]): c["id"] for c in self.commands}
        stored = []
        for command in commands:
            command_id = existing.get((command.get("type", 1), command["name"])) or str(self.world.ids.next())
            stored.append({"type": 1, "description": "", **command, **extra, "id": command_id})
        self.commands = stored
        self.registration_count += 1
        self.journal.note(f"rest: {len(stored)} command(s) registered")
        return json_response(200, stored)
