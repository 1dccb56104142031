"""Writing sources of the Opening Book Compiler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bot.domain.chess.book import BookSource
from bot.domain.chess.game import ChessMove
from bot.domain.chess.position import START

_MAX_WIDTH = 80


def write(source: BookSource) -> str:
    """Write a source. Moves are counted from 1 in every sequence, as the format wants it.

    A name stands above its sequences, where it holds until the next one; above unnamed ones that follow stands a tag of an
    unknown opening.
    """
    blocks: list[str] = []
    name = ""
    for line in source.lines:
        if line.name != name:
            name = line.name
            blocks.append(f"\n// {name}" if name else '\n[Opening "?"]')
        if line.start.fen != START.fen:
            blocks.append(f'[FEN "{line.start.fen}"]')
        words = list(_words(line.moves, 0 if line.start.white_to_move else 1))
        if line.comment and words:
            number, first = words[0].split(" ", 1)
            words[:1] = [f"{number} {_braced(line.comment)}", first]
        blocks.append(_wrapped(words))
    return "\n".join(blocks).lstrip("\n") + "\n"


def _braced(comment: str) -> str:
    return "{" + comment.replace("{", "(").replace("}", ")") + "}"


def _as_in_the_format(san: str) -> str:
    """Return a move without a check sign, and with nothing before what a pawn becomes: ``d8Q``."""
    return san.rstrip("+#").replace("=", "")


def _words(moves: tuple[ChessMove, ...], first: int) -> Iterator[str]:
    """Yield moves with their numbers. A number and its move are one word, so that no line starts with a wrong one.

    ``first`` counts the half-moves before the first move.
    """
    numbered = True
    for index, move in enumerate(moves, start=first):
        number = f"{index // 2 + 1}{'...' if index % 2 else '.'} "
        yield (number if numbered or index % 2 == 0 else "") + _as_in_the_format(move.san)
        yield from (f"${nag}" for nag in move.nags)
        if move.comment:
            yield _braced(move.comment)
        numbered = bool(move.variations)
        for variation in move.variations:
            words = list(_words(variation, index))
            words[:1] = (
                [f"({_braced(variation[0].before)}", words[0]] if variation[0].before else [f"({words[0]}"]
            )
            words[-1] = f"{words[-1]})"
            yield from words


def _wrapped(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _MAX_WIDTH and not word.startswith("1."):
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
