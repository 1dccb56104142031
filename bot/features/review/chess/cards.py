"""The cards of a reviewed chess game: the game with its curve and players, a move, squares, and moves to learn from."""

from __future__ import annotations

from bot.chat.card import Card, Drawing
from bot.chat.control import Control
from bot.chat.markdown import escape
from bot.chat.moment import Choice, Moment
from bot.chat.page import told
from bot.chat.style import Style
from bot.domain.chess.documents import ChessGame, ChessMove
from bot.domain.chess.moves import play_typed
from bot.domain.chess.position import ChessPosition
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.job import ChessRequest
from bot.features.review.cards import (
    MISSING,
    NOTHING_LOST,
    SQUARES,
    Lesson,
    answer_squares,
    hint_lines,
    lesson_controls,
    lesson_head,
)
from bot.features.review.chess.review import ChessReviewRequest, MoveAttempt, compared, lessons
from bot.features.review.chess.values import (
    BORDERS,
    ChessPhase,
    ChessPlayerReview,
    ChessReview,
    Judgement,
    MoveReview,
    PhaseReview,
)
from bot.features.review.controls import ReviewGame, review_controls
from bot.features.review.lessons import Attempt, Judged, Teaching
from bot.features.review.scenes import chess_curve, chess_review_chart, curve_words
from bot.features.review.values import Depth
from bot.features.showing.chess.board_scene import game_scene
from bot.features.showing.chess.page import BLACK, MAX_TURN
from bot.features.showing.chess.words import chess_alt_text, player_name
from bot.links import lichess
from bot.links.sites import source_of
from bot.text import Speaker, written


def answer_chess_review(
    review: ChessReview, game: ChessGame, moment: Moment, style: Style, *, depth: Depth, deeper: bool = False
) -> Card:
    """Tell a review in one message; the key turns open the viewer at the moves.

    ``deeper`` is whether there is an engine that can look more closely.
    """
    say = style.say
    names = (player_name(game, say, white=True), player_name(game, say, white=False))
    shown = [move for move in review.moves if move.turn in review.key_turns]
    blocks = [headline(review, game, names, depth, say)]
    if not all(move.judged for move in review.moves):
        judged = sum(move.judged for move in review.moves)
        blocks.append(say("{judged} of {turns} turns judged", judged=judged, turns=len(review.moves)))
    players = [_player_line(player, name, say) for player, name in zip(review.players, names, strict=True)]
    lead = [blocks[0], *players]
    blocks += players
    blocks += [f"- {move_line(move, game, names, say)}" for move in shown]
    drawing = Drawing(
        chess_review_chart(review, game, style), _alt(review, names, lead, say), moment.spoiler, "review"
    )
    offered = deeper and depth is Depth.QUICK
    more = (ReviewGame(Moment(moment.digest, 0, spoiler=moment.spoiler), Depth.DEEP),) if offered else ()
    return Card(told(blocks, moment), (drawing,), controls=more)


def answer_chess_review_progress(review: ChessReview, say: Speaker) -> str:
    """Say how many moves are judged."""
    judged = sum(move.judged for move in review.moves)
    return say("{judged} of {turns} turns judged", judged=judged, turns=len(review.moves))


def headline(review: ChessReview, game: ChessGame, names: tuple[str, str], depth: Depth, say: Speaker) -> str:
    """Say in a line who won, and by whom it is judged."""
    white, black = map(escape, names)
    result = escape(game.result.replace("1/2-1/2", "½–½").replace("-", "–"))
    players = say("**{white} – {black}**", white=white, black=black)
    parts = [players, *([result] if game.result != "*" else [])]
    if not review.source:
        source = source_of(game)
        if source is not None and source.site == lichess.NAME:
            return " · ".join([*parts, say("by the evaluations of {site}", site=source.site)])
        return " · ".join([*parts, say("by the evaluations in the text")])
    how = say("quick review") if depth is Depth.QUICK else say("deep review")
    return " · ".join([*parts, how, escape(review.source)])


def _player_line(player: ChessPlayerReview, name: str, say: Speaker) -> str:
    parts = []
    if player.accuracy is not None:
        parts.append(say("accuracy {accuracy}", accuracy=written(player.accuracy, ".0f", say.locale)))
    if player.accuracy is not None and len(player.phases) > 1:
        parts.append(", ".join(_phase(one, say) for one in player.phases))
    parts += [
        say.count("{number} inaccuracy", "{number} inaccuracies", player.inaccuracies),
        say.count("{number} mistake", "{number} mistakes", player.mistakes),
        say.count("{number} blunder", "{number} blunders", player.blunders),
    ]
    if player.acpl is not None:
        parts.append(say("{points} centipawns lost a move", points=written(player.acpl, ".0f", say.locale)))
    if player.only_moves:
        parts.append(
            say("{found} of {moves} only moves found", found=player.only_moves_found, moves=player.only_moves)
        )
    if player.judged < player.turns:
        parts.append(say("{judged} of {turns} turns judged", judged=player.judged, turns=player.turns))
    return f"{escape(name)}: {' · '.join(parts)}"


def _phase(phase: PhaseReview, say: Speaker) -> str:
    accuracy = written(phase.accuracy, ".0f", say.locale)
    words = {
        ChessPhase.OPENING: lambda: say("opening {accuracy}", accuracy=accuracy),
        ChessPhase.MIDDLEGAME: lambda: say("middlegame {accuracy}", accuracy=accuracy),
        ChessPhase.ENDGAME: lambda: say("endgame {accuracy}", accuracy=accuracy),
    }
    return words[phase.phase]()


def move_line(move: MoveReview, game: ChessGame, names: tuple[str, str], say: Speaker) -> str:
    """Tell a move in one line, everything in words."""
    values = {
        "turn": move.turn,
        "player": escape(names[0 if move.white else 1]),
        "move": escape(f"{game.number(move.turn)} {move.san}"),
    }
    if move.judgement is None and not move.only:
        return say("Turn {turn}, {player}: {move}, which loses nothing to speak of.", **values)
    if move.judgement is None:
        return say("Turn {turn}, {player}: {move}, the only move that holds.", **values)
    values["kind"] = judgement_words(move.judgement, say)
    values["before"], values["after"] = (
        written(win or 0.0, ".0f", say.locale) for win in (move.win_before, move.win_after)
    )
    if not move.best or move.best == move.san:
        return say("Turn {turn}, {player}: {move}, {kind}: from {before} % to {after} % of a win.", **values)
    return say(
        "Turn {turn}, {player}: {move}, {kind}: from {before} % to {after} % of a win; best was {best}.",
        best=escape(move.best),
        **values,
    )


def judgement_words(judgement: Judgement, say: Speaker) -> str:
    """Say what a move is called that lost something."""
    words = {
        Judgement.INACCURACY: lambda: say("inaccuracy"),
        Judgement.MISTAKE: lambda: say("mistake"),
        Judgement.BLUNDER: lambda: say("blunder"),
    }
    return words[judgement]()


def _alt(review: ChessReview, names: tuple[str, str], lead: list[str], say: Speaker) -> str:
    """Tell who won, how well each played, and the curve with what turned it."""
    causes = {
        move.turn: f"{names[0 if move.white else 1]}: {judgement_words(move.judgement, say)}"
        for move in review.moves
        if move.judgement is not None
    }
    return curve_words(lead, names[0], chess_curve(review), causes, say)


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
) -> Card:
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


def best_move(position: ChessPosition, move: MoveReview) -> ChessMove:
    """Return the best move in a turn that was reviewed."""
    return play_typed(position, move.best)[0]


def answer_chess_lesson(review: ChessReview, game: ChessGame, lesson: Lesson, style: Style) -> Card:
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
    return Card(told(blocks, lesson.moment), (drawing,), controls=lesson_controls(lesson, len(hints)))


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


SECONDS = 2.0
"""How long an engine looks at a move and the best one."""


class ChessTeaching(Teaching[ChessReviewRequest, ChessReview, ChessAnalysis]):
    """Compares moves by the host's engine; without one only the best move and the one that was made are known."""

    def turns(self, result: ChessReview, request: ChessReviewRequest, seat: int) -> tuple[int, ...]:
        """Return the moves that lost most, as far as a better one is known."""
        del request
        return lessons(result, white=not seat)

    def player(self, request: ChessReviewRequest, seat: int, say: Speaker) -> str:
        """Return a player's name."""
        return player_name(request.game, say, white=not seat)

    def answer(self, result: ChessReview, request: ChessReviewRequest, lesson: Lesson, style: Style) -> Card:
        """Show a turn."""
        return answer_chess_lesson(result, request.game, lesson, style)

    def attempt(
        self, result: ChessReview, request: ChessReviewRequest, lesson: Lesson, typed: str, style: Style
    ) -> Judged | Attempt:
        """Tell at once whether it is the best move, or the one that was made."""
        say, number = style.say, lesson.moment.turn
        turn, position = result.moves[number - 1], request.game.position_at(number - 1)
        best, move = best_move(position, turn), play_typed(position, typed)[0]
        if move.uci == best.uci:
            return Judged(found_move_words(move.san, say), right=True)
        if move.uci == request.game.turns[number - 1].uci:
            return Judged(played_move_words(move.san, say))
        if self.jobs is None:
            return Judged(move_attempt_words(None, move.san, say))
        work = ChessRequest(position, SECONDS, lines=2, moves=(best.uci, move.uci))
        return Attempt(work, (best, move))

    def judged(
        self,
        result: ChessReview,
        request: ChessReviewRequest,
        lesson: Lesson,
        attempt: Attempt,
        found: ChessAnalysis,
        *,
        say: Speaker,
    ) -> Judged:
        """Tell how much a move is worse than the best."""
        del result, request, lesson
        best, move = attempt.about
        assert isinstance(best, ChessMove) and isinstance(move, ChessMove)  # noqa: PT018
        verdict = compared(found, best.uci, move.uci)
        words = move_attempt_words(verdict, move.san, say)
        return Judged(words, right=verdict is not None and verdict.as_good)
