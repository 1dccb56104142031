"""The whole way of a message, in the process that an operator runs, against a Discord on this machine.

Run with ``-m bench -n 0``. The figures stand in the ``extra_info`` of the benchmark, and are printed with ``-s``.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import statistics
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.chat.source import Source
from bot.domain.crossword.notations import cgp
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError
from bot.engine.installed import is_installed
from bot.features.showing.reading.documents import read_text
from tests.domain.chatter import generated_messages
from tests.domain.shared import SHARED, needs_corpus, table
from tests.wire.kibitz import environment, logged_in, program
from tests.wire.server import WireServer

pytestmark = [pytest.mark.bench, needs_corpus]

STALL_MILLISECONDS = 50
"""No piece of work on the event loop may take longer."""

GROWTH_KIBIBYTES = 8 * 1024
"""Maximum growth of memory in the second half of the messages; allocators are not exact."""

COMPILING = 300.0
"""Seconds allowed for the first compilation."""

MIXED = 1000
OUTSTANDING = 20
"""Messages that wait for their answer at the same time."""


def positions():
    """Yield endless CGPs, each with a different picture."""
    texts = [
        row["cgp"] for row in table("corpus/cgp.tsv") if row["kind"] == "cgp" and _is_position(row["cgp"])
    ]
    for number, text in enumerate(itertools.cycle(texts)):
        yield re.sub(r" \d+/\d+ ", f" {number % 900}/{number // 900 + 1} ", text, count=1)


def _is_position(text):
    try:
        return bool(cgp.read(text).value.board.tile_count) and len(text) < 1900
    except DomainError:
        return False


def games():
    """Yield endless, distinct GCGs."""
    texts = []
    for path in sorted((SHARED / "corpus" / "gcg").glob("*.gcg")):
        text, _ = decode(path.read_bytes())
        findings = read_text(text, Source(text))
        if len(findings.found) == 1 and not findings.refused and 600 < len(text) < 1800:
            texts.append(text)
    for number, text in enumerate(itertools.cycle(texts)):
        yield f"{text.rstrip()}\n#note {number}\n"


@asynccontextmanager
async def watched(folder: Path):
    """Run the bot; gives the wire and the process, and afterwards the report is in the folder."""
    async with WireServer() as wire:
        more = {
            "KIBITZ_LIMITS__USER_PER_MINUTE": "10000",
            "KIBITZ_LIMITS__CHANNEL_PER_MINUTE": "10000",
            "KIBITZ_ANALYSIS__ENABLED": "true",
            # Reached long before the half, so that what grows after it is not a cache.
            "KIBITZ_LIMITS__CACHE_BYTES": "2000000",
        }
        arguments = ("-m", "tests.bench.watched", str(folder / "report.json"))
        variables = environment(wire, folder, **more)
        async with program(*arguments, environment=variables, folder=folder) as started:
            await logged_in(wire, started)
            if is_installed():
                # Its code is loaded once, some seconds after the start: 60 megabytes that are not growth.
                await started.printed("the analysis is compiled", within=COMPILING)
            yield wire, started
            started.process.terminate()
            assert await started.ended() == 0, started.output
            assert started.faults == [], started.output


def memory(started) -> int:
    """Return the resident memory of a process in KiB."""
    status = Path(f"/proc/{started.process.pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1])


def percentiles(milliseconds):
    cuts = statistics.quantiles(milliseconds, n=20)
    return {"p50": round(statistics.median(milliseconds), 1), "p95": round(cuts[-1], 1)}


async def one_after_the_other(folder, count):
    """Answer positions and games one at a time; gives the milliseconds of each kind."""
    kinds = {}
    async with watched(folder) as (wire, _):
        for kind, texts in (("cgp", positions()), ("gcg", games())):
            for text in itertools.islice(texts, count):
                message = await wire.say(text)
                kinds[message.id] = kind
                await wire.reply(message)
    report = json.loads((folder / "report.json").read_text())
    waits = {"cgp": [], "gcg": []}
    for message, milliseconds in report["answered"]:
        waits[kinds[message]].append(milliseconds)
    assert [len(each) for each in waits.values()] == [count, count]
    return waits, report["worst"]


def test_from_a_message_to_its_answer_in_the_librarys_hands(benchmark, tmp_path):
    waits, worst = benchmark.pedantic(lambda: asyncio.run(one_after_the_other(tmp_path, 100)), rounds=1)
    benchmark.extra_info["milliseconds"] = {kind: percentiles(each) for kind, each in waits.items()}
    benchmark.extra_info["stalls"] = worst[:3]
    print(json.dumps(benchmark.extra_info, indent=1))


def mixed_messages():
    """Make the messages of a busy server, and for each whether it needs an answer."""
    rng = random.Random(5)
    talk, boards, records = generated_messages(MIXED, 5), positions(), games()
    for _ in range(MIXED):
        kind = rng.choices(("talk", "cgp", "gcg", "file"), (60, 25, 10, 5))[0]
        match kind:
            case "talk":
                yield next(talk), {}, False
            case "cgp":
                yield f"what would you play? {next(boards)}", {}, True
            case "gcg":
                yield next(records), {}, True
            case _:
                yield "", {"game.gcg": next(records).encode()}, True


async def many_at_once(folder):
    sizes = []
    async with watched(folder) as (wire, started):
        slots = asyncio.Semaphore(OUTSTANDING)

        async def answered(message):
            await wire.reply(message, within=60)
            slots.release()

        async with asyncio.TaskGroup() as waiting:
            began = time.perf_counter()
            for number, (text, files, is_answered) in enumerate(mixed_messages()):
                if number in {MIXED // 2, MIXED * 3 // 4}:
                    sizes.append(memory(started))
                if is_answered:
                    await slots.acquire()
                message = await wire.say(text, files=files)
                if is_answered:
                    waiting.create_task(answered(message))
        seconds = time.perf_counter() - began
        sizes.append(memory(started))
        answers = len(wire.world.of_the_bot())
    report = json.loads((folder / "report.json").read_text())
    return {
        "seconds": round(seconds, 1),
        "messages_a_second": round(MIXED / seconds, 1),
        "answers_a_second": round(answers / seconds, 1),
        "resident_kib": sizes,
        "longest_own_stall_ms": report["longest_own"],
        "longest_stalls_ms": report["worst"],
        "longest_collections_ms": sorted(report["collected"])[-3:],
    }


def test_a_thousand_mixed_messages(benchmark, tmp_path):
    figures = benchmark.pedantic(lambda: asyncio.run(many_at_once(tmp_path)), rounds=1)
    benchmark.extra_info.update(figures)
    print(json.dumps(figures, indent=1))
    # The waiting time for other programs is listed but not judged.
    assert figures["longest_own_stall_ms"] < STALL_MILLISECONDS
    assert figures["resident_kib"][-1] - figures["resident_kib"][0] < GROWTH_KIBIBYTES
