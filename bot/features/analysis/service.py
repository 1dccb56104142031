"""Analyzes stored crossword positions: by equity at once, by simulation or solution in a job. Results are cached."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from cachetools import LRUCache, TTLCache

from bot.chat.card import Card, Moment, NoAnswerError
from bot.chat.markdown import as_spoiler, escape
from bot.domain.crossword.game import turns_left
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import AnalysisOptions, plies_among
from bot.features.analysis.controls import LONGER_SECONDS, SOLVE_SECONDS, AnalysisQuestion, Way
from bot.features.analysis.crossword.card import answer_analysis, progress_words
from bot.features.analysis.crossword.perform import lexicon_for, perform
from bot.features.analysis.crossword.request import (
    ANALYSIS,
    MAX_SECONDS,
    AnalysisMeans,
    AnalysisRequest,
    AnalysisResult,
    Compiling,
    Method,
    Progress,
)
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.work import RunningWork, UnderWay, progress_bar
from bot.features.showing.document_service import DocumentService
from bot.features.showing.subjects import Subject, subject_of
from bot.jobs.account import Requester
from bot.jobs.codec import CodecError
from bot.jobs.queue import Control
from bot.storage.documents import ReviewKey
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica
    from bot.engine.simulation.result import SimulationState

log = logging.getLogger(__name__)

MAX_RESULTS = 256
"""Maximum number of results in memory."""

MAX_STATE_BYTES = 32 * 2**20
"""Memory for the states of simulations that may continue. A state takes a few megabytes at most."""
STATE_SECONDS = 900.0
"""The seconds for which a simulation can continue: Discord lets a private answer change for this long."""


class Analyses:
    """Finds the best plays of stored positions."""

    def __init__(
        self, documents: DocumentService, means: AnalysisMeans, fairness: Fairness, under_way: UnderWay
    ) -> None:
        self._documents = documents
        self._means = means
        self._fairness = fairness
        self._under_way = under_way
        self._results: LRUCache[AnalysisRequest, AnalysisResult] = LRUCache(MAX_RESULTS)
        self._latest: LRUCache[Hashable, AnalysisResult] = LRUCache(MAX_RESULTS)
        """Long results by what their controls know: position, play, method and the lexicon used."""
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
            latest = self._latest.get(_key(request)) or await self.earlier(question.moment.digest, request)
            result = latest or await self._result(self._request(subject, question, Method.EQUITY))
            remarks: tuple[str, ...] = ()
            if method is not Method.EQUITY and latest is None:
                expired = say("This result is no longer stored. Press the button again to compute it.")
                if question.poster:
                    raise NoAnswerError.saying(expired)
                remarks = (expired,)
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
        if result is None and (result := await self.earlier(question.moment.digest, request)) is not None:
            remarks = (question.style.say("From an earlier analysis."),)
        if result is None:
            return None
        if not result.is_settled and result.request.options.seconds < question.seconds:
            return None
        self._store(request, result)
        return await self._answer(result, subject, question, remarks)

    async def start(
        self, question: AnalysisQuestion, method: Method, requester: Requester, *, longer: bool = False
    ) -> RunningWork[Progress, AnalysisResult]:
        """Start a simulation or a solution. ``longer`` continues a simulation, or solves again with more time.

        Raises:
            NoAnswerError: there is nothing to analyze, or the queue is full.

        """
        say = question.style.say
        subject = await self._subject(question)
        request = self._request(subject, question, method)
        before, seconds = None, question.seconds
        if longer and method is Method.SIMULATION:
            before, seconds = self._states.get(_key(request)), LONGER_SECONDS
        elif longer:
            latest = self._latest.get(_key(request))
            spent = latest.request.options.seconds if latest is not None else 0.0
            seconds = min(MAX_SECONDS, (spent or SOLVE_SECONDS) + SOLVE_SECONDS)
        question = replace(question, seconds=seconds)
        work = replace(request.with_seconds(seconds), before=before)
        ticket = await self._under_way.submit(self._means.jobs, requester, work, say)
        remarks: tuple[str, ...] = ()
        if longer and method is Method.SIMULATION and before is None:
            remarks = (say("The earlier simulation is no longer stored, so this one started from scratch."),)

        async def report(progress: Progress, spent: float) -> Card:
            return report_card(progress, spent, question, subject.position)

        async def finish(result: AnalysisResult) -> Card:
            result = await self._finish(question.moment.digest, result, stopped=ticket.control.is_stopped)
            return await self._answer(result, await self._subject(question), question, remarks)

        def refuse(error: DomainError) -> Card:
            return _refusal(error, question.moment, say).reply

        return RunningWork(ticket, say, report=report, finish=finish, refuse=refuse)

    async def _finish(self, digest: str, result: AnalysisResult, *, stopped: bool) -> AnalysisResult:
        """Store the result of a job, and return it without the state of its simulation."""
        request = replace(result.request, before=None)
        if stopped:
            request = request.with_seconds(0.0)  # the next question gets the whole time
        result = replace(result, request=request)
        simulation = result.simulation
        if simulation is not None and simulation.state is not None:
            with suppress(ValueError):  # larger than the cache
                self._states[_key(replace(request, lexicon=result.lexicon))] = simulation.state
            result = replace(result, simulation=replace(simulation, state=None))
        self._store(request.with_seconds(0.0), result)
        if request.options.seconds or result.is_settled:
            await self.save(digest, result)
        return result

    async def _subject(self, question: AnalysisQuestion) -> Subject:
        moment, say = question.moment, question.style.say
        item = await self._documents.document(moment.digest, say)
        if is_chess(item.document):
            raise NoAnswerError.saying(say("This analysis is for crossword games, not for chess."))
        await self._fairness.require(item, question.style, moment)
        return await self._documents.run(subject_of, item, moment, say)

    def _request(self, subject: Subject, question: AnalysisQuestion, method: Method) -> AnalysisRequest:
        """Return the request that names a result. The time limit is not part of the name."""
        position = subject.position
        named = question.lexicon or position.rules.lexicon
        way = Way() if method is Method.EQUITY else _way_in(position, question.way)
        return AnalysisRequest(
            position,
            question.lexicon,
            # With a named lexicon, people with other preferences share the result.
            () if named.strip() else (*question.style.preferred_lexica, self._means.default_lexicon),
            method,
            AnalysisOptions(seconds=0.0, plies=way.plies, infer=way.infer),
            subject.made,
            question.style.aliases,
        )

    def _store(self, request: AnalysisRequest, result: AnalysisResult) -> None:
        self._results[request] = result
        # A control names the lexicon used, which the first question may not have named.
        self._latest[_key(replace(request, lexicon=result.lexicon))] = result

    async def earlier(self, digest: str, request: AnalysisRequest) -> AnalysisResult | None:
        """Return the result of a simulation or solution that was saved beside its document."""
        if request.method is Method.EQUITY:
            return None
        key = await self._documents.run(_result_key, digest, request, self._means.lexica)
        text = key and await self._documents.review(key)
        if not text:
            return None
        try:
            found = await self._documents.run(ANALYSIS.result.read, text)
        except CodecError as error:
            log.warning("a stored analysis is unreadable, so it is repeated: %s", error)
            return None
        return replace(found, request=request.with_seconds(found.request.options.seconds))

    async def save(self, digest: str, result: AnalysisResult) -> None:
        """Save a result beside its document, without the names of the players."""
        if key := await self._documents.run(_result_key, digest, result.request, self._means.lexica):
            result = replace(result, request=_nameless(result.request))
            with suppress(CodecError):  # too long
                await self._documents.keep_review(
                    key, await self._documents.run(ANALYSIS.result.write, result)
                )

    async def _result(self, request: AnalysisRequest) -> AnalysisResult:
        result = self._results.get(request)
        if result is None:
            result = self._results[request] = await self._documents.run(
                perform, request, self._means.lexica, Control()
            )
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
        return await self._documents.run_and_draw(
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


def _nameless(request: AnalysisRequest) -> AnalysisRequest:
    """Return a request without the names of the players and of the game."""
    position = request.position
    players = tuple(replace(player, name="") for player in position.players)
    return replace(request, position=replace(position, players=players, game_id="", extra=()))


def _result_key(digest: str, request: AnalysisRequest, lexica: Lexica) -> ReviewKey | None:
    """Return the key of a saved result: all that it depends on, with the edition of the lexicon.

    None if no lexicon is installed for the position.
    """
    try:
        chosen = lexicon_for(request, lexica)
    except DomainError:
        return None
    named = replace(_nameless(request), lexicon="", preferred=(), aliases=()).with_seconds(0.0)
    mark = hashlib.sha256(f"{named!r}{chosen.missing}".encode()).hexdigest()[:24]
    return ReviewKey(digest, lexica.edition(chosen.lexicon), f"{request.method.value}:{mark}")


def report_card(progress: Progress, spent: float, question: AnalysisQuestion, position: Position) -> Card:
    """Return a line with a bar, the seconds left and the play that is ahead, after ``spent`` seconds.

    While the engine is compiled, the bar shows how much of it is.
    """
    say, seconds = question.style.say, question.seconds
    if isinstance(progress, Compiling):
        words = say("Compiling the engine (only once): {percent}%", percent=round(100 * progress.share))
        return Card(f"⏳ {progress_bar(progress.share)} {words}", accent="analysis")
    ahead = progress_words(progress, position, say, hidden=question.moment.spoiler)
    rest = say("{seconds} s left", seconds=round(max(0.0, seconds - spent)))
    line = f"⏳ {progress_bar(spent / seconds)} {rest}"
    return Card(f"{line} · {ahead}" if ahead else line, accent="analysis")


def _way_in(position: Position, way: Way) -> Way:
    """Return the details of an analysis with the number of plies that the number of players needs."""
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
                "⚠ The bag is empty, and the number of turns left is unknown. This analysis assumes one for each "
                "player."
            )
        )
    if subject.live:
        remarks.append(live_words(say))
    return tuple(remarks)


def live_words(say: Speaker) -> str:
    """Warn that help may be against the rules of a game."""
    return say("⚖ This game may still be in progress. Most games forbid outside help.")


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> NoAnswerError:
    """Return the reason why there is no analysis."""
    text = say("No analysis: {problem}.", problem=escape(say.problem(error)))
    return NoAnswerError(Card(as_spoiler(text) if moment.spoiler else text, found=False))
