"""A PostgreSQL server that is restarted, and a server that stands still for a while: nothing is lost, nothing doubled."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .kibitz import ROOT, kibitz, position

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from .server import WireServer

pytestmark = pytest.mark.long

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


async def test_restarted_and_stopped_for_twenty_seconds_it_costs_no_message(
    wire: WireServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)
    async with own_server() as (url, tell):
        monkeypatch.setenv("DATABASE_URL", url)
        async with kibitz(wire):
            asked = [await wire.say(position("BEFORE"))]
            answer = await wire.reply(asked[0])
            await tell("stop")
            await tell("start")
            asked.append(await wire.say(position("RESTART")))
            await wire.reply(asked[1], within=30)
            await tell("stop")
            asked += [await wire.say(position(word)) for word in ("DURINGA", "DURINGB")]
            await wire.change(asked[0], position("EDITED"))
            await asyncio.sleep(20)
            await tell("start")
            for message in asked:
                await wire.reply(message, within=60)
            await wire.journal.until(lambda: answer.edits, "the edit", within=60)
            asked.append(await wire.say(position("AFTER")))
            await wire.reply(asked[-1])
        for message in asked:
            assert len(wire.world.replies_to(message)) == 1, message.content
