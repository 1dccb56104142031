"""Runs the jobs that review crossword games."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.game import Game
from bot.domain.notations import CROSSWORD
from bot.engine.installed import compile_engine
from bot.engine.lexicon.lexica import Lexica, LexiconChoice
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.review.cards import Reviewer
from bot.features.review.crossword.cards import CrosswordCards
from bot.features.review.crossword.values import (
    REVIEW,
    PlayComparisonRequest,
    Review,
    ReviewRequest,
    TurnReview,
    check_game,
    seconds_limit,
)
from bot.features.review.values import ReviewQuery
from bot.features.showing.findings import FoundDocument
from bot.features.showing.subjects import may_be_in_progress
from bot.jobs.queue import JobControl, JobQueue


def review(request: ReviewRequest, lexica: Lexica, control: JobControl[Review]) -> Review:
    """Review a game. This can take minutes, so never call it on an event loop.

    The first report contains only equities. If stopped, return the review so far.

    Raises:
        DomainError: no lexicon for the game's language is installed, the lexicon cannot be read, or the game cannot be reviewed.

    """
    # Import the compiled modules here, because other processes do not need them.
    from bot.features.review.crossword.judging import effort_of  # noqa: PLC0415
    from bot.features.review.crossword.review import review_game  # noqa: PLC0415

    check_game(request.game)
    choice = _choose_lexicon(request, lexica)
    lexicon = lexica.load(choice.lexicon, request.game.rules.distribution)
    compile_engine()
    result = review_game(
        request.game,
        lexicon,
        effort_of(request.depth, seconds_limit(request), seed=request.seed),
        progress=lambda interim: control.report(replace(interim, missing_lexicon=choice.missing_lexicon)),
        cancelled=lambda: control.must_stop,
    )
    return replace(result, missing_lexicon=choice.missing_lexicon)


def _choose_lexicon(request: ReviewRequest, lexica: Lexica) -> LexiconChoice:
    rules = request.game.rules
    return lexica.choose(
        request.lexicon or rules.lexicon, rules.distribution, request.preferred_lexica, request.aliases
    )


def compare_with_best_play(
    request: PlayComparisonRequest, lexica: Lexica, control: JobControl[float]
) -> TurnReview:
    from bot.features.review.crossword.verdicts import judge_attempt  # noqa: PLC0415 - compiled modules

    rules = request.game.rules
    choice = lexica.choose(request.lexicon, rules.distribution, (), ())
    lexicon = lexica.load(choice.lexicon, rules.distribution)
    compile_engine()
    return judge_attempt(
        request.game,
        request.turn,
        request.play,
        request.best,
        lexicon,
        seconds=request.seconds,
        progress=control.report,
        cancelled=lambda: control.must_stop,
    )


class CrosswordReviewer(Reviewer[ReviewRequest, Review]):
    """Reviews crossword games."""

    name = CROSSWORD.name
    codec = REVIEW.result_codec

    def __init__(
        self,
        jobs: JobQueue[ReviewRequest, Review, Review],
        lesson_jobs: JobQueue[PlayComparisonRequest, float, TurnReview] | None,
        resources: AnalysisResources,
    ) -> None:
        super().__init__(jobs, lesson_jobs)
        self._resources = resources

    def make_request(self, found: FoundDocument, query: ReviewQuery) -> ReviewRequest | None:
        game = found.document
        if not isinstance(game, Game) or found.is_in_progress or may_be_in_progress(found):
            return None
        check_game(game)
        return ReviewRequest(
            game,
            query.lexicon,
            self._resources.preferred_lexica(query.lexicon or game.rules.lexicon, query.context),
            query.depth,
            aliases=query.context.aliases,
        )

    def button_request(self, request: ReviewRequest, result: Review) -> ReviewRequest:
        """Replace the requested lexicon with the result's lexicon, which the buttons' ids contain."""
        return replace(request, lexicon=result.lexicon, preferred_lexica=(), aliases=())

    def player_names(self, request: ReviewRequest) -> tuple[tuple[str, ...], ...]:
        return tuple((player.name, player.nick) for player in request.game.names)

    def key_parts(self, request: ReviewRequest) -> tuple[str, str]:
        choice = _choose_lexicon(request, self._resources.lexica)
        return self._resources.lexica.edition(choice.lexicon), request.depth.value

    def estimate_seconds(self, request: ReviewRequest) -> float:
        return seconds_limit(request)

    def from_json(self, text: str, request: ReviewRequest) -> Review:
        return replace(
            super().from_json(text, request),
            missing_lexicon=_choose_lexicon(request, self._resources.lexica).missing_lexicon,
        )

    def cards(self, request: ReviewRequest, result: Review, query: ReviewQuery) -> CrosswordCards:
        return CrosswordCards(request, result, query, self._resources, self.lesson_jobs)
