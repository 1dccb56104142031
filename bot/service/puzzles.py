"""Puzzles in chat: setting them, judging answers, hints, solutions, and the next one."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Protocol, TypeAlias

from bot.answers.chess import puzzle_line as chess_puzzle
from bot.answers.crossword import puzzle as crossword_puzzle
from bot.answers.crossword.rankings import play_words
from bot.answers.puzzle import hint_blocks, panel, rating_line, refused
from bot.answers.reply import Drawing, NoAnswerError, Reply
from bot.domain.chess.line import try_line
from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.legality import check_exchange, check_on_rack, check_placement
from bot.domain.crossword.play import Exchange, Placement, Play
from bot.domain.crossword.scoring import score_placement
from bot.domain.crossword.typed_play import read_typed_play
from bot.domain.reading.problems import DomainError, RuleError
from bot.puzzles import library
from bot.puzzles.chess.lichess import ChessPuzzle
from bot.puzzles.crossword.judging import judge_play, judge_word
from bot.puzzles.crossword.values import CrosswordPuzzle
from bot.puzzles.library import Kind, Level, Library, Puzzle
from bot.puzzles.rating import START, Rating, after_answer
from bot.puzzles.stars import Progress
from bot.scenes.style import Style
from bot.service.desk import Desk
from bot.service.offers import AnalysisMeans
from bot.storage.puzzles import Change, PuzzleAnswer, PuzzleRating
from bot.text import Speaker

log = logging.getLogger(__name__)

MAX_WORD = 30
"""Characters of a word that is an answer."""


Counted: TypeAlias = Callable[[Progress], Progress]
"""Returns how far somebody is after an answer."""


class PuzzleStore(Protocol):
    """Where answers and ratings are kept; see :class:`bot.storage.puzzle_store.PuzzleStore`."""

    async def change_puzzle(
        self, user_id: int, game: str, puzzle: str, work: Change
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        """Change what is known of somebody and a puzzle."""

    async def puzzle_rating(self, user_id: int, game: str) -> PuzzleRating | None:
        """Return somebody's rating."""

    async def puzzles_seen(self, user_id: int, game: str) -> frozenset[str]:
        """Return the puzzles that somebody was shown."""


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
        shelf = await self._shelf()
        rated = await self._store.puzzle_rating(user, kind)
        seen = await self._store.puzzles_seen(user, kind)
        strength = START if rated is None else rated.rating

        def choose() -> tuple[str, Puzzle] | None:
            passed = set(seen)
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

    async def answer(self, user: int, kind: Kind, name: str, typed: str, style: Style) -> Reply:
        """Judge somebody's answer; the first one counts for the rating.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        puzzle = await self._puzzle(kind, name, style.say)
        if isinstance(puzzle, ChessPuzzle):
            return await self._answer_chess(user, name, puzzle, typed, style)
        say = style.say
        try:
            right, words = await self._desk.run(lambda: self._judge(puzzle, typed, say))
        except DomainError as error:
            progress = await self._progress(user, kind, name)
            return refused(
                say.problem(error), panel(kind, name, progress, len(_hints(puzzle, progress, say))), say
            )

        def counted(before: Progress) -> Progress:
            if right:
                return Progress(before.tries, before.hints, before.done, solved=True)
            return Progress(before.tries + 1, before.hints, before.done)

        progress, line = await self._count(user, kind, name, puzzle, counted, say, right=right)
        if right:
            answer = crossword_puzzle.solved_text(puzzle, words, progress, say)
            return await self._solution(puzzle, kind, name, progress, style, [answer, line])
        hints = _hints(puzzle, progress, say)
        blocks = [words, line, *hint_blocks(hints, progress, say)]
        return Reply(_joined(blocks), controls=(panel(kind, name, progress, len(hints)),))

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
        if self._means is None or not isinstance(play, Placement):
            return
        lexica, position = self._means.lexica, puzzle.position
        graph = lexica.load(lexica.find(puzzle.lexicon), position.rules.distribution).graph
        scored = score_placement(position.board, play, position.rules)
        text = position.rules.distribution.text
        for word in (scored.word, *scored.cross_words):
            if len(word.tiles) > 1 and not graph.accepts(bytes(map(abs, word.tiles))):
                raise RuleError(
                    "puzzle-phony",
                    "{word} is not in {lexicon}",
                    word="".join(text(abs(tile)) for tile in word.tiles),
                    lexicon=puzzle.lexicon,
                )

    async def _answer_chess(
        self, user: int, name: str, puzzle: ChessPuzzle, typed: str, style: Style
    ) -> Reply:
        say, kind = style.say, Kind.CHESS
        so_far = await self._progress(user, kind, name)
        if so_far.is_over:
            return await self._solution(puzzle, kind, name, so_far, style, [])
        try:
            attempt = await self._desk.run(lambda: try_line(puzzle.line, so_far.done, typed))
        except DomainError as error:
            control = panel(kind, name, so_far, len(_hints(puzzle, so_far, say)))
            return refused(say.problem(error), control, say)

        def counted(before: Progress) -> Progress:
            if before.done != so_far.done:
                return before  # another press was faster
            if attempt.right:
                return Progress(before.tries, before.hints, before.done + 1, solved=attempt.solved)
            return Progress(before.tries + 1, before.hints, before.done)

        # Only a whole line is solved: a right first move alone wins nothing, a wrong one loses.
        settled = attempt.solved or not attempt.right
        progress, line = await self._count(
            user, kind, name, puzzle, counted, say, right=attempt.right, settled=settled
        )
        text = chess_puzzle.attempt_text(attempt, progress, say)
        if attempt.solved:
            return await self._solution(puzzle, kind, name, progress, style, [text, line])
        hints = _hints(puzzle, progress, say)
        reply = Reply(
            _joined([text, line, *hint_blocks(hints, progress, say)]),
            (chess_puzzle.card_drawing(puzzle, style, progress.done),) if attempt.right else (),
            controls=(panel(kind, name, progress, len(hints)),),
        )
        return await self._desk.draw(reply)

    async def hint(self, user: int, kind: Kind, name: str, style: Style) -> Reply:
        """Tell one thing more about the answer, for a star.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        puzzle, say = await self._puzzle(kind, name, style.say), style.say

        def work(
            answer: PuzzleAnswer, rating: PuzzleRating | None
        ) -> tuple[PuzzleAnswer, PuzzleRating | None]:
            progress = Progress(*astuple(answer))
            more = progress.has_hint(len(_hints(puzzle, progress, say)))
            return (PuzzleAnswer(answer.tries, answer.hints + 1, answer.done) if more else answer), rating

        _, _, after, _ = await self._store.change_puzzle(user, kind, name, work)
        progress = Progress(*astuple(after))
        hints = _hints(puzzle, progress, say)
        blocks = hint_blocks(hints, progress, say) or [say("Hints are there after two tries.")]
        return Reply(_joined(blocks), controls=(panel(kind, name, progress, len(hints)),))

    async def solution(self, user: int, kind: Kind, name: str, style: Style) -> Reply:
        """Tell the answer; who has not given one has lost.

        Raises:
            NoAnswerError: the puzzle is not there any more.

        """
        puzzle, say = await self._puzzle(kind, name, style.say), style.say

        def counted(before: Progress) -> Progress:
            return Progress(before.tries, before.hints, before.done, given_up=True)

        progress, line = await self._count(user, kind, name, puzzle, counted, say, right=False)
        return await self._solution(puzzle, kind, name, progress, style, [line])

    async def _solution(  # noqa: PLR0917 - what a solution is told with
        self,
        puzzle: Puzzle,
        kind: Kind,
        name: str,
        progress: Progress,
        style: Style,
        lead: list[str],
    ) -> Reply:
        def made() -> Reply:
            text, drawing = _solved(puzzle, style)
            control = panel(kind, name, progress, 0)
            return Reply(_joined([*lead, text]), (drawing,), controls=(control,))

        return await self._desk.answer(made)

    async def _count(  # noqa: PLR0917 - what an answer changes
        self,
        user: int,
        kind: Kind,
        name: str,
        puzzle: Puzzle,
        counted: Counted,
        say: Speaker,
        *,
        right: bool,
        settled: bool = True,
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
                rating = PuzzleRating(*astuple(after_answer(own, puzzle.rating, right=right)))
            return PuzzleAnswer(*astuple(after)), rating

        _, rated, after, now = await self._store.change_puzzle(user, kind, name, work)
        earlier, later = (None if one is None else Rating(*astuple(one)) for one in (rated, now))
        return Progress(*astuple(after)), rating_line(earlier, later, say)

    async def _progress(self, user: int, kind: Kind, name: str) -> Progress:
        _, _, answer, _ = await self._store.change_puzzle(
            user, kind, name, lambda answer, rating: (answer, rating)
        )
        return Progress(*astuple(answer))

    async def _puzzle(self, kind: Kind, name: str, say: Speaker) -> Puzzle:
        shelf = await self._shelf()
        puzzle = await self._desk.run(lambda: shelf.puzzle(kind, name))
        if puzzle is None:
            raise NoAnswerError.saying(say("This puzzle is not there any more."))
        return puzzle

    async def _shelf(self) -> Library:
        """Return the puzzles that there are, read on first use."""
        async with self._loading:
            if self._library is None:
                self._library = await self._desk.run(library.load, self._folder)
                for fault in self._library.faults:
                    log.warning("puzzles: %s", fault)
            return self._library


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


def _hints(puzzle: Puzzle, progress: Progress, say: Speaker) -> tuple[str, ...]:
    if isinstance(puzzle, ChessPuzzle):
        return chess_puzzle.hints(puzzle, progress.done, say)
    return crossword_puzzle.hints(puzzle, say)


def _solved(puzzle: Puzzle, style: Style) -> tuple[str, Drawing]:
    if isinstance(puzzle, ChessPuzzle):
        last = puzzle.line.answers - 1
        return chess_puzzle.solution_text(puzzle, style.say), chess_puzzle.card_drawing(puzzle, style, last)
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
