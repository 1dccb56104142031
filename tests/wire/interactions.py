"""Interactions: commands, menus, button presses and forms, and the bot's responses and follow-up messages."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from aiohttp import web

from . import message_bodies
from .commands import SUBCOMMAND
from .faults import json_response
from .message_bodies import ApiError, MessageBody, every_component, read_body
from .world import EPHEMERAL, MAX_FILE_BYTES, ChannelKind, StoredMessage

if TYPE_CHECKING:
    from .gateway import Gateway
    from .journal import Journal
    from .world import Account, Channel, Payload, World


#: The component type of a string menu.
SELECT = 3
#: The types of a command's options.
STRING, BOOLEAN = 3, 5
#: The flag of a placeholder message, which only shows that the bot is thinking.
LOADING = 1 << 7
#: Minimum time in seconds that a user needs to fill in a form.
FORM_SECONDS = 0.25
#: Number of event loop iterations to wait after `FORM_SECONDS`, so that a client in this process reads the response to its form.
LOOP_ITERATIONS = 200


class Kind(IntEnum):
    COMMAND = 2
    COMPONENT = 3
    FORM = 5


class Callback(IntEnum):
    MESSAGE = 4
    THINKING = 5
    UPDATE_LATER = 6
    UPDATE = 7
    FORM = 9


@dataclass(eq=False, slots=True)
class Interaction:
    """An interaction, and the bot's responses.

    `source` is the message whose button or menu was used. `callback` is the first response as the bot sent it. `original` is
    the message that the first response created or updated, or that replaced the "is thinking…" placeholder. `thinking` is true while
    users see only the placeholder.
    """

    id: int
    token: str
    kind: Kind
    user: Account
    channel: Channel
    created_at: float
    source: StoredMessage | None = None
    callback: Payload | None = None
    original: StoredMessage | None = None
    thinking: bool = False
    ephemeral: bool = False
    followups: list[StoredMessage] = field(default_factory=list)


class Interactions:
    """Creates interactions for tests, and serves the endpoints for the bot's responses."""

    def __init__(self, world: World, gateway: Gateway, journal: Journal, *, deadline: float) -> None:
        self.world = world
        self.gateway = gateway
        self.journal = journal
        #: Maximum number of seconds until the first response. On Discord, it is 3.
        self.deadline = deadline
        #: Interactions by token.
        self.by_token: dict[str, Interaction] = {}

    def routes(self) -> list[web.RouteDef]:
        """Return the routes under `/api/v10`."""
        message = r"/webhooks/{application:\d+}/{token}/messages/{message}"
        return [
            web.post(r"/interactions/{interaction:\d+}/{token}/callback", self.first_response),
            web.post(r"/webhooks/{application:\d+}/{token}", self.follow_up),
            web.get(message, self.fetch),
            web.patch(message, self.edit),
            web.delete(message, self.delete),
        ]

    # What users do

    async def command(
        self,
        name: str,
        /,
        *,
        user: Account | None = None,
        channel: Channel | None = None,
        **values: str | bool,
    ) -> Interaction:
        """Use a slash command. `name` may consist of a group and a subcommand; `values` are the command's options."""
        name, _, subcommand = name.partition(" ")
        options: list[Payload] = [
            {"name": option, "type": BOOLEAN if isinstance(value, bool) else STRING, "value": value}
            for option, value in values.items()
        ]
        if subcommand:
            options = [{"name": subcommand, "type": SUBCOMMAND, "options": options}]
        data: Payload = {"id": self._command_id(1, name), "name": name, "type": 1, "options": options}
        return await self._create(Kind.COMMAND, data, user, channel)

    async def submit(self, interaction: Interaction, **answers: str) -> Interaction:
        """Submit the form that the bot sent in response to an interaction. `answers` maps custom ids to values.

        After the bot opens a form, discord.py still has to read Discord's response. It ignores a form submitted before then,
        so this method waits first.
        """
        await asyncio.sleep(FORM_SECONDS)
        for _ in range(LOOP_ITERATIONS):
            await asyncio.sleep(0)
        assert interaction.callback is not None
        assert interaction.callback["type"] == Callback.FORM
        rows = [
            {"type": 1, "components": [{"type": 4, "custom_id": field, "value": value}]}
            for field, value in answers.items()
        ]
        data: Payload = {"custom_id": interaction.callback["data"]["custom_id"], "components": rows}
        return await self._create(
            Kind.FORM, data, interaction.user, interaction.channel, source=interaction.source
        )

    async def use_menu_command(
        self, name: str, target: StoredMessage, *, user: Account | None = None
    ) -> Interaction:
        resolved = {"messages": {str(target.id): self.world.message_json(target)}}
        data: Payload = {
            "id": self._command_id(3, name),
            "name": name,
            "type": 3,
            "target_id": str(target.id),
        }
        return await self._create(Kind.COMMAND, {**data, "resolved": resolved}, user, target.channel)

    async def press(
        self, message: StoredMessage, custom_id: str, *values: str, user: Account | None = None
    ) -> Interaction:
        """Press a button, or choose `values` in a menu.

        Raises:
            LookupError: The message has no such component.

        """
        for component in every_component(message.components):
            if component.get("custom_id") == custom_id:
                data: Payload = {"custom_id": custom_id, "component_type": component["type"], "id": 1}
                if component["type"] == SELECT:
                    data["values"] = list(values)
                return await self._create(Kind.COMPONENT, data, user, message.channel, source=message)
        raise LookupError(f"no component {custom_id!r} on message {message.id}")

    async def until_replied(self, interaction: Interaction) -> StoredMessage:
        return await self.journal.until(
            lambda: interaction.original, f"a reply to interaction {interaction.id}"
        )

    async def _create(
        self,
        kind: Kind,
        data: Payload,
        user: Account | None,
        channel: Channel | None,
        source: StoredMessage | None = None,
    ) -> Interaction:
        user, channel = user or self.world.alice, channel or self.world.general
        interaction = Interaction(
            self.world.ids.next(),
            secrets.token_urlsafe(24),
            kind,
            user,
            channel,
            asyncio.get_running_loop().time(),
            source=source,
        )
        self.by_token[interaction.token] = interaction
        self.journal.note(f"interaction: {kind.name} {data.get('name') or data.get('custom_id')}")
        await self.gateway.interaction_created(self._payload(interaction, data), channel)
        return interaction

    def _command_id(self, kind: int, name: str) -> str:
        """Return an arbitrary id for a command, because discord.py finds commands by their names."""
        return str(1000 + kind + sum(name.encode()))

    def _payload(self, interaction: Interaction, data: Payload) -> Payload:
        world, channel = self.world, interaction.channel
        permissions = str(world.permissions)
        payload: Payload = {
            "id": str(interaction.id),
            "application_id": str(world.bot.id),
            "type": int(interaction.kind),
            "token": interaction.token,
            "version": 1,
            "data": data,
            "channel_id": str(channel.id),
            "channel": {**channel.payload(), "permissions": permissions},
            "app_permissions": permissions,
            "locale": "en-US",
            "entitlements": [],
            "attachment_size_limit": MAX_FILE_BYTES,
        }
        if interaction.source is not None:
            payload["message"] = world.message_json(interaction.source)
        if channel.guild_id is None:
            owners = {"1": str(interaction.user.id)}
            return {
                **payload,
                "user": interaction.user.payload(),
                "context": 2 if channel.kind is ChannelKind.GROUP else 1,
                "authorizing_integration_owners": owners,
            }
        member = {
            **world.member_payload(),
            "user": interaction.user.payload(),
            "permissions": permissions,
        }
        return {
            **payload,
            "guild_id": str(channel.guild_id),
            "guild": {"id": str(channel.guild_id), "locale": "en-US", "features": []},
            "guild_locale": "en-US",
            "member": member,
            "context": 0,
            "authorizing_integration_owners": (
                {"0": str(channel.guild_id)}
                if channel.guild_id == world.guild_id
                else {"1": str(interaction.user.id)}
            ),
        }

    # What the bot sends

    def _interaction(self, request: web.Request) -> Interaction:
        interaction = self.by_token.get(request.match_info["token"])
        if interaction is None:
            raise ApiError(404, 10015, "Unknown Webhook")
        return interaction

    async def first_response(self, request: web.Request) -> web.Response:
        interaction = self.by_token.get(request.match_info["token"])
        is_late = (
            interaction is not None
            and asyncio.get_running_loop().time() - interaction.created_at > self.deadline
        )
        if interaction is None or str(interaction.id) != request.match_info["interaction"] or is_late:
            raise ApiError(404, 10062, "Unknown interaction")
        body = await read_body(request)
        if interaction.callback is not None:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        kind = Callback(body.payload["type"])
        inner = MessageBody(body.payload.get("data") or {}, body.uploads)
        interaction.ephemeral = bool(int(inner.payload.get("flags") or 0) & EPHEMERAL)
        await self._apply(interaction, kind, inner)
        interaction.callback = body.payload
        self.journal.note(f"interaction: replied with {kind.name}")
        return json_response(200, self._receipt(interaction, kind))

    async def _apply(self, interaction: Interaction, kind: Callback, inner: MessageBody) -> None:
        match kind:
            case Callback.MESSAGE:
                interaction.original = await self._post(interaction, inner)
            case Callback.THINKING:
                interaction.thinking = True
            case Callback.UPDATE | Callback.UPDATE_LATER:
                if interaction.source is None:
                    raise ApiError(400, 50035, "Only a component's message can be updated")
                interaction.original = interaction.source
                if kind is Callback.UPDATE:
                    await self._change(interaction.source, inner)
            case Callback.FORM:
                if interaction.kind is Kind.FORM or not 1 <= len(inner.payload.get("title", "")) <= 45:
                    raise message_bodies.invalid_form_error(
                        "title", "A form has a title of 1 to 45 characters, and can't answer another form."
                    )

    def _receipt(self, interaction: Interaction, kind: Callback) -> Payload:
        about: Payload = {
            "id": str(interaction.id),
            "type": int(interaction.kind),
            "response_message_loading": interaction.thinking,
            "response_message_ephemeral": interaction.ephemeral,
        }
        resource: Payload = {"type": int(kind)}
        if interaction.original is not None:
            about["response_message_id"] = str(interaction.original.id)
            resource["message"] = self.world.message_json(interaction.original)
        return {"interaction": about, "resource": resource}

    async def _post(self, interaction: Interaction, body: MessageBody) -> StoredMessage:
        message = StoredMessage(self.world.ids.next(), interaction.channel, self.world.bot)
        message.interaction_token = interaction.token
        message_bodies.apply(self.world, message, body)
        self.world.messages[message.id] = message
        if not message.ephemeral:
            await self.gateway.message_created(message)
        self.journal.note(f"interaction: message {message.id}")
        return message

    async def _change(self, message: StoredMessage, body: MessageBody) -> None:
        message_bodies.edit(self.world, message, body)
        if not message.ephemeral:
            await self.gateway.message_updated(message)
        self.journal.note(f"interaction: edited {message.id}")

    async def _fill_in(self, interaction: Interaction, body: MessageBody) -> StoredMessage:
        """Replace the "is thinking…" placeholder with a message, which is ephemeral if the placeholder was."""
        interaction.thinking = False
        flags = int(body.payload.get("flags") or 0) & ~EPHEMERAL | (EPHEMERAL if interaction.ephemeral else 0)
        interaction.original = await self._post(
            interaction, MessageBody({**body.payload, "flags": flags}, body.uploads)
        )
        return interaction.original

    async def follow_up(self, request: web.Request) -> web.Response:
        interaction = self._interaction(request)
        body = await read_body(request)
        if interaction.callback is None:
            raise ApiError(404, 10015, "Unknown Webhook")
        if interaction.thinking:
            message = await self._fill_in(interaction, body)
        else:
            message = await self._post(interaction, body)
            interaction.followups.append(message)
        return json_response(200, self.world.message_json(message))

    def _message(self, request: web.Request) -> StoredMessage:
        interaction = self._interaction(request)
        wanted = request.match_info["message"]
        messages = [*interaction.followups]
        if interaction.original is not None:
            messages.append(interaction.original)
        for message in messages:
            is_original = wanted == "@original" and message is interaction.original
            if not message.deleted and (is_original or str(message.id) == wanted):
                return message
        raise ApiError(404, 10008, "Unknown Message")

    async def fetch(self, request: web.Request) -> web.Response:
        interaction = self._interaction(request)
        if interaction.thinking and request.match_info["message"] == "@original":
            thinking = StoredMessage(interaction.id, interaction.channel, self.world.bot)
            thinking.flags = LOADING | (EPHEMERAL if interaction.ephemeral else 0)
            return json_response(200, self.world.message_json(thinking))
        return json_response(200, self.world.message_json(self._message(request)))

    async def edit(self, request: web.Request) -> web.Response:
        interaction = self._interaction(request)
        body = await read_body(request)
        if interaction.thinking and request.match_info["message"] in {"@original", str(interaction.id)}:
            return json_response(200, self.world.message_json(await self._fill_in(interaction, body)))
        message = self._message(request)
        await self._change(message, body)
        return json_response(200, self.world.message_json(message))

    async def delete(self, request: web.Request) -> web.Response:
        interaction = self._interaction(request)
        if interaction.thinking and request.match_info["message"] == "@original":
            interaction.thinking = False
            return json_response(204)
        message = self._message(request)
        message.deleted = True
        if not message.ephemeral:
            await self.gateway.message_deleted(message)
        self.journal.note(f"interaction: deleted {message.id}")
        return json_response(204)
