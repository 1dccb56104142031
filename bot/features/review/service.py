"""Runs review jobs, saves the reviews, and draws their cards."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from cachetools import LRUCache

from bot.chat.card import Card, Drawing, Moment, RefusalError, join_blocks, join_fitting_blocks
from bot.chat.markdown import as_spoiler
from bot.domain.crossword.game import Game
from bot.domain.notations import kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.controls import Analyze, AskEngine, TryPlay
from bot.features.analysis.crossword.card import poster_line
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.work import RunningWork, progress_bar, submit
from bot.features.review.cards import ReviewCards, Reviewer, refusal_card
from bot.features.review.several import ReviewBatch, ReviewedGame, several_games_card
from bot.features.review.values import Depth, ReviewQuery
from bot.features.showing.controls import CopyPosition
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.links import LinkOpener, review_text
from bot.features.showing.reading.links import turn_after_events
from bot.features.showing.service import Presenter
from bot.jobs.account import ACCOUNT, OverBudgetError, Requester
from bot.jobs.processes import LimitError
from bot.jobs.queue import StoppedError, Ticket
from bot.links import woogles
from bot.links.values import SiteReview, SiteTurn
from bot.storage.documents import ReviewKey

MAX_CACHED_RESULTS: Final = 128

MAX_SECONDS: Final = 720.0
"""When several games are reviewed, no review starts after this many seconds, because a private reply can be edited for only fifteen
minutes.
"""

PICTURE_INTERVAL: Final = 6.0
"""Minimum seconds between two pictures of a review in progress."""


class ReviewService:
    """Reviews games, and creates the review cards.

    Methods raise RefusalError if the document is not a game that can be reviewed, or if the review would be a spoiler. Methods that
    show a finished review also raise it if the review has expired.
    """

    def __init__(
        self,
        documents: DocumentService,
        reviewers: Mapping[str, Reviewer[Any, Any]],
        presenter: Presenter,
        links: LinkOpener,
        fairness: Fairness,
    ) -> None:
        self.documents = documents
        self._fairness = fairness
        self._links = links
        self._presenter = presenter
        self._reviewers = reviewers
        self._results: LRUCache[object, tuple[Any, bool]] = LRUCache(MAX_CACHED_RESULTS)
        """Maps requests to (result, whether the job was stopped). Only controls under a review use a stopped job's result."""

    async def find_review(self, query: ReviewQuery) -> ReviewCards[Any] | None:
        """Return the cards of a review that is saved or needs no job, otherwise None."""
        return await self._load_review(query, *await self._make_request(query))

    async def can_review(self, found: FoundDocument) -> bool:
        reviewer = self._reviewers.get(kind_of(found.document).name)
        query = ReviewQuery(Moment(found.digest, 0))
        try:
            return (
                reviewer is not None
                and await self.documents.run(reviewer.make_request, found, query) is not None
            )
        except DomainError:
            return False

    async def estimate_seconds(self, query: ReviewQuery) -> float:
        """Estimate a review's CPU time."""
        reviewer, request = await self._make_request(query)
        return reviewer.estimate_seconds(request)

    async def player_names(self, query: ReviewQuery) -> tuple[tuple[str, ...], ...]:
        """Return each player's names, in seat order."""
        reviewer, request = await self._make_request(query)
        return reviewer.player_names(request)

    async def seat_of(self, query: ReviewQuery, names: tuple[str, ...]) -> int | None:
        """Return the seat if exactly one player has one of the ``names``, otherwise None."""
        folded_names = {name.strip().casefold() for name in names} - {""}
        seats = [
            seat
            for seat, player_names in enumerate(await self.player_names(query))
            if folded_names & {name.strip().casefold() for name in player_names}
        ]
        return seats[0] if len(seats) == 1 else None

    async def card(self, query: ReviewQuery, *, centre_turn: int | None = None) -> Card:
        return _add_poster_line(await self.draw(await self.require_review(query), centre_turn), query)

    async def make_symbols_card(self, query: ReviewQuery) -> Card:
        """Return a card with one symbol for each turn."""
        cards = await self.require_review(query)
        return _add_poster_line(await self.documents.run(cards.symbols_card), query)

    async def make_turn_card(self, query: ReviewQuery, *, centre_turn: int | None = None) -> Card:
        cards = await self.require_review(query)
        viewer_card = await self._presenter.show_moment(query.moment, query.context)
        _, site_turns = await self._load_site_review(query)
        verdict = await self.documents.run(cards.verdict, query.moment.turn)
        if site_turn := site_turns.get(query.moment.turn):
            verdict += f"\n{cards.site_text(site_turn)}"
        if query.moment.spoiler:
            verdict = as_spoiler(verdict)
        other_controls = (
            control
            for control in (*viewer_card.controls, *viewer_card.more_controls)
            if isinstance(control, Analyze | AskEngine | TryPlay | CopyPosition)
        )
        return replace(
            viewer_card,
            text=join_fitting_blocks([verdict, viewer_card.text]),
            controls=(*await self.documents.run(cards.turn_controls, centre_turn), *other_controls),
            more_controls=(),
            accent="review",
        )

    async def require_review(self, query: ReviewQuery) -> ReviewCards[Any]:
        """Return the cards of a finished or stopped review.

        Raises:
            RefusalError: the review has expired.

        """
        # The control contains the name of the lexicon that the review used, so no alias may replace that lexicon.
        reviewer, request = await self._make_request(
            replace(query, context=replace(query.context, aliases=()))
        )
        cards = await self._load_review(query, reviewer, request, even_if_stopped=True)
        if cards is None:
            raise RefusalError.with_text(
                query.context.translate(
                    "This review has expired. Press Review under the game to start a new one."
                )
            )
        return cards

    async def start(self, query: ReviewQuery, requester: Requester) -> RunningWork[Any, Any]:
        """Start a review. Also raise RefusalError if the job is refused."""
        ticket, make_cards = await self.submit(query, requester)
        last_curve: Drawing | None = None
        last_drawing_time = -math.inf

        async def report(progress: object, elapsed: float) -> Card:
            nonlocal last_curve, last_drawing_time
            cards = await make_cards(progress)
            card = Card(f"⏳ {progress_bar(cards.fraction_done())}\n{cards.progress()}")
            if elapsed - last_drawing_time < PICTURE_INTERVAL:
                return card
            last_drawing_time, curve = elapsed, await self.documents.run(cards.curve)
            if curve == last_curve:
                return card
            last_curve = curve
            with suppress(OverBudgetError, LimitError):
                return await self.documents.draw(replace(card, drawings=(curve,)))
            return card

        async def finish(result: object) -> Card:
            return await self.draw(await make_cards(result, is_result=True))

        return RunningWork(
            ticket,
            query.context.translate,
            report=report,
            finish=finish,
            refuse=partial(refusal_card, query),
        )

    def start_all(
        self, queries: Sequence[ReviewQuery], requester: Requester, *, left_out_document_count: int = 0
    ) -> RunningReviews:
        return RunningReviews(
            self,
            queries,
            requester,
            partial(several_games_card, queries[0], left_out_document_count=left_out_document_count),
        )

    async def submit(
        self, query: ReviewQuery, requester: Requester
    ) -> tuple[Ticket[Any, Any], Callable[..., Awaitable[ReviewCards[Any]]]]:
        """Queue a review. Return its ticket, and a function that creates the cards.

        The function takes a progress report or, with ``is_result=True``, the result. It caches the result and, unless the job was
        stopped, stores it with the document.

        Raises:
            RefusalError: the job was refused.
        """
        reviewer, request = await self._make_request(query)
        ticket = await submit(reviewer.jobs, requester, request, query.context.translate)

        async def make_cards(review: object, *, is_result: bool = False) -> ReviewCards[Any]:
            if is_result:
                is_stopped = ticket.control.must_stop
                self._cache(reviewer, request, review, is_stopped=is_stopped)
                if not is_stopped and (
                    key := await self._storage_key(reviewer, request, query.moment.digest)
                ):
                    await self.documents.save_review(key, await self.documents.run(reviewer.to_json, review))
            return await self.documents.run(reviewer.cards, request, review, query)

        return ticket, make_cards

    async def draw(self, cards: ReviewCards[Any], centre_turn: int | None = None) -> Card:
        query = cards.query
        site_review, site_turns = await self._load_site_review(query)

        def card_with_site_review() -> Card:
            card = cards.card(centre_turn)
            if site_review is None:
                return card
            lines = [review_text(site_review, woogles.NAME, query.context.translate)]
            if site_turns:
                lines += cards.site_comparison(site_turns)
            return replace(
                card, text=join_fitting_blocks([card.text, join_blocks(["\n".join(lines)], query.moment)])
            )

        return await self.documents.run_and_draw(card_with_site_review)

    async def _load_site_review(self, query: ReviewQuery) -> tuple[SiteReview | None, dict[int, SiteTurn]]:
        if not self._links.are_enabled:
            return None, {}
        found = await self.documents.load_document(query.moment.digest, query.context.translate)
        account = ACCOUNT.get()
        review = await self._links.fetch_site_review(
            found.document, account.user_id if account is not None else 0
        )
        if review is None or not isinstance(found.document, Game):
            return review, {}
        return review, {
            turn_after_events(found.document, found.text, turn.event_number): turn for turn in review.turns
        }

    async def _load_review(
        self,
        query: ReviewQuery,
        reviewer: Reviewer[Any, Any],
        request: object,
        *,
        even_if_stopped: bool = False,
    ) -> ReviewCards[Any] | None:
        result, is_stopped = self._results.get(request, (None, False))
        if result is None or (is_stopped and not even_if_stopped):
            result = await self.documents.run(reviewer.immediate_result, request)
            key = None if result else await self._storage_key(reviewer, request, query.moment.digest)
            if key and (text := await self.documents.load_review(key)) is not None:
                with suppress(ValueError):
                    result = await self.documents.run(reviewer.from_json, text, request)
            if result is None:
                return None
            self._cache(reviewer, request, result, is_stopped=False)
        return await self.documents.run(reviewer.cards, request, result, query)

    def _cache(
        self, reviewer: Reviewer[Any, Any], request: object, result: object, *, is_stopped: bool
    ) -> None:
        button_request = reviewer.button_request(request, result)
        self._results[request] = self._results[button_request] = result, is_stopped

    async def _storage_key(
        self, reviewer: Reviewer[Any, Any], request: object, digest: str
    ) -> ReviewKey | None:
        try:
            return ReviewKey(digest, *await self.documents.run(reviewer.key_parts, request))
        except DomainError:  # the review reports the same error
            return None

    async def _make_request(self, query: ReviewQuery) -> tuple[Reviewer[Any, Any], Any]:
        translate = query.context.translate
        found = await self.documents.load_document(query.moment.digest, translate)
        reviewer = self._reviewers.get(kind_of(found.document).name)
        try:
            request = await self.documents.run(reviewer.make_request, found, query) if reviewer else None
        except DomainError as error:
            raise RefusalError(refusal_card(query, error)) from None
        if reviewer is None or request is None:
            raise RefusalError.with_text(translate("Only finished games can be reviewed."))
        await self._fairness.check(found, query.context)
        return reviewer, request


def _add_poster_line(card: Card, query: ReviewQuery) -> Card:
    intro = poster_line(query.poster, query.context.translate)
    return replace(card, text=join_fitting_blocks([intro, card.text]))


class RunningReviews:
    """Reviews games one by one. If the user stops the work, the final card still shows the finished reviews."""

    def __init__(
        self,
        reviews: ReviewService,
        queries: Sequence[ReviewQuery],
        requester: Requester,
        make_card: Callable[[ReviewBatch], Card],
    ) -> None:
        self._reviews = reviews
        self._queries = queries
        self._requester = requester
        self._make_card = make_card
        self._ticket: Ticket[Any, Any] | None = None
        self._must_stop = False
        self._games: list[ReviewedGame] = []
        self._refusals: list[str] = []
        self._problem = ""

    def stop(self) -> None:
        self._must_stop = True
        if self._ticket is not None:
            self._ticket.stop()

    async def progress(self, interval: float) -> AsyncIterator[Card]:
        """Review the games. Yield progress cards, at most one every ``interval`` seconds."""
        start_time = time.monotonic()
        for finished_count, query in enumerate(self._queries):
            try:
                cards = await self._reviews.find_review(query)
                self._must_stop = self._must_stop or time.monotonic() - start_time > MAX_SECONDS
                if cards is None and not self._must_stop and (ticket := await self._start_job(query)):
                    async for _ in ticket.updates():
                        yield self._progress_card(finished_count)
                        await ticket.wait(interval)
                    cards = await self._finish_job(query, ticket)
                # If a deep review is not possible, use a saved quick review.
                if cards is None and query.depth is Depth.DEEP:
                    cards = await self._reviews.find_review(replace(query, depth=Depth.QUICK))
            except RefusalError as error:
                self._refusals.append(error.card.text)
                continue
            if cards is not None:
                self._games.append(ReviewedGame(cards.query, cards.player_statistics()))

    async def _start_job(self, query: ReviewQuery) -> Ticket[Any, Any] | None:
        try:
            self._ticket, self._make_cards = await self._reviews.submit(query, self._requester)
        except RefusalError as error:
            self._problem, self._must_stop = error.card.text, True
            return None
        return self._ticket

    async def _finish_job(self, query: ReviewQuery, ticket: Ticket[Any, Any]) -> ReviewCards[Any] | None:
        """Return the cards. If the review was stopped, end the work and return None."""
        try:
            result = await ticket.result()
        except StoppedError:
            result = None
        except DomainError as error:
            raise RefusalError(refusal_card(query, error)) from None
        if ticket.control.must_stop or result is None:
            self._must_stop = True
            return None
        return await self._make_cards(result, is_result=True)

    def _progress_card(self, finished_count: int) -> Card:
        game_count = len(self._queries)
        translate = self._queries[0].context.translate
        text = translate("Game {number} of {games}", number=finished_count + 1, games=game_count)
        return Card(f"⏳ {progress_bar(finished_count / game_count)}\n{text}")

    async def reply(self) -> Card:
        seconds = [
            await self._reviews.estimate_seconds(replace(game.query, depth=Depth.DEEP))
            for game in self._games
            if game.query.depth is Depth.QUICK
        ]
        batch = ReviewBatch(
            tuple(self._games),
            tuple(self._refusals),
            len(self._queries) - len(self._games) - len(self._refusals),
            self._problem,
            sum(seconds),
        )
        return await self._reviews.documents.run_and_draw(self._make_card, batch)
