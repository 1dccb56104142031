"""Chess puzzle files with ``[D]`` and ``[S]`` lines: users page through them and answer in private."""

from __future__ import annotations

import discord
import pytest

from .actions import (
    choose_option,
    click,
    control,
    go_to,
    ids_of,
    is_disabled,
    labels_of,
    last_reply,
    only_reply,
    post,
    press,
    reply_of,
    rows_of,
    text_of,
)
from .test_puzzles import answer_puzzle, press_puzzle_button, puzzle_button_id

LADDER = "[D](c) alice\n[D]White mates in two.\n[S]1. Ra7 Kf8 2. Rb8#\n6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1\n"
MATE = "[D](c) bob\n[S]Re8 and out\n6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1\n"
SOLUTION_IN_WORDS = "[D]Think!\n[S]The king walks home.\n8/8/8/4k3/8/8/8/K6R b - - 0 1\n"


@pytest.fixture
async def puzzle_reply(world):
    text = f"// a set\n{LADDER}\n{MATE}\n{SOLUTION_IN_WORDS}"
    await world.alice.send(world.channel, "", attachments=[("puzzles.txt", text.encode())])
    return only_reply(world)


async def test_users_page_through_a_set(world, puzzle_reply):
    assert text_of(puzzle_reply) == (
        "**Puzzle 1 of 3** · **White to move** · move 1\n(c) alice\nWhite mates in two.\n"
        "Solution: ||1. Ra7 Kf8 2. Rb8\\#||"
    )
    assert puzzle_reply.attachments[0].description.startswith("Puzzle 1 of 3. White to move.")
    assert "Ra7" not in puzzle_reply.attachments[0].description
    await press(world.bob, puzzle_reply, "next")
    assert text_of(only_reply(world)).startswith("**Puzzle 2 of 3**")
    await press(world.bob, only_reply(world), "last")
    assert text_of(only_reply(world)).startswith("**Puzzle 3 of 3** · **Black to move**")
    assert is_disabled(only_reply(world), "next")
    assert [option["description"] for option in control(only_reply(world), "turns")["options"]] == [
        "(c) alice · White mates in two.",
        "(c) bob",
        "Think!",
    ]
    await go_to(world.bob, only_reply(world), "1")
    assert text_of(only_reply(world)).startswith("**Puzzle 2 of 3**")
    assert all(len(id_) <= 100 for id_ in ids_of(only_reply(world)))
    assert len(rows_of(only_reply(world))) <= 5


async def test_puzzles_posted_with_a_board_keep_their_menu(world):
    text = f"// a set\n{LADDER}\n{MATE}\n"
    await world.alice.send(
        world.channel, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", attachments=[("puzzles.txt", text.encode())]
    )
    await choose_option(world.bob, only_reply(world), "games", 2)
    await go_to(world.bob, only_reply(world), "0")
    assert text_of(only_reply(world)).startswith("**Puzzle 1 of 2**")
    assert "Go to turn" not in labels_of(only_reply(world)), "puzzles are offered as turns of a game"
    assert len(control(only_reply(world), "games")["options"]) == 3
    assert len(rows_of(only_reply(world))) <= 5


async def test_the_board_of_a_puzzle_can_be_flipped(world, puzzle_reply):
    await press(world.bob, puzzle_reply, "last")
    picture_before = await only_reply(world).attachments[0].read()
    await press(world.bob, only_reply(world), "flip")
    assert await only_reply(world).attachments[0].read() != picture_before


@pytest.mark.parametrize(
    ("move", "reply_start"),
    [
        ("Kf2", "❌ **Kf2** isn't the answer."),
        ("Ra9", "❔ 'Ra9' is not a chess move. This doesn't count as a try."),
        ("Ra1", "❔ Ra1 could be"),
        ("Kg5", "❔ Kg5 isn't a legal move; White is to move."),
        ("@everyone", "❔ '\\@everyone' is not a chess move."),
    ],
)
async def test_a_move_is_tried_privately(world, puzzle_reply, move, reply_start):
    reply = await answer_puzzle(world.bob, puzzle_reply, move)
    assert text_of(reply).startswith(reply_start)
    right_reply = await answer_puzzle(world.bob, reply, "a2a7")
    assert text_of(right_reply).startswith("✅ **Ra7** is right. Your opponent answers **Kf8**. What next?")


async def test_a_solution_is_played_to_its_end(world, puzzle_reply):
    first = await answer_puzzle(world.bob, puzzle_reply, "Ra7")
    assert first.attachments[0].description.startswith("The last move went from g8 to f8. White to move.")
    assert "king f8" in first.attachments[0].description
    last = await answer_puzzle(world.bob, first, "Rb8")
    assert text_of(last) == "✅ **Rb8\\#** – solved! ⭐⭐⭐\n**Solution: 1. Ra7 Kf8 2. Rb8\\#**"
    assert last.attachments[0].description.startswith("The best move goes from a2 to a7.")
    assert text_of(only_reply(world)) == text_of(puzzle_reply)
    assert labels_of(last) == ["Next puzzle"]
    second = await press_puzzle_button(world.bob, last, "n")
    assert text_of(second).startswith("**Puzzle 2 of 3** · **White to move** · move 1\n(c) bob")
    assert "Re8" not in text_of(second)
    solved_reply = await answer_puzzle(world.bob, second, "Re8")
    third = await press_puzzle_button(world.bob, solved_reply, "n")
    assert labels_of(third) == ["Answer", "Choose a move", "Solution"]
    # Posted puzzles are unrated, because users could post easy ones.
    assert await world.bot.store.puzzle_rating(world.bob.id, "chess") is None
    assert "haven't answered a rated puzzle yet" in text_of(
        reply_of(await world.bob.slash(world.channel, "stats"))
    )


async def test_hints_come_after_two_tries_and_the_solution_is_private(world, puzzle_reply):
    assert {"Answer", "Choose a move", "Solution", "Copy", "Delete"} <= set(labels_of(puzzle_reply))
    for move in ("Kf2", "Kh2"):
        wrong_reply = await answer_puzzle(world.bob, puzzle_reply, move)
    assert labels_of(wrong_reply) == ["Answer", "Choose a move", "Hint", "Solution", "Next puzzle"]
    await world.restart()
    hint = await press_puzzle_button(world.bob, wrong_reply, "h")
    assert text_of(hint) == "💡 The piece on a2 moves.\n-# 2 tries · 1 hint"
    solution = await press_puzzle_button(world.bob, puzzle_reply, "s")
    assert text_of(solution).startswith("**Solution: 1. Ra7 Kf8 2. Rb8")
    late_reply = await answer_puzzle(world.bob, puzzle_reply, "Ra7")
    assert text_of(late_reply).startswith("☆☆☆\n**Solution:")
    late_hint = await press_puzzle_button(world.bob, wrong_reply, "h")
    assert text_of(late_hint) == text_of(late_reply)
    # Each user's progress on each puzzle of a file is stored separately.
    await press(world.bob, only_reply(world), "next")
    for person in (world.bob, world.alice):
        assert "solved! ⭐⭐⭐" in text_of(await answer_puzzle(person, only_reply(world), "Re8"))


async def test_the_answer_button_of_an_earlier_version_opens_the_form(world, puzzle_reply):
    digest = puzzle_button_id(puzzle_reply, "a").split(":")[3].split(".")[0]
    old_view = discord.ui.View(timeout=None)
    old_view.add_item(discord.ui.Button(label="I solved it", custom_id=f"kibitz:solve:{digest}:1:wo:0:0"))
    await world.bot.get_channel(world.channel.id).send("**Puzzle 2 of 3**", view=old_view)
    form = await click(world.bob, last_reply(world), label="I solved it")
    reply = reply_of(await world.bob.submit_modal(form, {"answer": "Re8"}))
    assert text_of(reply).startswith("✅ **Re8\\#** – solved!")


async def test_a_solution_in_words_is_shown_only_on_request(world, puzzle_reply):
    await press(world.bob, puzzle_reply, "last")
    reply = await answer_puzzle(world.bob, only_reply(world), "Kd6")
    assert "❔ Kd6 is legal, but the solution is written in words" in text_of(reply)
    assert "king" not in text_of(reply)
    solution = await press_puzzle_button(world.bob, reply, "s")
    assert text_of(solution) == "**Solution: The king walks home.**"


async def test_a_hidden_set_stays_hidden(world):
    [message] = await post(world, f"||{LADDER}{MATE}||")
    assert message.attachments[0].filename.startswith("SPOILER_")
    assert text_of(message).startswith("||")
    assert "alice" not in str(control(message, "turns"))


async def test_warnings_about_the_whole_file_are_shown_with_the_first_puzzle(world):
    impossible_puzzle = MATE.replace(" w - - ", " w KQ - ")
    unreadable_puzzle = "".join(f"[D]line {number}\n" for number in range(4))
    file = f"{LADDER}\n{impossible_puzzle}\n{unreadable_puzzle}{MATE}"
    await world.alice.send(world.channel, "", attachments=[("a.txt", file.encode())])
    text = text_of(only_reply(world))
    assert text.startswith("**Puzzle 1 of 2**")
    assert "⚠ the castling right K is left out" in text
    assert "⛔ Kibitz stopped reading here:" in text
    assert "(line 13, column 1)" in text
