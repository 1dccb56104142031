"""A PostgreSQL server is restarted, or gone for half a minute: nothing is lost, nothing is done twice."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.wire.kibitz import ROOT, position
from tests.wire.test_interrupted import simulation

from .test_kills import result

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
async def own_server() -> AsyncIterator[tuple[str, Callable[[str], Awaitable[None]]]]:
    """Run a PostgreSQL server; give its address, and a function that stops and starts it."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("bash", "-c", SCRIPT, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    if not url:
        pytest.skip("there is no PostgreSQL server to run")

    async def tell(command: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{command}\n".encode())
        assert (await process.stdout.readline()).decode().strip() == f"{command} done"

    try:
        yield url, tell
    finally:
        process.stdin.close()
        await process.wait()


async def test_the_database_is_restarted_in_a_job(wire: WireServer, start: Start) -> None:
    async with (
        own_server() as (url, tell),
        start("run", DATABASE_URL=url) as gateway,
        start("worker", DATABASE_URL=url) as worker,
    ):
        first = await simulation(wire, wire.world.alice, "▰")
        await tell("stop")
        await tell("start")
        posted = await wire.say(position("RESTART"))
        await wire.reply(posted, within=30)
        await result(wire, first)
        assert len(wire.world.replies_to(posted)) == 1
        assert gateway.process.returncode is None
        assert worker.process.returncode is None
        assert not [item for item in wire.world.messages.values() if "⏳" in item.text]
        async with await psycopg.AsyncConnection.connect(url) as connection:
            ended = await connection.execute("SELECT state, whole FROM jobs")
            assert set(await ended.fetchall()) == {("done", True)}


@pytest.mark.long
async def test_the_database_is_gone_for_half_a_minute(wire: WireServer, start: Start) -> None:
    async with (
        own_server() as (url, tell),
        start("run", DATABASE_URL=url, KIBITZ_SHARDS="auto/2") as gateway,
        start("worker", DATABASE_URL=url) as worker,
    ):
        await wire.gateway.ready(2, within=60)
        posted = [await wire.say(position("BEFORE"))]
        answer = await wire.reply(posted[0], within=60)
        first = await simulation(wire, wire.world.alice, "▰")
        await tell("stop")
        posted += [await wire.say(position(word)) for word in ("DURINGA", "DURINGB")]
        await wire.change(posted[0], position("EDITED"))
        await asyncio.sleep(30)
        posted.append(await wire.say(position("DURINGC")))
        await tell("start")
        for message in posted:
            await wire.reply(message, within=90)
        await wire.journal.until(lambda: answer.edits, "the edit", within=90)
        await result(wire, first)
        posted.append(await wire.say(position("AFTER")))
        await wire.reply(posted[-1], within=60)
        assert [len(wire.world.replies_to(message)) for message in posted] == [1] * 5
        assert "EDITED" in (answer.files[0].description or "")
        assert gateway.process.returncode is None
        assert worker.process.returncode is None
        assert len(wire.gateway.identifies) == 2, "the sessions lived on"
        assert not [item for item in wire.world.messages.values() if "⏳" in item.text]
