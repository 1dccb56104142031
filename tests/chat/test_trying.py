"""Plays and moves on a posted board, tried by a reply that mentions the bot, by command and in a form."""

from __future__ import annotations

import re

import pytest

from tests.domain.crossword.notations.live_links import game_link, history
from tests.positions import EMPTY_BOARD

from .actions import (
    choose,
    choose_option,
    click,
    control,
    id_of,
    last_reply,
    post_and_get_reply,
    press,
    reply_of,
    reply_to,
    text_of,
)
from .test_chess_engine import START
from .test_polls import BOARD

GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: EIQUOOD 9C DO +14 14\n"
)


async def test_a_reply_with_a_play_shows_the_value_of_the_play(world):
    board = await post_and_get_reply(world, BOARD)
    reply = await reply_to(world, board, "9F QUIZ")
    first, *rest = text_of(reply).splitlines()
    assert first.startswith("**9F QUIZ** +")
    assert "leave ?AB · equity " in first.replace("\\", "")
    assert "Words: ✅ QUIZ · ❌ TU · ✅ HI · ❌ EZ" in rest
    assert "Not in SCOWL80: TU, EZ." in rest
    assert re.search(r"\n⚖ If it stands, it wins \d+ ± \d+%; challenged off, \d+ ± \d+%\.\n", text_of(reply))
    assert re.search(r"\nIt (pays if it stands at least \d+% of the time|doesn't pay)", text_of(reply))
    assert rest[-2].startswith("The best play is **")
    assert rest[-1].startswith("-# Unseen 90 (bag 83): AAAAAAAA B ")
    assert reply.attachments[0].description.startswith("Tried: 9F QUIZ, ")
    valid = await reply_to(world, board, "I5 BIZE")
    assert "Words: ✅ BIZE" in text_of(valid)
    assert "Not in" not in text_of(valid)
    assert "⚖" not in text_of(valid)
    double_challenge = await post_and_get_reply(world, BOARD + " cr double;")
    penalty_reply = await reply_to(world, double_challenge, "I5 BIZE")
    assert re.search(r"A failed challenge costs the opponent a turn: \d+ points", text_of(penalty_reply))
    assert re.search(
        r"\nIt is (the best play|.+ less than the best\. The best play is \*\*.+)\.", text_of(valid)
    )


@pytest.mark.parametrize(
    ("play", "output"),
    [
        ("9F XENON", "This play isn't possible: ENNO is not on the rack QUIZAB?."),
        ("1A QUIZ", "This play isn't possible: the play at 1A doesn't touch any tile on the board."),
        ("-QU", "**exchange QU** +0"),
        ("pass", "**pass** +0"),
    ],
)
async def test_a_play_gets_its_value_or_the_reason_why_it_is_impossible(world, play, output):
    reply = await reply_to(world, await world.alice.send(world.channel, BOARD), play)
    assert output in text_of(reply).replace("\\", "")


async def test_the_form_and_the_command_try_a_play(world):
    viewer = await post_and_get_reply(world, GAME)
    await press(world.bob, viewer, "first")
    viewer = last_reply(world)
    form = await click(world.bob, viewer, custom_id=id_of(viewer, "try:"))
    form_result = await world.bob.submit_modal(form, {"play": "8H ANTSIER"})
    assert form_result.ephemeral
    assert "**8H ANTSIER** +" in text_of(reply_of(form_result))
    command = await world.bob.slash(world.channel, "try", move="8D NASTIER")
    assert not command.ephemeral
    assert "**8D NASTIER** +66" in text_of(reply_of(command))
    result = await world.bob.slash(
        world.channel, "try", move="8D QUIZ", position=f"{EMPTY_BOARD} QUIZABC/ 0/0 0", private=True
    )
    assert result.ephemeral
    assert "**8D QUIZ** +" in text_of(reply_of(result))
    empty_channel = world.guild.create_text_channel("empty")
    result = await world.bob.slash(empty_channel, "try", move="8D QUIZ")
    assert result.ephemeral
    assert "no recent board from Kibitz in this channel" in text_of(reply_of(result))


async def test_a_play_tried_on_a_spoiler_is_a_spoiler(world):
    board = await post_and_get_reply(world, f"||{BOARD}||")
    reply = await reply_to(world, board, "9F QUIZ")
    assert text_of(reply).startswith("||")
    assert reply.attachments[0].filename.startswith("SPOILER_")


async def test_trying_a_play_in_a_live_game_is_private(world):
    message = await post_and_get_reply(world, game_link(history("g7", 4)))
    reply = await reply_to(world, message, "8A QUIZ")
    assert text_of(reply) == "This game may still be in progress. Use `/try` for a private reply."
    command = await world.bob.slash(world.channel, "try", move="3C ARE")
    assert command.ephemeral
    assert "Most games forbid outside help" in text_of(reply_of(command))


async def test_a_suggested_play_in_a_live_game_is_tried_in_a_direct_message(world):
    await world.bob.send_dm(game_link(history("g7", 4)))
    channel = world.bob.user.dm_channel
    reference = {"channel_id": str(channel.id), "message_id": str(channel.last_message.id)}
    await world.bob.send_dm(f"{world.me.mention} 8F SISAL", reference=reference)
    reply = channel.last_message
    await choose_option(world.bob.user, reply, "suggest", 0)
    assert "Most games forbid outside help" in text_of(channel.last_message)


async def test_a_chess_move_is_shown_and_an_illegal_move_is_explained(world):
    board = await post_and_get_reply(world, START)
    reply = await reply_to(world, board, "Nf3")
    assert text_of(reply).startswith("**Nf3** · ")
    assert "Tried: Nf3." in reply.attachments[0].description
    reply = await reply_to(world, board, "e2e4")
    assert text_of(reply).startswith("**e4** · ")
    reply = await reply_to(world, board, "Nf5")
    assert text_of(reply) == (
        "That isn't possible: Nf5 isn't a legal move; White is to move. Did you mean **Nf3**?"
    )


async def try_play(person, world, play, position, **options):
    return reply_of(await person.slash(world.channel, "try", move=play, position=position, **options))


async def test_a_word_without_a_square_offers_all_possible_squares(world):
    reply = await try_play(world.bob, world, "quiz", BOARD)
    assert re.search(r"This word fits in \d+ places\.", text_of(reply))
    menu = control(reply, "suggest")
    placements = [option["value"] for option in menu["options"]]
    assert "9F QUIZ" in placements
    assert all(
        placement.upper().replace("(", "").replace(")", "").endswith("QUIZ") for placement in placements
    )
    await choose(world.bob, reply, "suggest", "9F QUIZ")
    assert text_of(reply).startswith("**9F QUIZ** +")
    refusal = await try_play(world.bob, world, "HELLO", BOARD)
    assert "HELLO can't be played anywhere with this rack" in text_of(refusal)


@pytest.mark.parametrize(("play", "correction"), [("F9 QUIZ", "9F QUIZ"), ("9F QUIX", ""), ("1A QUIZ", "")])
async def test_only_a_play_in_the_wrong_direction_gets_a_correction(world, play, correction):
    reply = await try_play(world.bob, world, play, BOARD, private=True)
    assert ("Did you mean" in text_of(reply)) == bool(correction)
    if correction:
        assert [option["value"] for option in control(reply, "suggest")["options"]] == [correction]
        result = await choose(world.bob, reply, "suggest", correction)
        assert f"**{correction}** +" in text_of(reply) + text_of(reply_of(result) or reply)


async def test_a_tried_pass_is_shown_without_an_equity(world):
    reply = await try_play(world.bob, world, "pass", BOARD)
    assert text_of(reply).startswith("**pass** +0 · leave ")
    assert "1000" not in text_of(reply).replace(",", "")  # the engine gives a pass an equity of -1000
    assert "equity" not in text_of(reply).splitlines()[0]


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("nf3", "Nf3"),
        ("Nf3+", "Nf3"),
        ("e2-e4", "e4"),
        ("Nf5", "Nf3"),
        ("Ng3", "Nf3"),
        ("e5", "e4"),
        ("f2f5", "f4"),
    ],
)
async def test_a_move_is_read_or_a_correction_is_offered(world, typed, move):
    reply = await try_play(world.bob, world, typed, START, private=True)
    if text_of(reply).startswith(f"**{move}**"):
        return
    assert "Did you mean" in text_of(reply)
    await choose(world.bob, reply, "suggest", move)
    assert text_of(reply).startswith(f"**{move}** · ")
