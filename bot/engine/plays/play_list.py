"""A list of plays that were found, which become values when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement, Play
from bot.engine.kernels import best_plays as keeping
from bot.engine.plays.values import By, RatedPlay

_FIELDS = [
    keeping.R_KEPT,
    keeping.R_LENGTH,
    keeping.R_KIND,
    keeping.R_ROW,
    keeping.R_COLUMN,
    keeping.R_DIRECTION,
]


class PlayList(Sequence[RatedPlay]):
    """Plays of a rack, best first. A play is made a value each time it is asked for."""

    def __init__(
        self,
        keys: npt.NDArray[np.int64],
        records: npt.NDArray[np.int32],
        rack: tuple[int, ...],
        weights: list[int],
        by: By,
    ) -> None:
        """Take plays in their order: keys and records as in :mod:`bot.engine.kernels.best_plays`, one of each a row.

        ``weights`` are those of the kinds of tiles, see :mod:`bot.engine.kernels.rack`.
        """
        self._keys = keys
        self._records = records
        self._weights = [(kind, weights[kind]) for kind in sorted(set(rack), reverse=True)]
        self._by_score = by is By.SCORE
        self._leaves: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> RatedPlay: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RatedPlay, ...]: ...
    def __getitem__(self, place: int | slice) -> RatedPlay | tuple[RatedPlay, ...]:
        if isinstance(place, slice):
            return tuple(self._rated(self._keys[place], self._records[place]))
        place = range(len(self))[place]
        return self[place : place + 1][0]

    def __iter__(self) -> Iterator[RatedPlay]:
        return iter(self[:])

    def _rated(self, keys: npt.NDArray[np.int64], records: npt.NDArray[np.int32]) -> Iterator[RatedPlay]:
        """Make values, by columns: a list for each row would be looked at by every collection of garbage."""
        first, second = keys.T.tolist()
        scores, equities = (first, second) if self._by_score else (second, first)
        fields = records[:, _FIELDS].T.tolist()
        width = records.shape[1] - keeping.R_TILES
        tiles = records[:, keeping.R_TILES :].reshape(-1).tolist()
        for number, (score, equity, code, length, kind, row, column, direction) in enumerate(
            zip(scores, equities, *fields, strict=True)
        ):
            leave = self._leaves.get(code)
            if leave is None:
                leave = self._leaves[code] = self._tiles_of(code)
            at = number * width
            laid = tuple(tiles[at : at + length])
            play: Play
            if kind == keeping.PLACEMENT:
                play = Placement(_coordinate(row, column, direction), laid)
            else:
                play = Exchange(laid) if kind == keeping.EXCHANGE else Pass()
            yield RatedPlay(play, score, leave, equity)

    def _tiles_of(self, code: int) -> tuple[int, ...]:
        """Return the tiles of a part of the rack."""
        tiles: list[int] = []
        for kind, weight in self._weights:
            count, code = divmod(code, weight)
            tiles.extend([kind] * count)
        return tuple(reversed(tiles))


@lru_cache(maxsize=4096)
def _coordinate(row: int, column: int, direction: int) -> Coordinate:
    return Coordinate(row, column, Direction.DOWN if direction else Direction.ACROSS)
