"""Evaluates chess positions with the installed chess engine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from cachetools import LRUCache

from bot.chat.card import Card, Moment, RefusalError, ReplyContext, moment_card, truncate
from bot.chat.markdown import escape
from bot.domain.chess.documents import ChessGame, ChessMove
from bot.domain.chess.position import ChessPosition, Ending
from bot.domain.notations import is_chess
from bot.engine.analysis import measure_other_process
from bot.engine.uci import ChessAnalysis, EngineError, EngineLine, analyze
from bot.features.analysis.controls import AskEngine, TryPlay
from bot.features.analysis.fairness import Fairness
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.position import is_white_at_bottom, position_line, position_of_moment
from bot.features.showing.chess.texts import chess_alt_text, numbered_moves
from bot.features.showing.document_service import DocumentService
from bot.features.showing.remarks import busy_card, expired_card
from bot.features.showing.subjects import refuse_if_in_progress
from bot.jobs.account import Requester
from bot.jobs.codec import Codec
from bot.jobs.kinds import JobKind
from bot.jobs.queue import BusyError, JobControl, JobQueue, Result, StoppedError
from bot.text import Translator
from render.scene import Section

log = logging.getLogger(__name__)

DEFAULT_SECONDS = 3
MAX_SECONDS = 20
MAX_CACHED_ANALYSES = 256
MAX_LINE_LENGTH = 90
"""In characters."""

_STOP_CHECK_SECONDS = 0.05
_EQUAL_CENTIPAWNS = 10
"""A move that loses at most this much is as good as the best move."""
_MATE_CENTIPAWNS = 100_000


@dataclass(frozen=True, slots=True)
class ChessRequest:
    """A position for the engine to analyze."""

    position: ChessPosition
    seconds: float
    line_count: int = 3
    """Maximum number of lines to return."""
    moves: tuple[str, ...] = ()
    """The moves to consider, in UCI notation. Empty for all."""


CHESS_ANALYSIS: Final = JobKind(
    "chess", Codec[ChessRequest](ChessRequest), Codec[None](None), Codec[ChessAnalysis](ChessAnalysis)
)


def analyze_position(
    command: tuple[str, ...], request: ChessRequest, control: JobControl[None]
) -> ChessAnalysis:
    """Start an engine, analyze a position, and stop the engine. Call this on a worker thread.

    Raises:
        EngineError: the engine failed or took far too long.
        StoppedError: the job was stopped.

    """
    work = analyze(
        request.position,
        command,
        seconds=request.seconds,
        line_count=request.line_count,
        first_moves=request.moves,
    )
    with measure_other_process():
        return asyncio.run(await_unless_stopped(work, control))


async def await_unless_stopped(awaitable: Awaitable[Result], control: JobControl[Any]) -> Result:
    """Await a job's work. If the job is stopped, cancel the work within 50 ms.

    Raises:
        StoppedError: the job was stopped.

    """
    work = asyncio.ensure_future(awaitable)
    while not work.done():
        if control.must_stop:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
            raise StoppedError
        await asyncio.wait({work}, timeout=_STOP_CHECK_SECONDS)
    return work.result()


class ChessAnalysisService:
    """Evaluates stored positions with the chess engine, and caches the results."""

    def __init__(
        self,
        documents: DocumentService,
        jobs: JobQueue[ChessRequest, None, ChessAnalysis],
        fairness: Fairness,
    ) -> None:
        self._documents = documents
        self._fairness = fairness
        self._jobs = jobs
        self._results: LRUCache[ChessRequest, ChessAnalysis] = LRUCache(MAX_CACHED_ANALYSES)

    async def analyze(
        self, moment: Moment, requester: Requester, context: ReplyContext, *, seconds: int = 0
    ) -> Card:
        """Return a card with the engine's evaluation. ``seconds`` is the thinking time, or 0 for the default.

        Raises:
            RefusalError: the position has expired, its game is in progress, the analysis would be a spoiler, the queue refuses the
                job, the job was stopped, or the engine failed.

        """
        translate = context.translate
        found = await self._documents.load_document(moment.digest, translate)
        refuse_if_in_progress(found, translate)
        if not is_chess(found.document):
            raise RefusalError(expired_card(translate))
        await self._fairness.check(found, context, moment)
        position = await self._documents.run(position_of_moment, found.chess_document, moment)
        seconds = min(seconds or DEFAULT_SECONDS, MAX_SECONDS)
        analysis = await self.evaluate(position, requester, translate, seconds=seconds)
        longer_seconds = MAX_SECONDS if seconds < MAX_SECONDS else None
        return await self._documents.run_and_draw(
            lambda: engine_card(analysis, moment, context, longer_seconds=longer_seconds)
        )

    async def evaluate(
        self,
        position: ChessPosition,
        requester: Requester,
        translate: Translator,
        *,
        seconds: int = DEFAULT_SECONDS,
    ) -> ChessAnalysis:
        """Return the engine's evaluation.

        Raises:
            RefusalError: the queue refuses the job, the job was stopped, or the engine failed.

        """
        request = ChessRequest(position, seconds)
        if (cached_analysis := self._results.get(request)) is not None:
            return cached_analysis
        try:
            analysis = self._results[request] = await (await self._jobs.submit(requester, request)).result()
        except BusyError as busy:
            raise RefusalError(busy_card(busy, translate, can_stop=False)) from None
        except StoppedError:
            raise RefusalError.with_text(
                translate("No analysis: {problem}.", problem=translate("it was stopped"))
            ) from None
        except EngineError as error:
            log.warning("a chess analysis failed: %s", error.__cause__ or error)
            raise RefusalError.with_text(
                translate("No analysis: {problem}.", problem=escape(translate.problem(error)))
            ) from None
        return analysis


def engine_card(
    analysis: ChessAnalysis, moment: Moment, context: ReplyContext, *, longer_seconds: int | None
) -> Card:
    """Return a card with the engine's lines. If ``longer_seconds`` is given, a button offers this thinking time."""
    translate = context.translate
    position = analysis.position
    if not analysis.lines:
        text = (
            translate("The game is already over in this position, so there is nothing to analyze.")
            if position.is_over
            else translate("The chess engine returned no usable result.")
        )
        return Card(text, has_result=False)
    best_line = analysis.lines[0]
    details = (
        escape(analysis.engine),
        translate.plural("{number} second", "{number} seconds", round(analysis.seconds)),
        translate.plural("{number} half-move deep", "{number} half-moves deep", best_line.depth),
        translate("{nodes:,} positions", nodes=analysis.nodes),
        translate("+ is good for White"),
    )
    blocks = [
        f"{position_line(position, translate)}\n" + _verdict_text(best_line, translate),
        *(_line_text(position, line, translate) for line in analysis.lines),
    ]
    scene = chess_scene(
        position,
        context,
        white_at_bottom=is_white_at_bottom(moment),
        sections=(Section(translate("Best move"), (best_line.san[0], score_text(best_line, translate))),),
        proposed_move=best_line.uci[0],
    )
    intro = translate(
        "Best move: {move}, worth {worth}.", move=best_line.san[0], worth=score_text(best_line, translate)
    )
    return moment_card(
        moment,
        blocks,
        scene,
        chess_alt_text(position, translate, intro),
        name="analysis",
        controls=() if longer_seconds is None else (AskEngine(moment, longer_seconds),),
        note=" · ".join(details),
        accent="analysis",
    )


def _verdict_text(best_line: EngineLine, translate: Translator) -> str:
    if best_line.mate is not None and best_line.mate > 0:
        return translate.plural("White mates in {number}", "White mates in {number}", best_line.mate)
    if best_line.mate is not None:
        return translate.plural("Black mates in {number}", "Black mates in {number}", -best_line.mate)
    centipawns = best_line.centipawns or 0
    if abs(centipawns) < 30:
        return translate("about equal")
    if centipawns > 0:
        return translate("White is better by {pawns:.1f} pawns", pawns=centipawns / 100)
    return translate("Black is better by {pawns:.1f} pawns", pawns=-centipawns / 100)


def score_text(line: EngineLine, translate: Translator) -> str:
    """Return a line's score from White's point of view, such as ``+0.35``, ``#3`` or ``#−2``."""
    if line.mate is not None:
        return f"#{translate.number(line.mate)}"
    return translate.number((line.centipawns or 0) / 100, "+.2f")


def _line_text(position: ChessPosition, line: EngineLine, translate: Translator) -> str:
    moves = " ".join(numbered_moves(ChessGame(position), line.san))
    return f"**{escape(score_text(line, translate))}**  {escape(truncate(moves, MAX_LINE_LENGTH))}"


def tried_move_card(
    move: ChessMove,
    position_after: ChessPosition,
    moment: Moment,
    context: ReplyContext,
    *,
    evaluations: tuple[ChessAnalysis, ...] = (),
    has_engine: bool = False,
) -> Card:
    """Return the card of a tried move.

    ``evaluations`` contains the known evaluations, first of the position before the move, then of the position after it.
    """
    translate = context.translate
    lines = [f"**{escape(move.san)}** · {position_line(position_after, translate)}"]
    if evaluations and evaluations[0].lines:
        lines.append(_comparison_text(move, position_after, evaluations, translate))
    scene = chess_scene(
        position_after, context, white_at_bottom=is_white_at_bottom(moment), proposed_move=move.uci
    )
    return moment_card(
        moment,
        lines,
        scene,
        chess_alt_text(position_after, translate, translate("Tried: {move}.", move=move.san)),
        name="trial",
        controls=(AskEngine(moment), TryPlay(moment)) if has_engine else (TryPlay(moment),),
        accent="analysis",
    )


def _comparison_text(
    move: ChessMove,
    position_after: ChessPosition,
    evaluations: tuple[ChessAnalysis, ...],
    translate: Translator,
) -> str:
    best_line = evaluations[0].lines[0]
    values = {"move": f"**{escape(best_line.san[0])}**", "best": escape(score_text(best_line, translate))}
    if position_after.ending is Ending.CHECKMATE:
        return translate("Checkmate!")
    if best_line.uci[0] == move.uci:
        return translate("The engine's choice: {best}.", **values)
    if position_after.ending is not None or len(evaluations) < 2 or not evaluations[1].lines:
        return translate("The engine prefers {move}: {best}.", **values)
    reply = evaluations[1].lines[0]
    value = escape(score_text(reply, translate))
    centipawns_lost = (_centipawn_value(best_line) - _centipawn_value(reply)) * (
        -1 if position_after.white_to_move else 1
    )
    if centipawns_lost <= _EQUAL_CENTIPAWNS:
        return translate("{worth}: as good as the engine's {move} ({best}).", worth=value, **values)
    if best_line.mate is not None or reply.mate is not None:
        return translate("{worth}; better is {move} ({best}).", worth=value, **values)
    return translate(
        "{worth}, {pawns:.1f} pawns worse than the engine's {move} ({best}).",
        worth=value,
        pawns=centipawns_lost / 100,
        **values,
    )


def _centipawn_value(line: EngineLine) -> int:
    """Return the value for White. A sooner mate counts more."""
    if line.mate is None:
        return line.centipawns or 0
    return (_MATE_CENTIPAWNS if line.mate > 0 else -_MATE_CENTIPAWNS) - 100 * line.mate
