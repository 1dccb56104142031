"""Processes end at random instants of every stage of their work; faults are counted.

Each cycle of a gateway ends two processes. The first is answering a paste, an edit, a press, a simulation and a review. The
second is revealing a poll, posting a daily and finishing the work of the first. A cycle of a worker ends a process with the jobs
of a simulation, a review and a poll; no other stage has a job. MATRIX_CYCLES is the number of cycles of each row.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import sys
from collections import Counter, defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from bot.features.puzzles.selection import Kind
from bot.storage import tables
from bot.storage.dailies import DailySettings
from bot.storage.store import Store, utc_now
from tests.positions import OPENING
from tests.wire.kibitz import environment, position, prepared
from tests.wire.test_interrupted import FAKE_ENGINE, START_POSITION, one_of
from tests.wire.test_presses import GAME, button
from tests.wire.world import Account, timestamp

from .conftest import START
from .test_instants import GAME as CHESS_GAME
from .test_instants import sent_texts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.wire.conftest import Serve
    from tests.wire.interactions import Interaction
    from tests.wire.kibitz import Program
    from tests.wire.server import WireServer
    from tests.wire.world import StoredMessage

    Row = tuple[str, signal.Signals, str]
    """The process that is ended, how, and the kind of database."""

pytestmark = pytest.mark.load

CYCLES = int(os.environ.get("MATRIX_CYCLES", "20"))
WAIT = 120.0
"""Seconds until everything that was asked for is finished."""
LONG = ("simulate", "review")
"""The stages whose work is a job."""
QUICK = ("press", "edit", "paste")
"""The stages that take milliseconds."""
FAULTS = ("never", "twice", "thinking", "lost", "done twice")


@dataclass
class Rig:
    """A Discord, a database, and the processes that are started and ended."""

    wire: WireServer
    folder: Path
    url: str
    ended: str
    """The process that is ended: ``gateway`` or ``worker``."""
    number: signal.Signals
    rng: random.Random
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Cycles in which a stage was running when the process ended, and faults of each stage."""

    log: list[str] = field(default_factory=list)
    """The output of the processes."""

    @asynccontextmanager
    async def process(self, command: str) -> AsyncIterator[Program]:
        """Run a gateway (``run``) or a worker, until it is ready."""
        own = {"DATABASE_URL": self.url, "KIBITZ_ANALYSIS__ENABLED": "true", "KIBITZ_ANALYSIS__SLOTS": "2"}
        if not self.url.startswith("sqlite"):
            own["KIBITZ_ANALYSIS__JOBS"] = "0"
        engine = f"{sys.executable} {FAKE_ENGINE} slow"
        variables = environment(self.wire, self.folder, **own, KIBITZ_CHESS__ENGINE=engine)
        async with prepared(
            "tests.load.hurried", command, environment=variables, folder=self.folder
        ) as started:
            if command == "run":
                await self.wire.gateway.ready(within=START)
            else:
                await started.printed("working, ", within=START)
            try:
                yield started
            finally:
                self.log += [f"{command} {started.process.pid}", *started.lines]

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        async with Store.open(self.url) as store:
            yield store

    async def end(self, started: Program) -> None:
        """End a process, and let the time pass for which it holds what it has claimed."""
        started.process.send_signal(self.number)
        code = await started.ended(within=30)
        if self.number == signal.SIGTERM:
            assert (code, started.faults) == (0, []), started.output
        past = utc_now() - timedelta(seconds=1)
        async with self.store() as store, store._database.writing() as connection:
            for table, name in ((tables.replies, "held_until"), (tables.daily_posts, "held_until")):
                column = table.c[name]
                await connection.execute(update(table).where(column.is_not(None)).values({name: past}))
            await connection.execute(update(tables.polls).values(claimed=None))

    async def finished(self, stage: str, condition: Callable[[], object]) -> None:
        """Wait until something is finished; count what never is."""
        try:
            await self.wire.journal.until(condition, stage, within=WAIT)
        except AssertionError:
            self.counts[stage, "never"] += 1

    def report(self) -> str:
        """Return a table of the stages, with their interruptions and faults."""
        stages = sorted({stage for stage, _ in self.counts})
        rows = [
            f"{stage:10}" + "".join(f"{self.counts[stage, what]:12}" for what in ("interrupted", *FAULTS))
            for stage in stages
        ]
        return "\n".join(["stage     " + "".join(f"{what:>12}" for what in ("interrupted", *FAULTS)), *rows])


class Cycle:
    """All that is asked of a gateway in one cycle."""

    def __init__(self, rig: Rig, number: int) -> None:
        self.rig = rig
        self.number = number
        self.wire = rig.wire
        world = rig.wire.world
        self.people = [Account(world.ids.next(), f"{name}{number}") for name in ("carol", "dave", "erin")]
        self.channel = world.room(number + 1)
        """The channel of the daily."""
        world.channels[self.channel.id] = self.channel
        self.asked: dict[str, Interaction] = {}
        self.begun: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.pasted: list[StoredMessage] = []
        self.edited: StoredMessage
        self.answer: StoredMessage
        """The answer to the message that is edited."""
        self.viewer: StoredMessage
        """The game whose buttons are pressed."""
        self.poll: StoredMessage

    async def prepare(self) -> None:
        """Post what is edited and pressed, and have a poll and a daily due when the next process starts."""
        wire, store_of = self.wire, self.rig.store
        self.edited = await wire.say(position("BEFORE", rack="ABC"))
        self.viewer = await wire.reply(await wire.say(GAME), within=WAIT)
        self.answer = await wire.reply(self.edited, within=WAIT)
        self.poll = await poll(wire, self.people[2])
        now = datetime.now(UTC)
        daily = DailySettings(self.channel.id, now.hour, "UTC", Kind.CHESS.value, "usual")
        async with store_of() as store:
            await store.set_daily_settings(self.channel.guild_id or 0, daily, now + timedelta(hours=1))
            async with store._database.writing() as connection:
                await connection.execute(update(tables.polls).values(ends=now))
                await connection.execute(update(tables.daily_settings).values(due=now + timedelta(seconds=6)))

    async def paste(self) -> None:
        rack = "ABCDEFG"[: self.number % 7 + 1]
        self.pasted.append(await self.wire.say(position("PASTE", rack=rack)))

    async def edit(self) -> None:
        self.edited.content, self.edited.edited = position("AFTER", rack="ABC"), timestamp()
        await self.wire.gateway.message_updated(self.edited)

    async def press(self) -> None:
        first = button(self.viewer, "f")
        self.asked["press"] = await self.wire.interactions.press(self.viewer, first, user=self.wire.world.bob)

    async def simulate(self) -> None:
        self.asked["simulate"] = await simulation(self.wire, self.people[0], self.number)

    async def review(self) -> None:
        self.asked["review"] = await review(self.wire, self.people[1], self.number)

    async def ask(self) -> None:
        """Ask for everything within a second."""

        async def later(work: Any) -> None:
            await asyncio.sleep(self.rig.rng.uniform(0, 1))
            await work()
            self.begun[work.__name__].set()

        works = (self.paste, self.edit, self.press, self.simulate, self.review)
        await asyncio.gather(*(later(work) for work in works))

    async def instant(self) -> None:
        """Wait until a random instant; in three of four cycles it is during a stage that takes milliseconds."""
        stage = (*QUICK, None)[self.number % 4]
        if stage is not None:
            await self.begun[stage].wait()
        await asyncio.sleep(self.rig.rng.uniform(0, 5 if stage is None else 0.02))

    def count_running(self) -> None:
        """Count the stages that are running."""
        found = ["paste" for message in self.pasted if not self.wire.world.replies_to(message)]
        found += ["edit"] * (self.edited.edited is not None and not self.answer.edits)
        found += ["press"] * ("press" in self.asked and not self.viewer.edits)
        found += [stage for stage in LONG if stage in self.asked and not is_finished(self.asked[stage])]
        for stage in found:
            self.rig.counts[stage, "interrupted"] += 1

    def posts(self) -> list[StoredMessage]:
        """Return the dailies that were posted."""
        return [item for item in self.wire.world.of_the_bot() if item.channel.id == self.channel.id]

    async def finish(self) -> None:
        """Wait for everything that was asked for, and count faults."""
        rig, wire, world, counts = self.rig, self.wire, self.wire.world, self.rig.counts
        for message in self.pasted:
            await rig.finished("paste", lambda message=message: world.replies_to(message))  # type: ignore[misc]
        if self.edited.edited:
            await rig.finished("edit", lambda: "AFTER" in (self.answer.files[0].description or ""))
        for stage in LONG:
            if (item := self.asked.get(stage)) is not None and item.callback is not None:
                await rig.finished(stage, lambda entry=item: is_finished(entry))  # type: ignore[misc]
                counts[stage, "thinking"] += item.thinking
                counts[stage, "twice"] += (
                    len([text for text in sent_texts(item) if "restarted" not in text]) > 1
                )
        await rig.finished("daily", self.posts)
        await rig.finished("poll", lambda: is_revealed(self.poll))
        counts["poll", "lost"] += "worth" not in self.poll.text
        if (pressed := self.asked.get("press")) is not None:
            counts["press", "thinking"] += pressed.thinking
            counts["press", "twice"] += self.viewer.edits + len(pressed.followups) > 1
            # Asked to end, a process finishes what it has acknowledged; a killed one leaves the message unchanged.
            asked_to_end = rig.number == signal.SIGTERM
            counts["press", "never"] += asked_to_end and bool(pressed.callback) and not self.viewer.edits
        step, turn = ("n", 1) if "The start" in self.viewer.text else ("p", 2)
        again = await wire.interactions.press(self.viewer, button(self.viewer, step), user=world.bob)
        await rig.finished("press", lambda: again.callback and f"Turn {turn} of 3" in self.viewer.text)
        await asyncio.sleep(0.5)  # a second answer would follow at once
        counts["paste", "twice"] += sum(len(world.replies_to(entry)) > 1 for entry in self.pasted)
        counts["edit", "twice"] += len(world.replies_to(self.edited)) > 1
        counts["daily", "twice"] += len(self.posts()) > 1


async def with_gateway(rig: Rig, number: int) -> None:
    """Ask one gateway for everything, and end it and the next one."""
    cycle = Cycle(rig, number)
    async with rig.process("run") as first:
        await cycle.prepare()
        asking = asyncio.create_task(cycle.ask())
        await cycle.instant()
        cycle.count_running()
        await rig.end(first)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    async with rig.process("run") as second:
        await asyncio.sleep(rig.rng.uniform(0, 6))
        rig.counts["poll", "interrupted"] += "⏳" in cycle.poll.text
        rig.counts["daily", "interrupted"] += not cycle.posts()
        await rig.end(second)
    async with rig.process("run") as third:
        await cycle.finish()
        assert third.faults == [], third.output
        third.process.terminate()
        assert await third.ended(within=30) == 0


def is_finished(request: Interaction) -> bool:
    """Return whether a request has an answer, and none that shows progress."""
    texts = sent_texts(request)
    return bool(texts) and not any("⏳" in text for text in texts)


def is_revealed(message: StoredMessage) -> bool:
    """Return whether a poll has ended, and shows its result."""
    return not re.search("poll:r|⏳", f"{message.components} {message.text}")


async def poll(wire: WireServer, user: Account) -> StoredMessage:
    """Begin a poll, and return its message."""
    board = await wire.reply(await wire.say(START_POSITION), within=WAIT)
    form = await wire.interactions.press(board, one_of(board, "ask"), user=user)
    await wire.journal.until(lambda: form.callback, "the form", within=WAIT)
    begun = await wire.interactions.submit(form, when="10")
    message = await wire.journal.until(lambda: begun.original, "the poll", within=WAIT)
    await wire.journal.until(lambda: "poll:r" in str(message.components), "its buttons", within=WAIT)
    return message


async def review(wire: WireServer, user: Account, number: int) -> Interaction:
    """Request the review of a game that is new in each cycle."""
    game = {"name": "game", "type": 3, "value": CHESS_GAME.replace("1-0", f"{{{number}}} 1-0")}
    return await wire.interactions.command("review", game, user=user)


async def simulation(wire: WireServer, user: Account, cycle: int) -> Interaction:
    """Request the simulation of a position that is new in each cycle; do not wait for the result."""
    rack = OPENING.split()[1]
    letter = "BCDFGHKLMOPUVWY"[cycle % 15]
    where = {"name": "position", "type": 3, "value": OPENING.replace(rack, f"{letter}{rack[1:]}", 1)}
    interaction = await wire.interactions.command("analyze", where, user=user)

    async def deepen() -> None:
        await wire.journal.until(
            lambda: interaction.original is not None and "deepen" in str(interaction.original.components),
            "plays",
            within=WAIT,
        )
        assert interaction.original is not None
        await wire.interactions.press(
            interaction.original, one_of(interaction.original, "deepen:simulation"), user=user
        )

    pressing = asyncio.create_task(deepen())
    pressing.add_done_callback(lambda task: task.cancelled() or task.exception())
    return interaction


async def with_worker(rig: Rig, cycle: int) -> None:
    """Ask the gateway for long work, and end its worker."""
    wire, world = rig.wire, rig.wire.world
    people = [Account(world.ids.next(), f"{name}{cycle}") for name in ("carol", "dave", "erin")]
    voted = await poll(wire, people[2])
    async with rig.process("worker") as first:
        interactions = {"simulate": await simulation(wire, people[0], cycle)}
        interactions["review"] = await review(wire, people[1], cycle)
        await wire.interactions.press(voted, "kibitz:poll:r", user=people[2])
        await asyncio.sleep(rig.rng.uniform(0, 4))
        for stage, item in interactions.items():
            rig.counts[stage, "interrupted"] += not is_finished(item)
        rig.counts["poll", "interrupted"] += "⏳" in voted.text
        await rig.end(first)
    async with rig.process("worker") as second:
        for stage, item in interactions.items():
            await rig.finished(stage, lambda item=item: is_finished(item))  # type: ignore[misc]
            rig.counts[stage, "thinking"] += item.thinking
            rig.counts[stage, "twice"] += len(sent_texts(item)) > 1
            rig.counts[stage, "lost"] += any("stopped" in text for text in sent_texts(item))
        await rig.finished("poll", lambda: is_revealed(voted))
        rig.counts["poll", "lost"] += "worth" not in voted.text
        second.process.terminate()
        assert await second.ended(within=30) == 0


SQLITE, POSTGRES = "sqlite", "postgres"
ROWS = [
    ("gateway", signal.SIGKILL, SQLITE), ("gateway", signal.SIGTERM, SQLITE),
    ("gateway", signal.SIGKILL, POSTGRES), ("gateway", signal.SIGTERM, POSTGRES),
    ("worker", signal.SIGKILL, POSTGRES), ("worker", signal.SIGTERM, POSTGRES),
]  # fmt: skip


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/kibitz.sqlite3"


@pytest.fixture
def url(request: pytest.FixtureRequest, row: Row) -> str:
    """Give the address of a row's database."""
    found: str = request.getfixturevalue(f"{row[2]}_url")
    return found


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    server = await serve(lifetime=3600.0, most_requests=10**6)
    server.world.more_servers = CYCLES
    server.world.server_size = (1, 1)
    return server


async def run(wire: WireServer, folder: Path, url: str, row: Row, cycles: int) -> None:
    """Run the cycles of a row, print its table, and fail for any fault."""
    ended, number, database = row
    rig = Rig(wire, folder, url, ended, number, random.Random(f"{row}"))
    if ended == "worker":
        async with rig.process("run") as gateway:
            for cycle in range(cycles):
                await with_worker(rig, cycle)
                print(rig.report(), flush=True)
            assert gateway.faults == [], gateway.output
    else:
        for cycle in range(cycles):
            if database == SQLITE:
                await with_gateway(rig, cycle)
                print(rig.report(), flush=True)
                continue
            async with rig.process("worker") as worker:
                await with_gateway(rig, cycle)
                assert worker.faults == [], worker.output
    async with rig.store() as store, store._database.reading() as connection:
        left = (await connection.exec_driver_sql("SELECT count(*) FROM unfinished")).scalar_one()
        rig.counts["unfinished", "lost"] = left
        if database == POSTGRES:
            jobs = "SELECT count(*) FROM jobs WHERE {}"
            for what, where in (("lost", "state <> 'done'"), ("done twice", "attempt > 2")):
                found = (await connection.exec_driver_sql(jobs.format(where))).scalar_one()
                rig.counts["jobs", what] = found
    print(f"\n{number.name} of the {ended}, {database}, {cycles} cycles\n{rig.report()}")
    faulty = [key for key in rig.counts if key[1] in FAULTS and rig.counts[key]]
    assert faulty == [], "\n".join(rig.log)


@pytest.mark.parametrize("row", [ROWS[0], ROWS[4]], ids=lambda row: "-".join(map(str, row)))
async def test_one_cycle(wire: WireServer, tmp_path: Path, url: str, row: Row) -> None:
    await run(wire, tmp_path, url, row, 1)


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(map(str, row)))
async def test_many_cycles(wire: WireServer, tmp_path: Path, url: str, row: Row) -> None:
    await run(wire, tmp_path, url, row, CYCLES)
