"""Analyzes stored crossword positions, and caches the results.

Ranking plays by equity takes milliseconds and needs no job. Simulations and solutions run as jobs.
"""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from dataclasses import replace

from cachetools import LRUCache, TTLCache

from bot.chat.card import Card, Moment, RefusalError, join_blocks
from bot.chat.markdown import escape
from bot.domain.crossword.game import turns_left
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import AnalysisOptions, plies_for_players
from bot.engine.lexicon.lexica import Lexica
from bot.engine.simulation.result import SimulationState
from bot.features.analysis.controls import (
    MORE_SIMULATION_SECONDS,
    MORE_SOLVING_SECONDS,
    AnalysisDetails,
    AnalysisQuery,
)
from bot.features.analysis.crossword.analyze import analyze_position, choose_lexicon
from bot.features.analysis.crossword.card import analysis_card, describe_progress
from bot.features.analysis.crossword.request import (
    ANALYSIS,
    MAX_SECONDS,
    AnalysisRequest,
    AnalysisResources,
    AnalysisResult,
    Compiling,
    Method,
    Progress,
)
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.work import RunningWork, progress_bar, submit
from bot.features.showing.document_service import DocumentService
from bot.features.showing.subjects import AnalysisSubject, subject_of
from bot.jobs.account import Requester
from bot.jobs.codec import CodecError
from bot.jobs.queue import JobControl
from bot.storage.documents import ReviewKey
from bot.text import Translator

log = logging.getLogger(__name__)

MAX_CACHED_RESULTS = 512

MAX_STATE_BYTES = 32 * 2**20
"""Maximum total size of the stored simulation states. Each takes at most a few megabytes."""
STATE_SECONDS = 900.0
"""Lifetime of a simulation state: as long as Discord lets the bot edit a private reply."""


class AnalysisService:
    """Finds the best plays in stored positions."""

    def __init__(
        self,
        documents: DocumentService,
        resources: AnalysisResources,
        fairness: Fairness,
    ) -> None:
        self._documents = documents
        self._resources = resources
        self._fairness = fairness
        self._results: LRUCache[AnalysisRequest, AnalysisResult] = LRUCache(MAX_CACHED_RESULTS)
        self._states: TTLCache[AnalysisRequest, SimulationState] = TTLCache(
            MAX_STATE_BYTES, STATE_SECONDS, getsizeof=lambda state: state.size
        )
        """States of simulations that can be continued. The keys are results of :func:`_request_from_controls`."""

    async def make_ranking_card(self, query: AnalysisQuery, method: Method = Method.EQUITY) -> Card:
        """Return a card with the plays ranked by ``method``, or by equity if the method's result is no longer stored.

        Raises:
            RefusalError: the position cannot be analyzed, or the analysis would be a spoiler. A card to post (with a ``poster``) is
                also refused if its result is no longer stored or the game may be in progress.

        """
        translate = query.context.translate
        try:
            subject = await self._load_subject(query)
            remarks: tuple[str, ...] = ()
            if method is not Method.EQUITY:
                request = self._make_request(subject, query, method)
                latest_result = self._results.get(
                    _request_from_controls(request, request.lexicon)
                ) or await self.load_result(query.moment.digest, request)
                if latest_result is not None:
                    return await self._card(latest_result, subject, query, ())
                expired_text = translate(
                    "This result is no longer stored. Simulate or solve the position again."
                )
                if query.poster:
                    raise RefusalError.with_text(expired_text)
                remarks = (expired_text,)
            request = self._make_request(subject, query, Method.EQUITY)
            if (result := self._results.get(request)) is None:
                result = self._results[request] = await self._documents.run(
                    analyze_position, request, self._resources.lexica, JobControl()
                )
            return await self._card(result, subject, query, remarks)
        except DomainError as error:
            raise RefusalError(_refusal_card(error, query.moment, translate)) from None

    async def find_stored_card(self, query: AnalysisQuery, method: Method) -> Card | None:
        """Return the card for a stored result, or None if no stored result is thorough enough.

        Raises:
            RefusalError: the position cannot be analyzed, or the analysis would be a spoiler.

        """
        subject = await self._load_subject(query)
        request = self._make_request(subject, query, method)
        cached_result = self._results.get(request)
        result = cached_result or await self.load_result(query.moment.digest, request)
        if result is None or (not result.is_settled and result.request.options.seconds < query.seconds):
            return None
        self._cache(request, result)
        remarks = () if cached_result else (query.context.translate("From an earlier analysis."),)
        return await self._card(result, subject, query, remarks)

    async def start(
        self, query: AnalysisQuery, method: Method, requester: Requester, *, more_time: bool = False
    ) -> RunningWork[Progress, AnalysisResult]:
        """Start simulating or solving a position.

        ``more_time`` continues the earlier simulation if it is still stored, or solves the position again with a longer time limit.

        Raises:
            RefusalError: the position cannot be analyzed, the analysis would be a spoiler, or the queue refuses the job.

        """
        translate = query.context.translate
        subject = await self._load_subject(query)
        request = self._make_request(subject, query, method)
        state, seconds = None, query.seconds
        if more_time and method is Method.SIMULATION:
            state = self._states.get(_request_from_controls(request, request.lexicon))
            seconds = MORE_SIMULATION_SECONDS
        elif more_time:
            latest_result = self._results.get(_request_from_controls(request, request.lexicon))
            previous_seconds = latest_result.request.options.seconds if latest_result is not None else 0.0
            seconds = min(MAX_SECONDS, (previous_seconds or MORE_SOLVING_SECONDS) + MORE_SOLVING_SECONDS)
        query = replace(query, seconds=seconds)
        request = replace(request.with_seconds(seconds), earlier_simulation=state)
        ticket = await submit(self._resources.jobs, requester, request, translate)
        started_from_scratch = more_time and method is Method.SIMULATION and state is None
        remarks = (
            (translate("The earlier simulation is no longer stored, so this one started from scratch."),)
            if started_from_scratch
            else ()
        )

        async def report(progress: Progress, elapsed_seconds: float) -> Card:
            return progress_card(progress, elapsed_seconds, query, subject.position)

        async def finish(result: AnalysisResult) -> Card:
            result = await self._cache_and_save(
                query.moment.digest, result, is_stopped=ticket.control.must_stop
            )
            return await self._card(result, await self._load_subject(query), query, remarks)

        return RunningWork(
            ticket,
            translate,
            report=report,
            finish=finish,
            refuse=lambda error: _refusal_card(error, query.moment, translate),
        )

    async def _cache_and_save(
        self, digest: str, result: AnalysisResult, *, is_stopped: bool
    ) -> AnalysisResult:
        """Cache a result, and return it without the simulation's state.

        The result is also saved, unless the job was stopped before the result was settled.
        """
        request = replace(result.request, earlier_simulation=None)
        if is_stopped:
            # A time limit of 0 marks an incomplete result.
            request = request.with_seconds(0.0)
        result = replace(result, request=request)
        simulation = result.simulation
        if simulation is not None and simulation.state is not None:
            with suppress(ValueError):  # the state is larger than the cache
                self._states[_request_from_controls(request, result.lexicon)] = simulation.state
            result = replace(result, simulation=replace(simulation, state=None))
        self._cache(request.with_seconds(0.0), result)
        if request.options.seconds or result.is_settled:
            await self.save_result(digest, result)
        return result

    async def _load_subject(self, query: AnalysisQuery) -> AnalysisSubject:
        moment, translate = query.moment, query.context.translate
        found = await self._documents.load_document(moment.digest, translate)
        if is_chess(found.document):
            raise RefusalError.with_text(translate("This analysis is for crossword games, not for chess."))
        await self._fairness.check(found, query.context, moment)
        return await self._documents.run(subject_of, found, moment, translate)

    def _make_request(
        self, subject: AnalysisSubject, query: AnalysisQuery, method: Method
    ) -> AnalysisRequest:
        """Return a request with a time limit of 0. It is also the key of the cached result."""
        position = subject.position
        details = AnalysisDetails() if method is Method.EQUITY else _details_for(position, query.details)
        return AnalysisRequest(
            position,
            query.lexicon,
            self._resources.preferred_lexica(query.lexicon or position.rules.lexicon, query.context),
            method,
            AnalysisOptions(seconds=0.0, plies=details.plies, infer=details.infer),
            subject.play,
            query.context.aliases,
        )

    def _cache(self, request: AnalysisRequest, result: AnalysisResult) -> None:
        self._results[request] = self._results[_request_from_controls(request, result.lexicon)] = result

    async def load_result(self, digest: str, request: AnalysisRequest) -> AnalysisResult | None:
        key = await self._documents.run(_result_key, digest, request, self._resources.lexica)
        text = key and await self._documents.load_review(key)
        if not text:
            return None
        try:
            result = await self._documents.run(ANALYSIS.result_codec.read, text)
        except CodecError as error:
            log.warning("a stored analysis is unreadable, so it is repeated: %s", error)
            return None
        return replace(result, request=request.with_seconds(result.request.options.seconds))

    async def save_result(self, digest: str, result: AnalysisResult) -> None:
        """Save a result with the document, without the players' names."""
        if key := await self._documents.run(_result_key, digest, result.request, self._resources.lexica):
            result = replace(result, request=_without_names(result.request))
            with suppress(CodecError):  # the result is too long to be saved
                await self._documents.save_review(
                    key, await self._documents.run(ANALYSIS.result_codec.write, result)
                )

    async def _card(
        self, result: AnalysisResult, subject: AnalysisSubject, query: AnalysisQuery, remarks: tuple[str, ...]
    ) -> Card:
        translate = query.context.translate
        subject = replace(subject, may_be_in_progress=subject.may_be_in_progress or query.may_be_in_progress)
        if subject.may_be_in_progress and query.poster:
            raise RefusalError.with_text(
                translate("This game may still be in progress, so its analysis can't be posted.")
            )
        return await self._documents.run_and_draw(
            lambda: analysis_card(
                result,
                query.moment,
                query.context,
                rank=query.rank,
                details=_details_for(subject.position, query.details),
                subject=subject,
                remarks=(*remarks, *_position_remarks(subject, translate)),
                poster=query.poster,
            )
        )


def _without_names(request: AnalysisRequest) -> AnalysisRequest:
    position = request.position
    players = tuple(replace(player, name="") for player in position.players)
    return replace(request, position=replace(position, players=players, game_id="", extra=()))


def _result_key(digest: str, request: AnalysisRequest, lexica: Lexica) -> ReviewKey | None:
    """Return the key under which a result is stored, or None if no suitable lexicon is installed.

    The key contains everything that affects the result, except the time limit.
    """
    try:
        choice = choose_lexicon(request, lexica)
    except DomainError:
        return None
    key_request = _request_from_controls(_without_names(request), "")
    fingerprint = hashlib.sha256(f"{key_request!r}{choice.missing_lexicon}".encode()).hexdigest()[:24]
    return ReviewKey(digest, lexica.edition(choice.lexicon), f"{request.method.value}:{fingerprint}")


def progress_card(
    progress: Progress, elapsed_seconds: float, query: AnalysisQuery, position: Position
) -> Card:
    translate, max_seconds = query.context.translate, query.seconds
    if isinstance(progress, Compiling):
        text = translate("Compiling the engine (only once): {percent}%", percent=round(100 * progress.share))
        return Card(f"⏳ {progress_bar(progress.share)} {text}", accent="analysis")
    best_play = describe_progress(progress, position, translate, is_hidden=query.moment.spoiler)
    time_left = translate("{seconds} s left", seconds=round(max(0.0, max_seconds - elapsed_seconds)))
    line = f"⏳ {progress_bar(elapsed_seconds / max_seconds)} {time_left}"
    return Card(f"{line} · {best_play}" if best_play else line, accent="analysis")


def _details_for(position: Position, details: AnalysisDetails) -> AnalysisDetails:
    return replace(details, plies=plies_for_players(len(position.players), details.plies))


def _request_from_controls(request: AnalysisRequest, lexicon: str) -> AnalysisRequest:
    """Return the request that the controls under a result make. It names ``lexicon``, and contains no preferences."""
    return replace(request, lexicon=lexicon, preferred_lexica=(), aliases=()).with_seconds(0.0)


def _position_remarks(subject: AnalysisSubject, translate: Translator) -> tuple[str, ...]:
    position, remarks = subject.position, []
    known_count, rack_size = len(position.players[position.on_turn].rack), position.rules.rack_size
    if known_count < rack_size and position.bag_count:
        remarks.append(
            translate(
                "⚠ Only {known} of the {size} tiles on this rack are known, so this analysis uses only these.",
                known=known_count,
                size=rack_size,
            )
        )
    remaining_turns = turns_left(position)
    if remaining_turns is not None and not remaining_turns.is_certain:
        remarks.append(
            translate(
                "⚠ The bag is empty, and the number of turns left is unknown. This analysis assumes one for each "
                "player."
            )
        )
    if subject.may_be_in_progress:
        remarks.append(live_game_warning(translate))
    return tuple(remarks)


def live_game_warning(translate: Translator) -> str:
    return translate("⚖ This game may still be in progress. Most games forbid outside help.")


def _refusal_card(error: DomainError, moment: Moment, translate: Translator) -> Card:
    text = translate("No analysis: {problem}.", problem=escape(translate.problem(error)))
    return Card(join_blocks([text], moment), has_result=False)
