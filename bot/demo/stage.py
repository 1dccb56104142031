"""The offline demo: the real bot in a simulated Discord, shown in the visitor's own browser.

No token, no network: SimCord replaces Discord's servers and draws each channel on a page that only this machine
can reach. The bot is the object that runs on Discord, with a fresh database that is deleted at the end. The first messages
of the channels are in :mod:`bot.demo.script`.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import simcord
from discord import Permissions
from pydantic import SecretStr

from bot.app.queues import find_available_work, warming_up
from bot.app.run import open_bot
from bot.chat.client import KibitzBot
from bot.chat.preferences import Mode
from bot.cli.parser import CommandError
from bot.config import Settings
from bot.demo.page import ChannelPage, FlowingEnv, keep_drawn
from bot.demo.script import CHANNELS, MANAGER, VISITORS, DemoChannel
from bot.features.puzzles.daily_posts import DailyPosts
from bot.storage.dailies import DailySettings

BOT_NAME = "Kibitz"
ELSEWHERE = "The other channels:"
SETTLE_SECONDS = 120.0
"""Seconds that SimCord waits for the bot to finish with one message before it reports a fault."""
CLOCK_SECONDS = 0.2
"""Seconds between two settings of the simulated clock to the real one."""


async def run_demo(settings: Settings, *, port: int, open_browser: bool) -> None:
    """Show the demo until Ctrl-C, SIGTERM or the page's own "End preview session".

    ``port`` is on the loopback interface, 0 for any free one. ``settings`` are the real bot's, but the database and
    everything that reaches outside are replaced.

    Raises:
        CommandError: the demo cannot start.

    """
    demo = asyncio.create_task(_hold(settings, port=port, open_browser=open_browser))
    try:
        with _calling_on_signals(demo.cancel):
            await demo
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
    except simcord.SetupError as error:
        raise CommandError(_start_fault(error, port)) from None
    print("\nThe demo has ended.", flush=True)


async def _hold(settings: Settings, *, port: int, open_browser: bool) -> None:
    """Assemble bot, server and pages, print their addresses, and wait until the visitor ends the demo."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="kibitz-demo-", ignore_cleanup_errors=True)
        )
        offline = _offline(settings, Path(folder))
        work = find_available_work(offline)
        bot = await stack.enter_async_context(open_bot(offline, work=work))
        await stack.enter_async_context(warming_up(work))
        discord = await stack.enter_async_context(_offline_discord(bot))
        guild = discord.create_guild("Kibitz demo")
        members = _members(discord, guild)
        rooms = {
            channel.name: guild.create_text_channel(channel.name, topic=channel.topic) for channel in CHANNELS
        }
        for channel in CHANNELS:
            if channel.mode is not Mode.AUTO:
                await bot.store.set_channel_mode(guild.id, rooms[channel.name].id, channel.mode)
        # Pages open on empty channels, so that the port is taken before the longer work, and because a page opened on
        # an empty channel follows the newest message. Their addresses are not printed yet.
        pages: dict[str, ChannelPage] = {}
        for name, room in rooms.items():
            # SimCord allows one page at a time; ours wait for each other's actions.
            discord._preview = None  # noqa: SLF001
            pages[name] = page = ChannelPage(
                discord,
                room,
                tuple(members.values()),
                timezone=_local_timezone(),
                port=0 if pages else port,
            )
            await stack.enter_async_context(page)
        for channel in CHANNELS:
            if channel.daily:
                await _post_dailies(bot, guild.id, rooms[channel.name].id)
            await _fill(channel, rooms[channel.name], members, pages)
        drawing = asyncio.create_task(keep_drawn(tuple(pages.values())))
        stack.callback(drawing.cancel)
        print(_welcome(pages), flush=True)
        if open_browser:
            _open_browser(next(iter(pages.values())).url)
        # Until the visitor ends the session on one of the pages; all of them close below.
        closing = [asyncio.create_task(page.wait_closed()) for page in pages.values()]
        await asyncio.wait(closing, return_when=asyncio.FIRST_COMPLETED)


async def _post_dailies(bot: KibitzBot, guild_id: int, channel_id: int) -> None:
    """Choose a channel for the server's dailies, and post those of today; the next ones follow as on any server."""
    now = datetime.now(UTC)
    chosen = DailySettings(channel_id, now.hour, "UTC", "crossword,chess", "usual")
    await bot.store.set_daily_settings(guild_id, chosen, now)
    posts = bot.get_cog(DailyPosts.__name__)
    assert isinstance(posts, DailyPosts)  # every bot has it
    await posts.run_round()


def _members(discord: simcord.Env, guild: simcord.GuildHandle) -> dict[str, simcord.MemberActor]:
    """Create the members of the server, one of them with the permission to change its settings."""
    managers = guild.create_role("managers", permissions=Permissions(manage_guild=True))
    return {
        name: guild.add_member(discord.create_user(name), roles=[managers] if name == MANAGER else [])
        for name in VISITORS
    }


async def _fill(
    channel: DemoChannel,
    room: simcord.ChannelHandle,
    members: Mapping[str, simcord.MemberActor],
    pages: Mapping[str, simcord.Preview],
) -> None:
    """Post the first messages of a channel, and links to the other channels."""
    for example in channel.examples:
        await members[example.author].send(room, example.text, attachments=example.attachments)
    others = " · ".join(f"[#{name}]({page.url})" for name, page in pages.items() if name != channel.name)
    text = f"{channel.invitation.text}\n{ELSEWHERE} {others}"
    last = await members[channel.invitation.author].send(room, text)
    await pages[channel.name].show(last)


def _welcome(pages: Mapping[str, simcord.Preview]) -> str:
    """Return the channels' addresses, as they are printed at the start."""
    width = max(map(len, pages))
    addresses = "\n".join(f"  #{name:<{width}}  {page.url}" for name, page in pages.items())
    return (
        f"Kibitz in an offline Discord, on this machine only:\n{addresses}\n"
        "Anyone with these addresses can type in the demo. Press Ctrl-C to end it."
    )


def _offline(settings: Settings, folder: Path) -> Settings:
    """Return the settings with a database, token and ports that reach nothing outside."""
    return settings.model_copy(
        update={
            "database_url": SecretStr(f"sqlite:///{folder / 'demo.sqlite3'}"),
            "discord_token": None,
            "port": None,
            "shards": "0/1",
            "replica": None,
            "replicas": None,
            "discord": settings.discord.model_copy(update={"message_content": True, "welcome": False}),
        }
    )


@asynccontextmanager
async def _offline_discord(bot: KibitzBot) -> AsyncIterator[FlowingEnv]:
    """Log the bot in to a simulated Discord whose clock is the real one."""
    discord = FlowingEnv(bot, settle_timeout=SETTLE_SECONDS)
    _set_clock(discord)
    account = discord.backend.bot_user
    account.name = account.global_name = BOT_NAME
    await discord.start()
    clock = asyncio.create_task(_keep_time(discord))
    try:
        with discord.time_context():
            yield discord
    finally:
        clock.cancel()
        await discord.shutdown()


async def _keep_time(discord: simcord.Env) -> None:
    """Keep the simulated clock, which stands still by itself, at the real time.

    The bot's ``time.monotonic`` is SimCord's clock as well, so that limits by time would otherwise never end.
    """
    while True:
        await asyncio.sleep(CLOCK_SECONDS)
        _set_clock(discord)


def _set_clock(discord: simcord.Env) -> None:
    """Set the simulated clock to the real time; it never goes back."""
    behind = (datetime.now(UTC) - discord.now()).total_seconds()
    if behind > 0:
        discord.backend.advance_clock(behind)


@contextmanager
def _calling_on_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` on the first Ctrl-C or SIGTERM; a second one ends the process as usual."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, handler)

    def end() -> None:
        restore()
        stop()

    for number in before:
        try:
            loop.add_signal_handler(number, end)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(end))
    try:
        yield
    finally:
        restore()


def _open_browser(url: str) -> None:
    """Open the page in the visitor's browser if there is a screen; a text browser would take over the terminal."""
    has_screen = sys.platform in {"win32", "darwin"} or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        # A daemon thread, because the call waits for some browsers, which must delay neither the bot nor the end.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _local_timezone() -> str:
    """Return the name of this machine's time zone, ``UTC`` when it has none."""
    linked = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    for name in filter(None, (os.environ.get("TZ", "").removeprefix(":"), linked)):
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name).key
    return "UTC"


def _start_fault(error: simcord.SetupError, port: int) -> str:
    """Return why SimCord did not start."""
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE:
        return f"Port {port} is in use: choose another with --port, or let the demo choose by leaving it out."
    if isinstance(cause, OSError) and cause.errno == errno.EACCES:
        return f"Port {port} may not be used by this account: choose one from 1024 with --port."
    return f"The demo can't start: {error}"
