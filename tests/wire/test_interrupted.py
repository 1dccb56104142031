"""Tests that a message reports when its process was stopped or killed, and shows the results so far."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.engine.warm_up import warm_up
from bot.storage.store import utc_now
from tests.positions import OPENING

from .kibitz import bot_process, kibitz, programs
from .posting import every_component
from .world import Account

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot
    from bot.storage.replies import Unfinished

    from .interactions import Interaction
    from .server import WireServer
    from .world import StoredMessage

pytestmark = programs

#: Seconds in which a job must have begun, on a machine that has much else to do.
PATIENCE = 60.0


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile the engine before anything is started that cannot wait for it."""
    warm_up()


def buttons(message: StoredMessage) -> list[str]:
    """Give the kinds of the controls under a message."""
    ids = [part["custom_id"] for part in every_component(message.components) if "custom_id" in part]
    return [custom_id.split(":")[1] for custom_id in ids]


def has_reported_the_end(message: StoredMessage) -> bool:
    """Return whether a message reports the end of its analysis."""
    return "⏳" not in message.text


def control_id(message: StoredMessage, kind: str) -> str:
    """Give the id of a control of some kind under a message."""
    ids = [part["custom_id"] for part in every_component(message.components) if "custom_id" in part]
    return next(custom_id for custom_id in ids if custom_id.startswith(f"kibitz:{kind}:"))


async def stored_interactions(bot: KibitzBot) -> tuple[Unfinished, ...]:
    """Return the stored interactions of all processes."""
    assert bot.application_id is not None
    return await bot.store.unfinished_of_others(bot.application_id, ["nobody"], utc_now(), 9)


async def simulation(wire: WireServer, user: Account, part: str, **more: bool) -> StoredMessage:
    """Have a user ask for a long simulation, and wait until its message holds `part`."""
    options = [
        {"name": "position", "type": 3, "value": OPENING},
        *({"name": name, "type": 5, "value": value} for name, value in more.items()),
    ]
    interaction = await wire.interactions.command("analyze", *options, user=user)
    await wire.journal.until(
        lambda: interaction.original is not None and "deepen" in buttons(interaction.original),
        "the best plays",
        within=PATIENCE,
    )
    assert interaction.original is not None
    await wire.interactions.press(
        interaction.original, control_id(interaction.original, "deepen:simulation"), user=user
    )
    await wire.journal.until(
        lambda: interaction.original is not None and part in interaction.original.text,
        f"{part!r}",
        within=PATIENCE,
    )
    assert interaction.original is not None
    assert "stop" in buttons(interaction.original)
    return interaction.original


async def test_stopping_posts_the_partial_result(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path, KIBITZ_ANALYSIS__ENABLED="true") as started:
        public = await simulation(wire, wire.world.alice, "▰")
        private = await simulation(wire, wire.world.bob, "▰", private=True)
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended() == 0, started.output
        assert started.faults == [], started.output
    for message in (public, private):
        assert " · best of " in message.text, message.text
        assert "rollouts" in message.text
        assert "ranked" in buttons(message)
    # Only the two answers: the progress is in no message of its own.
    assert len([item for item in wire.world.messages.values() if item.author is wire.world.bot]) == 2
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as store:
        assert store.execute("SELECT count(*) FROM unfinished").fetchone() == (0,)


@pytest.mark.parametrize("has_token", [True, False], ids=["with the token", "without the token"])
async def test_a_restart_reports_an_interrupted_job(
    wire: WireServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_token: bool
) -> None:
    async with bot_process(wire, tmp_path, KIBITZ_ANALYSIS__ENABLED="true") as started:
        public = await simulation(wire, wire.world.alice, "⏳")
        private = await simulation(wire, wire.world.bob, "⏳", private=True)
        started.process.kill()
        await started.ended()
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as store:
        stored = store.execute("SELECT * FROM unfinished").fetchall()
        assert len(stored) == 2
        assert not [token for token in wire.interactions.asked if token in repr(stored)]
        if not has_token:
            store.execute("UPDATE unfinished SET sealed_token = NULL")
            store.commit()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/kibitz.sqlite3")
    monkeypatch.setenv("DISCORD_TOKEN", wire.token)
    monkeypatch.setenv("KIBITZ_ANALYSIS__ENABLED", "false")
    monkeypatch.setattr("bot.chat.interrupted.CHECK_SECONDS", 0.05)
    messages = [public, private] if has_token else [public]
    async with kibitz(wire) as bot:
        for message in messages:
            await wire.journal.until(partial(has_reported_the_end, message), "a word about the interruption")
            assert message.text.startswith("This analysis stopped because Kibitz was restarted.")
            assert buttons(message) == ["deepen"]
        async with asyncio.timeout(10):
            while await stored_interactions(bot):  # noqa: ASYNC110 - the store sends no event
                await asyncio.sleep(0.01)
        assert ("⏳" in private.text) is not has_token, "nobody can change it any more"


START_POSITION = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GAME = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
#: The effect of the button under a message about interrupted work.
ONCE_MORE = {"command": "engine", "private command": "engine", "button": "engine", "review": "review"}
FAKE_ENGINE = Path(__file__).parents[1] / "engine" / "fake_engine.py"


async def asked_in_every_way(wire: WireServer) -> dict[str, Interaction]:
    """Ask an engine about a position in each possible way, and wait until all are acknowledged."""
    posted = await wire.say(START_POSITION)
    reply = await wire.reply(posted, within=PATIENCE)
    people = [Account(wire.world.ids.next(), name) for name in ("carol", "dave", "erin", "frank", "grace")]
    where = {"name": "position", "type": 3, "value": START_POSITION}
    ask = wire.interactions
    form = await ask.command("analyze", user=people[0])
    await wire.journal.until(lambda: form.callback is not None, "the form", within=PATIENCE)
    interactions = {
        "command": await ask.command("analyze", where),
        "private command": await ask.command(
            "analyze", where, {"name": "private", "type": 5, "value": True}, user=wire.world.bob
        ),
        "form": await ask.submit(form, text=START_POSITION),
        "menu": await ask.menu("Analyze position", posted, user=people[1]),
        "button": await ask.press(reply, control_id(reply, "engine"), user=people[2]),
        "what if": await ask.command(
            "try", {"name": "move", "type": 3, "value": "e4"}, where, user=people[3]
        ),
        "review": await ask.command("review", {"name": "game", "type": 3, "value": GAME}, user=people[4]),
    }
    for way, item in interactions.items():
        await wire.journal.until(
            lambda item=item: item.callback is not None,  # type: ignore[misc]
            f"a sign: {way}",
            within=PATIENCE,
        )
    return interactions


async def test_a_restart_reports_an_interrupted_chess_analysis(
    wire: WireServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = f"{sys.executable} {FAKE_ENGINE} endless"
    async with bot_process(
        wire, tmp_path, KIBITZ_ANALYSIS__ENABLED="true", KIBITZ_CHESS__ENGINE=engine
    ) as started:
        interactions = await asked_in_every_way(wire)
        started.process.kill()
        await started.ended()
    assert all(entry.thinking for way, entry in interactions.items() if way != "review")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/kibitz.sqlite3")
    monkeypatch.setenv("DISCORD_TOKEN", wire.token)
    monkeypatch.setenv("KIBITZ_ANALYSIS__ENABLED", "false")
    monkeypatch.setattr("bot.chat.interrupted.CHECK_SECONDS", 0.05)
    async with kibitz(wire):
        for way, item in interactions.items():
            original = await wire.interactions.answered(item)
            await wire.journal.until(partial(has_reported_the_end, original), "a word about the interruption")
            assert "Kibitz was restarted" in original.text, way
            assert item.followups == [], way
            if way in ONCE_MORE:
                assert buttons(original) == [ONCE_MORE[way]]
