"""The bot continues, and loses no message, when the clock is set forward or back by a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import client, delivery, interrupted
from bot.features.showing.listening import catch_up
from tests.waiting import until

from .clock import Clock
from .faults import CREATE_MESSAGE
from .kibitz import kibitz, position

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

    from .server import WireServer

PERIODS = (
    (client, "SWEEP_INTERVAL_SECONDS"),
    (catch_up, "RETRY_SECONDS"),
    (catch_up, "SAVE_SECONDS"),
    (catch_up, "REFRESH_SECONDS"),
    (interrupted, "CHECK_SECONDS"),
)
#: For each periodic task of the bot, a method of the store that the task calls.
STORE_METHODS = (
    "claim_notice",
    "unrecorded_replies",
    "set_meta",
    "recently_claimed_messages",
    "abandoned_interactions",
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    for module, name in PERIODS:
        monkeypatch.setattr(module, name, 0.05)
    monkeypatch.setattr(delivery, "RETRY_PAUSES", (0.0,))
    return Clock(monkeypatch)


def record_calls(bot: KibitzBot, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return a set that collects the names of the called ``STORE_METHODS``."""
    calls: set[str] = set()
    for name in STORE_METHODS:
        method = getattr(bot.store, name)

        async def record_and_call(
            *arguments: object, name: str = name, method: object = method, **named: object
        ) -> object:
            calls.add(name)
            return await method(*arguments, **named)  # type: ignore[operator]

        monkeypatch.setattr(bot.store, name, record_and_call)
    return calls


@pytest.mark.parametrize("days", [-1, 1])
async def test_periodic_tasks_continue_after_the_clock_is_set(
    wire: WireServer, clock: Clock, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    async with kibitz(wire, clock.now) as bot:
        await wire.wait_for_reply(await wire.post(position("BEFORE")))
        calls = record_calls(bot, monkeypatch)
        # Before the clock is set, Discord rejects a reply.
        fault = wire.faults.fail(CREATE_MESSAGE, status=500, times=8)
        failed = await wire.post(position("FAILED"))
        await until(lambda: fault.hits)
        clock.set_ahead(days=days)
        calls.clear()
        await wire.wait_for_reply(failed)
        assert len(wire.world.replies_to(failed)) == 1
        await wire.wait_for_reply(await wire.post(position("AFTER")))
        await until(lambda: calls == set(STORE_METHODS))
