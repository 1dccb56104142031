"""Finds the position that a command or a message is about, and tries plays and moves on it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from bot.chat.card import Card, Choice, Moment, NoAnswerError, Style
from bot.chat.markdown import as_spoiler, escape, escape_line
from bot.chat.source import Source
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import near_moves, play_typed
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.play_text import turn_play
from bot.domain.notations import CHESS, CROSSWORD, KINDS, kind_of
from bot.domain.reading.problems import DomainError
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess import ChessAnalyses, answer_tried_move
from bot.features.analysis.controls import Suggestions
from bot.features.analysis.crossword.rankings import play_words
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.crossword.trial import Trial, answer_trial, suggest, try_play
from bot.features.analysis.fairness import Fairness, WordQuestion, WordTool
from bot.features.analysis.service import live_words
from bot.features.showing.chess.position import moment_to_analyze, position_of_moment
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.service import Showing, explain_nothing_found
from bot.features.showing.subjects import (
    is_running,
    position_at,
    read_rack,
    require_over,
    subject_of,
    turn_to_analyze,
    wrap_position,
)
from bot.jobs.account import Requester
from bot.text import Speaker

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Subject:
    """A moment to analyze."""

    moment: Moment
    live: bool = False
    """Whether its game may still be in progress."""
    engine: ChessAnalyses | None = None
    """The service that analyzes it, for chess."""


class Trials:
    """Finds positions to analyze, and tries plays and moves on them.

    ``means`` and ``engine`` are None where nothing analyzes crossword games or chess.
    """

    def __init__(
        self,
        showing: Showing,
        means: AnalysisMeans | None,
        engine: ChessAnalyses | None,
        fairness: Fairness,
        documents: DocumentService,
    ) -> None:
        self._documents = documents
        self._showing = showing
        self._fairness = fairness
        self._means = means
        self._engine = engine

    async def try_play(
        self,
        moment: Moment,
        typed: str,
        style: Style,
        requester: Requester,
        *,
        lexicon: str = "",
        public: bool = False,
    ) -> Card:
        """Return the card of a play, or of a chess move, at a moment of a stored document.

        Raises:
            NoAnswerError: the document has expired, the play is incomprehensible or impossible to lay down, or the answer
                would be public in a game that may be in progress.

        """
        say = style.say
        item = await self._documents.document(moment.digest, say)
        await self._fairness.require(item, style, moment)
        if kind_of(item.document) is CHESS:
            return await self._try_move(item, moment, typed, style, requester)
        if self._means is None:
            raise NoAnswerError.saying(say("Analysis is not installed where this bot runs."))
        subject = await self._documents.run(subject_of, item, moment, say)
        if subject.live and public:
            raise NoAnswerError.saying(
                say("This game may still be in progress. Use `/try` for a private answer.")
            )
        means, position = self._means, subject.position

        def judge() -> Trial:
            try:
                return try_play(position, typed, style, lexicon, means)
            except DomainError as error:
                other = turn_play(typed, position)
                suggestion = "" if other is None else play_words(other, position, say)
                controls = suggest((other,) if other else (), position, moment, lexicon, say)
                raise _refusal(error, moment, say, suggestion, controls) from None

        trial = await self._documents.run(judge)
        await self._fairness.require_words(WordQuestion(WordTool.CHECK, trial.words), style)
        remarks = (live_words(say),) if subject.live else ()
        return await self._documents.run_and_draw(answer_trial, trial, moment, style, remarks=remarks)

    async def is_live(self, moment: Moment, say: Speaker) -> bool:
        """Return whether a moment belongs to a game that people may be playing right now.

        Raises:
            NoAnswerError: the document has expired.

        """
        item = await self._documents.document(moment.digest, say)
        return kind_of(item.document) is CROSSWORD and is_running(item)

    async def _try_move(
        self, item: FoundDocument, moment: Moment, typed: str, style: Style, requester: Requester
    ) -> Card:
        say = style.say
        require_over(item, say)

        def played() -> tuple[ChessPosition, ChessMove, ChessPosition]:
            position = position_of_moment(item.chess, moment)
            try:
                return position, *play_typed(position, typed)
            except DomainError as error:
                moves = near_moves(position, typed)
                choices = tuple(Choice(move, move) for move in moves)
                controls = (Suggestions(moment, "", choices),) if choices else ()
                raise _refusal(error, moment, say, ", ".join(moves), controls) from None

        before, move, after = await self._documents.run(played)
        judged = await self._judge(before, move, after, requester, say)
        return await self._documents.run_and_draw(
            lambda: answer_tried_move(
                move, after, moment, style, judged=judged, has_engine=self._engine is not None
            )
        )

    async def _judge(
        self, before: ChessPosition, move: ChessMove, after: ChessPosition, requester: Requester, say: Speaker
    ) -> tuple[ChessAnalysis, ...]:
        """Return the engine's evaluations before a move and, unless it is the engine's own, after it.

        Nothing without an engine, or if the engine is busy.
        """
        judged: tuple[ChessAnalysis, ...] = ()
        if self._engine is None:
            return judged
        try:
            judged = (await self._engine.look(before, requester, say),)
            if judged[0].lines and judged[0].lines[0].uci[0] != move.uci and not after.is_over:
                judged += (await self._engine.look(after, requester, say),)
        except NoAnswerError as no:
            log.info("a tried move lacks a part of the engine's evaluation: %s", no)
        return judged

    async def to_analyze(self, source: Source, style: Style, *, rack: str = "") -> Subject:
        """Store the first crossword position of a source, else the first chess position.

        In a game it is the latest moment with a known rack to play from; ``rack`` replaces the rack of the player
        to move.

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
            await self._documents.keep((item,), source.author_id)
            subject = Subject(await self._documents.run(moment_to_analyze, item), engine=self._engine)
        return replace(subject, moment=replace(subject.moment, spoiler=item.spoiler))

    async def to_try(self, source: Source, style: Style) -> Moment:
        """Store the first document of a source, and return the latest moment with a play to make.

        Raises:
            NoAnswerError: there is no position.

        """
        item = (await self._found(source, style))[0]
        require_over(item, style.say)
        await self._documents.keep((item,), source.author_id)
        if kind_of(item.document) is CHESS:
            moment = await self._documents.run(moment_to_analyze, item)
        else:
            moment = Moment(item.digest, await self._documents.run(turn_to_analyze, item))
        return replace(moment, spoiler=item.spoiler)

    async def _found(self, source: Source, style: Style) -> tuple[FoundDocument, ...]:
        findings = await self._showing.find_in_private(source)
        if not findings.found:
            raise NoAnswerError(explain_nothing_found(source, findings, style.say))
        return findings.found

    async def _crossword(self, source: Source, style: Style, item: FoundDocument, rack: str) -> Subject:
        live = is_running(item)
        at = await self._documents.run(turn_to_analyze, item)
        if rack:
            try:
                item = await self._documents.run(_with_rack, item, at, rack)
            except DomainError as error:
                raise NoAnswerError.saying(escape_line(style.say.problem(error))) from None
            at = 0
        await self._documents.keep((item,), source.author_id)
        moment = Moment(item.digest, at)
        await self._fairness.require(item, style, moment)
        return Subject(moment, live=live)


def _with_rack(item: FoundDocument, turn: int, rack: str) -> FoundDocument:
    """Return the position of a document with another rack for the player to move, as a document.

    Raises:
        DomainError: the rack is invalid.

    """
    position = position_at(item, turn)
    players = list(position.players)
    players[position.on_turn] = replace(players[position.on_turn], rack=read_rack(rack, position))
    return wrap_position(replace(position, players=tuple(players)))


def _refusal(
    error: DomainError, moment: Moment, say: Speaker, suggestion: str, controls: tuple[Suggestions, ...]
) -> NoAnswerError:
    """Say why a play is impossible, and which play the player may have meant."""
    text = say("This play isn't possible: {problem}.", problem=escape(say.problem(error)))
    if suggestion:
        text += f" {say('Did you mean **{play}**?', play=escape(suggestion))}"
    return NoAnswerError(Card(as_spoiler(text) if moment.spoiler else text, controls=controls, found=False))
