"""Work in child processes: work that exceeds a limit is killed, and later work is not affected."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec

import pytest

from bot.chat.source import Attachment
from bot.domain.reading.problems import RuleError
from bot.features.showing.reader import PRELOADED_MODULES
from bot.features.showing.reading.documents import read_document
from bot.features.showing.reading.pictures import read_picture
from bot.jobs.account import OverBudgetError, Requester
from bot.jobs.processes import LimitError, Processes, ProcessLimits, unpickle_result
from tests.jobs.accounts import charged_to
from tests.sight.pictures import chessboard_picture, encode
from tests.waiting import until

from . import work

ALICE, BOB = Requester(1, 100, 10), Requester(2, 100, 10)


class ExhaustedBudget:
    """Refuses every charge, and counts the seconds that were spent."""

    def __init__(self):
        self.seconds = Counter()

    def charge(self, account, size):
        raise OverBudgetError

    def spend(self, account, seconds):
        self.seconds[account] += seconds


@pytest.fixture
def budget():
    return ExhaustedBudget()


@pytest.fixture
def processes(budget):
    limits = ProcessLimits(seconds=1, wall_seconds=60, memory_bytes=400 * 2**20)
    processes = Processes(2, PRELOADED_MODULES, process_limits=limits, budget=budget)
    yield processes
    processes.close()


PROGRAM = """
import asyncio
from bot.jobs.processes import Processes
from tests.jobs import work

if __name__ == "__main__":
    print(asyncio.run(Processes(1).run(work.double, 1)))
"""


def test_files_in_the_working_directory_do_not_shadow_modules(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    folder = tmp_path / "untrusted"
    folder.mkdir()
    for name in ("multiprocessing", "pickle", "bot"):
        (folder / f"{name}.py").write_text("raise SystemExit('a file in the working directory was run')")
    command = [sys.executable, str(tmp_path / "program.py")]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (process.stdout, process.stderr) == ("2\n", "")


def test_preloaded_modules_exist():
    assert [name for name in PRELOADED_MODULES if find_spec(name) is None] == []


async def test_work_runs_in_a_process_that_ends_afterwards(processes):
    assert await processes.run(work.double, 21) == 42
    assert await processes.run(work.heavy_imports) == []
    first, second = await processes.run(work.pid), await processes.run(work.pid)
    assert first != second
    with pytest.raises(RuleError) as raised:
        await processes.run(work.raise_, RuleError("x", "{what} is wrong", (3, 4), what="it"))
    assert (raised.value.message, raised.value.line, raised.value.column) == ("it is wrong", 3, 4)
    with pytest.raises(KeyError):
        await processes.run(work.raise_, KeyError("x"))


async def test_picture_modules_are_imported_before_the_first_job(processes):
    """Importing takes a tenth of a second, which would be charged to the user."""
    picture = Attachment("board.png", encode(chessboard_picture(), "PNG"))
    assert await processes.run(work.new_imports, read_picture, picture) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists a process's threads in /proc")
async def test_reading_pictures_uses_one_thread(processes):
    """Threads that wait for each other would use several times as much CPU time."""
    assert await processes.run(work.thread_count_after_multiplying) == 1


@pytest.mark.parametrize(
    ("greedy", "cause"), [(work.burn, "time"), (work.hoard, "memory"), (work.die, "lost")]
)
async def test_a_job_over_a_limit_is_killed_and_the_next_job_runs(processes, budget, greedy, cause):
    with charged_to(ALICE):
        failing = asyncio.create_task(processes.run(greedy))
    with charged_to(BOB):
        assert await processes.run(work.double, 1) == 2
    with pytest.raises(LimitError) as caught:
        await failing
    assert caught.value.cause == cause
    with charged_to(ALICE):
        assert await processes.run(work.double, 2) == 4
    assert budget.seconds[ALICE] > budget.seconds[BOB] > 0
    if cause == "time":
        assert budget.seconds[ALICE] >= 1, "killed work was not charged"


async def test_a_sleeping_job_is_killed_after_the_time_limit(budget):
    processes = Processes(1, process_limits=ProcessLimits(wall_seconds=0.5), budget=budget)
    with pytest.raises(LimitError) as ended:
        await processes.run(work.sleep)
    assert ended.value.cause == "time"
    processes.close()


async def test_a_job_lost_with_a_process_is_retried_once(processes, tmp_path):
    assert await processes.run(work.die_once, str(tmp_path)) == "done"


@pytest.mark.slow
async def test_a_killed_fork_server_is_replaced(processes):
    assert await processes.run(work.double, 1) == 2
    for _ in range(3):
        os.kill(await processes.run(os.getppid), signal.SIGKILL)
        assert await processes.run(work.double, 2) == 4


async def test_each_user_has_at_most_one_process(processes, tmp_path):
    with charged_to(ALICE):
        first = asyncio.create_task(processes.run(work.meet, str(tmp_path), "alice", "bob"))
        sequential_tasks = [
            asyncio.create_task(processes.run(work.runs_alone, str(tmp_path))) for _ in range(4)
        ]
    with charged_to(BOB):
        assert await processes.run(work.meet, str(tmp_path), "bob", "alice")
    assert await first
    assert all(await asyncio.gather(*sequential_tasks))


async def test_closing_kills_running_jobs(budget):
    processes = Processes(1, process_limits=ProcessLimits(seconds=100), budget=budget)
    burning = asyncio.create_task(processes.run(work.burn))
    waiting = asyncio.create_task(processes.run(work.burn))
    await until(lambda: processes._running)
    processes.close()
    for task in (burning, waiting):
        with pytest.raises(asyncio.CancelledError):
            await task


MANY_PUZZLES = "".join(
    f"[D]{number}\n{'8/' * 7}{file}k{5 - file}K1 w - - {clock} {number}\n"
    for number in range(1, 3_001)
    for file, clock in [(number % 4 + 1, number % 90)]
)
"""A puzzle file. When pickled, the document read from it takes 300 kB."""


async def test_other_threads_run_between_the_frames_of_a_long_result(monkeypatch):
    document = read_document("puzzles", MANY_PUZZLES)
    data = pickle.dumps(document)
    frames = len(data) // 2**16
    assert frames >= 4
    turns, pauses, sleep = 0, 0, time.sleep

    def pause(seconds):
        nonlocal pauses
        turn = turns
        while turns == turn:  # until the event loop runs, however busy the machine is
            sleep(seconds)
        pauses += 1

    monkeypatch.setattr(time, "sleep", pause)
    task = asyncio.create_task(asyncio.to_thread(unpickle_result, data))
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    assert task.result() == document
    assert pauses >= frames


def test_processes_start_on_demand():
    code = (
        "import multiprocessing.forkserver as server;"
        "from bot.jobs.processes import Processes; Processes(2, ('bot.features.showing.reading',)).close();"
        "import sys; sys.exit(server._forkserver._forkserver_pid is not None)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
