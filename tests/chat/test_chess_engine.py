"""Chess analysis by a fake engine that may misbehave, and by Stockfish if it is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from bot.config import Chess
from bot.engine.uci import find_engine
from tests.positions import OPENING

from .actions import (
    ids_of,
    last_reply,
    post_and_get_reply,
    press,
    press_button_of_kind,
    replies,
    reply_of,
    text_of,
)
from .conftest import make_settings

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"
CHECKMATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
FAKE_ENGINE = Path(__file__).parent.parent / "engine" / "fake_engine.py"


@pytest.fixture
def settings(tmp_path, request):
    return make_settings(tmp_path, chess=Chess(engine=request.param))


def with_fake_engine(*behaviours):
    """Run a test once for each behaviour of the fake engine."""
    commands = [f"{sys.executable} {FAKE_ENGINE} '{behaviour}'" for behaviour in behaviours]
    return pytest.mark.parametrize("settings", commands, indirect=True, ids=behaviours)


def analysis_button_ids(message):
    return [id_ for id_ in ids_of(message) if id_.startswith("kibitz:engine:")]


async def analyze(world, text):
    await world.alice.send(world.channel, text)
    return await press_button_of_kind(world.bob, last_reply(world), "engine:")


@pytest.mark.parametrize("settings", ["", "no-such-engine"], indirect=True)
async def test_no_analysis_is_offered_without_an_engine(world):
    await world.alice.send(world.channel, START)
    assert analysis_button_ids(last_reply(world)) == []


@with_fake_engine("normal")
async def test_engine_lines_are_shown_privately(world):
    result = await analyze(world, START)
    assert result.ephemeral
    reply = reply_of(result)
    assert text_of(reply).startswith(
        "**White to move** · move 1 · both sides may castle\nWhite is better by 0.3 pawns\n"
        "**+0.35**  1. e4 e5 2. Nf3\n**\\#−4**  1. f3\n-# Fake 1 · 3 seconds · 3 half-moves deep · 99 positions"
    )
    assert reply.attachments[0].description.startswith("Best move: e4, worth +0.35. White to move.")
    longer_result = await press_button_of_kind(world.bob, reply, "engine:")
    assert "20 seconds" in text_of(reply_of(longer_result))
    assert analysis_button_ids(reply_of(longer_result)) == []


@with_fake_engine("normal")
async def test_no_analysis_is_offered_for_a_final_position(world):
    message = await post_and_get_reply(world, "1. f3 e5 2. g4 Qh4#")
    assert analysis_button_ids(message) == []
    await press(world.bob, message, "first")
    result = await press_button_of_kind(world.bob, last_reply(world), "engine:")
    assert "1. e4 e5 2. Nf3" in text_of(reply_of(result))


@with_fake_engine("normal")
@pytest.mark.parametrize("private", [False, True])
async def test_a_command_for_a_finished_game_is_answered_privately(world, private):
    result = await world.alice.slash(world.channel, "analyze", position=CHECKMATE, private=private)
    assert "The game is already over in this position" in text_of(reply_of(result))
    assert reply_of(result).ephemeral
    assert replies(world.channel) == []


class TestWithoutCrosswordAnalysis:
    @pytest.fixture
    def settings(self, settings):
        return msgspec.structs.replace(
            settings, analysis=msgspec.structs.replace(settings.analysis, enabled=False)
        )

    @with_fake_engine("normal")
    async def test_a_command_and_a_mention_analyze_chess(self, world):
        result = await world.bob.slash(world.channel, "analyze", position=START)
        assert "1. e4 e5 2. Nf3" in text_of(reply_of(result))
        refusal = await world.bob.slash(world.channel, "analyze", position=OPENING)
        assert text_of(reply_of(refusal)) == "Analysis isn't installed where this bot runs."
        source = await world.alice.send(world.channel, START)
        await world.bob.send(world.channel, f"{world.me.mention} analyze", reply_to=source)
        assert "1. e4 e5 2. Nf3" in text_of(last_reply(world))


@with_fake_engine("dead", "dies")
async def test_each_crash_of_the_engine_is_reported(world):
    for _ in range(2):
        result = await analyze(world, START)
        assert result.ephemeral
        assert text_of(reply_of(result)) == "No analysis: the chess engine doesn't work."


@with_fake_engine("normal")
async def test_the_command_and_the_menu_ask_the_engine(world):
    message = await world.alice.send(world.channel, START)
    result = await world.bob.context_menu(world.channel, "Analyze position", message)
    assert "**+0.35**  1. e4 e5 2. Nf3" in text_of(reply_of(result))
    result = await world.bob.slash(world.channel, "analyze", position=f"||{START}||")
    assert reply_of(result).attachments[0].filename.startswith("SPOILER_")


@pytest.mark.parametrize("settings", [""], indirect=True)
async def test_the_command_reports_a_missing_engine(world):
    result = await world.bob.slash(world.channel, "analyze", position=START)
    assert text_of(reply_of(result)) == "This bot has no chess engine."


@pytest.mark.skipif(find_engine("stockfish") is None, reason="the Debian package stockfish is not installed")
@pytest.mark.parametrize("settings", ["stockfish"], indirect=True)
async def test_stockfish_finds_the_mate(world, monkeypatch):
    monkeypatch.setattr("bot.features.analysis.chess.DEFAULT_SECONDS", 0.3)
    reply = reply_of(await analyze(world, MATE_IN_ONE))
    assert "White mates in 1\n**\\#1**  1. Re8\\#" in text_of(reply)
    assert "Stockfish" in text_of(reply)


@with_fake_engine("normal")
async def test_a_tried_move_is_judged(world):
    board = await world.alice.send(world.channel, START)
    await world.bob.send(world.channel, f"{world.me.mention} e4", reply_to=board)
    text = text_of(last_reply(world))
    assert "The engine's choice: +0.35." in text
