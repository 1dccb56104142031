"""All leaves of a distribution, and estimates of their values from samples.

An estimate is a weighted mean of a leave's samples and a prediction from smaller leaves. If two tiles a and b of a leave L did
not change each other's value, the value of L would be

    v(L - a) + v(L - b) - v(L - a - b).

The prediction is the average of this expression over all pairs of tiles. The mean of n samples has weight n / (n + s2 / t2),
and the prediction has the remaining weight (empirical Bayes, after Efron and Morris 1973). Here, s2 is the variance of a single
sample, and t2 is the variance of the values around their predictions, for each leave size.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.rules import LetterDistribution

MAX_LEAVE_SIZE = 6
"""Maximum number of tiles in a leave that gets a value."""
_BITS_PER_TILE = 6
_MIN_SAMPLES = 20
"""Minimum number of samples that a leave needs to be used for measuring t2."""
_MIN_PREDICTION_VARIANCE = 0.01
"""Minimum value of t2, in points squared."""

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LeaveIndex:
    """All leaves, in the order of the values in leave-value files."""

    leaves: tuple[bytes, ...]
    rows: npt.NDArray[np.uint8]
    """One row per leave: machine letters plus 1, padded with zeros."""
    sizes: npt.NDArray[np.int64]
    keys: npt.NDArray[np.uint64]
    """The rows as numbers, in ascending order."""

    def find(self, rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """Return the indexes of the leaves in ``rows``, which must all be in the index."""
        return np.searchsorted(self.keys, _keys(rows))


def leave_index(
    distribution: LetterDistribution, rack_size: int, *, max_size: int = MAX_LEAVE_SIZE
) -> LeaveIndex:
    """Return all leaves of up to ``max_size`` tiles.

    Leaves of ``rack_size`` tiles, or of more than :data:`MAX_LEAVE_SIZE`, are left out.
    """
    max_tiles = max(1, min(MAX_LEAVE_SIZE, max_size, rack_size - 1))
    leaves = tuple(_leaves(distribution.counts, max_tiles))
    rows = np.frombuffer(
        b"".join(bytes(tile + 1 for tile in leave).ljust(max_tiles, b"\0") for leave in leaves),
        dtype=np.uint8,
    ).reshape(len(leaves), max_tiles)
    return LeaveIndex(leaves, rows, np.count_nonzero(rows, axis=1), _keys(rows))


def _leaves(counts: tuple[int, ...], max_tiles: int) -> list[bytes]:
    leaves: list[bytes] = []

    def extend(leave: bytes, first: int) -> None:
        for tile in range(first, len(counts)):
            if counts[tile] > leave.count(tile):
                longer = leave + bytes((tile,))
                leaves.append(longer)
                if len(longer) < max_tiles:
                    extend(longer, tile)

    extend(b"", 0)
    return leaves


def _keys(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Pack each row of numbers below 64 into one number. The packed numbers sort like the rows."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in range(MAX_LEAVE_SIZE):
        keys <<= np.uint64(_BITS_PER_TILE)
        if column < rows.shape[1]:
            keys |= rows[:, column].astype(np.uint64)
    return keys


def estimate(index: LeaveIndex, sums: Doubles, sample_counts: Doubles, variance: float) -> Doubles:
    """Return the value of every leave in points, given the variance of a single sample.

    A sample is the worth of a rack that contains the leave, in points above the average.
    """
    values = np.zeros(len(index.leaves), dtype=np.float64)
    for size in range(1, index.rows.shape[1] + 1):
        indices = np.flatnonzero(index.sizes == size)
        predicted = _predict(index, index.rows[indices, :size], values)
        counts = sample_counts[indices]
        means = np.divide(sums[indices], counts, out=predicted.copy(), where=counts > 0)
        is_sampled = counts >= _MIN_SAMPLES
        prediction_variance = _MIN_PREDICTION_VARIANCE
        if is_sampled.any():
            squared_errors = (means - predicted)[is_sampled] ** 2 - variance / counts[is_sampled]
            prediction_variance = max(
                prediction_variance, float(np.average(squared_errors, weights=counts[is_sampled]))
            )
        prediction_weight = variance / prediction_variance
        values[indices] = (counts * means + prediction_weight * predicted) / (counts + prediction_weight)
    return values


def _predict(index: LeaveIndex, rows: npt.NDArray[np.uint8], values: Doubles) -> Doubles:
    size = rows.shape[1]
    if size == 1:
        return np.zeros(len(rows), dtype=np.float64)
    values_without = [values[index.find(np.delete(rows, tile, axis=1))] for tile in range(size)]
    predicted = np.zeros(len(rows), dtype=np.float64)
    pairs = list(combinations(range(size), 2))
    for first, second in pairs:
        predicted += values_without[first] + values_without[second]
        if size > 2:
            predicted -= values[index.find(np.delete(rows, (first, second), axis=1))]
    return predicted / len(pairs)
