"""The offline demo: the real bot in a simulated Discord, shown in the visitor's own browser.

No token, no network: SimCord stands in for Discord's servers and draws the channel on a page that only this machine
can reach. The bot in there is the object that runs on Discord, with a fresh database that is thrown away at the end.
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
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import SecretStr

from bot.app import assembled

if TYPE_CHECKING:
    import simcord

    from bot.chat.client import KibitzBot
    from bot.config import Settings

ENDED = 0
CANNOT_START = 2

NOT_INSTALLED = "The demo needs SimCord, which is not installed: pip install '.[demo]'"
BOT_NAME = "Kibitz"
TOPIC = "Paste a position, or type / for the commands"
SETTLE_SECONDS = 120.0
"""How long SimCord waits for the bot to finish with one message before it reports a fault."""
CLOCK_SECONDS = 0.2
"""How often the simulated clock is set to the real one."""


@dataclass(frozen=True, slots=True)
class Example:
    """A message that stands in the channel before the visitor comes."""

    author: str
    text: str


# SimCord quotes the first 100 characters of a message above its answer: a spoiler has to end within them.
EXAMPLES = (
    Example(
        "alice",
        "Opening rack, and the other side has just exchanged two tiles. What would you play? "
        "`15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 AELNOQT/ 0/0 0 lex NWL18; lm -2;`",
    ),
    Example(
        "bob",
        "Behind by 39, but with a blank: "
        "`7L7/7A7/7T7/7I7/7GAPY4/5GOO1AEGIS1/4BAH8/3VELOCE5J/8XI4A/9FEEZED/14E/14D/15/15/15 "
        "LMNSSV?/ 116/155 0 lm O8 JA.ED;` Where is the S?",
    ),
    Example(
        "alice",
        "The endgame of the Maven paper. Both racks are known:\n"
        "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/"
        "1N1O1D2N2Y3/1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex OSPD1;",
    ),
    Example(
        "bob",
        "Super, 21 × 21: `21/4H16/4a16/3RE5F10/3EM5R10/2MI6E10/2OF2TOMBAL5C3/2O7Ka1NARROWLY/2N8R5A3/2L2R5D5T3/"
        "QUINCE2JOGS4LI3/2T2GLuON6O4/5A1PEST5N4/5T4I5G4/5T4L5E4/5A2OBTURATES4/1KEAS5E2D2T4/3BONNETED2V7/"
        "7SIX3E7/13C7/13T7 DFNNPPR/ 407/563 0 lm 8N NARR.WLY;`",
    ),
    Example(
        "alice",
        "My play last night: ||15/15/15/15/15/15/15/3QUOTH7/15/15/15/15/15/15/15 /AE 0/54 0 lm 8D QUOTH;||",
    ),
)
INVITATION = Example(
    "bob", "No position in this line, so no answer. Your turn: paste one below, or type / for the commands."
)
"""The last message: short, so that the page opens at the channel's end."""


async def run_demo(settings: Settings, *, port: int, open_browser: bool) -> int:
    """Show the demo until Ctrl-C, SIGTERM or the page's own "End preview session"; return the exit code.

    ``port`` is on the loopback interface, 0 for any free one. ``settings`` are those of the real bot; the database and
    everything that reaches outside are replaced. The code is 0 when the visitor has ended the demo, and 2, after one
    sentence on standard error, when it cannot start.
    """
    try:
        import simcord  # noqa: PLC0415 - an optional dependency: everything else works without it
    except ModuleNotFoundError as error:
        return _refuse(NOT_INSTALLED if error.name == "simcord" else f"The demo cannot start: {error}")
    except ImportError as error:
        return _refuse(f"The demo cannot start: {error}")
    demo = asyncio.create_task(_hold(settings, port=port, open_browser=open_browser))
    try:
        with _calling_on_signals(demo.cancel):
            await demo
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
    except simcord.SetupError as error:
        return _refuse(_start_fault(error, port))
    print("\nThe demo has ended.", flush=True)
    return ENDED


async def _hold(settings: Settings, *, port: int, open_browser: bool) -> None:
    """Put the world together, say where it is, and keep it until the visitor ends it."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="kibitz-demo-", ignore_cleanup_errors=True)
        )
        bot = await stack.enter_async_context(assembled(_offline(settings, Path(folder))))
        discord = await stack.enter_async_context(_offline_discord(bot))
        guild = discord.create_guild("Kibitz demo")
        channel = guild.create_text_channel("positions", topic=TOPIC)
        members = {name: guild.add_member(discord.create_user(name)) for name in ("alice", "bob")}
        # The page is opened on the empty channel: the port is taken before the longer work begins, and a page opened
        # on an empty channel follows the newest message. Nobody knows its address yet.
        preview = await stack.enter_async_context(
            discord.preview(
                channel,
                viewers=tuple(members.values()),
                layout="channel",
                timezone=_local_timezone(),
                port=port or None,
            )
        )
        for example in EXAMPLES:
            await members[example.author].send(channel, example.text)
        await preview.show(await members[INVITATION.author].send(channel, INVITATION.text))
        print(
            f"Kibitz in an offline Discord, on this machine only: {preview.url}\n"
            "Whoever has this address can type in the demo. Press Ctrl-C to end it.",
            flush=True,
        )
        if open_browser:
            _open_browser(preview.url)
        await preview.wait_closed()


def _offline(settings: Settings, folder: Path) -> Settings:
    """Return the settings with everything that reaches outside replaced: the database, the token, the ports."""
    return settings.model_copy(
        update={
            "database_url": SecretStr(f"sqlite:///{folder / 'demo.sqlite3'}"),
            "discord_token": None,
            "port": None,
            "discord": settings.discord.model_copy(update={"message_content": True, "shard_count": 1}),
        }
    )


@asynccontextmanager
async def _offline_discord(bot: KibitzBot) -> AsyncIterator[simcord.Env]:
    """Log the bot in to a simulated Discord whose clock is the real one."""
    import simcord  # noqa: PLC0415 - see run_demo

    # Errors are not raised at the end: the bot has answered and logged them as it does on Discord.
    discord = simcord.Env(bot, check_errors=False, settle_timeout=SETTLE_SECONDS)
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
    """Let the simulated clock, which only moves when told, go on like the real one.

    Inside the bot's own work SimCord's clock is ``time.monotonic`` too: limits by time would never end otherwise.
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
    """Show the page in the visitor's browser if there is a screen; a text browser would take over the terminal."""
    has_screen = sys.platform in {"win32", "darwin"} or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        # A daemon thread: some browsers are waited for, and that must hold up neither the bot nor the end.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _local_timezone() -> str:
    """Return the name of this machine's time zone, ``UTC`` when it has none."""
    linked = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    for name in (os.environ.get("TZ", "").removeprefix(":"), linked):
        if name:
            with suppress(ZoneInfoNotFoundError, ValueError, OSError):
                return ZoneInfo(name).key
    return "UTC"


def _start_fault(error: simcord.SetupError, port: int) -> str:
    """Say why SimCord did not start."""
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE:
        return f"Port {port} is in use: choose another with --port, or let the demo choose by leaving it out."
    if isinstance(cause, OSError) and cause.errno == errno.EACCES:
        return f"Port {port} may not be used by this account: choose one from 1024 with --port."
    return f"The demo cannot start: {error}"


def _refuse(sentence: str) -> int:
    """Say on standard error why there is no demo."""
    print(sentence, file=sys.stderr, flush=True)
    return CANNOT_START
