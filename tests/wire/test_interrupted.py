"""After a stop or kill during an analysis, the message shows the results so far, or reports the interruption."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.engine.warm_up import warm_up
from bot.storage.database import utc_now
from tests.positions import OPENING
from tests.waiting import until

from .kibitz import bot_process, kibitz, uses_programs
from .message_bodies import control_id, every_component
from .world import Account

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot
    from bot.storage.replies import UnfinishedInteraction

    from .interactions import Interaction
    from .server import WireServer
    from .world import StoredMessage

pytestmark = uses_programs


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile the engine first, because programs that have to compile it would time out."""
    warm_up()


def control_kinds(message: StoredMessage) -> list[str]:
    ids = [part["custom_id"] for part in every_component(message.components) if "custom_id" in part]
    return [custom_id.split(":")[1] for custom_id in ids]


def shows_no_progress(message: StoredMessage) -> bool:
    return "⏳" not in message.text


async def stored_interactions(bot: KibitzBot) -> tuple[UnfinishedInteraction, ...]:
    assert bot.application_id is not None
    return await bot.store.abandoned_interactions(bot.application_id, ["nobody"], utc_now(), 9)


async def start_simulation(
    wire: WireServer, user: Account, part: str, *, private: bool = False
) -> StoredMessage:
    """Start a long simulation as a user. Return its message once it contains `part`."""
    interaction = await wire.interactions.command("analyze", position=OPENING, user=user, private=private)
    await wire.journal.until(
        lambda: interaction.original is not None and "deepen" in control_kinds(interaction.original),
        "the best plays",
    )
    assert interaction.original is not None
    await wire.interactions.press(
        interaction.original, control_id(interaction.original, "deepen:simulation:"), user=user
    )
    await wire.journal.until(
        lambda: interaction.original is not None and part in interaction.original.text, f"{part!r}"
    )
    assert interaction.original is not None
    assert "stop" in control_kinds(interaction.original)
    return interaction.original


def prepare_restart(wire: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure a bot in this process that runs no analyses, and checks for interrupted work often."""
    monkeypatch.setenv("DISCORD_TOKEN", wire.token)
    monkeypatch.setenv("KIBITZ_ANALYSIS__ENABLED", "false")
    monkeypatch.setattr("bot.chat.interrupted.CHECK_SECONDS", 0.05)


async def test_stopping_shows_the_partial_result(wire: WireServer, tmp_path: Path) -> None:
    frequent_edits = '{"bot.chat.press.EDIT_SECONDS": 0.2}'
    async with bot_process(
        wire, tmp_path, KIBITZ_ANALYSIS__ENABLED="true", WIRE_CONSTANTS=frequent_edits
    ) as program:
        public = await start_simulation(wire, wire.world.alice, "▰")
        private = await start_simulation(wire, wire.world.bob, "▰", private=True)
        await program.stop()
    for message in (public, private):
        assert " · best of " in message.text, message.text
        assert "rollouts" in message.text
        assert "ranked" in control_kinds(message)
    # The progress is shown in the two replies, not in separate messages.
    assert len([message for message in wire.world.messages.values() if message.author is wire.world.bot]) == 2
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as store:
        assert store.execute("SELECT count(*) FROM unfinished").fetchone() == (0,)


@pytest.mark.parametrize("has_token", [True, False], ids=["with the token", "without the token"])
async def test_a_restart_reports_an_interrupted_job(
    wire: WireServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_token: bool
) -> None:
    async with bot_process(wire, tmp_path, KIBITZ_ANALYSIS__ENABLED="true") as program:
        public = await start_simulation(wire, wire.world.alice, "⏳")
        private = await start_simulation(wire, wire.world.bob, "⏳", private=True)
        await program.kill()
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as store:
        stored = store.execute("SELECT * FROM unfinished").fetchall()
        assert len(stored) == 2
        assert not [token for token in wire.interactions.by_token if token in repr(stored)]
        if not has_token:
            store.execute("UPDATE unfinished SET sealed_token = NULL")
            store.commit()
    prepare_restart(wire, monkeypatch)
    messages = [public, private] if has_token else [public]
    async with kibitz(wire) as bot:
        for message in messages:
            await wire.journal.until(partial(shows_no_progress, message), "the report of the interruption")
            assert message.text.startswith("Kibitz was restarted before this was finished.")
            assert control_kinds(message) == ["deepen"]

        async def is_none_stored() -> bool:
            return not await stored_interactions(bot)

        await until(is_none_stored)
        assert ("⏳" in private.text) is not has_token, (
            "a private reply was changed without its token, or left unchanged with it"
        )


START_POSITION = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GAME = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
#: For each way of requesting work, the kinds of the buttons under the interruption report.
RESTART_BUTTONS = {
    "command": ["engine"],
    "private command": ["engine"],
    "form": ["engine"],
    "menu": ["engine"],
    "button": ["engine"],
    "what if": [],
    "review": ["review"],
}
FAKE_ENGINE = Path(__file__).parents[1] / "engine" / "fake_engine.py"


async def request_in_every_way(wire: WireServer) -> dict[str, Interaction]:
    """Request a chess analysis in each possible way, and a review. Return the interactions once all are acknowledged."""
    posted = await wire.post(START_POSITION)
    reply = await wire.wait_for_reply(posted)
    people = [Account(wire.world.ids.next(), name) for name in ("carol", "dave", "erin", "frank", "grace")]
    actions = wire.interactions
    form = await actions.command("analyze", user=people[0])
    await wire.journal.until(lambda: form.callback is not None, "the form")
    interactions = {
        "command": await actions.command("analyze", position=START_POSITION),
        "private command": await actions.command(
            "analyze", position=START_POSITION, private=True, user=wire.world.bob
        ),
        "form": await actions.submit(form, text=START_POSITION),
        "menu": await actions.use_menu_command("Analyze position", posted, user=people[1]),
        "button": await actions.press(reply, control_id(reply, "engine:"), user=people[2]),
        "what if": await actions.command("try", move="e4", position=START_POSITION, user=people[3]),
        "review": await actions.command("review", game=GAME, user=people[4]),
    }
    for way, interaction in interactions.items():
        await wire.journal.until(
            lambda request=interaction: request.callback is not None,  # type: ignore[misc]
            f"the acknowledgement of {way}",
        )
    return interactions


async def test_a_restart_reports_an_interrupted_chess_analysis(
    wire: WireServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = f"{sys.executable} {FAKE_ENGINE} endless"
    async with bot_process(
        wire, tmp_path, KIBITZ_ANALYSIS__ENABLED="true", KIBITZ_CHESS__ENGINE=engine
    ) as program:
        interactions = await request_in_every_way(wire)
        await program.kill()
    assert all(interaction.thinking for way, interaction in interactions.items() if way != "review")
    prepare_restart(wire, monkeypatch)
    async with kibitz(wire):
        for way, interaction in interactions.items():
            original = await wire.interactions.until_replied(interaction)
            await wire.journal.until(partial(shows_no_progress, original), "the report of the interruption")
            assert "Kibitz was restarted" in original.text, way
            assert interaction.followups == [], way
            assert control_kinds(original) == RESTART_BUTTONS[way], way
