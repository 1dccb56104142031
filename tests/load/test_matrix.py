"""Processes end at random instants of every stage of their work; faults are counted.

In each cycle a gateway works on a simulation, a review and the reveal of a poll. Meanwhile users paste, edit and press, and
servers get dailies; each user continues after the last answer. So every stage is running when the process ends. The instant is
random within one of the stages, which take turns. In every other cycle the next process also ends, while it recovers; that is not
counted. A worker ends during the jobs of a simulation, a review and a poll: the other stages have no jobs. A row ends when each of
its stages was interrupted MATRIX_RUNS times.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from bot.storage import tables
from bot.storage.store import Store, utc_now
from tests.wire.kibitz import environment, prepared
from tests.wire.test_interrupted import FAKE_ENGINE

from .conftest import START
from .stages import LONG, QUICK, SERVERS, WAIT, Requests, Users

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.wire.conftest import Serve
    from tests.wire.kibitz import Program
    from tests.wire.server import WireServer

    Row = tuple[str, signal.Signals, str]
    """The process that is ended, how, and the kind of database."""

pytestmark = pytest.mark.load

RUNS = int(os.environ.get("MATRIX_RUNS", "20"))
MOST = 3 * RUNS
"""Cycles of a row."""
JOBS = {"analysis": "simulate", "chess_review": "review", "chess": "poll"}
"""The stages by the kinds of their jobs."""
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
    runs: int
    """The wanted interruptions of each stage."""
    max_runs: int
    """The maximum number of cycles."""
    cycles: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Cycles in which a stage was running when the process ended, and faults of each stage."""

    log: list[str] = field(default_factory=list)
    """The output of the processes."""

    @property
    def stages(self) -> tuple[str, ...]:
        """Return the stages that the process has a part in."""
        return LONG if self.ended == "worker" else (*QUICK, *LONG)

    def is_interrupted(self) -> bool:
        """Return whether each stage was interrupted often enough."""
        return all(self.counts[stage, "interrupted"] >= self.runs for stage in self.stages)

    def goes_on(self) -> bool:
        """Return whether there is another cycle, and count it."""
        if self.cycles == self.max_runs or self.is_interrupted():
            return False
        self.cycles += 1
        return True

    @asynccontextmanager
    async def process(self, command: str) -> AsyncIterator[Program]:
        """Run a gateway (``run``) or a worker, until it is ready."""
        own = {"DATABASE_URL": self.url, "KIBITZ_ANALYSIS__ENABLED": "true", "KIBITZ_ANALYSIS__SLOTS": "3"}
        own |= {f"KIBITZ_LIMITS__{name}_PER_MINUTE": "10000" for name in ("USER", "PRESSES", "CHANNEL")}
        own["KIBITZ_CHESS__ENGINE"] = f"{sys.executable} {FAKE_ENGINE} slow"
        if not self.url.startswith("sqlite"):
            own["KIBITZ_ANALYSIS__JOBS"] = "0"
        variables = environment(self.wire, self.folder, **own)
        async with prepared(
            "tests.load.hurried", command, environment=variables, folder=self.folder
        ) as started:
            if command == "run":
                await self.wire.gateway.ready(within=START)
            else:
                await started.printed("running up to ", within=START)
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
        assert started.faults == [], started.output
        assert self.number == signal.SIGKILL or code == 0, started.output
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
        stages = [*self.stages, *({stage for stage, _ in self.counts} - {*self.stages})]
        rows = [
            f"{stage:10}" + "".join(f"{self.counts[stage, what]:12}" for what in ("interrupted", *FAULTS))
            for stage in stages
        ]
        return "\n".join(["stage     " + "".join(f"{what:>12}" for what in ("interrupted", *FAULTS)), *rows])


async def with_gateway(rig: Rig) -> None:
    """Ask gateways for everything, and end them."""
    before: tuple[Requests, Users] | None = None
    while rig.goes_on():
        async with rig.process("run") as started:
            if before is not None:
                await asyncio.gather(*(part.finish() for part in before))
            requests, users = before = Requests(rig), Users(rig)
            await users.begin()
            quick = (users.paste, users.edit, users.press)
            going_on = [asyncio.create_task(users.go_on(work)) for work in quick]
            await requests.begin()
            async with rig.store() as store, store._database.writing() as connection:
                await connection.execute(update(tables.polls).values(ends=utc_now()))
            going_on.append(asyncio.create_task(users.go_on(users.daily)))
            await users.instant(rig.stages[rig.cycles % len(rig.stages)])
            for stage in requests.running() | users.running():
                rig.counts[stage, "interrupted"] += 1
            await rig.end(started)
            for task in going_on:
                task.cancel()
            await asyncio.gather(*going_on, return_exceptions=True)
        if rig.cycles % 2:
            async with rig.process("run") as second:
                await asyncio.sleep(rig.rng.uniform(0, 3))
                await rig.end(second)
        print(f"cycle {rig.cycles}\n{rig.report()}", flush=True)
    async with rig.process("run") as last:
        assert before is not None
        await asyncio.gather(*(part.finish() for part in before))
        await ended(last)


async def with_worker(rig: Rig) -> None:
    """Ask a gateway for long work, and end its workers."""
    before: Requests | None = None
    async with rig.process("run") as gateway:
        while rig.goes_on():
            async with rig.process("worker") as started:
                if before is not None:
                    await before.finish()
                before = Requests(rig)
                await before.begin()
                await rig.wire.interactions.press(before.poll, "kibitz:poll:r", user=before.people[0])
                async with asyncio.timeout(WAIT):
                    while "poll" not in await running_jobs(rig):  # noqa: ASYNC110 - the last of the three
                        await asyncio.sleep(0.05)
                await asyncio.sleep(rig.rng.uniform(0, 2))
                for stage in await running_jobs(rig) & before.running():
                    rig.counts[stage, "interrupted"] += 1
                await rig.end(started)
            print(f"cycle {rig.cycles}\n{rig.report()}", flush=True)
        async with rig.process("worker") as last:
            assert before is not None
            await before.finish()
            await ended(last)
        await ended(gateway)


async def ended(started: Program) -> None:
    """Ask a process to end, and check that it had no fault."""
    started.process.terminate()
    assert await started.ended(within=30) == 0
    assert started.faults == [], started.output


async def running_jobs(rig: Rig) -> set[str]:
    """Return the stages whose jobs are running in a worker."""
    async with rig.store() as store, store._database.reading() as connection:
        kinds = await connection.exec_driver_sql("SELECT kind FROM jobs WHERE state = 'running'")
        return {JOBS[kind] for kind in kinds.scalars()}


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
    server = await serve(lifetime=3600.0, max_requests=10**6)
    server.world.more_servers = SERVERS * MOST
    server.world.server_size = (2, 1)
    return server


async def run(wire: WireServer, folder: Path, url: str, row: Row, runs: int, most: int) -> Rig:
    """Run the cycles of a row, print its table, and fail for any fault."""
    process, number, database = row
    rig = Rig(wire, folder, url, process, number, random.Random(f"{row}"), runs, most)
    try:
        if process == "worker":
            await with_worker(rig)
        elif database == SQLITE:
            await with_gateway(rig)
        else:
            async with rig.process("worker") as worker:
                await with_gateway(rig)
                await ended(worker)
    except (AssertionError, TimeoutError):
        print("\n".join(rig.log))
        raise
    async with rig.store() as store, store._database.reading() as connection:
        left = (await connection.exec_driver_sql("SELECT count(*) FROM unfinished")).scalar_one()
        rig.counts["unfinished", "lost"] = left
        if database == POSTGRES:
            jobs = "SELECT count(*) FROM jobs WHERE {}"
            for what, where in (("lost", "state <> 'done'"), ("done twice", "attempt > 2")):
                found = (await connection.exec_driver_sql(jobs.format(where))).scalar_one()
                rig.counts["jobs", what] = found
    print(f"\n{number.name} of the {process}, {database}, {rig.cycles} cycles\n{rig.report()}")
    faulty = [key for key in rig.counts if key[1] in FAULTS and rig.counts[key]]
    assert faulty == [], "\n".join(rig.log)
    return rig


@pytest.mark.parametrize("row", [ROWS[0], ROWS[4]], ids=lambda row: "-".join(map(str, row)))
async def test_one_cycle(wire: WireServer, tmp_path: Path, url: str, row: Row) -> None:
    await run(wire, tmp_path, url, row, 1, 1)


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(map(str, row)))
async def test_many_runs(wire: WireServer, tmp_path: Path, url: str, row: Row) -> None:
    rig = await run(wire, tmp_path, url, row, RUNS, MOST)
    assert rig.is_interrupted(), rig.report()
