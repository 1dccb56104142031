"""A list of plays that were found, which become values when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement, Play
from bot.engine.kernels import best_plays as keeping
from bot.engine.plays.values import By, RatedPlay


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
            rows = zip(self._keys[place].tolist(), self._records[place].tolist(), strict=True)
            return tuple(self._rated(keys, record) for keys, record in rows)
        return self._rated(self._keys[place].tolist(), self._records[place].tolist())

    def __iter__(self) -> Iterator[RatedPlay]:
        return iter(self[:])

    def _rated(self, keys: list[int], record: list[int]) -> RatedPlay:
        score, equity = keys if self._by_score else reversed(keys)
        code = record[keeping.R_KEPT]
        leave = self._leaves.get(code)
        if leave is None:
            leave = self._leaves[code] = self._tiles_of(code)
        return RatedPlay(_play(record), score, leave, equity)

    def _tiles_of(self, code: int) -> tuple[int, ...]:
        """Return the tiles of a part of the rack."""
        tiles: list[int] = []
        for kind, weight in self._weights:
            count, code = divmod(code, weight)
            tiles.extend([kind] * count)
        return tuple(reversed(tiles))


def _play(record: list[int]) -> Play:
    tiles = tuple(record[keeping.R_TILES : keeping.R_TILES + record[keeping.R_LENGTH]])
    kind = record[keeping.R_KIND]
    if kind == keeping.PLACEMENT:
        direction = Direction.DOWN if record[keeping.R_DIRECTION] else Direction.ACROSS
        return Placement(Coordinate(record[keeping.R_ROW], record[keeping.R_COLUMN], direction), tiles)
    return Exchange(tiles) if kind == keeping.EXCHANGE else Pass()
