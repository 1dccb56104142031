"""A gateway is killed while it sends a reply: every user gets the result, or a report of the interruption."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from tests.wire.journal import MAX_WAIT_SECONDS
from tests.wire.message_bodies import control_id
from tests.wire.test_interrupted import FAKE_ENGINE, START_POSITION
from tests.wire.world import Account

from .test_kills import check_nothing_is_left

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.wire.interactions import Interaction
    from tests.wire.server import WireServer

    from .conftest import Start

pytestmark = pytest.mark.load

GAME = (
    "1. e4 {[%eval 0.25]} e5 {[%eval 0.3]} 2. Bc4 {[%eval 0.0]} Nc6 {[%eval 0.1]} "
    "3. Qh5 {[%eval -0.9]} Nf6 {[%eval #1]} 4. Qxf7# 1-0"
)
REPLIES = ("interaction: replied", "interaction: message", "interaction: edited", "interaction: deleted")


def kill_at_reply(wire: WireServer, number: int, kill: Callable[[], None], monkeypatch) -> asyncio.Event:
    """Arrange to kill a gateway just before it learns that its ``number``-th reply was accepted.

    Return an event that is set after the kill.
    """
    is_killed, remaining, note = asyncio.Event(), number, wire.journal.note

    def note_and_kill(line: str) -> None:
        nonlocal remaining
        remaining -= line.startswith(REPLIES)
        if remaining == 0 and not is_killed.is_set():
            kill()
            is_killed.set()
        note(line)

    monkeypatch.setattr(wire.journal, "note", note_and_kill)
    return is_killed


def sent_texts(request: Interaction) -> list[str]:
    messages = [*([request.original] if request.original is not None else []), *request.followups]
    return [message.text for message in messages if not message.deleted]


@pytest.mark.parametrize(
    "number", [1, *(pytest.param(number, marks=pytest.mark.long) for number in range(2, 11))]
)
async def test_every_user_gets_one_result_or_a_report_of_the_interruption(
    wire: WireServer, start: Start, sql, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    engine = {"KIBITZ_CHESS__ENGINE": f"{sys.executable} {FAKE_ENGINE} slow"}
    carol, dave = (Account(wire.world.ids.next(), name) for name in ("carol", "dave"))
    async with start(KIBITZ_ANALYSIS__SLOTS="2", **engine):
        async with start("run", **engine) as gateway:
            reply = await wire.wait_for_reply(await wire.post(START_POSITION))
            is_killed = kill_at_reply(wire, number, gateway.process.kill, monkeypatch)
            interactions = [
                await wire.interactions.command("analyze", position=START_POSITION),
                await wire.interactions.press(reply, control_id(reply, "engine:"), user=wire.world.bob),
                await wire.interactions.command("try", move="e4", position=START_POSITION, user=carol),
                await wire.interactions.command("review", game=GAME, user=dave),
            ]
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await is_killed.wait()
            await gateway.until_ended()
        # If an interaction was not acknowledged, Discord reports a failure, and the user tries again.
        interactions = [interaction for interaction in interactions if interaction.callback is not None]
        assert interactions
        async with start("run", **engine):
            for interaction in interactions:
                await wire.interactions.journal.until(
                    lambda request=interaction: any("⏳" not in text for text in sent_texts(request)),  # type: ignore[misc]
                    f"a reply to {interaction.user.name}",
                )
            await check_nothing_is_left(wire, sql)
    for interaction in interactions:
        assert not interaction.thinking
        # If the gateway was killed between a public reply and the deletion of the private acknowledgement, the next process
        # reports an interruption although the user has the result.
        assert len([text for text in sent_texts(interaction) if "Kibitz was restarted" not in text]) <= 1, (
            sent_texts(interaction)
        )
    assert not await sql("SELECT 1 FROM jobs WHERE state <> 'done'")
    assert await sql("SELECT max(attempt) FROM jobs") in ([(1,)], [(None,)]), "a job was run twice"
