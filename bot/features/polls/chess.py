"""What would you play? Polls about chess positions."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from bot.chat.offers import Moment
from bot.chat.reply import Drawing, NoAnswerError, Reply
from bot.chat.style import Style
from bot.domain.chess.game import ChessMove
from bot.domain.chess.moves import play_typed
from bot.domain.chess.position import ChessPosition
from bot.engine.uci import MAX_LINES, ChessAnalysis, EngineError
from bot.features.polls.card import Voter
from bot.features.polls.chess_card import answer_outcome, card_drawing, outcome_of
from bot.features.polls.service import Polling
from bot.features.showing.chess.page import is_going_on
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.viewer import position_of_moment
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.jobs.chess import ChessRequest
from bot.jobs.queue import Asker, BusyError, ClosedError, Jobs, StoppedError
from bot.storage.polls import Poll
from bot.text import Speaker

log = logging.getLogger(__name__)

BEST_SECONDS = 2.0
"""How long an engine looks for its own best move."""
MOVE_SECONDS = 1.0
"""How long it looks at each move, about."""


class ChessPolling(Polling[ChessPosition, ChessMove]):
    """Compares moves by the host's engine. ``jobs`` is None where there is none: the moves are told alone then."""

    def __init__(self, desk: Desk, jobs: Jobs[ChessRequest, None, ChessAnalysis] | None) -> None:
        self._desk = desk
        self._jobs = jobs

    def position(self, item: Found, moment: Moment, say: Speaker) -> ChessPosition:
        """Return the position, where there is a move left to play."""
        position = position_of_moment(item.chess, moment)
        if not is_going_on(position):
            raise NoAnswerError.saying(say("The game is over here; there is nothing to find."))
        return position

    def line(self, position: ChessPosition, say: Speaker) -> str:
        """Say who is to move."""
        return position_line(position, say)

    def drawing(self, position: ChessPosition, moment: Moment, style: Style) -> Drawing:
        """Return the board."""
        return card_drawing(position, moment, style)

    def read(self, position: ChessPosition, typed: str, style: Style) -> tuple[ChessMove, str]:
        """Return a legal move."""
        del style
        move = play_typed(position, typed)[0]
        return move, move.san

    async def reveal(  # noqa: PLR0917 - as the base class has it
        self,
        position: ChessPosition,
        plays: Sequence[tuple[ChessMove, Voter]],
        poll: Poll,
        moment: Moment,
        style: Style,
        asker: Asker,
    ) -> Reply:
        """Compare moves with each other and with the engine's."""
        analysis = await self._analysis(position, tuple(dict.fromkeys(move.uci for move, _ in plays)), asker)

        def answer() -> Reply:
            outcome, ordered = outcome_of(plays, analysis, style.say)
            engine = self._jobs is not None
            return answer_outcome(poll.asker_id, position, outcome, ordered, moment, style, engine=engine)

        return await self._desk.answer(answer)

    async def _analysis(
        self, position: ChessPosition, moves: tuple[str, ...], asker: Asker
    ) -> ChessAnalysis | None:
        """Have the engine look for its best move, and then at that and the others by one search."""
        if self._jobs is None:
            return None
        try:
            ticket = await self._jobs.submit(asker, ChessRequest(position, BEST_SECONDS, lines=1))
            first = await ticket.result()
            best = [line.uci[0] for line in first.lines if line.uci]
            looked_at = tuple(dict.fromkeys((*best, *moves)))[:MAX_LINES]
            seconds = MOVE_SECONDS * len(looked_at)
            request = ChessRequest(position, seconds, lines=len(looked_at), moves=looked_at)
            ticket = await self._jobs.submit(asker, request)
            return await ticket.result()
        except (BusyError, ClosedError, StoppedError, EngineError) as error:
            log.info("the moves of a poll are told alone: %s", error)
            return None
