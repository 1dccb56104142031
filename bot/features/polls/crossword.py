"""Polls about crossword positions."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

from bot.chat.card import Drawing, Moment, RefusalError, ReplyContext
from bot.chat.control import Control
from bot.chat.markdown import escape
from bot.domain.crossword.play import Play
from bot.domain.crossword.play_text import read_typed_play
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import play_problems, words_made
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import MILLIPOINTS, AnalysisOptions
from bot.engine.plays.values import replace_blanks
from bot.features.analysis.controls import Analyze
from bot.features.analysis.crossword.analyze import analyze_position, choose_lexicon
from bot.features.analysis.crossword.rankings import Row, describe_play, rank_plays
from bot.features.analysis.crossword.request import (
    AnalysisRequest,
    AnalysisResources,
    AnalysisResult,
    Method,
    can_be_solved,
)
from bot.features.analysis.crossword.trial import require_valid_words, score_of
from bot.features.polls.cards import PollResult, Proposal, Votes, rank_proposals
from bot.features.review.crossword.values import WIN_THRESHOLDS
from bot.features.showing.crossword.board_scene import alt_text, numbered_scene, position_scene
from bot.features.showing.crossword.viewer import position_line
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.subjects import may_be_in_progress, subject_of
from bot.jobs.account import Requester
from bot.jobs.queue import BusyError, JobControl, StoppedError
from bot.text import Translator

log = logging.getLogger(__name__)

COMPARE_SECONDS = 10.0
"""Time for comparing the plays."""
_SIMULATED_PLAY_COUNT = 10
"""Number of plays to rank by simulation or by equity."""
_SOLVED_PLAY_COUNT = 60
"""Number of plays to rank when the position is solved."""


class CrosswordPollKind:
    """Polls about crossword games. Plays are compared by simulation or, near the end of the game, by solving the position.

    Without ``resources``, or if the position cannot be analyzed, plays are compared only by score.
    """

    position_line = staticmethod(position_line)

    def __init__(self, documents: DocumentService, resources: AnalysisResources | None) -> None:
        self._documents = documents
        self._resources = resources

    def position(self, found: FoundDocument, moment: Moment, translate: Translator) -> Position:
        """Return the position at a moment.

        Raises:
            RefusalError: the rack of the player to move is unknown, the game is over, or the game may still be in progress.

        """
        if may_be_in_progress(found):
            raise RefusalError.with_text(
                translate("This game may still be in progress, so Kibitz can't start a poll about it.")
            )
        position = subject_of(found, moment, translate).position
        if not position.players[position.on_turn].rack:
            raise RefusalError.with_text(translate("The rack of the player to move is unknown here."))
        return position

    def drawing(
        self,
        position: Position,
        moment: Moment,
        context: ReplyContext,
        intro: str,
        plays: Sequence[tuple[str, Play]] = (),
    ) -> Drawing:
        scene = numbered_scene(position, plays, context) if plays else position_scene(position, context)
        return Drawing(scene, alt_text(position, context.translate, intro), moment.spoiler, "poll")

    def read(self, position: Position, play_text: str, context: ReplyContext) -> tuple[Play, str]:
        """Read a typed play. Return the play, and the play as :func:`describe_play` writes it.

        Raises:
            DomainError: the text is not a play, the rules or the rack forbid the play, or it forms a phony.

        """
        play = read_typed_play(play_text, position)
        for problem in play_problems(position, play):
            raise problem
        if self._resources is not None:
            lexica = self._resources.lexica
            request = self._request(self._resources, position, (), context, Method.EQUITY)
            choice = choose_lexicon(request, lexica)
            require_valid_words(position, play, lexica.load(choice.lexicon, position.rules.distribution))
        return play, describe_play(play, position, context.translate)

    def words_made(self, position: Position, play_text: str) -> tuple[str, ...]:
        return words_made(position, read_typed_play(play_text, position))

    def analysis_controls(self, moment: Moment) -> tuple[Control, ...]:
        return (Analyze(moment),) if self._resources is not None else ()

    async def compare(
        self, position: Position, votes: Votes[Play], context: ReplyContext, requester: Requester
    ) -> PollResult:
        result = await self._analyze_plays(position, tuple(play for play, _ in votes), context, requester)
        return await self._documents.run(poll_result, position, votes, result, context.translate)

    async def _analyze_plays(
        self, position: Position, plays: tuple[Play, ...], context: ReplyContext, requester: Requester
    ) -> AnalysisResult | None:
        if self._resources is None:
            return None
        # With more than one tile in the bag, too few draws could be solved in time, so the plays are simulated.
        can_solve = can_be_solved(position) and position.bag_count <= 1
        request = self._request(
            self._resources, position, plays, context, Method.SOLUTION if can_solve else Method.SIMULATION
        )
        try:
            return await (await self._resources.jobs.submit(requester, request)).result()
        except (BusyError, StoppedError, DomainError) as error:
            log.info(
                "the plays of a poll were not simulated or solved, and are compared by equity: %s", error
            )
        request = self._request(self._resources, position, plays, context, Method.EQUITY)
        try:
            return await self._documents.run(analyze_position, request, self._resources.lexica, JobControl())
        except DomainError as error:
            log.info("the plays of a poll were not compared: %s", error)
            return None

    @staticmethod
    def _request(
        resources: AnalysisResources,
        position: Position,
        plays: tuple[Play, ...],
        context: ReplyContext,
        method: Method,
    ) -> AnalysisRequest:
        play_count = _SOLVED_PLAY_COUNT if method is Method.SOLUTION else _SIMULATED_PLAY_COUNT
        return AnalysisRequest(
            position,
            "",
            resources.preferred_lexica(position.rules.lexicon, context),
            method,
            AnalysisOptions(play_count, COMPARE_SECONDS),
            extra_plays=plays,
            aliases=context.aliases,
        )


def poll_result(
    position: Position, votes: Votes[Play], result: AnalysisResult | None, translate: Translator
) -> PollResult:
    def describe(play: Play) -> str:
        return describe_play(play, position, translate)

    def score_cells(play: Play) -> tuple[str, ...]:
        return (translate.number(score_of(position, play)),)

    if result is None:
        vote_counts = Counter(replace_blanks(play) for play, _ in votes)
        votes = sorted(
            votes, key=lambda vote: (-score_of(position, vote[0]), -vote_counts[replace_blanks(vote[0])])
        )
        return PollResult(
            rank_proposals(votes, (), describe, key=replace_blanks, unranked_cells=score_cells),
            (translate("pts"),),
        )
    ranked_plays = rank_plays(result, translate)
    rows, method = ranked_plays.rows, ranked_plays.method
    table = [
        Proposal(
            row.play,
            describe(row.play),
            (),
            _cells(row, translate),
            is_best=row is rows[0] or _is_as_good(method, rows[0], row),
        )
        for row in rows
    ]
    titles = [translate("pts"), translate("equity")]
    if method is not Method.EQUITY:
        titles.append(ranked_plays.columns[0].heading)
    # Show only the first remark, because later remarks may be about plays and columns that the poll does not show.
    return PollResult(
        rank_proposals(votes, table, describe, key=replace_blanks, unranked_cells=score_cells),
        tuple(titles),
        (escape(result.lexicon), *ranked_plays.remarks[:1]),
    )


def _is_as_good(method: Method, best_row: Row, row: Row) -> bool:
    """Return whether a play is as good as the best play.

    In a simulation, a loss of win chance that a review would ignore does not count, unless the game is already decided. In all
    other cases, the values must be equal.
    """
    if best_row.value is None or row.value is None:
        return False
    margin = WIN_THRESHOLDS[0]
    if method is not Method.SIMULATION or not margin < best_row.value < 100 - margin:
        return best_row.value == row.value and best_row.cells() == row.cells()
    return best_row.value - row.value < margin


def _cells(row: Row, translate: Translator) -> tuple[str, ...]:
    equity = "–" if row.equity is None else translate.number(row.equity / MILLIPOINTS, ".1f")
    return (translate.number(row.score), equity, row.cells()[0])
