"""Daily puzzles: many users answer, and many servers get their puzzles, at the same time."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from bot.features.puzzles import daily_posts
from bot.features.puzzles.controls import PUZZLES, PuzzleButton
from bot.features.puzzles.selection import PuzzleKind
from bot.storage import dailies, tables
from tests.waiting import until

from .kibitz import kibitz, start_dailies
from .message_bodies import control_id
from .world import Account

if TYPE_CHECKING:
    from .server import WireServer
    from .world import StoredMessage

MAX_STEP_SECONDS = 300.0
"""Maximum wait for each step on a busy machine."""


async def submit_answer(
    wire: WireServer, card: StoredMessage, button: str, person: Account, text: str
) -> str:
    """Submit an answer as a user. Return the text of the bot's private reply."""
    form = await wire.interactions.press(card, button, user=person)
    await wire.journal.until(lambda: form.callback, "the form", within=MAX_STEP_SECONDS)
    submission = await wire.interactions.submit(form, answer=text)

    def private_reply() -> StoredMessage | None:
        return submission.original or (submission.followups[0] if submission.followups else None)

    reply = await wire.journal.until(private_reply, f"a reply to {person.name}", within=MAX_STEP_SECONDS)
    assert reply.ephemeral
    return reply.text


@pytest.mark.parametrize(
    ("user_count", "seconds", "pause"), [(6, 0.0, 1), pytest.param(500, 60.0, 5, marks=pytest.mark.long)]
)
async def test_many_daily_answers_are_combined_in_few_card_edits(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch, user_count: int, seconds: float, pause: float
) -> None:
    monkeypatch.setattr(dailies, "EDIT_PAUSE", timedelta(seconds=pause))
    monkeypatch.setattr(daily_posts, "ROUND_SECONDS", 0.2)
    loop = asyncio.get_running_loop()
    async with kibitz(wire) as bot:
        now = datetime.now(UTC)
        await start_dailies(bot.store, wire.world.general, PuzzleKind.CROSSWORD.value, now, now)
        (card,) = await wire.journal.until(wire.world.bot_messages, "the daily", within=MAX_STEP_SECONDS)
        assert card.text.startswith("**Daily ")
        assert card.sent["allowed_mentions"]["parse"] == []
        button = control_id(card, "puzzle:")
        state = PuzzleButton.from_match(PuzzleButton.id_pattern.fullmatch(button))
        library = await bot.services[PUZZLES].load_library()
        row = json.loads(library.entries[PuzzleKind.CROSSWORD, state.puzzle_id].row)
        right, wrong = row["answers"][0], "ZZZZZ" if row["family"] in {"phony", "hook"} else "pass"
        start = loop.time()
        answers = []
        for number in range(user_count):
            person = Account(wire.world.ids.next(), f"person{number}")
            text = wrong if number % 2 else right
            answers.append(asyncio.create_task(submit_answer(wire, card, button, person, text)))
            await asyncio.sleep(seconds / user_count)
        replies = await asyncio.gather(*answers)
        counts = f"Tried: {user_count} · solved: {user_count // 2} · on the first try: {user_count // 2}"
        await wire.journal.until(lambda: counts in card.text, counts, within=MAX_STEP_SECONDS)
        duration = loop.time() - start
    assert [("✅" in text, "❌" in text) for text in replies] == [(True, False), (False, True)] * (
        user_count // 2
    )
    assert 1 <= card.edit_count <= duration / pause + 1
    assert card.files
    assert len(wire.world.bot_messages()) == 1


async def test_simultaneous_dailies_reach_every_server(
    wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_posts, "ROUND_SECONDS", 0.5)
    world, now = wire.world, datetime.now(UTC)
    world.extra_guild_count = 2
    world.extra_guild_size = (1, 1)
    channels = [world.general, world.extra_channel(1), world.extra_channel(2)]
    world.channels |= {channel.id: channel for channel in channels}

    def channels_of_posts() -> list[int]:
        return sorted(message.channel.id for message in world.bot_messages())

    async with kibitz(wire) as bot:
        games = f"{PuzzleKind.CROSSWORD.value},{PuzzleKind.CHESS.value}"
        for channel in channels:
            await start_dailies(bot.store, channel, games, now, now)
        two_in_each = sorted([channel.id for channel in channels] * 2)
        await wire.journal.until(
            lambda: channels_of_posts() == two_in_each, "two dailies in each server", within=MAX_STEP_SECONDS
        )

        async def is_none_due() -> bool:
            return not await bot.store.servers_with_due_daily(0, 1)

        await until(is_none_due, MAX_STEP_SECONDS)
        # A day later, all dailies are over, and six solutions are due.
        async with bot.store._database.writing() as connection:
            posts = tables.daily_posts
            await connection.execute(update(posts).values(number=posts.c.number - 1))
            await connection.execute(update(tables.daily_settings).values(due=now, games=""))
        await wire.journal.until(
            lambda: channels_of_posts() == sorted(two_in_each * 2),
            "two solutions in each server",
            within=MAX_STEP_SECONDS,
        )
