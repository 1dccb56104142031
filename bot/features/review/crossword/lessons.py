"""Learning from a crossword game: the board as the player had it, hints, the solution, and what an answer is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat.card import Card, Drawing
from bot.chat.markdown import escape, one_line
from bot.chat.page import told
from bot.chat.style import Style
from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Direction, Exchange, Placement, Play, column_name, tiles_laid
from bot.domain.crossword.position import Position
from bot.features.analysis.crossword.rankings import alike, play_words
from bot.features.analysis.crossword.scene import proposal_scene
from bot.features.analysis.crossword.trial import Trial
from bot.features.analysis.trials import tried
from bot.features.review.cards import Lesson, hint_lines, lesson_controls, lesson_head
from bot.features.review.crossword.cards import judged_turn_words, kind_words, loss_words, made_words
from bot.features.review.crossword.classes import is_as_good, lessons
from bot.features.review.crossword.job import AttemptRequest, ReviewRequest, ReviewResult
from bot.features.review.crossword.values import Flag, Size, TurnReview
from bot.features.review.lessons import Attempt, Judged, Teaching
from bot.features.showing.crossword.board_scene import alt_text
from bot.features.showing.crossword.game_scene import moment_of, moment_scene, seat_name
from bot.jobs.queue import Jobs
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.features.analysis.means import AnalysisMeans


def lesson_turn(result: ReviewResult, number: int) -> TurnReview:
    """Return a turn of a review."""
    return next(turn for turn in result.review.turns if turn.turn == number)


def lesson_position(result: ReviewResult, turn: TurnReview) -> Position:
    """Return the position before a turn as the player knew it."""
    position = moment_of(result.request.game, turn.turn - 1, turn.seat)
    players = tuple(
        replace(player, rack=turn.rack) if seat == turn.seat else player
        for seat, player in enumerate(position.players)
    )
    return replace(position, players=players)


def answer_lesson(result: ReviewResult, lesson: Lesson, style: Style) -> Card:
    """Show a turn: what was played and what it lost, and the best play once it is found or given up."""
    say, game = style.say, result.request.game
    turn = lesson_turn(result, lesson.moment.turn)
    assert turn.best is not None  # nothing is lost against nothing
    position = lesson_position(result, turn)
    hints = best_hints(turn.best.play, turn.best.score, position, say)
    blocks = [
        *([lesson.lead] if lesson.lead else []),
        lesson_head(lesson, seat_name(game, turn.seat, say), say),
    ]
    if lesson.is_open:
        blocks.append(_question(turn, position, say))
        blocks += hint_lines(hints[: lesson.hints])
        scene = moment_scene(game, turn.turn - 1, turn.seat, style)
        alt = say("Turn {turn}: what is the best play?", turn=turn.turn)
    else:
        blocks.append(judged_turn_words(result, turn.turn, say))
        words = one_line(play_words(turn.best.play, position, say))
        caption = f"{words} {say.number(turn.best.score, '+d')}"
        scene = proposal_scene(position, turn.best.play, turn.best.score, style, caption=caption)
        alt = say("Proposed: {play}, {score} points.", play=words, score=turn.best.score)
    drawing = Drawing(scene, alt_text(position, say, alt), lesson.moment.spoiler, "lesson")
    return Card(told(blocks, lesson.moment), (drawing,), controls=lesson_controls(lesson, len(hints)))


def _question(turn: TurnReview, position: Position, say: Speaker) -> str:
    play = made_words(turn.play, turn.score, position, say)
    if Flag.PHONY_OFF in turn.flags:
        play += f" ({say('a phony that was challenged off')})"
    return say(
        "Played: {play}, {kind}, {loss}. What is better?",
        play=play,
        kind=kind_words(turn, say),
        loss=loss_words(turn, say),
    )


def best_hints(play: Play, score: int, position: Position, say: Speaker) -> tuple[str, ...]:
    """Return what can be told of the best play bit by bit: its score, how many tiles, its row, where it begins."""
    match play:
        case Placement():
            count = len(tiles_used(play))
            start = play.start
            tiles = say.count("It lays down {number} tile.", "It lays down {number} tiles.", count)
            if count == position.rules.rack_size:
                tiles = say("It is a bingo.")
            if start.direction is Direction.ACROSS:
                line = say("It is in row {row}, across.", row=start.row + 1)
            else:
                line = say("It is in column {column}, down.", column=column_name(start.column))
            score_words = say.count("It scores {number} point.", "It scores {number} points.", score)
            return (score_words, tiles, line, say("It begins on {square}.", square=str(start)))
        case Exchange():
            count = play.count
            return (
                say("It lays nothing down."),
                say.count("It exchanges {number} tile.", "It exchanges {number} tiles.", count),
            )
        case _:
            return (say("It lays nothing down."),)


def attempt_words(
    found: TurnReview, turn: TurnReview, play: Play, score: int, position: Position, *, say: Speaker
) -> str:
    """Say what a play is worth that somebody answered with, against the best, and beside what was played."""
    values = {"play": made_words(play, score, position, say)}
    if not found.judged:
        return say("⬜ {play}: there was no time to judge it.", **values)
    lost = found.loss_win > 0 or found.loss_points > 0
    if is_as_good(found):
        if lost:
            return say("✅ {play}: as good as the best ({loss}).", loss=loss_words(found, say), **values)
        return say("✅ {play}: as good as the best.", **values)
    values["loss"] = loss_words(found, say)
    if _RANK[found.size or Size.LARGE] < _RANK[turn.size or Size.LARGE]:
        return say("🟡 {play}: better than what was played, but {loss}.", **values)
    return say("❌ {play}: {loss}.", **values)


_RANK = {size: rank for rank, size in enumerate(Size)}


def found_words(play: Play, score: int, position: Position, say: Speaker) -> str:
    """Say that an answer is the best play."""
    return say("✅ {play}: that is the best play.", play=made_words(play, score, position, say))


def played_words(turn: TurnReview, position: Position, say: Speaker) -> str:
    """Say that an answer is what was played."""
    return say("❌ {play}: that is what was played.", play=made_words(turn.play, turn.score, position, say))


def phony_words(words: tuple[str, ...], lexicon: str, say: Speaker) -> str:
    """Say which words of an answer are none."""
    names = ", ".join(escape(word, 40) for word in words)
    return f"❌ {say('Not in {lexicon}: {words}.', lexicon=escape(lexicon), words=names)}"


class CrosswordTeaching(Teaching[ReviewRequest, ReviewResult, TurnReview]):
    """Compares plays by paired draws with the best of a review."""

    def __init__(self, jobs: Jobs[AttemptRequest, float, TurnReview], means: AnalysisMeans) -> None:
        super().__init__(jobs)
        self._means = means

    def turns(self, result: ReviewResult, request: ReviewRequest, seat: int) -> tuple[int, ...]:
        """Return the turns in which the most was lost for certain."""
        del request
        return lessons(result.review.turns, seat)

    def player(self, request: ReviewRequest, seat: int, say: Speaker) -> str:
        """Return a player's name."""
        return seat_name(request.game, seat, say)

    def answer(self, result: ReviewResult, request: ReviewRequest, lesson: Lesson, style: Style) -> Card:
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
