"""Puzzles in chat: set, answered, hinted at, solved; each person's answers are that person's alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.features.puzzles.controls import PUZZLES
from bot.features.puzzles.crossword import document
from bot.features.puzzles.selection import Kind
from tests.puzzles.crossword.test_puzzles import ALBUGH, AWE, EMPTY

from .test_cards import judge
from .viewer import answer_of, click, components_of, replies, text_of

MATE = "Zmate1,6k1/5ppp/8/7p/8/8/5PPP/R3R1K1 b - - 0 1,h5h4 e1e8,1500,mateIn1 own,https://lichess.org/abc"
LONG = "Zlong1,7k/1q3ppp/p1b5/n2nP3/1B1Q4/1P4RP/P1r3BK/8 b - - 0 34,d5b4 d4d8 c6e8 d8e8,1545,fork own,"
HEAD = "PuzzleId,FEN,Moves,Rating,Themes,GameUrl"


def rows():
    """Return puzzles as files hold them: an endgame, a phony and a hook."""
    endgame = {
        "family": "endgame",
        "position": AWE,
        "answers": ["B9 AWE"],
        "themes": ["parallel", "small"],
        "ranking": [["B9 AWE", 17, 1.0, 17.0], ["-", 0, 1.0, 12.0]],
        "why": [["spread", 17.0, 12.0, 0.0, 0]],
    }
    phony = {"family": "phony", "position": ALBUGH, "answers": ["ALBUGH"]}
    hook = {
        "family": "hook",
        "position": EMPTY.replace("15/" * 8, "15/" * 7 + "5RAIN6/", 1) + " / 0/0 0 lex SCOWL80;",
        "answers": ["BRAIN"],
    }
    usual = {"lexicon": "SCOWL80", "rating": 1500, "iterations": 0, "themes": [], "ranking": [], "why": []}
    for row in (endgame, phony, hook):
        whole = {**usual, **row}
        yield {"id": document.puzzle_of(whole).id, **whole}


@pytest.fixture
def settings(tmp_path, settings):
    folder = tmp_path / "puzzles"
    folder.mkdir()
    head = {"format": document.FORMAT, "version": 1}
    (folder / "own.json").write_text("\n".join(map(json.dumps, (head, *rows()))), encoding="utf-8")
    (folder / "own.csv").write_text(f"{HEAD}\n{MATE}\n{LONG}\n", encoding="utf-8")
    (folder / "broken.csv").write_text("nothing\n", encoding="utf-8")
    puzzles = settings.puzzles.model_copy(update={"folder": folder})
    return settings.model_copy(update={"puzzles": puzzles})


async def card(world, kind, name):
    """Return the message that sets a puzzle, as if chance had chosen it."""
    service = world.bot.service[PUZZLES]
    library = await service.library()
    entry = library.entries[kind, name]
    library.entries = {(kind, name): entry}
    await world.alice.slash(world.channel, "puzzle", game=kind.value)
    return replies(world.channel)[-1]


def named(family):
    return next(row["id"] for row in rows() if row["family"] == family)


def button(message, what):
    [found] = [
        component["custom_id"]
        for component in components_of(message)
        if component["custom_id"].startswith("kibitz:puzzle:")
        and component["custom_id"].split(":")[4] == what
    ]
    return found


def buttons(message):
    return {
        component["custom_id"].split(":")[4]
        for component in components_of(message)
        if component["custom_id"].startswith("kibitz:puzzle:")
    }


async def answered(person, message, text):
    """Answer by the form; return the private answer."""
    opened = await click(person, message, custom_id=button(message, "a"))
    form = await person.submit_modal(opened, {"answer": text})
    assert form.ephemeral
    return answer_of(form)


async def pressed(person, message, what):
    result = await click(person, message, custom_id=button(message, what))
    assert result.ephemeral
    return answer_of(result)


async def test_an_endgame_is_set_answered_hinted_at_and_solved(world):
    message = await card(world, Kind.CROSSWORD, named("endgame"))
    assert "**Puzzle** · SCOWL80" in text_of(message)
    assert "The bag is empty. What is the best play?" in text_of(message)
    alt = message.attachments[0].description
    assert alt.startswith("The bag is empty. What is the best play?")
    assert "rack AABEIW" in alt
    assert "AWE" not in alt.replace("AABEIW", "")
    assert buttons(message) == {"a", "s", "n"}

    first = await answered(world.bob, message, "A8 WAIF")
    assert "❔" in text_of(first)
    assert "does not count as a try" in text_of(first)
    second = await answered(world.bob, message, "pass")
    assert "❌ **pass** is number 2: 5 points behind the best." in text_of(second)
    assert "Your rating: 1" in text_of(second)
    assert "h" not in buttons(second)
    third = await answered(world.bob, second, "pass")
    assert "Your rating" not in text_of(third)  # the first answer alone counts
    assert "h" in buttons(third)
    hint = await pressed(world.bob, third, "h")
    assert text_of(hint) == "💡 It scores 17.\n-# 2 tries · 1 hint"
    hint = await pressed(world.bob, hint, "h")
    assert text_of(hint) == "💡 It scores 17.\n💡 It places 3 tiles.\n-# 2 tries · 2 hints"
    solved = await answered(world.bob, hint, "b9 awe")
    assert text_of(solved).startswith("✅ **B9 AWE** – solved! ☆☆☆")
    assert "**Solution: B9 AWE** +17" in text_of(solved)
    assert "Puzzle rating: 1500" in text_of(solved)
    assert "1500" not in text_of(message)
    assert "- it gains +17 points by the end instead of +12" in text_of(solved)
    assert buttons(solved) == {"n"}

    # Alice sees none of it.
    right = await answered(world.alice, message, "B9 AWE +17")
    assert text_of(right).startswith("✅ **B9 AWE** – solved! ⭐⭐⭐\nYour rating: 16")
    response = await pressed(world.alice, right, "n")
    assert "You have seen all puzzles of this kind" in text_of(response)


async def test_showing_the_solution_ends_the_puzzle_as_a_loss(world):
    message = await card(world, Kind.CROSSWORD, named("phony"))
    assert "One word on the board is not in SCOWL80. Which?" in text_of(message)
    response = await pressed(world.bob, message, "s")
    assert "Your rating: 1" in text_of(response)
    assert "**Solution: ALBUGH**" in text_of(response)
    before = await world.bot.store.puzzle_rating(world.bob.id, "crossword")
    assert before.rating < 1500
    late = await answered(world.bob, message, "albugh")
    assert "☆☆☆" in text_of(late)
    assert await world.bot.store.puzzle_rating(world.bob.id, "crossword") == before


async def test_a_word_is_the_answer_in_either_case(world):
    message = await card(world, Kind.CROSSWORD, named("hook"))
    wrong = await answered(world.bob, message, "train")
    assert "❌ **train** is not the answer." in text_of(wrong)
    right = await answered(world.bob, message, " brain ")
    assert text_of(right).startswith("✅ **BRAIN** – solved! ⭐⭐☆")


async def test_a_line_of_chess_is_answered_by_the_defence(world):
    message = await card(world, Kind.CHESS, "Zlong1")
    assert "**Puzzle** · lichess" in text_of(message)
    assert message.attachments[0].description.startswith("The last move went from d5 to b4.")
    refused = await answered(world.bob, message, "Ke9")
    assert "does not count as a try" in text_of(refused)
    first = await answered(world.bob, message, "Qd8+")
    assert "✅ **Qd8+** is right. Your opponent answers **Be8**. What next?" in text_of(first)
    assert "Your rating" not in text_of(first)
    assert first.attachments[0].description.startswith("The last move went from c6 to e8.")
    solved = await answered(world.bob, first, "Qxe8#")
    assert "✅ **Qxe8\\#** – solved! ⭐⭐⭐" in text_of(solved) or "✅ **Qxe8#** – solved! ⭐⭐⭐" in text_of(
        solved
    )
    assert "Your rating: 1" in text_of(solved)
    assert "https://lichess.org/training/Zlong1" in text_of(solved)
    again = await answered(world.bob, message, "Qd8+")
    assert "Your rating" not in text_of(again)


def menus(message):
    """Return the menus of moves: the ids, with labels and values."""
    return {
        component["custom_id"]: {option["label"]: option["value"] for option in component["options"]}
        for component in components_of(message)
        if component["custom_id"].startswith("kibitz:pick:")
    }


async def test_a_move_of_chess_is_chosen_from_menus_on_a_phone(world):
    message = await card(world, Kind.CHESS, "Zlong1")
    chosen = await pressed(world.bob, message, "m")
    assert text_of(chosen) == "Which piece moves, and where to?"
    assert chosen.attachments[0].description.startswith("The last move went from d5 to b4.")
    [(menu, pieces)] = menus(chosen).items()
    await world.bob.select(chosen, [pieces["queen d4"]], custom_id=menu)
    _, second = menus(chosen)
    assert "d8" in menus(chosen)[second]
    await world.bob.select(chosen, [menus(chosen)[second]["d8"]], custom_id=second)
    assert text_of(chosen).startswith("✅ **Qd8+** is right. Your opponent answers **Be8**. What next?")
    # Another piece can be taken before the square is chosen.
    chosen = await pressed(world.bob, chosen, "m")
    for piece in ("rook g3", "queen d8"):
        [menu, *_] = menus(chosen)
        await world.bob.select(chosen, [menus(chosen)[menu][piece]], custom_id=menu)
    _, second = menus(chosen)
    [options] = [
        component["options"] for component in components_of(chosen) if component["custom_id"] == second
    ]
    assert ("e8", "× bishop e8") in [(option["label"], option.get("description")) for option in options]
    await world.restart()
    await world.bob.select(chosen, ["d8e8"], custom_id=second)
    assert "solved! ⭐⭐⭐" in text_of(chosen)
    over = await pressed(world.bob, message, "m")
    assert "**Solution:" in text_of(over)


async def test_any_mate_solves_and_a_wrong_move_loses(world):
    message = await card(world, Kind.CHESS, "Zmate1")
    wrong = await answered(world.bob, message, "Rad1")
    assert "❌ **Rad1** is not the answer." in text_of(wrong)
    right = await answered(world.bob, wrong, "Ra8")
    assert "solved! ⭐⭐☆" in text_of(right)


async def test_shipped_puzzles_are_chosen_by_theme(world):
    response = await world.alice.slash(world.channel, "puzzle", topic="fork", private=True)
    assert response.ephemeral
    message = answer_of(response)
    assert "lichess" in text_of(message)
    name = button(message, "a").split(":")[3]
    assert "fork" in (await world.bot.service[PUZZLES].library()).entries[Kind.CHESS, name].themes
    again = await world.alice.slash(world.channel, "puzzle", topic="fork", private=True)
    assert button(answer_of(again), "a").split(":")[3] != name
    removed = await world.bot.service[PUZZLES].library()
    removed.entries.clear()
    result = await pressed(world.alice, message, "s")
    assert "no longer exists" in text_of(result)


def like(entry, name, rating, theme):
    """Return a puzzle with the moves of another one."""
    row = entry.row.replace(entry.id, name)
    return replace(entry, id=name, rating=rating, themes=frozenset({theme}), row=row)


async def test_the_next_puzzle_is_of_the_topic_and_the_level(world):
    library = await world.bot.service[PUZZLES].library()
    item = library.entries[Kind.CHESS, "Zlong1"]
    groups = ("Zhard", 1750, "fork"), ("Zusual", 1500, "fork"), ("Zpin", 1750, "pin")
    entries = [
        like(item, f"{name}{number}", rating, theme) for name, rating, theme in groups for number in range(16)
    ]
    library.entries = {(entry.kind, entry.id): entry for entry in entries}
    response = await world.bob.slash(world.channel, "puzzle", topic="fork", level="hard", private=True)
    # Nothing has counted yet: a user rated 1500 is set a puzzle of 1750.
    message = await pressed(world.bob, answer_of(response), "n")
    assert button(message, "n").startswith("kibitz:puzzle:chess:Zhard")

    async def after(result):
        message = await pressed(world.bob, result, "n")
        visible = button(message, "n")
        assert "pin" not in library.entries[Kind.CHESS, visible.split(":")[3]].themes
        assert visible.endswith(":h:fork")
        return message

    wrong = await answered(world.bob, message, "Rf3")
    assert "is not the answer" in text_of(wrong)
    message = await after(wrong)
    await answered(world.bob, message, "Rf3")
    hint = await pressed(world.bob, await answered(world.bob, message, "Rf3"), "h")
    message = await after(hint)
    played = await pressed(world.bob, message, "m")
    for label in ("rook g3", "f3"):
        menu, options = list(menus(played).items())[-1]
        await world.bob.select(played, [options[label]], custom_id=menu)
    assert "is not the answer" in text_of(played)
    message = await after(played)
    await after(await pressed(world.bob, message, "s"))


async def test_an_exhausted_topic_is_followed_by_any_topic(world):
    library = await world.bot.service[PUZZLES].library()
    library.entries = {key: library.entries[key] for key in ((Kind.CHESS, "Zlong1"), (Kind.CHESS, "Zmate1"))}
    response = await world.bob.slash(world.channel, "puzzle", topic="fork", private=True)
    assert button(answer_of(response), "a").split(":")[3] == "Zlong1"
    again = await world.bob.slash(world.channel, "puzzle", topic="fork")
    for none in (answer_of(again), await pressed(world.bob, answer_of(response), "n")):
        assert "You have seen all puzzles of this topic." in text_of(none)
        assert buttons(none) == {"n"}
    other = await pressed(world.bob, answer_of(again), "n")
    assert button(other, "a").split(":")[3] == "Zmate1"
    result = await pressed(world.bob, other, "n")
    assert text_of(result) == "You have seen all puzzles of this kind."
    assert not buttons(result)


async def test_puzzle_data_can_be_seen_and_deleted(world):
    message = await card(world, Kind.CROSSWORD, named("phony"))
    await answered(world.bob, message, "joram")
    response = await world.bob.slash(world.channel, "privacy show")
    assert "1 puzzle that you saw" in text_of(response.response)
    result = await world.bob.slash(world.channel, "privacy delete")
    await click(world.bob, result.response, label="Delete everything")
    assert (await world.bot.store.user_data(world.bob.id)).puzzles == 0
    assert await world.bot.store.puzzle_rating(world.bob.id, "crossword") is None
    assert (await world.bot.store.user_data(world.alice.id)).puzzles == 1


async def test_the_cards_of_a_puzzle_look_as_before(world, request):
    message = await card(world, Kind.CROSSWORD, named("endgame"))
    judge(message, "puzzle", request)
    judge(await answered(world.bob, message, "b9 awe"), "puzzle_solved", request)
