"""Lessons: users look for better plays in turns in which they lost points or win chance."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from bot.chat.card import Moment
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import Placement
from bot.domain.crossword.play_text import placement_text
from bot.features.review.cards import ReviewCards
from bot.features.review.crossword.judging import QUICK_EFFORT
from bot.features.review.crossword.service import review
from bot.features.review.lessons import LessonService
from bot.features.review.values import Depth, ReviewQuery
from tests.review.games import self_play_game

from .actions import choose_option, click, controls_of, labels_of, reply_of, text_of
from .conftest import WithStockfish

SMALL_EFFORT = replace(
    QUICK_EFFORT,
    seconds=100.0,
    max_candidates=2,
    max_iterations=64,
    luck_draw_count=2,
    pre_endgame_seconds=0.3,
    endgame_seconds=0.3,
)
"""An effort so small that a review finishes before its time limit, however busy the machine is."""

_cached_reviews = {}


@pytest.fixture(autouse=True)
def few_iterations(monkeypatch):
    """Review with few iterations, and each game only once."""
    monkeypatch.setattr("bot.features.review.crossword.judging.QUICK_EFFORT", SMALL_EFFORT)
    monkeypatch.setattr(
        "bot.features.review.crossword.values.USUAL_SECONDS", {Depth.QUICK: 100.0, Depth.DEEP: 0.5}
    )
    monkeypatch.setattr("bot.chat.press.EDIT_SECONDS", 0.05)

    def review_once(request, lexica, control):
        if request not in _cached_reviews:
            _cached_reviews[request] = review(request, lexica, control)
        return _cached_reviews[request]

    monkeypatch.setattr("bot.app.queues.review", review_once)


@cache
def game_with_bad_plays():
    """Play a game with bad plays by each player. Return its GCG, the game, and the ranked plays of Bob's bad turns.

    Each turn contributes up to 60 plays, from the best to the play that Bob made.
    """
    missed_plays = []

    def choose(table):
        if len(table.turns) not in {3, 5, 6}:
            return None
        if table.seat:
            missed_plays.extend(item for item in table.best_plays(60) if isinstance(item.play, Placement))
        return next(item.play for item in reversed(table.best_plays(60)) if isinstance(item.play, Placement))

    played_game = self_play_game(8, choose)
    rules = replace(played_game.rules, lexicon="SCOWL80")
    return gcg.write(replace(played_game, rules=rules)), played_game, missed_plays


def all_text_in(message):
    """Return all text of a message, including file names, descriptions, ids and labels."""
    files = [f"{attachment.description} {attachment.filename}" for attachment in message.attachments]
    ids = [f"{component['custom_id']} {component.get('label', '')}" for component in controls_of(message)]
    return "\n".join([text_of(message), *files, *ids])


async def answer_lesson(person, message, play):
    form = await click(person, message, label="Answer")
    return await person.submit_modal(form, {"play": play})


async def request_private_review(person, world, text):
    return reply_of(await person.slash(world.channel, "review", game=text, private=True))


async def test_a_lesson_that_starts_over_has_no_marks():
    """A newer review may find other mistakes, so the marks of the earlier mistakes would be wrong."""

    async def run(function, *values):
        return function(*values)

    async def run_and_draw(_, lesson):
        return lesson

    async def require_review(_):
        return SimpleNamespace(lesson_turns=lambda _: (2, 4))

    documents = SimpleNamespace(run=run, run_and_draw=run_and_draw)
    lessons: Any = LessonService(SimpleNamespace(documents=documents, require_review=require_review))  # type: ignore[arg-type]
    lesson = await lessons.show(ReviewQuery(Moment("digest", 4, seat=0)), "sx")
    assert (lesson.moment.turn, lesson.marks) == (4, "sx")
    lesson = await lessons.show(ReviewQuery(Moment("digest", 7, seat=0)), "sx")
    assert (lesson.moment.turn, lesson.marks) == (2, "00")


async def test_a_lesson_asks_about_each_mistake_and_gives_hints_and_solutions(world):
    text, played_game, missed_plays = game_with_bad_plays()
    card = await request_private_review(world.bob, world, text)
    assert "Learn" in labels_of(card)
    lesson = reply_of(await click(world.bob, card, label="Learn"))
    assert lesson.ephemeral
    head, question = text_of(lesson).split("\n")
    match = re.fullmatch(r"\*\*Mistake 1 of (\d+)\*\* · Bob, turn (\d+)", head)
    assert match
    count, turn = map(int, match.groups())
    assert question.startswith("Played: ")
    assert question.endswith("What's better?")
    assert "Back" not in labels_of(lesson)
    [picture] = lesson.attachments
    assert picture.filename == "lesson.png"
    assert picture.description.startswith(f"Turn {turn}: what is the best play? ")
    position = played_game.position_at(turn - 1)
    best = missed_plays[0]
    solution = placement_text(best.play, position.board, position.rules.distribution)
    word = solution.split()[1]
    assert solution not in all_text_in(lesson)
    assert word not in all_text_in(lesson)
    # Each press gives one more hint.
    hints = []
    while "Hint" in labels_of(lesson):
        await click(world.bob, lesson, label="Hint")
        hints = [line for line in text_of(lesson).split("\n") if line.startswith("💡")]
        assert word not in all_text_in(lesson)
    assert len(hints) == 4
    assert hints[0] == f"💡 It scores {best.score} points."
    assert str(best.play.start) in hints[3]
    wrong_play = placement_text(played_game.turns[turn - 1].play, position.board, position.rules.distribution)
    await answer_lesson(world.bob, lesson, wrong_play)
    assert "is the play that was made" in text_of(lesson)
    before = text_of(lesson)
    refusal = await answer_lesson(world.bob, lesson, "1A ZZZZZZZ")
    assert refusal.followups[-1].ephemeral
    assert "That isn't possible" in text_of(refusal.followups[-1])
    assert text_of(lesson) == before
    await answer_lesson(world.bob, lesson, solution)
    assert text_of(lesson).startswith("✅ ")
    assert "is the best play." in text_of(lesson)
    assert "best was" in text_of(lesson)
    assert not {"Answer", "Hint", "Solution"} & set(labels_of(lesson))
    for _ in range(count - 1):
        await click(world.bob, lesson, label="Next")
        await click(world.bob, lesson, label="Solution")
        assert "best was" in text_of(lesson)
    await click(world.bob, lesson, label="End")
    assert text_of(lesson).startswith(
        f"**Bob: 1 of {count} found**\n💡 1 with a hint · 👁 {count - 1} revealed"
    )
    await click(world.bob, lesson, label="Back")
    assert f"**Mistake {count} of {count}**" in text_of(lesson)
    await click(world.bob, lesson, label="End")
    await click(world.bob, lesson, label="Start over")
    assert text_of(lesson).startswith(f"**Mistake 1 of {count}**")
    assert "Hint" in labels_of(lesson)


@pytest.mark.parametrize("label", ["Hint", "Solution", "Answer"])
async def test_a_lesson_starts_over_if_a_new_review_finds_fewer_mistakes(world, monkeypatch, label):
    text, _, _ = game_with_bad_plays()
    card = await request_private_review(world.bob, world, text)
    lesson = reply_of(await click(world.bob, card, label="Learn"))
    lesson_turns = ReviewCards.lesson_turns
    for mistake_count, start in (
        (1, "**Mistake 1 of 1** · Bob, turn 6\nPlayed: "),
        (0, "**Bob: 0 of 0 found**"),
    ):
        monkeypatch.setattr(
            ReviewCards,
            "lesson_turns",
            lambda cards, seat, count=mistake_count: lesson_turns(cards, seat)[1 : 1 + count],
        )
        if label == "Answer":
            await answer_lesson(world.bob, lesson, "pass")
        else:
            await click(world.bob, lesson, label=label)
        assert text_of(lesson).startswith(start)
        assert not {"💡", "❌"} & set(text_of(lesson))


async def test_an_inferior_play_is_compared_with_the_best_play(world):
    text, played_game, missed_plays = game_with_bad_plays()
    card = await request_private_review(world.bob, world, text)
    lesson = reply_of(await click(world.bob, card, label="Learn"))
    turn = int(re.search(r"turn (\d+)\n", text_of(lesson))[1])
    position = played_game.position_at(turn - 1)
    play = placement_text(missed_plays[25].play, position.board, position.rules.distribution)
    await answer_lesson(world.bob, lesson, play)
    first_line = text_of(lesson).split("\n")[0]
    assert re.match(r"(🟡|❌) .* for \d+: .*\d ± \d+\.\d% win chance lost\.$", first_line), first_line
    assert play.split()[0] in first_line
    assert "Solution" in labels_of(lesson)
    await answer_lesson(world.bob, lesson, f"{play.split()[0]} QZX")
    assert text_of(lesson).split("\n")[0] == first_line, "an impossible play changed the lesson"


async def test_an_onlooker_chooses_whose_mistakes_to_learn_from(world):
    carol = world.add_member("carol")
    card = await request_private_review(carol, world, game_with_bad_plays()[0])
    reply = reply_of(await click(carol, card, label="Learn"))
    assert reply.ephemeral
    assert text_of(reply) == "Whose mistakes do you want to learn from?"
    alice, bob = labels_of(reply)
    assert re.fullmatch(r"Alice \(\d+\)", alice)
    assert re.fullmatch(r"Bob \(\d+\)", bob)
    await click(carol, reply, label=bob)
    assert re.match(r"\*\*Mistake 1 of \d+\*\* · Bob, turn \d+\n", text_of(reply))


TAGS = '[White "alice"]\n[Black "bob"]\n[Result "1-0"]\n\n'
ANNOTATED = TAGS + (
    "1. e4 {[%eval 0.25]} e5 {[%eval 0.3]} 2. Bc4 {[%eval 0.0]} Nc6 {[%eval 0.1]} "
    "3. Qh5 {[%eval -0.9] Inaccuracy. Nf3 was best.} (3. Nf3 Bc5) Nf6 {[%eval #1] Blunder. Qe7 was best.} (3... Qe7) "
    "4. Qxf7# 1-0\n"
)


async def test_without_an_engine_the_annotated_evaluations_are_used(world):
    card = await request_private_review(world.bob, world, ANNOTATED)
    lesson = reply_of(await click(world.bob, card, label="Learn"))
    assert text_of(lesson) == (
        "**Mistake 1 of 1** · bob, turn 6\n"
        "Played: 3... Nf6, blunder: win chance from 58% to 2%. What's better?"
    )
    assert "Qe7" not in all_text_in(lesson)
    assert lesson.attachments[0].description.startswith("Turn 6: what is the best move? ")
    await click(world.bob, lesson, label="Hint")
    assert text_of(lesson).endswith("💡 The queen moves.")
    await answer_lesson(world.bob, lesson, "g6")
    assert text_of(lesson).startswith("⬜ g6: no chess engine is installed to judge it.")
    await answer_lesson(world.bob, lesson, "Nf6")
    assert text_of(lesson).startswith("❌ Nf6 is the move that was played.")
    await answer_lesson(world.bob, lesson, "d8e7")
    assert text_of(lesson).startswith("✅ Qe7 is the best move.")
    assert "best was Qe7" in text_of(lesson)
    assert "Best move: Qe7." in lesson.attachments[0].description
    await click(world.bob, lesson, label="End")
    assert text_of(lesson) == "**bob: 1 of 1 found**\n💡 1 with a hint"
    await click(world.bob, lesson, label="alice (1)")
    assert text_of(lesson).startswith("**Mistake 1 of 1** · alice, turn 5")


class TestWithAnEngine(WithStockfish):
    @pytest.mark.slow
    async def test_the_engine_judges_a_move_that_is_not_in_the_annotations(self, world):
        card = await request_private_review(world.bob, world, ANNOTATED)
        lesson = reply_of(await click(world.bob, card, label="Learn"))
        await answer_lesson(world.bob, lesson, "a6")
        assert re.match(r"❌ a6: win chance \d+\.\d% lower than with the best move\.", text_of(lesson))
        await answer_lesson(world.bob, lesson, "g6")
        assert re.match(r"(✅|🟡) g6: ", text_of(lesson))


EXPIRED = "This review has expired. Press Review under the game to start a new one."


async def test_a_lesson_continues_after_a_restart_if_its_review_is_stored(world, monkeypatch):
    text, _, _ = game_with_bad_plays()
    card = await request_private_review(world.bob, world, text)
    lesson = reply_of(await click(world.bob, card, label="Learn"))
    key_turn_labels = [label for label in labels_of(card) if label.startswith("Turn ")]
    await world.restart()
    await click(world.bob, lesson, label="Hint")
    assert text_of(lesson).split("\n")[-1].startswith("💡 ")
    second_lesson = reply_of(await click(world.bob, card, label="Learn"))
    assert text_of(second_lesson).startswith("**Mistake 1 of ")

    async def find_no_review(self, key):
        del self, key

    monkeypatch.setattr("bot.features.showing.document_service.DocumentService.load_review", find_no_review)
    await world.restart()
    for message, label in (
        (card, "Learn"),
        (card, key_turn_labels[0]),
        (card, "Share"),
        (lesson, "Hint"),
    ):
        reply = reply_of(await click(world.bob, message, label=label))
        assert reply.ephemeral
        assert text_of(reply) == EXPIRED
    reply = reply_of(await choose_option(world.bob, card, "judgements", 0))
    assert text_of(reply) == EXPIRED
    deep_review = reply_of(await click(world.bob, card, label="Deeper"))
    assert " · deep review · " in text_of(deep_review)


async def test_a_lesson_about_an_annotated_game_continues_after_a_restart(world):
    card = await request_private_review(world.bob, world, ANNOTATED)
    lesson = reply_of(await click(world.bob, card, label="Learn"))
    await click(world.bob, lesson, label="Hint")
    await world.restart()
    await click(world.bob, lesson, label="Hint")
    assert text_of(lesson).endswith("💡 The queen moves.\n💡 It stands on d8.")
    await answer_lesson(world.bob, lesson, "Qe7")
    assert text_of(lesson).startswith("✅ Qe7 is the best move.")


async def test_a_mistake_in_the_users_game_becomes_a_puzzle(world):
    text, played_game, missed_plays = game_with_bad_plays()
    await world.bob.slash(world.channel, "settings me", games="yes")
    await world.bob.send(world.channel, text)
    reply = reply_of(await world.bob.slash(world.channel, "review", last=5))
    await choose_option(world.bob, reply, "who", "Bob")
    puzzle = reply_of(await world.bob.slash(world.channel, "puzzle", topic="mine"))
    assert re.match(r"\*\*Mistake 1 of \d+\*\* · Bob, turn \d+\nPlayed: ", text_of(puzzle))
    assert labels_of(puzzle) == ["Answer", "Hint", "Solution", "Next puzzle"]
    turn = int(re.search(r"turn (\d+)\n", text_of(puzzle))[1])
    position = played_game.position_at(turn - 1)
    best = placement_text(missed_plays[0].play, position.board, position.rules.distribution)
    await answer_lesson(world.bob, puzzle, best)
    assert text_of(puzzle).startswith("✅ ")
    assert labels_of(puzzle) == ["Next puzzle"]
    next_puzzle = reply_of(await click(world.bob, puzzle, label="Next puzzle"))
    assert "Mistake 2 of" in text_of(next_puzzle) or "all your known mistakes" in text_of(next_puzzle)
