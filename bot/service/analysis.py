"""Analyses on request: at once by equity, in a job by simulation; results are kept for whoever asks next."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Hashable
from dataclasses import dataclass, field, replace

from cachetools import LRUCache

from bot.answers.crossword.analysis import answer_analysis, answer_interrupted, answer_progress, progress_bar
from bot.answers.findings import Found
from bot.answers.markdown import behind_bars, escape
from bot.answers.problem import answer_busy
from bot.answers.reply import Moment, NoAnswerError, Reply
from bot.domain.crossword.distributions import BLANK
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp, json_document
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import ConversionError, DomainError, ParseError, RuleError
from bot.engine.options import AnalysisOptions
from bot.jobs.analysis import AnalysisRequest, AnalysisResult, Method, Progress, perform
from bot.jobs.queue import (
    Asker,
    BusyError,
    ClosedError,
    Control,
    Running,
    StoppedError,
    Ticket,
    Waiting,
)
from bot.scenes.game import moment_of
from bot.scenes.style import Style
from bot.service.desk import Desk
from bot.service.offers import AnalysisMeans
from bot.text import Speaker

MAX_KEPT = 256
"""Results kept in memory."""


@dataclass(frozen=True, slots=True)
class AnalysisQuestion:
    """What is asked about a position, and the style of the answer."""

    moment: Moment
    style: Style = field(default_factory=Style)
    lexicon: str = ""
    """The lexicon asked for; empty for the one the position names, else a preferred one."""
    options: AnalysisOptions = field(default_factory=AnalysisOptions)
    shown: int = 0
    """The rank of the play on the board, from 0."""
    live: bool = False
    """Whether it is known to come from a game that is going on."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is analyzed."""

    position: Position
    made: Play | None
    live: bool
    """Whether it belongs to a game that may still be going on."""


class RunningAnalysis:
    """An analysis that takes long, on its way to an answer."""

    def __init__(
        self, analyses: Analyses, question: AnalysisQuestion, ticket: Ticket[Progress, AnalysisResult]
    ) -> None:
        self._analyses = analyses
        self._question = question
        self._ticket = ticket
        self._until = time.monotonic() + question.options.seconds

    def stop(self) -> None:
        """End it with the result it has so far."""
        self._ticket.stop()

    async def progress(self, every: float) -> AsyncIterator[str]:
        """Say how it stands, at most once in so many seconds, until it is done."""
        say = self._question.style.say
        async for state in self._ticket.updates():
            match state:
                case Waiting(ahead):
                    yield say.count(
                        "⏳ {number} analysis is ahead of yours",
                        "⏳ {number} analyses are ahead of yours",
                        ahead,
                    )
                    self._until = time.monotonic() + self._question.options.seconds
                case Running(None):
                    yield f"⏳ {progress_bar(0)}"
                case Running(progress) if progress is not None:
                    position = self._analyses.position_of(self._ticket)
                    if position is not None:
                        left = self._until - time.monotonic()
                        yield answer_progress(
                            progress,
                            position,
                            left,
                            self._question.options.seconds,
                            say,
                            hidden=self._question.moment.spoiler,
                        )
            await self._ticket.rest(every)

    async def reply(self) -> Reply:
        """Wait for the end and return the answer."""
        return await self._analyses.finish(self._question, self._ticket)


class Analyses:
    """Answers what should have been played."""

    def __init__(self, desk: Desk, means: AnalysisMeans) -> None:
        self._desk = desk
        self._means = means
        self._kept: LRUCache[AnalysisRequest, AnalysisResult] = LRUCache(MAX_KEPT)
        self._latest: LRUCache[Hashable, AnalysisResult] = LRUCache(MAX_KEPT)
        """What took long, by what a control under it names: position, play, method and the lexicon used."""
        self._under_way: dict[int, Ticket[Progress, AnalysisResult]] = {}
        self._positions: dict[Ticket[Progress, AnalysisResult], AnalysisRequest] = {}

    async def best(self, question: AnalysisQuestion, method: Method = Method.EQUITY) -> Reply:
        """Rank the plays of a position: by equity, or as another method did whose result is still kept.

        Raises:
            NoAnswerError: there is nothing to analyze, or no lexicon for it.

        """
        say = question.style.say
        try:
            subject = await self._subject(question.moment, say)
            request = self._request(subject, question, Method.EQUITY)
            latest = self._latest.get(_key(replace(request, method=method)))
            result = latest or await self._result(request)
            return await self._answer(result, subject, question, say)
        except DomainError as error:
            raise _refusal(error, question.moment, say) from None

    async def answer_kept(self, question: AnalysisQuestion, method: Method) -> Reply | None:
        """Return the answer of an analysis that takes long when its result is kept; None when it has to run.

        Raises:
            NoAnswerError: there is nothing to analyze.

        """
        say = question.style.say
        subject = await self._subject(question.moment, say)
        request = self._request(subject, question, method)
        kept = self._kept.get(request)
        if kept is None or not (kept.is_settled or kept.request.options.seconds >= question.options.seconds):
            return None
        self._keep(request, kept)
        return await self._answer(kept, subject, question, say)

    async def start(self, question: AnalysisQuestion, method: Method, asker: Asker) -> RunningAnalysis:
        """Begin what takes long.

        Raises:
            NoAnswerError: there is nothing to analyze, or the asker has to wait.

        """
        say = question.style.say
        request = self._request(await self._subject(question.moment, say), question, method)
        work = request.with_seconds(question.options.seconds)
        try:
            ticket = self._means.jobs.submit(asker, work)
        except BusyError as busy:
            raise NoAnswerError(answer_busy(busy, say, stoppable=True)) from None
        self._under_way[asker.user] = ticket
        self._positions[ticket] = request
        ticket.when_done(lambda: self._forget(asker.user, ticket))
        return RunningAnalysis(self, question, ticket)

    def stop(self, user: int) -> bool:
        """Stop the analysis that somebody has under way; False when there is none."""
        ticket = self._under_way.get(user)
        if ticket is not None:
            ticket.stop()
        return ticket is not None

    async def finish(self, question: AnalysisQuestion, ticket: Ticket[Progress, AnalysisResult]) -> Reply:
        """Wait for the end of an analysis and return the answer."""
        say = question.style.say
        try:
            result = await ticket.result()
            if ticket.control.is_stopped:
                # The next asker has a right to the whole time.
                result = replace(result, request=result.request.with_seconds(0.0))
            self._keep(result.request.with_seconds(0.0), result)
            subject = await self._subject(question.moment, say)
            return await self._answer(result, subject, question, say)
        except ClosedError:
            return answer_interrupted(say)
        except StoppedError:
            return Reply(say("Stopped before it began."), found=False)
        except NoAnswerError as no:
            return no.reply
        except DomainError as error:
            return _refusal(error, question.moment, say).reply

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
            position = _position_at(item, turn)
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

    async def _subject(self, moment: Moment, say: Speaker) -> _Subject:
        item = await self._desk.document(moment.digest, say)
        if is_chess(item.document):
            raise NoAnswerError.saying(say("This analysis is for crossword games, not for chess."))
        return await self._desk.run(lambda: _subject_of(item, moment, say))

    def _request(self, subject: _Subject, question: AnalysisQuestion, method: Method) -> AnalysisRequest:
        """Return the request that names a result: how long a simulation took is no part of its name."""
        named = question.lexicon or subject.position.rules.lexicon
        return AnalysisRequest(
            subject.position,
            question.lexicon,
            # Where one is named, people with other preferences share the result.
            () if named.strip() else (*question.style.preferred, self._means.default_lexicon),
            method,
            question.options,
            subject.made,
            question.style.aliases,
        ).with_seconds(0.0)

    def _keep(self, request: AnalysisRequest, result: AnalysisResult) -> None:
        self._kept[request] = result
        # A control names the lexicon that was used; who asked first may have named none.
        self._latest[_key(replace(request, lexicon=result.lexicon))] = result

    async def _result(self, request: AnalysisRequest) -> AnalysisResult:
        result = self._kept.get(request)
        if result is None:
            work: Control[Progress] = Control(lambda _: None)
            result = self._kept[request] = await self._desk.run(perform, request, self._means.lexica, work)
        return result

    async def _answer(
        self, result: AnalysisResult, subject: _Subject, question: AnalysisQuestion, say: Speaker
    ) -> Reply:
        live = subject.live or question.live
        remarks = _remarks(subject.position, say, live=live)
        return await self._desk.answer(
            lambda: answer_analysis(
                result, question.moment, question.style, shown=question.shown, remarks=remarks
            )
        )

    def _forget(self, user: int, ticket: Ticket[Progress, AnalysisResult]) -> None:
        if self._under_way.get(user) is ticket:
            del self._under_way[user]
        self._positions.pop(ticket, None)


def _key(request: AnalysisRequest) -> Hashable:
    return request.method, request.position, request.lexicon, request.made


def _remarks(position: Position, say: Speaker, *, live: bool) -> tuple[str, ...]:
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
    if live:
        remarks.append(
            say("⚖ This game may still be going on. Help from outside is against the rules of most games.")
        )
    return tuple(remarks)


def _subject_of(item: Found, moment: Moment, say: Speaker) -> _Subject:
    position = _position_at(item, moment.turn)
    made = None
    if isinstance(item.document, Game) and moment.turn < len(item.document.turns):
        coming = item.document.turns[moment.turn]
        made = coming.play if coming.player == position.on_turn else None
    if position.is_over:
        raise NoAnswerError.saying(
            say("The game is over here; go back a turn to see what could have been played.")
        )
    return _Subject(position, made, is_going_on(item))


def is_going_on(item: Found) -> bool:
    """Tell whether a document is of a game that people may be playing right now, by links or copied from one.

    A copy in another notation has the game's id, and the set of tiles is one of those that only the links have.
    """
    position = item.position
    copied = bool(position.game_id) and position.rules.distribution.name.startswith("turn-url-")
    return (item.format == "turn-url" or copied) and not position.is_over


def turn_to_analyze(item: Found, turn: int | None) -> int:
    """Return the moment of a game to analyze: the one asked for, else the latest in which somebody had a rack to play."""
    if not isinstance(item.document, Game):
        return 0
    last = len(item.document.turns)
    if turn is not None:
        return min(turn, last)
    if item.format == "turn-url" and is_going_on(item):
        # What was played before is known by its tiles alone; the question is what to play now.
        return last
    latest = 0
    for number, position in enumerate(item.document.positions()):
        if not position.is_over and position.players[position.on_turn].rack:
            latest = number
    return latest


def _position_at(item: Found, turn: int) -> Position:
    if isinstance(item.document, Game):
        return moment_of(item.document, min(turn, len(item.document.turns)), None)
    return item.position


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> NoAnswerError:
    """Say why there is no analysis."""
    text = say("No analysis: {problem}.", problem=escape(say.problem(error)))
    if moment.spoiler:
        text = behind_bars(text)
    return NoAnswerError(Reply(text, found=False))


def read_rack(text: str, position: Position) -> tuple[int, ...]:
    """Read a rack as people type it, ``?`` for a blank.

    Raises:
        ParseError: something in it is no tile.
        RuleError: it has more tiles than a rack holds.

    """
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415 - part of the analysis

    rules = position.rules
    letters = text.replace(" ", "").replace("?", "")
    blanks = text.count("?")
    if len(text) > 60:
        raise ParseError("rack-too-long", "a rack holds {most} tiles at most", most=rules.rack_size)
    tiles = (BLANK,) * blanks + tuple(speller(rules.distribution).spell(letters))
    if len(tiles) > rules.rack_size:
        raise RuleError("rack-too-long", "a rack holds {most} tiles at most", most=rules.rack_size)
    return tuple(sorted(tiles))


def found_of(position: Position) -> Found:
    """Return a position as a document: as CGP, or as JSON where CGP cannot hold it."""
    try:
        name, text = "cgp", cgp.write(position)
    except ConversionError:
        name, text = "json", json_document.write(position)
    return Found(name, text, position)
