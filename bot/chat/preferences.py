"""What was chosen: which mode, look, lexicon and language apply in a server and for a person. Knows no shell.

What everybody sees follows the server, what one person sees follows that person; what nobody chose follows the
operator's settings.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

from cachetools import LRUCache

from bot.chat.style import Style, View
from bot.engine.lexicon.installed import read_aliases
from bot.storage.errors import StoreError
from bot.storage.settings import ServerSettings, UserSettings
from bot.text import LANGUAGES, speaker
from render.scene import Layout
from render.theme import theme_names

log = logging.getLogger(__name__)

Value = TypeVar("Value")

REMEMBERED_SECONDS: Final = 60.0
"""How long a choice made through another process may stay unseen."""

LOOK_SECONDS: Final = 0.7
"""How long an answer waits to know how it shall look. Discord wants a sign within three seconds."""

MAX_REMEMBERED: Final = 20_000
"""Servers and people whose choices are kept in memory, each."""


class Mode(StrEnum):
    """How messages with positions are met."""

    AUTO = "auto"
    """Answered at once."""
    PICTURES = "pictures"
    """Answered at once, and pictures are looked at, too."""
    ON_REQUEST = "on_request"
    """Marked, and answered when somebody presses the mark."""
    OFF = "off"
    """Left alone, unless they address us."""


@dataclass(frozen=True, slots=True)
class ServerChoices:
    """Everything chosen in one server."""

    settings: ServerSettings = field(default_factory=ServerSettings)
    modes: tuple[tuple[int, str], ...] = ()
    """The channels with a mode of their own, by id."""

    @property
    def mode(self) -> Mode:
        """The mode of channels without one of their own."""
        return _mode(self.settings.mode) or Mode.AUTO


class ChoiceStore(Protocol):
    """Where choices are kept."""

    async def server_settings(self, guild_id: int) -> ServerSettings:
        """Return what is chosen in a server."""

    async def set_server_settings(self, guild_id: int, chosen: ServerSettings) -> None:
        """Keep what is chosen in a server."""

    async def channel_modes(self, guild_id: int) -> dict[int, str]:
        """Return the modes of a server's channels that have one of their own."""

    async def guilds_of_mode(self, mode: str) -> list[int]:
        """Return the servers that have chosen a mode, for themselves or for one of their channels."""

    async def set_channel_mode(self, guild_id: int, channel_id: int, mode: str | None) -> None:
        """Keep the mode of one channel."""

    async def user_settings(self, user_id: int) -> UserSettings:
        """Return what a person has chosen."""

    async def set_user_settings(self, user_id: int, chosen: UserSettings) -> None:
        """Keep what a person has chosen."""

    async def forget_user(self, user_id: int) -> None:
        """Forget everything about a person."""


class _Memory(Generic[Value]):
    """The latest values by id, each for a short time. What several want at the same time is loaded once."""

    def __init__(self, load: Callable[[int], Coroutine[None, None, Value]]) -> None:
        self._load = load
        self._values: LRUCache[int, tuple[float, Value]] = LRUCache(MAX_REMEMBERED)
        self._loading: dict[int, asyncio.Task[Value]] = {}

    async def get(self, key: int) -> Value:
        """Return the value of ``key``, loaded when none is kept; raises what loading raises."""
        kept = self._values.get(key)
        if kept is not None and time.monotonic() < kept[0]:
            return kept[1]
        loading = self._loading.get(key)
        if loading is None:
            loading = self._loading[key] = asyncio.create_task(self._load(key))
            loading.add_done_callback(partial(self._keep, key))
        # One waiting task may be cancelled; the others still get the value.
        return await asyncio.shield(loading)

    def _keep(self, key: int, loaded: asyncio.Task[Value]) -> None:
        failed = loaded.cancelled() or loaded.exception() is not None
        if self._loading.get(key) is not loaded:
            return  # what was read may be older than what has been chosen meanwhile
        del self._loading[key]
        if failed:
            return
        self._values[key] = (time.monotonic() + REMEMBERED_SECONDS, loaded.result())

    def latest(self, key: int) -> Value | None:
        """Return the last value known, however old."""
        kept = self._values.get(key)
        return None if kept is None else kept[1]

    def drop(self, key: int) -> None:
        """Forget the value of ``key``, and what is being loaded of it."""
        self._values.pop(key, None)
        self._loading.pop(key, None)


class Preferences:
    """Finds out what applies, and changes what is chosen. ``default`` is the operator's look."""

    def __init__(self, store: ChoiceStore, default: View) -> None:
        self._store = store
        self._default = default
        self._servers: _Memory[ServerChoices] = _Memory(self._load_server)
        self._users: _Memory[UserSettings] = _Memory(self._load_user)
        self._choosing = asyncio.Lock()
        self._looking: set[int] = set()

    async def mode(self, guild_id: int, places: Sequence[int]) -> Mode:
        """Return the mode of a channel; ``places`` are its id and those it inherits from, nearest first.

        Raises:
            StoreError: the store cannot be read.

        """
        choices = await self.server(guild_id)
        modes = dict(choices.modes)
        for place in places:
            if mode := _mode(modes.get(place)):
                return mode
        return choices.mode

    async def learn_who_looks(self) -> None:
        """Learn which servers have pictures looked at somewhere.

        Raises:
            StoreError: the store cannot be read.

        """
        self._looking = set(await self._store.guilds_of_mode(Mode.PICTURES))

    def may_look(self, guild_id: int) -> bool:
        """Tell, without the store, whether a server has pictures looked at in some channel, as far as is known."""
        return guild_id in self._looking

    async def asks(self, guild_id: int) -> bool:
        """Tell whether broken positions and games get a question mark in a server.

        Raises:
            StoreError: the store cannot be read.

        """
        return (await self.server(guild_id)).settings.questions is not False

    async def has_threads(self, guild_id: int) -> bool:
        """Tell whether each live game gets a thread in a server.

        Raises:
            StoreError: the store cannot be read.

        """
        return (await self.server(guild_id)).settings.live == "thread"

    async def may_mention(self, guild_id: int, user_id: int) -> bool:
        """Tell whether a player wants to be told in a server whose turn it is, and the server lets us.

        Raises:
            StoreError: the store cannot be read.

        """
        if (await self.server(guild_id)).settings.turns is False:
            return False
        return (await self.user(user_id)).turns is True

    async def public(self, guild_id: int | None, locale: str, answered_id: int | None = None) -> Style:
        """Return how an answer for everybody in a server looks and speaks; ``locale`` where none is chosen.

        Where the server lets answers look as whoever is answered chose, ``answered_id`` is that person.

        When the store does not answer in time, what was known before applies: an answer in the wrong colours is better
        than none.
        """
        if guild_id is None:
            return Style(self._default, speaker(locale))
        choices = await _in_time(self.server(guild_id)) or self._servers.latest(guild_id) or ServerChoices()
        style = _style(choices.settings, Style(self._default, speaker(locale)))
        if not choices.settings.looks or answered_id is None:
            return style
        # The look alone: everybody reads the words, and is analyzed by the same lexicon.
        return replace(style, view=_style(await self._chosen_by(answered_id), style).view)

    async def _chosen_by(self, user_id: int) -> UserSettings:
        return await _in_time(self.user(user_id)) or self._users.latest(user_id) or UserSettings()

    async def private(self, user_id: int, guild_id: int | None, locale: str) -> Style:
        """Return how an answer for one person looks and speaks, perhaps in a server.

        What the person did not choose looks as it does in the server, but speaks the person's ``locale``.
        """
        around = replace(await self.public(guild_id, locale), say=speaker(locale))
        return _style(await self._chosen_by(user_id), around)

    async def server(self, guild_id: int) -> ServerChoices:
        """Return what is chosen in a server."""
        return await self._servers.get(guild_id)

    async def user(self, user_id: int) -> UserSettings:
        """Return what a person has chosen."""
        return await self._users.get(user_id)

    async def choose_for_server(
        self, guild_id: int, change: Callable[[ServerSettings], ServerSettings]
    ) -> None:
        """Choose for a server; ``change`` makes the new choices of the present ones.

        Raises:
            ValueError: a value cannot be chosen.
            StoreError: the store cannot keep it.

        """
        async with self._choosing:
            chosen = change(await self._store.server_settings(guild_id))
            await self._store.set_server_settings(guild_id, chosen)
            self._look_if(guild_id, chosen.mode)
            self._servers.drop(guild_id)

    async def choose_mode(self, guild_id: int, channel_id: int, mode: Mode | None) -> None:
        """Choose a channel's mode; None lets it follow what it inherits from.

        Raises:
            ValueError: too many channels of the server have a mode of their own.
            StoreError: the store cannot keep it.

        """
        async with self._choosing:
            await self._store.set_channel_mode(guild_id, channel_id, mode and mode.value)
            self._look_if(guild_id, mode)
            self._servers.drop(guild_id)

    def _look_if(self, guild_id: int, mode: str | None) -> None:
        if mode == Mode.PICTURES:
            self._looking.add(guild_id)

    async def choose_for_user(self, user_id: int, change: Callable[[UserSettings], UserSettings]) -> None:
        """Choose for a person; ``change`` makes the new choices of the present ones.

        Raises:
            ValueError: a value cannot be chosen.
            StoreError: the store cannot keep it.

        """
        async with self._choosing:
            chosen = change(await self._store.user_settings(user_id))
            await self._store.set_user_settings(user_id, chosen)
            self._users.drop(user_id)

    async def forget_user(self, user_id: int) -> None:
        """Delete a person from the store, and drop what is in memory of them.

        Raises:
            StoreError: the store cannot forget now.

        """
        # What is being chosen at the same time would be kept anew, with what was chosen before.
        async with self._choosing:
            await self._store.forget_user(user_id)
            self._users.drop(user_id)

    async def _load_server(self, guild_id: int) -> ServerChoices:
        settings = await self._store.server_settings(guild_id)
        modes = await self._store.channel_modes(guild_id)
        chosen = ServerChoices(settings, tuple(sorted(modes.items())))
        return _NOTHING_CHOSEN if chosen == _NOTHING_CHOSEN else chosen

    async def _load_user(self, user_id: int) -> UserSettings:
        chosen = await self._store.user_settings(user_id)
        return _NOTHING_CHOSEN_BY_USER if chosen == _NOTHING_CHOSEN_BY_USER else chosen


# Most choose nothing, and all of them share these.
_NOTHING_CHOSEN: Final = ServerChoices()
_NOTHING_CHOSEN_BY_USER: Final = UserSettings()


async def _in_time(choices: Awaitable[Value]) -> Value | None:
    """Await choices for a moment; None when the store does not answer."""
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            return await choices
    except (StoreError, TimeoutError) as error:
        log.warning("what is chosen cannot be read now: %r", error)
        return None


def _mode(word: str | None) -> Mode | None:
    return Mode(word) if word in tuple(Mode) else None


def _style(chosen: ServerSettings | UserSettings, otherwise: Style) -> Style:
    """Return a style with everything that is chosen and still known."""
    view = otherwise.view
    if chosen.theme in theme_names():
        view = replace(view, theme=chosen.theme)
    if chosen.layout in {layout.value for layout in Layout}:
        view = replace(view, layout=Layout(chosen.layout))
    if chosen.coordinates is not None:
        view = replace(view, coordinates=chosen.coordinates)
    say = speaker(chosen.language) if chosen.language in LANGUAGES else otherwise.say
    aliases = _aliases(chosen.aliases) if isinstance(chosen, ServerSettings) else otherwise.aliases
    return Style(view, say, chosen.lexicon or otherwise.lexicon, aliases)


def _aliases(text: str | None) -> tuple[tuple[str, str], ...]:
    try:
        return read_aliases(text) if text else ()
    except ValueError:
        return ()
