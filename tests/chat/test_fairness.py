"""The bot reveals the answer to an open daily only to users who have finished it."""

from __future__ import annotations

import pytest

from bot.domain.chess.moves import play_typed_move
from bot.domain.chess.solution import position_to_solve
from bot.features.puzzles.selection import PuzzleKind
from tests.positions import EMPTY_BOARD

from .actions import click, id_of, last_reply, reply_of, text_of
from .test_dailies import (
    clock,
    daily_puzzle,
    post_crossword_daily,
    posted_daily,
    solve_daily,
    update_dailies,
)
from .test_puzzles import settings

__all__ = ["clock", "posted_daily", "settings"]

REFUSAL = "Solve it or look at its solution first"


async def try_move(person, channel, position, move, *, private):
    return await person.slash(channel, "try", move=move, position=position.fen, private=private)


async def test_a_chess_daily_is_judged_privately_and_only_for_its_solvers(world, posted_daily):
    todays_puzzle = await daily_puzzle(world)
    for done in range(len(todays_puzzle.line.moves) // 2):
        position, move = position_to_solve(todays_puzzle.line, done), todays_puzzle.line.moves[2 * done + 1]
        result = await try_move(world.bob, world.channel, position, move, private=True)
        assert REFUSAL in text_of(reply_of(result))
    first_move = play_typed_move(todays_puzzle.line.start, todays_puzzle.line.moves[0])[0].san
    move = todays_puzzle.line.moves[1]
    for variant in ("Standard", "Chess960", "Three-check", "Crazyhouse"):
        pgn = f'[Variant "{variant}"]\n[SetUp "1"]\n[FEN "{todays_puzzle.line.start.fen}"]\n\n{first_move} *'
        result = await world.bob.slash(world.channel, "try", move=move, position=pgn, private=True)
        assert REFUSAL in text_of(reply_of(result)), variant
    # A server without dailies is not affected.
    other_guild = world.env.create_guild("Elsewhere")
    dave = other_guild.add_member(world.env.create_user("dave"))
    other_channel = other_guild.create_text_channel("positions")
    first = position_to_solve(todays_puzzle.line, 0)
    result = await try_move(dave, other_channel, first, todays_puzzle.line.moves[1], private=False)
    assert "today's daily" not in text_of(reply_of(result))
    await solve_daily(world.alice, posted_daily, todays_puzzle.line)
    private_result = await try_move(
        world.alice, world.channel, first, todays_puzzle.line.moves[1], private=True
    )
    assert "daily" not in text_of(reply_of(private_result))
    public_result = await try_move(
        world.alice, world.channel, first, todays_puzzle.line.moves[1], private=False
    )
    assert public_result.ephemeral
    assert "Ask again in private" in text_of(reply_of(public_result))


@pytest.mark.parametrize(
    ("family", "command", "refused_options", "allowed_options"),
    [
        ("phony", "check", {"words": "joram albugh"}, {"words": "quiz"}),
        ("hook", "hooks", {"word": "rain"}, {"word": "quiz"}),
        ("endgame", "anagram", {"letters": "aabeiw"}, {"letters": "aabeiz"}),
    ],
)
async def test_word_tools_refuse_only_questions_about_an_open_daily(
    world, carol, monkeypatch, family, command, refused_options, allowed_options
):
    await post_crossword_daily(world, carol, monkeypatch, family)
    refusal = await world.bob.slash(
        world.channel, command, private=True, lexicon="SCOWL80", **refused_options
    )
    assert REFUSAL in text_of(reply_of(refusal))
    answer = await world.bob.slash(world.channel, command, private=True, lexicon="SCOWL80", **allowed_options)
    assert "daily" not in text_of(reply_of(answer))
    [post] = await world.bot.store.open_dailies(world.guild.id)
    await world.bot.store.close_daily(post.key)
    later_answer = await world.bob.slash(world.channel, command, lexicon="SCOWL80", **refused_options)
    assert "daily" not in text_of(reply_of(later_answer))
    assert post.key.game == PuzzleKind.CROSSWORD


RAIN = f"{EMPTY_BOARD.replace('15/' * 8, '15/' * 7 + '5RAIN6/', 1)} / 8/0 0 lex SCOWL80;"
RAIN_GCG = "\n".join(
    [
        "#player1 alice alice",
        "#player2 bob bob",
        "#lexicon SCOWL80",
        ">alice: AINRTUX 8F RAIN +8 8",
        *(
            f">{name}: {rack} - +0 {score}"
            for name, rack, score in 3 * [("bob", "EEILNOT", 0), ("alice", "OOSTTUX", 8)]
        ),
        ">bob: EEILNOT (EEILNOT) -7 -7",
        ">alice: OOSTTUX (OOSTTUX) -14 -6",
    ]
)
RAIN_BOARD = "\n".join(
    [
        "   A B C D E F G H I J K L M N O",
        *(f"{row:2} {' '.join('.....RAIN......' if row == 8 else '.' * 15)}" for row in range(1, 16)),
        "Rack: AEINRST",
    ]
)


async def test_a_daily_is_recognized_in_several_notations_and_in_its_picture(
    world, carol, clock, monkeypatch
):
    await post_crossword_daily(world, carol, monkeypatch, "hook", "endgame")
    for position in (RAIN.replace(" / ", " AEINRST/ "), RAIN_GCG, RAIN_BOARD):
        result = await world.bob.slash(world.channel, "analyze", position=position, private=True)
        assert REFUSAL in text_of(reply_of(result))
    # The next day, Bob downloads the picture of the daily and posts it.
    clock.advance(days=1)
    await update_dailies(world)
    picture = await last_reply(world).attachments[0].read()
    reply = reply_of(await world.bob.slash(world.channel, "show", file=("board.png", picture), private=True))
    result = await click(world.bob, reply, custom_id=id_of(reply, "analyze:"))
    assert REFUSAL in text_of(reply_of(result))
