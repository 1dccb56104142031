"""The users, channels and messages of the local Discord, and their payloads."""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum, IntFlag
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

Payload = dict[str, Any]

#: Milliseconds between the Unix epoch and the first second of 2015, from which snowflakes are counted.
DISCORD_EPOCH_MS = 1_420_070_400_000
#: Discord's default size limit for an uploaded file, in bytes.
MAX_FILE_BYTES = 10 * 1024 * 1024
#: The content types of attachments by file extension. Files with other extensions have no content type. The platform's own
#: table is not used, because it differs between machines: on some, .gcg is a chemical format.
CONTENT_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".json": "application/json; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".zip": "application/zip",
}
#: The message flag for messages that only one user sees.
EPHEMERAL = 1 << 6
#: The message flag for messages that consist only of components.
COMPONENTS_V2 = 1 << 15
#: The component type of a block of text in a layout.
TEXT_DISPLAY = 10


class Intent(IntFlag):
    """The gateway intents that the local Discord supports, with Discord's bit values."""

    GUILDS = 1 << 0
    MEMBERS = 1 << 1
    PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_REACTIONS = 1 << 10
    DIRECT_MESSAGES = 1 << 12
    DIRECT_REACTIONS = 1 << 13
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intent.MEMBERS | Intent.PRESENCES | Intent.MESSAGE_CONTENT


class ChannelKind(IntEnum):
    TEXT = 0
    DIRECT = 1
    GROUP = 3


class Snowflakes:
    """Creates strictly increasing ids whose upper bits are the current time, as on Discord."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        now = (int(time.time() * 1000) - DISCORD_EPOCH_MS) << 22
        self._last = max(self._last + 1, now)
        return self._last


def timestamp() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class Account:
    """A person or the bot."""

    id: int
    name: str
    bot: bool = False

    def payload(self) -> Payload:
        return {
            "id": str(self.id),
            "username": self.name,
            "global_name": None if self.bot else self.name.title(),
            "discriminator": "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
            "flags": 0,
        }


@dataclass(frozen=True, slots=True)
class Channel:
    """A text channel in a guild, a direct channel with `recipient`, or a group conversation."""

    id: int
    name: str
    guild_id: int | None
    recipient: Account | None = None

    @property
    def kind(self) -> ChannelKind:
        if self.guild_id is not None:
            return ChannelKind.TEXT
        return ChannelKind.GROUP if self.recipient is None else ChannelKind.DIRECT

    def payload(self) -> Payload:
        common: Payload = {"id": str(self.id), "type": int(self.kind), "last_message_id": None, "flags": 0}
        if self.recipient is not None:
            return {**common, "recipients": [self.recipient.payload()]}
        if self.guild_id is None:
            return {**common, "recipients": [], "name": self.name, "icon": None, "owner_id": "1"}
        return {
            **common,
            "guild_id": str(self.guild_id),
            "name": self.name,
            "position": 0,
            "permission_overwrites": [],
            "nsfw": False,
            "topic": None,
            "rate_limit_per_user": 0,
            "parent_id": None,
        }


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height in pixels from a PNG's first chunk, or None if the data is not a PNG."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or len(data) < 24:
        return None
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An uploaded file; `description` is its alt text."""

    id: int
    name: str
    data: bytes
    description: str | None = None

    def payload(self, base: str, channel_id: int) -> Payload:
        url = f"{base}/attachments/{channel_id}/{self.id}/{quote(self.name)}"
        kind = CONTENT_TYPES.get(PurePosixPath(self.name).suffix.lower())
        size = image_size(self.data)
        return {
            "id": str(self.id),
            "filename": self.name,
            "size": len(self.data),
            "url": url,
            "proxy_url": url,
            **({"content_type": kind} if kind else {}),
            **({"width": size[0], "height": size[1]} if size else {}),
            **({"description": self.description} if self.description is not None else {}),
        }


@dataclass(slots=True)
class StoredMessage:
    """A message as the server stores it.

    `sent` is the JSON body of the bot's last request that created or edited the message. It is empty for other users' messages.
    """

    id: int
    channel: Channel
    author: Account
    content: str = ""
    files: list[StoredFile] = field(default_factory=list)
    embeds: list[Payload] = field(default_factory=list)
    components: list[Payload] = field(default_factory=list)
    flags: int = 0
    reply_to: int | None = None
    mentions: tuple[Account, ...] = ()
    reactions: dict[str, set[int]] = field(default_factory=dict)
    sent: Payload = field(default_factory=dict)
    nonce: str | None = None
    created_at: str = field(default_factory=timestamp)
    edited_at: str | None = None
    edit_count: int = 0
    deleted: bool = False
    interaction_token: str | None = None

    @property
    def text(self) -> str:
        return "\n".join(text for text in (self.content, *_texts(self.components)) if text)

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & EPHEMERAL)


def _texts(components: list[Payload]) -> Iterator[str]:
    for component in components:
        if component["type"] == TEXT_DISPLAY:
            yield component["content"]
        yield from _texts(component.get("components", []))


class World:
    """A guild with a text channel, a DM channel between alice and the bot, and the accounts of alice, bob and the bot.

    `elsewhere` is a channel in a guild without the bot, and `group` is a conversation without the bot. There, the bot is
    available only to users who installed it for themselves, and only through interactions.
    """

    def __init__(self) -> None:
        self.ids = Snowflakes()
        self.bot = Account(self.ids.next(), "kibitz", bot=True)
        self.alice = Account(self.ids.next(), "alice")
        self.bob = Account(self.ids.next(), "bob")
        self.guild_id = self.ids.next()
        self.general = Channel(self.ids.next(), "general", self.guild_id)
        self.direct = Channel(self.ids.next(), "", None, self.alice)
        self.elsewhere = Channel(self.ids.next(), "elsewhere", self.ids.next())
        self.group = Channel(self.ids.next(), "friends", None)
        self.channels = {channel.id: channel for channel in (self.general, self.direct)}
        self.messages: dict[int, StoredMessage] = {}
        #: The permissions of every member of the guild, as a bit set: all except administrator.
        self.permissions = 0x7FFF_FFFF_FFFF & ~(1 << 3)
        #: The number of additional guilds, and how many channels and roles each of them has. If `spread_over_shards`, they are
        #: distributed over the shards. Otherwise, all are on the first guild's shard.
        self.extra_guild_count = 0
        self.extra_guild_size = (30, 20)
        self.spread_over_shards = False
        #: The address of the local Discord, set when its port is known. URLs of attachments begin with it.
        self.base = ""

    @property
    def accounts(self) -> tuple[Account, ...]:
        return (self.bot, self.alice, self.bob)

    def shard_of(self, channel: Channel, shard_count: int) -> int:
        """Return the shard that receives a channel's events, by Discord's formula; shard 0 for DM channels."""
        return 0 if channel.guild_id is None else (channel.guild_id >> 22) % shard_count

    def bot_messages(self) -> list[StoredMessage]:
        """Return the bot's messages that are neither deleted nor ephemeral, oldest first."""
        return [
            message
            for _, message in sorted(self.messages.items())
            if message.author is self.bot and not message.deleted and not message.ephemeral
        ]

    def replies_to(self, message: StoredMessage) -> list[StoredMessage]:
        return [reply for reply in self.bot_messages() if reply.reply_to == message.id]

    def file(self, file_id: int) -> StoredFile | None:
        files = (file for message in self.messages.values() for file in message.files if file.id == file_id)
        return next(files, None)

    def member_payload(self) -> Payload:
        """Return the member object that all users share, without the user object in it."""
        return {
            "roles": [],
            "joined_at": "2020-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "flags": 0,
            "nick": None,
            "avatar": None,
        }

    def guild_payload(self) -> Payload:
        everyone = {
            "id": str(self.guild_id),
            "name": "@everyone",
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": 0,
            "permissions": str(self.permissions),
            "managed": False,
            "mentionable": False,
            "flags": 0,
        }
        return {
            "id": str(self.guild_id),
            "name": "Club",
            "icon": None,
            "owner_id": str(self.alice.id),
            "roles": [everyone],
            "emojis": [],
            "stickers": [],
            "features": [],
            "channels": [c.payload() for c in self.channels.values() if c.guild_id == self.guild_id],
            "threads": [],
            "members": [{**self.member_payload(), "user": account.payload()} for account in self.accounts],
            "member_count": len(self.accounts),
            "presences": [],
            "voice_states": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "preferred_locale": "en-US",
            "premium_tier": 0,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "system_channel_flags": 0,
            "joined_at": "2020-01-01T00:00:00+00:00",
            "large": False,
            "unavailable": False,
        }

    def guild_payloads(self, shard: int, shard_count: int) -> Iterator[Payload]:
        """Yield the GUILD_CREATE payload of each guild on a shard."""
        guild = self.guild_payload()
        if (self.guild_id >> 22) % shard_count == shard:
            yield guild
        channel_count, role_count = self.extra_guild_size
        for number in range(1, self.extra_guild_count + 1):
            guild_id = self.extra_guild_id(number)
            if (guild_id >> 22) % shard_count != shard:
                continue
            channels = [self.extra_channel(number, index).payload() for index in range(1, channel_count + 1)]
            roles = [
                {**guild["roles"][0], "id": str(guild_id + index), "name": f"role-{index}"}
                for index in range(role_count)
            ]
            yield {
                **guild,
                "id": str(guild_id),
                "name": f"guild {number}",
                "channels": channels,
                "roles": roles,
            }

    def extra_guild_id(self, number: int) -> int:
        """Return the id of an additional guild; numbers start at 1."""
        # The bits above the lowest 22 determine the shard.
        return self.guild_id + (number << (22 if self.spread_over_shards else 8))

    def extra_channel(self, number: int, index: int = 1) -> Channel:
        """Return a channel of an additional guild; both numbers start at 1."""
        guild_id = self.extra_guild_id(number)
        return Channel(guild_id + index, f"channel-{index}", guild_id)

    def message_json(self, message: StoredMessage, *, nested: bool = False) -> Payload:
        """Return the REST API's message object. If `nested`, leave out the message that it replies to."""
        payload: Payload = {
            "id": str(message.id),
            "channel_id": str(message.channel.id),
            "author": message.author.payload(),
            "content": message.content,
            "timestamp": message.created_at,
            "edited_timestamp": message.edited_at,
            "tts": False,
            "mention_everyone": False,
            "mentions": [account.payload() for account in message.mentions],
            "mention_roles": [],
            "attachments": [file.payload(self.base, message.channel.id) for file in message.files],
            "embeds": message.embeds,
            "components": message.components,
            "pinned": False,
            "flags": message.flags,
            "type": 0 if message.reply_to is None else 19,
        }
        if message.reactions:
            payload["reactions"] = [self._reaction(*pair) for pair in message.reactions.items()]
        if message.nonce is not None:
            payload["nonce"] = message.nonce
        if message.interaction_token is not None:
            payload |= {"webhook_id": str(self.bot.id), "application_id": str(self.bot.id)}
        if message.reply_to is not None and not nested:
            payload |= self._reference(message)
        return payload

    def message_event(self, message: StoredMessage) -> Payload:
        """Return the gateway's message object, which also contains the guild and the author's membership."""
        payload = self.message_json(message)
        if message.channel.guild_id is not None:
            payload["guild_id"] = str(message.channel.guild_id)
            payload["member"] = self.member_payload()
            for mention in payload["mentions"]:
                mention["member"] = self.member_payload()
        return payload

    def _reaction(self, emoji: str, user_ids: set[int]) -> Payload:
        me = self.bot.id in user_ids
        count = {"burst": 0, "normal": len(user_ids)}
        return {
            "emoji": {"id": None, "name": emoji},
            "count": len(user_ids),
            "count_details": count,
            "me": me,
            "me_burst": False,
            "burst_colors": [],
        }

    def _reference(self, message: StoredMessage) -> Payload:
        reference: Payload = {
            "type": 0,
            "message_id": str(message.reply_to),
            "channel_id": str(message.channel.id),
        }
        if message.channel.guild_id is not None:
            reference["guild_id"] = str(message.channel.guild_id)
        original = self.messages.get(message.reply_to or 0)
        referenced = (
            None if original is None or original.deleted else self.message_json(original, nested=True)
        )
        return {"message_reference": reference, "referenced_message": referenced}
