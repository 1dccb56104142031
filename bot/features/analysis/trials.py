"""What if? Tries a play or a move on the board of a stored document."""

from __future__ import annotations

import logging

from bot.chat.card import Card, NoAnswerError
from bot.chat.markdown import behind_bars, escape
from bot.chat.moment import Choice, Moment
from bot.chat.style import Style
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import near_moves, play_typed
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.play_text import turned
from bot.domain.notations import CHESS, CROSSWORD, kind_of
from bot.domain.reading.problems import DomainError
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess import ChessAnalyses, answer_tried_move
from bot.features.analysis.controls import Suggestions
from bot.features.analysis.crossword.rankings import play_words
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.crossword.trial import Trial, answer_trial, suggest, tried
from bot.features.analysis.fairness import Fairness, WordQuestion, WordTool
from bot.features.analysis.service import live_words
from bot.features.showing.chess.page import is_going_on as has_moves
from bot.features.showing.chess.page import moment_to_analyze, position_of_moment
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import is_going_on, require_over, subject_of, turn_to_analyze
from bot.jobs.queue import Asker
from bot.text import Speaker

log = logging.getLogger(__name__)


class Trials:
    """Tries plays and moves. ``means`` and ``engine`` are None where nothing analyzes them."""

    def __init__(
        self, desk: Desk, means: AnalysisMeans | None, engine: ChessAnalyses | None, fairness: Fairness
    ) -> None:
        self._desk = desk
        self._fairness = fairness
        self._means = means
        self._engine = engine

    async def try_play(
        self,
        moment: Moment,
        typed: str,
        style: Style,
        asker: Asker,
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
        item = await self._desk.document(moment.digest, say)
        await self._fairness.require(item, moment, style)
        if kind_of(item.document) is CHESS:
            return await self._try_move(item, moment, typed, style, asker)
        if self._means is None:
            raise NoAnswerError.saying(say("Analysis is not installed where this bot runs."))
        subject = await self._desk.run(subject_of, item, moment, say)
        if subject.live and public:
            raise NoAnswerError.saying(
                say("This game may still be in progress. Use `/try` for a private answer.")
            )
        means, position = self._means, subject.position

        def judge() -> Trial:
            try:
                return tried(position, typed, style, lexicon, means)
            except DomainError as error:
                other = turned(typed, position)
                meant = "" if other is None else play_words(other, position, say)
                text = _hidden(_refusal(error, say, meant), moment)
                controls = suggest((other,) if other else (), position, moment, lexicon, say)
                raise NoAnswerError(Card(text, controls=controls, found=False)) from None

        trial = await self._desk.run(judge)
        await self._fairness.require_words(WordQuestion(WordTool.CHECK, trial.words), style)
        remarks = (live_words(say),) if subject.live else ()
        return await self._desk.answer(answer_trial, trial, moment, style, remarks=remarks)

    async def is_live(self, moment: Moment, say: Speaker) -> bool:
        """Return whether a moment belongs to a game that people may be playing right now.

        Raises:
            NoAnswerError: the document has expired.

        """
        item = await self._desk.document(moment.digest, say)
        return kind_of(item.document) is CROSSWORD and is_going_on(item)

    async def _try_move(self, item: Found, moment: Moment, typed: str, style: Style, asker: Asker) -> Card:
        say = style.say
        require_over(item, say)

        def played() -> tuple[ChessPosition, ChessMove, ChessPosition]:
            position = position_of_moment(item.chess, moment)
            try:
                return position, *play_typed(position, typed)
            except DomainError as error:
                moves = near_moves(position, typed)
                text = _hidden(_refusal(error, say, ", ".join(moves)), moment)
                choices = tuple(Choice(move, move) for move in moves)
                controls = (Suggestions(moment, "", choices),) if choices else ()
                raise NoAnswerError(Card(text, controls=controls, found=False)) from None

        before, move, after = await self._desk.run(played)
        judged = await self._judge(before, move, after, asker, say)
        return await self._desk.answer(
            lambda: answer_tried_move(
                move, after, moment, style, judged=judged, has_engine=self._engine is not None
            )
        )

    async def _judge(
        self, before: ChessPosition, move: ChessMove, after: ChessPosition, asker: Asker, say: Speaker
    ) -> tuple[ChessAnalysis, ...]:
        """Return the engine's evaluations before a move and, unless it is the engine's own, after it.

        Nothing without an engine, or if the engine is busy.
        """
        judged: tuple[ChessAnalysis, ...] = ()
        if self._engine is None:
            return judged
        try:
            judged = (await self._engine.look(before, asker, say),)
            if judged[0].lines and judged[0].lines[0].uci[0] != move.uci and has_moves(after):
                judged += (await self._engine.look(after, asker, say),)
        except NoAnswerError as no:
            log.info("a tried move lacks a part of the engine's evaluation: %s", no)
        return judged


def moment_to_try(item: Found) -> Moment:
    """Return the latest moment of a document with a play to make."""
    if kind_of(item.document) is CHESS:
        return moment_to_analyze(item)
    return Moment(item.digest, turn_to_analyze(item))


def _refusal(error: DomainError, say: Speaker, meant: str = "") -> str:
    """Say why a play is impossible, and which play the player may have meant."""
    text = say("This play is not possible: {problem}.", problem=escape(say.problem(error)))
    return f"{text} {say('Did you mean **{play}**?', play=escape(meant))}" if meant else text


def _hidden(text: str, moment: Moment) -> str:
    return behind_bars(text) if moment.spoiler else text
