"""Puzzles in chat: users answer them, take hints and see solutions. Each user's progress is private."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest

from bot.features.puzzles.controls import PUZZLES
from bot.features.puzzles.crossword import document
from bot.features.puzzles.selection import PuzzleKind
from bot.features.puzzles.service import PuzzleService
from bot.jobs.account import Requester
from bot.storage.puzzles import Progress
from tests.positions import EMPTY_BOARD
from tests.puzzles.crossword.test_puzzles import ALBUGH, AWE

from .actions import click, controls_of, ids_of, last_reply, reply_of, text_of
from .test_cards import check_golden

MATE_ROW = "Zmate1,6k1/5ppp/8/7p/8/8/5PPP/R3R1K1 b - - 0 1,h5h4 e1e8,1500,mateIn1 own,https://lichess.org/abc"
LONG_ROW = "Zlong1,7k/1q3ppp/p1b5/n2nP3/1B1Q4/1P4RP/P1r3BK/8 b - - 0 34,d5b4 d4d8 c6e8 d8e8,1545,fork own,"
HEADER = "PuzzleId,FEN,Moves,Rating,Themes,GameUrl"


DEFAULT_MEMBERS = {
    "lexicon": "SCOWL80",
    "rating": 1500,
    "iterations": 0,
    "themes": [],
    "ranking": [],
    "why": [],
}
ENDGAME = {
    "family": "endgame",
    "position": AWE,
    "answers": ["B9 AWE"],
    "themes": ["parallel", "small"],
    "ranking": [["B9 AWE", 17, 1.0, 17.0], ["-", 0, 1.0, 12.0]],
    "why": [["spread", 17.0, 12.0, 0.0, 0]],
}
PHONY = {"family": "phony", "position": ALBUGH, "answers": ["ALBUGH"]}
HOOK = {
    "family": "hook",
    "position": EMPTY_BOARD.replace("15/" * 8, "15/" * 7 + "5RAIN6/", 1) + " / 0/0 0 lex SCOWL80;",
    "answers": ["BRAIN"],
}


def crossword_file(*rows):
    """Return a puzzle file in the format of ``kibitz puzzles make``."""
    head = {"format": document.FORMAT, "version": 1}
    return "\n".join(json.dumps(row) for row in (head, *({**DEFAULT_MEMBERS, **row} for row in rows)))


def puzzle_rows():
    """Yield the rows of a puzzle file: an endgame, a phony and a hook."""
    for row in (ENDGAME, PHONY, HOOK):
        members = {**DEFAULT_MEMBERS, **row}
        yield {"id": document.puzzle_of(members).id, **members}


@pytest.fixture
def settings(tmp_path, settings):
    """Return settings with a folder of puzzles. One of its files is unreadable."""
    folder = tmp_path / "puzzles"
    folder.mkdir()
    (folder / "own.json").write_text(crossword_file(*puzzle_rows()), encoding="utf-8")
    (folder / "own.csv").write_text(f"{HEADER}\n{MATE_ROW}\n{LONG_ROW}\n", encoding="utf-8")
    (folder / "broken.csv").write_text("nothing\n", encoding="utf-8")
    puzzles = msgspec.structs.replace(settings.puzzles, folder=folder)
    return msgspec.structs.replace(settings, puzzles=puzzles)


async def post_puzzle(world, kind, name):
    """Remove all other puzzles from the bot's library, and have the bot post this puzzle. Return the message."""
    library = await world.bot.services[PUZZLES].load_library()
    library.entries = {(kind, name): library.entries[kind, name]}
    await world.alice.slash(world.channel, "puzzle", game=kind.value)
    return last_reply(world)


def puzzle_name_in_family(family):
    """Return the name of the puzzle of a family in :func:`puzzle_rows`."""
    return next(row["id"] for row in puzzle_rows() if row["family"] == family)


def puzzle_button_id(message, action):
    """Return the id of a button: *Answer* (a), *Choose a move* (m), *Hint* (h), *Solution* (s) or *Next puzzle* (n)."""
    [only_id] = [
        id_ for id_ in ids_of(message) if id_.startswith("kibitz:puzzle:") and id_.split(":")[4] == action
    ]
    return only_id


def puzzle_button_letters(message):
    """Return the letters of the puzzle buttons under a message, as in :func:`puzzle_button_id`."""
    return {id_.split(":")[4] for id_ in ids_of(message) if id_.startswith("kibitz:puzzle:")}


async def answer_puzzle(person, message, text):
    form = await click(person, message, custom_id=puzzle_button_id(message, "a"))
    result = await person.submit_modal(form, {"answer": text})
    assert result.ephemeral
    return reply_of(result)


async def press_puzzle_button(person, message, action):
    """Press a puzzle button, given by its letter as in :func:`puzzle_button_id`. Return the private reply."""
    result = await click(person, message, custom_id=puzzle_button_id(message, action))
    assert result.ephemeral
    return reply_of(result)


async def test_an_endgame_puzzle_gives_hints_and_is_solved(world):
    message = await post_puzzle(world, PuzzleKind.CROSSWORD, puzzle_name_in_family("endgame"))
    assert "**Puzzle** · SCOWL80" in text_of(message)
    assert "The bag is empty. What is the best play?" in text_of(message)
    alt = message.attachments[0].description
    assert alt.startswith("The bag is empty. What is the best play?")
    assert "rack AABEIW" in alt
    assert "AWE" not in alt.replace("AABEIW", "")
    assert puzzle_button_letters(message) == {"a", "s", "n"}

    first = await answer_puzzle(world.bob, message, "A8 WAIF")
    assert "❔" in text_of(first)
    assert "doesn't count as a try" in text_of(first)
    second = await answer_puzzle(world.bob, message, "pass")
    assert "❌ **pass** is number 2: 5 points behind the best." in text_of(second)
    assert "Your rating: 1" in text_of(second)
    assert "h" not in puzzle_button_letters(second)
    third = await answer_puzzle(world.bob, second, "pass")
    assert "Your rating" not in text_of(third)  # only the first answer changes the rating
    assert "h" in puzzle_button_letters(third)
    hint = await press_puzzle_button(world.bob, third, "h")
    assert text_of(hint) == "💡 It scores 17.\n-# 2 tries · 1 hint"
    hint = await press_puzzle_button(world.bob, hint, "h")
    assert text_of(hint) == "💡 It scores 17.\n💡 It places 3 tiles.\n-# 2 tries · 2 hints"
    solved = await answer_puzzle(world.bob, hint, "b9 awe")
    assert text_of(solved).startswith("✅ **B9 AWE** – solved! ☆☆☆")
    assert "**Solution: B9 AWE** +17" in text_of(solved)
    assert "Puzzle rating: 1500" in text_of(solved)
    assert "1500" not in text_of(message)
    assert "- the best play gains +17 points by the end instead of +12" in text_of(solved)
    assert puzzle_button_letters(solved) == {"n"}

    right = await answer_puzzle(world.alice, message, "B9 AWE +17")
    assert text_of(right).startswith("✅ **B9 AWE** – solved! ⭐⭐⭐\nYour rating: 16")
    response = await press_puzzle_button(world.alice, right, "n")
    assert "You have seen all puzzles of this kind" in text_of(response)


async def test_showing_the_solution_ends_the_puzzle_as_a_loss(world):
    message = await post_puzzle(world, PuzzleKind.CROSSWORD, puzzle_name_in_family("phony"))
    assert "One word on the board isn't in SCOWL80. Which?" in text_of(message)
    response = await press_puzzle_button(world.bob, message, "s")
    assert "Your rating: 1" in text_of(response)
    assert "**Solution: ALBUGH**" in text_of(response)
    rating_before = await world.bot.store.puzzle_rating(world.bob.id, "crossword")
    assert rating_before.rating < 1500
    late_reply = await answer_puzzle(world.bob, message, "albugh")
    assert "☆☆☆" in text_of(late_reply)
    assert await world.bot.store.puzzle_rating(world.bob.id, "crossword") == rating_before


async def test_a_word_in_lower_case_is_accepted(world):
    message = await post_puzzle(world, PuzzleKind.CROSSWORD, puzzle_name_in_family("hook"))
    wrong = await answer_puzzle(world.bob, message, "train")
    assert "❌ **train** isn't the answer." in text_of(wrong)
    right = await answer_puzzle(world.bob, message, " brain ")
    assert text_of(right).startswith("✅ **BRAIN** – solved! ⭐⭐☆")


async def test_a_correct_chess_move_gets_the_defending_move_as_a_reply(world):
    message = await post_puzzle(world, PuzzleKind.CHESS, "Zlong1")
    assert "**Puzzle** · lichess" in text_of(message)
    assert message.attachments[0].description.startswith("The last move went from d5 to b4.")
    refusal = await answer_puzzle(world.bob, message, "Ke9")
    assert "doesn't count as a try" in text_of(refusal)
    first = await answer_puzzle(world.bob, message, "Qd8+")
    assert "✅ **Qd8+** is right. Your opponent answers **Be8**. What next?" in text_of(first)
    assert "Your rating" not in text_of(first)
    assert first.attachments[0].description.startswith("The last move went from c6 to e8.")
    solved = await answer_puzzle(world.bob, first, "Qxe8#")
    assert "✅ **Qxe8\\#** – solved! ⭐⭐⭐" in text_of(solved)
    assert "Your rating: 1" in text_of(solved)
    assert "https://lichess.org/training/Zlong1" in text_of(solved)
    second_answer = await answer_puzzle(world.bob, message, "Qd8+")
    assert "Your rating" not in text_of(second_answer)


def move_menus(message):
    """Return the menus of moves, by id. Each menu maps labels to values."""
    return {
        component["custom_id"]: {option["label"]: option["value"] for option in component["options"]}
        for component in controls_of(message)
        if component["custom_id"].startswith("kibitz:pick:")
    }


async def test_a_chess_move_is_chosen_from_two_menus(world):
    message = await post_puzzle(world, PuzzleKind.CHESS, "Zlong1")
    move_reply = await press_puzzle_button(world.bob, message, "m")
    assert text_of(move_reply) == "Which piece moves, and where to?"
    assert move_reply.attachments[0].description.startswith("The last move went from d5 to b4.")
    [(menu, pieces)] = move_menus(move_reply).items()
    await world.bob.select(move_reply, [pieces["queen d4"]], custom_id=menu)
    _, second = move_menus(move_reply)
    assert "d8" in move_menus(move_reply)[second]
    await world.bob.select(move_reply, [move_menus(move_reply)[second]["d8"]], custom_id=second)
    assert text_of(move_reply).startswith("✅ **Qd8+** is right. Your opponent answers **Be8**. What next?")
    # The user can choose another piece before the square.
    move_reply = await press_puzzle_button(world.bob, move_reply, "m")
    for piece in ("rook g3", "queen d8"):
        [menu, *_] = move_menus(move_reply)
        await world.bob.select(move_reply, [move_menus(move_reply)[menu][piece]], custom_id=menu)
    _, second = move_menus(move_reply)
    [options] = [
        component["options"] for component in controls_of(move_reply) if component["custom_id"] == second
    ]
    assert ("e8", "× bishop e8") in [(option["label"], option.get("description")) for option in options]
    await world.restart()
    await world.bob.select(move_reply, ["d8e8"], custom_id=second)
    assert "solved! ⭐⭐⭐" in text_of(move_reply)
    solution = await press_puzzle_button(world.bob, message, "m")
    assert "**Solution:" in text_of(solution)


async def test_any_mate_solves_a_puzzle_and_a_wrong_move_costs_a_star(world):
    message = await post_puzzle(world, PuzzleKind.CHESS, "Zmate1")
    wrong = await answer_puzzle(world.bob, message, "Rad1")
    assert "❌ **Rad1** isn't the answer." in text_of(wrong)
    right = await answer_puzzle(world.bob, wrong, "Ra8")
    assert "solved! ⭐⭐☆" in text_of(right)


@pytest.mark.parametrize(
    ("first", "late", "reported", "progress"),
    [
        ("Re2", "Re8", "**Puzzle** · lichess", Progress(progress_code=1)),
        ("Re2", "Re2", "✅ **Re2** is right.", Progress(progress_code=1)),
        ("Re8", "Re2", "⭐⭐⭐\n**Solution:", Progress(progress_code=1, solved=True)),
        ("Re8", "Ra8", "✅ **Ra8\\#** – solved! ⭐⭐⭐", Progress(progress_code=1, solved=True)),
    ],
)
async def test_a_right_move_overtaken_by_another_move_does_not_count(
    world, monkeypatch, first, late, reported, progress
):
    library = await world.bot.services[PUZZLES].load_library()
    mate = library.entries[PuzzleKind.CHESS, "Zmate1"]
    # Re2 is in the solution. Two other moves give mate, and any mate solves the puzzle.
    row = mate.row.replace("h5h4 e1e8", "h5h4 e1e2 h4h3 e2e8")
    library.entries[PuzzleKind.CHESS, "Zmate1"] = replace(mate, row=row)
    message = await post_puzzle(world, PuzzleKind.CHESS, "Zmate1")
    record_answer = PuzzleService._record_answer
    ratings = []

    async def record_after_another_answer(self, session, *args, **kwargs):
        monkeypatch.setattr(PuzzleService, "_record_answer", record_answer)
        await self.judge_answer(Requester(session.user_id), session.request, first, session.context)
        ratings.append(await self.store.puzzle_rating(session.user_id, PuzzleKind.CHESS))
        return await record_answer(self, session, *args, **kwargs)

    monkeypatch.setattr(PuzzleService, "_record_answer", record_after_another_answer)
    reply = await answer_puzzle(world.bob, message, late)
    assert text_of(reply).startswith(reported)
    store = world.bot.store
    assert (await store.puzzle_answers(world.bob.id, PuzzleKind.CHESS))["Zmate1"] == progress
    assert [await store.puzzle_rating(world.bob.id, PuzzleKind.CHESS)] == ratings
    if not progress.is_over:
        assert "solved! ⭐⭐⭐\nYour rating: 1" in text_of(await answer_puzzle(world.bob, message, "Re8"))


async def test_shipped_puzzles_are_chosen_by_theme(world):
    response = await world.alice.slash(world.channel, "puzzle", topic="fork", private=True)
    assert response.ephemeral
    message = reply_of(response)
    assert "lichess" in text_of(message)
    name = puzzle_button_id(message, "a").split(":")[3]
    assert "fork" in (await world.bot.services[PUZZLES].load_library()).entries[PuzzleKind.CHESS, name].themes
    second_response = await world.alice.slash(world.channel, "puzzle", topic="fork", private=True)
    assert puzzle_button_id(reply_of(second_response), "a").split(":")[3] != name
    library = await world.bot.services[PUZZLES].load_library()
    library.entries.clear()
    result = await press_puzzle_button(world.alice, message, "s")
    assert "no longer exists" in text_of(result)


def puzzle_like(entry, name, rating, theme):
    row = entry.row.replace(entry.id, name)
    return replace(entry, id=name, rating=rating, themes=frozenset({theme}), row=row)


async def test_the_next_puzzle_fits_the_topic_and_the_level(world):
    library = await world.bot.services[PUZZLES].load_library()
    item = library.entries[PuzzleKind.CHESS, "Zlong1"]
    groups = ("Zhard", 1750, "fork"), ("Zusual", 1500, "fork"), ("Zpin", 1750, "pin")
    entries = [
        puzzle_like(item, f"{name}{number}", rating, theme)
        for name, rating, theme in groups
        for number in range(16)
    ]
    library.entries = {(entry.kind, entry.id): entry for entry in entries}
    response = await world.bob.slash(world.channel, "puzzle", topic="fork", level="hard", private=True)
    # A user without a rating counts as rated 1500, so a hard puzzle for this user is rated 1750.
    message = await press_puzzle_button(world.bob, reply_of(response), "n")
    assert puzzle_button_id(message, "n").startswith("kibitz:puzzle:chess:Zhard")

    async def request_next_puzzle(result):
        message = await press_puzzle_button(world.bob, result, "n")
        next_id = puzzle_button_id(message, "n")
        assert "pin" not in library.entries[PuzzleKind.CHESS, next_id.split(":")[3]].themes
        assert next_id.endswith(":h:fork")
        return message

    wrong = await answer_puzzle(world.bob, message, "Rf3")
    assert "isn't the answer" in text_of(wrong)
    message = await request_next_puzzle(wrong)
    await answer_puzzle(world.bob, message, "Rf3")
    hint = await press_puzzle_button(world.bob, await answer_puzzle(world.bob, message, "Rf3"), "h")
    message = await request_next_puzzle(hint)
    move_reply = await press_puzzle_button(world.bob, message, "m")
    for label in ("rook g3", "f3"):
        menu, options = list(move_menus(move_reply).items())[-1]
        await world.bob.select(move_reply, [options[label]], custom_id=menu)
    assert "isn't the answer" in text_of(move_reply)
    message = await request_next_puzzle(move_reply)
    await request_next_puzzle(await press_puzzle_button(world.bob, message, "s"))


async def test_an_exhausted_topic_is_followed_by_any_topic(world):
    library = await world.bot.services[PUZZLES].load_library()
    library.entries = {
        key: library.entries[key] for key in ((PuzzleKind.CHESS, "Zlong1"), (PuzzleKind.CHESS, "Zmate1"))
    }
    response = await world.bob.slash(world.channel, "puzzle", topic="fork", private=True)
    assert puzzle_button_id(reply_of(response), "a").split(":")[3] == "Zlong1"
    second_response = await world.bob.slash(world.channel, "puzzle", topic="fork")
    for exhausted in (
        reply_of(second_response),
        await press_puzzle_button(world.bob, reply_of(response), "n"),
    ):
        assert "You have seen all puzzles on this topic." in text_of(exhausted)
        assert puzzle_button_letters(exhausted) == {"n"}
    other = await press_puzzle_button(world.bob, reply_of(second_response), "n")
    assert puzzle_button_id(other, "a").split(":")[3] == "Zmate1"
    result = await press_puzzle_button(world.bob, other, "n")
    assert text_of(result) == "You have seen all puzzles of this kind."
    assert not puzzle_button_letters(result)


async def test_puzzle_data_can_be_seen_and_deleted(world):
    message = await post_puzzle(world, PuzzleKind.CROSSWORD, puzzle_name_in_family("phony"))
    await answer_puzzle(world.bob, message, "joram")
    result = await world.bob.slash(world.channel, "privacy show")
    assert "1 puzzle that you saw" in text_of(result.response)
    result = await world.bob.slash(world.channel, "privacy delete")
    await click(world.bob, result.response, label="Delete everything")
    assert (await world.bot.store.count_user_data(world.bob.id))["puzzles"] == 0
    assert await world.bot.store.puzzle_rating(world.bob.id, "crossword") is None
    assert (await world.bot.store.count_user_data(world.alice.id))["puzzles"] == 1


async def test_puzzle_cards_match_the_golden_files(world, request):
    message = await post_puzzle(world, PuzzleKind.CROSSWORD, puzzle_name_in_family("endgame"))
    check_golden(message, "puzzle", request)
    check_golden(await answer_puzzle(world.bob, message, "b9 awe"), "puzzle_solved", request)
