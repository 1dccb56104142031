"""Analyzes stored crossword positions: by equity at once, by simulation or solution in a job. Results are cached."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache, TTLCache

from bot.chat.card import Card, Moment, NoAnswerError
from bot.chat.markdown import behind_bars, escape
from bot.domain.crossword.game import turns_left
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.engine.analysis import DEFAULT_PLIES, plies_among
from bot.features.analysis.controls import LONGER_SECONDS, SOLVE_SECONDS, AnalysisQuestion, Way
from bot.features.analysis.crossword.card import answer_analysis, progress_words
from bot.features.analysis.crossword.perform import lexicon_for, perform
from bot.features.analysis.crossword.request import (
    MAX_SECONDS,
    SPECIAL,
    AnalysisMeans,
    AnalysisRequest,
    AnalysisResult,
    Method,
    Progress,
    analysis_names,
)
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.work import RunningWork, UnderWay, progress_bar
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import Subject, found_of, position_at, read_rack, subject_of
from bot.jobs.codec import Codec, CodecError
from bot.jobs.queue import Asker, Control, Ticket
from bot.storage.reviews import ReviewKey
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.endgame.pre_endgame import PreEndgameResult
    from bot.engine.endgame.result import EndgameResult
    from bot.engine.lexicon.lexica import Lexica
    from bot.engine.simulation.result import SimulationResult, SimulationState
    from bot.engine.ucgi import Opinion

log = logging.getLogger(__name__)

MAX_RESULTS = 256
"""Results in memory."""

MAX_STATE_BYTES = 32 * 2**20
"""Memory for the states of simulations that may continue. A state takes a few megabytes at most."""
STATE_SECONDS = 900.0
"""The seconds for which a simulation can continue: Discord lets a private answer change for this long."""


class RunningAnalysis(RunningWork[Progress, AnalysisResult]):
    """A running simulation or solution."""

    def __init__(
        self,
        analyses: Analyses,
        question: AnalysisQuestion,
        position: Position,
        ticket: Ticket[Progress, AnalysisResult],
        *,
        anew: bool = False,
    ) -> None:
        super().__init__(ticket, question.style.say)
        self._analyses = analyses
        self._question = question
        self._position = position
        self._anew = anew
        self.waits()

    def waits(self) -> None:
        """Start the countdown again."""
        self._until = time.monotonic() + self._question.options.seconds

    async def report(self, progress: Progress) -> Card:
        """Return a line with a bar, the seconds left and the play that is ahead."""
        say, left = self._question.style.say, max(0.0, self._until - time.monotonic())
        hidden = self._question.moment.spoiler
        ahead = progress_words(progress, self._position, say, hidden=hidden)
        bar = progress_bar(1 - left / self._question.options.seconds)
        rest = say("{seconds} s left", seconds=round(left))
        return Card(" · ".join(filter(None, (f"⏳ {bar} {rest}", ahead))), accent="analysis")

    async def finish(self, result: AnalysisResult) -> Card:
        """Return the card of the ranking."""
        return await self._analyses.finish(self._question, self.ticket, result, anew=self._anew)

    def refusal(self, error: DomainError) -> Card:
        """Return a card with the reason why there is no analysis."""
        return _refusal(error, self._question.moment, self._question.style.say).reply


class Analyses:
    """Finds the best plays of stored positions."""

    def __init__(self, desk: Desk, means: AnalysisMeans, fairness: Fairness) -> None:
        self._desk = desk
        self._means = means
        self._fairness = fairness
        self._earlier = EarlierAnalyses(desk, means.lexica)
        self._results: LRUCache[AnalysisRequest, AnalysisResult] = LRUCache(MAX_RESULTS)
        self._latest: LRUCache[Hashable, AnalysisResult] = LRUCache(MAX_RESULTS)
        """Long results by what their controls know: position, play, method and the lexicon used."""
        self._under_way = UnderWay()
        self._states: TTLCache[Hashable, SimulationState] = TTLCache(
            MAX_STATE_BYTES, STATE_SECONDS, getsizeof=lambda state: state.size
        )
        """The states of simulations that can continue, by the same key."""

    async def best(self, question: AnalysisQuestion, method: Method = Method.EQUITY) -> Card:
        """Rank the plays of a position by equity, or by another method whose result is still stored.

        Raises:
            NoAnswerError: there is nothing to analyze or no lexicon. A posted analysis also needs its stored result, and a
                game that is surely over.

        """
        say = question.style.say
        try:
            subject = await self._subject(question)
            request = self._request(subject, question, method)
            latest = self._latest.get(_key(request)) or await self._earlier_of(question, request)
            result = latest or await self._result(self._request(subject, question, Method.EQUITY))
            remarks: tuple[str, ...] = ()
            if method is not Method.EQUITY and latest is None:
                gone = say("This result is no longer stored. Press the button again to compute it.")
                if question.poster:
                    raise NoAnswerError.saying(gone)
                remarks = (gone,)
            return await self._answer(result, subject, question, remarks)
        except DomainError as error:
            raise _refusal(error, question.moment, say) from None

    async def stored(self, question: AnalysisQuestion, method: Method) -> Card | None:
        """Return the card of a stored simulation or solution; None without a stored result.

        Raises:
            NoAnswerError: there is nothing to analyze.

        """
        subject = await self._subject(question)
        request = self._request(subject, question, method)
        result = self._results.get(request)
        remarks: tuple[str, ...] = ()
        if result is None and (result := await self._earlier_of(question, request)) is not None:
            remarks = (question.style.say("From an earlier analysis."),)
        if result is None:
            return None
        if not result.is_settled and result.request.options.seconds < question.options.seconds:
            return None
        self._store(request, result)
        return await self._answer(result, subject, question, remarks)

    async def start(
        self, question: AnalysisQuestion, method: Method, asker: Asker, *, longer: bool = False
    ) -> RunningAnalysis:
        """Start a simulation or a solution. ``longer`` continues a simulation, or solves again with more time.

        Raises:
            NoAnswerError: there is nothing to analyze, or the queue is full.

        """
        say = question.style.say
        subject = await self._subject(question)
        request = self._request(subject, question, method)
        before, seconds = None, question.options.seconds
        if longer and method is Method.SIMULATION:
            before, seconds = self._states.get(_key(request)), LONGER_SECONDS
        elif longer:
            latest = self._latest.get(_key(request))
            spent = latest.request.options.seconds if latest is not None else 0.0
            seconds = min(MAX_SECONDS, (spent or SOLVE_SECONDS) + SOLVE_SECONDS)
        question = replace(question, options=replace(question.options, seconds=seconds))
        work = replace(request.with_seconds(seconds), before=before)
        ticket = await self._under_way.submit(self._means.jobs, asker, work, say)
        anew = longer and method is Method.SIMULATION and before is None
        return RunningAnalysis(self, question, subject.position, ticket, anew=anew)

    def stop(self, user: int) -> bool:
        """Stop the running analysis of a person; False without one."""
        return self._under_way.stop(user)

    async def finish(
        self,
        question: AnalysisQuestion,
        ticket: Ticket[Progress, AnalysisResult],
        result: AnalysisResult,
        *,
        anew: bool = False,
    ) -> Card:
        """Store the result of a job and return its card. ``anew`` says that it could not continue.

        Raises:
            NoAnswerError: the document has expired.

        """
        say = question.style.say
        request = replace(result.request, before=None)
        if ticket.control.is_stopped:
            request = request.with_seconds(0.0)  # the next question gets the whole time
        result = replace(result, request=request)
        simulation = result.simulation
        if simulation is not None and simulation.state is not None:
            with suppress(ValueError):  # larger than the cache
                self._states[_key(replace(request, lexicon=result.lexicon))] = simulation.state
            result = replace(result, simulation=replace(simulation, state=None))
        self._store(request.with_seconds(0.0), result)
        if request.options.seconds or result.is_settled:
            await self._earlier.store(question.moment.digest, result)
        subject = await self._subject(question)
        restarted = say("The earlier simulation is no longer stored, so this one started from scratch.")
        return await self._answer(result, subject, question, (restarted,) if anew else ())

    async def with_rack(self, item: Found, turn: int, rack: str, author_id: int | None) -> Found:
        """Store the position of a document with another rack for the player on turn, and return it.

        Raises:
            DomainError: the rack is invalid.

        """

        def change() -> Found:
            position = position_at(item, turn)
            players = list(position.players)
            players[position.on_turn] = replace(players[position.on_turn], rack=read_rack(rack, position))
            return found_of(replace(position, players=tuple(players)))

        found = await self._desk.run(change)
        await self._desk.documents.keep((found,), author_id)
        return found

    async def _subject(self, question: AnalysisQuestion) -> Subject:
        moment, say = question.moment, question.style.say
        item = await self._desk.document(moment.digest, say)
        if is_chess(item.document):
            raise NoAnswerError.saying(say("This analysis is for crossword games, not for chess."))
        await self._fairness.require(item, moment, question.style)
        return await self._desk.run(subject_of, item, moment, say)

    def _request(self, subject: Subject, question: AnalysisQuestion, method: Method) -> AnalysisRequest:
        """Return the request that names a result. The time limit is not part of the name."""
        position = subject.position
        named = question.lexicon or position.rules.lexicon
        way = Way() if method is Method.EQUITY else _way_in(position, question.way)
        return AnalysisRequest(
            position,
            question.lexicon,
            # With a named lexicon, people with other preferences share the result.
            () if named.strip() else (*question.style.preferred, self._means.default_lexicon),
            method,
            replace(question.options, plies=way.plies, infer=way.infer, seconds=0.0),
            subject.made,
            question.style.aliases,
        )

    def _store(self, request: AnalysisRequest, result: AnalysisResult) -> None:
        self._results[request] = result
        # A control names the lexicon used, which the first question may not have named.
        self._latest[_key(replace(request, lexicon=result.lexicon))] = result

    async def _earlier_of(
        self, question: AnalysisQuestion, request: AnalysisRequest
    ) -> AnalysisResult | None:
        """Return the stored result of a simulation or solution."""
        if request.method is Method.EQUITY:
            return None
        static = replace(
            request, method=Method.EQUITY, options=replace(request.options, plies=DEFAULT_PLIES, infer=False)
        )
        return await self._earlier.find(question.moment.digest, request, lambda: self._result(static))

    async def _result(self, request: AnalysisRequest) -> AnalysisResult:
        result = self._results.get(request)
        if result is None:
            work: Control[Progress] = Control(lambda _: None)
            result = self._results[request] = await self._desk.run(perform, request, self._means.lexica, work)
        return result

    async def _answer(
        self, result: AnalysisResult, subject: Subject, question: AnalysisQuestion, remarks: tuple[str, ...]
    ) -> Card:
        say = question.style.say
        subject = replace(subject, live=subject.live or question.live)
        if subject.live and question.poster:
            raise NoAnswerError.saying(
                say("This game may still be in progress, so its analysis can't be posted.")
            )
        return await self._desk.answer(
            lambda: answer_analysis(
                result,
                question.moment,
                question.style,
                rank=question.rank,
                way=_way_in(subject.position, question.way),
                subject=subject,
                remarks=(*remarks, *_remarks_on(subject, say)),
                poster=question.poster,
            )
        )


@dataclass(frozen=True, slots=True)
class Worked:
    """The long part of an analysis, as it is stored; members as in :class:`AnalysisResult`."""

    seconds: float
    """The time it was given."""
    unsolved: ReadWarning | None
    simulation: SimulationResult | None
    inferred: int
    endgame: EndgameResult | None
    pre_endgame: PreEndgameResult | None
    opinion: Opinion | None
    unheard: ReadWarning | None


class EarlierAnalyses:
    """Simulations and solutions in the database, beside the reviews of their document, for all processes.

    They go with the document, and with the version that made them. Position, players and static plays come from the document
    again. Without a database nothing is stored or found.
    """

    def __init__(self, desk: Desk, lexica: Lexica) -> None:
        self._desk = desk
        self._lexica = lexica

    async def find(
        self, digest: str, request: AnalysisRequest, static: Callable[[], Awaitable[AnalysisResult]]
    ) -> AnalysisResult | None:
        """Return the stored result of a request about a document. ``static`` ranks the same position by equity."""
        key = await self._key(digest, request)
        text = None if key is None else await self._desk.documents.review(key)
        if text is None:
            return None
        try:
            worked = await self._desk.run(_codec().read, text)
        except CodecError as error:
            log.warning("a stored analysis is unreadable, so it is repeated: %s", error)
            return None
        return replace(await static(), request=request.with_seconds(worked.seconds), **_members(worked))

    async def store(self, digest: str, result: AnalysisResult) -> None:
        """Store a result about a document."""
        key = await self._key(digest, result.request)
        if key is not None:
            with suppress(CodecError):  # too long
                worked = Worked(result.request.options.seconds, **_members(result))
                await self._desk.documents.keep_review(key, await self._desk.run(_codec().write, worked))

    async def _key(self, digest: str, request: AnalysisRequest) -> ReviewKey | None:
        """Return the key of a result; None without a database or a lexicon."""
        if not self._desk.documents.are_kept:
            return None
        try:
            return await self._desk.run(_review_key, digest, request, self._lexica)
        except DomainError:
            return None


def _members(source: Worked | AnalysisResult) -> dict[str, Any]:
    return {member.name: getattr(source, member.name) for member in fields(Worked)[1:]}


def _review_key(digest: str, request: AnalysisRequest, lexica: Lexica) -> ReviewKey:
    """Return a key of the position, the method, and the edition of the lexicon.

    Raises:
        DomainError: no lexicon is installed for the position.

    """
    options, position = request.options, request.position
    named = (
        replace(position, players=(), game_id="", extra=()),
        [(player.score, player.rack) for player in position.players],
        request.made,
        request.further,
        replace(options, seconds=0.0),
    )
    mark = hashlib.sha256(repr(named).encode()).hexdigest()[:24]
    lexicon = lexica.edition(lexicon_for(request, lexica).lexicon)
    return ReviewKey(digest, lexicon, f"{request.method.value}:{mark}")


@cache
def _codec() -> Codec[Worked]:
    """Return the codec of stored analyses. Needs the engine's packages."""
    return Codec[Worked](Worked, analysis_names(), SPECIAL)


def _way_in(position: Position, way: Way) -> Way:
    """Return a way with as many plies as the number of players needs."""
    return replace(way, plies=plies_among(len(position.players), way.plies))


def _key(request: AnalysisRequest) -> Hashable:
    """Return the part of a request that a control knows. It knows the lexicon used."""
    options = request.options
    return request.method, request.position, request.lexicon, request.made, options.plies, options.infer


def _remarks_on(subject: Subject, say: Speaker) -> tuple[str, ...]:
    """Return warnings about what the position leaves open."""
    position, remarks = subject.position, []
    known, size = len(position.players[position.on_turn].rack), position.rules.rack_size
    if known < size and position.bag_count:
        remarks.append(
            say(
                "⚠ Only {known} of the {size} tiles on this rack are known, so this analysis uses these.",
                known=known,
                size=size,
            )
        )
    left = turns_left(position)
    if left is not None and not left.sure:
        remarks.append(
            say(
                "⚠ The bag is empty, and the number of turns left is unknown. One for each player is assumed."
            )
        )
    if subject.live:
        remarks.append(live_words(say))
    return tuple(remarks)


def live_words(say: Speaker) -> str:
    """Warn that help may be against the rules of a game."""
    return say("⚖ This game may still be in progress. Most games forbid help from outside.")


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> NoAnswerError:
    """Return the reason why there is no analysis."""
    text = say("No analysis: {problem}.", problem=escape(say.problem(error)))
    return NoAnswerError(Card(behind_bars(text) if moment.spoiler else text, found=False))
