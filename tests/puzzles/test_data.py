"""The crossword puzzles that come along hold."""

from importlib.resources import files

import pytest

from bot.engine.lexicon.lexica import Lexica
from bot.puzzles.crossword import document
from bot.puzzles.crossword.judging import judge_play, judge_word
from bot.puzzles.crossword.making import check
from bot.puzzles.crossword.values import Family
from bot.puzzles.library import Kind, load

QUICK = {Family.PHONY, Family.HOOK}


@pytest.fixture(scope="module")
def puzzles():
    found = []
    for entry in (files("bot.puzzles") / "data").iterdir():
        if entry.name.endswith(".json"):
            found += document.read(entry.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find("SCOWL80"))


def test_they_are_found_by_their_ids_and_their_answers_are_right(puzzles):
    shelf = load()
    assert shelf.faults == []
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles:
        assert shelf.puzzle(Kind.CROSSWORD, puzzle.id) == puzzle
        assert all(judge_play(puzzle, play).right for play in puzzle.answers)
        assert all(judge_word(puzzle, word.lower()) for word in puzzle.words)
        assert not any(judge_play(puzzle, one.play).right for one in puzzle.ranking[len(puzzle.answers) :])
        assert puzzle.answers or puzzle.words


def test_those_about_words_are_proved_again(puzzles, lexicon):
    quick = [puzzle for puzzle in puzzles if puzzle.family in QUICK]
    assert quick
    assert [puzzle.id for puzzle in quick if check(puzzle, lexicon)] == []


@pytest.mark.long
def test_all_are_proved_again_with_other_draws(puzzles, lexicon):
    doubtful = [puzzle.id for puzzle in puzzles if check(puzzle, lexicon, seed=5)]
    assert len(doubtful) <= 0.02 * len(puzzles)
