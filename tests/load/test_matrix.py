"""Kills gateways and workers at random instants in every stage of their work, and counts the resulting faults.

A stage is a kind of work, such as a paste or a review. A row of the matrix is a kind of process, the signal that ends it, and a
kind of database. A row ends when each of its stages has been interrupted ``INTERRUPTION_COUNT`` times, or after ``MAX_CYCLES``
cycles.

In each cycle, users request a simulation and a review, and a poll is revealed. In a row for workers, the worker is ended during
these jobs.

In a row for gateways, users also paste, edit and press buttons, and servers get their daily puzzles. The gateway is ended at a
random instant within a stage, and each cycle takes the next stage. In every second cycle, the replacement gateway is also
ended while it recovers, but this interruption doesn't count.
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
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from bot.storage import tables
from bot.storage.database import utc_now
from bot.storage.store import Store
from tests.storage.conftest import sqlite_url
from tests.waiting import until
from tests.wire.kibitz import environment, forked_program
from tests.wire.test_interrupted import FAKE_ENGINE

from .conftest import MAX_START_SECONDS
from .stages import LONG_STAGES, MAX_FINISH_SECONDS, QUICK_STAGES, SERVER_COUNT, JobRequests, Users

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from tests.wire.conftest import Serve
    from tests.wire.kibitz import Program
    from tests.wire.server import WireServer

    Row = tuple[str, signal.Signals, str]

__all__ = ["sqlite_url"]

pytestmark = pytest.mark.load

INTERRUPTION_COUNT = int(os.environ.get("MATRIX_RUNS", "20"))
MAX_CYCLES = 3 * INTERRUPTION_COUNT
STAGES_BY_JOB_KIND = {"analysis": "simulate", "chess_review": "review", "chess": "poll"}
FAULTS = ("never", "twice", "thinking", "lost", "repeated")
"""A request never finished, got two replies, still shows that the bot is thinking, or lost its result; or a job was repeated."""


@dataclass
class Rig:
    wire: WireServer
    folder: Path
    url: str
    target: str
    """``gateway`` or ``worker``."""
    signal_: signal.Signals
    rng: random.Random
    interruption_count: int
    """The number of interruptions that each stage needs before the row is complete."""
    max_cycles: int
    cycles: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """For each stage, the number of cycles in which it was interrupted, and the number of each kind of fault."""
    log: list[str] = field(default_factory=list)

    @property
    def stages(self) -> tuple[str, ...]:
        return LONG_STAGES if self.target == "worker" else (*QUICK_STAGES, *LONG_STAGES)

    def is_complete(self) -> bool:
        return all(self.counts[stage, "interrupted"] >= self.interruption_count for stage in self.stages)

    def begin_cycle(self) -> bool:
        """Count a cycle and return True, or return False if the row has ended."""
        if self.cycles == self.max_cycles or self.is_complete():
            return False
        self.cycles += 1
        return True

    @asynccontextmanager
    async def process(self, command: str) -> AsyncIterator[Program]:
        settings = {
            "DATABASE_URL": self.url,
            "KIBITZ_ANALYSIS__ENABLED": "true",
            "KIBITZ_ANALYSIS__SLOTS": "3",
        }
        settings |= {f"KIBITZ_LIMITS__{name}_PER_MINUTE": "10000" for name in ("USER", "PRESSES", "CHANNEL")}
        settings["KIBITZ_CHESS__ENGINE"] = f"{sys.executable} {FAKE_ENGINE} slow"
        if not self.url.startswith("sqlite"):
            settings["KIBITZ_ANALYSIS__JOBS"] = "0"
        variables = environment(self.wire, self.folder, **settings)
        async with forked_program(
            "tests.load.hurried", command, environment=variables, folder=self.folder
        ) as program:
            if command == "run":
                await self.wire.gateway.wait_until_ready(within=MAX_START_SECONDS)
            else:
                await program.until_printed("running up to ", within=MAX_START_SECONDS)
            try:
                yield program
            finally:
                self.log += [f"{command} {program.process.pid}", *program.lines]

    def store(self) -> AbstractAsyncContextManager[Store]:
        return Store.open(self.url)

    async def end(self, program: Program) -> None:
        """End a process with the signal. Also release all claims, so that the next process doesn't wait until they expire."""
        program.process.send_signal(self.signal_)
        code = await program.until_ended(within=30)
        assert program.exception_lines == [], program.output
        assert self.signal_ == signal.SIGKILL or code == 0, program.output
        expired = utc_now() - timedelta(seconds=1)
        async with self.store() as store, store._database.writing() as connection:
            for table in (tables.replies, tables.daily_posts):
                is_held = table.c.held_until.is_not(None)
                await connection.execute(update(table).where(is_held).values(held_until=expired))
            await connection.execute(update(tables.polls).values(claimed_until=None))

    async def until_finished(self, stage: str, condition: Callable[[], object]) -> None:
        """Wait until the condition is true. After ``MAX_FINISH_SECONDS``, count the stage as never finished."""
        try:
            await self.wire.journal.until(condition, stage, within=MAX_FINISH_SECONDS)
        except AssertionError:
            self.counts[stage, "never"] += 1

    def report(self) -> str:
        stages = [*self.stages, *({stage for stage, _ in self.counts} - {*self.stages})]
        rows = [
            f"{stage:10}" + "".join(f"{self.counts[stage, column]:12}" for column in ("interrupted", *FAULTS))
            for stage in stages
        ]
        return "\n".join(
            ["stage     " + "".join(f"{column:>12}" for column in ("interrupted", *FAULTS)), *rows]
        )


async def run_gateway_cycles(rig: Rig) -> None:
    parts: tuple[JobRequests, Users] | None = None
    while rig.begin_cycle():
        async with rig.process("run") as gateway:
            if parts is not None:
                await asyncio.gather(*(part.finish() for part in parts))
            requests, users = parts = JobRequests(rig), Users(rig)
            await users.begin()
            quick_requests = (users.paste, users.edit, users.press)
            repeat_tasks = [asyncio.create_task(users.repeat(request)) for request in quick_requests]
            await requests.begin()
            async with rig.store() as store, store._database.writing() as connection:
                await connection.execute(update(tables.polls).values(ends=utc_now()))
            repeat_tasks.append(asyncio.create_task(users.repeat(users.daily)))
            await users.until_random_instant(rig.stages[rig.cycles % len(rig.stages)])
            for stage in requests.running_stages() | users.running_stages():
                rig.counts[stage, "interrupted"] += 1
            await rig.end(gateway)
            for task in repeat_tasks:
                task.cancel()
            await asyncio.gather(*repeat_tasks, return_exceptions=True)
        if rig.cycles % 2:
            async with rig.process("run") as replacement:
                await asyncio.sleep(rig.rng.uniform(0, 3))
                await rig.end(replacement)
        print(f"cycle {rig.cycles}\n{rig.report()}", flush=True)
    async with rig.process("run") as last:
        assert parts is not None
        await asyncio.gather(*(part.finish() for part in parts))
        await last.stop(within=30)


async def run_worker_cycles(rig: Rig) -> None:
    requests: JobRequests | None = None
    async with rig.process("run") as gateway:
        while rig.begin_cycle():
            async with rig.process("worker") as worker:
                if requests is not None:
                    await requests.finish()
                requests = JobRequests(rig)
                await requests.begin()
                await rig.wire.interactions.press(requests.poll, "kibitz:poll:r", user=requests.people[0])
                await until(partial(has_running_poll, rig), MAX_FINISH_SECONDS)  # the poll's job starts last
                await asyncio.sleep(rig.rng.uniform(0, 2))
                for stage in await running_jobs(rig) & requests.running_stages():
                    rig.counts[stage, "interrupted"] += 1
                await rig.end(worker)
            print(f"cycle {rig.cycles}\n{rig.report()}", flush=True)
        async with rig.process("worker") as last:
            assert requests is not None
            await requests.finish()
            await last.stop(within=30)
        await gateway.stop(within=30)


async def running_jobs(rig: Rig) -> set[str]:
    async with rig.store() as store, store._database.reading() as connection:
        kinds = await connection.exec_driver_sql("SELECT kind FROM jobs WHERE state = 'running'")
        return {STAGES_BY_JOB_KIND[kind] for kind in kinds.scalars()}


async def has_running_poll(rig: Rig) -> bool:
    return "poll" in await running_jobs(rig)


SQLITE, POSTGRES = "sqlite", "postgres"
ROWS = [
    ("gateway", signal.SIGKILL, SQLITE), ("gateway", signal.SIGTERM, SQLITE),
    ("gateway", signal.SIGKILL, POSTGRES), ("gateway", signal.SIGTERM, POSTGRES),
    ("worker", signal.SIGKILL, POSTGRES), ("worker", signal.SIGTERM, POSTGRES),
]  # fmt: skip


@pytest.fixture
def url(request: pytest.FixtureRequest, row: Row) -> str:
    address: str = request.getfixturevalue(f"{row[2]}_url")
    return address


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    server = await serve(lifetime=3600.0, max_requests=10**6)
    server.world.extra_guild_count = SERVER_COUNT * MAX_CYCLES
    server.world.extra_guild_size = (2, 1)
    return server


async def run_row(
    wire: WireServer, folder: Path, url: str, row: Row, interruption_count: int, max_cycles: int
) -> Rig:
    target, signal_, database = row
    rig = Rig(wire, folder, url, target, signal_, random.Random(f"{row}"), interruption_count, max_cycles)
    try:
        if target == "worker":
            await run_worker_cycles(rig)
        elif database == SQLITE:
            await run_gateway_cycles(rig)
        else:
            async with rig.process("worker") as worker:
                await run_gateway_cycles(rig)
                await worker.stop(within=30)
    except (AssertionError, TimeoutError):
        print("\n".join(rig.log))
        raise
    async with rig.store() as store, store._database.reading() as connection:
        unfinished = (await connection.exec_driver_sql("SELECT count(*) FROM unfinished")).scalar_one()
        rig.counts["unfinished", "lost"] = unfinished
        if database == POSTGRES:
            jobs = "SELECT count(*) FROM jobs WHERE {}"
            # After a kill of the worker, a job needs a second attempt.
            for fault, where in (("lost", "state <> 'done'"), ("repeated", "attempt > 2")):
                count = (await connection.exec_driver_sql(jobs.format(where))).scalar_one()
                rig.counts["jobs", fault] = count
    print(f"\n{signal_.name} of the {target}, {database}, {rig.cycles} cycles\n{rig.report()}")
    faulty = [key for key in rig.counts if key[1] in FAULTS and rig.counts[key]]
    assert faulty == [], "\n".join(rig.log)
    return rig


@pytest.mark.parametrize("row", [ROWS[0], ROWS[4]], ids=lambda row: "-".join(map(str, row)))
async def test_one_cycle_has_no_fault(wire: WireServer, tmp_path: Path, url: str, row: Row) -> None:
    await run_row(wire, tmp_path, url, row, 1, 1)


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(map(str, row)))
async def test_many_cycles_have_no_fault(wire: WireServer, tmp_path: Path, url: str, row: Row) -> None:
    rig = await run_row(wire, tmp_path, url, row, INTERRUPTION_COUNT, MAX_CYCLES)
    assert rig.is_complete(), rig.report()
