"""What a review says of single turns of a crossword game, and of all of them in squares."""

from __future__ import annotations

from collections.abc import Mapping

from bot.chat.control import Control
from bot.chat.markdown import escape, one_line
from bot.chat.moment import Choice, Moment
from bot.chat.reply import Reply
from bot.chat.style import Style
from bot.features.analysis.crossword.rankings import play_words
from bot.features.review.controls import review_controls
from bot.features.review.crossword.job import ReviewResult
from bot.features.review.crossword.review_card import (
    headline,
    kind_words,
    loss_words,
    lost_words,
    size_words,
    turn_line,
)
from bot.features.review.crossword.values import Size, TurnReview
from bot.features.review.squares import MAX_SQUARES, MISSING, NOTHING_LOST, SQUARES, answer_squares
from bot.features.showing.crossword.game_scene import seat_name
from bot.links.values import TheirTurn
from bot.text import Speaker

_SQUARES = {Size.BEST: NOTHING_LOST, **dict(zip((Size.SMALL, Size.MEDIUM, Size.LARGE), SQUARES, strict=True))}


def controls_of(
    result: ReviewResult, moment: Moment, say: Speaker, around: int | None = None
) -> tuple[Control, ...]:
    """Return the controls of a review; the moment's turn is the one shown, 0 on the card."""
    review, game = result.review, result.request.game
    positions = list(game.positions())

    def choice(turn: TurnReview) -> Choice:
        if moment.spoiler:
            return Choice(str(turn.turn), say("Turn {turn}", turn=turn.turn))
        play = play_words(turn.play, positions[turn.turn - 1], say)
        label = f"{turn.turn}. {seat_name(game, turn.seat, say)}: {play}"
        if not turn.judged:
            return Choice(str(turn.turn), label, say("not judged"))
        lost = "" if turn.size is Size.BEST else f", {loss_words(turn, say)}"
        return Choice(str(turn.turn), label, f"{_square(turn)} {kind_words(turn, say)}{lost}")

    choices = tuple(choice(turn) for turn in review.turns)
    return review_controls(
        moment,
        review.depth,
        review.lexicon,
        choices,
        sorted(review.key_turns),
        teaches=any(turn.established for turn in review.turns),
        around=around,
    )


def judged_turn_words(result: ReviewResult, number: int, say: Speaker) -> str:
    """Say of a turn its class, what it lost, the best play, and why."""
    review, game = result.review, result.request.game
    turn = next((turn for turn in review.turns if turn.turn == number), None)
    if turn is None or not turn.judged:
        return say("This turn is not judged.")
    names = [seat_name(game, seat, say) for seat in range(len(game.names))]
    return f"{_square(turn)} {turn_line(turn, names, list(game.positions())[number - 1], say)}"


def their_turn_words(theirs: TheirTurn, site: str, say: Speaker) -> str:
    """Say what a site's own review finds about a turn, as the site's."""
    size = Size(theirs.size)
    words = f"{_SQUARES[size]} {size_words(size, say)}"
    if size is not Size.BEST:
        words += f", {lost_words(theirs.win_lost, theirs.points_lost, say)}"
    best = escape(one_line(theirs.best))
    if size is Size.BEST or not best:
        return say("🔎 {site}: {judged}.", site=site, judged=words)
    return say(
        "🔎 {site}: {judged}; best was {best} for {best_score}.",
        site=site,
        judged=words,
        best=best,
        best_score=theirs.best_score,
    )


def beside_words(result: ReviewResult, theirs: Mapping[int, TheirTurn], say: Speaker) -> list[str]:
    """Show a square for each turn of each player, and behind them those of a site's own review."""
    review, game = result.review, result.request.game
    lines = []
    for seat in range(len(game.names)):
        turns = [turn for turn in review.turns if turn.seat == seat][:MAX_SQUARES]
        ours = "".join(map(_square, turns))
        other = (theirs.get(turn.turn) for turn in turns)
        found = "".join(MISSING if turn is None else _SQUARES[Size(turn.size)] for turn in other)
        lines.append(f"{escape(one_line(seat_name(game, seat, say)))}: {ours} 🔎 {found}")
    return [say("Turn by turn, mine 🔎 theirs:"), *lines]


def answer_review_squares(result: ReviewResult, moment: Moment, style: Style) -> Reply:
    """Show a square for each turn of each player, which gives no play away."""
    review, game, say = result.review, result.request.game, style.say
    names = [seat_name(game, seat, say) for seat in range(len(game.names))]
    rows = [
        (name, [_square(turn) for turn in review.turns if turn.seat == seat])
        for seat, name in enumerate(names)
    ]
    legend = (
        (NOTHING_LOST, say("the best play")),
        *zip(SQUARES, (say("small mistake"), say("medium mistake"), say("large mistake")), strict=True),
        (MISSING, say("not judged")),
    )
    return answer_squares(headline(review, names, say), rows, legend, moment)


def _square(turn: TurnReview) -> str:
    return MISSING if turn.size is None else _SQUARES[turn.size]
