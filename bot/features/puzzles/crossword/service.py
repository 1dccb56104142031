"""How crossword puzzles are solved: by a play, or by a word."""

from __future__ import annotations

from bot.chat.reply import Drawing
from bot.chat.style import Style
from bot.domain.crossword.legality import play_problems
from bot.domain.crossword.play import Play
from bot.domain.crossword.typed_play import read_typed_play
from bot.features.analysis.offers import AnalysisMeans
from bot.features.analysis.trials import require_words
from bot.features.puzzles.crossword import card as answers
from bot.features.puzzles.crossword.judging import Judgement, judge_play, judge_word
from bot.features.puzzles.crossword.values import CrosswordPuzzle
from bot.features.puzzles.puzzle_card import Question
from bot.features.puzzles.solving import Setting, Verdict
from bot.features.puzzles.stars import Progress
from bot.text import Speaker

MAX_WORD = 30
"""Characters of a word that is an answer."""


class CrosswordSolving(Setting[CrosswordPuzzle, "str | tuple[Play, Judgement]"]):
    """Takes plays that are worth as much as the best. Without ``means`` no words are checked."""

    def __init__(self, means: AnalysisMeans | None) -> None:
        self._means = means

    def question(self, puzzle: CrosswordPuzzle, say: Speaker) -> Question:
        """Return what is asked."""
        return answers.question(puzzle, say)

    def drawing(self, puzzle: CrosswordPuzzle, style: Style) -> Drawing:
        """Return the board."""
        return answers.card_drawing(puzzle, style)

    def hints(self, puzzle: CrosswordPuzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Tell the score, how many tiles, the row; of a word its length and first letter."""
        del done
        return answers.hints(puzzle, say)

    def judge(self, puzzle: CrosswordPuzzle, done: int, typed: str) -> Verdict[str | tuple[Play, Judgement]]:
        """Judge a play of the rack whose words are in the lexicon, or a word."""
        del done
        if puzzle.words:
            word = typed.strip()[:MAX_WORD]
            right = judge_word(puzzle, word)
            return Verdict(word, right, solved=right)
        play = read_typed_play(typed, puzzle.position)
        for problem in play_problems(puzzle.position, play):
            raise problem
        judgement = judge_play(puzzle, play)
        if not judgement.right:
            self._check_words(puzzle, play)
        return Verdict((play, judgement), judgement.right, solved=judgement.right)

    def told(
        self,
        puzzle: CrosswordPuzzle,
        verdict: Verdict[str | tuple[Play, Judgement]],
        progress: Progress,
        say: Speaker,
    ) -> str:
        """Say how near a play is."""
        if isinstance(verdict.answer, str):
            if verdict.right:
                return answers.solved_word_text(verdict.answer, progress, say)
            return answers.wrong_word_text(verdict.answer, say)
        play, judgement = verdict.answer
        if verdict.right:
            return answers.solved_play_text(puzzle, play, progress, say)
        return answers.wrong_play_text(puzzle, play, judgement, say)

    def after(self, puzzle: CrosswordPuzzle, done: int, style: Style) -> None:
        """Return nothing: there is one answer only."""

    def solution(self, puzzle: CrosswordPuzzle, style: Style) -> tuple[str, Drawing]:
        """Return the answer, why it is the answer, and what comes next."""
        return answers.solution_text(puzzle, style.say), answers.solution_drawing(puzzle, style)

    def _check_words(self, puzzle: CrosswordPuzzle, play: Play) -> None:
        """Check that a play makes words only.

        Raises:
            RuleError: it makes a phony.
            LexiconError: the lexicon of the puzzle is not there.

        """
        if self._means is not None:
            lexica, position = self._means.lexica, puzzle.position
            lexicon = lexica.load(lexica.find(puzzle.lexicon), position.rules.distribution)
            require_words(position, play, lexicon)
