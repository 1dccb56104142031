"""Crossword games posted as files, as pasted text and as links."""

from __future__ import annotations

import pytest

from .viewer import answer_of, choose_view, press_copy, replies, text_of

GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n#lexicon CSW21\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +20 86\n"
)
LINK = "https://example.org/sw/#gid=g1&v=1&bag=en&tn=1&wl=6.7&wv=EAI&wl=7.7&wh=AEETEBI"


async def test_a_gcg_file_is_shown_at_its_end(world):
    await world.alice.send(world.channel, "last night", attachments=[("any.name", GAME.encode())])
    [reply] = replies(world.channel)
    assert "**Bob to move** · Alice 86 – Bob 0\n" in text_of(reply)
    assert "Last play: 7H QI +20." in reply.attachments[0].description
    assert "lex CSW21;" in text_of(await press_copy(world.bob, reply))


async def test_a_gcg_file_in_latin_1_is_read(world):
    data = GAME.replace("#character-encoding UTF-8\n", "").replace("Bob", "Begoña").encode("latin-1")
    await world.alice.send(world.channel, "", attachments=[("a.gcg", data)])
    [reply] = replies(world.channel)
    assert "Begoña" in text_of(reply)


@pytest.mark.parametrize("frame", ["{}", "my game:\n```gcg\n{}```\nwhat went wrong?"])
async def test_a_pasted_gcg_is_read_with_any_text_around_it(world, frame):
    await world.alice.send(world.channel, frame.format(GAME))
    [reply] = replies(world.channel)
    assert "Alice 86 – Bob 0" in text_of(reply)


async def test_a_game_is_shown_up_to_an_impossible_turn(world):
    await world.alice.send(world.channel, GAME + ">bob: CDEFGHI 15O DEF +20 20\n")
    [reply] = replies(world.channel)
    assert "⛔ Kibitz stopped reading here: the play at 15O runs off the 15 × 15 board" in text_of(reply)
    assert "Alice 86" in text_of(reply)


async def test_a_turn_url_is_shown_without_racks(world):
    await world.alice.send(world.channel, f"your move: <{LINK}>.")
    [reply] = replies(world.channel)
    assert "Player 1 3 – Player 2 13" in text_of(reply)
    assert "rack" not in reply.attachments[0].description


async def test_a_game_is_converted_to_other_notations(world):
    await world.alice.send(world.channel, GAME)
    [reply] = replies(world.channel)
    answer = answer_of(await choose_view(world.bob, reply, "to:gcg"))
    assert ">alice" in text_of(answer)
    answer = answer_of(await choose_view(world.bob, reply, "to:text"))
    assert "N A S T I E R" in text_of(answer)
