"""A clock that is set a day back or forward stops nothing and loses nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.chat import client, interrupted, outbox
from bot.features.showing.listening import catch_up

from .clock import Clock
from .faults import CREATE_MESSAGE
from .kibitz import kibitz, position

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .server import WireServer

PERIODS = (
    (client, "SWEEP_SECONDS"),
    (catch_up, "POLL_SECONDS"),
    (catch_up, "SAVE_SECONDS"),
    (catch_up, "REFRESH_SECONDS"),
    (interrupted, "CHECK_SECONDS"),
)
#: One thing that the store is asked by each of what is done regularly.
STORE_METHODS = ("claim_sweep", "unsent_replies", "set_meta", "claimed_since", "unfinished_of_others")


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Give the bot a clock, a database of its own, and have all that is regular come often."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/kibitz.sqlite3")
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)
    for module, name in PERIODS:
        monkeypatch.setattr(module, name, 0.05)
    monkeypatch.setattr(outbox, "PAUSES", (0.0,))
    return Clock(monkeypatch)


def counting(bot: KibitzBot, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Note which of the questions the store is asked from now on."""
    questions: set[str] = set()
    for name in STORE_METHODS:
        method = getattr(bot.store, name)

        async def noted(
            *arguments: object, name: str = name, method: object = method, **named: object
        ) -> object:
            questions.add(name)
            return await method(*arguments, **named)  # type: ignore[operator]

        monkeypatch.setattr(bot.store, name, noted)
    return questions


@pytest.mark.parametrize("days", [-1, 1])
async def test_regular_tasks_continue_after_failures(
    wire: WireServer, clock: Clock, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    async with kibitz(wire) as bot:
        await wire.reply(await wire.say(position("BEFORE")))
        questions = counting(bot, monkeypatch)
        # Discord does not take it, and then it is yesterday, or tomorrow.
        fault = wire.faults.fail(CREATE_MESSAGE, status=500, times=8)
        failed = await wire.say(position("FAILED"))
        async with asyncio.timeout(20):
            while not fault.hits:  # noqa: ASYNC110 - waits for an event outside this process
                await asyncio.sleep(0.01)
        clock.set(days=days)
        questions.clear()
        await wire.reply(failed, within=20)
        assert len(wire.world.replies_to(failed)) == 1
        await wire.reply(await wire.say(position("AFTER")), within=20)
        async with asyncio.timeout(20):
            while questions != set(STORE_METHODS):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
