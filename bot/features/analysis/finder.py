"""Finds the position that a command or a message is about, and stores it for the controls of the card."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.chat.card import NoAnswerError
from bot.chat.markdown import escape_line
from bot.chat.moment import Moment
from bot.chat.source import Source
from bot.chat.style import Style
from bot.domain.notations import CROSSWORD, KINDS, kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.chess import ChessAnalyses
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.service import Analyses
from bot.features.analysis.trials import moment_to_try
from bot.features.showing.chess.page import moment_to_analyze
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.service import Showing, why_nothing
from bot.features.showing.subjects import is_going_on, require_over, turn_to_analyze


@dataclass(frozen=True, slots=True)
class Subject:
    """A moment to analyze."""

    moment: Moment
    live: bool = False
    """Whether its game may still be in progress."""
    engine: ChessAnalyses | None = None
    """The service that analyzes it, for chess."""


class PositionFinder:
    """Finds and stores the position to analyze. ``analyses`` and ``engine`` are None where they are not installed."""

    def __init__(
        self,
        desk: Desk,
        showing: Showing,
        analyses: Analyses | None,
        engine: ChessAnalyses | None,
        fairness: Fairness,
    ) -> None:
        self._desk = desk
        self._showing = showing
        self._analyses = analyses
        self._engine = engine
        self._fairness = fairness

    async def to_analyze(self, source: Source, style: Style, *, rack: str = "") -> Subject:
        """Store the first crossword position of a source, else the first chess position.

        In a game it is the latest moment with a known rack to play from; ``rack`` replaces the rack of the player
        on turn.

        Raises:
            NoAnswerError: there is nothing to analyze.

        """
        found = await self._found(source, style)
        item = min(found, key=lambda item: KINDS.index(kind_of(item.document)))
        require_over(item, style.say)
        if kind_of(item.document) is CROSSWORD:
            subject = await self._crossword(source, style, item, rack)
        elif self._engine is None:
            raise NoAnswerError.saying(style.say("This analysis is for crossword games, not for chess."))
        else:
            await self._showing.keep(source, (item,))
            subject = Subject(await self._desk.run(moment_to_analyze, item), engine=self._engine)
        return replace(subject, moment=replace(subject.moment, spoiler=item.spoiler))

    async def to_try(self, source: Source, style: Style) -> Moment:
        """Store the first document of a source, and return the moment in which a play can be tried.

        Raises:
            NoAnswerError: there is no position.

        """
        item = (await self._found(source, style))[0]
        require_over(item, style.say)
        await self._showing.keep(source, (item,))
        return replace(await self._desk.run(moment_to_try, item), spoiler=item.spoiler)

    async def _found(self, source: Source, style: Style) -> tuple[Found, ...]:
        findings = await self._showing.find_in_private(source)
        if not findings.found:
            raise NoAnswerError(why_nothing(source, findings, style.say))
        return findings.found

    async def _crossword(self, source: Source, style: Style, item: Found, rack: str) -> Subject:
        assert self._analyses is not None  # the commands check it
        live = is_going_on(item)
        at = await self._desk.run(turn_to_analyze, item)
        if rack:
            author = source.origin.author_id if source.origin else None
            try:
                item = await self._analyses.with_rack(item, at, rack, author)
            except DomainError as error:
                raise NoAnswerError.saying(escape_line(style.say.problem(error))) from None
            at = 0
        else:
            await self._showing.keep(source, (item,))
        moment = Moment(item.digest, at)
        await self._fairness.require(item, moment, style)
        return Subject(moment, live=live)
