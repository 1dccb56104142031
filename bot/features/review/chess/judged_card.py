"""What a review says of single moves of a chess game, and of all of them in squares."""

from __future__ import annotations

from bot.chat.control import Control
from bot.chat.moment import Choice, Moment
from bot.chat.reply import Reply
from bot.chat.style import Style
from bot.domain.chess.game import ChessGame
from bot.features.review.chess.review import lessons
from bot.features.review.chess.review_card import headline, judgement_words, move_line
from bot.features.review.chess.values import ChessReview, Judgement, MoveReview
from bot.features.review.controls import review_controls
from bot.features.review.depth import Depth
from bot.features.review.squares import MISSING, NOTHING_LOST, SQUARES, answer_squares
from bot.features.showing.chess.page import MAX_TURN
from bot.features.showing.chess.words import player_name
from bot.text import Speaker
from bot.text.numbers import written

_SQUARES = dict(zip((Judgement.INACCURACY, Judgement.MISTAKE, Judgement.BLUNDER), SQUARES, strict=True))


def chess_controls_of(
    review: ChessReview,
    game: ChessGame,
    moment: Moment,
    say: Speaker,
    *,
    depth: Depth,
    around: int | None = None,
) -> tuple[Control, ...]:
    """Return the controls of a review; the moment's turn is the one shown, 0 on the card."""

    def choice(move: MoveReview) -> Choice:
        if moment.spoiler:
            return Choice(str(move.turn), say("Turn {turn}", turn=move.turn))
        label = f"{game.number(move.turn)} {move.san}"
        if not move.judged:
            return Choice(str(move.turn), label, say("not judged"))
        if move.judgement is None:
            return Choice(str(move.turn), label, f"{NOTHING_LOST} {say('good')}")
        lost = say("{percent} % of a win lost", percent=written(move.lost, ".0f", say.locale))
        return Choice(
            str(move.turn), label, f"{_square(move)} {judgement_words(move.judgement, say)}, {lost}"
        )

    choices = tuple(choice(move) for move in review.moves if move.turn <= MAX_TURN)
    keys = sorted(turn for turn in review.key_turns if turn <= MAX_TURN)
    teaches = any(lessons(review, white=white) for white in (True, False))
    return review_controls(moment, depth, "", choices, keys, teaches=teaches, around=around)


def judged_move_words(review: ChessReview, game: ChessGame, number: int, say: Speaker) -> str:
    """Say of a move what it is called, what it lost, and what was best."""
    move = review.moves[number - 1] if 0 < number <= len(review.moves) else None
    if move is None or not move.judged:
        return say("This turn is not judged.")
    names = (player_name(game, say, white=True), player_name(game, say, white=False))
    return f"{_square(move)} {move_line(move, game, names, say)}"


def answer_chess_squares(
    review: ChessReview, game: ChessGame, moment: Moment, style: Style, *, depth: Depth
) -> Reply:
    """Show a square for each move of each player, which gives no move away."""
    say = style.say
    names = (player_name(game, say, white=True), player_name(game, say, white=False))
    rows = [
        (name, [_square(move) for move in review.moves if move.white is white])
        for name, white in zip(names, (True, False), strict=True)
    ]
    legend = (
        (NOTHING_LOST, say("good")),
        *((_SQUARES[judgement], judgement_words(judgement, say)) for judgement in Judgement),
        (MISSING, say("not judged")),
    )
    return answer_squares(headline(review, game, names, depth, say), rows, legend, moment)


def _square(move: MoveReview) -> str:
    if not move.judged:
        return MISSING
    return NOTHING_LOST if move.judgement is None else _SQUARES[move.judgement]
