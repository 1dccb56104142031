"""Polls about chess positions."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from bot.chat.card import Drawing, Moment, RefusalError, ReplyContext
from bot.chat.control import Control
from bot.chat.markdown import escape
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import play_typed_move
from bot.domain.chess.position import ChessPosition
from bot.engine.uci import MAX_LINES, ChessAnalysis, EngineError
from bot.features.analysis.chess import ChessRequest, score_text
from bot.features.analysis.controls import AskEngine
from bot.features.polls.cards import PollResult, Proposal, Votes, rank_proposals
from bot.features.review.chess.review import compare_moves
from bot.features.showing.chess.board_scene import chess_scene, numbered_scene
from bot.features.showing.chess.position import is_white_at_bottom, position_line, position_of_moment
from bot.features.showing.chess.texts import chess_alt_text
from bot.features.showing.findings import FoundDocument
from bot.jobs.account import Requester
from bot.jobs.queue import BusyError, JobQueue, StoppedError
from bot.text import Translator

log = logging.getLogger(__name__)

BEST_MOVE_SECONDS = 2.0
"""Time for finding the best move."""
MOVE_SECONDS = 1.0
"""Time for each compared move."""


class ChessPollKind:
    """Polls about chess. A chess engine compares the moves.

    Without ``jobs``, or if the engine returns no analysis, moves are ranked by number of votes.
    """

    position_line = staticmethod(position_line)

    def __init__(self, jobs: JobQueue[ChessRequest, None, ChessAnalysis] | None) -> None:
        self._jobs = jobs

    def position(self, found: FoundDocument, moment: Moment, translate: Translator) -> ChessPosition:
        """Return the position at a moment. Raise :class:`RefusalError` if the game is over."""
        position = position_of_moment(found.chess_document, moment)
        if position.is_over:
            raise RefusalError.with_text(
                translate("The game is already over in this position, so there is nothing to analyze.")
            )
        return position

    def drawing(
        self,
        position: ChessPosition,
        moment: Moment,
        context: ReplyContext,
        intro: str,
        plays: Sequence[tuple[str, ChessMove]] = (),
    ) -> Drawing:
        white_at_bottom = is_white_at_bottom(moment, default=position.white_to_move)
        moves = [(label, move.uci) for label, move in plays]
        scene = (
            numbered_scene(position, moves, context, white_at_bottom=white_at_bottom)
            if moves
            else chess_scene(position, context, white_at_bottom=white_at_bottom)
        )
        return Drawing(scene, chess_alt_text(position, context.translate, intro), moment.spoiler, "poll")

    def read(self, position: ChessPosition, move_text: str, context: ReplyContext) -> tuple[ChessMove, str]:
        """Read a typed move. Return the move and its standard notation.

        Raises:
            DomainError: the text is not a legal move.

        """
        move = play_typed_move(position, move_text)[0]
        return move, move.san

    def words_made(self, position: ChessPosition, move_text: str) -> tuple[str, ...]:
        return ()

    def analysis_controls(self, moment: Moment) -> tuple[Control, ...]:
        return (AskEngine(moment),) if self._jobs is not None else ()

    async def compare(
        self, position: ChessPosition, votes: Votes[ChessMove], context: ReplyContext, requester: Requester
    ) -> PollResult:
        analysis = await self._analyze_moves(
            position, tuple(dict.fromkeys(move.uci for move, _ in votes)), requester
        )
        return poll_result(votes, analysis, context.translate)

    async def _analyze_moves(
        self, position: ChessPosition, moves: tuple[str, ...], requester: Requester
    ) -> ChessAnalysis | None:
        if self._jobs is None:
            return None
        try:
            ticket = await self._jobs.submit(
                requester, ChessRequest(position, BEST_MOVE_SECONDS, line_count=1)
            )
            best_moves = [line.uci[0] for line in (await ticket.result()).lines if line.uci]
            moves = tuple(dict.fromkeys((*best_moves, *moves)))[:MAX_LINES]
            request = ChessRequest(position, MOVE_SECONDS * len(moves), line_count=len(moves), moves=moves)
            return await (await self._jobs.submit(requester, request)).result()
        except (BusyError, StoppedError, EngineError) as error:
            log.info("the moves of a poll were not compared: %s", error)
            return None


def poll_result(votes: Votes[ChessMove], analysis: ChessAnalysis | None, translate: Translator) -> PollResult:
    """Return the result of a poll. ``analysis`` has lines for the engine's best move and the poll's moves, up to :data:`MAX_LINES`."""
    lines = [] if analysis is None else [line for line in analysis.lines if line.uci]
    if analysis is None or not lines:
        vote_counts = Counter(move.uci for move, _ in votes)
        votes = sorted(votes, key=lambda vote: -vote_counts[vote[0].uci])
        return PollResult(rank_proposals(votes, (), attrgetter("san"), key=attrgetter("uci")))
    table = []
    for line in lines:
        verdict = compare_moves(analysis, lines[0].uci[0], line.uci[0])
        is_best = verdict is not None and verdict[1]
        move = ChessMove(line.san[0], line.uci[0])
        table.append(Proposal(move, move.san, (), (score_text(line, translate),), is_best=is_best))
    return PollResult(
        rank_proposals(votes, table, attrgetter("san"), key=attrgetter("uci")),
        (translate("eval"),),
        (escape(analysis.engine), translate("+ is good for White")),
    )
