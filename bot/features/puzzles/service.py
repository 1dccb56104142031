"""Puzzles in chat: setting them, judging answers, hints, solutions, and the next one."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from bot.chat.card import Card, NoAnswerError
from bot.chat.control import Control
from bot.chat.style import Style
from bot.domain.reading.problems import DomainError
from bot.features.analysis.means import AnalysisMeans
from bot.features.puzzles import library
from bot.features.puzzles.cards import (
    Setting,
    Solving,
    card_text,
    hint_blocks,
    none_left,
    panel,
    rating_line,
    refused,
    stars_text,
)
from bot.features.puzzles.chess.service import ChessSolving, moves_of_piece
from bot.features.puzzles.controls import AboutDaily, Solve
from bot.features.puzzles.crossword.service import CrosswordSolving
from bot.features.puzzles.daily import Streak, solved
from bot.features.puzzles.daily_card import daily_line
from bot.features.puzzles.fair_play import DailyGuard, GuardStore
from bot.features.puzzles.library import Library, Puzzle, stand_in
from bot.features.puzzles.posted_service import PostedPuzzles
from bot.features.puzzles.rating import START, Progress, Rating, after_answer
from bot.features.puzzles.standing import Standings, StandingStore
from bot.features.puzzles.wanted import Kind, Wanted, posted_name, posted_place
from bot.features.showing.conversion import answer_expired
from bot.features.showing.desk import Desk
from bot.jobs.queue import Asker
from bot.storage.dailies.values import ELSEWHERE, DailyKey, KeptStreak
from bot.storage.puzzles import Change, Daily, PuzzleAnswer, PuzzleRating
from bot.text import Speaker

log = logging.getLogger(__name__)

Counted: TypeAlias = Callable[[Progress], Progress]
"""Returns how far somebody is after an answer."""


class PuzzleStore(StandingStore, GuardStore, Protocol):
    """Where answers and ratings are kept; see :class:`bot.storage.store.Store`."""

    async def change_puzzle(
        self, user_id: int, game: str, puzzle: str, work: Change, daily: Daily | None = None
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        """Change what is known of somebody and a puzzle."""

    async def daily_key(self, game: str, puzzle: str, guild_id: int | None) -> DailyKey | None:
        """Return the daily that a puzzle is now in a server, or elsewhere."""


@dataclass(frozen=True, slots=True)
class _Sitting:
    """Somebody before a puzzle."""

    user: int
    wanted: Wanted
    kept: str
    """What is kept in place of the name."""
    puzzle: object
    solving: Solving[Any, Any]
    style: Style
    rating: int | None
    """The puzzle's; None where answers change nobody's rating."""
    daily: DailyKey | None = None
    """What daily it is there."""
    goes_on: bool = True
    """Whether there is a next one."""

    def hints(self, progress: Progress) -> tuple[str, ...]:
        """Return what may be told of the answer, step by step."""
        return self.solving.hints(self.puzzle, progress.done, self.style.say)

    def panel(self, progress: Progress) -> tuple[Solve, ...]:
        """Return the controls for somebody who is so far with it."""
        hints = 0 if progress.is_over else len(self.hints(progress))
        return panel(self.wanted, progress, hints, goes_on=self.goes_on)


class Puzzles:
    """Sets puzzles and judges answers; what somebody has done is told to that person alone."""

    def __init__(
        self, desk: Desk, store: PuzzleStore, means: AnalysisMeans | None, folder: Path | None = None
    ) -> None:
        self._desk = desk
        self.store = store
        self.setting: dict[Kind, Setting[Any, Any]] = {
            Kind.CROSSWORD: CrosswordSolving(means),
            Kind.CHESS: ChessSolving(),
        }
        self.posted = PostedPuzzles(desk, self.setting)
        self._folder = folder
        self.guard = DailyGuard(desk, store, self.shelf)
        self.standings = Standings(desk, store, self.shelf)
        self._library: Library | None = None
        self._loading = asyncio.Lock()
        self._source = random.SystemRandom()

    async def next(self, user: int, wanted: Wanted, style: Style) -> Card:
        """Set somebody a puzzle as it is wanted: one new to the person, and about as hard as the person is strong.

        Raises:
            NoAnswerError: there is none left.

        """
        kind = wanted.kind
        shelf = await self.shelf()
        rated = await self.store.puzzle_rating(user, kind)
        seen = await self.store.puzzle_answers(user, kind)
        # Nobody shall meet the puzzle of the day before it is the day's.
        dailies = {name for game, name in await self.store.open_puzzles() if game == kind}
        strength = START if rated is None else rated.rating

        def choose() -> tuple[str, Puzzle] | None:
            passed = set(seen) | dailies
            while entry := shelf.choose(wanted, strength, passed, self._source):
                if (puzzle := shelf.puzzle(kind, entry.id)) is not None:
                    return entry.id, puzzle
                passed.add(entry.id)
            return None

        found = await self._desk.run(choose)
        if found is None:
            raise NoAnswerError(none_left(wanted, style.say))
        name, puzzle = found
        await self.store.change_puzzle(user, kind, name, lambda answer, rating: (answer, rating))

        def card() -> Card:
            setting = self.setting[kind]
            text = card_text(setting.question(puzzle, style.say), style.say)
            controls = panel(replace(wanted, name=name), Progress(), 0)
            return Card(text, (setting.drawing(puzzle, style),), controls=controls)

        return await self._desk.answer(card)

    async def after(self, asker: Asker, wanted: Wanted, style: Style) -> Card:
        """Set somebody the puzzle that follows one in a posted file.

        Raises:
            NoAnswerError: the file is not there any more, or it was the last one.

        """
        kind, place = wanted.kind, posted_place(wanted.name)
        assert place is not None  # nobody asks else
        index = (await self.posted.at(kind, place, style.say)).following
        if index is None:
            raise NoAnswerError(answer_expired(style.say))
        posted = await self.posted.at(kind, (place[0], index), style.say)
        sitting = await self._sitting(asker, replace(wanted, name=posted_name(place[0], index)), style)
        progress = await self._progress(sitting)

        def card() -> Card:
            text, drawing = posted.card(progress.done, style)
            return Card(text, (drawing,), controls=sitting.panel(progress))

        return await self._desk.answer(card)

    async def answer(self, asker: Asker, wanted: Wanted, typed: str, style: Style) -> Card:
        """Judge somebody's answer; the first one counts for the rating.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting, say = await self._sitting(asker, wanted, style), style.say
        so_far = await self._progress(sitting)
        if so_far.is_over:
            return await self._solution(sitting, so_far, [stars_text(so_far)])
        try:
            verdict = await self._desk.run(sitting.solving.judge, sitting.puzzle, so_far.done, typed)
        except DomainError as error:
            return refused(say.problem(error), await self._desk.run(sitting.panel, so_far), say)

        def counted(before: Progress) -> Progress:
            if not verdict.right:
                return replace(before, tries=before.tries + 1)
            if before.done != so_far.done:
                return before  # another press was faster
            return replace(before, done=verdict.done, solved=verdict.solved)

        # Only a whole line is solved: a right first move alone wins nothing, a wrong one loses.
        settled = verdict.solved or not verdict.right
        progress, line = await self._count(sitting, counted, right=verdict.right, settled=settled)
        text = await self._desk.run(sitting.solving.told, sitting.puzzle, verdict, progress, say)
        if verdict.solved:
            return await self._solution(sitting, progress, [text, line])

        def goes_on() -> Card:
            drawing = sitting.solving.after(sitting.puzzle, progress.done, style) if verdict.right else None
            text_with_hints = _joined([text, line, *hint_blocks(sitting.hints(progress), progress, say)])
            drawings = () if drawing is None else (drawing,)
            return Card(text_with_hints, drawings, controls=sitting.panel(progress))

        return await self._desk.answer(goes_on)

    async def choose(self, asker: Asker, wanted: Wanted, start: str, style: Style) -> Card:
        """Show the moves of a chess puzzle as menus; ``start`` is the square or the piece to drop that is chosen.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting, say = await self._sitting(asker, wanted, style), style.say
        progress = await self._progress(sitting)
        if progress.is_over:
            return await self._solution(sitting, progress, [stars_text(progress)])

        def menus() -> Card:
            position = sitting.solving.position(sitting.puzzle, progress.done)
            assert position is not None  # it is chess
            drawing = sitting.solving.after(sitting.puzzle, progress.done, style)
            drawings = () if drawing is None else (drawing,)
            controls = moves_of_piece(wanted, position, start, say)
            return Card(say("Which piece moves, and where to?"), drawings, controls=controls)

        return await self._desk.answer(menus)

    async def hint(self, asker: Asker, wanted: Wanted, style: Style) -> Card:
        """Tell one thing more about the answer, for a star.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting, say = await self._sitting(asker, wanted, style), style.say
        hints = await self._desk.run(sitting.hints, await self._progress(sitting))

        def work(
            answer: PuzzleAnswer, rating: PuzzleRating | None
        ) -> tuple[PuzzleAnswer, PuzzleRating | None]:
            more = Progress(*astuple(answer)).has_hint(len(hints))
            return (PuzzleAnswer(answer.tries, answer.hints + 1, answer.done) if more else answer), rating

        _, _, after, _ = await self._change(sitting, work)
        progress = Progress(*astuple(after))
        blocks = hint_blocks(hints, progress, say) or [say("Hints are there after two tries.")]
        return Card(_joined(blocks), controls=await self._desk.run(sitting.panel, progress))

    async def solution(self, asker: Asker, wanted: Wanted, style: Style) -> Card:
        """Tell the answer; who has not given one has lost.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting = await self._sitting(asker, wanted, style)

        def counted(before: Progress) -> Progress:
            return Progress(before.tries, before.hints, before.done, given_up=True)

        progress, line = await self._count(sitting, counted, right=False)
        return await self._solution(sitting, progress, [line])

    async def _solution(self, sitting: _Sitting, progress: Progress, lead: list[str]) -> Card:
        style, key = sitting.style, sitting.daily
        controls: tuple[Control, ...] = await self._desk.run(sitting.panel, progress)
        if key is not None:
            streak = (await self.standings.streak(sitting.user, sitting.wanted.kind)).days
            lead = [*lead, daily_line(key.number, streak if progress.solved else 0, style.say)]
            if progress.solved and key.guild_id != ELSEWHERE:
                told = (AboutDaily(key.game, key.number, what) for what in "sm")
                controls = (*told, *controls)

        def made() -> Card:
            text, drawing = sitting.solving.solution(sitting.puzzle, style)
            return Card(_joined([*lead, text]), (drawing,), controls=controls)

        return await self._desk.answer(made)

    async def is_over(self, asker: Asker, wanted: Wanted) -> bool:
        """Return whether a user has solved a puzzle that is a daily now, or given it up; False for other puzzles."""
        return await self.store.is_daily_over(asker.user, wanted.kind, wanted.name)

    async def _count(
        self, sitting: _Sitting, counted: Counted, *, right: bool, settled: bool = True
    ) -> tuple[Progress, str]:
        """Count an answer unless the puzzle is over; return how far the person is, and a line on the rating."""

        def work(
            answer: PuzzleAnswer, rating: PuzzleRating | None
        ) -> tuple[PuzzleAnswer, PuzzleRating | None]:
            before = Progress(*astuple(answer))
            if before.is_over:
                return answer, rating
            after = counted(before)
            # A line is an answer as a whole: it counts when it ends, and as lost by its first wrong move.
            if sitting.rating is not None and settled and not before.tries:
                own = Rating() if rating is None else Rating(*astuple(rating))
                rating = PuzzleRating(*astuple(after_answer(own, sitting.rating, right=right)))
            return PuzzleAnswer(*astuple(after)), rating

        _, rated, after, now = await self._change(sitting, work)
        earlier, later = (None if one is None else Rating(*astuple(one)) for one in (rated, now))
        return Progress(*astuple(after)), rating_line(earlier, later, sitting.style.say)

    async def _progress(self, sitting: _Sitting) -> Progress:
        _, _, answer, _ = await self._change(sitting, lambda answer, rating: (answer, rating))
        return Progress(*astuple(answer))

    async def _change(
        self, sitting: _Sitting, work: Change
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        key = sitting.daily

        def streaking(before: KeptStreak, missed: Sequence[int]) -> KeptStreak:
            assert key is not None  # only dailies have streaks
            return KeptStreak(*astuple(solved(Streak(*astuple(before)), key.number, missed)))

        daily = None if key is None else Daily(key, streaking)
        return await self.store.change_puzzle(sitting.user, sitting.wanted.kind, sitting.kept, work, daily)

    async def _sitting(self, asker: Asker, wanted: Wanted, style: Style) -> _Sitting:
        kind, name = wanted.kind, wanted.name
        if place := posted_place(name):
            posted = await self.posted.at(kind, place, style.say)
            if style.audience is not None:
                await self.guard.require_positions((posted.position,), style.audience, style.say)
            # Anybody can post what is easy: nobody's rating depends on it.
            kept = stand_in(name)
            puzzle, solving, goes_on = posted.puzzle, posted.solving, posted.following is not None
            return _Sitting(asker.user, wanted, kept, puzzle, solving, style, None, goes_on=goes_on)
        puzzle = await self.puzzle(kind, name, style.say)
        daily = await self.store.daily_key(kind, name, asker.server)
        solving = self.setting[kind]
        return _Sitting(asker.user, wanted, name, puzzle, solving, style, puzzle.rating, daily)

    async def puzzle(self, kind: Kind, name: str, say: Speaker) -> Puzzle:
        """Return a puzzle.

        Raises:
            NoAnswerError: it is not there any more.

        """
        shelf = await self.shelf()
        puzzle = await self._desk.run(lambda: shelf.puzzle(kind, name))
        if puzzle is None:
            raise NoAnswerError.saying(say("This puzzle is not there any more."))
        return puzzle

    async def shelf(self) -> Library:
        """Return the puzzles that there are, read on first use."""
        async with self._loading:
            if self._library is None:
                self._library = await self._desk.run(library.load, self._folder)
                for fault in self._library.faults:
                    log.warning("puzzles: %s", fault)
            return self._library


def _joined(blocks: list[str]) -> str:
    return "\n".join(block for block in blocks if block)
