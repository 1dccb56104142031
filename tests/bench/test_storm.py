"""A fresh process in 3,000 servers that talk at once: no message fails, and who posts a position is answered soon."""

from __future__ import annotations

import asyncio
import copy
import time
from pathlib import Path

import pytest

from tests.wire.conftest import serve, wire  # noqa: F401 - fixtures
from tests.wire.kibitz import bot_process, position

pytestmark = pytest.mark.bench

GUILDS, EVENTS_A_SECOND, SECONDS = 3_000, 1_000, 6


def other_guilds(world):
    """Describe guilds with one channel each, and a message of each: (guild, message) payloads."""
    model, general = world.guild(), world.general
    for _ in range(GUILDS):
        guild = copy.deepcopy(model)
        guild_id, channel_id = world.ids.next(), world.ids.next()
        guild["id"] = guild["roles"][0]["id"] = str(guild_id)
        guild["channels"] = [{**general.payload(), "id": str(channel_id), "guild_id": str(guild_id)}]
        yield guild, guild_id, channel_id


async def test_a_storm_after_a_start_fails_nothing(wire, tmp_path: Path):  # noqa: F811
    async with bot_process(wire, tmp_path) as started:
        [session] = wire.gateway.live
        places = []
        for guild, guild_id, channel_id in other_guilds(wire.world):
            await session.push("GUILD_CREATE", guild)
            places.append((guild_id, channel_id))
        await wire.reply(await wire.say(position("READY")), within=60)
        talk = {
            "author": wire.world.alice.payload(),
            "member": wire.world.member(wire.world.alice),
            "content": "see you at the club tonight?",
            "timestamp": "2026-01-01T00:00:00+00:00",
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "components": [],
            "pinned": False,
            "flags": 0,
            "type": 0,
        }
        waits, probes = [], []

        async def probe(number):
            begun = time.monotonic()
            asked = await wire.say(position(f"PROBE{'ABCDEFGHIJKLMN'[number]}"))
            await wire.reply(asked, within=60)
            waits.append(time.monotonic() - begun)

        begun = time.monotonic()
        for event in range(EVENTS_A_SECOND * SECONDS):
            if event % (EVENTS_A_SECOND // 2) == 0:
                probes.append(asyncio.create_task(probe(event // (EVENTS_A_SECOND // 2))))
            guild_id, channel_id = places[event % GUILDS]
            ids = {
                "id": str(wire.world.ids.next()),
                "channel_id": str(channel_id),
                "guild_id": str(guild_id),
            }
            await session.push("MESSAGE_CREATE", {**talk, **ids})
            if event % 20 == 0:
                await asyncio.sleep(max(0.0, begun + event / EVENTS_A_SECOND - time.monotonic()))
        took = time.monotonic() - begun
        await asyncio.gather(*probes)
        assert started.faults == [], started.output[-2000:]
        assert not [line for line in started.lines if "failed" in line]
    waits.sort()
    print(
        f"\n{EVENTS_A_SECOND * SECONDS / took:.0f} events/s in {GUILDS} servers:"
        f" probe p50 {waits[len(waits) // 2] * 1000:.0f} ms, p95 {waits[int(len(waits) * 0.95)] * 1000:.0f} ms"
    )
