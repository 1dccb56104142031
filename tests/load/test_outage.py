"""A PostgreSQL server restarts, or is down for half a minute: each request gets one reply."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.wire.kibitz import ROOT, position
from tests.wire.test_interrupted import start_simulation

from .test_kills import check_result

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from tests.wire.server import WireServer

    from .conftest import Start

pytestmark = pytest.mark.load

SCRIPT = """
. .ci/postgres.sh
unset TEST_POSTGRES_URL
postgres_start || exit 1
trap postgres_stop EXIT
echo "$TEST_POSTGRES_URL"
port=${TEST_POSTGRES_URL##*:}; port=${port%%/*}
while read -r command; do
  case $command in
    stop) _postgres_as "$_postgres_bin/pg_ctl" -D "$_postgres_dir/data" -m immediate -w -s stop </dev/null ;;
    start) _postgres_as "$_postgres_bin/pg_ctl" -D "$_postgres_dir/data" -l "$_postgres_dir/log" -w -s \
      -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start </dev/null >/dev/null ;;
  esac
  echo "$command done"
done
"""


@asynccontextmanager
async def postgres_server() -> AsyncIterator[tuple[str, Callable[[str], Awaitable[None]]]]:
    """Yield the address of a PostgreSQL server, and a function for the commands ``stop`` and ``start``."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("bash", "-c", SCRIPT, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    if not url:
        pytest.skip("PostgreSQL is not installed")

    async def control(command: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{command}\n".encode())
        assert (await process.stdout.readline()).decode().strip() == f"{command} done"

    try:
        yield url, control
    finally:
        process.stdin.close()
        await process.wait()


async def test_a_database_restart_interrupts_no_jobs(wire: WireServer, start: Start) -> None:
    async with (
        postgres_server() as (url, control),
        start("run", DATABASE_URL=url) as gateway,
        start("worker", DATABASE_URL=url) as worker,
    ):
        first = await start_simulation(wire, wire.world.alice, "▰")
        await control("stop")
        await control("start")
        posted = await wire.post(position("RESTART"))
        await wire.wait_for_reply(posted)
        await check_result(wire, first)
        assert len(wire.world.replies_to(posted)) == 1
        assert gateway.process.returncode is None
        assert worker.process.returncode is None
        assert not [message for message in wire.world.messages.values() if "⏳" in message.text]
        async with await psycopg.AsyncConnection.connect(url) as connection:
            jobs = await connection.execute("SELECT state, whole FROM jobs")
            assert set(await jobs.fetchall()) == {("done", True)}


@pytest.mark.long
async def test_a_30_second_outage_loses_no_messages(wire: WireServer, start: Start) -> None:
    async with (
        postgres_server() as (url, control),
        start("run", DATABASE_URL=url, KIBITZ_SHARDS="auto/2") as gateway,
        start("worker", DATABASE_URL=url) as worker,
    ):
        await wire.gateway.wait_until_ready(2, within=60)
        posted = [await wire.post(position("BEFORE"))]
        reply = await wire.wait_for_reply(posted[0])
        first = await start_simulation(wire, wire.world.alice, "▰")
        await control("stop")
        posted += [await wire.post(position(word)) for word in ("DURINGA", "DURINGB")]
        await wire.change(posted[0], position("EDITED"))
        await asyncio.sleep(30)
        posted.append(await wire.post(position("DURINGC")))
        await control("start")
        for message in posted:
            await wire.wait_for_reply(message, within=90)
        await wire.journal.until(lambda: reply.edit_count, "the edit", within=90)
        await check_result(wire, first)
        posted.append(await wire.post(position("AFTER")))
        await wire.wait_for_reply(posted[-1])
        assert [len(wire.world.replies_to(message)) for message in posted] == [1] * 5
        assert "EDITED" in (reply.files[0].description or "")
        assert gateway.process.returncode is None
        assert worker.process.returncode is None
        assert len(wire.gateway.identifies) == 2, "a session was not resumed"
        assert not [message for message in wire.world.messages.values() if "⏳" in message.text]
