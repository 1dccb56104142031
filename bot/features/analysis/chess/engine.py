"""What the host's chess engine thinks of stored positions, in jobs; what it found is kept for whoever asks next."""

from __future__ import annotations

import logging

from cachetools import LRUCache

from bot.chat.card import Card, NoAnswerError
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.domain.chess.position import ChessPosition
from bot.domain.notations import is_chess
from bot.engine.uci import ChessAnalysis, EngineError
from bot.features.analysis.chess.card import answer_engine, answer_engine_failed
from bot.features.analysis.chess.job import ChessRequest
from bot.features.analysis.fairness import Fairness
from bot.features.showing.chess.page import position_of_moment
from bot.features.showing.conversion import answer_expired
from bot.features.showing.desk import Desk
from bot.features.showing.remarks import answer_busy
from bot.features.showing.subjects import require_over
from bot.jobs.queue import Asker, BusyError, Jobs, StoppedError
from bot.text import Speaker

log = logging.getLogger(__name__)

SECONDS = 3
"""How long an engine thinks when somebody asks."""
MAX_SECONDS = 20
"""How long it thinks at most, when somebody wants to know better."""
MAX_KEPT = 256
"""Analyses kept in memory."""


class ChessAnalyses:
    """Asks an engine about the positions in a store, in ``jobs``."""

    def __init__(self, desk: Desk, jobs: Jobs[ChessRequest, None, ChessAnalysis], fairness: Fairness) -> None:
        self._desk = desk
        self._fairness = fairness
        self._jobs = jobs
        self._kept: LRUCache[ChessRequest, ChessAnalysis] = LRUCache(MAX_KEPT)

    async def analyze(
        self, moment: Moment, asker: Asker, style: Style, *, seconds: int | None = None
    ) -> Card:
        """Return the engine's evaluation of a moment after so many seconds.

        Raises:
            NoAnswerError: the position has expired, the asker has to wait, or the engine failed.

        """
        say = style.say
        item = await self._desk.document(moment.digest, say)
        require_over(item, say)
        document = item.document
        if not is_chess(document):
            raise NoAnswerError(answer_expired(say))
        await self._fairness.require(item, moment, style)
        position = await self._desk.run(lambda: position_of_moment(document, moment))
        thought = min(seconds or SECONDS, MAX_SECONDS)
        analysis = await self.look(position, asker, say, seconds=thought)
        longer = MAX_SECONDS if thought < MAX_SECONDS else None
        return await self._desk.answer(lambda: answer_engine(analysis, moment, style, longer=longer))

    async def look(
        self, position: ChessPosition, asker: Asker, say: Speaker, *, seconds: int = SECONDS
    ) -> ChessAnalysis:
        """Return what the engine thinks of a position after so many seconds.

        Raises:
            NoAnswerError: the asker has to wait, or the engine failed.

        """
        try:
            return await self._analysis(asker, ChessRequest(position, seconds))
        except BusyError as busy:
            raise NoAnswerError(answer_busy(busy, say, stoppable=False)) from None
        except StoppedError:
            raise NoAnswerError(answer_engine_failed(say("it was stopped"), say)) from None
        except EngineError as error:
            log.warning("a chess analysis failed: %s", error.__cause__ or error)
            raise NoAnswerError(answer_engine_failed(escape(say.problem(error)), say)) from None

    async def _analysis(self, asker: Asker, request: ChessRequest) -> ChessAnalysis:
        analysis = self._kept.get(request)
        if analysis is None:
            ticket = await self._jobs.submit(asker, request)
            analysis = self._kept[request] = await ticket.result()
        return analysis
