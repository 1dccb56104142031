"""Analyses on request: at once by equity, in a job by simulation; results are kept for whoever asks next."""

from __future__ import annotations

import time
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from cachetools import LRUCache, TTLCache

from bot.chat.card import Card, NoAnswerError
from bot.chat.markdown import behind_bars, escape
from bot.chat.moment import Moment
from bot.domain.crossword.game import turns_left
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import DEFAULT_PLIES, plies_among
from bot.features.analysis.crossword.analysis import (
    Context,
    answer_analysis,
    answer_progress,
    progress_bar,
)
from bot.features.analysis.crossword.perform import perform
from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResult, Method, Progress
from bot.features.analysis.earlier import EarlierAnalyses
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.means import AnalysisMeans
from bot.features.analysis.question import LONGER_SECONDS, AnalysisQuestion, Way
from bot.features.analysis.work import RunningWork, UnderWay
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import Subject, found_of, position_at, read_rack, subject_of
from bot.jobs.queue import Asker, Control, Ticket
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.simulation.result import SimulationState

MAX_KEPT = 256
"""Results kept in memory."""

MAX_STATE_BYTES = 32 * 2**20
"""What is kept in memory of simulations that may go on; one takes a megabyte or a few."""
STATE_SECONDS = 900.0
"""How long a simulation can go on: as long as Discord lets an answer to one person be changed."""


class RunningAnalysis(RunningWork[Progress, AnalysisResult]):
    """An analysis that takes long, on its way to an answer."""

    def __init__(
        self,
        analyses: Analyses,
        question: AnalysisQuestion,
        ticket: Ticket[Progress, AnalysisResult],
        *,
        anew: bool = False,
    ) -> None:
        super().__init__(ticket, question.style.say)
        self._analyses = analyses
        self._anew = anew
        self._question = question
        self.waits()

    def waits(self) -> None:
        """Count the time from now on."""
        self._until = time.monotonic() + self._question.options.seconds

    async def told(self, progress: Progress) -> Card:
        """Tell what is ahead."""
        question = self._question
        position = self._analyses.position_of(self.ticket)
        left = self._until - time.monotonic()
        seconds = question.options.seconds
        if position is None:
            return Card(f"⏳ {progress_bar(1 - left / seconds)}")
        hidden = question.moment.spoiler
        return Card(answer_progress(progress, position, left, seconds, question.style.say, hidden=hidden))

    async def finish(self, result: AnalysisResult) -> Card:
        """Rank the plays."""
        return await self._analyses.finish(self._question, self.ticket, result, anew=self._anew)

    def refusal(self, error: DomainError) -> Card:
        """Say why there is nothing to analyze."""
        return _refusal(error, self._question.moment, self._question.style.say).reply


class Analyses:
    """Answers what should have been played."""

    def __init__(self, desk: Desk, means: AnalysisMeans, fairness: Fairness) -> None:
        self._desk = desk
        self._means = means
        self._fairness = fairness
        self._earlier = EarlierAnalyses(desk, means.lexica)
        self._kept: LRUCache[AnalysisRequest, AnalysisResult] = LRUCache(MAX_KEPT)
        self._latest: LRUCache[Hashable, AnalysisResult] = LRUCache(MAX_KEPT)
        """What took long, by what a control under it names: position, play, method and the lexicon used."""
        self._under_way = UnderWay()
        self._positions: dict[Ticket[Progress, AnalysisResult], AnalysisRequest] = {}
        self._states: TTLCache[Hashable, SimulationState] = TTLCache(
            MAX_STATE_BYTES, STATE_SECONDS, getsizeof=lambda state: state.size
        )
        """What simulations go on from, by what names them."""

    async def best(self, question: AnalysisQuestion, method: Method = Method.EQUITY) -> Card:
        """Rank the plays of a position: by equity, or as another method did whose result is still kept.

        Raises:
            NoAnswerError: there is nothing to analyze, or no lexicon for it; or it is to be posted and not kept any
                more, or of a game that may still be going on.

        """
        say = question.style.say
        try:
            subject = await self._subject(question)
            asked = self._request(subject, question, method)
            latest = self._latest.get(_key(asked)) or await self._earlier_of(question, asked)
            result = latest or await self._result(self._request(subject, question, Method.EQUITY))
            further: tuple[str, ...] = ()
            if method is not Method.EQUITY and latest is None:
                if question.poster:
                    raise NoAnswerError.saying(_gone_words(say))
                further = (_gone_words(say),)
            return await self._answer(result, subject, question, say, further)
        except DomainError as error:
            raise _refusal(error, question.moment, say) from None

    async def answer_kept(self, question: AnalysisQuestion, method: Method) -> Card | None:
        """Return the answer of an analysis that takes long when its result is kept; None when it has to run.

        Raises:
            NoAnswerError: there is nothing to analyze.

        """
        say = question.style.say
        subject = await self._subject(question)
        request = self._request(subject, question, method)
        kept = self._kept.get(request)
        remarks: tuple[str, ...] = ()
        if kept is None and (kept := await self._earlier_of(question, request)) is not None:
            remarks = (say("From an analysis made earlier."),)
        if kept is None or not (kept.is_settled or kept.request.options.seconds >= question.options.seconds):
            return None
        self._keep(request, kept)
        return await self._answer(kept, subject, question, say, remarks)

    async def start(
        self, question: AnalysisQuestion, method: Method, asker: Asker, *, longer: bool = False
    ) -> RunningAnalysis:
        """Begin what takes long; with ``longer`` go on with a simulation, or where it is gone begin anew and say so.

        Raises:
            NoAnswerError: there is nothing to analyze, or the asker has to wait.

        """
        say = question.style.say
        if longer:
            question = replace(question, options=replace(question.options, seconds=LONGER_SECONDS))
        request = self._request(await self._subject(question), question, method)
        before = self._states.get(_key(request)) if longer else None
        work = replace(request.with_seconds(question.options.seconds), before=before)
        ticket = await self._under_way.submit(self._means.jobs, asker, work, say)
        self._positions[ticket] = request
        ticket.when_done(lambda: self._positions.pop(ticket, None))
        return RunningAnalysis(self, question, ticket, anew=longer and before is None)

    def stop(self, user: int) -> bool:
        """Stop the analysis that somebody has under way; False when there is none."""
        return self._under_way.stop(user)

    async def finish(
        self,
        question: AnalysisQuestion,
        ticket: Ticket[Progress, AnalysisResult],
        result: AnalysisResult,
        *,
        anew: bool = False,
    ) -> Card:
        """Tell the result of a job; ``anew`` says that it could not go on.

        Raises:
            NoAnswerError: the document has expired.

        """
        say = question.style.say
        if ticket.control.is_stopped:
            # The next asker has a right to the whole time.
            result = replace(result, request=result.request.with_seconds(0.0))
        result = self._with_state_apart(result)
        self._keep(result.request.with_seconds(0.0), result)
        if result.request.options.seconds or result.is_settled:
            await self._earlier.keep(question.moment.digest, result)
        subject = await self._subject(question)
        begun_anew = say("What I had of this simulation is gone, so it began anew.")
        return await self._answer(result, subject, question, say, (begun_anew,) if anew else ())

    def position_of(self, ticket: Ticket[Progress, AnalysisResult]) -> Position | None:
        """Return the position that a job under way is about."""
        request = self._positions.get(ticket)
        return request.position if request else None

    async def with_rack(self, item: Found, turn: int, rack: str, author_id: int | None) -> Found:
        """Keep the position of a document with another rack for the player on turn.

        Raises:
            DomainError: the rack is not one.

        """

        def change() -> Found:
            position = position_at(item, turn)
            tiles = read_rack(rack, position)
            seat = position.on_turn
            players = tuple(
                replace(player, rack=tiles) if number == seat else player
                for number, player in enumerate(position.players)
            )
            return found_of(replace(position, players=players))

        found = await self._desk.run(change)
        await self._desk.documents.keep((found,), author_id)
        return found

    async def _subject(self, question: AnalysisQuestion) -> Subject:
        moment, say = question.moment, question.style.say
        item = await self._desk.document(moment.digest, say)
        if is_chess(item.document):
            raise NoAnswerError.saying(say("This analysis is for crossword games, not for chess."))
        await self._fairness.require(item, moment, question.style)
        return await self._desk.run(lambda: subject_of(item, moment, say))

    def _request(self, subject: Subject, question: AnalysisQuestion, method: Method) -> AnalysisRequest:
        """Return the request that names a result: how long a simulation took is no part of its name."""
        named = question.lexicon or subject.position.rules.lexicon
        options = replace(question.options, plies=DEFAULT_PLIES, infer=False)
        if method is not Method.EQUITY:
            way = _way_in(subject.position, question.way)
            options = replace(options, plies=way.plies, infer=way.infer)
        return AnalysisRequest(
            subject.position,
            question.lexicon,
            # Where one is named, people with other preferences share the result.
            () if named.strip() else (*question.style.preferred, self._means.default_lexicon),
            method,
            options,
            subject.made,
            question.style.aliases,
        ).with_seconds(0.0)

    def _keep(self, request: AnalysisRequest, result: AnalysisResult) -> None:
        self._kept[request] = result
        # A control names the lexicon that was used; who asked first may have named none.
        self._latest[_key(replace(request, lexicon=result.lexicon))] = result

    def _with_state_apart(self, result: AnalysisResult) -> AnalysisResult:
        """Return a result without what its simulation goes on from, which is kept for a shorter while."""
        request = replace(result.request, before=None)
        simulation = result.simulation
        if simulation is None or simulation.state is None:
            return replace(result, request=request)
        with suppress(ValueError):  # larger than everything that is kept
            self._states[_key(replace(request, lexicon=result.lexicon))] = simulation.state
        return replace(result, request=request, simulation=replace(simulation, state=None))

    async def _earlier_of(
        self, question: AnalysisQuestion, request: AnalysisRequest
    ) -> AnalysisResult | None:
        """Return what is kept in the store of a request that takes long."""
        if request.method is Method.EQUITY:
            return None
        static = replace(
            request, method=Method.EQUITY, options=replace(request.options, plies=DEFAULT_PLIES, infer=False)
        )
        return await self._earlier.find(question.moment.digest, request, lambda: self._result(static))

    async def _result(self, request: AnalysisRequest) -> AnalysisResult:
        result = self._kept.get(request)
        if result is None:
            work: Control[Progress] = Control(lambda _: None)
            result = self._kept[request] = await self._desk.run(perform, request, self._means.lexica, work)
        return result

    async def _answer(
        self,
        result: AnalysisResult,
        subject: Subject,
        question: AnalysisQuestion,
        say: Speaker,
        further: tuple[str, ...] = (),
    ) -> Card:
        """Tell a result; ``further`` is to be borne in mind, too."""
        live = subject.live or question.live
        if live and question.poster:
            raise NoAnswerError.saying(say("This game may still be going on, so this is for you alone."))
        context = Context(
            subject.turn,
            subject.player,
            live,
            subject.turns,
            (*further, *remarks_on(subject.position, say, live=live)),
            question.poster,
        )
        return await self._desk.answer(
            lambda: answer_analysis(
                result,
                question.moment,
                question.style,
                shown=question.shown,
                way=_way_in(subject.position, question.way),
                context=context,
            )
        )


def _way_in(position: Position, way: Way) -> Way:
    """Return how a position is simulated where so many plies are wanted."""
    return replace(way, plies=plies_among(len(position.players), way.plies))


def _key(request: AnalysisRequest) -> Hashable:
    """Return what names a result under a control, which knows the lexicon that was used."""
    options = request.options
    return request.method, request.position, request.lexicon, request.made, options.plies, options.infer


def _gone_words(say: Speaker) -> str:
    return say("What was computed here is gone. Ask once more, and I compute it anew.")


def remarks_on(position: Position, say: Speaker, *, live: bool) -> tuple[str, ...]:
    """Say what to bear in mind with an analysis."""
    remarks = []
    known, size = len(position.players[position.on_turn].rack), position.rules.rack_size
    if known < size and position.bag_count:
        remarks.append(
            say(
                "⚠ Only {known} of {size} tiles of this rack are known; the others are left out.",
                known=known,
                size=size,
            )
        )
    left = turns_left(position)
    if left is not None and not left.sure:
        remarks.append(
            say(
                "⚠ The bag is empty and nothing says how many turns are left; I took it that each player has one."
            )
        )
    if live:
        remarks.append(
            say("⚖ This game may still be going on. Help from outside is against the rules of most games.")
        )
    return tuple(remarks)


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> NoAnswerError:
    """Say why there is no analysis."""
    text = say("No analysis: {problem}.", problem=escape(say.problem(error)))
    if moment.spoiler:
        text = behind_bars(text)
    return NoAnswerError(Card(text, found=False))
