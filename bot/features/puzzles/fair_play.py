"""Refuses analyses and word lookups that would give an open daily away.

Refusals depend only on what the daily's card shows. If they depended on the answer, they would reveal it.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cachetools import LRUCache

from bot.chat.card import RefusalError, ReplyContext
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import position_to_solve
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import BLANK_TEXT
from bot.features.analysis.fairness import WordQuery, WordQueryKind
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.crossword.document import PuzzleFamily
from bot.features.puzzles.selection import LibraryPuzzle, PuzzleKind, PuzzleLibrary
from bot.features.showing.document_service import DocumentService
from bot.features.showing.subjects import board_keys, lines_of, rack_of, words_on
from bot.storage.store import Store

_MAX_CACHED_SPOILERS: Final = 64
_MIN_PROTECTED_LENGTH: Final = 4
"""In a phony puzzle, users may look up a word on the board if it is shorter than this and shorter than the phony."""
_MAX_MISSING_TILES: Final = 2
"""A position with a similar board counts as the puzzle if its rack lacks at most this many tiles of the puzzle's rack.

The best play is then probably the same.
"""
_MAX_DIFFERENT_SQUARES: Final = 3
"""A chessboard counts as the puzzle if at most this many squares differ. One move changes two squares."""
_ROW: Final = re.compile(r".{8}")
_ANY_LETTER: Final = "*"
"""Stands for any letter in a possible answer, and for a blank in a puzzle's rack."""


@dataclass(frozen=True, slots=True)
class PuzzleSpoilers:
    """The positions, letters and words that would give a puzzle away."""

    boards: frozenset[str]
    """The :func:`board_keys` of a crossword board, or the squares of the puzzle's chess positions and their mirror images."""
    rack: str = ""
    """A blank is ``?``."""
    words: frozenset[str] = frozenset()
    """The words on the board. In a phony puzzle, the short words that users may look up are left out."""
    answers: frozenset[str] = frozenset()
    """All possible answers to a puzzle about words. ``*`` stands for any letter."""

    def analysis_reveals_answer(self, positions: Sequence[Position | ChessPosition]) -> bool:
        """Return whether an analysis would show the answer, or show whether a possible answer is valid.

        Possible answers that would be laid through tiles on the board are considered only if there is a single position. In a
        whole game, one of them nearly always fits, so nearly every review would be refused.
        """
        return any(
            self._position_reveals_answer(position, is_single=len(positions) == 1) for position in positions
        )

    def _position_reveals_answer(self, position: Position | ChessPosition, *, is_single: bool) -> bool:
        if isinstance(position, ChessPosition):
            squares = _oriented_squares(position)
            return any(
                sum(map(operator.ne, squares, board)) <= _MAX_DIFFERENT_SQUARES for board in self.boards
            )
        if not self.boards.isdisjoint(board_keys(position)):
            return True
        rack, shared_words = rack_of(position), self.words & words_on(position)
        if not self.answers:
            missing_tile_count = (Counter(self.rack) - Counter(rack)).total()
            return missing_tile_count <= _MAX_MISSING_TILES and 2 * len(shared_words) >= len(self.words) > 0
        # If a possible answer can be played, the list of best plays shows whether it is valid. Few unrelated positions are refused:
        # 4% of random racks have all letters of a possible answer, and 14% have them together with tiles on the board.
        lines = [f" {line} " for line in lines_of(position)] if is_single else []
        return bool(shared_words) or any(
            _has_letters(rack, word) or any(_can_lay(word, line, rack) for line in lines)
            for word in self.answers
        )

    def lookup_reveals_answer(self, query: WordQuery) -> bool:
        words = [fold_letters(word) for word in query.words]
        match query.kind:
            case WordQueryKind.CHECK:
                return any(_matches(word, answer) for word in words for answer in self.answers)
            case WordQueryKind.HOOKS:
                return any(_hooks_reveal(word, answer) for word in words for answer in self.answers)
            case WordQueryKind.ANAGRAM:
                letters = "".join(words)
                if self.rack and _has_letters(letters, self.rack.replace(BLANK_TEXT, _ANY_LETTER)):
                    return True
                return any(
                    _has_letters(letters, answer) and (query.include_shorter or len(answer) == len(letters))
                    for answer in self.answers
                )


def fold_letters(text: str) -> str:
    """Return only letters and blanks, as capitals without accents."""
    normalized = unicodedata.normalize("NFKD", text).upper()
    return "".join(character for character in normalized if character.isalpha() or character == BLANK_TEXT)


def _matches(word: str, answer: str) -> bool:
    return len(word) == len(answer) and all(
        expected in {_ANY_LETTER, letter} for letter, expected in zip(word, answer, strict=True)
    )


def _hooks_reveal(word: str, answer: str) -> bool:
    """Return whether a word is a possible answer, or becomes a possible answer with an added letter."""
    if len(word) + 1 != len(answer):
        return _matches(word, answer)
    return any(_matches(word, answer[:start] + answer[start + 1 :]) for start in range(len(answer)))


def _has_letters(rack: str, word: str) -> bool:
    missing_letters = Counter(word.replace(_ANY_LETTER, "")) - Counter(rack.replace(BLANK_TEXT, ""))
    return len(rack) >= len(word) and missing_letters.total() <= rack.count(BLANK_TEXT)


def _can_lay(word: str, line: str, rack: str) -> bool:
    """Return whether a word can be laid from a rack through tiles on a line. ``line`` must begin and end with empty squares."""
    for start in range(1, len(line) - len(word)):
        squares = line[start : start + len(word)]
        missing_letters = "".join(letter for letter, tile in zip(word, squares, strict=True) if tile == " ")
        if (
            0 < len(missing_letters) < len(word)
            and line[start - 1] == line[start + len(word)] == " "
            and all(
                tile in {" ", letter} or letter == _ANY_LETTER
                for letter, tile in zip(word, squares, strict=True)
            )
            and _has_letters(rack, missing_letters)
        ):
            return True
    return False


def _oriented_squares(position: ChessPosition) -> str:
    """Return the squares. If Black is to move, the colours are swapped and the order of the rows is reversed."""
    squares = "".join(square or " " for square in position.squares)
    return squares if position.white_to_move else "".join(reversed(_ROW.findall(squares.swapcase())))


def spoilers_of(puzzle: LibraryPuzzle) -> PuzzleSpoilers:
    if isinstance(puzzle, ChessPuzzle):
        line = puzzle.line
        positions = (
            line.start,
            *(position_to_solve(line, answered_count) for answered_count in range(len(line.moves) // 2)),
        )
        chess_boards = [_oriented_squares(position) for position in positions]
        mirrored_boards = (_ROW.sub(lambda row: row[0][::-1], board) for board in chess_boards)
        return PuzzleSpoilers(frozenset((*chess_boards, *mirrored_boards)))
    position, boards = puzzle.position, frozenset(board_keys(puzzle.position))
    words = words_on(position)
    if puzzle.family is PuzzleFamily.PHONY:
        min_length = min(_MIN_PROTECTED_LENGTH, *map(len, puzzle.words))
        words = frozenset(word for word in words if len(word) >= min_length)
        return PuzzleSpoilers(boards, words=words, answers=words)
    if puzzle.family is PuzzleFamily.HOOK:
        hooked_words = frozenset(form for word in words for form in (_ANY_LETTER + word, word + _ANY_LETTER))
        return PuzzleSpoilers(boards, words=words, answers=hooked_words)
    return PuzzleSpoilers(boards, rack_of(position), words)


class DailyGuard:
    """Refuses replies that would give an open daily away to a user who has not finished it or, in public, to others.

    The ``check`` methods raise RefusalError.
    """

    def __init__(
        self, documents: DocumentService, store: Store, load_library: Callable[[], Awaitable[PuzzleLibrary]]
    ) -> None:
        self._documents = documents
        self._store = store
        self._load_library = load_library
        self._spoilers_by_puzzle: LRUCache[tuple[str, str], PuzzleSpoilers] = LRUCache(_MAX_CACHED_SPOILERS)

    async def check_positions(
        self, positions: Sequence[Position | ChessPosition], context: ReplyContext
    ) -> None:
        for kind, puzzle_id in await self._find_protected_dailies(context):
            spoilers = await self._load_spoilers(kind, puzzle_id)
            if await self._documents.run(spoilers.analysis_reveals_answer, positions):
                await self._require_spoiler_allowed(kind, puzzle_id, context)

    async def check_words(self, query: WordQuery, context: ReplyContext) -> None:
        for kind, puzzle_id in await self._find_protected_dailies(context):
            if (await self._load_spoilers(kind, puzzle_id)).lookup_reveals_answer(query):
                await self._require_spoiler_allowed(kind, puzzle_id, context)

    async def _find_protected_dailies(self, context: ReplyContext) -> tuple[tuple[PuzzleKind, str], ...]:
        """Return the game and puzzle id of each open daily to protect.

        If the reply is sent in a server, the open dailies of this server are protected. If the user has answered any daily, the open
        dailies of all other servers are protected too.
        """
        open_daily_puzzles = await self._store.open_daily_puzzles()
        if not open_daily_puzzles:
            return ()
        server_dailies = (
            await self._store.open_dailies(context.guild_id) if context.guild_id is not None else ()
        )
        protected_puzzles = {(post.key.game, post.puzzle) for post in server_dailies}
        if not open_daily_puzzles <= protected_puzzles and await self._store.has_answered_dailies(
            context.user_id
        ):
            protected_puzzles |= open_daily_puzzles
        return tuple((PuzzleKind(game), puzzle_id) for game, puzzle_id in sorted(protected_puzzles))

    async def _require_spoiler_allowed(self, kind: PuzzleKind, puzzle_id: str, context: ReplyContext) -> None:
        if not await self._store.has_finished_daily(context.user_id, kind, puzzle_id):
            raise RefusalError.with_text(
                context.translate(
                    "🗓 This would give away today's daily. Solve it or look at its solution first."
                )
            )
        if context.public:
            raise RefusalError.with_text(
                context.translate("🗓 This would give away today's daily to others. Ask again in private.")
            )

    async def _load_spoilers(self, kind: PuzzleKind, puzzle_id: str) -> PuzzleSpoilers:
        spoilers = self._spoilers_by_puzzle.get((kind, puzzle_id))
        if spoilers is None:
            library = await self._load_library()
            puzzle = await self._documents.run(library.puzzle, kind, puzzle_id)
            if puzzle is None:
                return PuzzleSpoilers(frozenset())
            spoilers = self._spoilers_by_puzzle[kind, puzzle_id] = await self._documents.run(
                spoilers_of, puzzle
            )
        return spoilers
