"""Words that are not in the lexicon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.position import Position

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon
from bot.jobs.analysis.values import Phony


def is_phony(position: Position, play: Play, lexicon: Lexicon) -> bool:
    """Return whether a play forms a word that is not in a lexicon."""
    from bot.engine.lexicon.words import phonies  # noqa: PLC0415 - as in perform

    if not isinstance(play, Placement):
        return False
    columns = position.board.columns
    laid = {square: tile for square, tile in zip(play.squares(), play.tiles, strict=True) if tile != THROUGH}
    after = position.board.with_tiles((row * columns + column, tile) for (row, column), tile in laid.items())
    return any(laid.keys() & set(word.squares) for word in phonies(after, lexicon.graph))


def phonies_on(position: Position, lexicon: Lexicon) -> tuple[Phony, ...]:
    """Return the words on the board that are not in a lexicon."""
    from bot.engine.lexicon.words import phonies  # noqa: PLC0415 - as in perform

    write = position.rules.distribution.text
    return tuple(
        Phony("".join(map(write, word.tiles)), word.squares)
        for word in phonies(position.board, lexicon.graph)
    )
