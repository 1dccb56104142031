"""The latency, throughput and memory of the bot's process, connected to a simulated Discord.

Run this file with ``-m bench -n 0 -s`` to print the figures.
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
from tests.domain.shared import SHARED, needs_corpus, read_table
from tests.wire.kibitz import environment, program, until_logged_in
from tests.wire.server import WireServer

pytestmark = [pytest.mark.bench, needs_corpus]

MAX_STALL_MILLISECONDS = 50
"""Limit on the CPU time of a callback on the event loop."""

MAX_GROWTH_KIB = 8 * 1024
"""Limit on the memory growth while the second half of the messages is handled. It is not zero, because allocators keep free memory."""

MAX_COMPILE_SECONDS = 300.0

MESSAGE_COUNT = 1000
MAX_WAITING_MESSAGES = 20
"""Maximum number of messages that wait for a reply at the same time."""


def positions():
    texts = [
        row["cgp"] for row in read_table("corpus/cgp.tsv") if row["kind"] == "cgp" and _is_usable(row["cgp"])
    ]
    for number, text in enumerate(itertools.cycle(texts)):
        yield re.sub(r" \d+/\d+ ", f" {number % 900}/{number // 900 + 1} ", text, count=1)


def _is_usable(text):
    """Return whether a CGP has tiles on the board and fits in a message."""
    try:
        return bool(cgp.read(text).value.board.tile_count) and len(text) < 1900
    except DomainError:
        return False


def games():
    texts = []
    for path in sorted((SHARED / "corpus" / "gcg").glob("*.gcg")):
        text, _ = decode(path.read_bytes())
        findings = read_text(text, Source(text))
        if len(findings.documents) == 1 and not findings.unreadable_texts and 600 < len(text) < 1800:
            texts.append(text)
    for number, text in enumerate(itertools.cycle(texts)):
        yield f"{text.rstrip()}\n#note {number}\n"


@asynccontextmanager
async def watched_bot(folder: Path):
    async with WireServer() as wire:
        settings = {
            "KIBITZ_LIMITS__USER_PER_MINUTE": "10000",
            "KIBITZ_LIMITS__CHANNEL_PER_MINUTE": "10000",
            "KIBITZ_ANALYSIS__ENABLED": "true",
            # A cache this small is full before memory is first measured.
            "KIBITZ_LIMITS__CACHE_BYTES": "2000000",
        }
        arguments = ("-m", "tests.wire.stalls", str(folder / "report.json"))
        variables = environment(wire, folder, **settings)
        async with program(*arguments, environment=variables, folder=folder) as bot:
            await until_logged_in(wire, bot)
            if is_installed():
                # The engine takes 60 megabytes, which must not count as growth.
                await bot.until_printed("the analysis code is compiled", within=MAX_COMPILE_SECONDS)
            yield wire, bot
            bot.process.terminate()
            assert await bot.until_ended() == 0, bot.output
            assert bot.exception_lines == [], bot.output


def percentiles(milliseconds):
    cuts = statistics.quantiles(milliseconds, n=20)
    return {"p50": round(statistics.median(milliseconds), 1), "p95": round(cuts[-1], 1)}


async def measure_latency(folder, count):
    """Post positions and games one at a time. Return the latencies and the longest stalls, both in milliseconds."""
    kinds = {}
    async with watched_bot(folder) as (wire, _):
        for kind, texts in (("cgp", positions()), ("gcg", games())):
            for text in itertools.islice(texts, count):
                message = await wire.post(text)
                kinds[message.id] = kind
                await wire.wait_for_reply(message)
    report = json.loads((folder / "report.json").read_text())
    latencies = {"cgp": [], "gcg": []}
    for message_id, milliseconds in report["reply_times"]:
        latencies[kinds[message_id]].append(milliseconds)
    assert [len(times) for times in latencies.values()] == [count, count]
    return latencies, report["longest_callbacks"]


def test_latency_from_receiving_a_message_to_sending_the_reply(benchmark, tmp_path):
    latencies, stalls = benchmark.pedantic(lambda: asyncio.run(measure_latency(tmp_path, 100)), rounds=1)
    benchmark.extra_info["milliseconds"] = {kind: percentiles(times) for kind, times in latencies.items()}
    benchmark.extra_info["stalls"] = stalls[:3]
    print(json.dumps(benchmark.extra_info, indent=1))


def mixed_messages():
    """Yield each message's text and files, and whether the bot replies."""
    rng = random.Random(5)
    chat, boards, records = generated_messages(MESSAGE_COUNT, 5), positions(), games()
    for _ in range(MESSAGE_COUNT):
        kind = rng.choices(("chat", "cgp", "gcg", "file"), (60, 25, 10, 5))[0]
        match kind:
            case "chat":
                yield next(chat), {}, False
            case "cgp":
                yield f"what would you play? {next(boards)}", {}, True
            case "gcg":
                yield next(records), {}, True
            case _:
                yield "", {"game.gcg": next(records).encode()}, True


async def measure_throughput(folder):
    sizes = []
    async with watched_bot(folder) as (wire, bot):
        slots = asyncio.Semaphore(MAX_WAITING_MESSAGES)

        async def wait_for_reply(message):
            await wire.wait_for_reply(message)
            slots.release()

        async with asyncio.TaskGroup() as waiting:
            began = time.perf_counter()
            for number, (text, files, gets_reply) in enumerate(mixed_messages()):
                if number in {MESSAGE_COUNT // 2, MESSAGE_COUNT * 3 // 4}:
                    sizes.append(bot.resident_kib)
                if gets_reply:
                    await slots.acquire()
                message = await wire.post(text, files=files)
                if gets_reply:
                    waiting.create_task(wait_for_reply(message))
        seconds = time.perf_counter() - began
        sizes.append(bot.resident_kib)
        reply_count = len(wire.world.bot_messages())
    report = json.loads((folder / "report.json").read_text())
    return {
        "seconds": round(seconds, 1),
        "messages_per_second": round(MESSAGE_COUNT / seconds, 1),
        "replies_per_second": round(reply_count / seconds, 1),
        "resident_kib": sizes,
        "longest_stalls_ms": report["longest_callbacks"],
        "longest_collection_ms": report["longest_collection"],
    }


def test_a_thousand_mixed_messages_neither_stall_the_loop_nor_grow_memory(benchmark, tmp_path):
    figures = benchmark.pedantic(lambda: asyncio.run(measure_throughput(tmp_path)), rounds=1)
    benchmark.extra_info.update(figures)
    print(json.dumps(figures, indent=1))
    # The callbacks' times exclude garbage collections, and the longest collection may have run during the longest callback.
    assert figures["longest_stalls_ms"][0][0] + figures["longest_collection_ms"] < MAX_STALL_MILLISECONDS
    assert figures["resident_kib"][-1] - figures["resident_kib"][0] < MAX_GROWTH_KIB
