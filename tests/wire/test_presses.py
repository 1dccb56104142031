"""Stepping through a game on the wire: presses are answered through the interaction alone, and survive faults."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from .faults import CALLBACK, EDIT_ORIGINAL
from .kibitz import kibitz
from .posting import every_component
from .test_elsewhere import add_message, asked_only_what_it_may

if TYPE_CHECKING:
    from .interactions import Interaction
    from .server import WireServer
    from .world import StoredMessage

GAME = (
    "#player1 alice Alice\n#player2 bob Bob\n#lexicon CSW21\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +26 92\n"
)


def button(message: StoredMessage, role: str) -> str:
    """Return the id of one of the four buttons that step."""
    (found,) = [
        part["custom_id"]
        for part in every_component(message.components)
        if part.get("custom_id", "").startswith("kibitz:view:") and part["custom_id"].endswith(f":{role}")
    ]
    return str(found)


async def press(wire: WireServer, message: StoredMessage, role: str) -> Interaction:
    """Have bob press a button."""
    return await wire.interactions.press(message, button(message, role), user=wire.world.bob)


async def shows(wire: WireServer, message: StoredMessage, words: str) -> None:
    """Wait until the message says something."""
    await wire.journal.until(lambda: words in message.text, f"{words!r} in {message.text!r}")


@pytest.mark.parametrize("place", ["elsewhere", "group"])
async def test_a_game_is_stepped_through_where_the_bot_is_no_member(wire: WireServer, place: str) -> None:
    message = add_message(wire, getattr(wire.world, place), GAME)
    async with kibitz(wire):
        interaction = await wire.interactions.menu("Show position", message)
        reply = await wire.interactions.answered(interaction)
        assert not reply.ephemeral
        await press(wire, reply, "f")
        await shows(wire, reply, "The start of the game; 3 turns follow")
        interaction = await wire.interactions.menu("Open game", message)
        own = await wire.interactions.answered(interaction)
        assert own.ephemeral
        await press(wire, own, "n")
        await shows(wire, own, "Turn 1 of 3")
    assert reply.files[0].description
    assert "The start" in reply.text, "a view of one's own leaves the other alone"
    assert asked_only_what_it_may(wire)


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_an_edit_that_fails_is_tried_again(wire: WireServer, status: int) -> None:
    async with kibitz(wire):
        reply = await wire.reply(await wire.say(GAME))
        wire.faults.fail(EDIT_ORIGINAL, status=status, times=2)
        pressed = await press(wire, reply, "f")
        await shows(wire, reply, "The start of the game; 3 turns follow")
    assert len(reply.files) == 1
    assert pressed.followups == []


async def test_a_failed_edit_is_reported_to_the_presser(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire):
        reply = await wire.reply(await wire.say(GAME))
        before = reply.text
        wire.faults.fail(EDIT_ORIGINAL, times=5)
        pressed = await press(wire, reply, "f")
        await wire.journal.until(lambda: pressed.followups, "an apology")
        (sorry,) = pressed.followups
        assert "Something went wrong in Kibitz. The reference number is" in sorry.text
        assert sorry.ephemeral
        assert reply.text == before
        await press(wire, reply, "f")
        await shows(wire, reply, "The start of the game; 3 turns follow")
    assert caplog.text.count("fault ") == 1
    assert wire.token not in caplog.text


async def test_a_rate_limit_on_edits_is_waited_out(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.reply(await wire.say(GAME))
        fault = wire.faults.rate_limit(EDIT_ORIGINAL, after=0.2)
        await press(wire, reply, "f")
        await shows(wire, reply, "The start of the game; 3 turns follow")
    assert (fault.hits, fault.early) == (1, 0)


async def test_the_last_press_wins_when_acknowledgements_overtake(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.reply(await wire.say(GAME))
        first, previous = button(reply, "f"), button(reply, "p")
        hold = wire.faults.hold(CALLBACK)
        early = await wire.interactions.press(reply, first, user=wire.world.bob)
        await asyncio.wait_for(hold.reached.wait(), 10)
        await wire.interactions.press(reply, previous, user=wire.world.alice)
        await shows(wire, reply, "Turn 2 of 3")
        hold.release()
        await wire.journal.until(lambda: early.callback, "the sign for the first press")
        await asyncio.sleep(0.2)
    assert "Turn 2 of 3" in reply.text
    assert reply.edits == 1


async def test_only_the_last_of_many_presses_is_drawn(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.reply(await wire.say(GAME))
        hold = wire.faults.hold(EDIT_ORIGINAL)
        await press(wire, reply, "f")
        await asyncio.wait_for(hold.reached.wait(), 10)
        later = [await press(wire, reply, role) for role in ("p", "f") * 5 + ("p",)]
        await wire.journal.until(lambda: all(item.callback for item in later), "a sign for each press")
        hold.release()
        await shows(wire, reply, "Turn 2 of 3")
        await asyncio.sleep(0.2)
    assert "Turn 2 of 3" in reply.text
    assert reply.edits == 2, "what nobody would have seen is left out"


async def test_a_press_at_the_very_end_is_not_acknowledged(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with kibitz(wire) as bot:
        reply = await wire.reply(await wire.say(GAME))
        leave = bot._connection.close

        async def close() -> None:
            presses.append(await press(wire, reply, "f"))
            await asyncio.sleep(0.2)
            await leave()

        presses: list[Interaction] = []
        monkeypatch.setattr(bot._connection, "close", close)
        await bot.close()
    assert [pressed.callback for pressed in presses] == [None]
