"""What is not the same any more when a chess document was written in another notation: found by comparing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from bot.domain.chess.book import BookLine, BookSource
from bot.domain.chess.game import ChessGame, ChessMove
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.puzzles import Puzzle, PuzzleSet
from bot.domain.chess.variants import VARIANTS
from bot.domain.reading.conversion import Loss
from bot.domain.reading.problems import Phrase

LOSSES = {
    "variant": Phrase("which variant it is, {variant}, or what only it has"),
    "moves": Phrase("the moves before the position ({turns})"),
    "last-move": Phrase("the last move"),
    "operations": Phrase("the operations {names}"),
    "annotations": Phrase("comments and annotations"),
    "variations": Phrase("variations"),
    "tags": Phrase("the tags {names}"),
    "result": Phrase("the result"),
    "texts": Phrase("descriptions and solutions"),
    "sequences": Phrase("sequences of moves"),
}
"""The sentence of each loss; a translator finds them here."""
_MAX_NAMES = 8


def loss(code: str, **values: object) -> Loss:
    """Make a loss. ``code`` is a key of :data:`LOSSES`."""
    return Loss(code, LOSSES[code], tuple(values.items()))


def position_losses(before: ChessPosition, after: ChessPosition) -> Iterator[Loss]:
    """Yield what ``before`` holds and ``after`` does not."""
    if (before.variant, before.pockets, before.checks) != (after.variant, after.pockets, after.checks):
        yield variant_loss(before)
    if before.last_move and before.last_move != after.last_move:
        yield loss("last-move")
    lost = [name for name, operands in before.operations if (name, operands) not in after.operations]
    if lost:
        yield loss("operations", names=_names(lost))


def variant_loss(position: ChessPosition) -> Loss:
    """Return the loss of a position's variant."""
    return loss("variant", variant=VARIANTS[position.variant].name)


def game_losses(before: ChessGame, after: ChessGame) -> Iterator[Loss]:
    """Yield what ``before`` holds and ``after`` does not."""
    yield from position_losses(before.start, after.start)
    if _remarks(before.turns) != _remarks(after.turns) or before.comment != after.comment:
        yield loss("annotations")
    if [turn.variations for turn in before.turns] != [turn.variations for turn in after.turns]:
        yield loss("variations")
    lost = [name for name, value in before.tags if (name, value) not in after.tags]
    if lost:
        yield loss("tags", names=_names(lost))
    if before.result != after.result:
        yield loss("result")


def book_losses(before: BookSource, after: Iterable[ChessGame]) -> Iterator[Loss]:
    """Yield what the sequences of a book hold and games with their names do not."""
    for line, game in zip_longest(before.lines, after):
        if (
            line is None
            or game is None
            or [move.uci for move in line.moves] != [move.uci for move in game.turns]
        ):
            yield loss("sequences")
            return
        yield from game_losses(as_game(line), game)


def puzzle_losses(before: PuzzleSet, after: PuzzleSet) -> Iterator[Loss]:
    """Yield what ``before`` holds and ``after`` does not."""
    if [_texts(puzzle) for puzzle in before.puzzles] != [_texts(puzzle) for puzzle in after.puzzles]:
        yield loss("texts")
    if before.comments != after.comments or [puzzle.comments for puzzle in before.puzzles] != [
        puzzle.comments for puzzle in after.puzzles
    ]:
        yield loss("annotations")


def as_game(line: BookLine) -> ChessGame:
    """Return a sequence of a book as a game, which bears its name as that of the opening."""
    return ChessGame(line.start, line.moves, (("Opening", line.name),) if line.name else (), line.comment)


def _texts(puzzle: Puzzle) -> tuple[object, ...]:
    return puzzle.position.fen, puzzle.description, puzzle.solution


def of_one_position(game: ChessGame, turn: int) -> Iterator[Loss]:
    """Yield what no position can hold of a game."""
    if turn:
        yield loss("moves", turns=turn)
        if game.start.operations:
            yield loss("operations", names=_names([name for name, _ in game.start.operations]))
    if game.comment or any(_remarks(game.turns)):
        yield loss("annotations")
    if any(turn.variations for turn in game.turns):
        yield loss("variations")
    if game.tags:
        yield loss("tags", names=_names([name for name, _ in game.tags]))
    if game.result != "*":
        yield loss("result")


def _remarks(line: tuple[ChessMove, ...]) -> list[object]:
    told: list[object] = [(move.comment, move.before, move.nags) for move in line]
    return told if any(move.comment or move.before or move.nags for move in line) else []


def _names(names: list[str]) -> str:
    shown = list(dict.fromkeys(names))
    return ", ".join(shown[:_MAX_NAMES]) + (", …" if len(shown) > _MAX_NAMES else "")
