"""Requests to gateways and workers that end in the middle of their work; see :mod:`tests.load.test_matrix`."""

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

from bot.features.puzzles.selection import Kind
from bot.storage import tables
from bot.storage.dailies import DailySettings
from bot.storage.store import utc_now
from tests.positions import OPENING
from tests.wire.kibitz import position
from tests.wire.test_interrupted import control_id
from tests.wire.test_presses import GAME, button
from tests.wire.world import Account, timestamp

from .test_instants import sent_texts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.wire.interactions import Interaction
    from tests.wire.server import WireServer
    from tests.wire.world import StoredMessage

    from .test_matrix import Rig

WAIT = 120.0
"""Seconds until everything that was asked for is finished."""
QUICK = ("paste", "edit", "press", "daily")
"""The stages that take milliseconds; one follows another."""
LONG = ("simulate", "review", "poll")
"""The stages whose work is a job."""
SERVERS = 8
"""Servers with dailies in a cycle."""
QUEENS_PAWN = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0"
GAMES = f"{Kind.CROSSWORD.value},{Kind.CHESS.value}"


class Requests:
    """Long work that was asked for: a simulation, a review, and the reveal of a poll."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        world = rig.wire.world
        self.people = [Account(world.ids.next(), f"{name}{rig.cycles}") for name in ("carol", "dave", "erin")]
        self.simulated: Interaction
        self.reviewed: Interaction
        self.poll: StoredMessage

    async def begin(self) -> None:
        """Begin a poll, a simulation and a review of something new."""
        wire, number = self.rig.wire, self.rig.cycles
        carol, dave, erin = self.people
        self.poll = await poll(wire, carol, number)
        self.simulated = await simulation(wire, dave, number)
        self.reviewed = await review(wire, erin, number)

    def running(self) -> set[str]:
        """Return the stages that users see running."""
        found = {"simulate": self.simulated, "review": self.reviewed}
        return {stage for stage, item in found.items() if not is_finished(item)} | (
            {"poll"} if "⏳" in self.poll.text else set()
        )

    async def finish(self) -> None:
        """Wait until everything is finished, and count faults."""
        counts = self.rig.counts
        for stage, item in (("simulate", self.simulated), ("review", self.reviewed)):
            await self.rig.finished(stage, lambda item=item: is_finished(item))  # type: ignore[misc]
            texts = sent_texts(item)
            counts[stage, "thinking"] += item.thinking
            if self.rig.ended == "worker":
                counts[stage, "lost"] += any("stopped" in text for text in texts)
            counts[stage, "twice"] += len([text for text in texts if "restarted" not in text]) > 1
        await self.rig.finished("poll", lambda: is_revealed(self.poll))
        counts["poll", "lost"] += "worth" not in self.poll.text


class Users:
    """People who paste, edit and press, and servers that get dailies, each as soon as the last one is answered."""

    def __init__(self, rig: Rig) -> None:
        self.rig, self.wire = rig, rig.wire
        world = rig.wire.world
        first = SERVERS * (rig.cycles - 1) + 1
        self.rooms = [world.room(number) for number in range(first, first + SERVERS)]
        self.place = world.room(first, 2)
        world.channels |= {channel.id: channel for channel in (*self.rooms, self.place)}
        self.due: list[int] = []
        """The channels whose dailies were due."""
        self.pasted: list[StoredMessage] = []
        self.presses: list[Interaction] = []
        self.word = "FIRST"
        """The word of the last edit."""
        self.edited: StoredMessage
        self.answer: StoredMessage
        """The answer to the message that is edited."""
        self.viewer: StoredMessage
        """The game whose buttons are pressed."""
        self.begun: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.seconds: dict[str, list[float]] = defaultdict(list)
        """The times that a stage took so far."""

    async def begin(self) -> None:
        """Post what is edited and pressed, and choose channels for dailies."""
        wire, now = self.wire, datetime.now(UTC)
        self.edited = await wire.say(position(self.word, rack="ABC"), channel=self.place)
        self.answer = await wire.reply(self.edited, within=WAIT)
        self.viewer = await wire.reply(await wire.say(GAME), within=WAIT)
        async with self.rig.store() as store:
            for room in self.rooms:
                chosen = DailySettings(room.id, now.hour, "UTC", GAMES, "usual")
                await store.set_daily_settings(room.guild_id or 0, chosen, now + timedelta(hours=1))

    async def paste(self) -> Callable[[], object]:
        rack = "".join(self.rig.rng.sample("ABCDEFGHILMNOPRST", k=7))
        message = await self.wire.say(position("PASTE", rack=rack), channel=self.place)
        self.pasted.append(message)
        return lambda: self.wire.world.replies_to(message)

    async def edit(self) -> Callable[[], object]:
        word = self.word = "".join(self.rig.rng.sample("DEFGHILMNOPRST", k=6))
        self.edited.content, self.edited.edited = position(word, rack="ABC"), timestamp()
        await self.wire.gateway.message_updated(self.edited)
        return lambda: word in (self.answer.files[0].description or "")

    async def press(self) -> Callable[[], object]:
        role, bob = "nf"[len(self.presses) % 2 == 0], self.wire.world.bob
        edits = self.viewer.edits
        self.presses.append(
            await self.wire.interactions.press(self.viewer, button(self.viewer, role), user=bob)
        )
        return lambda: self.viewer.edits > edits

    async def daily(self) -> Callable[[], object]:
        room = self.rooms[len(self.due)]
        own, now = tables.daily_settings.c.guild_id == room.guild_id, utc_now()
        async with self.rig.store() as store, store._database.writing() as connection:
            await connection.execute(update(tables.daily_settings).where(own).values(due=now))
        self.due.append(room.id)
        return lambda: self.posts()[room.id] == 2

    def posts(self) -> Counter[int]:
        """Count the dailies in each channel."""
        return Counter(
            item.channel.id for item in self.wire.world.messages_of_the_bot() if item.channel in self.rooms
        )

    async def go_on(self, work: Callable[[], Awaitable[Callable[[], object]]]) -> None:
        """Do something again and again."""
        stage = work.__name__
        while stage != "daily" or len(self.due) < SERVERS:
            begun = time.monotonic()
            answered = await work()
            self.begun[stage].set()
            await self.wire.journal.until(answered, stage, within=WAIT)
            self.seconds[stage].append(time.monotonic() - begun)

    def happened(self, stage: str) -> bool:
        return bool(self.seconds[stage])

    async def instant(self, stage: str) -> None:
        """Wait until a random part of a stage, after each quick stage has happened."""
        for quick in QUICK:
            await self.wire.journal.until(partial(self.happened, quick), quick, within=WAIT)
        if stage in QUICK:
            self.begun[stage].clear()
            await self.begun[stage].wait()
        length = mean(self.seconds[stage][-5:]) if stage in QUICK else 1.0
        await asyncio.sleep(self.rig.rng.uniform(0, length))

    def running(self) -> set[str]:
        """Return the stages without an answer."""
        found = {
            "paste": not self.wire.world.replies_to(self.pasted[-1]),
            "edit": self.word not in (self.answer.files[0].description or ""),
            "press": self.viewer.edits < len(self.presses),
            "daily": self.posts()[self.due[-1]] < 2,
        }
        return {stage for stage, is_running in found.items() if is_running}

    async def finish(self) -> None:
        """Wait until everything is answered, and count faults."""
        rig, world, counts = self.rig, self.wire.world, self.rig.counts
        for message in self.pasted:
            await rig.finished("paste", lambda message=message: world.replies_to(message))  # type: ignore[misc]
        await rig.finished("edit", lambda: self.word in (self.answer.files[0].description or ""))
        await rig.finished("daily", lambda: all(self.posts()[place] >= 2 for place in self.due))
        counts["press", "thinking"] += any(pressed.thinking for pressed in self.presses)
        counts["press", "twice"] += self.viewer.edits > len(self.presses)
        counts["press", "twice"] += any(pressed.followups for pressed in self.presses)
        # Asked to end, a process finishes what it has acknowledged; a killed one leaves the message unchanged.
        unseen = sum(pressed.callback is not None for pressed in self.presses) - self.viewer.edits
        counts["press", "never"] += unseen > (rig.number == signal.SIGKILL)
        step, turn = ("n", 1) if "The start" in self.viewer.text else ("f", 0)
        again = await self.wire.interactions.press(self.viewer, button(self.viewer, step), user=world.bob)
        words = f"Turn {turn} of 3" if turn else "The start"
        await rig.finished("press", lambda: again.callback and words in self.viewer.text)
        await asyncio.sleep(0.5)  # a second answer would follow at once
        counts["paste", "twice"] += sum(len(world.replies_to(entry)) > 1 for entry in self.pasted)
        counts["edit", "twice"] += len(world.replies_to(self.edited)) > 1
        counts["daily", "twice"] += any(count > 2 for count in self.posts().values())


def is_finished(request: Interaction) -> bool:
    """Return whether a request has an answer, and none that shows progress."""
    texts = sent_texts(request)
    return bool(texts) and not any("⏳" in text for text in texts)


def is_revealed(message: StoredMessage) -> bool:
    """Return whether a poll has ended, and shows its result."""
    return not re.search("poll:r|⏳", f"{message.components} {message.text}")


async def poll(wire: WireServer, user: Account, number: int) -> StoredMessage:
    """Begin a poll about a position that is new in each cycle, and return its message."""
    board = await wire.reply(await wire.say(f"{QUEENS_PAWN} {number}"), within=WAIT)
    form = await wire.interactions.press(board, control_id(board, "ask"), user=user)
    await wire.journal.until(lambda: form.callback, "the form", within=WAIT)
    begun = await wire.interactions.submit(form, when="10")
    message = await wire.journal.until(lambda: begun.original, "the poll", within=WAIT)
    await wire.journal.until(lambda: "poll:r" in str(message.components), "its buttons", within=WAIT)
    return message


async def review(wire: WireServer, user: Account, number: int) -> Interaction:
    """Request the review of a game that is new in each cycle, and wait for its acknowledgement.

    A server has two jobs at a time; this is outside servers.
    """
    game = {"name": "game", "type": 3, "value": f"1. e4 {{{number}}} 1-0"}
    request = await wire.interactions.command("review", game, user=user, channel=wire.world.group)
    await wire.journal.until(lambda: request.callback, "the review", within=WAIT)
    return request


async def simulation(wire: WireServer, user: Account, number: int) -> Interaction:
    """Request the simulation of a position that is new in each cycle, and wait for its progress."""
    rack = f"{'BCDFGHLMPVWY'[number % 12]}{'AEIOU'[number % 5]}{OPENING.split()[1].strip('/')[2:]}"
    where = {"name": "position", "type": 3, "value": f"{OPENING.split()[0]} {rack}/ 0/0 0"}
    request = await wire.interactions.command("analyze", where, user=user)

    def showing(part: str) -> StoredMessage | None:
        """Return the message that shows something: a result after a long wait is a message of its own."""
        messages = [request.original, *request.followups]
        return next((message for message in messages if message and part in f"{message.components}"), None)

    board = await wire.journal.until(lambda: showing("deepen"), "plays", within=WAIT)
    await wire.interactions.press(board, control_id(board, "deepen:simulation"), user=user)
    await wire.journal.until(lambda: "⏳" in board.text, "the simulation", within=WAIT)
    return request
