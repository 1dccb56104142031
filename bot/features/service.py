"""The flow from a source to a reply: one service for every shell."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from bot.chat.control import Service as Named
from bot.chat.control import ServiceT
from bot.chat.markdown import escape_line
from bot.chat.moment import Moment
from bot.chat.offers import BookPanel
from bot.chat.page import fitting
from bot.chat.reply import NoAnswerError, Reply, Scene
from bot.chat.style import Style
from bot.domain.chess.game import ChessGame
from bot.domain.chess.notations import uci
from bot.domain.crossword.game import Game
from bot.domain.notations import CHESS, CROSSWORD, KINDS, NOTATIONS, kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.chess.engine import ChessAnalyses
from bot.features.analysis.chess.service import ChessService
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
from bot.features.showing.chess.viewer import is_collection, listed_games, moment_to_analyze
from bot.features.showing.conversion import answer_conversion, answer_expired
from bot.features.showing.crossword.live import answer_waiting
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Findings, Found, distinct
from bot.features.showing.kind import combined
from bot.features.showing.kinds import answers_of
from bot.features.showing.links import Links
from bot.features.showing.links_card import answer_collection, answer_unopened, their_words, unopened_words
from bot.features.showing.posted import MAX_SHOWN, answer_offer, answer_posted, shown_or_listed
from bot.features.showing.problem import answer_nothing, answer_refused, answer_stopped, answer_unread
from bot.features.showing.reading import Origin, Source
from bot.features.showing.sight import Sighting
from bot.features.showing.subjects import is_going_on, require_over, turn_to_analyze
from bot.features.showing.viewing import GameViewing
from bot.links import woogles
from bot.links.sites import link_to, source_of
from bot.links.values import Address, Kind
from bot.storage.errors import StoreError
from bot.text import Speaker
from render.scene import RenderedImage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Subject:
    """What was found to be analyzed."""

    moment: Moment
    live: bool = False
    """Whether its game may still be going on."""
    engine: ChessAnalyses | None = None
    """Who analyzes it where it is chess."""


class Service:
    """Answers sources. What keeps something is None in a shell that keeps nothing (the command line)."""

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
        self.metrics = desk.metrics
        self._desk = desk
        self._offers = offers
        analysis, engine = offers.analysis is not None, offers.engine is not None
        self._offered = combined(
            (
                partial(analysis_offers, analysis=analysis, engine=engine),
                partial(poll_offers, analysis=analysis),
                partial(review_offers, analysis=analysis, engine=engine),
            )
        )
        self.viewing = GameViewing(desk, self._offered)
        self.sight = Sighting(desk, self.viewing)
        self._fairness = fairness = Fairness(desk, polls.store if polls is not None else None, dailies)
        self.analyses = Analyses(desk, offers.analysis, fairness) if offers.analysis else None
        self.links = Links(desk, offers.fetcher)
        self.reviews = Reviews(desk, reviewing(offers), self.viewing, self.links, fairness)
        self.own_games = OwnGames(desk, self.reviews, own_games) if own_games else None
        self.lessons = Lessons(desk, self.reviews, teaching(offers))
        self.words = WordQuestions(desk, offers.analysis, fairness) if offers.analysis else None
        self.chess = ChessService(desk, offers.engine, fairness)
        self.engine = self.chess.engine
        self._to_analyze = {CROSSWORD.name: self._crossword_to_analyze, CHESS.name: self._chess_to_analyze}
        self.trials = Trials(desk, offers.analysis, self.chess.engine, fairness)
        self.live = LiveGames(desk, live_games, self._offered)
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
        self._offers.stop_jobs()

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
            raise NoAnswerError(_nothing(source, findings, style.say))
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
            raise NoAnswerError(_nothing(source, findings, style.say))
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
            raise NoAnswerError(_nothing(source, findings, style.say))
        item = findings.found[0]
        require_over(item, style.say)
        await self._keep(source, (item,))
        return replace(await self._desk.run(moment_to_try, item), spoiler=item.spoiler)

    async def _chess_to_analyze(self, source: Source, style: Style, item: Found, rack: str) -> Subject:
        del rack  # of a player in a crossword game
        if self.chess.engine is None:
            raise NoAnswerError.saying(style.say("This analysis is for crossword games, not for chess."))
        await self._keep(source, (item,))
        return Subject(await self._desk.run(moment_to_analyze, item), engine=self.chess.engine)

    async def find(self, source: Source) -> Findings:
        """Find and read the documents of a source; live games are put as they are now in their links' place.

        Raises:
            OverBudgetError: whoever sent it has used up what may be read at once.

        """
        findings = await self._desk.find(source)
        for item in findings.found:
            self.metrics.count("detections", item.format, "true")
        for refused in findings.refused:
            self.metrics.count("detections", refused.format, "false")
        return await self.live.follow(source, findings)

    async def _find_in_private(self, source: Source) -> Findings:
        """Find the documents of a source; a part of a live game is joined to it for this once."""
        if source.origin is not None:
            source = replace(source, origin=replace(source.origin, public=False))
        return await self.links.follow(source, await self.find(source))

    async def show(self, source: Source, style: Style, findings: Findings | None = None) -> Reply | None:
        """Answer a source with pictures; None when there is nothing to show and nobody asked."""
        if findings is None:
            findings = await self.find(source)
        findings = await self.links.follow(source, findings)
        say = style.say
        if findings.sheets and self.puzzles is not None:  # its positions alone would show solutions
            return await self.puzzles.posted.post(findings.sheets, source.origin, style)
        if not findings.found:
            if findings.waiting:
                return answer_waiting(findings.waiting, say)
            if listing := next((one for one in findings.opened if one.listed), None):
                chapter = listing.address.part
                return answer_collection(listing, say, int(chapter) - 1 if chapter else 0)
            if not source.asked and not findings.stopped and not findings.opened:
                return None
            return _nothing(source, findings, say)
        found = await self._desk.run(lambda: distinct(findings.found))
        kept = await self._could_keep(source, shown_or_listed(found))
        shown = await self._desk.run(
            answer_posted, found, style, self._offered, kept=kept, unread=findings.unread
        )
        if (panel := shown.control(BookPanel)) is not None:
            self.chess.books.remember(source.origin, panel.place.book)
        further = [answer_waiting(findings.waiting, say).text] if findings.waiting else []
        further += [their_words(one.review, one.address.site, say) for one in findings.opened if one.review]
        further += unopened_words(findings.opened, say)
        if findings.stopped:
            further.append(answer_stopped(findings.stopped, say).text)
        if ended := tuple(one for one in findings.refused if one.error.code == "search-ended"):
            further.append(answer_refused(ended, say).text)
        if further:
            shown = replace(shown, text=fitting([shown.text, *further]))
        return await self._desk.draw(shown)

    async def open(self, source: Source, style: Style, findings: Findings | None = None) -> Reply:
        """Show the first game of a source at its start; without one, the first document as it is."""
        if findings is None:
            findings = await self.find(source)
        findings = await self.links.follow(source, findings)
        for item in findings.found:
            if not answers_of(item.document).turns(item.document):
                continue
            found = distinct(findings.found)
            listed = found if is_collection(found) else (item,)
            if await self._could_keep(source, listed):
                return await self._open_at_start(item, listed, style)
        reply = await self.show(replace(source, asked=True), style, findings)
        assert reply is not None  # whoever asks is always answered
        return reply

    async def _open_at_start(self, item: Found, listed: tuple[Found, ...], style: Style) -> Reply:
        """Show a kept game at its start, with a list of those that came with it."""
        moment = Moment(item.digest, 0, spoiler=item.spoiler)
        reply = await self.viewing.show(moment, style)
        return reply.with_games(await self._desk.run(lambda: listed_games(listed, style.say)))

    async def convert(self, source: Source, to: str, style: Style) -> Reply:
        """Give the first document of a source in another notation."""
        findings = await self._find_in_private(source)
        say = style.say
        if findings.found:
            first = findings.found[0]
            return await self._desk.answer(
                lambda: answer_conversion(first.document, to, say, spoiler=first.spoiler)
            )
        return _nothing(source, findings, say)

    async def offer(self, source: Source, style: Style) -> Reply:
        """Offer the documents of a source in other notations."""
        findings = await self._find_in_private(source)
        say = style.say
        if not findings.found:
            return _nothing(source, findings, say)
        shown = distinct(findings.found)[:MAX_SHOWN]
        await self._keep(source, shown)
        return await self._desk.answer(lambda: answer_offer(shown, say))

    async def convert_kept(self, digest: str, to: str, style: Style, *, spoiler: bool = False) -> Reply:
        """Give a kept document in another notation, hidden where it is a spoiler.

        Raises:
            NoAnswerError: it has expired.

        """
        say = style.say
        item = await self._desk.document(digest, say)
        if to not in NOTATIONS:
            raise NoAnswerError(answer_expired(say))
        return await self._desk.answer(lambda: answer_conversion(item.document, to, say, spoiler=spoiler))

    async def kept_text(self, digest: str) -> str | None:
        """Return the text of a kept document, so that it is found when it is posted; None when it has expired."""
        item = await self._desk.documents.open(digest)
        if item is None:
            return None
        if item.going_on:
            # Read again where it is played: its text alone would be that of any game.
            address = await self._desk.run(source_of, item.document)
            return link_to(address) if address is not None else None
        # A single move is taken for one only where the text says so.
        alone = item.format == "uci" and not uci.is_meant(item.text)
        return f"position startpos moves {item.text}" if alone else item.text

    async def linked_game(self, game_id: str, asker: int, style: Style, *, spoiler: bool) -> Reply:
        """Show a game of a collection on woogles, by its id."""
        address = Address(woogles.NAME, Kind.GAME, game_id, spoiler=spoiler)
        findings = await self.links.open(address, asker)
        reply = await self.show(Source("", origin=Origin(0, asker, public=False)), style, findings)
        assert reply is not None  # whoever asks is always answered
        return reply

    async def linked_games(
        self, collection: str, start: int, asker: int, style: Style, *, spoiler: bool
    ) -> Reply:
        """List games of a collection on woogles, from one of them on."""
        address = Address(woogles.NAME, Kind.COLLECTION, collection, spoiler=spoiler)
        opened = (await self.links.open(address, asker)).opened
        if opened[0].error is not None:
            return answer_unopened(opened, style.say)
        return answer_collection(opened[0], style.say, start)

    async def draw(self, scene: Scene) -> RenderedImage:
        """Draw a scene on a worker thread; equal scenes asked for at the same time are drawn once."""
        return await self._desk.picture(scene)

    async def _could_keep(self, source: Source, found: tuple[Found, ...]) -> bool:
        """Keep documents for the controls under an answer; without a store that can, it has none."""
        try:
            await self._keep(source, found)
        except StoreError as error:
            log.warning("answering without controls: %s", error)
            return False
        return self._desk.documents.are_kept

    async def _keep(self, source: Source, found: tuple[Found, ...]) -> None:
        with self.metrics.stage("keep"):
            await self._desk.documents.keep(found, source.origin.author_id if source.origin else None)


def _nothing(source: Source, findings: Findings, say: Speaker) -> Reply:
    """Say why there is nothing to show: what is wrong, which file was not read, or that nothing was found."""
    if findings.stopped:
        return answer_stopped(findings.stopped, say)
    if findings.refused:
        return answer_refused(findings.refused, say)
    if any(one.error is not None for one in findings.opened):
        return answer_unopened(findings.opened, say)
    if source.unread:
        return answer_unread(source.unread[0].name, source.unread[0].limit, say)
    return answer_nothing(say)
