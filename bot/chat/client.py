"""The Discord client, which connects shards, synchronizes commands, and finishes replies before it closes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeAlias

import discord
from discord import Locale, app_commands
from discord.app_commands import TranslationContextLocation as Location
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from yarl import URL

from bot.chat.card import Appearance
from bot.chat.control import Services
from bot.chat.failures import reply_with_error, should_log
from bot.chat.known_messages import KnownMessages
from bot.chat.limits import Allowance, LimitedBudget
from bot.chat.pacing import RequestPacer, pacing_trace
from bot.chat.periodic import EditLimiter, PeriodicTask
from bot.chat.preferences import Preferences
from bot.chat.sharding import IdentifyLimiter, Shards
from bot.chat.unfinished import UnfinishedReplies
from bot.config import Settings
from bot.fair_queue import FairQueue
from bot.observe.process import GarbageCollection
from bot.storage.address import PostgresServer
from bot.storage.bookkeeping import SWEEP_PAUSE
from bot.storage.errors import StoreError
from bot.storage.store import Store
from bot.text import translator
from render.scene import Layout

log = logging.getLogger(__name__)

CogFactory: TypeAlias = "Callable[[KibitzBot], commands.Cog]"

SWEEP_INTERVAL_SECONDS = 3_600.0

POLL_EDIT_SECONDS = 5.0
"""Minimum time between edits of a card that counts the answers to a poll."""

SHUTDOWN_GRACE_SECONDS = 7.0
"""Maximum time that the bot waits for unfinished replies when it shuts down. Jobs are stopped earlier, and return their results so far."""

LOCK_RELEASE_SECONDS = 1.0
"""Maximum time that the bot waits for its locks to be released when it shuts down. Its shards get the same time to disconnect."""

SHARD_READY_SECONDS = 120.0
"""Maximum time to wait for a shard's servers to load before the next shard starts."""

STOP_READING_SECONDS = 4.0
"""Seconds from the start of a shutdown until the bot stops parsing and drawing. :data:`SHUTDOWN_GRACE_SECONDS` begins at the same time."""

_NAME: Final = re.compile(r"[-_\w]{1,32}")
"""Discord's pattern for names of commands and options, which must also be in lower case."""

_NAME_LOCATIONS: Final = (Location.command_name, Location.group_name, Location.parameter_name)

_MAX_DESCRIPTION_LENGTH: Final = 100


class KibitzBot(commands.AutoShardedBot):
    """The bot. Closing it does not close its services or its store."""

    def __init__(
        self,
        settings: Settings,
        services: Services,
        store: Store,
        cog_factories: Sequence[CogFactory],
        work_budget: LimitedBudget,
        *,
        shared_server: PostgresServer | None = None,
    ) -> None:
        self.request_pacer = RequestPacer(settings.discord.requests_a_second)
        super().__init__(
            **client_options(settings), http_trace=pacing_trace(self.request_pacer, services.metrics)
        )
        self._cog_factories = cog_factories
        self.settings = settings
        self.services = services
        self.store = store
        self.preferences = Preferences(store, Appearance(settings.look.theme, Layout(settings.look.layout)))
        limits = settings.limits
        self.work_budget = work_budget
        self.user_allowance = Allowance(limits.user_per_minute)
        self.press_allowance = Allowance(limits.presses_per_minute)
        self.channel_allowance = Allowance(limits.channel_per_minute)
        self.message_queue = FairQueue(limits.channel_at_once, limits.channel_waiting)
        self.started_at = discord.utils.utcnow()
        self.messages_with_reply = KnownMessages()
        """Messages that may have a reply."""
        self.latest_message_ids: dict[int, int] = {}
        """The id of the latest message on each shard, by shard id."""
        self.edit_limiter = EditLimiter(POLL_EDIT_SECONDS)
        self.command_ids: dict[str, int] = {}
        """The ids of top-level commands, by name."""
        self.messages_with_reaction = KnownMessages()
        """Messages to which the bot added a reaction. Messages to which another process added the reaction may be missing."""
        self._sweep_task = PeriodicTask(
            self._delete_expired_data, "deleting expired data", SWEEP_INTERVAL_SECONDS
        )
        self._running_tasks: set[asyncio.Task[object]] = set()
        self.is_closing = False
        self._garbage_collection = GarbageCollection()
        self._gateway_id = secrets.randbits(32)
        self.unfinished_replies = UnfinishedReplies(store, settings, lambda: self.instance_name)
        self._disconnect_tasks: set[asyncio.Task[None]] = set()
        self._launch_task: asyncio.Task[None] | None = None
        self.identify_limiter = IdentifyLimiter(self, shared_server)
        self.sharding: Shards | None = None
        """None if shards are not locked."""
        if shared_server is not None:
            self.sharding = Shards(
                shared_server,
                self._gateway_id,
                settings.sharding.ids,
                request_pacer=self.request_pacer,
                connect=self._connect_shard,
                disconnect_others=self._disconnect_other_shards,
                fail=self.close,
            )

    @property
    def instance_name(self) -> str:
        """This process's name in the store. It is unknown before login, and changes at each start."""
        return self.instance_name_of(self._gateway_id)

    def instance_name_of(self, gateway_id: int) -> str:
        return f"{self.application_id}:{gateway_id:08x}"

    async def setup_hook(self) -> None:
        logging.getLogger("discord.app_commands.tree").addFilter(should_log)
        for create_cog in self._cog_factories:
            await self.add_cog(create_cog(self))
        await self._synchronize_commands()
        self._sweep_task.start()

    @property
    def shards(self) -> dict[int, discord.ShardInfo]:
        shards = super().shards
        if self.sharding is None:
            return shards
        return {shard_id: shard for shard_id, shard in shards.items() if shard_id in self.sharding.own_shards}

    async def launch_shards(self) -> None:
        if self.sharding is not None:
            assert self.application_id is not None  # logged in
            if self.shard_count is None:
                self.shard_count, _, _ = await self.http.get_bot_gateway()
            await self.sharding.begin(self.application_id, self.shard_count)
        if not self.settings.sharding.divided or self.sharding is None:
            await super().launch_shards()

    async def launch_shard(self, gateway: URL, shard_id: int, *, initial: bool = False) -> None:
        await self.identify_limiter.wait_for_start(shard_id)
        await super().launch_shard(gateway, shard_id, initial=initial)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        del initial
        await self.identify_limiter.wait_to_identify(shard_id or 0)

    async def _connect_shard(self, shard_id: int) -> None:
        assert self.sharding is not None
        self.shard_count = self._connection.shard_count = self.sharding.shard_count
        # discord.py becomes ready once all listed shards are ready, so the list contains only the connecting shard.
        self._connection.shard_ids = [shard_id]
        await self.identify_limiter.wait_for_start(shard_id)
        if shard_id not in self.sharding.own_shards:
            return
        # The shard is launched in a separate task, because the connection would stay open if the launch were cancelled with this method.
        self._launch_task = asyncio.create_task(
            self.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard_id), name=f"shard {shard_id}"
        )
        ready_task = asyncio.create_task(
            self.wait_for("shard_ready", check=lambda ready_id: ready_id == shard_id)
        )
        try:
            await asyncio.shield(self._launch_task)
            await asyncio.wait_for(ready_task, SHARD_READY_SECONDS)
        except TimeoutError:
            log.warning("the servers of shard %d did not arrive in time", shard_id)
        finally:
            ready_task.cancel()

    async def _disconnect_other_shards(self, own_shards: frozenset[int]) -> None:
        lost_shards = {
            shard_id: shard
            for shard_id, shard in super().shards.items()
            if shard_id not in own_shards and not shard.is_closed()
        }
        if not lost_shards:
            return
        # Do not await: an unresponsive connection must not delay the renewal of the other shards' locks.
        for shard in lost_shards.values():
            disconnect_task = asyncio.create_task(shard.disconnect())
            self._disconnect_tasks.add(disconnect_task)
            disconnect_task.add_done_callback(self._disconnect_tasks.discard)
        # Let the tasks start before the servers are removed: a message from a removed server would look like a direct message.
        await asyncio.sleep(0)
        for guild in self.guilds:
            if guild.shard_id in lost_shards:
                self._connection._remove_guild(guild)  # noqa: SLF001 - no event removes it from the cache
        self._garbage_collection.free_shards(lost_shards)
        log.info("left shards %s", ", ".join(map(str, sorted(lost_shards))))

    def shard_of(self, guild_id: int | None) -> int:
        """Return the shard of a server, or of direct messages. Discord defines the formula."""
        return 0 if guild_id is None else (guild_id >> 22) % (self.shard_count or 1)

    async def _synchronize_commands(self) -> None:
        assert self.application_id is not None  # logged in
        payload = await commands_payload(self.tree)
        digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
        key = f"commands:{self.application_id}"
        known_digest, _, encoded_ids = (await self.store.meta(key) or "").partition(" ")
        if known_digest == digest and encoded_ids:
            self.command_ids = json.loads(encoded_ids)
            return
        try:
            if known_digest == digest:
                registered_commands = await self.http.get_global_commands(self.application_id)
            else:
                registered_commands = await self.http.bulk_upsert_global_commands(
                    self.application_id, payload
                )
                log.info("registered %d commands", len(payload))
        except discord.HTTPException as error:
            log.warning("Discord rejected the commands: %s", error)
            return
        self.command_ids = {command["name"]: int(command["id"]) for command in registered_commands}
        await self.store.set_meta(key, f"{digest} {json.dumps(self.command_ids)}")

    def mention(self, name: str) -> str:
        """Return a clickable mention of a command, or inline code if its id is unknown."""
        command_id = self.command_ids.get(name.split(" ", maxsplit=1)[0])
        return f"`/{name}`" if command_id is None else f"</{name}:{command_id}>"

    async def _delete_expired_data(self) -> None:
        try:
            if not await self.store.claim_notice("sweep", SWEEP_PAUSE):
                return
            deleted_counts = await self.store.sweep()
        except StoreError as error:
            log.warning("expired data could not be deleted; retrying in an hour: %s", error)
            return
        log.info(
            "deleted expired data: %s",
            ", ".join(f"{number} {name}" for name, number in deleted_counts.items()),
        )

    async def on_shard_connect(self, shard_id: int) -> None:
        self._garbage_collection.begin_loading(shard_id)

    async def on_shard_ready(self, shard_id: int) -> None:
        self._garbage_collection.end_loading(shard_id)

    async def on_ready(self) -> None:
        log.info("ready as %s in %d servers", self.user, len(self.guilds))
        own_shards = frozenset(self.shards)
        try:
            left_server_count = await self.store.reconcile_guilds(
                [guild.id for guild in self.guilds], lambda guild_id: self.shard_of(guild_id) in own_shards
            )
        except StoreError as error:
            log.warning("can't record which servers the bot left while it was offline: %s", error)
            return
        if left_server_count:
            log.info("left %d servers while offline", left_server_count)

    def receives_events_of(self, guild_id: int) -> bool:
        return self.shard_of(guild_id) in self.shards

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.store.mark_guild_joined(guild.id)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.store.mark_guild_left(guild.id)

    async def on_message(self, message: discord.Message, /) -> None:
        if not self.is_closing:
            shard_id = message.guild.shard_id if message.guild else 0
            self.latest_message_ids[shard_id] = max(message.id, self.latest_message_ids.get(shard_id, 0))

    @contextmanager
    def delay_closing(self) -> Iterator[None]:
        """Make :meth:`close` wait until the ``with`` block ends."""
        task = asyncio.current_task()
        assert task is not None
        self._running_tasks.add(task)
        try:
            yield
        finally:
            self._running_tasks.discard(task)

    async def _wait_for_tasks(self, deadline: float) -> int:
        """Wait for the tasks that delay closing. Return how many still run at ``deadline`` (event-loop time)."""
        current_tasks = {asyncio.current_task()}
        with suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                while other_tasks := self._running_tasks - current_tasks:
                    await asyncio.wait(other_tasks)
        return len(self._running_tasks - current_tasks)

    async def close(self) -> None:
        """Refuse new work, stop long jobs, wait for unfinished replies, and close all connections."""
        closing_since = asyncio.get_running_loop().time()
        self.is_closing = True
        self._sweep_task.cancel()
        self.edit_limiter.cancel()
        for job_queue in self.services.job_queues:
            job_queue.stop()
        if self.sharding is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOCK_RELEASE_SECONDS):
                    await self.sharding.release_all()
                    if self._launch_task is not None:
                        await asyncio.wait({self._launch_task})
        if await self._wait_for_tasks(closing_since + STOP_READING_SECONDS):
            # The remaining replies would be too late. Their messages are read again after the restart.
            self.services.stop_reading()
        # Disconnect now, because a new event would start work that cannot be finished.
        disconnect_tasks = [asyncio.create_task(shard.disconnect()) for shard in super().shards.values()]
        if disconnect_tasks:
            await asyncio.wait(disconnect_tasks, timeout=LOCK_RELEASE_SECONDS)
        if unfinished_count := await self._wait_for_tasks(closing_since + SHUTDOWN_GRACE_SECONDS):
            log.warning("closing with %d replies unfinished", unfinished_count)
        if isinstance(self.loop, asyncio.AbstractEventLoop):  # before the login, discord.py's close fails
            await super().close()
        if self._launch_task is not None:
            self._launch_task.cancel()
        self.identify_limiter.close()
        self._garbage_collection.reset()


def client_options(settings: Settings) -> dict[str, Any]:
    # Without these two lines, discord.py warns about missing voice libraries at every start.
    discord.VoiceClient.warn_nacl = False
    discord.VoiceClient.warn_dave = False
    intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, guild_reactions=True)
    intents.message_content = settings.discord.message_content
    return {
        "command_prefix": (),
        "help_command": None,
        "intents": intents,
        "shard_count": settings.sharding.count,
        "shard_ids": list(settings.sharding.ids) or None,
        "allowed_mentions": discord.AllowedMentions.none(),
        "member_cache_flags": discord.MemberCacheFlags.none(),
        "chunk_guilds_at_startup": False,
        "max_messages": None,
        "tree_cls": KibitzTree,
        "allowed_installs": app_commands.AppInstallationType(guild=True, user=True),
        "allowed_contexts": app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
    }


class KibitzTree(app_commands.CommandTree[Any]):
    """A command tree that reports errors to the user."""

    async def on_error(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /
    ) -> None:
        await reply_with_error(
            interaction, error.original if isinstance(error, app_commands.CommandInvokeError) else error
        )


async def commands_payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """Return a tree's commands as JSON for Discord's API, with translations."""
    catalogues = CatalogueTranslator()
    return [await command.get_translated_payload(tree, catalogues) for command in tree.get_commands()]


class CatalogueTranslator(app_commands.Translator):
    """Translates names and descriptions of commands."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        text = translator(locale.value).catalogue.gettext(string.message)
        if text == string.message:
            return None
        is_name = context.location in _NAME_LOCATIONS and not isinstance(
            context.data, app_commands.ContextMenu
        )
        if is_name and not (_NAME.fullmatch(text) and text == text.lower()):
            log.warning("%r can't be a command's name in %s", text, locale.value)
            return None
        return text[:_MAX_DESCRIPTION_LENGTH]
