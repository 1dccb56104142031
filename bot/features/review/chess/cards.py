"""The cards for a reviewed chess game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from bot.chat.card import Scene
from bot.chat.markdown import escape
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import play_typed_move
from bot.domain.reading.problems import Phrase
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess import ChessRequest
from bot.features.review.cards import ReviewCards, UnjudgedAnswer
from bot.features.review.chess.review import (
    LOSS_THRESHOLDS,
    ChessReview,
    ChessReviewRequest,
    MoveReview,
    compare_moves,
    severity,
)
from bot.features.review.values import ChessPhase, Depth, PlayerReview, ReviewQuery
from bot.features.showing.chess.board_scene import game_scene
from bot.features.showing.chess.texts import chess_alt_text, player_name, player_texts
from bot.jobs.queue import JobQueue
from bot.links import lichess
from bot.links.sites import source_target

ATTEMPT_SECONDS = 2.0
_PHASE_ACCURACY_PHRASES = {
    ChessPhase.OPENING: Phrase("opening {accuracy}"),
    ChessPhase.MIDDLEGAME: Phrase("middlegame {accuracy}"),
    ChessPhase.ENDGAME: Phrase("endgame {accuracy}"),
}


class ChessCards(ReviewCards[MoveReview]):
    """Creates the cards for a reviewed chess game."""

    review: ChessReview
    mistake_level_phrases = (Phrase("good"), Phrase("inaccuracy"), Phrase("mistake"), Phrase("blunder"))

    def __init__(
        self,
        request: ChessReviewRequest,
        review: ChessReview,
        query: ReviewQuery,
        lesson_jobs: JobQueue[ChessRequest, None, ChessAnalysis] | None = None,
    ) -> None:
        translate = query.context.translate
        super().__init__(
            request.game,
            replace(query, depth=request.depth, lexicon=""),
            [player_name(request.game, translate, white=white) for white in (True, False)],
            review,
            review.moves,
            lesson_jobs=lesson_jobs,
        )
        self.can_deepen = lesson_jobs is not None and request.depth is Depth.QUICK

    def headline(self) -> str:
        translate, game = self.translate, self.game
        parts = player_texts(game, len(game.turns), translate)
        source = source_target(game)
        if self.review.source:
            parts.append(
                translate("quick review") if self.query.depth is Depth.QUICK else translate("deep review")
            )
            parts.append(escape(self.review.source))
        elif source is not None and source.site == lichess.NAME:
            parts.append(translate("based on {site}'s evaluations", site=source.site))
        else:
            parts.append(translate("based on the game's own evaluations"))
        return " · ".join(parts)

    def remarks(self) -> list[str]:
        return [] if all(move.is_judged for move in self.turns) else [self.progress()]

    def statistics(self, player: PlayerReview, *, in_words: bool) -> list[str]:
        translate, parts = self.translate, []
        if player.accuracy is not None and len(player.phases) > 1:
            parts.append(
                ", ".join(
                    translate(_PHASE_ACCURACY_PHRASES[phase], accuracy=translate.number(accuracy, ".0f"))
                    for phase, _, accuracy in player.phases
                )
            )
        if in_words:
            inaccuracies, mistakes, blunders = player.mistakes
            parts += [
                translate.plural("{number} inaccuracy", "{number} inaccuracies", inaccuracies),
                translate.plural("{number} mistake", "{number} mistakes", mistakes),
                translate.plural("{number} blunder", "{number} blunders", blunders),
            ]
        else:
            parts.append(self.mistakes_text(*player.mistakes))
        if player.centipawns_lost is not None:
            parts.append(
                translate(
                    "{points} centipawns lost per move",
                    points=translate.number(player.centipawns_lost, ".0f"),
                )
            )
        if player.only_move_count:
            parts.append(
                translate(
                    "found {found} of {moves} only moves",
                    found=player.found_only_move_count,
                    moves=player.only_move_count,
                )
            )
        return parts

    def describe_turn(self, turn: MoveReview) -> str:
        translate = self.translate
        values: dict[str, object] = {
            "turn": turn.turn,
            "player": escape(self.names[turn.seat]),
            "move": self._move_text(turn),
        }
        if turn.judgement is None and turn.has_one_good_move and turn.san == turn.best_san:
            return translate("Turn {turn}, {player}: {move}, the only good move.", **values)
        if turn.judgement is None:
            return translate("Turn {turn}, {player}: {move}, which loses almost nothing.", **values)
        values |= self._loss_values(turn)
        if not turn.best_san or turn.best_san == turn.san:
            return translate(
                "Turn {turn}, {player}: {move}, {kind}: win chance from {before}% to {after}%.", **values
            )
        return translate(
            "Turn {turn}, {player}: {move}, {kind}: win chance from {before}% to {after}%; best was {best}.",
            best=escape(turn.best_san),
            **values,
        )

    def _move_text(self, turn: MoveReview) -> str:
        return escape(f"{self.game.move_number(turn.turn)} {turn.san}")

    def _loss_values(self, turn: MoveReview) -> dict[str, object]:
        return {
            "kind": self.mistake_level_names[turn.mistake_level],
            "before": self.translate.number(turn.win_before or 0.0, ".0f"),
            "after": self.translate.number(turn.win_after or 0.0, ".0f"),
        }

    def menu_entry(self, turn: MoveReview) -> tuple[str, str]:
        label = f"{self.game.move_number(turn.turn)} {turn.san}"
        if not turn.mistake_level:
            return label, self.mistake_level_names[0]
        loss = self.translate(
            "{percent}% win chance lost", percent=self.translate.number(turn.win_chance_lost, ".0f")
        )
        return label, f"{self.mistake_level_names[turn.mistake_level]}, {loss}"

    def best_play(self, turn: MoveReview) -> str:
        return escape(turn.best_san) if turn.judgement and turn.best_san != turn.san else ""

    def win_chances(self) -> tuple[int, ...]:
        """Return White's win chances up to the last known value.

        An unknown value is replaced with the known value before it or, at the start, with the first known value.
        """
        curve = self.review.curve
        first_known = next((win for win in curve if win is not None), 50.0)
        length = max((turn + 1 for turn, win in enumerate(curve) if win is not None), default=1)
        filled_curve = accumulate(
            curve[:length], lambda known, win: known if win is None else win, initial=first_known
        )
        return tuple(map(round, filled_curve))[1:]

    def turn_explanations(self) -> Iterator[tuple[int, str]]:
        for turn in self.turns:
            if turn.mistake_level:
                yield turn.turn, f"{self.names[turn.seat]}: {self.mistake_level_names[turn.mistake_level]}"

    def board(self) -> tuple[Scene, str]:
        turn_count = len(self.game.turns)
        intro = self.translate("Turn {turn} of {turns}", turn=turn_count, turns=turn_count)
        scene = game_scene(self.game, turn_count, self.context)
        return scene, chess_alt_text(self.game.position_at(turn_count), self.translate, f"{intro}.")

    def severity(self, turn: MoveReview) -> tuple[float, ...] | None:
        return severity(turn) if turn.judgement and turn.best_san not in {"", turn.san} else None

    def lesson_question(self, turn: MoveReview) -> str:
        return self.translate(
            "Played: {move}, {kind}: win chance from {before}% to {after}%. What's better?",
            move=self._move_text(turn),
            **self._loss_values(turn),
        )

    def _best_move(self, turn: MoveReview) -> ChessMove:
        return play_typed_move(self.game.position_at(turn.turn - 1), turn.best_san)[0]

    def hints(self, turn: MoveReview) -> tuple[str, ...]:
        translate, best = self.translate, self._best_move(turn)
        hints = {
            "k": translate("The king moves."),
            "q": translate("The queen moves."),
            "r": translate("A rook moves."),
            "b": translate("A bishop moves."),
            "n": translate("A knight moves."),
            "p": translate("A pawn moves."),
        }
        if "@" in best.uci:
            return (hints[best.uci[0].lower()],)
        square = best.uci[:2]
        piece = self.game.position_at(turn.turn - 1).piece_on(square)
        return (hints[piece.lower()], translate("It stands on {square}.", square=square))

    def picture(self, turn: MoveReview, *, is_solved: bool) -> tuple[Scene, str]:
        translate, best = self.translate, self._best_move(turn) if is_solved else None
        scene = game_scene(self.game, turn.turn - 1, self.context, white_at_bottom=turn.white, best_move=best)
        intro = (
            translate("Turn {turn}: what is the best move?", turn=turn.turn)
            if best is None
            else translate("Best move: {move}.", move=best.san)
        )
        return scene, chess_alt_text(self.game.position_at(turn.turn - 1), translate, intro)

    def judge_answer(self, turn: MoveReview, answer: str) -> tuple[str, bool] | UnjudgedAnswer:
        translate, position = self.translate, self.game.position_at(turn.turn - 1)
        best, move = self._best_move(turn), play_typed_move(position, answer)[0]
        san = escape(move.san)
        if move.uci == best.uci:
            return translate("✅ {move} is the best move.", move=san), True
        if move.uci == self.game.turns[turn.turn - 1].uci:
            return translate("❌ {move} is the move that was played.", move=san), False
        if self.lesson_jobs is None:
            return translate("⬜ {move}: no chess engine is installed to judge it.", move=san), False

        def judge(analysis: ChessAnalysis) -> tuple[str, bool]:
            verdict = compare_moves(analysis, best.uci, move.uci)
            if verdict is None:
                return translate("⬜ {play}: there wasn't enough time to judge it.", play=san), False
            loss, is_as_good = verdict
            if is_as_good and not round(loss, 1):
                phrase = Phrase("✅ {move}: as good as the best.")
            elif is_as_good:
                phrase = Phrase("✅ {move}: practically as good as the best (win chance {percent}% lower).")
            elif loss < min(LOSS_THRESHOLDS[-1][0], turn.win_chance_lost):
                phrase = Phrase(
                    "🟡 {move}: better than the move played, but win chance {percent}% lower than with the best move."
                )
            else:
                phrase = Phrase("❌ {move}: win chance {percent}% lower than with the best move.")
            return translate(phrase, move=san, percent=translate.number(loss, ".1f")), is_as_good

        return UnjudgedAnswer(
            ChessRequest(position, ATTEMPT_SECONDS, line_count=2, moves=(best.uci, move.uci)), judge
        )
