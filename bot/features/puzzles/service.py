"""Gives users puzzles, hints and solutions, and judges their answers."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from bot.chat.card import Card, Moment, RefusalError, ReplyContext, join_blocks
from bot.chat.control import Control
from bot.chat.source import Source
from bot.domain.chess.documents import PuzzleSet
from bot.domain.reading.problems import DomainError
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.puzzles import selection
from bot.features.puzzles.cards import (
    card_text,
    daily_line,
    hint_lines,
    invalid_answer_card,
    join_lines,
    no_puzzles_left_card,
    no_puzzles_text,
    numbered_heading,
    stars_text,
    tries_note,
)
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.chess.solving import ShownChessPuzzle, ShownPostedPuzzle, legal_move_menus
from bot.features.puzzles.controls import DailyButton, PuzzleButton, can_take_hint, puzzle_controls
from bot.features.puzzles.crossword.document import CrosswordPuzzle
from bot.features.puzzles.crossword.solving import ShownCrosswordPuzzle
from bot.features.puzzles.fair_play import DailyGuard
from bot.features.puzzles.rating import START_RATING, UNRATED, rate_answer, rating_line
from bot.features.puzzles.selection import LibraryPuzzle, PuzzleKind, PuzzleLibrary, PuzzleRequest, derived_id
from bot.features.puzzles.sheets import PostedPuzzle, Sheet, puzzle_at, read_attached_sheet, sheet_warnings
from bot.features.puzzles.stats import UserStats, stats_card, weak_themes
from bot.features.puzzles.streaks import apply_misses, extend_streak
from bot.features.showing.document_service import DocumentService
from bot.features.showing.remarks import expired_card
from bot.jobs.account import Requester
from bot.storage.dailies import NO_SERVER, DailyKey
from bot.storage.errors import StoreError
from bot.storage.puzzles import Progress, PuzzleChange, PuzzleState, Rating, Streak
from bot.storage.store import Store
from bot.text import Translator

log = logging.getLogger(__name__)

ShownPuzzle: TypeAlias = ShownCrosswordPuzzle | ShownChessPuzzle | ShownPostedPuzzle
"""A puzzle in chat. Call its methods only on a worker thread."""

_SHEET_FORMAT = "puzzle-sheet"


@dataclass(frozen=True, slots=True)
class _PuzzleSession:
    user_id: int
    request: PuzzleRequest
    stored_id: str
    """The id under which the store keeps the user's progress."""
    heading: str
    puzzle: ShownPuzzle
    context: ReplyContext
    daily: DailyKey | None = None
    """The daily for which answers count, if any."""
    has_next: bool = True

    def controls(self, progress: Progress) -> tuple[PuzzleButton, ...]:
        hints = () if progress.is_over else self.puzzle.hints(progress.progress_code, self.context.translate)
        return puzzle_controls(self.request, progress, len(hints), has_next=self.has_next)

    def card(self, progress: Progress) -> Card:
        return Card(
            card_text(self.heading, self.puzzle.question(self.context.translate)),
            (self.puzzle.drawing(progress.progress_code, self.context),),
            controls=self.controls(progress),
            note=tries_note(progress, self.context.translate),
            accent="puzzle",
        )


class PuzzleService:
    """Gives users puzzles, and judges their answers.

    Methods that take a request raise RefusalError if the puzzle no longer exists, or if it is posted and would spoil a daily.
    """

    def __init__(
        self,
        documents: DocumentService,
        store: Store,
        resources: AnalysisResources | None,
        folder: Path | None = None,
    ) -> None:
        self._documents = documents
        self.store = store
        self._resources = resources
        self._folder = folder
        self._library: PuzzleLibrary | None = None
        self._loading = asyncio.Lock()
        self._rng = random.SystemRandom()
        self.guard = DailyGuard(documents, store, self.load_library)

    async def load_library(self) -> PuzzleLibrary:
        async with self._loading:
            if self._library is None:
                self._library = await self._documents.run(selection.load, self._folder)
                for fault in self._library.faults:
                    log.warning("puzzles: %s", fault)
            return self._library

    async def load_puzzle(self, kind: PuzzleKind, puzzle_id: str, translate: Translator) -> ShownPuzzle:
        """Return a puzzle from the library.

        Raises:
            RefusalError: the library no longer has the puzzle.

        """
        library = await self.load_library()
        puzzle = await self._documents.run(library.puzzle, kind, puzzle_id)
        if puzzle is None:
            raise RefusalError.with_text(translate("This puzzle no longer exists."))
        return self._make_shown(puzzle)

    def _make_shown(self, puzzle: PostedPuzzle) -> ShownPuzzle:
        if isinstance(puzzle, CrosswordPuzzle):
            return ShownCrosswordPuzzle(puzzle, self._resources)
        return ShownChessPuzzle(puzzle) if isinstance(puzzle, ChessPuzzle) else ShownPostedPuzzle(puzzle)

    async def show_next(self, user_id: int, request: PuzzleRequest, context: ReplyContext) -> Card:
        """Return the card of a new puzzle for the user's rating and the requested level, and mark the puzzle as seen.

        Raises:
            RefusalError: no puzzle is left.

        """
        kind = request.kind
        library = await self.load_library()
        user_rating = await self.store.puzzle_rating(user_id, kind) or UNRATED
        excluded_ids = set(await self.store.puzzle_answers(user_id, kind))
        excluded_ids |= {
            puzzle_id for game, puzzle_id in await self.store.open_daily_puzzles() if game == kind
        }

        def choose() -> tuple[str, LibraryPuzzle] | None:
            while entry := library.choose(request, user_rating.rating, excluded_ids, self._rng):
                if (puzzle := library.puzzle(kind, entry.id)) is not None:
                    return entry.id, puzzle
                excluded_ids.add(entry.id)
            return None

        choice = await self._documents.run(choose)
        if choice is None:
            raise RefusalError(no_puzzles_left_card(request, context.translate))
        puzzle_id, puzzle = choice
        await self.store.change_progress(user_id, kind, puzzle_id, leave_unchanged)
        request = replace(request, puzzle_id=puzzle_id)
        session = _PuzzleSession(
            user_id, request, puzzle_id, context.translate("**Puzzle**"), self._make_shown(puzzle), context
        )
        return await self._documents.run_and_draw(session.card, Progress())

    async def show_next_posted(
        self, requester: Requester, request: PuzzleRequest, context: ReplyContext
    ) -> Card:
        """Return the card of the next puzzle in a posted file.

        Raises:
            RefusalError: the file has expired, or there is no next puzzle.

        """
        _, _, next_request = await self._load_posted_puzzle(request, context.translate)
        if next_request is None:
            raise RefusalError(expired_card(context.translate))
        session, progress = await self._open_session(requester, next_request, context)
        return await self._documents.run_and_draw(session.card, progress)

    async def judge_answer(
        self, requester: Requester, request: PuzzleRequest, answer_text: str, context: ReplyContext
    ) -> Card:
        """Judge a user's answer. A puzzle from the library changes the user's rating only once."""
        translate = context.translate
        session, progress_before = await self._open_session(requester, request, context)
        if progress_before.is_over:
            return await self._solution_card(session, progress_before, [stars_text(progress_before)])
        try:
            verdict = await self._documents.run(
                session.puzzle.judge, progress_before.progress_code, answer_text, translate
            )
        except DomainError as error:
            return invalid_answer_card(
                translate.problem(error),
                await self._documents.run(session.controls, progress_before),
                translate,
            )

        def update(latest_progress: Progress) -> Progress:
            if not verdict.is_right:
                return replace(latest_progress, wrong_answers=latest_progress.wrong_answers + 1)
            if latest_progress.progress_code != progress_before.progress_code:
                return latest_progress  # another press has already played a move
            return replace(latest_progress, progress_code=verdict.progress_code, solved=verdict.is_solved)

        progress, rating_text = await self._record_answer(
            session,
            update,
            is_right=verdict.is_right,
            # A wrong answer or the last move settles the rating.
            is_settled=verdict.is_solved or not verdict.is_right,
        )
        if progress.is_over:
            top_line = stars_text(progress)
            if verdict.is_solved and progress.solved:
                top_line = translate("✅ **{answer}** – solved! {stars}", answer=verdict.text, stars=top_line)
            return await self._solution_card(session, progress, [top_line, rating_text])
        if verdict.is_right and (verdict.is_solved or progress.progress_code != verdict.progress_code):
            # Another press has already played a different move, so this move does not count.
            return await self._documents.run_and_draw(session.card, progress)

        def card() -> Card:
            hints = hint_lines(session.puzzle.hints(progress.progress_code, translate), progress, translate)
            return Card(
                join_lines(verdict.text, rating_text, *hints),
                (session.puzzle.drawing(progress.progress_code, context),) if verdict.is_right else (),
                controls=session.controls(progress),
                note=tries_note(progress, translate),
                accent="puzzle",
            )

        return await self._documents.run_and_draw(card)

    async def show_move_menus(
        self, requester: Requester, request: PuzzleRequest, start: str, context: ReplyContext
    ) -> Card:
        """Show menus of the legal moves. For ``start``, see :func:`legal_move_menus`."""
        translate = context.translate
        session, progress = await self._open_session(requester, request, context)
        if progress.is_over:
            return await self._solution_card(session, progress, [stars_text(progress)])

        def make_menu_card() -> Card:
            # Only chess puzzles have this control.
            assert not isinstance(session.puzzle, ShownCrosswordPuzzle)
            position = session.puzzle.position(progress.progress_code)
            return Card(
                translate("Which piece moves, and where to?"),
                (session.puzzle.drawing(progress.progress_code, context),),
                controls=legal_move_menus(request, position, start, translate),
                accent="puzzle",
            )

        return await self._documents.run_and_draw(make_menu_card)

    async def take_hint(self, requester: Requester, request: PuzzleRequest, context: ReplyContext) -> Card:
        """Return a card with one more hint, if available, or with the solution if the puzzle is over. Each hint costs a star."""
        translate = context.translate
        session, progress = await self._open_session(requester, request, context)
        if progress.is_over:
            return await self._solution_card(session, progress, [stars_text(progress)])
        hints = await self._documents.run(session.puzzle.hints, progress.progress_code, translate)

        def count_hint(progress: Progress, rating: Rating | None) -> PuzzleState:
            return replace(progress, hints=progress.hints + can_take_hint(progress, len(hints))), rating

        _, (progress, _) = await self._change_progress(session, count_hint)
        lines = hint_lines(hints, progress, translate) or [translate("Hints are available after two tries.")]
        return Card(
            join_lines(*lines),
            controls=await self._documents.run(session.controls, progress),
            note=tries_note(progress, translate),
            accent="puzzle",
        )

    async def show_solution(
        self, requester: Requester, request: PuzzleRequest, context: ReplyContext
    ) -> Card:
        """Return the card with the solution. If the user has not solved the puzzle, record that the user gave up."""
        session, _ = await self._open_session(requester, request, context)
        give_up = partial(replace, given_up=True)
        progress, rating_text = await self._record_answer(session, give_up, is_right=False)
        return await self._solution_card(session, progress, [rating_text])

    async def _solution_card(self, session: _PuzzleSession, progress: Progress, top_lines: list[str]) -> Card:
        context, key = session.context, session.daily
        controls: tuple[Control, ...] = await self._documents.run(session.controls, progress)
        if key is not None:
            streak = await self.streak(session.user_id, session.request.kind)
            days = streak.days if progress.solved else 0
            top_lines = [*top_lines, daily_line(key.number, days, context.translate)]
            if progress.solved and key.guild_id != NO_SERVER:
                controls = (*(DailyButton(key.game, key.number, action) for action in "sm"), *controls)

        def card() -> Card:
            text, drawing = session.puzzle.solution(context)
            rating = session.puzzle.rating
            note = "" if rating is None else context.translate("Puzzle rating: {rating}", rating=rating)
            return Card(
                join_lines(*top_lines, text), (drawing,), controls=controls, note=note, accent="puzzle"
            )

        return await self._documents.run_and_draw(card)

    async def _record_answer(
        self,
        session: _PuzzleSession,
        update: Callable[[Progress], Progress],
        *,
        is_right: bool,
        is_settled: bool = True,
    ) -> tuple[Progress, str]:
        """Store an answer, unless the puzzle is over. Return the progress, and a line about the rating.

        If ``is_settled`` is false, more moves must follow, and the rating does not change yet.
        """

        def change(old_progress: Progress, rating: Rating | None) -> PuzzleState:
            new_progress = old_progress if old_progress.is_over else update(old_progress)
            # Answers to posted puzzles do not change the rating, because users could post puzzles that they know.
            is_rated = session.request.digest is None and new_progress != old_progress
            puzzle_rating = session.puzzle.rating if is_rated else None
            # The rating changes once per puzzle: after the first wrong answer, the last move or giving up.
            if puzzle_rating is not None and is_settled and not old_progress.wrong_answers:
                rating = rate_answer(rating or UNRATED, puzzle_rating, is_right=is_right)
            return new_progress, rating

        (_, old_rating), (progress, new_rating) = await self._change_progress(session, change)
        return progress, rating_line(old_rating, new_rating, session.context.translate)

    async def _change_progress(
        self, session: _PuzzleSession, change: PuzzleChange
    ) -> tuple[PuzzleState, PuzzleState]:
        key, kind = session.daily, session.request.kind
        daily = (
            None if key is None else (key, lambda streak, missed: extend_streak(streak, key.number, missed))
        )
        return await self.store.change_progress(session.user_id, kind, session.stored_id, change, daily)

    async def _open_session(
        self, requester: Requester, request: PuzzleRequest, context: ReplyContext
    ) -> tuple[_PuzzleSession, Progress]:
        if request.digest is not None:
            puzzle, heading, next_request = await self._load_posted_puzzle(request, context.translate)
            await self.guard.check_positions((puzzle.start,), context)
            session = _PuzzleSession(
                requester.user_id,
                request,
                derived_id(request.puzzle_id),
                heading,
                puzzle,
                context,
                has_next=next_request is not None,
            )
        else:
            puzzle = await self.load_puzzle(request.kind, request.puzzle_id, context.translate)
            session = _PuzzleSession(
                requester.user_id,
                request,
                request.puzzle_id,
                context.translate("**Puzzle**"),
                puzzle,
                context,
                daily=await self.store.daily_key(request.kind, request.puzzle_id, requester.server_id),
            )
        return session, (await self._change_progress(session, leave_unchanged))[1][0]

    async def show_sheets(
        self, sheets: tuple[Sheet, ...], requester: Requester | None, context: ReplyContext
    ) -> Card:
        """Store the first sheet, and return the card of its first puzzle.

        Raises:
            RefusalError: the sheet has no valid puzzle.

        """
        sheet, other_file_count = sheets[0], len(sheets) - 1
        remarks = sheet_warnings(sheet, other_file_count, context.translate)
        if not sheet.rows:
            raise RefusalError.with_text("\n".join(remarks) or no_puzzles_text(context.translate))
        author_id = requester.user_id if requester is not None else None
        text = await self._documents.run(sheet.to_text)
        try:
            digest = await self._documents.save_text(_SHEET_FORMAT, text, author_id)
        except StoreError as error:
            log.warning("posted puzzles were not stored, so their card has no controls: %s", error)
            digest = ""
        entry = await self._documents.run(puzzle_at, text, 0)
        assert entry is not None  # because ``sheet.rows`` is not empty
        kind, puzzle, puzzle_count = entry
        session = _PuzzleSession(
            0,  # no user, because everyone sees this card
            PuzzleRequest(kind).for_posted_file(digest, 0),
            "",
            numbered_heading(0, puzzle_count, context.translate),
            self._make_shown(puzzle),
            context,
            has_next=puzzle_count > 1,
        )

        def card() -> Card:
            puzzle_card = session.card(Progress())
            return replace(
                puzzle_card,
                text=join_blocks([puzzle_card.text, *remarks], Moment(digest, 0, spoiler=sheet.spoiler)),
                drawings=tuple(replace(drawing, spoiler=sheet.spoiler) for drawing in puzzle_card.drawings),
                controls=puzzle_card.controls if digest else (),
            )

        return await self._documents.run_and_draw(card)

    async def show_file(self, source: Source, context: ReplyContext) -> Card | None:
        """Return the card for the first attached puzzle file, if any.

        Raises:
            RefusalError: the file has no valid puzzle.
            OverBudgetError: the requester has too little CPU time left.
            LimitError: reading the file took too much time or memory.

        """
        for file in source.attachments:
            sheet = await self._documents.run_reader(len(file.data), read_attached_sheet, file)
            if sheet is not None:
                return await self.show_sheets((sheet,), source.requester, context)
        return None

    async def _load_posted_puzzle(
        self, request: PuzzleRequest, translate: Translator
    ) -> tuple[ShownPuzzle, str, PuzzleRequest | None]:
        """Return a puzzle in a posted file, its heading, and the request for the next puzzle that has a solution, or None."""
        digest, index_text = request.puzzle_id.split(".")
        index = int(index_text)
        text = await self._documents.load_text(digest, _SHEET_FORMAT)
        if text is not None:
            entry = await self._documents.run(puzzle_at, text, index)
            if entry is None or entry[0] is not request.kind:
                raise RefusalError(expired_card(translate))
            _, puzzle, puzzle_count = entry
            next_request = request.for_posted_file(digest, index + 1) if index + 1 < puzzle_count else None
            return self._make_shown(puzzle), numbered_heading(index, puzzle_count, translate), next_request
        document = (await self._documents.load_document(digest, translate)).document
        if (
            not isinstance(document, PuzzleSet)
            or index >= len(document.puzzles)
            or request.kind is not PuzzleKind.CHESS
        ):
            raise RefusalError(expired_card(translate))
        next_requests = (
            request.for_posted_file(digest, later_index)
            for later_index in range(index + 1, len(document.puzzles))
            if document.puzzles[later_index].solution_text.strip()
        )
        heading = numbered_heading(index, len(document.puzzles), translate)
        return ShownPostedPuzzle(document.puzzles[index]), heading, next(next_requests, None)

    async def streak(self, user_id: int, kind: PuzzleKind) -> Streak:
        return apply_misses(*await self.store.streak(user_id, kind))

    async def make_stats_card(self, user_id: int, context: ReplyContext) -> Card:
        """Return the card with a user's results. Raise RefusalError if the user has no rating yet."""
        all_stats = list(filter(None, [await self._load_user_stats(user_id, kind) for kind in PuzzleKind]))
        if not all_stats:
            raise RefusalError.with_text(
                context.translate("You haven't answered a rated puzzle yet. `/puzzle` gives you one.")
            )
        return await self._documents.run_and_draw(stats_card, all_stats, context)

    async def _load_user_stats(self, user_id: int, kind: PuzzleKind) -> UserStats | None:
        user_rating = await self.store.puzzle_rating(user_id, kind)
        if user_rating is None:
            return None
        answers = await self.store.puzzle_answers(user_id, kind)
        first_answers = {
            puzzle_id: progress.solved and not progress.wrong_answers
            for puzzle_id, progress in answers.items()
            if (progress.is_over or progress.wrong_answers)
            and puzzle_id.isalnum()  # ids outside the library contain "~" or a dot
        }
        curve = await self.store.rating_history(user_id, kind) or (round(user_rating.rating),)
        if len(curve) == len(first_answers):  # no rating has been deleted
            curve = (round(START_RATING), *curve)
        library = await self.load_library()
        return UserStats(
            kind,
            user_rating,
            curve,
            len(first_answers),
            sum(first_answers.values()),
            await self.streak(user_id, kind),
            await self._documents.run(weak_themes, library, kind, user_rating, first_answers),
        )


def leave_unchanged(progress: Progress, rating: Rating | None) -> PuzzleState:
    """Return the state unchanged, so that the store records only that the user has seen the puzzle."""
    return progress, rating
