"""A daily on the wire: posted by itself, answered by many at once, its card changed politely, nothing lost."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot.features.puzzles.controls import PUZZLES, Solve
from bot.features.puzzles.library import Kind
from bot.storage.dailies import EDIT_PAUSE, DailySettings

from .kibitz import kibitz
from .posting import every_component
from .world import Account

if TYPE_CHECKING:
    from .server import WireServer
    from .world import StoredMessage

PATIENCE = 300.0
"""Seconds that a busy machine may take."""


async def answered(wire: WireServer, card: StoredMessage, button: str, person: Account, text: str) -> str:
    """Answer by the form as a person; return the private answer."""
    form = await wire.interactions.press(card, button, user=person)
    await wire.journal.until(lambda: form.callback, "the form", within=PATIENCE)
    sent = await wire.interactions.submit(form, answer=text)

    def told() -> StoredMessage | None:
        return sent.original or (sent.followups[0] if sent.followups else None)

    told_to = await wire.journal.until(told, f"an answer to {person.name}", within=PATIENCE)
    assert told_to.ephemeral
    return told_to.text


@pytest.mark.parametrize(("people", "seconds"), [(6, 0.0), pytest.param(500, 60.0, marks=pytest.mark.long)])
async def test_many_answer_a_daily_and_its_card_changes_politely(
    wire: WireServer, people: int, seconds: float
) -> None:
    loop = asyncio.get_running_loop()
    async with kibitz(wire) as bot:
        now = datetime.now(UTC)
        chosen = DailySettings(wire.world.general.id, now.hour, "UTC", Kind.CROSSWORD.value, "usual")
        await bot.store.set_daily_settings(wire.world.guild_id, chosen, now)
        (card,) = await wire.journal.until(wire.world.of_the_bot, "the daily", within=PATIENCE)
        assert card.text.startswith("**Daily ")
        assert card.sent["allowed_mentions"]["parse"] == []
        (button,) = [
            part["custom_id"]
            for part in every_component(card.components)
            if part.get("custom_id", "").startswith("kibitz:puzzle:")
        ]
        state = Solve.of(Solve.template.fullmatch(button))
        shelf = await bot.service[PUZZLES].shelf()
        row = json.loads(shelf.entries[Kind.CROSSWORD, state.name].row)
        right, wrong = row["answers"][0], "ZZZZZ" if row["family"] in {"phony", "hook"} else "pass"
        begun = loop.time()
        answers = []
        for number in range(people):
            person = Account(wire.world.ids.next(), f"person{number}")
            text = wrong if number % 2 else right
            answers.append(asyncio.create_task(answered(wire, card, button, person, text)))
            await asyncio.sleep(seconds / people)
        told = await asyncio.gather(*answers)
        counts = f"Tried: {people} · solved: {people // 2} · at the first try: {people // 2}"
        await wire.journal.until(lambda: counts in card.text, counts, within=PATIENCE)
        took = loop.time() - begun
    assert [("✅" in one, "❌" in one) for one in told] == [(True, False), (False, True)] * (people // 2)
    assert 1 <= card.edits <= took / EDIT_PAUSE.total_seconds() + 1
    assert card.files
    assert len(wire.world.of_the_bot()) == 1
