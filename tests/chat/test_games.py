"""Crossword games posted as files and as pasted text."""

from __future__ import annotations

import pytest

from .actions import GAME, post, text_of


async def test_a_gcg_file_in_latin_1_is_read(world):
    data = GAME.replace("#character-encoding UTF-8\n", "").replace("Bob", "Begoña").encode("latin-1")
    [reply] = await post(world, files=[("a.gcg", data)])
    assert "Begoña" in text_of(reply)


@pytest.mark.parametrize("frame", ["{}", "my game:\n```gcg\n{}```\nwhat went wrong?"])
async def test_a_pasted_gcg_is_read_with_any_text_around_it(world, frame):
    [reply] = await post(world, frame.format(GAME))
    assert "Alice 92 – Bob 0" in text_of(reply)


async def test_a_game_is_shown_up_to_an_impossible_turn(world):
    [reply] = await post(world, GAME + ">bob: CDEFGHI 15O DEF +20 20\n")
    assert "⛔ Kibitz stopped reading here: the play at 15O runs off the 15 × 15 board" in text_of(reply)
    assert "Alice 92" in text_of(reply)
