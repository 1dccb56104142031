"""Crossword games posted as files, as pasted text and as links."""

from __future__ import annotations

import pytest

from .viewer import GAME, post, text_of

LINK = "https://example.org/sw/#gid=g1&v=1&bag=en&tn=1&wl=6.7&wv=EAI&wl=7.7&wh=AEETEBI"


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


async def test_a_turn_url_is_shown_without_racks(world):
    [reply] = await post(world, f"your move: <{LINK}>.")
    assert "Player 1 3 – Player 2 13" in text_of(reply)
    assert "rack" not in reply.attachments[0].description
