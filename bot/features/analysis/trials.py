"""Finds positions to analyze, and tries plays and chess moves."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from bot.chat.card import Card, Choice, Moment, RefusalError, ReplyContext, join_blocks
from bot.chat.markdown import escape, escape_line
from bot.chat.source import Source
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import play_typed_move, similar_moves
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.play_text import play_in_other_direction
from bot.domain.notations import CHESS, CROSSWORD, KINDS, kind_of
from bot.domain.reading.problems import DomainError
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess import ChessAnalysisService, tried_move_card
from bot.features.analysis.controls import SuggestionMenu
from bot.features.analysis.crossword.rankings import describe_play
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.analysis.crossword.trial import TriedPlay, suggestion_menus, tried_play_card, try_play
from bot.features.analysis.fairness import Fairness, WordQuery, WordQueryKind
from bot.features.analysis.service import live_game_warning
from bot.features.showing.chess.position import moment_to_analyze, position_of_moment
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.service import Presenter
from bot.features.showing.subjects import (
    document_from_position,
    may_be_in_progress,
    position_at,
    read_rack,
    refuse_if_in_progress,
    subject_of,
    turn_to_analyze,
)
from bot.jobs.account import Requester
from bot.text import Translator

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AnalysisTarget:
    """A stored position to analyze."""

    moment: Moment
    may_be_in_progress: bool = False
    chess_analyses: ChessAnalysisService | None = None
    """None for a crossword position."""


class TrialService:
    """Finds positions to analyze, and tries plays and chess moves."""

    def __init__(
        self,
        presenter: Presenter,
        resources: AnalysisResources | None,
        chess_analyses: ChessAnalysisService | None,
        fairness: Fairness,
        documents: DocumentService,
    ) -> None:
        self._documents = documents
        self._presenter = presenter
        self._fairness = fairness
        self._resources = resources
        self._chess_analyses = chess_analyses

    async def try_play(
        self,
        moment: Moment,
        play_text: str,
        context: ReplyContext,
        requester: Requester,
        *,
        lexicon: str = "",
        public: bool = False,
    ) -> Card:
        """Return a card that shows what a play or chess move is worth.

        Raises:
            RefusalError: the document has expired, the text is neither a play that fits on the board nor a legal move, crossword
                analysis is not installed, the reply would spoil a daily or a poll, the crossword game is over at this moment, the game
                is in progress on its site, or a public reply could help a player in a game that may be in progress.

        """
        translate = context.translate
        found = await self._documents.load_document(moment.digest, translate)
        await self._fairness.check(found, context, moment)
        if kind_of(found.document) is CHESS:
            return await self._try_move(found, moment, play_text, context, requester)
        if self._resources is None:
            raise RefusalError.with_text(translate("Analysis isn't installed where this bot runs."))
        subject = await self._documents.run(subject_of, found, moment, translate)
        if subject.may_be_in_progress and public:
            raise RefusalError.with_text(
                translate("This game may still be in progress. Use `/try` for a private reply.")
            )
        resources, position = self._resources, subject.position

        def run() -> TriedPlay:
            try:
                return try_play(position, play_text, context, lexicon, resources)
            except DomainError as error:
                corrected_play = play_in_other_direction(play_text, position)
                suggestion = (
                    "" if corrected_play is None else describe_play(corrected_play, position, translate)
                )
                controls = suggestion_menus(
                    (corrected_play,) if corrected_play else (), position, moment, lexicon, translate
                )
                raise RefusalError(
                    refused_play_card(error, moment, translate, suggestion, controls)
                ) from None

        trial = await self._documents.run(run)
        await self._fairness.check_words(WordQuery(WordQueryKind.CHECK, trial.words), context)
        return await self._documents.run_and_draw(
            tried_play_card,
            trial,
            moment,
            context,
            remarks=(live_game_warning(translate),) if subject.may_be_in_progress else (),
        )

    async def may_be_in_progress(self, moment: Moment, translate: Translator) -> bool:
        """Return whether a crossword game may still be in progress.

        Raises:
            RefusalError: the document has expired.

        """
        found = await self._documents.load_document(moment.digest, translate)
        return kind_of(found.document) is CROSSWORD and may_be_in_progress(found)

    async def _try_move(
        self,
        found: FoundDocument,
        moment: Moment,
        move_text: str,
        context: ReplyContext,
        requester: Requester,
    ) -> Card:
        translate = context.translate
        refuse_if_in_progress(found, translate)

        def play_move() -> tuple[ChessPosition, ChessMove, ChessPosition]:
            position = position_of_moment(found.chess_document, moment)
            try:
                return position, *play_typed_move(position, move_text)
            except DomainError as error:
                moves = similar_moves(position, move_text)
                choices = tuple(Choice(move, move) for move in moves)
                controls = (SuggestionMenu(moment, "", choices),) if choices else ()
                raise RefusalError(
                    refused_play_card(error, moment, translate, ", ".join(moves), controls)
                ) from None

        position_before, move, position_after = await self._documents.run(play_move)
        evaluations = await self._evaluate(position_before, move, position_after, requester, translate)
        return await self._documents.run_and_draw(
            lambda: tried_move_card(
                move,
                position_after,
                moment,
                context,
                evaluations=evaluations,
                has_engine=self._chess_analyses is not None,
            )
        )

    async def _evaluate(
        self,
        position_before: ChessPosition,
        move: ChessMove,
        position_after: ChessPosition,
        requester: Requester,
        translate: Translator,
    ) -> tuple[ChessAnalysis, ...]:
        """Evaluate the position before a move. If the engine prefers another move, also evaluate the position after the move.

        If the game is over after the move, or if the engine is missing, is busy or fails, return only the finished evaluations.
        """
        evaluations: tuple[ChessAnalysis, ...] = ()
        if self._chess_analyses is None:
            return evaluations
        try:
            evaluations = (await self._chess_analyses.evaluate(position_before, requester, translate),)
            lines = evaluations[0].lines
            if lines and lines[0].uci[0] != move.uci and not position_after.is_over:
                evaluations += (await self._chess_analyses.evaluate(position_after, requester, translate),)
        except RefusalError as error:
            log.info("the evaluation of a tried move is incomplete: %s", error)
        return evaluations

    async def store_target(self, source: Source, context: ReplyContext, *, rack: str = "") -> AnalysisTarget:
        """Store the first crossword document in a source or, if there is none, the first chess document.

        In a crossword game, :func:`turn_to_analyze` chooses the position. ``rack`` replaces the rack of the player to move.

        Raises:
            RefusalError: there is no position that can be analyzed, the game is in progress on its site, ``rack`` is not a rack, or an
                analysis would spoil a daily or a poll.

        """
        translate = context.translate
        documents = (await self._presenter.find_privately(source, translate)).documents
        found = min(documents, key=lambda found: KINDS.index(kind_of(found.document)))
        refuse_if_in_progress(found, translate)
        if kind_of(found.document) is CHESS:
            if self._chess_analyses is None:
                raise RefusalError.with_text(translate("This bot has no chess engine."))
            return AnalysisTarget(await self._store(found, source), chess_analyses=self._chess_analyses)
        game_may_continue = may_be_in_progress(found)
        if rack:
            try:
                found = await self._documents.run(_with_rack, found, rack)
            except DomainError as error:
                raise RefusalError.with_text(escape_line(translate.problem(error))) from None
        moment = await self._store(found, source)
        await self._fairness.check(found, context, moment)
        return AnalysisTarget(moment, game_may_continue)

    async def store_position_to_try(self, source: Source, context: ReplyContext) -> Moment:
        """Store the first document in a source. Return the position in which to try a play.

        Raises:
            RefusalError: there is no position, or the game is in progress on its site.

        """
        found = (await self._presenter.find_privately(source, context.translate)).documents[0]
        refuse_if_in_progress(found, context.translate)
        return await self._store(found, source)

    async def _store(self, found: FoundDocument, source: Source) -> Moment:
        await self._documents.save((found,), source.author_id)
        moment = (
            await self._documents.run(moment_to_analyze, found)
            if kind_of(found.document) is CHESS
            else Moment(found.digest, await self._documents.run(turn_to_analyze, found))
        )
        return replace(moment, spoiler=found.spoiler)


def _with_rack(found: FoundDocument, rack: str) -> FoundDocument:
    """Return the position to analyze as a new document, with the given rack."""
    position = position_at(found, turn_to_analyze(found))
    players = list(position.players)
    players[position.on_turn] = replace(players[position.on_turn], rack=read_rack(rack, position))
    return replace(document_from_position(replace(position, players=tuple(players))), spoiler=found.spoiler)


def refused_play_card(
    error: DomainError,
    moment: Moment,
    translate: Translator,
    suggestion: str = "",
    controls: tuple[SuggestionMenu, ...] = (),
) -> Card:
    text = translate("That isn't possible: {problem}.", problem=escape(translate.problem(error)))
    if suggestion:
        text += f" {translate('Did you mean **{play}**?', play=escape(suggestion))}"
    return Card(join_blocks([text], moment), controls=controls, has_result=False)
