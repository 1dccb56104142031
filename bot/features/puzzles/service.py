"""Puzzles in chat: sets them, judges answers, gives hints and solutions. Users see only their own answers."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from bot.chat.card import Card, Moment, NoAnswerError, Style, join_blocks
from bot.chat.control import Control
from bot.chat.source import Source
from bot.domain.chess.documents import PuzzleSet
from bot.domain.reading.problems import DomainError
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.puzzles import selection
from bot.features.puzzles.cards import (
    card_text,
    daily_line,
    hint_lines,
    none_left,
    refusal_card,
    stars_text,
    tries_note,
)
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.chess.solving import ChessTask, PostedTask, moves_of_piece
from bot.features.puzzles.controls import AboutDaily, Solve, has_hint, puzzle_controls
from bot.features.puzzles.crossword.document import CrosswordPuzzle
from bot.features.puzzles.crossword.solving import CrosswordTask
from bot.features.puzzles.fair_play import DailyGuard
from bot.features.puzzles.rating import UNRATED, after_answer, rating_line
from bot.features.puzzles.selection import Kind, Library, LibraryPuzzle, Wanted, stand_in
from bot.features.puzzles.sheets import PostedPuzzle, Sheet, puzzle_at, read_puzzles, sheet_remarks
from bot.features.puzzles.standing import Standing, standing_card, weak_themes
from bot.features.puzzles.streaks import continue_streak, extend_streak
from bot.features.showing.desk import Desk
from bot.features.showing.remarks import answer_expired
from bot.jobs.account import Requester
from bot.storage.dailies import NO_SERVER, DailyKey
from bot.storage.errors import StoreError
from bot.storage.puzzles import Change, Progress, Rating, State, Streak
from bot.storage.store import Store
from bot.text import Speaker

log = logging.getLogger(__name__)

Task: TypeAlias = CrosswordTask | ChessTask | PostedTask
"""A puzzle as it is solved in chat. Every method runs on a thread; ``done`` counts the right moves of a line."""

_SHEET = "puzzle-sheet"
"""The format under which a posted file is stored among the documents."""


@dataclass(frozen=True, slots=True)
class _Sitting:
    """A user in front of a puzzle."""

    user: int
    wanted: Wanted
    name: str
    """The name under which answers are stored."""
    head: str
    """The name of the puzzle on its card."""
    task: Task
    style: Style
    is_rated: bool = False
    """Whether answers change the user's rating."""
    daily: DailyKey | None = None
    has_next: bool = True

    def controls(self, progress: Progress) -> tuple[Solve, ...]:
        """Return the controls of the puzzle for the user's progress."""
        hints = 0 if progress.is_over else len(self.task.hints(progress.done, self.style.say))
        return puzzle_controls(self.wanted, progress, hints, has_next=self.has_next)

    def card(self, progress: Progress) -> Card:
        """Return the card that sets the puzzle, after the moves that are played."""
        text = card_text(self.head, self.task.question(self.style.say))
        drawing = self.task.drawing(progress.done, self.style)
        note = tries_note(progress, self.style.say)
        return Card(text, (drawing,), controls=self.controls(progress), note=note, accent="puzzle")


class Puzzles:
    """Sets puzzles of the library and of posted files, and judges answers."""

    def __init__(
        self, desk: Desk, store: Store, means: AnalysisMeans | None, folder: Path | None = None
    ) -> None:
        self._desk = desk
        self.store = store
        self._means = means
        self._folder = folder
        self._library: Library | None = None
        self._loading = asyncio.Lock()
        self._source = random.SystemRandom()
        self.guard = DailyGuard(desk, store, self.shelf)

    async def shelf(self) -> Library:
        """Return the library, which is read on first use."""
        async with self._loading:
            if self._library is None:
                self._library = await self._desk.run(selection.load, self._folder)
                for fault in self._library.faults:
                    log.warning("puzzles: %s", fault)
            return self._library

    async def task(self, kind: Kind, name: str, say: Speaker) -> Task:
        """Return a puzzle of the library.

        Raises:
            NoAnswerError: the library no longer has it.

        """
        shelf = await self.shelf()
        puzzle = await self._desk.run(shelf.puzzle, kind, name)
        if puzzle is None:
            raise NoAnswerError.saying(say("This puzzle no longer exists."))
        return self._task(puzzle)

    def _task(self, puzzle: PostedPuzzle) -> Task:
        if isinstance(puzzle, CrosswordPuzzle):
            return CrosswordTask(puzzle, self._means)
        return ChessTask(puzzle) if isinstance(puzzle, ChessPuzzle) else PostedTask(puzzle)

    async def next(self, user: int, wanted: Wanted, style: Style) -> Card:
        """Set a user a new puzzle near the user's rating.

        Raises:
            NoAnswerError: none is left.

        """
        kind = wanted.kind
        shelf = await self.shelf()
        rated = await self.store.puzzle_rating(user, kind) or UNRATED
        seen = await self.store.puzzle_answers(user, kind)
        dailies = {name for game, name in await self.store.open_puzzles() if game == kind}

        def choose() -> tuple[str, LibraryPuzzle] | None:
            passed = set(seen) | dailies
            while entry := shelf.choose(wanted, rated.rating, passed, self._source):
                if (puzzle := shelf.puzzle(kind, entry.id)) is not None:
                    return entry.id, puzzle
                passed.add(entry.id)
            return None

        found = await self._desk.run(choose)
        if found is None:
            raise NoAnswerError(none_left(wanted, style.say))
        name, puzzle = found
        await self.store.change_puzzle(user, kind, name, _unchanged)
        wanted = replace(wanted, name=name)
        sitting = _Sitting(user, wanted, name, style.say("**Puzzle**"), self._task(puzzle), style)
        return await self._desk.answer(sitting.card, Progress())

    async def after(self, requester: Requester, wanted: Wanted, style: Style) -> Card:
        """Set a user the puzzle that follows one of a posted file.

        Raises:
            NoAnswerError: the file has expired, or it was the last puzzle.

        """
        assert wanted.source is not None  # of a posted file
        digest, _ = wanted.source
        _, _, following = await self._posted(wanted, style.say)
        if following is None:
            raise NoAnswerError(answer_expired(style.say))
        sitting, progress = await self._sitting(requester, wanted.at(digest, following), style)
        return await self._desk.answer(sitting.card, progress)

    async def answer(self, requester: Requester, wanted: Wanted, typed: str, style: Style) -> Card:
        """Judge a user's answer; the first one counts for the rating.

        Raises:
            NoAnswerError: the puzzle no longer exists.

        """
        say = style.say
        sitting, so_far = await self._sitting(requester, wanted, style)
        if so_far.is_over:
            return await self._solution(sitting, so_far, [stars_text(so_far)])
        try:
            verdict = await self._desk.run(sitting.task.judge, so_far.done, typed)
        except DomainError as error:
            return refusal_card(say.problem(error), await self._desk.run(sitting.controls, so_far), say)

        def counted(before: Progress) -> Progress:
            if not verdict.right:
                return replace(before, tries=before.tries + 1)
            if before.done != so_far.done:
                return before  # another press was faster
            return replace(before, done=verdict.done, solved=verdict.solved)

        # Only a complete line wins: a right first move alone changes nothing, a wrong one loses.
        settled = verdict.solved or not verdict.right
        progress, line = await self._count(sitting, counted, right=verdict.right, settled=settled)
        comment = await self._desk.run(verdict.comment, progress, say)
        if verdict.solved:
            return await self._solution(sitting, progress, [comment, line])

        def card() -> Card:
            hints = hint_lines(sitting.task.hints(progress.done, say), progress, say)
            drawings = (sitting.task.drawing(progress.done, style),) if verdict.right else ()
            text, note = _lines(comment, line, *hints), tries_note(progress, say)
            controls = sitting.controls(progress)
            return Card(text, drawings, controls=controls, note=note, accent="puzzle")

        return await self._desk.answer(card)

    async def choose(self, requester: Requester, wanted: Wanted, start: str, style: Style) -> Card:
        """Show the moves of a chess puzzle as menus; ``start`` is the chosen square or piece to drop.

        Raises:
            NoAnswerError: the puzzle no longer exists.

        """
        say = style.say
        sitting, progress = await self._sitting(requester, wanted, style)
        if progress.is_over:
            return await self._solution(sitting, progress, [stars_text(progress)])

        def menus() -> Card:
            assert not isinstance(sitting.task, CrosswordTask)  # its control is of chess
            drawing = sitting.task.drawing(progress.done, style)
            controls = moves_of_piece(wanted, sitting.task.position(progress.done), start, say)
            text = say("Which piece moves, and where to?")
            return Card(text, (drawing,), controls=controls, accent="puzzle")

        return await self._desk.answer(menus)

    async def hint(self, requester: Requester, wanted: Wanted, style: Style) -> Card:
        """Give a user one more hint, which costs a star.

        Raises:
            NoAnswerError: the puzzle no longer exists.

        """
        say = style.say
        sitting, progress = await self._sitting(requester, wanted, style)
        hints = await self._desk.run(sitting.task.hints, progress.done, say)

        def work(before: Progress, rating: Rating | None) -> State:
            return replace(before, hints=before.hints + has_hint(before, len(hints))), rating

        progress = (await self._change(sitting, work))[1][0]
        lines = hint_lines(hints, progress, say) or [say("Hints are available after two tries.")]
        controls = await self._desk.run(sitting.controls, progress)
        note = tries_note(progress, say)
        return Card(_lines(*lines), controls=controls, note=note, accent="puzzle")

    async def solution(self, requester: Requester, wanted: Wanted, style: Style) -> Card:
        """Show a user the solution; without a right answer the puzzle is lost.

        Raises:
            NoAnswerError: the puzzle no longer exists.

        """
        sitting, _ = await self._sitting(requester, wanted, style)
        progress, line = await self._count(sitting, partial(replace, given_up=True), right=False)
        return await self._solution(sitting, progress, [line])

    async def _solution(self, sitting: _Sitting, progress: Progress, lead: list[str]) -> Card:
        style, key = sitting.style, sitting.daily
        controls: tuple[Control, ...] = await self._desk.run(sitting.controls, progress)
        if key is not None:
            streak = (await self.streak(sitting.user, sitting.wanted.kind)).days
            lead = [*lead, daily_line(key.number, streak if progress.solved else 0, style.say)]
            if progress.solved and key.guild_id != NO_SERVER:
                controls = (*(AboutDaily(key.game, key.number, what) for what in "sm"), *controls)

        def card() -> Card:
            text, drawing = sitting.task.solution(style)
            rating = sitting.task.rating
            note = "" if rating is None else style.say("Puzzle rating: {rating}", rating=rating)
            return Card(_lines(*lead, text), (drawing,), controls=controls, note=note, accent="puzzle")

        return await self._desk.answer(card)

    async def _count(
        self, sitting: _Sitting, counted: Callable[[Progress], Progress], *, right: bool, settled: bool = True
    ) -> tuple[Progress, str]:
        """Count an answer unless the puzzle is over; return the progress, and a line about the rating."""

        def work(before: Progress, rating: Rating | None) -> State:
            if before.is_over:
                return before, rating
            # A line is one answer: it counts at its end, and as lost at its first wrong move.
            puzzle = sitting.task.rating if sitting.is_rated else None
            if puzzle is not None and settled and not before.tries:
                rating = after_answer(rating or UNRATED, puzzle, right=right)
            return counted(before), rating

        (_, rated), (progress, now) = await self._change(sitting, work)
        return progress, rating_line(rated, now, sitting.style.say)

    async def _change(self, sitting: _Sitting, work: Change) -> tuple[State, State]:
        key = sitting.daily

        def streaking(before: Streak, missed: Sequence[int]) -> Streak:
            assert key is not None  # only dailies have streaks
            return extend_streak(before, key.number, missed)

        daily = None if key is None else (key, streaking)
        return await self.store.change_puzzle(sitting.user, sitting.wanted.kind, sitting.name, work, daily)

    async def _sitting(self, requester: Requester, wanted: Wanted, style: Style) -> tuple[_Sitting, Progress]:
        """Return a puzzle as a user sees it, and the user's answers so far.

        Raises:
            NoAnswerError: the puzzle no longer exists, or it would give a daily away.

        """
        if wanted.source is not None:
            task, head, following = await self._posted(wanted, style.say)
            if style.reader:
                await self.guard.require_positions((task.start,), style)
            # Anybody can post easy puzzles, so these change no rating.
            name, has_next = stand_in(wanted.name), following is not None
            sitting = _Sitting(requester.user, wanted, name, head, task, style, has_next=has_next)
        else:
            task = await self.task(wanted.kind, wanted.name, style.say)
            head = style.say("**Puzzle**")
            daily = await self.store.daily_key(wanted.kind, wanted.name, requester.server)
            sitting = _Sitting(
                requester.user, wanted, wanted.name, head, task, style, is_rated=True, daily=daily
            )
        return sitting, (await self._change(sitting, _unchanged))[1][0]

    # Posted files

    async def post(self, sheets: tuple[Sheet, ...], requester: Requester | None, style: Style) -> Card:
        """Store the first of some sheets and set its first puzzle; warn about the others.

        Raises:
            NoAnswerError: the sheet has no complete puzzle; the answer says why.

        """
        sheet, others = sheets[0], len(sheets) - 1
        remarks = sheet_remarks(sheet, others, style.say)
        if not sheet.rows:
            raise NoAnswerError.saying("\n".join(remarks) or style.say("Puzzles are not available here."))
        author_id = requester.user if requester is not None else None
        text = await self._desk.run(sheet.write)
        try:
            digest = await self._desk.keep_text(_SHEET, text, author_id)
        except StoreError as error:
            log.warning("showing a puzzle without controls: %s", error)
            digest = ""
        found = await self._desk.run(puzzle_at, text, 0)
        assert found is not None  # the sheet has a row
        kind, puzzle, puzzles = found
        wanted = Wanted(kind).at(digest, 0)
        head = _numbered(0, puzzles, style.say)
        sitting = _Sitting(0, wanted, "", head, self._task(puzzle), style, has_next=puzzles > 1)

        def card() -> Card:
            made = sitting.card(Progress())
            return replace(
                made,
                text=join_blocks([made.text, *remarks], Moment(digest, 0, spoiler=sheet.spoiler)),
                drawings=tuple(replace(drawing, spoiler=sheet.spoiler) for drawing in made.drawings),
                controls=made.controls if digest else (),
            )

        return await self._desk.answer(card)

    async def post_file(self, source: Source, style: Style) -> Card | None:
        """Set the first puzzle of an attached file; None when no file is one of puzzles.

        Raises:
            NoAnswerError: the file has no complete puzzle.
            OverBudgetError, LimitError: the file is too long.

        """
        for file in source.attachments:
            sheet = await self._desk.read(len(file.data), read_puzzles, file)
            if sheet is not None:
                return await self.post((sheet,), source.requester, style)
        return None

    async def _posted(self, wanted: Wanted, say: Speaker) -> tuple[Task, str, int | None]:
        """Return a puzzle of a posted file, its name on the card, and the index of the next solvable puzzle.

        Raises:
            NoAnswerError: the file has expired, or has no such puzzle.

        """
        assert wanted.source is not None  # of a posted file
        digest, index = wanted.source
        text = await self._desk.text_of(digest, _SHEET)
        if text is not None:
            found = await self._desk.run(puzzle_at, text, index)
            if found is None or found[0] is not wanted.kind:
                raise NoAnswerError(answer_expired(say))
            _, puzzle, puzzles = found
            following = index + 1 if index + 1 < puzzles else None
            return self._task(puzzle), _numbered(index, puzzles, say), following
        document = (await self._desk.document(digest, say)).document
        if (
            not isinstance(document, PuzzleSet)
            or index >= len(document.puzzles)
            or wanted.kind is not Kind.CHESS
        ):
            raise NoAnswerError(answer_expired(say))
        later = range(index + 1, len(document.puzzles))
        solvable = (index for index in later if document.puzzles[index].solution_text.strip())
        head = _numbered(index, len(document.puzzles), say)
        return PostedTask(document.puzzles[index]), head, next(solvable, None)

    # Results

    async def streak(self, user: int, kind: Kind) -> Streak:
        """Return a user's streak of dailies of a game; a missed daily that is over ends it."""
        before, missed = await self.store.streak(user, kind)
        return continue_streak(before, missed)

    async def standing(self, user: int, style: Style) -> Card:
        """Return a user's results in all games.

        Raises:
            NoAnswerError: the user has not answered a puzzle yet.

        """
        games = [standing for kind in Kind if (standing := await self._standing(user, kind)) is not None]
        if not games:
            raise NoAnswerError.saying(
                style.say("You have not answered a puzzle yet. `/puzzle` gives you one.")
            )
        return await self._desk.answer(standing_card, games, style)

    async def _standing(self, user: int, kind: Kind) -> Standing | None:
        own = await self.store.puzzle_rating(user, kind)
        if own is None:
            return None
        answers = await self.store.puzzle_answers(user, kind)
        firsts = {
            name: progress.solved and not progress.tries
            for name, progress in answers.items()
            if (progress.is_over or progress.tries) and name.isalnum()  # others change no rating
        }
        history = await self.store.rating_history(user, kind) or (round(own.rating),)
        streak, shelf = await self.streak(user, kind), await self.shelf()
        weak = await self._desk.run(weak_themes, shelf, kind, own, firsts)
        return Standing(kind, own, history, len(firsts), sum(firsts.values()), streak, weak)


def _unchanged(progress: Progress, rating: Rating | None) -> State:
    return progress, rating


def _numbered(index: int, puzzles: int, say: Speaker) -> str:
    return say("**Puzzle {number} of {puzzles}**", number=index + 1, puzzles=puzzles)


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)
