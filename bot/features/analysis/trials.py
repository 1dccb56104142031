"""What if somebody played this? A play on the board of a stored document, judged and compared."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.chat.card import Card, NoAnswerError
from bot.chat.markdown import behind_bars, escape
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import play_typed
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.play_text import read_typed_play
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import ScoredWord, play_problems, score_placement
from bot.domain.notations import CHESS, CROSSWORD, kind_of
from bot.domain.reading.problems import DomainError, RuleError
from bot.engine.analysis import AnalysisOptions
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.engine import ChessAnalyses
from bot.features.analysis.chess.trial import answer_tried_move
from bot.features.analysis.crossword.challenge_worth import turn_worth
from bot.features.analysis.crossword.perform import lexicon_for, perform
from bot.features.analysis.crossword.request import AnalysisRequest, Progress
from bot.features.analysis.crossword.trial import Trial, TriedWord, answer_trial
from bot.features.analysis.fairness import Fairness, WordQuestion, WordTool
from bot.features.analysis.means import AnalysisMeans
from bot.features.showing.chess.page import is_going_on as has_moves
from bot.features.showing.chess.page import moment_to_analyze, position_of_moment
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import is_going_on, require_over, subject_of, turn_to_analyze
from bot.jobs.queue import Asker, Control
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon

log = logging.getLogger(__name__)

MAX_COMPARED = 100
"""The best plays among which a tried one has its rank."""


class Trials:
    """Tries plays and moves. ``means`` and ``engine`` are None where nobody analyzes."""

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
        """Show a play, or a move of chess, in a moment of a stored document.

        Raises:
            NoAnswerError: the document has expired, the play cannot be understood or laid down, or the answer would be
                for everybody in a game that may be going on.

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
                say("This game may still be going on, so I answer this only in private: use `/try`.")
            )
        means = self._means

        def answer(trial: Trial) -> Card:
            rules = say(
                "⚖ This game may still be going on. Help from outside is against the rules of most games."
            )
            return answer_trial(trial, moment, style, remarks=(rules,) if subject.live else ())

        try:
            trial = await self._desk.run(tried, subject.position, typed, style, lexicon, means)
        except DomainError as error:
            raise _refusal(error, moment, say) from None
        words = tuple(word.text for word in trial.words)
        await self._fairness.require_words(WordQuestion(WordTool.CHECK, words), style)
        return await self._desk.answer(answer, trial)

    async def is_live(self, moment: Moment, say: Speaker) -> bool:
        """Tell whether a moment is one of a game that people may be playing right now.

        Raises:
            NoAnswerError: the document has expired.

        """
        item = await self._desk.document(moment.digest, say)
        return kind_of(item.document) is CROSSWORD and is_going_on(item)

    async def _try_move(self, item: Found, moment: Moment, typed: str, style: Style, asker: Asker) -> Card:
        require_over(item, style.say)

        def played() -> tuple[ChessPosition, ChessMove, ChessPosition]:
            position = position_of_moment(item.chess, moment)
            return position, *play_typed(position, typed)

        try:
            before, move, after = await self._desk.run(played)
        except DomainError as error:
            raise _refusal(error, moment, style.say) from None
        judged = await self._judge(before, move, after, asker, style.say)
        return await self._desk.answer(
            lambda: answer_tried_move(
                move, after, moment, style, judged=judged, has_engine=self._engine is not None
            )
        )

    async def _judge(
        self, before: ChessPosition, move: ChessMove, after: ChessPosition, asker: Asker, say: Speaker
    ) -> tuple[ChessAnalysis, ...]:
        """Have the engine look at the position before a move, and if it would play another one at the one after it.

        Nothing where there is no engine, or it has no time for this.
        """
        judged: tuple[ChessAnalysis, ...] = ()
        if self._engine is None:
            return judged
        try:
            judged = (await self._engine.look(before, asker, say),)
            if judged[0].lines and judged[0].lines[0].uci[0] != move.uci and has_moves(after):
                judged += (await self._engine.look(after, asker, say),)
        except NoAnswerError as no:
            log.info("a move is shown without all of the engine's opinion: %s", no)
        return judged


def moment_to_try(item: Found) -> Moment:
    """Return the moment of a document in which somebody may try a play: the latest in which there is one to make."""
    if kind_of(item.document) is CHESS:
        return moment_to_analyze(item)
    return Moment(item.digest, turn_to_analyze(item))


def tried(position: Position, typed: str, style: Style, lexicon: str, means: AnalysisMeans) -> Trial:
    """Find out all about a play that somebody typed. It takes as long as listing plays: not for an event loop.

    Raises:
        DomainError: it is no play, cannot be laid down, or there is no lexicon for it.

    """
    play = read_typed_play(typed, position)
    named = lexicon or position.rules.lexicon
    preferred = () if named.strip() else (*style.preferred, means.default_lexicon)
    request = AnalysisRequest(
        position,
        lexicon,
        preferred,
        options=AnalysisOptions(MAX_COMPARED, 0.0),
        made=play,
        aliases=style.aliases,
    )
    problems = play_problems(position, play)
    result = None
    if position.players[position.on_turn].rack:
        work: Control[Progress] = Control(lambda _: None)
        result = perform(request, means.lexica, work)
    chosen = lexicon_for(request, means.lexica)
    loaded = means.lexica.load(chosen.lexicon, position.rules.distribution)
    score = 0
    words: tuple[TriedWord, ...] = ()
    if isinstance(play, Placement):
        scored = score_placement(position.board, play, position.rules)
        score = scored.score
        words = _judge_words((scored.word, *scored.cross_words), loaded)
    turn = None
    if position.rules.challenge_rule == "double" and result is not None and words and not problems:
        valid = all(word.valid for word in words)
        turn = turn_worth(position, play, loaded) if valid else None
    return Trial(
        position,
        play,
        score,
        words,
        loaded.name,
        result.missing if result is not None else chosen.missing,
        problems,
        result,
        turn,
    )


def _judge_words(words: tuple[ScoredWord, ...], lexicon: Lexicon) -> tuple[TriedWord, ...]:
    text = lexicon.distribution.text
    return tuple(
        TriedWord(
            "".join(text(tile) for tile in word.tiles),
            word.squares,
            lexicon.graph.accepts(bytes(map(abs, word.tiles))),
        )
        for word in words
        if len(word.tiles) > 1 and all(word.tiles)
    )


def require_words(position: Position, play: Play, lexicon: Lexicon) -> None:
    """Check that a play makes words only.

    Raises:
        RuleError: it makes a phony.

    """
    if not isinstance(play, Placement):
        return
    scored = score_placement(position.board, play, position.rules)
    for word in _judge_words((scored.word, *scored.cross_words), lexicon):
        if not word.valid:
            raise RuleError(
                "puzzle-phony", "{word} is not in {lexicon}", word=word.text, lexicon=lexicon.name
            )


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> NoAnswerError:
    """Say why a play is not shown."""
    text = say("I cannot show this play: {problem}.", problem=escape(say.problem(error)))
    return NoAnswerError(Card(behind_bars(text) if moment.spoiler else text, found=False))
