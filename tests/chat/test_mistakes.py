"""Puzzles made from users' own mistakes in saved games. Each puzzle is repeated until it is solved."""

from .actions import choose_option, click, labels_of, reply_of, text_of
from .test_lessons import ANNOTATED, answer_lesson
from .test_looking_back import look_back, opt_in


async def request_mistake_puzzle(world, person, **options):
    return reply_of(await person.slash(world.channel, "puzzle", topic="mine", **options))


async def save_bobs_games(world, *games):
    """Save games that Bob posts. Bob confirms that he is the player bob."""
    await opt_in(world, world.bob)
    for game in games:
        await world.bob.send(world.channel, game)
    question = await look_back(world, world.bob)
    await choose_option(world.bob, question, "who", "bob")


async def test_each_mistake_is_repeated_until_solved(world):
    assert "Your games aren't saved" in (text_of(await request_mistake_puzzle(world, world.bob)))
    await opt_in(world, world.bob)
    assert "None of your games here has a known mistake." in (
        text_of(await request_mistake_puzzle(world, world.bob))
    )
    second_game = ANNOTATED.replace("0.25", "0.2").replace("alice", "carol")
    await save_bobs_games(world, ANNOTATED, second_game)

    first_puzzle = await request_mistake_puzzle(world, world.bob)
    assert first_puzzle.ephemeral
    assert text_of(first_puzzle).startswith("**Mistake 1 of 1** · bob, turn 6\nPlayed: 3... Nf6, blunder")
    assert labels_of(first_puzzle) == ["Answer", "Hint", "Solution", "Next puzzle"]
    await answer_lesson(world.bob, first_puzzle, "Nf6")
    assert text_of(first_puzzle).startswith("❌ Nf6 is the move that was played.")
    await world.restart()
    await answer_lesson(world.bob, first_puzzle, "Qe7")
    assert text_of(first_puzzle).startswith("✅ Qe7 is the best move.")
    assert labels_of(first_puzzle) == ["Next puzzle"]

    second_puzzle = reply_of(await click(world.bob, first_puzzle, label="Next puzzle"))
    assert second_puzzle.ephemeral
    await click(world.bob, second_puzzle, label="Solution")
    assert "best was Qe7" in text_of(second_puzzle)
    # A mistake whose solution was shown is repeated. A solved mistake is not.
    third_puzzle = reply_of(await click(world.bob, second_puzzle, label="Next puzzle"))
    assert text_of(third_puzzle).startswith("**Mistake 1 of 1**")
    await answer_lesson(world.bob, third_puzzle, "Qe7")
    final_reply = reply_of(await click(world.bob, third_puzzle, label="Next puzzle"))
    assert text_of(final_reply).startswith("You have solved all your known mistakes.")
    crossword_reply = await request_mistake_puzzle(world, world.bob, game="crossword")
    assert "None of your games here has a known mistake" in text_of(crossword_reply)
    # These puzzles don't change the rating. Their ids are deleted with the user's data.
    assert await world.bot.store.puzzle_rating(world.bob.id, "chess") is None
    assert (await world.bot.store.count_user_data(world.bob.id))["puzzles"] == 2
    await world.bot.store.forget_user(world.bob.id)
    assert (await world.bot.store.count_user_data(world.bob.id))["puzzles"] == 0


async def test_games_of_other_users_are_not_used_as_puzzles(world):
    await world.alice.send(world.channel, ANNOTATED)
    await opt_in(world, world.bob)
    assert "None of your games here has a known mistake" in (
        text_of(await request_mistake_puzzle(world, world.bob))
    )
    await save_bobs_games(world, ANNOTATED)
    assert (text_of(await request_mistake_puzzle(world, world.bob))).startswith("**Mistake 1 of 1** · bob")
    await opt_in(world, world.alice)
    assert "None of your games here has a known mistake" in (
        text_of(await request_mistake_puzzle(world, world.alice))
    )
