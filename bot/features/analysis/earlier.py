"""Analyses that took long, kept beside their documents for whoever asks the same next, also of another process.

They lie where reviews lie, so they go with the document, when it expires or whoever brought it wants it forgotten, and
with the version that made them. What is kept are plays and figures; position, players and what is at once ranked anew
come from the document.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from bot.domain.reading.problems import DomainError, ReadWarning
from bot.features.analysis.crossword.perform import lexicon_for
from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResult
from bot.features.analysis.jobs import SPECIAL, analysis_names
from bot.features.showing.desk import Desk
from bot.jobs.codec import Codec, CodecError
from bot.storage.reviews import ReviewKey

if TYPE_CHECKING:
    from bot.engine.endgame.pre_endgame import PreEndgameResult
    from bot.engine.endgame.result import EndgameResult
    from bot.engine.lexicon.lexica import Lexica
    from bot.engine.simulation.result import SimulationResult
    from bot.engine.ucgi import Opinion

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Worked:
    """What took long in an analysis; members as in :class:`AnalysisResult`."""

    seconds: float
    """How long it was given."""
    unsolved: ReadWarning | None
    simulation: SimulationResult | None
    inferred: int
    endgame: EndgameResult | None
    pre_endgame: PreEndgameResult | None
    opinion: Opinion | None
    unheard: ReadWarning | None


class EarlierAnalyses:
    """Analyses in the store. Without a store nothing is found, and nothing kept."""

    def __init__(self, desk: Desk, lexica: Lexica) -> None:
        self._desk = desk
        self._lexica = lexica

    async def find(
        self, digest: str, request: AnalysisRequest, static: Callable[[], Awaitable[AnalysisResult]]
    ) -> AnalysisResult | None:
        """Return the result of a request about a document; None when there is none.

        ``static`` ranks the same position by equity.
        """
        key = await self._key(digest, request)
        text = None if key is None else await self._desk.documents.review(key)
        if text is None:
            return None
        try:
            worked = await self._desk.run(_codec().read, text)
        except CodecError as error:
            log.warning("an analysis is made anew: %s", error)
            return None
        ranked = await static()
        return replace(ranked, request=request.with_seconds(worked.seconds), **_members(worked))

    async def keep(self, digest: str, result: AnalysisResult) -> None:
        """Keep a result about a document for whoever asks next."""
        key = await self._key(digest, result.request)
        if key is None:
            return
        with suppress(CodecError):  # too long to be kept
            worked = Worked(result.request.options.seconds, **_members(result))
            await self._desk.documents.keep_review(key, await self._desk.run(_codec().write, worked))

    async def _key(self, digest: str, request: AnalysisRequest) -> ReviewKey | None:
        """Return what a result is kept by; None when it is not."""
        if not self._desk.documents.are_kept:
            return None
        try:
            return await self._desk.run(_key, digest, request, self._lexica)
        except DomainError:  # without a lexicon, which is told where the position is analyzed
            return None


def _members(of: Worked | AnalysisResult) -> dict[str, Any]:
    return {one.name: getattr(of, one.name) for one in fields(Worked) if one.name != "seconds"}


def _key(digest: str, request: AnalysisRequest, lexica: Lexica) -> ReviewKey:
    """Return the name of a result: what is analyzed, how, and by which edition of which lexicon.

    Raises:
        DomainError: there is no lexicon for it.

    """
    options, position = request.options, request.position
    asked = (
        replace(position, players=(), game_id="", extra=()),
        [(player.score, player.rack) for player in position.players],
        request.made,
        request.further,
        replace(options, seconds=0.0),
    )
    mark = hashlib.sha256(repr(asked).encode()).hexdigest()[:24]
    lexicon = lexica.edition(lexicon_for(request, lexica).lexicon)
    return ReviewKey(digest, lexicon, f"{request.method.value}:{mark}")


@cache
def _codec() -> Codec[Worked]:
    """Return how they are written; the engine's packages are needed."""
    return Codec[Worked](Worked, analysis_names(), SPECIAL)
