"""A move to learn from in a game of chess: the board before it, hints by steps, and the solution."""

from __future__ import annotations

from bot.chat.markdown import escape
from bot.chat.page import told
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.chess.game import ChessGame, ChessMove
from bot.domain.chess.moves import play_typed
from bot.domain.chess.position import ChessPosition
from bot.features.review.chess.attempt import MoveAttempt
from bot.features.review.chess.formulae import BORDERS
from bot.features.review.chess.judged_card import judged_move_words
from bot.features.review.chess.review_card import judgement_words
from bot.features.review.chess.values import ChessReview, MoveReview
from bot.features.review.lesson_card import Lesson, hint_lines, lesson_controls, lesson_head
from bot.features.showing.chess.board_scene import game_scene
from bot.features.showing.chess.page import BLACK
from bot.features.showing.chess.words import chess_alt_text, player_name
from bot.text import Speaker
from bot.text.numbers import written


def best_move(position: ChessPosition, move: MoveReview) -> ChessMove:
    """Return the best move in a turn that was reviewed."""
    return play_typed(position, move.best)[0]


def answer_chess_lesson(review: ChessReview, game: ChessGame, lesson: Lesson, style: Style) -> Reply:
    """Show a turn: what was played and what it lost, and the best move once it is found or given up."""
    say, turn = style.say, lesson.moment.turn
    move = review.moves[turn - 1]
    position = game.position_at(turn - 1)
    white_below = lesson.moment.side != BLACK
    best = best_move(position, move)
    hints = best_hints(position, best, say)
    name = player_name(game, say, white=move.white)
    blocks = [*([lesson.lead] if lesson.lead else []), lesson_head(lesson, name, say)]
    if lesson.is_open:
        blocks.append(_question(move, game, say))
        blocks += hint_lines(hints[: lesson.hints])
        scene = game_scene(game, turn - 1, style, white_below=white_below)
        alt = say("Turn {turn}: what is the best move?", turn=turn)
    else:
        blocks.append(judged_move_words(review, game, turn, say))
        scene = game_scene(game, turn - 1, style, white_below=white_below, best=best)
        alt = say("Best move: {move}.", move=best.san)
    drawing = Drawing(scene, chess_alt_text(position, say, alt), lesson.moment.spoiler, "lesson")
    return Reply(told(blocks, lesson.moment), (drawing,), controls=lesson_controls(lesson, len(hints)))


def _question(move: MoveReview, game: ChessGame, say: Speaker) -> str:
    before, after = (written(win or 0.0, ".0f", say.locale) for win in (move.win_before, move.win_after))
    assert move.judgement is not None  # it lost something
    return say(
        "Played: {move}, {kind}: from {before} % to {after} % of a win. What is better?",
        move=escape(f"{game.number(move.turn)} {move.san}"),
        kind=judgement_words(move.judgement, say),
        before=before,
        after=after,
    )


def best_hints(position: ChessPosition, best: ChessMove, say: Speaker) -> tuple[str, ...]:
    """Return what can be told of the best move bit by bit: the piece, and where it stands."""
    words = {
        "k": lambda: say("The king moves."),
        "q": lambda: say("The queen moves."),
        "r": lambda: say("A rook moves."),
        "b": lambda: say("A bishop moves."),
        "n": lambda: say("A knight moves."),
        "p": lambda: say("A pawn moves."),
    }
    if "@" in best.uci:
        return (words[best.uci[0].lower()](),)
    square = best.uci[:2]
    sign = position.squares[8 * (8 - int(square[1])) + ord(square[0]) - ord("a")]
    return (words[sign.lower()](), say("It stands on {square}.", square=square))


def move_attempt_words(attempt: MoveAttempt | None, move: str, say: Speaker) -> str:
    """Say what a move is worth that somebody answered with, against the best; None is what nobody could judge."""
    values = {"move": escape(move)}
    if attempt is None:
        return say("⬜ {move}: there is no chess engine here that could judge it.", **values)
    values["percent"] = written(attempt.lost, ".1f", say.locale)
    if attempt.as_good:
        return say("✅ {move}: as good as the best ({percent} % of a win less).", **values)
    if attempt.lost < BORDERS[-1][0]:
        return say(
            "🟡 {move}: better than what was played, but {percent} % of a win less than the best.", **values
        )
    return say("❌ {move}: {percent} % of a win less than the best.", **values)


def found_move_words(move: str, say: Speaker) -> str:
    """Say that an answer is the best move."""
    return say("✅ {move}: that is the best move.", move=escape(move))


def played_move_words(move: str, say: Speaker) -> str:
    """Say that an answer is what was played."""
    return say("❌ {move}: that is what was played.", move=escape(move))
