"""A process is killed during a job: the result is posted once, in the message that showed the progress."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.waiting import until
from tests.wire.journal import MAX_WAIT_SECONDS
from tests.wire.message_bodies import control_id
from tests.wire.test_interrupted import control_kinds, shows_no_progress, start_simulation

if TYPE_CHECKING:
    from tests.wire.server import WireServer
    from tests.wire.world import Account, StoredMessage

    from .conftest import Start

pytestmark = pytest.mark.load


async def check_result(wire: WireServer, message: StoredMessage) -> None:
    await wire.journal.until(partial(shows_no_progress, message), "the result")
    assert " · best of " in message.text, message.text
    assert "rollouts" in message.text
    assert "ranked" in control_kinds(message)


async def check_nothing_is_left(wire: WireServer, sql) -> None:
    """Assert that no message shows progress, no job is open, and the users and tokens stored for jobs have been deleted."""
    pending = "SELECT 1 FROM unfinished UNION ALL SELECT 1 FROM procrastinate.procrastinate_jobs"

    async def is_empty() -> bool:
        return not await sql(pending)

    await until(is_empty, MAX_WAIT_SECONDS)
    assert not [message for message in wire.world.messages.values() if "⏳" in message.text]
    assert await sql("SELECT count(*) FROM job_askers") == [(0,)]
    assert await sql("SELECT count(*) FROM jobs WHERE state <> 'done'") == [(0,)]


async def test_another_worker_finishes_the_job_of_a_killed_worker(
    wire: WireServer, start: Start, sql
) -> None:
    async with start("run"), start() as first:
        public = await start_simulation(wire, wire.world.alice, "▰")
        await first.kill()
        async with start():
            await check_result(wire, public)
            await check_nothing_is_left(wire, sql)
    assert await sql("SELECT attempt FROM jobs") == [(2,)]


async def restart_interrupted(wire: WireServer, message: StoredMessage, user: Account) -> None:
    await wire.journal.until(partial(shows_no_progress, message), "the report of the interruption")
    assert message.text.startswith("Kibitz was restarted before this was finished.")
    await wire.interactions.press(message, control_id(message, "deepen:"), user=user)
    await wire.journal.until(lambda: "rollouts" in message.text and shows_no_progress(message), "the result")


async def test_an_analysis_restarted_after_a_gateway_kill_joins_the_running_job(
    wire: WireServer, start: Start, sql
) -> None:
    async with start():
        async with start("run") as gateway:
            public = await start_simulation(wire, wire.world.alice, "⏳")
            private = await start_simulation(wire, wire.world.bob, "⏳", private=True)
            await gateway.kill()
        stored = await sql("SELECT sealed_token FROM unfinished")
        assert len(stored) == 2
        assert not [token for token in wire.interactions.by_token if token in repr(stored)]
        async with start("run"):
            for message, user in ((public, wire.world.alice), (private, wire.world.bob)):
                await restart_interrupted(wire, message, user)
                await check_result(wire, message)
            await check_nothing_is_left(wire, sql)
    assert await sql("SELECT count(*), max(attempt) FROM jobs") == [(1, 1)], (
        "equal requests started more than one job"
    )


async def test_another_worker_finishes_the_job_of_a_stopped_worker(
    wire: WireServer, start: Start, sql
) -> None:
    async with start("run"), start() as first:
        public = await start_simulation(wire, wire.world.alice, "▰")
        await first.stop()
        async with start():
            await check_result(wire, public)
            await check_nothing_is_left(wire, sql)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
async def test_an_analysis_can_be_restarted_after_both_processes_are_killed(
    wire: WireServer, start: Start, sql, seed: int
) -> None:
    rng = random.Random(seed)
    async with start() as worker:
        async with start("run") as gateway:
            public = await start_simulation(wire, wire.world.alice, "⏳")
            await asyncio.sleep(rng.uniform(0, 4))
            for program in rng.sample([worker, gateway], 2):
                program.process.kill()
            await gateway.until_ended()
        async with start("run"), start():
            await restart_interrupted(wire, public, wire.world.alice)
            await check_result(wire, public)
            await check_nothing_is_left(wire, sql)
