"""Puzzle files in chat: the bot posts the puzzles without solutions, and reports errors. Users solve the puzzles in private."""

from __future__ import annotations

import pytest

from .actions import last_reply, post, post_and_get_reply, reply_of, text_of
from .test_puzzles import (
    ENDGAME,
    HEADER,
    LONG_ROW,
    MATE_ROW,
    PHONY,
    answer_puzzle,
    crossword_file,
    press_puzzle_button,
    puzzle_button_letters,
)

LICHESS = f"{HEADER}\n{LONG_ROW}\n{MATE_ROW}\nbad,line\n{MATE_ROW.replace('h5h4', 'h5h9')}\n"
EPD = (
    'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id "**mate** one";\n'
    "6k1/8/8/8/8/8/R7/1R4K1 w - - bm Ra7 Rb7; pv Ra7 Kf8 Rb8;\n"
    "6k1/8/8/8/8/8/R7/1R4K1 w - - bm Ra9;\n"
)
PGN = """[Event "Mate in two"]
[Round "?"]
[White "alice"]
[Black "?"]
[FEN "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1"]

1. Ra7 {the box} (1. Kf2? Kf8) Kf8 2. Rb8# *

[FEN "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"]

1. Re8# 1-0
"""


async def post_puzzles(world, name, text):
    return await post_and_get_reply(world, files=[(name, text.encode())])


async def upload_puzzles(world, name, text, **options):
    return reply_of(await world.alice.slash(world.channel, "puzzle", file=(name, text.encode()), **options))


async def test_a_lichess_puzzle_begins_after_the_opponents_first_move(world):
    card = await post_puzzles(world, "puzzles.csv", LICHESS)
    lines = text_of(card).splitlines()
    assert lines[0] == "**Puzzle 1 of 2** · lichess"
    assert lines[2:] == [
        "⚠ Left out: a chessboard has 8 ranks, not 1 (line 4).",
        "⚠ Left out: 'h5h9' is not a chess move (line 5).",
    ]
    assert card.attachments[0].description.startswith("The last move went from d5 to b4.")
    assert "Qd8" not in text_of(card) + card.attachments[0].description
    assert puzzle_button_letters(card) == {"a", "m", "s", "n"}
    first = await answer_puzzle(world.bob, card, "Qd8+")
    assert text_of(first) == "✅ **Qd8+** is right. Your opponent answers **Be8**. What next?"
    solved = await answer_puzzle(world.bob, first, "Qxe8")
    assert "solved! ⭐⭐⭐" in text_of(solved)
    assert "Your rating" not in text_of(solved)  # unrated, because users could post easy puzzles
    second = await press_puzzle_button(world.bob, solved, "n")
    assert text_of(second).startswith("**Puzzle 2 of 2** · lichess")
    assert puzzle_button_letters(second) == {"a", "m", "s"}
    await world.restart()
    assert "solved! ⭐⭐⭐" in (text_of(await answer_puzzle(world.bob, second, "Ra8")))
    assert await world.bot.store.puzzle_rating(world.bob.id, "chess") is None


async def test_the_best_moves_of_an_epd_file_are_the_solutions(world):
    card = await post_puzzles(world, "tests.epd", EPD)
    assert text_of(card) == (
        "**Puzzle 1 of 2** · **White to move** · move 1 · both sides may castle\n\\*\\*mate\\*\\* one\n"
        "⚠ Left out: 'Ra9' is not a chess move (line 3)."
    )
    assert "solved! ⭐⭐⭐" in (text_of(await answer_puzzle(world.bob, card, "Qxf7")))
    second = await press_puzzle_button(world.bob, card, "n")
    assert "❌ **Kf2** isn't the answer." in (text_of(await answer_puzzle(world.bob, second, "Kf2")))
    right = await answer_puzzle(world.bob, second, "Ra7")
    assert text_of(right) == "✅ **Ra7** is right. Your opponent answers **Kf8**. What next?\n-# 1 try"
    response = await press_puzzle_button(world.alice, card, "n")
    assert "solved! ⭐⭐⭐" in (
        text_of(await answer_puzzle(world.alice, response, "Rb7"))
    )  # the other best move


async def test_several_pgn_games_that_start_from_positions_become_puzzles(world):
    card = await post_puzzles(world, "mates.pgn", PGN)
    assert text_of(card) == "**Puzzle 1 of 2** · **White to move** · move 1\nMate in two · alice"
    assert not card.attachments[0].is_spoiler()
    # The PGN marks Kf2 as a mistake.
    assert "❌ **Kf2** isn't the answer." in (text_of(await answer_puzzle(world.bob, card, "Kf2")))
    response = await press_puzzle_button(world.bob, card, "s")
    assert text_of(response).startswith("**Solution: 1. Ra7 Kf8 2. Rb8")
    assert "box" not in text_of(response)
    # A single game is shown as a game, unless the user requests puzzles.
    single_game = PGN[: PGN.index("*\n") + 2]
    assert "alice" in (text_of(await post_puzzles(world, "game.pgn", single_game)))
    assert "Puzzle" not in text_of(last_reply(world))
    requested_puzzle = await upload_puzzles(world, "game.pgn", single_game)
    assert text_of(requested_puzzle).startswith("**Puzzle 1 of 1**")
    assert "n" not in puzzle_button_letters(requested_puzzle)


async def test_puzzles_in_a_file_made_by_kibitz_can_be_solved(world):
    text = crossword_file(
        ENDGAME,
        {**ENDGAME, "answers": ["B9 QUA"], "ranking": [["B9 QUA", 17, 1.0, 17.0]]},
        {**ENDGAME, "ranking": []},
        PHONY,
        {**ENDGAME, "rating": float("nan")},
    )
    card = await post_puzzles(world, "ours.json", text)
    assert text_of(card).splitlines()[:2] == [
        "**Puzzle 1 of 2** · SCOWL80",
        "The bag is empty. What is the best play?",
    ]
    assert "(line 3)" in text_of(card)
    assert "this line is not a puzzle (line 4)" in text_of(card)
    assert "(line 6)" in text_of(card)
    assert "AWE" not in text_of(card)
    assert puzzle_button_letters(card) == {"a", "s", "n"}
    wrong = await answer_puzzle(world.bob, card, "pass")
    assert "❌ **pass** is number 2: 5 points behind the best." in text_of(wrong)
    assert "Your rating" not in text_of(wrong)
    solved = await answer_puzzle(world.bob, wrong, "B9 AWE")
    assert "solved! ⭐⭐☆" in text_of(solved)
    second = await press_puzzle_button(world.bob, solved, "n")
    assert text_of(second).startswith("**Puzzle 2 of 2** · SCOWL80")
    assert "solved!" in (text_of(await answer_puzzle(world.bob, second, "albugh")))
    assert "solved! ⭐⭐⭐" in (text_of(await answer_puzzle(world.alice, card, "B9 AWE")))
    result = await world.bob.slash(world.channel, "privacy show")
    assert "2 puzzles that you saw" in text_of(result.response)


async def test_puzzles_in_a_spoiler_file_are_spoilers(world):
    card = await post_puzzles(world, "SPOILER_mates.pgn", PGN)
    assert card.attachments[0].is_spoiler()
    assert text_of(card).startswith("||")
    assert text_of(card).endswith("||")


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("a.txt", "hello", "This file contains no puzzles."),
        ("a.csv", f"{HEADER}\nbad,line\n", "Left out: a chessboard has 8 ranks, not 1 (line 2)."),
        ("a.json", crossword_file(), "This file contains no puzzles."),
        ("a.json", crossword_file({**ENDGAME, "position": "x"}), "(line 2)"),
        ("a.pgn", '[FEN "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1"]\n\n*', "there is no solution (line 1)"),
        ("a.pgn", '[FEN "8/8 w - - 0 1"]\n\n1. e4 *', "(line 1)"),
        ("a.epd", EPD.splitlines()[2] + "\n" + EPD.splitlines()[2], "'Ra9' is not a chess move (line 2)"),
        ("puzzles.txt", "[D]a\n[S]1. Ra7\n6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1\n", "**Puzzle 1 of 1**"),
    ],
)
async def test_the_poster_of_a_file_sees_its_puzzles_or_errors(world, name, text, result):
    assert result in (text_of(await upload_puzzles(world, name, text)))


async def test_a_long_file_is_read_up_to_the_limit(world, monkeypatch):
    monkeypatch.setattr("bot.features.puzzles.sheets.MAX_PUZZLES", 1)
    card = await upload_puzzles(world, "a.csv", f"{HEADER}\n{LONG_ROW}\n{MATE_ROW}\n", private=True)
    assert text_of(card).startswith("**Puzzle 1 of 1**")
    assert text_of(card).endswith("⚠ The rest of the file wasn't read.")
    assert "n" not in puzzle_button_letters(card)


@pytest.mark.parametrize("rest", ["", f"{MATE_ROW}\n"])
async def test_a_file_that_begins_with_too_many_errors_shows_only_the_errors(world, monkeypatch, rest):
    monkeypatch.setattr("bot.features.puzzles.sheets.MAX_LEFT_OUT", 1)
    text = text_of(await upload_puzzles(world, "a.csv", f"{HEADER}\nbad,line\n{rest}"))
    assert text.splitlines() == [
        "⚠ Left out: a chessboard has 8 ranks, not 1 (line 2).",
        *(["⚠ The rest of the file wasn't read."] if rest else []),
    ]


async def test_the_first_of_several_puzzle_files_is_used(world):
    files = [(name, LICHESS.encode()) for name in ("a.csv", "b.csv")]
    [card] = await post(world, files=files)
    assert text_of(card).endswith("⚠ 1 more puzzle file is left out.")


async def test_a_long_solution_is_cut_to_fit(world):
    back_and_forth = " ".join("Kg2 Kg7 Kg1 Kg8" for _ in range(14))
    variations = f"({back_and_forth} Kg2) " * 20
    text = f'[FEN "6k1/8/8/8/8/8/8/6KR w - - 0 1"]\n\n1. Rh2 {variations}*\n'
    card = await upload_puzzles(world, "a.pgn", text)
    response = await press_puzzle_button(world.alice, card, "s")
    assert text_of(response).startswith("**Solution: 1. Rh2")
    assert 500 < len(text_of(response)) <= 2_000
