"""A gateway is killed at the instant of one of its own answers: every user reads the result, or that it was
interrupted."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from tests.wire.test_interrupted import FAKE_ENGINE, PATIENCE, START_POSITION, control_id
from tests.wire.world import Account

from .test_kills import nothing_is_left

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
ANSWERS = ("interaction: answered", "interaction: message", "interaction: edited", "interaction: deleted")


def at_its_answer(wire: WireServer, number: int, kill: Callable[[], None], monkeypatch) -> asyncio.Event:
    """Kill a gateway before it learns that its ``number``-th answer to an interaction was accepted; return the event of the kill."""
    killed, left, note = asyncio.Event(), number, wire.journal.note

    def noted(line: str) -> None:
        nonlocal left
        left -= line.startswith(ANSWERS)
        if left == 0 and not killed.is_set():
            kill()
            killed.set()
        note(line)

    monkeypatch.setattr(wire.journal, "note", noted)
    return killed


def sent_texts(request: Interaction) -> list[str]:
    """Return the text that the user reads."""
    messages = [*([request.original] if request.original is not None else []), *request.followups]
    return [message.text for message in messages if not message.deleted]


@pytest.mark.parametrize(
    "number", [1, *(pytest.param(number, marks=pytest.mark.long) for number in range(2, 11))]
)
async def test_every_requester_gets_the_result(
    wire: WireServer, start: Start, sql, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    engine = {"KIBITZ_CHESS__ENGINE": f"{sys.executable} {FAKE_ENGINE} slow"}
    carol, dave = (Account(wire.world.ids.next(), name) for name in ("carol", "dave"))
    position, move, game = (
        {"name": name, "type": 3, "value": value}
        for name, value in (("position", START_POSITION), ("move", "e4"), ("game", GAME))
    )
    async with start(KIBITZ_ANALYSIS__SLOTS="2", **engine):
        async with start("run", **engine) as gateway:
            reply = await wire.reply(await wire.say(START_POSITION), within=PATIENCE)
            killed = at_its_answer(wire, number, gateway.process.kill, monkeypatch)
            interactions = [
                await wire.interactions.command("analyze", position),
                await wire.interactions.press(reply, control_id(reply, "engine"), user=wire.world.bob),
                await wire.interactions.command("try", move, position, user=carol),
                await wire.interactions.command("review", game, user=dave),
            ]
            async with asyncio.timeout(PATIENCE):
                await killed.wait()
            await gateway.ended()
        # A user without an acknowledgement sees that at once, and asks again.
        interactions = [entry for entry in interactions if entry.callback is not None]
        assert interactions
        async with start("run", **engine):
            for item in interactions:
                await wire.interactions.journal.until(
                    lambda entry=item: any("⏳" not in text for text in sent_texts(entry)),  # type: ignore[misc]
                    f"an answer to {item.user.name}",
                    within=PATIENCE,
                )
            await nothing_is_left(wire, sql)
    for item in interactions:
        assert not item.thinking
        # Between a public answer and the end of its private acknowledgement no process knows that it was sent.
        assert len([text for text in sent_texts(item) if "interrupted" not in text]) <= 1, sent_texts(item)
    assert not await sql("SELECT 1 FROM jobs WHERE state <> 'done'")
    assert await sql("SELECT max(attempt) FROM jobs") in ([(1,)], [(None,)]), "nothing was done twice"
