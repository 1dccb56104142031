"""While a daily puzzle is open, its hints, wrong answers and solution cost the same everywhere. No other feature reveals the answer."""

from __future__ import annotations

import asyncio

import pytest

from bot.chat.card import ReplyContext
from bot.domain.chess.solution import position_to_solve
from bot.domain.crossword.notations import cgp
from bot.features.puzzles.controls import PUZZLES
from bot.features.puzzles.selection import PuzzleKind, PuzzleRequest
from bot.jobs.account import Requester
from bot.storage.dailies import DailyKey
from bot.storage.puzzles import DailyCounts, Progress
from tests.positions import EMPTY_BOARD, transposed
from tests.puzzles.crossword.test_puzzles import AWE

from .actions import click, id_of, ids_of, last_reply, post_and_get_reply, replies, reply_of, text_of
from .test_dailies import (
    DAILY_NUMBER,
    answer_wrongly,
    clock,
    daily_card,
    daily_puzzle,
    post_crossword_daily,
    posted_daily,
    schedule_daily,
    solve_daily,
    update_dailies,
)
from .test_fairness import RAIN, REFUSAL
from .test_polls import enter_play, open_poll
from .test_puzzles import (
    crossword_file,
    press_puzzle_button,
    puzzle_button_id,
    puzzle_button_letters,
    puzzle_name_in_family,
    puzzle_rows,
    settings,
)

__all__ = ["clock", "posted_daily", "settings"]


@pytest.fixture
async def cards_elsewhere(world, carol):
    """Return Bob and a card of today's puzzle for each of two places: "private" (a direct message) and "elsewhere" (another server).

    The cards were posted before the daily.
    """
    todays_puzzle = await daily_puzzle(world)
    library = await world.bot.services[PUZZLES].load_library()
    all_entries = library.entries
    library.entries = {
        (PuzzleKind.CHESS, todays_puzzle.name): all_entries[PuzzleKind.CHESS, todays_puzzle.name]
    }
    await world.bob.send_dm("hello")
    dm_channel = world.bob.user.dm_channel
    other_guild = world.env.create_guild("Elsewhere")
    member = other_guild.add_member(world.bob.user)
    channel = other_guild.create_text_channel("positions")
    cards = {}
    for name, person, place in (("private", world.bob.user, dm_channel), ("elsewhere", member, channel)):
        command_channel = () if name == "private" else (channel,)
        await person.slash(*command_channel, "puzzle", game="chess")
        await world.bot.store.forget_user(world.bob.id)
        cards[name] = person, replies(place)[-1]
    library.entries = all_entries
    await schedule_daily(world, carol, games="chess")
    await update_dailies(world)
    return cards


def daily_counts(world):
    return world.bot.store.daily_counts(DailyKey(world.guild.id, DAILY_NUMBER, "chess"))


@pytest.mark.parametrize("place", ["private", "elsewhere"])
async def test_viewing_the_solution_anywhere_gives_up_the_daily(world, cards_elsewhere, place):
    person, card = cards_elsewhere[place]
    solution = await press_puzzle_button(person, card, "s")
    assert f"Daily {DAILY_NUMBER}" in text_of(solution)
    late_reply = reply_of(await click(world.bob, daily_card(world), custom_id=ids_of(daily_card(world))[0]))
    assert "**Solution: " in text_of(late_reply)
    assert await daily_counts(world) == DailyCounts(1, 0, 0)
    assert "⭐⭐⭐" in (
        text_of(await solve_daily(world.alice, daily_card(world), (await daily_puzzle(world)).line))
    )
    assert await daily_counts(world) == DailyCounts(2, 1, 1)


@pytest.mark.parametrize("place", ["private", "elsewhere"])
async def test_tries_and_hints_elsewhere_cost_stars_everywhere(world, cards_elsewhere, place):
    person, card = cards_elsewhere[place]
    todays_puzzle = await daily_puzzle(world)
    for _ in range(2):
        await answer_wrongly(person, card, todays_puzzle)
    hint = await press_puzzle_button(person, (await answer_wrongly(person, card, todays_puzzle)), "h")
    assert "💡" in text_of(hint)
    right_reply = await solve_daily(world.bob, daily_card(world), todays_puzzle.line)
    assert "☆☆☆" in text_of(right_reply)
    assert await daily_counts(world) == DailyCounts(1, 1, 0)
    assert "streak 1" in text_of(right_reply)


async def test_solving_the_puzzle_in_a_direct_message_counts_for_the_daily(world, cards_elsewhere):
    person, card = cards_elsewhere["private"]
    right_reply = await solve_daily(person, card, (await daily_puzzle(world)).line)
    assert f"Daily {DAILY_NUMBER} · streak 1" in text_of(right_reply)
    assert not [id_ for id_ in ids_of(right_reply) if "daily" in id_]  # there is no channel to share it in
    reply = reply_of(await click(world.bob, daily_card(world), custom_id=ids_of(daily_card(world))[0]))
    assert f"Daily {DAILY_NUMBER} · streak 1" in text_of(reply)
    assert await daily_counts(world) == DailyCounts(1, 1, 1)


async def test_old_buttons_do_not_change_a_closed_daily(world, posted_daily):
    todays_puzzle, store = await daily_puzzle(world), world.bot.store
    await answer_wrongly(world.bob, posted_daily, todays_puzzle)
    form = await click(world.alice, posted_daily, custom_id=ids_of(posted_daily)[0])
    before = await daily_counts(world)
    [post] = await store.open_dailies(world.guild.id)
    # Once a process has claimed the closing, the solution may have been posted.
    assert await store.claim_daily_closing(post.key)
    late_result = await world.alice.submit_modal(form, {"answer": todays_puzzle.line.moves[1]})
    assert "Daily" not in text_of(reply_of(late_result))
    await solve_daily(world.bob, posted_daily, todays_puzzle.line)
    assert await daily_counts(world) == before
    await store.close_daily(post.key)
    await solve_daily(world.alice, posted_daily, todays_puzzle.line)
    assert await daily_counts(world) == before
    assert (await store.streak(world.alice.id, "chess"))[0].days == 0


async def test_a_form_opened_before_the_solution_earns_no_stars(world, posted_daily):
    todays_puzzle = await daily_puzzle(world)
    form = await click(world.bob, posted_daily, custom_id=ids_of(posted_daily)[0])
    await press_puzzle_button(world.bob, await answer_wrongly(world.bob, posted_daily, todays_puzzle), "s")
    late_reply = reply_of(await world.bob.submit_modal(form, {"answer": todays_puzzle.line.moves[1]}))
    assert "☆☆☆" in text_of(late_reply)
    assert await daily_counts(world) == DailyCounts(1, 0, 0)
    rating = await world.bot.store.puzzle_rating(world.bob.id, "chess")
    assert rating.rating < 1500


async def test_every_concurrent_wrong_answer_counts(world, posted_daily):
    todays_puzzle, puzzles = await daily_puzzle(world), world.bot.services[PUZZLES]
    board = position_to_solve(todays_puzzle.line, 0).board()
    wrong_moves = [move.uci() for move in board.legal_moves if move.uci() != todays_puzzle.line.moves[1]][:3]
    requester, request = (
        Requester(world.bob.id, world.guild.id),
        PuzzleRequest(PuzzleKind.CHESS, todays_puzzle.name),
    )
    answers = (todays_puzzle.line.moves[1], *wrong_moves, todays_puzzle.line.moves[1])
    await asyncio.gather(
        *(puzzles.judge_answer(requester, request, typed, ReplyContext()) for typed in answers)
    )
    key = DailyKey(world.guild.id, DAILY_NUMBER, "chess")
    assert await world.bot.store.daily_answer(world.bob.id, key) == Progress(wrong_answers=3, progress_code=1)


@pytest.mark.parametrize(
    ("family", "command", "options"),
    [
        ("phony", "check", {"words": "quiz álbugh"}),
        ("phony", "check", {"words": "AL[B]UGH"}),
        ("phony", "hooks", {"word": "albug"}),
        ("phony", "hooks", {"word": "albugh"}),
        ("phony", "anagram", {"letters": "hgubla"}),
        ("phony", "anagram", {"letters": "hgubl?"}),
        ("hook", "check", {"words": "quiz, train; brain"}),
        ("hook", "check", {"words": "rains"}),
        ("hook", "hooks", {"word": "rain"}),
        ("hook", "hooks", {"word": "brai"}),
        ("hook", "anagram", {"letters": "rain?"}),
        ("hook", "anagram", {"letters": "brain"}),
        ("hook", "anagram", {"letters": "rainbow", "shorter": True}),
        ("endgame", "anagram", {"letters": "aabeiwx"}),
        ("hook", "try", {"position": f"{EMPTY_BOARD} BRAINXY/ 0/0 0 lex SCOWL80;", "move": "8D BRAIN"}),
        ("hook", "analyze", {"position": RAIN.replace(" / ", " BEEFISH/ ").replace("15/", "QUIZ11/", 1)}),
        ("phony", "analyze", {"position": RAIN.replace(" / ", " BEEFISH/ ").replace("RAIN6", "ALBUGH4")}),
        ("phony", "analyze", {"position": f"{EMPTY_BOARD} ALBUGHV/ 0/0 0 lex SCOWL80;"}),
        ("phony", "analyze", {"position": RAIN.replace(" / ", " LBUGHVV/ ")}),
        ("hook", "analyze", {"position": RAIN.replace(" / ", " AINEEVV/ ").replace("RAIN6", "TOR7")}),
        ("endgame", "analyze", {"position": transposed(AWE)}),
        ("endgame", "analyze", {"position": AWE.replace("3E1MOE7", "3E1MOO7").replace("AABEIW", "AABELW")}),
    ],
)
async def test_commands_do_not_reveal_the_answer_to_an_open_daily(
    world, carol, monkeypatch, family, command, options
):
    await post_crossword_daily(world, carol, monkeypatch, family)
    lexicon_option = {"lexicon": "SCOWL80"} if command in {"check", "hooks", "anagram"} else {}
    result = await world.bob.slash(world.channel, command, private=True, **options, **lexicon_option)
    assert REFUSAL in text_of(reply_of(result))


async def test_an_analysis_does_not_judge_a_play_with_a_word_of_the_daily(world, carol, monkeypatch):
    """An analysis also judges the play that was made in the game. That play could be the answer to the daily."""
    await post_crossword_daily(world, carol, monkeypatch, "phony")
    game = "#player1 a a\n#player2 b b\n#lexicon SCOWL80\n>a: {0} 8D {1} +26 26\n>b: EEILNOT - +0 26\n"
    for rack, word, is_refused in (("AABCDEG", "ALBUGH", True), ("AACDEBG", "BADGE", False)):
        await world.bob.send(world.channel, game.format(rack, word))
        first_turn_id = id_of(last_reply(world), "view:", ":f")
        await click(world.bob, last_reply(world), custom_id=first_turn_id)
        result = await click(world.bob, last_reply(world), custom_id=id_of(last_reply(world), "analyze:"))
        assert (REFUSAL in text_of(reply_of(result))) is is_refused


@pytest.mark.parametrize("family", ["phony", "endgame"])
async def test_a_poll_does_not_ask_about_an_open_daily(world, carol, monkeypatch, family):
    """The reveal of a poll shows the engine's best play to all users."""
    await post_crossword_daily(world, carol, monkeypatch, family)
    position = (
        (await world.bot.services[PUZZLES].load_library())
        .puzzle(PuzzleKind.CROSSWORD, puzzle_name_in_family(family))
        .position
    )
    await world.bob.send(
        world.channel,
        cgp.write(position) if family == "endgame" else f"{EMPTY_BOARD} ALBUGHV/ 0/0 0 lex SCOWL80;",
    )
    form = await click(world.bob, last_reply(world), custom_id=id_of(last_reply(world), "ask:"))
    result = await world.bob.submit_modal(form, {"when": "0"})
    assert REFUSAL in text_of(reply_of(result))


async def test_a_poll_does_not_say_whether_a_word_of_an_open_daily_is_a_phony(world, carol, monkeypatch):
    await post_crossword_daily(world, carol, monkeypatch, "phony")
    card = await open_poll(world, world.bob, f"{EMPTY_BOARD} AABDEGV/ 0/0 0 lex SCOWL80;")
    assert REFUSAL in text_of(await enter_play(world.bob, card, "8D ALBUGH"))
    assert "✅" in text_of(await enter_play(world.bob, card, "8D BADGE"))


async def test_a_posted_file_does_not_reveal_the_solution_of_a_daily(world, carol, monkeypatch):
    text = crossword_file(next(row for row in puzzle_rows() if row["family"] == "endgame"))
    file_card = await post_and_get_reply(world, files=[("own.json", text.encode())])
    assert puzzle_button_letters(file_card) >= {"a", "s"}
    await post_crossword_daily(world, carol, monkeypatch, "endgame")
    refusal = await press_puzzle_button(world.bob, file_card, "s")
    assert REFUSAL in text_of(refusal)
    daily = last_reply(world)
    form = await click(world.bob, daily, custom_id=puzzle_button_id(daily, "a"))
    await world.bob.submit_modal(form, {"answer": "b9 awe"})
    assert "**Solution: " in (text_of(await press_puzzle_button(world.bob, file_card, "s")))
