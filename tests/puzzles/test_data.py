"""The bundled crossword puzzles are valid, and their proofs can be repeated."""

from importlib.resources import files

import pytest

from bot.engine.lexicon.lexica import Lexica
from bot.features.puzzles.crossword import document
from bot.features.puzzles.crossword.document import PuzzleFamily, judge_play, judge_word
from bot.features.puzzles.crossword.making import find_problem
from bot.features.puzzles.selection import PuzzleKind, load
from tests.puzzles.crossword.ranking import letters_on, ranking

WORD_FAMILIES = {PuzzleFamily.PHONY, PuzzleFamily.HOOK}


@pytest.fixture(scope="module")
def puzzles():
    all_puzzles = []
    for entry in (files("bot.features.puzzles") / "data").iterdir():
        if entry.name.endswith(".json"):
            all_puzzles += document.read(entry.read_text(encoding="utf-8"))
    return all_puzzles


@pytest.fixture(scope="module")
def lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find("SCOWL80"))


def test_puzzles_have_unique_ids_and_correct_answers(puzzles):
    library = load()
    assert library.faults == []
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles:
        assert library.puzzle(PuzzleKind.CROSSWORD, puzzle.id) == puzzle
        assert all(judge_play(puzzle, play)[0] == 1 for play in puzzle.answers)
        assert all(judge_word(puzzle, word.lower()) for word in puzzle.words)
        assert not any(
            judge_play(puzzle, ranked.play)[0] == 1 for ranked in puzzle.ranking[len(puzzle.answers) :]
        )
        assert puzzle.answers or puzzle.words


def test_the_first_invalid_row_of_a_file_added_by_the_host_is_reported(tmp_path):
    row = "abcde,8/8/8/8/8/8/8/8 w - - 0 1,e2e4 e7e5"
    (tmp_path / "own.csv").write_text(f"PuzzleId,FEN,Moves,Rating\n{row},1500\n{row}\n")
    library = load(tmp_path)
    assert library.faults == ["own.csv: line 3 is not a puzzle"]
    assert (PuzzleKind.CHESS, "abcde") in library.entries


def test_puzzles_about_words_can_be_proved_again(puzzles, lexicon):
    word_puzzles = [puzzle for puzzle in puzzles if puzzle.family in WORD_FAMILIES]
    assert word_puzzles
    assert [puzzle.id for puzzle in word_puzzles if find_problem(puzzle, lexicon)] == []


@pytest.mark.long
def test_all_puzzles_can_be_proved_again_with_different_draws(puzzles, lexicon):
    unproved_ids = [puzzle.id for puzzle in puzzles if find_problem(puzzle, lexicon, seed=5)]
    assert len(unproved_ids) <= 0.02 * len(puzzles)


def rank_of_answer(puzzle):
    """Return the answer's rank in an independent ranking. For an only-bingo puzzle, only bingos are ranked."""
    ranked = [letters for _, letters in ranking(puzzle.position, puzzle.lexicon)]
    if puzzle.family is PuzzleFamily.ONLY_BINGO:
        ranked = [letters for letters in ranked if len(letters) == puzzle.position.rules.rack_size]
        assert len(ranked) == 1
    return min(ranked.index(letters_on(play)) for play in puzzle.answers) + 1


@pytest.mark.long
def test_answers_are_first_or_the_only_bingo_in_an_independent_ranking(puzzles):
    puzzles_with_ranking = [
        puzzle for puzzle in puzzles if puzzle.family in {PuzzleFamily.BEST_PLAY, PuzzleFamily.ONLY_BINGO}
    ]
    assert [puzzle.id for puzzle in puzzles_with_ranking if rank_of_answer(puzzle) > 1] == []
