"""The flow from a source to a reply: one service for every shell."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from bot.chat.card import NoAnswerError
from bot.chat.control import Service as Named
from bot.chat.control import ServiceT
from bot.chat.markdown import escape_line
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.domain.chess.game import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import CHESS, CROSSWORD, KINDS, kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.chess.engine import ChessAnalyses
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.offered import offers as analysis_offers
from bot.features.analysis.offers import Offers
from bot.features.analysis.service import Analyses
from bot.features.analysis.trials import Trials, moment_to_try
from bot.features.analysis.words import WordQuestions
from bot.features.live.service import LiveGames, LiveGameStore
from bot.features.polls.controls import offers as poll_offers
from bot.features.polls.service import Polls
from bot.features.puzzles.daily_service import Dailies
from bot.features.puzzles.own_mistakes import OwnMistakes
from bot.features.puzzles.service import Puzzles
from bot.features.review.games import reviewing, teaching
from bot.features.review.lessons import Lessons
from bot.features.review.offered import offers as review_offers
from bot.features.review.own_games import OwnGameKeeper, OwnGames
from bot.features.review.service import Reviews
from bot.features.showing.chess.viewer import moment_to_analyze
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found, distinct
from bot.features.showing.kind import combined
from bot.features.showing.reading import Source
from bot.features.showing.service import Showing, why_nothing
from bot.features.showing.subjects import is_going_on, require_over, turn_to_analyze

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Subject:
    """What was found to be analyzed."""

    moment: Moment
    live: bool = False
    """Whether its game may still be going on."""
    engine: ChessAnalyses | None = None
    """Who analyzes it where it is chess."""


class Service(Showing):
    """Answers everything. What keeps something is None in a shell that keeps nothing (the command line)."""

    def __init__(
        self,
        desk: Desk,
        live_games: LiveGameStore | None = None,
        offers: Offers | None = None,
        *,
        puzzles: Puzzles | None = None,
        dailies: Dailies | None = None,
        polls: Polls | None = None,
        own_games: OwnGameKeeper | None = None,
    ) -> None:
        offers = offers or Offers()
        analysis, engine = offers.analysis is not None, offers.engine is not None
        offered = combined(
            (
                partial(analysis_offers, analysis=analysis, engine=engine),
                partial(poll_offers, analysis=analysis),
                partial(review_offers, analysis=analysis, engine=engine),
            )
        )
        self.live = LiveGames(desk, live_games, offered)
        post = puzzles.posted.post if puzzles is not None else None
        super().__init__(desk, offered, offers.fetcher, follow=self.live.follow, post=post)
        self._installed = offers
        self.showing = self
        self._fairness = fairness = Fairness(
            desk, polls.store if polls is not None else None, puzzles.guard if puzzles is not None else None
        )
        self.analyses = Analyses(desk, offers.analysis, fairness) if offers.analysis else None
        self.reviews = Reviews(desk, reviewing(offers), self.viewing, self.links, fairness)
        self.own_games = OwnGames(desk, self.reviews, own_games) if own_games else None
        self.lessons = Lessons(desk, self.reviews, teaching(offers))
        self.words = WordQuestions(desk, offers.analysis, fairness) if offers.analysis else None
        self.engine = ChessAnalyses(desk, offers.engine, fairness) if offers.engine else None
        self._to_analyze = {CROSSWORD.name: self._crossword_to_analyze, CHESS.name: self._chess_to_analyze}
        self.trials = Trials(desk, offers.analysis, self.engine, fairness)
        self.puzzles = puzzles
        self.mistakes = (
            OwnMistakes(self.own_games, self.lessons, puzzles.store) if self.own_games and puzzles else None
        )
        self.dailies = dailies
        self.polls = polls

    def of(self, service: Named[ServiceT]) -> ServiceT | None:
        """Return a service by its name; None where there is none."""
        return cast("ServiceT | None", getattr(self, service.name))

    def stop_jobs(self) -> None:
        """Take no more jobs; those under way end within a few seconds with the result they have, or go on elsewhere."""
        self._installed.stop_jobs()

    def stop_job_of(self, user: int) -> bool:
        """Stop what somebody has under way, whatever it is; False when there is nothing."""
        stopped = [
            kind.stop(user) for kind in (self.analyses, self.reviews, self.lessons) if kind is not None
        ]
        return any(stopped)

    async def to_review(self, source: Source, style: Style) -> tuple[tuple[Moment, ...], int]:
        """Keep the games of a source for a review; return how many further documents it has, too.

        Raises:
            NoAnswerError: there is no game.

        """
        findings = await self._find_in_private(source)
        if not findings.found:
            raise NoAnswerError(why_nothing(source, findings, style.say))
        games = [item for item in findings.found if isinstance(item.document, (Game, ChessGame))]
        if not games or games[0].going_on:
            raise NoAnswerError.saying(style.say("Only finished games are reviewed here."))
        kept = await self._desk.run(lambda: distinct(tuple(games)))
        await self._keep(source, kept)
        return tuple(Moment(item.digest, 0, spoiler=item.spoiler) for item in kept), findings.unread

    def stop_reading(self) -> None:
        """Kill what is being read or drawn in processes, and read nothing more there: whoever waits is cancelled."""
        self._desk.stop_reading()

    async def to_analyze(
        self,
        source: Source,
        style: Style,
        *,
        rack: str = "",
    ) -> Subject:
        """Keep the first crossword position of a source for an analysis, or of chess where there is nothing else.

        Of a game it is the latest moment in which somebody had something to play; ``rack`` is to be given to the player
        on turn.

        Raises:
            NoAnswerError: there is nothing to analyze.

        """
        findings = await self._find_in_private(source)
        if not findings.found:
            raise NoAnswerError(why_nothing(source, findings, style.say))
        item = min(findings.found, key=lambda one: KINDS.index(kind_of(one.document)))
        require_over(item, style.say)
        subject = await self._to_analyze[kind_of(item.document).name](source, style, item, rack)
        return replace(subject, moment=replace(subject.moment, spoiler=item.spoiler))

    async def _crossword_to_analyze(self, source: Source, style: Style, item: Found, rack: str) -> Subject:
        assert self.analyses is not None  # nobody asks where it is not offered
        live = is_going_on(item)
        at = await self._desk.run(turn_to_analyze, item)
        if rack:
            author = source.origin.author_id if source.origin else None
            try:
                item = await self.analyses.with_rack(item, at, rack, author)
            except DomainError as error:
                raise NoAnswerError.saying(escape_line(style.say.problem(error))) from None
            at = 0
        else:
            await self._keep(source, (item,))
        moment = Moment(item.digest, at)
        await self._fairness.require(item, moment, style)
        return Subject(moment, live=live)

    async def to_try(self, source: Source, style: Style) -> Moment:
        """Keep the first document of a source, and return the moment in which somebody may try a play.

        Raises:
            NoAnswerError: there is no position.

        """
        findings = await self._find_in_private(source)
        if not findings.found:
            raise NoAnswerError(why_nothing(source, findings, style.say))
        item = findings.found[0]
        require_over(item, style.say)
        await self._keep(source, (item,))
        return replace(await self._desk.run(moment_to_try, item), spoiler=item.spoiler)

    async def _chess_to_analyze(self, source: Source, style: Style, item: Found, rack: str) -> Subject:
        del rack  # of a player in a crossword game
        if self.engine is None:
            raise NoAnswerError.saying(style.say("This analysis is for crossword games, not for chess."))
        await self._keep(source, (item,))
        return Subject(await self._desk.run(moment_to_analyze, item), engine=self.engine)
