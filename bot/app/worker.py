"""A worker: runs the jobs that gateways (processes connected to Discord) queue in the database."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path

from bot.app.queues import compile_ahead, find_job_kinds, prepare_shared_database
from bot.app.run import find_store_problem, health_server, stop_on_signals
from bot.config import ConfigError, Settings
from bot.engine.installed import is_installed
from bot.observe.health import PrometheusMetrics
from bot.observe.process import report_ready, watch_loop
from bot.observe.telemetry import telemetry
from bot.storage.address import SqliteFile, read_address
from bot.storage.errors import StoreError
from bot.storage.migrate import migrate

log = logging.getLogger(__name__)

_CPU_FOLDER = Path("/sys/devices/system/cpu")


async def run_jobs(settings: Settings) -> None:
    """Run jobs until SIGTERM or SIGINT. Another worker takes over unfinished jobs.

    With an SQLite database, the bot does all the work itself, and the worker only waits for a signal.

    Raises:
        ConfigError: the configuration is invalid.

    """
    stop = stop_on_signals()
    try:
        address = read_address(settings.database_url.value)
        if isinstance(address, SqliteFile):
            log.warning(
                "a worker has nothing to do: with an SQLite database, the bot does all the work itself"
            )
            await stop.wait()
            return
        await migrate(address)
    except StoreError as error:
        raise ConfigError(str(error)) from None
    server, direct_server = await prepare_shared_database(settings)
    from bot.jobs.hosted import job_engine  # noqa: PLC0415 - needs optional packages
    from bot.jobs.hosted.worker import Worker  # noqa: PLC0415 - as above
    from bot.storage.jobs.store import JobStore  # noqa: PLC0415 - as above

    async with watch_loop(settings.process.stall_seconds), AsyncExitStack() as stack:
        stack.enter_context(telemetry(*settings.telemetry_addresses))
        store = await stack.enter_async_context(JobStore.open(server))
        app = await stack.enter_async_context(job_engine.open_app(direct_server))
        slots = settings.analysis.slots or core_count()
        metrics = PrometheusMetrics() if settings.web_address else None
        worker = Worker(store, app, find_job_kinds(settings).work_by_kind, slots, metrics)
        if settings.web_address and metrics is not None:
            metrics.register_gauges(
                {
                    "connections_used": lambda: store.connection_counts[0],
                    "connections_max": lambda: store.connection_counts[1],
                    "jobs_running": lambda: worker.running_count,
                }
            )
            checks = {"store": partial(find_store_problem, store.check)}
            await stack.enter_async_context(health_server(checks, metrics, *settings.web_address))
        if settings.analysis.enabled and is_installed():
            compile_task = asyncio.create_task(compile_ahead(nice=0))
            stack.callback(compile_task.cancel)
            # Compile before the first job, which would otherwise spend its time limit waiting for the compiler.
            stop_task = asyncio.create_task(stop.wait())
            await asyncio.wait({compile_task, stop_task}, return_when=asyncio.FIRST_COMPLETED)
            stop_task.cancel()
        report_ready()
        log.info("running up to %d jobs at once", slots)
        await worker.run(stop)
        log.info("stopped")


def core_count() -> int:
    """Return the number of cores that this process may use. A core counts once, because its second thread adds hardly any speed."""
    if not hasattr(os, "sched_getaffinity"):
        return max(1, (os.cpu_count() or 2) // 2)  # assumes two threads per core
    return len({_read_siblings(cpu) for cpu in os.sched_getaffinity(0)})


def _read_siblings(cpu: int) -> str:
    """Return the kernel's list of the hardware threads on the core of ``cpu``, or only ``cpu`` if the list is missing."""
    with suppress(OSError):
        return (_CPU_FOLDER / f"cpu{cpu}/topology/thread_siblings_list").read_text(encoding="ascii")
    return str(cpu)
