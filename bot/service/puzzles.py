"""Puzzles in chat: setting them, judging answers, hints, solutions, and the next one."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from bot.answers.chess import puzzle_line as chess_puzzle
from bot.answers.controls import Control, DailyOffer, PuzzlePanel
from bot.answers.crossword import puzzle as crossword_puzzle
from bot.answers.crossword.rankings import play_words
from bot.answers.daily import daily_line
from bot.answers.puzzle import hint_blocks, panel, rating_line, refused
from bot.answers.reply import Drawing, NoAnswerError, Reply
from bot.answers.standing import THEMES, Standing, Weakness, standing
from bot.domain.chess.line import try_line
from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.legality import check_exchange, check_on_rack, check_placement
from bot.domain.crossword.play import Exchange, Placement, Play
from bot.domain.crossword.typed_play import read_typed_play
from bot.domain.reading.problems import DomainError
from bot.jobs.queue import Asker
from bot.puzzles import library
from bot.puzzles.chess.lichess import ChessPuzzle
from bot.puzzles.crossword.judging import judge_play, judge_word
from bot.puzzles.crossword.values import CrosswordPuzzle
from bot.puzzles.daily import Streak, continued, solved
from bot.puzzles.library import Kind, Level, Library, Puzzle
from bot.puzzles.rating import START, Rating, after_answer, expected
from bot.puzzles.stars import Progress
from bot.scenes.style import Style
from bot.service.desk import Desk
from bot.service.offers import AnalysisMeans
from bot.service.trials import require_words
from bot.storage.dailies.values import DailyKey, DailyPost, KeptStreak
from bot.storage.puzzles import Change, Daily, PuzzleAnswer, PuzzleRating
from bot.text import Speaker

log = logging.getLogger(__name__)

_ENOUGH = 5
"""Answers about a theme that tell something."""
_WEAK = 0.1
"""By so much of all answers fewer are right than was to be expected."""
_WEAKEST = 3

MAX_WORD = 30
"""Characters of a word that is an answer."""


Counted: TypeAlias = Callable[[Progress], Progress]
"""Returns how far somebody is after an answer."""


class PuzzleStore(Protocol):
    """Where answers and ratings are kept; see :class:`bot.storage.store.Store`."""

    async def change_puzzle(
        self, user_id: int, game: str, puzzle: str, work: Change, daily: Daily | None = None
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        """Change what is known of somebody and a puzzle."""

    async def puzzle_rating(self, user_id: int, game: str) -> PuzzleRating | None:
        """Return somebody's rating."""

    async def puzzles_seen(self, user_id: int, game: str) -> frozenset[str]:
        """Return the puzzles that somebody was shown."""

    async def open_dailies(self, guild_id: int | None) -> tuple[DailyPost, ...]:
        """Return the dailies of a server that can still be answered."""

    async def open_puzzles(self) -> frozenset[tuple[str, str]]:
        """Return the games and puzzles that are the daily of any server now."""

    async def daily_answer(self, user_id: int, key: DailyKey) -> PuzzleAnswer | None:
        """Return what somebody has done about a daily in a server."""

    async def streak(self, user_id: int, game: str) -> tuple[KeptStreak, tuple[int, ...]]:
        """Return somebody's streak as it was last, and the dailies missed since."""

    async def rating_history(self, user_id: int, game: str) -> tuple[int, ...]:
        """Return somebody's ratings after each first answer."""

    async def first_answers(self, user_id: int, game: str) -> dict[str, bool]:
        """Return the puzzles that somebody answered, and whether the first answer was right."""


@dataclass(frozen=True, slots=True)
class _Sitting:
    """Somebody before a puzzle."""

    user: int
    kind: Kind
    name: str
    puzzle: Puzzle
    style: Style
    daily: DailyKey | None
    """What daily it is there."""

    def hints(self, progress: Progress) -> tuple[str, ...]:
        """Return what may be told of the answer, step by step."""
        if isinstance(self.puzzle, ChessPuzzle):
            return chess_puzzle.hints(self.puzzle, progress.done, self.style.say)
        return crossword_puzzle.hints(self.puzzle, self.style.say)

    def panel(self, progress: Progress) -> PuzzlePanel:
        """Return the controls for somebody who is so far with it."""
        hints = 0 if progress.is_over else len(self.hints(progress))
        return panel(self.kind, self.name, progress, hints)


class Puzzles:
    """Sets puzzles and judges answers; what somebody has done is told to that person alone."""

    def __init__(
        self, desk: Desk, store: PuzzleStore, means: AnalysisMeans | None, folder: Path | None = None
    ) -> None:
        self._desk = desk
        self._store = store
        self._means = means
        self._folder = folder
        self._library: Library | None = None
        self._loading = asyncio.Lock()
        self._source = random.SystemRandom()

    async def next(
        self, user: int, kind: Kind, style: Style, *, theme: str = "", level: Level = Level.USUAL
    ) -> Reply:
        """Set somebody a puzzle that is new to the person and about as hard as the person is strong.

        Raises:
            NoAnswerError: there is none left.

        """
        shelf = await self.shelf()
        rated = await self._store.puzzle_rating(user, kind)
        seen = await self._store.puzzles_seen(user, kind)
        # Nobody shall meet the puzzle of the day before it is the day's.
        dailies = {name for game, name in await self._store.open_puzzles() if game == kind}
        strength = START if rated is None else rated.rating

        def choose() -> tuple[str, Puzzle] | None:
            passed = set(seen) | dailies
            while entry := shelf.choose(
                kind, strength, passed, theme=theme, level=level, source=self._source
            ):
                if (puzzle := shelf.puzzle(kind, entry.id)) is not None:
                    return entry.id, puzzle
                passed.add(entry.id)
            return None

        found = await self._desk.run(choose)
        if found is None:
            raise NoAnswerError.saying(
                style.say("There is no puzzle of this kind left that you have not seen.")
            )
        name, puzzle = found
        await self._store.change_puzzle(user, kind, name, lambda answer, rating: (answer, rating))
        return await self._desk.answer(lambda: _card(puzzle, kind, name, style))

    async def answer(self, asker: Asker, kind: Kind, name: str, typed: str, style: Style) -> Reply:
        """Judge somebody's answer; the first one counts for the rating.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting = await self._sitting(asker, kind, name, style)
        puzzle, say = sitting.puzzle, style.say
        if isinstance(puzzle, ChessPuzzle):
            return await self._answer_chess(sitting, puzzle, typed)
        try:
            right, words = await self._desk.run(lambda: self._judge(puzzle, typed, say))
        except DomainError as error:
            progress = await self._progress(sitting)
            return refused(say.problem(error), sitting.panel(progress), say)

        def counted(before: Progress) -> Progress:
            if right:
                return Progress(before.tries, before.hints, before.done, solved=True)
            return Progress(before.tries + 1, before.hints, before.done)

        progress, line = await self._count(sitting, counted, right=right)
        if right:
            answer = crossword_puzzle.solved_text(puzzle, words, progress, say)
            return await self._solution(sitting, progress, [answer, line])
        blocks = [words, line, *hint_blocks(sitting.hints(progress), progress, say)]
        return Reply(_joined(blocks), controls=(sitting.panel(progress),))

    def _judge(self, puzzle: CrosswordPuzzle, typed: str, say: Speaker) -> tuple[bool, str]:
        """Return whether an answer is right, and its words: what it is, or how near.

        Raises:
            DomainError: it is no answer.

        """
        if puzzle.words:
            word = typed.strip()[:MAX_WORD]
            right = judge_word(puzzle, word)
            return right, word.upper() if right else crossword_puzzle.wrong_word_text(word, say)
        play = read_typed_play(typed, puzzle.position)
        _check(puzzle, play)
        judgement = judge_play(puzzle, play)
        if judgement.right:
            return True, play_words(play, puzzle.position, say)
        self._check_words(puzzle, play)
        return False, crossword_puzzle.wrong_play_text(puzzle, play, judgement, say)

    def _check_words(self, puzzle: CrosswordPuzzle, play: Play) -> None:
        """Check that a play makes words only.

        Raises:
            RuleError: it makes a phony.
            LexiconError: the lexicon of the puzzle is not there.

        """
        if self._means is not None:
            lexica, position = self._means.lexica, puzzle.position
            lexicon = lexica.load(lexica.find(puzzle.lexicon), position.rules.distribution)
            require_words(position, play, lexicon)

    async def _answer_chess(self, sitting: _Sitting, puzzle: ChessPuzzle, typed: str) -> Reply:
        say = sitting.style.say
        so_far = await self._progress(sitting)
        if so_far.is_over:
            return await self._solution(sitting, so_far, [])
        try:
            attempt = await self._desk.run(lambda: try_line(puzzle.line, so_far.done, typed))
        except DomainError as error:
            return refused(say.problem(error), sitting.panel(so_far), say)

        def counted(before: Progress) -> Progress:
            if before.done != so_far.done:
                return before  # another press was faster
            if attempt.right:
                return Progress(before.tries, before.hints, before.done + 1, solved=attempt.solved)
            return Progress(before.tries + 1, before.hints, before.done)

        # Only a whole line is solved: a right first move alone wins nothing, a wrong one loses.
        settled = attempt.solved or not attempt.right
        progress, line = await self._count(sitting, counted, right=attempt.right, settled=settled)
        text = chess_puzzle.attempt_text(attempt, progress, say)
        if attempt.solved:
            return await self._solution(sitting, progress, [text, line])
        reply = Reply(
            _joined([text, line, *hint_blocks(sitting.hints(progress), progress, say)]),
            (chess_puzzle.card_drawing(puzzle, sitting.style, progress.done),) if attempt.right else (),
            controls=(sitting.panel(progress),),
        )
        return await self._desk.draw(reply)

    async def hint(self, asker: Asker, kind: Kind, name: str, style: Style) -> Reply:
        """Tell one thing more about the answer, for a star.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting, say = await self._sitting(asker, kind, name, style), style.say

        def work(
            answer: PuzzleAnswer, rating: PuzzleRating | None
        ) -> tuple[PuzzleAnswer, PuzzleRating | None]:
            progress = Progress(*astuple(answer))
            more = progress.has_hint(len(sitting.hints(progress)))
            return (PuzzleAnswer(answer.tries, answer.hints + 1, answer.done) if more else answer), rating

        _, _, after, _ = await self._change(sitting, work)
        progress = Progress(*astuple(after))
        blocks = hint_blocks(sitting.hints(progress), progress, say) or [
            say("Hints are there after two tries.")
        ]
        return Reply(_joined(blocks), controls=(sitting.panel(progress),))

    async def solution(self, asker: Asker, kind: Kind, name: str, style: Style) -> Reply:
        """Tell the answer; who has not given one has lost.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        sitting = await self._sitting(asker, kind, name, style)

        def counted(before: Progress) -> Progress:
            return Progress(before.tries, before.hints, before.done, given_up=True)

        progress, line = await self._count(sitting, counted, right=False)
        return await self._solution(sitting, progress, [line])

    async def _solution(self, sitting: _Sitting, progress: Progress, lead: list[str]) -> Reply:
        puzzle, style, key = sitting.puzzle, sitting.style, sitting.daily
        controls: tuple[Control, ...] = (sitting.panel(progress),)
        if key is not None:
            streak = await self.streak(sitting.user, sitting.kind)
            lead = [*lead, daily_line(key.number, streak if progress.solved else 0, style.say)]
            if progress.solved:
                controls = (DailyOffer(key.game, key.number), *controls)

        def made() -> Reply:
            text, drawing = _solved(puzzle, style)
            return Reply(_joined([*lead, text]), (drawing,), controls=controls)

        return await self._desk.answer(made)

    async def is_over(self, asker: Asker, kind: Kind, name: str) -> bool:
        """Tell whether somebody has solved the daily that a puzzle is there, or given it up; False for other puzzles."""
        key = await self._daily(asker, kind, name)
        answer = None if key is None else await self._store.daily_answer(asker.user, key)
        return answer is not None and (answer.solved or answer.given_up)

    async def _daily(self, asker: Asker, kind: Kind, name: str) -> DailyKey | None:
        opened = await self._store.open_dailies(asker.server) if asker.server is not None else ()
        keys = [post.key for post in opened if (post.key.game, post.puzzle) == (kind, name)]
        return keys[-1] if keys else None

    async def streak(self, user: int, kind: Kind) -> int:
        """Return how many dailies of a game somebody has solved in a row, without one that is over and was missed."""
        kept, missed = await self._store.streak(user, kind)
        return continued(Streak(*astuple(kept)), missed).days

    async def standing(self, user: int, style: Style) -> Reply:
        """Return how somebody does at puzzles of all games.

        Raises:
            NoAnswerError: the person has not answered one yet.

        """
        games = [one for kind in Kind if (one := await self._standing(user, kind)) is not None]
        reply = await self._desk.answer(lambda: standing(games, style))
        if not reply.found:
            raise NoAnswerError(reply)
        return reply

    async def _standing(self, user: int, kind: Kind) -> Standing | None:
        rated = await self._store.puzzle_rating(user, kind)
        if rated is None:
            return None
        own = Rating(*astuple(rated))
        firsts = await self._store.first_answers(user, kind)
        history = await self._store.rating_history(user, kind) or (round(own.rating),)
        kept, missed = await self._store.streak(user, kind)
        streak = continued(Streak(*astuple(kept)), missed)
        shelf = await self.shelf()
        weak = await self._desk.run(lambda: weaknesses(shelf, kind, own, firsts))
        return Standing(kind, own, history, len(firsts), sum(firsts.values()), streak.days, streak.best, weak)

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
            if settled and not before.tries:
                own = Rating() if rating is None else Rating(*astuple(rating))
                rating = PuzzleRating(*astuple(after_answer(own, sitting.puzzle.rating, right=right)))
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
        return await self._store.change_puzzle(sitting.user, sitting.kind, sitting.name, work, daily)

    async def _sitting(self, asker: Asker, kind: Kind, name: str, style: Style) -> _Sitting:
        puzzle = await self.puzzle(kind, name, style.say)
        return _Sitting(asker.user, kind, name, puzzle, style, await self._daily(asker, kind, name))

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


def weaknesses(shelf: Library, kind: Kind, own: Rating, firsts: Mapping[str, bool]) -> tuple[Weakness, ...]:
    """Return the themes that somebody solves less often than ratings let expect, the weakest first.

    ``firsts`` are the puzzles answered, and whether the first answer was right. A theme with few of them tells nothing.
    """
    found: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for name, right in firsts.items():
        if (entry := shelf.entries.get((kind, name))) is None:
            continue
        for theme in entry.themes & THEMES.keys():
            found[theme].append((right, expected(own, entry.rating)))
    weak = [
        (sum(right - chance for right, chance in tries) / len(tries), theme)
        for theme, tries in found.items()
        if len(tries) >= _ENOUGH
    ]
    return tuple(
        Weakness(theme, sum(right for right, _ in found[theme]), len(found[theme]))
        for gap, theme in sorted(weak)[:_WEAKEST]
        if gap < -_WEAK
    )


def _joined(blocks: list[str]) -> str:
    return "\n".join(block for block in blocks if block)


def _card(puzzle: Puzzle, kind: Kind, name: str, style: Style) -> Reply:
    control = panel(kind, name, Progress(), 0)
    if isinstance(puzzle, ChessPuzzle):
        text, drawing = chess_puzzle.card_text(puzzle, style.say), chess_puzzle.card_drawing(puzzle, style)
    else:
        text, drawing = (
            crossword_puzzle.card_text(puzzle, style.say),
            crossword_puzzle.card_drawing(puzzle, style),
        )
    return Reply(text, (drawing,), controls=(control,))


def _solved(puzzle: Puzzle, style: Style) -> tuple[str, Drawing]:
    if isinstance(puzzle, ChessPuzzle):
        return chess_puzzle.solution_text(puzzle, style.say), chess_puzzle.solution_drawing(puzzle, style)
    return (
        crossword_puzzle.solution_text(puzzle, style.say),
        crossword_puzzle.solution_drawing(puzzle, style),
    )


def _check(puzzle: CrosswordPuzzle, play: Play) -> None:
    """Check that a play can be made from the rack on the board.

    Raises:
        RuleError: it cannot.

    """
    position = puzzle.position
    rack, rules = position.players[position.on_turn].rack, position.rules
    tiles: tuple[int, ...] = ()
    if isinstance(play, Placement):
        tiles = tiles_used(play)
        check_placement(position.board, play, rules)
    elif isinstance(play, Exchange):
        tiles = play.tiles
        check_exchange(play, position.bag_count, rules)
    check_on_rack(tiles, rack, rules.distribution)
