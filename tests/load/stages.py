"""Requests that keep gateways and workers busy until :mod:`tests.load.test_matrix` ends these processes."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING

from sqlalchemy import update

from bot.features.puzzles.selection import PuzzleKind
from bot.storage import tables
from bot.storage.database import utc_now
from tests.positions import OPENING
from tests.wire.kibitz import position, start_dailies
from tests.wire.message_bodies import control_id
from tests.wire.test_presses import GAME, step_id
from tests.wire.world import Account, timestamp

from .test_kill_at_reply import sent_texts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.wire.interactions import Interaction
    from tests.wire.server import WireServer
    from tests.wire.world import StoredMessage

    from .test_matrix import Rig

MAX_FINISH_SECONDS = 120.0
QUICK_STAGES = ("paste", "edit", "press", "daily")
"""Stages that take a few milliseconds. They are repeated without a pause."""
LONG_STAGES = ("simulate", "review", "poll")
"""Stages that run as jobs."""
SERVER_COUNT = 8
QUEENS_PAWN = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0"
"""A FEN without its last field, the fullmove number."""
PUZZLE_KINDS = f"{PuzzleKind.CROSSWORD.value},{PuzzleKind.CHESS.value}"


class JobRequests:
    """Requests for jobs: a simulation, a review and a poll."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        world = rig.wire.world
        self.people = [Account(world.ids.next(), f"{name}{rig.cycles}") for name in ("carol", "dave", "erin")]
        self.simulation: Interaction
        self.review: Interaction
        self.poll: StoredMessage

    async def begin(self) -> None:
        """Start a poll, a simulation and a review of new positions and games."""
        wire, number = self.rig.wire, self.rig.cycles
        carol, dave, erin = self.people
        self.poll = await start_poll(wire, carol, number)
        self.simulation = await request_simulation(wire, dave, number)
        self.review = await request_review(wire, erin, number)

    def running_stages(self) -> set[str]:
        interactions = {"simulate": self.simulation, "review": self.review}
        return {stage for stage, interaction in interactions.items() if not is_finished(interaction)} | (
            {"poll"} if "⏳" in self.poll.text else set()
        )

    async def finish(self) -> None:
        counts = self.rig.counts
        for stage, request in (("simulate", self.simulation), ("review", self.review)):
            await self.rig.until_finished(stage, lambda request=request: is_finished(request))  # type: ignore[misc]
            texts = sent_texts(request)
            counts[stage, "thinking"] += request.thinking
            if self.rig.target == "worker":
                counts[stage, "lost"] += any("stopped" in text for text in texts)
            counts[stage, "twice"] += len([text for text in texts if "restarted" not in text]) > 1
        await self.rig.until_finished("poll", lambda: is_revealed(self.poll))
        counts["poll", "lost"] += "eval" not in self.poll.text


class Users:
    """Users who paste and edit messages and press buttons, and servers that get dailies."""

    def __init__(self, rig: Rig) -> None:
        self.rig, self.wire = rig, rig.wire
        world = rig.wire.world
        first = SERVER_COUNT * (rig.cycles - 1) + 1
        self.daily_channels = [world.extra_channel(number) for number in range(first, first + SERVER_COUNT)]
        self.paste_channel = world.extra_channel(first, 2)
        world.channels |= {channel.id: channel for channel in (*self.daily_channels, self.paste_channel)}
        self.due_channel_ids: list[int] = []
        self.pastes: list[StoredMessage] = []
        self.presses: list[Interaction] = []
        self.word = "FIRST"
        self.message: StoredMessage
        self.reply: StoredMessage
        """The reply to ``message``."""
        self.viewer: StoredMessage
        """The bot's message that shows a game. Users press its buttons."""
        self.begin_events: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.seconds: dict[str, list[float]] = defaultdict(list)

    async def begin(self) -> None:
        wire, now = self.wire, datetime.now(UTC)
        self.message = await wire.post(position(self.word, rack="ABC"), channel=self.paste_channel)
        self.reply = await wire.wait_for_reply(self.message, within=MAX_FINISH_SECONDS)
        self.viewer = await wire.wait_for_reply(await wire.post(GAME), within=MAX_FINISH_SECONDS)
        async with self.rig.store() as store:
            for channel in self.daily_channels:
                await start_dailies(store, channel, PUZZLE_KINDS, now, now + timedelta(hours=1))

    # Each of the next four methods makes a request, and returns a function that checks whether the request is complete.

    async def paste(self) -> Callable[[], object]:
        rack = "".join(self.rig.rng.sample("ABCDEFGHILMNOPRST", k=7))
        message = await self.wire.post(position("PASTE", rack=rack), channel=self.paste_channel)
        self.pastes.append(message)
        return lambda: self.wire.world.replies_to(message)

    async def edit(self) -> Callable[[], object]:
        word = self.word = "".join(self.rig.rng.sample("DEFGHILMNOPRST", k=6))
        self.message.content, self.message.edited_at = position(word, rack="ABC"), timestamp()
        await self.wire.gateway.message_updated(self.message)
        return lambda: word in (self.reply.files[0].description or "")

    async def press(self) -> Callable[[], object]:
        step, bob = "nf"[len(self.presses) % 2 == 0], self.wire.world.bob
        edits = self.viewer.edit_count
        self.presses.append(
            await self.wire.interactions.press(self.viewer, step_id(self.viewer, step), user=bob)
        )
        return lambda: self.viewer.edit_count > edits

    async def daily(self) -> Callable[[], object]:
        channel = self.daily_channels[len(self.due_channel_ids)]
        is_of_server, now = tables.daily_settings.c.guild_id == channel.guild_id, utc_now()
        async with self.rig.store() as store, store._database.writing() as connection:
            await connection.execute(update(tables.daily_settings).where(is_of_server).values(due=now))
        self.due_channel_ids.append(channel.id)
        return lambda: self.post_counts()[channel.id] >= 2

    def post_counts(self) -> Counter[int]:
        messages = self.wire.world.bot_messages()
        return Counter(message.channel.id for message in messages if message.channel in self.daily_channels)

    async def repeat(self, request: Callable[[], Awaitable[Callable[[], object]]]) -> None:
        stage = request.__name__
        while stage != "daily" or len(self.due_channel_ids) < SERVER_COUNT:
            start = time.monotonic()
            is_done = await request()
            self.begin_events[stage].set()
            await self.wire.journal.until(is_done, stage, within=MAX_FINISH_SECONDS)
            self.seconds[stage].append(time.monotonic() - start)

    def has_finished(self, stage: str) -> bool:
        return bool(self.seconds[stage])

    async def until_random_instant(self, stage: str) -> None:
        """Wait until each quick stage has finished once, then until a random instant during a request of ``stage``."""
        for quick_stage in QUICK_STAGES:
            await self.wire.journal.until(
                partial(self.has_finished, quick_stage), quick_stage, within=MAX_FINISH_SECONDS
            )
        if stage in QUICK_STAGES:
            self.begin_events[stage].clear()
            await self.begin_events[stage].wait()
        length = mean(self.seconds[stage][-5:]) if stage in QUICK_STAGES else 1.0
        await asyncio.sleep(self.rig.rng.uniform(0, length))

    def running_stages(self) -> set[str]:
        """Return the stages whose last request is incomplete."""
        is_running_by_stage = {
            "paste": not self.wire.world.replies_to(self.pastes[-1]),
            "edit": self.word not in (self.reply.files[0].description or ""),
            "press": self.viewer.edit_count < len(self.presses),
            "daily": self.post_counts()[self.due_channel_ids[-1]] < 2,
        }
        return {stage for stage, is_running in is_running_by_stage.items() if is_running}

    async def finish(self) -> None:
        rig, world, counts = self.rig, self.wire.world, self.rig.counts
        for message in self.pastes:
            await rig.until_finished("paste", lambda message=message: world.replies_to(message))  # type: ignore[misc]
        await rig.until_finished("edit", lambda: self.word in (self.reply.files[0].description or ""))
        await rig.until_finished(
            "daily", lambda: all(self.post_counts()[channel_id] >= 2 for channel_id in self.due_channel_ids)
        )
        counts["press", "thinking"] += any(pressed.thinking for pressed in self.presses)
        counts["press", "twice"] += self.viewer.edit_count > len(self.presses)
        counts["press", "twice"] += any(pressed.followups for pressed in self.presses)
        # A killed process may leave one acknowledged press unfinished.
        unfinished = sum(pressed.callback is not None for pressed in self.presses) - self.viewer.edit_count
        counts["press", "never"] += unfinished > (rig.signal_ == signal.SIGKILL)
        step, turn = ("n", 1) if "The start" in self.viewer.text else ("f", 0)
        last = await self.wire.interactions.press(self.viewer, step_id(self.viewer, step), user=world.bob)
        words = f"Turn {turn} of 3" if turn else "The start"
        await rig.until_finished("press", lambda: last.callback and words in self.viewer.text)
        await asyncio.sleep(0.5)  # a second reply would arrive within this time
        counts["paste", "twice"] += sum(len(world.replies_to(message)) > 1 for message in self.pastes)
        counts["edit", "twice"] += len(world.replies_to(self.message)) > 1
        counts["daily", "twice"] += any(count > 2 for count in self.post_counts().values())


def is_finished(request: Interaction) -> bool:
    texts = sent_texts(request)
    return bool(texts) and not any("⏳" in text for text in texts)


def is_revealed(message: StoredMessage) -> bool:
    return not re.search("poll:r|⏳", f"{message.components} {message.text}")


async def start_poll(wire: WireServer, user: Account, number: int) -> StoredMessage:
    board = await wire.wait_for_reply(await wire.post(f"{QUEENS_PAWN} {number}"), within=MAX_FINISH_SECONDS)
    form = await wire.interactions.press(board, control_id(board, "ask:"), user=user)
    await wire.journal.until(lambda: form.callback, "the form", within=MAX_FINISH_SECONDS)
    submission = await wire.interactions.submit(form, when="10")
    message = await wire.journal.until(lambda: submission.original, "the poll", within=MAX_FINISH_SECONDS)
    await wire.journal.until(
        lambda: "poll:r" in str(message.components), "the buttons of the poll", within=MAX_FINISH_SECONDS
    )
    return message


async def request_review(wire: WireServer, user: Account, number: int) -> Interaction:
    """Request a review in a group DM, because a server can have only two jobs at a time."""
    request = await wire.interactions.command(
        "review", game=f"1. e4 {{{number}}} 1-0", user=user, channel=wire.world.group
    )
    await wire.journal.until(lambda: request.callback, "the review", within=MAX_FINISH_SECONDS)
    return request


async def request_simulation(wire: WireServer, user: Account, number: int) -> Interaction:
    rack = f"{'BCDFGHLMPVWY'[number % 12]}{'AEIOU'[number % 5]}{OPENING.split()[1].strip('/')[2:]}"
    request = await wire.interactions.command(
        "analyze", position=f"{OPENING.split()[0]} {rack}/ 0/0 0", user=user
    )

    def ranking() -> StoredMessage | None:
        messages = [request.original, *request.followups]
        return next(
            (message for message in messages if message and "deepen" in f"{message.components}"), None
        )

    board = await wire.journal.until(ranking, "plays", within=MAX_FINISH_SECONDS)
    await wire.interactions.press(board, control_id(board, "deepen:simulation:"), user=user)
    await wire.journal.until(lambda: "⏳" in board.text, "the simulation", within=MAX_FINISH_SECONDS)
    return request
