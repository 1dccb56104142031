"""The offline demo: the real bot in a simulated Discord, shown in a browser on the same machine.

It needs no token and no network. SimCord replaces Discord's servers, and serves a page for each channel, to this machine only.
The database is deleted at the end.
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
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import simcord
from discord import Permissions
from msgspec.structs import replace

from bot.app.queues import find_job_kinds, warming_up
from bot.app.run import open_bot
from bot.chat.client import KibitzBot
from bot.chat.preferences import Mode
from bot.cli.parser import CommandError
from bot.config import Analysis, Links, Secret, Settings
from bot.demo.page import ChannelPage, DemoEnv, redraw_changes
from bot.demo.script import CHANNELS, MANAGER, PERSONAS, DemoChannel
from bot.features.puzzles.daily_posts import DailyPosts
from bot.storage.dailies import DailySettings

MAX_SETTLE_SECONDS = 120.0
"""Maximum number of seconds that SimCord waits for the bot to finish an action."""
CLOCK_INTERVAL = 0.2
"""Seconds between updates of the simulated clock."""
_START_ERRORS = {
    errno.EADDRINUSE: "Port {port} is in use: choose another port with --port, or omit it to use any free port.",
    errno.EACCES: "This account is not allowed to use port {port}: choose port 1024 or higher with --port.",
}
"""Error messages by the ``errno`` of a failed start."""


async def run_demo(settings: Settings, *, port: int, open_browser: bool) -> None:
    """Run the demo until Ctrl-C, SIGTERM or "End preview session" on a page.

    Port 0 means any free port. The demo uses ``settings``, but has its own database, and sends no requests to other machines.

    Raises:
        CommandError: the demo cannot start.

    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None

    def restore_handlers() -> None:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)

    def stop_on_signal(_number: int, _frame: object) -> None:
        restore_handlers()  # a second signal ends the process as usual
        loop.call_soon_threadsafe(task.cancel)

    previous_handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # asyncio installs no handler for Ctrl-C if the signal was ignored when the process started. Shells start background jobs this way.
    for number in previous_handlers:
        signal.signal(number, stop_on_signal)
    try:
        with suppress(asyncio.CancelledError):
            await _run(settings, port=port, open_browser=open_browser)
    except simcord.SetupError as error:
        template = _START_ERRORS.get(getattr(error.__cause__, "errno", 0), "The demo can't start: {error}")
        raise CommandError(template.format(port=port, error=error)) from None
    finally:
        restore_handlers()
    print("\nThe demo has ended.", flush=True)


async def _run(settings: Settings, *, port: int, open_browser: bool) -> None:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="kibitz-demo-", ignore_cleanup_errors=True)
        )
        demo_settings = offline_settings(settings, Path(folder))
        kinds = find_job_kinds(demo_settings)
        bot = await stack.enter_async_context(open_bot(demo_settings, kinds=kinds))
        await stack.enter_async_context(warming_up(kinds))
        simulated_discord = await stack.enter_async_context(_offline_discord(bot))
        guild = simulated_discord.create_guild("Kibitz demo")
        members = _add_members(simulated_discord, guild)
        channel_handles = {
            channel.name: guild.create_text_channel(channel.name, topic=channel.topic) for channel in CHANNELS
        }
        for channel in CHANNELS:
            if channel.mode is not Mode.AUTO:
                await bot.store.set_channel_mode(guild.id, channel_handles[channel.name].id, channel.mode)
        # The pages are opened before the slow steps, so that a port in use is reported early.
        pages: dict[str, ChannelPage] = {}
        for name, handle in channel_handles.items():
            # SimCord allows only one page at a time, so make it forget the previous page.
            simulated_discord._preview = None  # noqa: SLF001
            pages[name] = page = ChannelPage(
                simulated_discord,
                handle,
                tuple(members.values()),
                timezone=_local_timezone(),
                port=0 if pages else port,
            )
            await stack.enter_async_context(page)
        for channel in CHANNELS:
            if channel.has_daily_puzzles:
                await _post_dailies(bot, guild.id, channel_handles[channel.name].id)
            await _post_examples(channel, channel_handles[channel.name], members, pages)
        stack.callback(asyncio.create_task(redraw_changes(tuple(pages.values()))).cancel)
        print(_address_list(pages), flush=True)
        if open_browser:
            _open_browser(next(iter(pages.values())).url)
        # The visitor can end the session on any page.
        close_tasks = [asyncio.create_task(page.wait_closed()) for page in pages.values()]
        await asyncio.wait(close_tasks, return_when=asyncio.FIRST_COMPLETED)


async def _post_dailies(bot: KibitzBot, guild_id: int, channel_id: int) -> None:
    now = datetime.now(UTC)
    daily_settings = DailySettings(channel_id, now.hour, "UTC", "crossword,chess", "usual")
    await bot.store.change_daily_settings(guild_id, lambda _: (daily_settings, now))
    posts = bot.get_cog(DailyPosts.__name__)
    assert isinstance(posts, DailyPosts)  # every bot has this cog
    await posts.update_dailies()


def _add_members(
    simulated_discord: simcord.Env, guild: simcord.GuildHandle
) -> dict[str, simcord.MemberActor]:
    managers = guild.create_role("managers", permissions=Permissions(manage_guild=True))
    return {
        name: guild.add_member(
            simulated_discord.create_user(name), roles=[managers] if name == MANAGER else []
        )
        for name in PERSONAS
    }


async def _post_examples(
    channel: DemoChannel,
    handle: simcord.ChannelHandle,
    members: Mapping[str, simcord.MemberActor],
    pages: Mapping[str, simcord.Preview],
) -> None:
    """Post a channel's first messages, and links to the other channels."""
    for example in channel.examples:
        await members[example.author].send(handle, example.text, attachments=example.attachments)
    links = " · ".join(f"[#{name}]({page.url})" for name, page in pages.items() if name != channel.name)
    text = f"{channel.closing_prompt.text}\nThe other channels: {links}"
    last_message = await members[channel.closing_prompt.author].send(handle, text)
    await pages[channel.name].show(last_message)


def _address_list(pages: Mapping[str, simcord.Preview]) -> str:
    width = max(map(len, pages))
    addresses = "\n".join(f"  #{name:<{width}}  {page.url}" for name, page in pages.items())
    return (
        f"Kibitz in an offline Discord, on this machine only:\n{addresses}\n"
        "Anyone with these addresses can type in the demo. Press Ctrl-C to end it."
    )


def offline_settings(settings: Settings, folder: Path) -> Settings:
    """Return the demo's settings, with a database in ``folder``."""
    return replace(
        settings,
        database_url=Secret(f"sqlite:///{folder / 'demo.sqlite3'}"),
        database_direct_url=None,
        discord_token=None,
        port=None,
        shards="0/1",
        replica=None,
        replicas=None,
        analysis=replace(settings.analysis, jobs=settings.analysis.jobs or Analysis().jobs),
        links=Links(),
        discord=replace(settings.discord, message_content=True, welcome=False),
    )


@asynccontextmanager
async def _offline_discord(bot: KibitzBot) -> AsyncIterator[DemoEnv]:
    """Log the bot in to a simulated Discord whose clock shows the real time."""
    simulated_discord = DemoEnv(bot, settle_timeout=MAX_SETTLE_SECONDS)
    _set_clock(simulated_discord)
    account = simulated_discord.backend.bot_user
    account.name = account.global_name = "Kibitz"
    await simulated_discord.start()
    clock = asyncio.create_task(_run_clock(simulated_discord))
    try:
        with simulated_discord.time_context():
            yield simulated_discord
    finally:
        clock.cancel()
        await simulated_discord.shutdown()


async def _run_clock(simulated_discord: simcord.Env) -> None:
    """Keep the simulated clock at the real time. The bot's ``time.monotonic`` also reads this clock."""
    while True:
        await asyncio.sleep(CLOCK_INTERVAL)
        _set_clock(simulated_discord)


def _set_clock(simulated_discord: simcord.Env) -> None:
    """Move the simulated clock forward to the real time. Never move it back."""
    seconds_behind = (datetime.now(UTC) - simulated_discord.now()).total_seconds()
    if seconds_behind > 0:
        simulated_discord.backend.advance_clock(seconds_behind)


def _open_browser(url: str) -> None:
    """Open a page if there is a screen. Without a screen, a text browser would take over the terminal."""
    has_screen = sys.platform in {"win32", "darwin"} or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        # The call may wait for the browser. In a daemon thread, it delays neither the bot nor the end of the program.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _local_timezone() -> str:
    """Return the name of this machine's time zone; ``UTC`` if it is unknown."""
    zone_file = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    for name in filter(None, (os.environ.get("TZ", "").removeprefix(":"), zone_file)):
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name).key
    return "UTC"
