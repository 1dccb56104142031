"""Crossplay and Letter League: the bot recognizes, analyzes, converts and reviews their games."""

from __future__ import annotations

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.rules import default_rules, load_distribution, load_layout
from tests.domain.crossword.test_other_games import letter_league_board
from tests.review.test_crossplay_review import CrossplayTable

from .actions import (
    choose_view,
    click,
    id_of,
    labels_of,
    post,
    press,
    press_analyze,
    press_copy,
    replies,
    reply_of,
    text_of,
)

RULES = default_rules(load_distribution("crossplay"), load_layout("Crossplay"))


def crossplay_game() -> str:
    """Return a finished Crossplay game as a GCG that doesn't mention Crossplay."""
    table = CrossplayTable(5)
    while not table.is_over:
        table.play(table.best_plays(1)[0].play)
    pragmas = ("#game-type", "#tile-distribution", "#board-layout", "#lexicon")
    return "\n".join(line for line in gcg.write(table.game()).splitlines() if not line.startswith(pragmas))


async def test_crossplay_is_recognized_by_the_scores(world, short_reviews):
    [reply] = await post(world, crossplay_game().replace("alice", "carol").replace("bob", "dave"))
    assert "assuming Crossplay" in text_of(reply)
    await press(world.bob, reply, "previous")
    [reply] = replies(world.channel)
    assert "Crossplay" in text_of(reply)
    cgp = text_of(await press_copy(world.bob, reply))
    assert "bdn Crossplay; ld crossplay;" in cgp
    analysis = reply_of(await press_analyze(world.bob, reply))
    assert analysis.ephemeral
    assert " · best of " in text_of(analysis)
    assert "Solve" in labels_of(analysis), "no button offers to solve the last turns"
    converted_text = text_of(reply_of(await choose_view(world.bob, reply, "to:gcg")))
    assert "#tile-distribution crossplay" in converted_text
    review = reply_of(await click(world.bob, reply, custom_id=id_of(reply, "review:")))
    assert " · quick review · SCOWL95" in text_of(review)
    assert "🟡 small mistake" in text_of(review)


async def test_positions_of_both_games_are_recognized(world):
    board = f"{'/'.join(['15'] * 7)}/5bAtS6/{'/'.join(['15'] * 7)}"
    await world.alice.send(world.channel, f"{board} AEINRS?/ 24/0 0")
    await world.alice.send(world.channel, f"```\n{letter_league_board((9, 11, 'HOUSE'))}\n```")
    crossplay, letter_league = replies(world.channel)
    assert "there are 3 blanks, as in Crossplay" in text_of(crossplay)
    assert "-# Crossplay · " in text_of(crossplay)
    assert "Letter League" in text_of(letter_league)
    assert "unseen" not in text_of(letter_league)
    analysis = reply_of(await press_analyze(world.bob, letter_league))
    assert "by score · SCOWL95" in text_of(analysis)
    assert "how they count in its Wild mode is unknown." in text_of(analysis)
    assert not {*labels_of(analysis)} & {"Simulate", "Solve", "Infer"}
    converted_text = reply_of(await choose_view(world.bob, letter_league, "to:text"))
    assert "Tiles: letter_league" in text_of(converted_text).replace("\\", "")
