"""Stepping through a game with its buttons: the last press wins, even if requests fail or arrive out of order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from .faults import CALLBACK, EDIT_ORIGINAL
from .kibitz import kibitz
from .message_bodies import control_id
from .test_elsewhere import add_message, made_only_allowed_requests

if TYPE_CHECKING:
    from .interactions import Interaction
    from .server import WireServer
    from .world import StoredMessage

GAME = (
    "#player1 alice Alice\n#player2 bob Bob\n#lexicon CSW21\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +26 92\n"
)


def step_id(message: StoredMessage, target: str) -> str:
    """Return the id of the button for the start of the game (f), the previous turn (p), the next turn (n) or the last turn (l)."""
    return control_id(message, "view:", f":{target}")


async def press(wire: WireServer, message: StoredMessage, target: str) -> Interaction:
    """As bob, press the button with the id that :func:`step_id` returns."""
    return await wire.interactions.press(message, step_id(message, target), user=wire.world.bob)


async def wait_for_text(wire: WireServer, message: StoredMessage, words: str) -> None:
    await wire.journal.until(lambda: words in message.text, f"{words!r} in {message.text!r}")


@pytest.mark.parametrize("place", ["elsewhere", "group"])
async def test_buttons_step_through_a_game_in_channels_without_the_bot(wire: WireServer, place: str) -> None:
    message = add_message(wire, getattr(wire.world, place), GAME)
    async with kibitz(wire):
        interaction = await wire.interactions.use_menu_command("Show position", message)
        reply = await wire.interactions.until_replied(interaction)
        assert not reply.ephemeral
        await press(wire, reply, "f")
        await wait_for_text(wire, reply, "The start of the game; 3 turns follow")
        interaction = await wire.interactions.use_menu_command("Open game", message)
        private = await wire.interactions.until_replied(interaction)
        assert private.ephemeral
        await press(wire, private, "n")
        await wait_for_text(wire, private, "Turn 1 of 3")
    assert reply.files[0].description
    assert "The start" in reply.text, "a step in the private view changed the public one"
    assert made_only_allowed_requests(wire)


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_a_failed_edit_is_retried(wire: WireServer, status: int) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(GAME))
        wire.faults.fail(EDIT_ORIGINAL, status=status, times=2)
        pressed = await press(wire, reply, "f")
        await wait_for_text(wire, reply, "The start of the game; 3 turns follow")
    assert len(reply.files) == 1
    assert pressed.followups == []


async def test_a_failed_edit_is_reported_to_the_user(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(GAME))
        before = reply.text
        wire.faults.fail(EDIT_ORIGINAL, times=5)
        pressed = await press(wire, reply, "f")
        await wire.journal.until(lambda: pressed.followups, "an apology")
        (apology,) = pressed.followups
        assert "Something went wrong in Kibitz. The reference number is" in apology.text
        assert apology.ephemeral
        assert reply.text == before
        await press(wire, reply, "f")
        await wait_for_text(wire, reply, "The start of the game; 3 turns follow")
    assert caplog.text.count("fault ") == 1
    assert wire.token not in caplog.text


async def test_a_rate_limit_on_edits_is_waited_out(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(GAME))
        fault = wire.faults.rate_limit(EDIT_ORIGINAL, after=0.2)
        await press(wire, reply, "f")
        await wait_for_text(wire, reply, "The start of the game; 3 turns follow")
    assert (fault.hits, fault.early_retry_count) == (1, 0)


async def test_the_last_press_wins_even_if_it_is_acknowledged_first(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(GAME))
        first, previous = step_id(reply, "f"), step_id(reply, "p")
        hold = wire.faults.hold(CALLBACK)
        early = await wire.interactions.press(reply, first, user=wire.world.bob)
        await asyncio.wait_for(hold.reached.wait(), 10)
        await wire.interactions.press(reply, previous, user=wire.world.alice)
        await wait_for_text(wire, reply, "Turn 2 of 3")
        hold.release()
        await wire.journal.until(lambda: early.callback, "the acknowledgement of the first press")
        await asyncio.sleep(0.2)
    assert "Turn 2 of 3" in reply.text
    assert reply.edit_count == 1


async def test_only_the_last_of_many_presses_is_drawn(wire: WireServer) -> None:
    async with kibitz(wire):
        reply = await wire.wait_for_reply(await wire.post(GAME))
        hold = wire.faults.hold(EDIT_ORIGINAL)
        await press(wire, reply, "f")
        await asyncio.wait_for(hold.reached.wait(), 10)
        later = [await press(wire, reply, target) for target in ("p", "f") * 5 + ("p",)]
        await wire.journal.until(
            lambda: all(pressed.callback for pressed in later), "the acknowledgement of each press"
        )
        hold.release()
        await wait_for_text(wire, reply, "Turn 2 of 3")
        await asyncio.sleep(0.2)
    assert "Turn 2 of 3" in reply.text
    assert reply.edit_count == 2, "the result of an intermediate press was drawn"


async def test_a_press_while_the_connection_closes_is_not_acknowledged(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with kibitz(wire) as bot:
        reply = await wire.wait_for_reply(await wire.post(GAME))
        close_connection = bot._connection.close

        async def press_and_close() -> None:
            presses.append(await press(wire, reply, "f"))
            await asyncio.sleep(0.2)
            await close_connection()

        presses: list[Interaction] = []
        monkeypatch.setattr(bot._connection, "close", press_and_close)
        await bot.close()
    assert [pressed.callback for pressed in presses] == [None]
