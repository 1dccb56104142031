"""How crossword games are reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat.card import Card
from bot.chat.control import Control
from bot.domain.crossword.game import Game
from bot.features.review.crossword.cards import (
    answer_review,
    answer_review_progress,
    answer_review_squares,
    beside_words,
    controls_of,
    judged_turn_words,
    their_turn_words,
)
from bot.features.review.crossword.classes import player_games
from bot.features.review.crossword.job import ReviewRequest, ReviewResult, usual_seconds
from bot.features.review.crossword.values import check_game
from bot.features.review.kept import read_review, write_review
from bot.features.review.kinds import Reviewing
from bot.features.review.question import ReviewQuestion
from bot.features.review.values import PlayerGame
from bot.features.showing.findings import Found
from bot.features.showing.subjects import is_going_on
from bot.jobs.queue import Jobs
from bot.links import woogles
from bot.links.values import TheirTurn
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Chosen
    from bot.features.analysis.means import AnalysisMeans


class CrosswordReviewing(Reviewing[ReviewRequest, ReviewResult]):
    """Reviews with the means that positions are analyzed with."""

    def __init__(self, jobs: Jobs[ReviewRequest, ReviewResult, ReviewResult], means: AnalysisMeans) -> None:
        super().__init__(jobs)
        self._means = means

    def request(self, item: Found, question: ReviewQuestion) -> ReviewRequest | None:
        """Return what is to be reviewed, and by which lexicon."""
        game, style = item.document, question.style
        if not isinstance(game, Game) or item.going_on or is_going_on(item):
            return None
        check_game(game)
        named = question.lexicon or game.rules.lexicon
        preferred = () if named.strip() else (*style.preferred, self._means.default_lexicon)
        return ReviewRequest(
            game, question.lexicon, preferred, question.depth, question.seconds, style.aliases
        )

    def label(self, request: ReviewRequest) -> tuple[str, str]:
        """Return the edition of the lexicon, and the depth, with the seconds if they are others than usual."""
        seconds = "" if request.seconds is None else f":{request.seconds:g}"
        return self._means.lexica.edition(self._chosen(request).lexicon), f"{request.depth.value}{seconds}"

    def players(self, result: ReviewResult, request: ReviewRequest) -> tuple[PlayerGame, ...]:
        """Return the players, by seat."""
        del request
        return player_games(result.review)

    def seconds(self, request: ReviewRequest) -> float:
        """Return what the depth usually takes."""
        return usual_seconds(request)

    def words(self, result: ReviewResult) -> str:
        """Return the lexicon."""
        return result.review.lexicon

    def write(self, result: ReviewResult) -> str:
        """Write a review as JSON."""
        players = tuple(replace(player, name="") for player in result.review.players)
        return write_review(replace(result.review, players=players))

    def read(self, text: str, request: ReviewRequest) -> ReviewResult:
        """Read a review, and say again whether the lexicon is the one that was wanted."""
        review = read_review(text)
        players = tuple(
            replace(player, name=name.name or name.nick)
            for player, name in zip(review.players, request.game.names, strict=True)
        )
        return ReviewResult(request, replace(review, players=players), self._chosen(request).missing)

    def _chosen(self, request: ReviewRequest) -> Chosen:
        rules = request.game.rules
        return self._means.lexica.choose(
            request.lexicon or rules.lexicon, rules.distribution, request.preferred, request.aliases
        )

    def share(self, progress: ReviewResult, request: ReviewRequest) -> float:
        """Return how much of the time is over."""
        return min(1.0, progress.review.seconds / usual_seconds(request))

    def progress(self, progress: ReviewResult, say: Speaker) -> str:
        """Say how many turns have a class."""
        return answer_review_progress(progress, say)

    def answer(
        self,
        result: ReviewResult,
        request: ReviewRequest,
        question: ReviewQuestion,
        around: int | None = None,
    ) -> Card:
        """Tell it in one message."""
        reply = answer_review(result, question.moment, question.style)
        if result.review.mismatch is not None:
            return reply
        return replace(reply, controls=(*self.controls(result, request, question, around), *reply.controls))

    def controls(
        self,
        result: ReviewResult,
        request: ReviewRequest,
        question: ReviewQuestion,
        around: int | None = None,
    ) -> tuple[Control, ...]:
        """Return the controls of a card, or of a turn."""
        del request
        return controls_of(result, question.moment, question.style.say, around)

    def verdict(self, result: ReviewResult, request: ReviewRequest, question: ReviewQuestion) -> str:
        """Say what a turn lost, against what, and why."""
        del request
        return judged_turn_words(result, question.moment.turn, question.style.say)

    def squares(self, result: ReviewResult, request: ReviewRequest, question: ReviewQuestion) -> Card:
        """Show a square for each turn."""
        del request
        return answer_review_squares(result, question.moment, question.style)

    def beside(
        self,
        result: ReviewResult,
        request: ReviewRequest,
        theirs: Mapping[int, TheirTurn],
        question: ReviewQuestion,
    ) -> list[str]:
        """Show both as squares."""
        del request
        return beside_words(result, theirs, question.style.say)

    def their_verdict(self, theirs: TheirTurn, question: ReviewQuestion) -> str:
        """Say its class, what it lost, and their best play."""
        return their_turn_words(theirs, woogles.NAME, question.style.say)

    def names(self, request: ReviewRequest) -> tuple[tuple[str, ...], ...]:
        """Return the names and the nicknames."""
        return tuple((player.name, player.nick) for player in request.game.names)

    def name(self, result: ReviewResult) -> ReviewRequest:
        """Return the request by the lexicon that was used."""
        request = result.request
        return replace(request, lexicon=result.review.lexicon, preferred=(), aliases=())
