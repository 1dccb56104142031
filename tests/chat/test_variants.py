"""Chess variants as links, positions and games, and the second opinion of an external crossword engine."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import msgspec
import pytest

from bot.config import Settings
from bot.engine import ucgi
from tests.engine.test_ucgi import CGP, ENGINE

from .actions import click, post, press, press_analyze, press_copy, replies, reply_of, text_of
from .conftest import make_settings

POCKETS = "https://lichess.org/editor/r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R/Nn_w_KQkq_-_0_3?variant=crazyhouse"
THREE_CHECK_GAME = '[Variant "Three-check"]\n[White "carol"]\n[Black "dave"]\n[Result "*"]\n\n1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 4. Qh5+ g6 *\n'


async def test_pockets_and_remaining_checks_are_shown(world):
    await world.alice.send(world.channel, f"is this won? {POCKETS}")
    await world.alice.send(world.channel, THREE_CHECK_GAME)
    crazyhouse, three_check = replies(world.channel)
    assert "Crazyhouse" in text_of(crazyhouse)
    assert (
        "/analysis/crazyhouse/r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R%5BNn%5D_w_KQkq_-_0_3>"
        in text_of(crazyhouse)
    )
    assert "White may drop N" in crazyhouse.attachments[0].description
    assert "Black may drop N" in crazyhouse.attachments[0].description
    assert "RNBQKB1R[Nn] w KQkq - 0 3" in (text_of(await press_copy(world.bob, crazyhouse)))
    assert "Three-check" in text_of(three_check)
    assert "White: 1 check to go" in three_check.attachments[0].description
    assert "Black: 3 checks to go" in three_check.attachments[0].description
    for _ in range(2):
        await press(world.bob, three_check, "previous")
        _, three_check = replies(world.channel)
    assert "White: 2 checks to go" in three_check.attachments[0].description, (
        "stepping back did not take back the second check"
    )


class TestSecondOpinion:
    @pytest.fixture
    def settings(self, tmp_path: Path) -> Settings:
        command = shlex.join([sys.executable, str(ENGINE), "normal", str(tmp_path / "asked")])
        defaults = make_settings(tmp_path)
        return msgspec.structs.replace(
            defaults, analysis=msgspec.structs.replace(defaults.analysis, engine=command)
        )

    async def test_an_external_engine_adds_a_second_opinion(self, world, monkeypatch):
        monkeypatch.setattr(ucgi, "GRACE_SECONDS", 120.0)
        monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", 0.5)
        [reply] = await post(world, CGP)
        result = await press_analyze(world.bob, reply)
        assert "Fake 1" not in text_of(reply_of(result)), (
            "the external engine was asked, although only longer analyses should ask it"
        )
        await click(world.bob, reply_of(result), label="Simulate")
        assert "Fake 1 plays **" in text_of(reply_of(result))
        assert "simulation: wins " in text_of(reply_of(result))
