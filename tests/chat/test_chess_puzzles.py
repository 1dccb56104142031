"""Puzzle files in chat: paged through, the solution behind a spoiler, moves tried in private."""

from __future__ import annotations

import discord
import pytest

from .viewer import (
    answer_of,
    click,
    components_of,
    control,
    go_to,
    is_disabled,
    press,
    replies,
    rows_of,
    text_of,
)

LADDER = "[D](c) alice\n[D]White mates in two.\n[S]1. Ra7 Kf8 2. Rb8#\n6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1\n"
MATE = "[D](c) bob\n[S]Re8 and out\n6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1\n"
WORDS = "[D]Think!\n[S]The king walks home.\n8/8/8/4k3/8/8/8/K6R b - - 0 1\n"


def labels(message):
    return [
        component.get("label")
        for component in components_of(message)
        if component["custom_id"].startswith("kibitz:")
    ]


def puzzle_message(world):
    """Return the answer in the channel as it is now."""
    [message] = replies(world.channel)
    return message


@pytest.fixture
async def puzzle_reply(world):
    text = f"// a set\n{LADDER}\n{MATE}\n{WORDS}"
    await world.alice.send(world.channel, "", attachments=[("puzzles.txt", text.encode())])
    return puzzle_message(world)


async def try_move(actor, message, move):
    """Return the answer to a person who tries a move."""
    return await actor.submit_modal(await press_button(actor, message, "a"), {"answer": move})


async def press_button(actor, message, what):
    """Press *Answer* (a), *Hint* (h) or *Solution* (s)."""
    [button] = [
        component["custom_id"]
        for component in components_of(message)
        if component["custom_id"].endswith(f":{what}")
    ]
    return await click(actor, message, custom_id=button)


async def test_a_set_is_paged_through(world, puzzle_reply):
    assert text_of(puzzle_reply) == (
        "**Puzzle 1 of 3** · **White to move** · move 1\n(c) alice\nWhite mates in two.\n"
        "Solution: ||1. Ra7 Kf8 2. Rb8\\#||"
    )
    assert puzzle_reply.attachments[0].description.startswith("Puzzle 1 of 3. White to move.")
    assert "Ra7" not in puzzle_reply.attachments[0].description
    await press(world.bob, puzzle_reply, "next")
    assert text_of(puzzle_message(world)).startswith("**Puzzle 2 of 3**")
    await press(world.bob, puzzle_message(world), "last")
    assert text_of(puzzle_message(world)).startswith("**Puzzle 3 of 3** · **Black to move**")
    assert is_disabled(puzzle_message(world), "next")
    assert [option["description"] for option in control(puzzle_message(world), "turns")["options"]] == [
        "(c) alice · White mates in two.",
        "(c) bob",
        "Think!",
    ]
    await go_to(world.bob, puzzle_message(world), "1")
    assert text_of(puzzle_message(world)).startswith("**Puzzle 2 of 3**")
    assert all(len(component["custom_id"]) <= 100 for component in components_of(puzzle_message(world)))
    assert len(rows_of(puzzle_message(world))) <= 5


async def test_puzzles_posted_with_a_board_keep_their_menu(world):
    text = f"// a set\n{LADDER}\n{MATE}\n"
    await world.alice.send(
        world.channel, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", attachments=[("puzzles.txt", text.encode())]
    )
    games = control(puzzle_message(world), "games")
    await world.bob.select(
        puzzle_message(world), [games["options"][2]["value"]], custom_id=games["custom_id"]
    )
    await world.bob.select(
        puzzle_message(world), ["0"], custom_id=control(puzzle_message(world), "turns")["custom_id"]
    )
    assert text_of(puzzle_message(world)).startswith("**Puzzle 1 of 2**")
    assert "Go to turn" not in labels(puzzle_message(world)), "its puzzles are no turns"
    assert len(control(puzzle_message(world), "games")["options"]) == 3
    assert len(rows_of(puzzle_message(world))) <= 5


async def test_each_puzzle_is_seen_from_the_side_to_move(world, puzzle_reply):
    await press(world.bob, puzzle_reply, "last")
    before = await puzzle_message(world).attachments[0].read()
    await click(
        world.bob,
        puzzle_message(world),
        custom_id=control(puzzle_message(world), "view", "flip")["custom_id"],
    )
    assert await puzzle_message(world).attachments[0].read() != before


@pytest.mark.parametrize(
    ("move", "reported"),
    [
        ("Kf2", "❌ **Kf2** is not the answer."),
        ("Ra9", "❔ 'Ra9' is not a chess move. This does not count as a try."),
        ("Ra1", "❔ Ra1 could be"),
        ("Kg5", "❔ Kg5 is not possible here; White is to move."),
        ("@everyone", "❔ '\\@everyone' is not a chess move."),
    ],
)
async def test_a_move_is_tried_in_private(world, puzzle_reply, move, reported):
    result = await try_move(world.bob, puzzle_reply, move)
    assert result.ephemeral
    assert text_of(answer_of(result)).startswith(reported)
    again = await try_move(world.bob, answer_of(result), "a2a7")
    assert text_of(answer_of(again)).startswith(
        "✅ **Ra7** is right. Your opponent answers **Kf8**. What next?"
    )


async def test_a_solution_is_played_to_its_end(world, puzzle_reply):
    first = answer_of(await try_move(world.bob, puzzle_reply, "Ra7"))
    assert first.attachments[0].description.startswith("The last move went from g8 to f8. White to move.")
    assert "king f8" in first.attachments[0].description
    last = answer_of(await try_move(world.bob, first, "Rb8"))
    assert text_of(last) == "✅ **Rb8\\#** – solved! ⭐⭐⭐\n**Solution: 1. Ra7 Kf8 2. Rb8\\#**"
    assert last.attachments[0].description.startswith("The best move goes from a2 to a7.")
    assert text_of(puzzle_message(world)) == text_of(puzzle_reply)
    assert labels(last) == ["Next puzzle"]
    second = answer_of(await press_button(world.bob, last, "n"))
    assert text_of(second).startswith("**Puzzle 2 of 3** · **White to move** · move 1\n(c) bob")
    assert "Re8" not in text_of(second)
    solved = answer_of(await try_move(world.bob, second, "Re8"))
    third = answer_of(await press_button(world.bob, solved, "n"))
    assert labels(third) == ["Answer", "Choose a move", "Solution"]
    # It counts for no rating: anybody can post what is easy.
    assert await world.bot.store.puzzle_rating(world.bob.id, "chess") is None
    assert "not answered a puzzle yet" in text_of(answer_of(await world.bob.slash(world.channel, "stats")))


async def test_hints_come_after_two_tries_and_the_solution_is_private(world, puzzle_reply):
    assert {"Answer", "Choose a move", "Solution", "Copy", "Delete"} <= set(labels(puzzle_reply))
    for move in ("Kf2", "Kh2"):
        wrong = answer_of(await try_move(world.bob, puzzle_reply, move))
    assert labels(wrong) == ["Answer", "Choose a move", "Hint", "Solution", "Next puzzle"]
    await world.restart()
    hint = answer_of(await press_button(world.bob, wrong, "h"))
    assert text_of(hint) == "💡 It moves the piece on a2.\n-# 2 tries · 1 hint"
    reply = await press_button(world.bob, puzzle_reply, "s")
    assert reply.ephemeral
    assert text_of(answer_of(reply)).startswith("**Solution: 1. Ra7 Kf8 2. Rb8")
    late = answer_of(await try_move(world.bob, puzzle_reply, "Ra7"))
    assert text_of(late).startswith("☆☆☆\n**Solution:")
    # Each puzzle of a file is one of its own, and so is each person.
    await press(world.bob, puzzle_message(world), "next")
    assert "solved! ⭐⭐⭐" in text_of(answer_of(await try_move(world.bob, puzzle_message(world), "Re8")))
    assert "solved! ⭐⭐⭐" in text_of(answer_of(await try_move(world.alice, puzzle_message(world), "Re8")))


async def test_a_button_of_an_earlier_version_asks_for_the_same_answer(world, puzzle_reply):
    [answer] = [
        component["custom_id"]
        for component in components_of(puzzle_reply)
        if component["custom_id"].endswith(":a")
    ]
    digest = answer.split(":")[3].split(".")[0]
    old = discord.ui.View(timeout=None)
    old.add_item(discord.ui.Button(label="I solved it", custom_id=f"kibitz:solve:{digest}:1:wo:0:0"))
    await world.bot.get_channel(world.channel.id).send("**Puzzle 2 of 3**", view=old)
    form = await click(world.bob, replies(world.channel)[-1], label="I solved it")
    reply = answer_of(await world.bob.submit_modal(form, {"answer": "Re8"}))
    assert text_of(reply).startswith("✅ **Re8\\#** – solved!")


async def test_a_solution_in_words_is_shown_to_the_solver(world, puzzle_reply):
    await press(world.bob, puzzle_reply, "last")
    reply = answer_of(await try_move(world.bob, puzzle_message(world), "Kd6"))
    assert "❔ Kd6 is legal, but the solution is written in words" in text_of(reply)
    assert "king" not in text_of(reply)
    reply = answer_of(await press_button(world.bob, reply, "s"))
    assert text_of(reply) == "**Solution: The king walks home.**"


async def test_a_hidden_set_stays_hidden(world):
    await world.alice.send(world.channel, f"||{LADDER}{MATE}||")
    message = puzzle_message(world)
    assert message.attachments[0].filename.startswith("SPOILER_")
    assert text_of(message).startswith("||")
    assert "alice" not in str(control(message, "turns"))


async def test_errors_in_a_file_are_shown_with_their_location(world):
    fault = "".join(f"[D]line {number}\n" for number in range(4))
    await world.alice.send(world.channel, "", attachments=[("a.txt", f"{LADDER}\n{fault}{MATE}".encode())])
    assert text_of(puzzle_message(world)).startswith("**Puzzle 1 of 1**")
    assert "⛔ I stopped reading here:" in text_of(puzzle_message(world))
    assert "(line 9, column 1)" in text_of(puzzle_message(world))


async def test_the_first_puzzle_has_the_remarks_on_the_whole_file(world):
    impossible = MATE.replace(" w - - ", " w KQ - ")
    fault = "".join(f"[D]line {number}\n" for number in range(4))
    file = f"{LADDER}\n{impossible}\n{fault}{MATE}"
    await world.alice.send(world.channel, "", attachments=[("a.txt", file.encode())])
    text = text_of(puzzle_message(world))
    assert text.startswith("**Puzzle 1 of 2**")
    assert "⚠ the castling right K is left out" in text
    assert "⛔ I stopped reading here:" in text
