"""What the host's chess engine thinks of stored positions, in jobs; what it found is kept for whoever asks next."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from bot.answers.chess.engine import answer_engine, answer_engine_busy, answer_engine_failed
from bot.answers.chess.viewer import position_of_moment
from bot.answers.conversion import answer_expired
from bot.answers.markdown import escape
from bot.answers.reply import Moment, Reply
from bot.domain.notations import is_chess
from bot.engine.uci import ChessAnalysis, EngineError
from bot.jobs.chess import ChessRequest
from bot.jobs.queue import Asker, BusyError, Jobs, StoppedError
from bot.scenes.crossword import View
from bot.service.documents import Documents
from bot.service.drawing import Artist
from bot.text import speaker

Value = TypeVar("Value")

log = logging.getLogger(__name__)

SECONDS = 3
"""How long an engine thinks when somebody asks."""
LONGER = 20
"""How long it thinks when somebody wants to know better."""
MOST_KEPT = 256
"""Analyses kept in memory."""


class ChessAnalyses:
    """Asks an engine about the positions in a store, in ``jobs``."""

    def __init__(
        self,
        executor: Executor,
        artist: Artist,
        documents: Documents,
        jobs: Jobs[ChessRequest, None, ChessAnalysis],
    ) -> None:
        self._executor = executor
        self._artist = artist
        self._documents = documents
        self._jobs = jobs
        self._kept: OrderedDict[ChessRequest, ChessAnalysis] = OrderedDict()

    async def analyze(
        self, moment: Moment, asker: Asker, locale: str, view: View, *, seconds: int | None = None
    ) -> Reply:
        """Tell what the engine thinks of a moment after so many seconds, or why it does not."""
        say = speaker(locale)
        item = await self._documents.open(moment.digest)
        if item is None or not is_chess(item.document):
            return answer_expired(say).undrawn()
        document = item.document
        position = await self._off_loop(lambda: position_of_moment(document, moment))
        request = ChessRequest(position, min(seconds or SECONDS, LONGER))
        try:
            analysis = await self._analysis(asker, request)
        except BusyError as busy:
            return answer_engine_busy(busy.reason, say).undrawn()
        except StoppedError:
            return answer_engine_failed(say("it was stopped"), say).undrawn()
        except EngineError as error:
            log.warning("a chess analysis failed: %s", error.__cause__ or error)
            return answer_engine_failed(escape(say.problem(error)), say).undrawn()
        longer = LONGER if request.seconds < LONGER else None
        answer = await self._off_loop(lambda: answer_engine(analysis, moment, view, say, longer=longer))
        return await self._artist.drawn(answer)

    async def _analysis(self, asker: Asker, request: ChessRequest) -> ChessAnalysis:
        if request not in self._kept:
            analysis = await self._jobs.submit(asker, request).result()
            self._kept[request] = analysis
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(request)
        return self._kept[request]

    async def _off_loop(self, work: Callable[[], Value]) -> Value:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)
