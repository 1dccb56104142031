"""A puzzle's card never reveals the answer, and refusals depend only on what the card shows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.chat.card import ReplyContext
from bot.domain.chess.notations import fen
from bot.domain.chess.solution import position_to_solve
from bot.domain.crossword.play_text import play_text
from bot.engine.lexicon.lexica import Lexica
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.analysis.fairness import WordQuery, WordQueryKind
from bot.features.puzzles import selection
from bot.features.puzzles.chess.solving import ShownChessPuzzle
from bot.features.puzzles.controls import puzzle_controls
from bot.features.puzzles.crossword.document import PuzzleFamily
from bot.features.puzzles.crossword.solving import ShownCrosswordPuzzle
from bot.features.puzzles.fair_play import spoilers_of
from bot.features.puzzles.selection import PuzzleKind, PuzzleRequest
from bot.storage.puzzles import Progress
from tests.domain.chess.test_detect import START

CONTEXT = ReplyContext()


def shown_puzzle_of(kind, puzzle):
    return ShownChessPuzzle(puzzle) if kind is PuzzleKind.CHESS else ShownCrosswordPuzzle(puzzle, None)


@pytest.fixture(scope="module")
def library():
    return selection.load()


@pytest.fixture(scope="module")
def crossword_puzzles(library):
    return [
        library.puzzle(kind, puzzle_id) for kind, puzzle_id in library.entries if kind is PuzzleKind.CROSSWORD
    ]


def lookup_reveals_answer(puzzle, kind, *words, shorter=False):
    return spoilers_of(puzzle).lookup_reveals_answer(WordQuery(kind, words, include_shorter=shorter))


def test_lookups_that_reveal_the_answer_to_a_word_puzzle_are_refused(crossword_puzzles):
    word_puzzles = [puzzle for puzzle in crossword_puzzles if puzzle.words]
    assert len(word_puzzles) > 200
    for puzzle in word_puzzles:
        [word] = puzzle.words
        lowercase = word.lower()
        for lookup in (
            (WordQueryKind.CHECK, word),
            (WordQueryKind.CHECK, "quiz", f"{lowercase[0]}[{lowercase[1]}]{lowercase[2:]}"),
            (WordQueryKind.CHECK, word.replace("A", "Á").replace("E", "ë")),
            (WordQueryKind.HOOKS, word),
            (WordQueryKind.HOOKS, lowercase[1:]),
            (WordQueryKind.HOOKS, lowercase[:-1]),
            (WordQueryKind.HOOKS, f"{word[:2]}{word[3:]}"),
            (WordQueryKind.ANAGRAM, "".join(sorted(word))),
            (WordQueryKind.ANAGRAM, f"?{lowercase[1:]}"),
        ):
            assert lookup_reveals_answer(puzzle, *lookup), (word, lookup)
        assert lookup_reveals_answer(puzzle, WordQueryKind.ANAGRAM, f"{word}S", shorter=True)
        assert not lookup_reveals_answer(puzzle, WordQueryKind.CHECK, "zyzzyvas")
        assert not lookup_reveals_answer(puzzle, WordQueryKind.ANAGRAM, "zzyyvvq", shorter=True)


def test_anagrams_of_a_puzzle_rack_are_refused(crossword_puzzles):
    play_puzzles = [puzzle for puzzle in crossword_puzzles if not puzzle.words]
    for puzzle in play_puzzles:
        rack = spoilers_of(puzzle).rack
        for letters in (rack, rack.lower()[::-1], f"{rack}E", rack.replace("?", "S"), f"?{rack[1:]}"):
            assert lookup_reveals_answer(puzzle, WordQueryKind.ANAGRAM, letters), (rack, letters)
        assert not lookup_reveals_answer(puzzle, WordQueryKind.CHECK, rack)
        assert not lookup_reveals_answer(puzzle, WordQueryKind.ANAGRAM, "ZZ")


def test_a_daily_is_recognized_colour_swapped_mirrored_or_without_a_pawn(library):
    puzzle_ids = [puzzle_id for kind, puzzle_id in library.entries if kind is PuzzleKind.CHESS][::50]
    for puzzle in (library.puzzle(PuzzleKind.CHESS, puzzle_id) for puzzle_id in puzzle_ids):
        spoilers, start = spoilers_of(puzzle), position_to_solve(puzzle.line, 0)
        rows = [re.sub(r"\d", lambda run: "1" * int(run[0]), row) for row in start.placement.split("/")]
        side = "w" if start.white_to_move else "b"
        colours_swapped = (
            "/".join(row.swapcase() for row in reversed(rows)),
            "b" if start.white_to_move else "w",
        )
        mirrored = "/".join(row[::-1] for row in rows), side
        for placement, to_move in (colours_swapped, mirrored):
            board = re.sub("1+", lambda run: str(len(run[0])), placement)
            assert spoilers.analysis_reveals_answer([fen.read(f"{board} {to_move} - - 0 1").value]), placement
        assert spoilers.analysis_reveals_answer(
            [replace(start, placement=re.sub("[Pp]", "1", start.placement, count=1))]
        )
        assert not spoilers.analysis_reveals_answer([fen.read(START).value])


def test_a_refusal_does_not_depend_on_the_answer(crossword_puzzles):
    for puzzle in crossword_puzzles:
        if puzzle.family is PuzzleFamily.PHONY:
            other = next(word for word in sorted(spoilers_of(puzzle).words) if word not in puzzle.words)
            assert spoilers_of(replace(puzzle, words=(other,))) == spoilers_of(puzzle)
        else:
            assert spoilers_of(
                replace(puzzle, words=puzzle.words and ("X" + puzzle.words[0],))
            ) == spoilers_of(puzzle)


def card_contents(kind, puzzle):
    shown_puzzle = shown_puzzle_of(kind, puzzle)
    controls = puzzle_controls(PuzzleRequest(kind, "abcdefgh"), Progress(), 0)
    return (
        shown_puzzle.question(CONTEXT.translate),
        shown_puzzle.drawing(0, CONTEXT),
        [(control.to_id(), control.face(CONTEXT.translate, private=False)) for control in controls],
    )


def test_no_part_of_a_crossword_card_depends_on_the_answer(crossword_puzzles):
    for puzzle in crossword_puzzles:
        other = replace(
            puzzle,
            answers=puzzle.answers[:0],
            words=puzzle.words and ("QUIZ",),
            ranking=(),
            rating=1,
            reasons=(),
            iterations=0,
        )
        assert card_contents(PuzzleKind.CROSSWORD, puzzle) == card_contents(PuzzleKind.CROSSWORD, other)
        assert puzzle.id == other.id


def test_no_part_of_a_chess_card_depends_on_the_answer(library):
    for kind, puzzle_id in [key for key in library.entries if key[0] is PuzzleKind.CHESS][::10]:
        puzzle = library.puzzle(kind, puzzle_id)
        line = replace(puzzle.line, moves=(puzzle.line.moves[0], *("a1a1" for _ in puzzle.line.moves[1:])))
        assert card_contents(kind, puzzle) == card_contents(
            kind, replace(puzzle, line=line, rating=1, themes=(), game_url="")
        )
        assert position_to_solve(puzzle.line, 0) == position_to_solve(line, 0)


def test_a_wrong_play_counts_even_if_the_lexicon_is_not_installed(crossword_puzzles):
    puzzle = next(puzzle for puzzle in crossword_puzzles if len(puzzle.ranking) > 1)
    shown_puzzle = ShownCrosswordPuzzle(
        replace(puzzle, lexicon="NWL99"), AnalysisResources(None, Lexica(), "SCOWL80")
    )
    wrong_play = play_text(puzzle.ranking[-1].play, puzzle.position.rules.distribution)
    assert not shown_puzzle.judge(0, wrong_play, CONTEXT.translate).is_right
