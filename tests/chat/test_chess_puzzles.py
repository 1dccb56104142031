"""Puzzle files in chat: paged through, the solution behind a spoiler, moves tried in private."""

from __future__ import annotations

import pytest

from .viewer import answer_of, components_of, control, go_to, is_dead, press, replies

LADDER = "[D](c) alice\n[D]White mates in two.\n[S]1. Ra7 Kf8 2. Rb8#\n6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1\n"
MATE = "[D](c) bob\n[S]Re8 and out\n6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1\n"
WORDS = "[D]Think!\n[S]The king walks home.\n8/8/8/4k3/8/8/8/K6R b - - 0 1\n"


def now(world):
    """Return the answer in the channel as it is now."""
    [message] = replies(world.channel)
    return message


@pytest.fixture
async def shown(world):
    text = f"// a set\n{LADDER}\n{MATE}\n{WORDS}"
    await world.alice.send(world.channel, "", attachments=[("puzzles.txt", text.encode())])
    return now(world)


async def tried(actor, message, move):
    """Return what somebody is told who tries a move."""
    form = await actor.click(message, custom_id=control(message, "solve")["custom_id"])
    return await actor.submit_modal(form, {"move": move})


async def test_a_set_is_paged_through(world, shown):
    assert shown.content == (
        "**Puzzle 1 of 3** · **White to move** · move 1\n(c) alice\nWhite mates in two.\n"
        "Solution: ||1. Ra7 Kf8 2. Rb8\\#||"
    )
    assert shown.attachments[0].description.startswith("Puzzle 1 of 3. White to move.")
    assert "Ra7" not in shown.attachments[0].description
    await press(world.bob, shown, "next")
    assert now(world).content.startswith("**Puzzle 2 of 3**")
    await press(world.bob, now(world), "last")
    assert now(world).content.startswith("**Puzzle 3 of 3** · **Black to move**")
    assert is_dead(now(world), "next")
    assert [option["description"] for option in control(now(world), "turns")["options"]] == [
        "(c) alice · White mates in two.",
        "(c) bob",
        "Think!",
    ]
    await go_to(world.bob, now(world), "1")
    assert now(world).content.startswith("**Puzzle 2 of 3**")
    assert all(len(one["custom_id"]) <= 100 for one in components_of(now(world)))
    assert len(now(world).components) <= 5


async def test_each_puzzle_is_seen_from_the_side_to_move(world, shown):
    await press(world.bob, shown, "last")
    before = await now(world).attachments[0].read()
    await world.bob.click(now(world), custom_id=control(now(world), "view", "flip")["custom_id"])
    assert await now(world).attachments[0].read() != before


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("Kf2", "❌ **Kf2** is not what the solution says. Try again!"),
        ("Ra9", "❔ I cannot take this move: 'Ra9' is no chess move."),
        ("Ra1", "❔ I cannot take this move: Ra1 could be"),
        ("Kg5", "❔ I cannot take this move: Kg5 is not possible here; White is to move."),
        ("@everyone", "❔ I cannot take this move: '\\@everyone' is no chess move."),
    ],
)
async def test_a_move_is_tried_in_private(world, shown, move, told):
    result = await tried(world.bob, shown, move)
    assert result.ephemeral
    assert answer_of(result).content.startswith(told)
    again = await tried(world.bob, answer_of(result), "a2a7")
    assert answer_of(again).content.startswith("✅ **Ra7** is right. **Kf8** is the answer; what now?")


async def test_a_solution_is_played_to_its_end(world, shown):
    first = answer_of(await tried(world.bob, shown, "Ra7"))
    assert first.attachments[0].description.startswith("The last move went from g8 to f8. White to move.")
    assert "king f8" in first.attachments[0].description
    last = answer_of(await tried(world.bob, first, "Rb8"))
    assert last.content == "✅ **Rb8\\#** – solved! The solution: ||1. Ra7 Kf8 2. Rb8\\#||"
    assert now(world).content == shown.content


async def test_a_solution_in_words_is_shown_to_who_tries(world, shown):
    await press(world.bob, shown, "last")
    told = answer_of(await tried(world.bob, now(world), "Kd6"))
    assert "**Kd6** can be played, but I cannot tell" in told.content
    assert "||The king walks home.||" in told.content


async def test_a_hidden_set_stays_hidden(world):
    await world.alice.send(world.channel, f"||{LADDER}{MATE}||")
    message = now(world)
    assert message.attachments[0].filename.startswith("SPOILER_")
    assert message.content.startswith("||")
    assert "alice" not in str(control(message, "turns"))


async def test_what_is_wrong_with_a_file_is_told_with_its_place(world):
    fault = "".join(f"[D]line {number}\n" for number in range(4))
    await world.alice.send(world.channel, "", attachments=[("a.txt", f"{LADDER}\n{fault}{MATE}".encode())])
    assert now(world).content.startswith("**Puzzle 1 of 1**")
    assert "⛔ Read up to here:" in now(world).content
    assert "(line 9, column 1)" in now(world).content
