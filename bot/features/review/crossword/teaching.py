"""How one learns from crossword games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.reply import Reply
from bot.chat.style import Style
from bot.domain.crossword.play import Play, tiles_laid
from bot.features.analysis.crossword.rankings import alike
from bot.features.analysis.crossword.trial import Trial
from bot.features.analysis.trials import tried
from bot.features.review.crossword.classes import is_as_good
from bot.features.review.crossword.job import AttemptRequest, ReviewRequest, ReviewResult
from bot.features.review.crossword.lesson_card import (
    answer_lesson,
    attempt_words,
    found_words,
    lesson_position,
    lesson_turn,
    phony_words,
    played_words,
)
from bot.features.review.crossword.values import TurnReview
from bot.features.review.lesson_card import Lesson
from bot.features.review.teaching import Attempt, Judged, Teaching
from bot.features.showing.crossword.game_scene import seat_name
from bot.jobs.queue import Jobs
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.features.analysis.offers import AnalysisMeans


class CrosswordTeaching(Teaching[ReviewRequest, ReviewResult, TurnReview]):
    """Compares plays by paired draws with the best of a review."""

    def __init__(self, jobs: Jobs[AttemptRequest, float, TurnReview], means: AnalysisMeans) -> None:
        super().__init__(jobs)
        self._means = means

    def turns(self, result: ReviewResult, request: ReviewRequest, seat: int) -> tuple[int, ...]:
        """Return the turns in which the most was lost for certain."""
        from bot.features.review.crossword.summary import lessons  # noqa: PLC0415 - part of the analysis

        del request
        return lessons(result.review.turns, seat)

    def player(self, request: ReviewRequest, seat: int, say: Speaker) -> str:
        """Return a player's name."""
        return seat_name(request.game, seat, say)

    def answer(self, result: ReviewResult, request: ReviewRequest, lesson: Lesson, style: Style) -> Reply:
        """Show a turn."""
        del request
        return answer_lesson(result, lesson, style)

    def attempt(
        self, result: ReviewResult, request: ReviewRequest, lesson: Lesson, typed: str, style: Style
    ) -> Judged | Attempt:
        """Tell at once whether it is the best play, the one that was made, or one with a phony."""
        say, lexicon = style.say, result.review.lexicon
        turn = lesson_turn(result, lesson.moment.turn)
        position = lesson_position(result, turn)
        trial = tried(position, typed, style, lexicon, self._means)
        if trial.problems:
            raise trial.problems[0]
        assert turn.best is not None  # nothing is lost against nothing
        if _is_same(trial.play, turn.best.play):
            return Judged(found_words(trial.play, trial.score, position, say), right=True)
        if _is_same(trial.play, turn.play):
            return Judged(played_words(turn, position, say))
        if phonies := tuple(word.text for word in trial.words if not word.valid):
            return Judged(phony_words(phonies, lexicon, say))
        work = AttemptRequest(request.game, turn.turn, trial.play, turn.best.play, lexicon)
        return Attempt(work, trial)

    def judged(
        self,
        result: ReviewResult,
        request: ReviewRequest,
        lesson: Lesson,
        attempt: Attempt,
        found: TurnReview,
        *,
        say: Speaker,
    ) -> Judged:
        """Tell how much a play is worse than the best."""
        del request
        turn = lesson_turn(result, lesson.moment.turn)
        trial: Trial = attempt.about
        position = lesson_position(result, turn)
        words = attempt_words(found, turn, trial.play, trial.score, position, say=say)
        return Judged(words, right=is_as_good(found))


def _is_same(one: Play, other: Play) -> bool:
    """Whether two plays are the same, but for which of equal tiles is the blank and which way one tile is named."""
    laid = tiles_laid(one)
    return alike(one, other) or (bool(laid) and laid == tiles_laid(other))
