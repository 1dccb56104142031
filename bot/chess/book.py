"""A source of an opening book: named sequences of moves, each from the start of a game or from a position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from bot.chess.game import ChessMove
from bot.chess.position import START, ChessPosition

_WIDTH = 80


@dataclass(frozen=True, slots=True)
class BookLine:
    """One sequence of moves."""

    moves: tuple[ChessMove, ...]
    name: str = ""
    """What the comment above it, or above the ones before it, calls it."""
    start: ChessPosition = START
    line: int = 1
    """Where it starts in the source, from 1."""


@dataclass(frozen=True, slots=True)
class BookSource:
    """All sequences of a source, in its order."""

    lines: tuple[BookLine, ...]


def write(source: BookSource) -> str:
    """Write a source. Moves are counted from 1 in every sequence, as the format wants it.

    A name stands above its sequences. Above, it would hold for unnamed ones that follow, too: if there are any, every
    name stands behind its own sequence instead.
    """
    names = [line.name for line in source.lines]
    behind = any(before and not after for before, after in pairwise(names))
    blocks: list[str] = []
    name = ""
    for line in source.lines:
        if line.name != name and not behind:
            name = line.name
            blocks.append(f"\n// {name}")
        if line.start.fen != START.fen:
            blocks.append(f'[FEN "{line.start.fen}"]')
        moves = _wrapped(_words(line.moves, 0 if line.start.white_to_move else 1))
        blocks.append(f"{moves} // {line.name}" if behind and line.name else moves)
    return "\n".join(blocks).lstrip("\n") + "\n"


def _words(moves: tuple[ChessMove, ...], first: int) -> Iterator[str]:
    """Yield moves with their numbers. A number and its move are one word, so that no line starts with a wrong one.

    ``first`` counts the half-moves before the first move.
    """
    numbered = True
    for index, move in enumerate(moves, start=first):
        number = f"{index // 2 + 1}{'...' if index % 2 else '.'} "
        yield (number if numbered or index % 2 == 0 else "") + move.san
        yield from (f"${nag}" for nag in move.nags)
        if move.comment:
            yield "{" + move.comment.replace("{", "(").replace("}", ")") + "}"
        numbered = bool(move.variations)
        for variation in move.variations:
            words = list(_words(variation, index))
            words[0] = f"({words[0]}"
            words[-1] = f"{words[-1]})"
            yield from words


def _wrapped(words: Iterator[str]) -> str:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH and not word.startswith("1."):
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
