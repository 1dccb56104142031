"""By default, a bot runs its jobs itself, and loads no package that is needed only with workers. Workers need PostgreSQL."""

import subprocess
import sys

import pytest

from bot.app.queues import AvailableJobKinds, open_queues
from bot.config import ConfigError, Settings, load_settings
from bot.jobs.account import Budget
from bot.jobs.codec import Codec
from bot.jobs.kinds import JobKind, Work
from bot.jobs.local import LocalJobQueue
from bot.observe.metrics import Metrics

KIND = JobKind("test", Codec[float](float), Codec[None](None), Codec[float](float))
JOB_KINDS = AvailableJobKinds(None, {"analysis": Work(KIND, lambda request, _: request, float)})


def test_the_bot_loads_neither_the_job_engine_nor_a_driver():
    program = (
        "import sys, bot.app.run; print({'procrastinate', 'psycopg', 'psycopg_pool'} & sys.modules.keys())"
    )
    output = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "set()"


async def test_by_default_jobs_run_in_this_process():
    async with open_queues(Settings(), JOB_KINDS, Budget(), Metrics()) as queues:
        assert isinstance(queues["analysis"], LocalJobQueue)


async def test_workers_need_postgresql(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "sqlite:///kibitz.sqlite3")
    monkeypatch.setenv("KIBITZ_ANALYSIS__JOBS", "0")
    settings = load_settings()
    with pytest.raises(ConfigError, match="need PostgreSQL: set DATABASE_URL"):
        async with open_queues(settings, JOB_KINDS, Budget(), Metrics()):
            pass
