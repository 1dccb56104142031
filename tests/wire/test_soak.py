"""A day in a busy server: one process gets messages, presses, edits and files in random order. A tenth of them are hostile.

No error may occur, and every position must get exactly one reply. In the long test, memory may grow only slightly, and no callback may
block the event loop for long. The long test takes five minutes: ``python -m pytest -m soak -n 0 tests/wire``. SOAK_EVENTS
sets the number of its events.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .kibitz import environment, position, program, until_logged_in
from .message_bodies import every_component
from .server import WireServer
from .world import Account, Channel

if TYPE_CHECKING:
    from .interactions import Interaction
    from .world import StoredMessage

LONG_DAY_EVENTS = int(os.environ.get("SOAK_EVENTS", "20000"))
SHORT_DAY_EVENTS = 120
MAX_WAITING_MESSAGES = 24
"""Maximum number of positions that wait for a reply at the same time."""
USER_COUNT, CHANNEL_COUNT = 40, 8
"""Number of users who post, and of channels in which they post."""
MAX_STALL_MILLISECONDS = 50.0
"""Maximum CPU time of one callback on the event loop."""
MAX_GROWTH_KIB = 8 * 1024
"""Maximum growth of the resident memory in the second half of the day."""
MAX_REMEMBERED = 300
"""Maximum number of remembered positions with a reply. Users may still edit or delete them, or press buttons under the replies."""
MAX_REPLY_SECONDS = 90.0
"""Maximum time until a reply on a busy machine."""

WORDS = ("HELLO", "QUIZ", "ZEBRA", "FJORD", "VEX", "WALTZ", "OXYGEN", "JUMP", "BLOCK", "CRYPT")
GAME = (
    "#player1 alice Alice\n#player2 bob Bob\n#note no. {number}\n>alice: AEINRST 8D NASTIER +66 66\n"
    ">bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +26 92\n"
)
CHESS = '[White "Alice"]\n[Black "Bob"]\n[Round "{number}"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n'
TALK = (
    "what did you play?", "3/4 of them, 12/11/2025", "gg wp", "15/15 is a full rack :)", "see https://example.org/a/b/c",
    "> quoted\nand **answered**", "1. first\n2. second", "I had QUIZ for 60!", "`code` ||spoiler||", "",
)  # fmt: skip
HOSTILE_PARTS = (
    "`",
    "|",
    "||",
    "/",
    "15/",
    "*",
    "[",
    "](",
    ">",
    "\\",
    "#",
    "{",
    '"',
    "~~/|",
    " - ",
    "1.",
    "e4 ",
    "%41",
    "\u202e",
)
WEIGHTS = {
    "talk": 30, "cgp": 25, "gcg": 8, "pgn": 5, "file": 8, "edit": 5, "press": 7, "remove": 2, "hostile": 10, "analyze": 0.8,
}  # fmt: skip
"""Relative frequencies of the kinds of events."""


def hostile_message(rng: random.Random, number: int) -> tuple[str, dict[str, bytes]]:
    """Return the text and the files of a hostile message, which the bot may ignore."""
    part = rng.choice(HOSTILE_PARTS)
    long_text = (part * 2000)[: rng.choice((30, 400, 1990))]
    match rng.randrange(7):
        case 0:
            return long_text, {}
        case 1:
            return f"<@{number}> {position()} {long_text}"[:1990], {}
        case 2:
            text = list(position(rng.choice(WORDS)))
            for _ in range(rng.randrange(1, 9)):
                text[rng.randrange(len(text))] = rng.choice(HOSTILE_PARTS)
            return "".join(text)[:1990], {}
        case 3:
            size = rng.choice((1_000, 50_000, 400_000))
            return "", {"game.gcg": (GAME.format(number=number) + part * size)[:size].encode()}
        case 4:
            return "", {"junk.txt": rng.randbytes(rng.choice((10, 5_000, 100_000)))}
        case 5:
            return "", {"deep.json": b'{"kibitz": ' + b"[" * rng.choice((10, 5_000, 100_000))}
        case _:
            name = f"[Free Nitro](https://evil.example) @everyone {part * 5}"
            return GAME.format(number=number).replace("Alice", name), {}


class Day:
    """The events of a day, and the messages that still need a reply."""

    def __init__(self, wire: WireServer, event_count: int) -> None:
        self.wire = wire
        self.event_count = event_count
        self.random = random.Random(event_count)
        self.without_reply: dict[int, tuple[StoredMessage, float]] = {}
        """Positions without a reply, by message id, with the times when they were posted."""
        self.with_reply: list[tuple[StoredMessage, StoredMessage]] = []
        """Recent positions that have a reply, with the reply."""
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []
        self.analyses: list[Interaction] = []
        self.people = [Account(wire.world.ids.next(), f"person{number}") for number in range(USER_COUNT)]
        for number in range(CHANNEL_COUNT - 1):
            channel = Channel(wire.world.ids.next(), f"room{number}", wire.world.guild_id)
            wire.world.channels[channel.id] = channel
        self.channels = [room for room in wire.world.channels.values() if room.guild_id is not None]

    async def next_event(self, number: int) -> None:
        """Cause a random event: a message, an edit, a deletion or a press."""
        kind = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        self.counts[kind] += 1
        match kind:
            case "talk":
                await self.post(self.random.choice(TALK))
            case "cgp":
                await self.post_position(self.unique_position(number))
            case "gcg":
                await self.post_position(GAME.format(number=number))
            case "pgn":
                await self.post_position(CHESS.format(number=number))
            case "file":
                await self.post_position("", {"game.gcg": GAME.format(number=number).encode()})
            case "hostile":
                text, files = hostile_message(self.random, number)
                await self.post(text, files)
            case _ if self.with_reply:
                await self.revisit(kind, number)

    def unique_position(self, number: int) -> str:
        scores = f" {number % 900}/{number // 900 + 1} "
        return position(self.random.choice(WORDS)).replace(" 26/0 ", scores)

    async def post(self, text: str, files: dict[str, bytes] | None = None) -> StoredMessage:
        author, channel = self.random.choice(self.people), self.random.choice(self.channels)
        return await self.wire.post(
            text or ("" if files else "…"), author=author, channel=channel, files=files
        )

    async def post_position(self, text: str, files: dict[str, bytes] | None = None) -> None:
        """Post a position, which needs a reply. Before that, wait while too many other positions have none."""
        await self.wire.journal.until(
            lambda: len(self.without_reply) < MAX_WAITING_MESSAGES, "a reply", within=2 * MAX_REPLY_SECONDS
        )
        message = await self.post(text, files)
        self.without_reply[message.id] = message, time.monotonic()

    async def revisit(self, kind: str, number: int) -> None:
        """Edit or delete a message that has a reply, or press a button under a reply."""
        index = self.random.randrange(len(self.with_reply))
        message, reply = self.with_reply[index]
        if kind == "edit" and not message.files:
            await self.wire.change(message, self.unique_position(number))
        elif kind == "remove":
            del self.with_reply[index]
            await self.wire.remove(message)
        elif kind == "analyze":
            await self.analyze()
        else:
            ids = [part["custom_id"] for part in every_component(reply.components) if part.get("type") == 2]
            steps = [custom_id for custom_id in ids if custom_id and custom_id.startswith("kibitz:view:")]
            if steps:
                with suppress(LookupError):  # The reply may have changed.
                    await self.wire.interactions.press(
                        reply, self.random.choice(steps), user=self.random.choice(self.people)
                    )

    async def analyze(self) -> None:
        """Press *Analyze* under the most recent reply that has the button."""
        for _, reply in reversed(self.with_reply):
            for part in every_component(reply.components):
                if part.get("custom_id", "").startswith("kibitz:analyze:"):
                    person = self.random.choice(self.people)
                    self.analyses.append(
                        await self.wire.interactions.press(reply, part["custom_id"], user=person)
                    )
                    return

    def match_replies(self) -> None:
        """Match replies with positions, record missing and duplicate replies, and delete old messages and interactions."""
        world = self.wire.world
        replies: dict[int, list[StoredMessage]] = {}
        for message in list(world.messages.values()):
            if message.author is world.bot and not message.deleted and message.reply_to is not None:
                replies.setdefault(message.reply_to, []).append(message)
        for source_id, source_replies in replies.items():
            if len(source_replies) > 1:
                source = world.messages.get(source_id)
                text = repr(source.content[:80]) if source is not None else f"message {source_id}"
                self.problems.append(f"{len(source_replies)} replies to {text}")
            if source_id in self.without_reply:
                self.with_reply.append((self.without_reply.pop(source_id)[0], source_replies[0]))
        late_messages = [
            message
            for message, since in self.without_reply.values()
            if time.monotonic() - since > MAX_REPLY_SECONDS
        ]
        for message in late_messages:
            del self.without_reply[message.id]
            self.problems.append(
                f"no reply to {message.content[:80]!r} {[file.name for file in message.files]}"
            )
        del self.with_reply[:-MAX_REMEMBERED]
        remembered = {message.id for pair in self.with_reply for message in pair} | set(self.without_reply)
        # The server rejects the bot's messages once it stores 2,000, so old messages are deleted.
        for message_id in sorted(world.messages)[:-800]:
            if message_id not in remembered:
                del world.messages[message_id]
        tokens = [
            token
            for token, interaction in self.wire.interactions.by_token.items()
            if interaction.callback is not None
        ]
        for token in tokens[:-500]:
            del self.wire.interactions.by_token[token]

    async def keep_matching(self) -> None:
        while True:
            await asyncio.sleep(0.1)
            self.match_replies()
            self.wire.journal.note("matched replies")


def text_of(interaction: Interaction) -> str:
    return interaction.original.text if interaction.original is not None else ""


async def run_day(folder: Path, event_count: int) -> dict[str, Any]:
    """Run a day of ``event_count`` events. Return the measurements."""
    limits = {
        f"KIBITZ_LIMITS__{name}": str(limit)
        for name, limit in {
            "USER_PER_MINUTE": 10_000, "CHANNEL_PER_MINUTE": 10_000, "PRESSES_PER_MINUTE": 10_000,
            "CHANNEL_WAITING": 10_000, "USER_BYTES_PER_MINUTE": 10**9, "CHANNEL_BYTES_PER_MINUTE": 10**9,
            "USER_SECONDS_PER_MINUTE": 3_600, "CHANNEL_SECONDS_PER_MINUTE": 3_600,
            # This cache is full before the middle of the day, so it does not grow in the second half.
            "CACHE_BYTES": 2_000_000,
        }.items()
    }  # fmt: skip
    sizes: list[int] = []
    async with WireServer(
        max_requests=event_count * 20, lifetime=7_200.0, interaction_deadline=MAX_REPLY_SECONDS
    ) as wire:
        day = Day(wire, event_count)
        arguments = ("-m", "tests.wire.stalls", str(folder / "report.json"))
        variables = environment(wire, folder, KIBITZ_ANALYSIS__ENABLED="true", **limits)
        async with program(*arguments, environment=variables, folder=folder) as process:
            await until_logged_in(wire, process)
            matching = asyncio.create_task(day.keep_matching())
            start = time.monotonic()
            for number in range(event_count):
                if number == event_count // 2:
                    sizes.append(process.resident_kib)
                await day.next_event(number)
                await asyncio.sleep(0)
                if matching.done():
                    matching.result()
            await wire.journal.until(
                lambda: not day.without_reply, "the last replies", within=2 * MAX_REPLY_SECONDS
            )
            await wire.journal.until(
                lambda: all(" · best of " in text_of(analysis) for analysis in day.analyses),
                "analyses",
                within=2 * MAX_REPLY_SECONDS,
            )
            await asyncio.sleep(1)
            matching.cancel()
            day.match_replies()
            sizes.append(process.resident_kib)
            seconds = time.monotonic() - start
            await process.stop(within=30)
    report = json.loads((folder / "report.json").read_text())
    return {
        "seconds": round(seconds),
        "kinds": dict(day.counts),
        "analyses": len(day.analyses),
        "problems": day.problems[:20],
        "resident_kib": sizes,
        "stalls_ms": report["longest_callbacks"],
        "longest_collection_ms": report["longest_collection"],
    }


@pytest.mark.slow
async def test_every_position_of_a_short_day_gets_one_reply(tmp_path: Path) -> None:
    figures = await run_day(tmp_path, SHORT_DAY_EVENTS)
    assert figures["problems"] == []


@pytest.mark.soak
async def test_memory_barely_grows_and_no_callback_stalls_in_a_long_day(tmp_path: Path) -> None:
    figures = await run_day(tmp_path, LONG_DAY_EVENTS)
    print(json.dumps(figures, indent=1), file=sys.stderr)
    assert figures["problems"] == []
    position_count = sum(figures["kinds"][kind] for kind in ("cgp", "gcg", "pgn", "file"))
    assert position_count >= LONG_DAY_EVENTS // 40, "too few positions for a soak"
    assert figures["analyses"] >= LONG_DAY_EVENTS // 200, "too few analyses for a soak"
    middle, end = figures["resident_kib"]
    assert end - middle < MAX_GROWTH_KIB, figures
    assert figures["stalls_ms"][0][0] < MAX_STALL_MILLISECONDS, figures
