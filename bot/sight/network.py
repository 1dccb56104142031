"""Small convolutional networks in NumPy that classify the squares of boards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

import numpy as np

from bot.sight.squares import Floats

DATA_FOLDER: Final = Path(__file__).parent / "data"
CONVOLUTIONS: Final = ("one", "two", "three")
"""The convolutional layers (3 × 3 pixels). Max pooling of 2 × 2 pixels follows every layer but the last. The first layer reads merged
blocks of 2 × 2 pixels, which saves three quarters of the work with no loss of accuracy."""
COMPARISONS: Final = ("first", "second")
"""The layers of :class:`BoardNetwork` that compare squares."""
MAX_DEVIATION: Final = 6
"""Values are clipped at this distance from the mean, in standard deviations."""
IS_EDGE_ROW: Final = np.array([[square // 8 in {0, 7}] for square in range(64)], np.float32)
"""Whether each square of a chessboard is on the first or last row: 64 × 1."""
PIECE_COUNT_SCALE: Final = np.float32(8)
"""The number of pieces of each class is divided by this, which brings it into the range of the other values."""
_EPSILON: Final = np.float32(1e-3)
_CHUNK_SIZE: Final = 32
"""Number of squares classified at once. More would not fit into a processor's cache."""


class Network:
    """A network that classifies each square independently of the others.

    ``weights`` has two arrays per layer, ``NAME-weights`` (inputs × outputs) and ``NAME-bias``. A convolutional layer has
    9 × channels inputs.
    """

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self.weights = {name: value.astype(np.float32) for name, value in weights.items()}

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path, allow_pickle=False) as file:
            return cls({name: file[name] for name in file.files})

    def probabilities(self, features: Floats) -> Floats:
        """Return each square's class probabilities: squares × classes."""
        return softmax(self._dense(self.embed(features), "classes"))

    def embed(self, features: Floats) -> Floats:
        """Return the values of the layer ``dense``: squares × values."""
        parts = (features[start : start + _CHUNK_SIZE] for start in range(0, len(features), _CHUNK_SIZE))
        return np.concatenate([self._embed(part) for part in parts])

    def _embed(self, values: Floats) -> Floats:
        values = merge_blocks(values)
        for name in CONVOLUTIONS:
            values = convolve(values, self.weights[f"{name}-weights"], self.weights[f"{name}-bias"])
            values = np.maximum(values if name == CONVOLUTIONS[-1] else max_pool(values), 0)
        return np.maximum(self._dense(values.reshape(len(values), -1), "dense"), 0)

    def _dense(self, values: Floats, name: str) -> Floats:
        return np.asarray(values @ self.weights[f"{name}-weights"] + self.weights[f"{name}-bias"], np.float32)


class BoardNetwork(Network):
    """A network that also compares each square of a chessboard with all occupied squares, and with squares of the same class.

    Two of its inputs help with unfamiliar designs: whether a square is on the first or last row, and the number of pieces of each
    class. Every board has one king of each colour, and no pawn on the first or last row.
    """

    def board_probabilities(self, features: Floats) -> Floats:
        """Return the class probabilities of the 64 squares: squares × classes."""
        embedded = self.embed(features)
        logits = self._dense(embedded, "classes")
        values = self._dense(embedded, "token")
        probabilities = softmax(logits)[:, 1:]
        occupancy = probabilities.sum(axis=1)[:, None]
        same_class = probabilities @ probabilities.T
        np.fill_diagonal(same_class, 0)
        count = same_class.sum(axis=1)[:, None]
        piece_counts = probabilities.sum(axis=0) / PIECE_COUNT_SCALE
        for name in COMPARISONS:
            mean = (occupancy * values).sum(axis=0) / (occupancy.sum() + _EPSILON)
            spread = np.sqrt(
                (occupancy * (values - mean) ** 2).sum(axis=0) / (occupancy.sum() + _EPSILON) + _EPSILON
            )
            relative_to_all = np.clip((values - mean) / spread, -MAX_DEVIATION, MAX_DEVIATION)
            relative_to_class = np.clip(
                (values - same_class @ values / (count + _EPSILON)) / spread, -MAX_DEVIATION, MAX_DEVIATION
            )
            board_values = np.tile(np.concatenate((mean, spread, piece_counts)), (len(values), 1))
            inputs = np.concatenate(
                (values, relative_to_all, relative_to_class * count / (count + 1), board_values, IS_EDGE_ROW),
                axis=1,
            )
            values = np.maximum(self._dense(inputs, name), 0)
        return softmax(logits + self._dense(values, "board"))


def softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def merge_blocks(values: Floats) -> Floats:
    """Merge each block of 2 × 2 pixels into one pixel with four times as many channels."""
    count, rows, columns, channels = values.shape
    blocks = values.reshape(count, rows // 2, 2, columns // 2, 2, channels).swapaxes(2, 3)
    return blocks.reshape(count, rows // 2, columns // 2, 4 * channels)


def convolve(values: Floats, weights: Floats, bias: Floats) -> Floats:
    """Return a 3 × 3 convolution. Beyond the edges, values are zero.

    To save time, only the left and right neighbours are copied beside each pixel, not all eight.
    """
    count, rows, columns, channels = values.shape
    neighbours = np.zeros((count, rows + 2, columns, 3, channels), np.float32)
    neighbours[:, 1:-1, 1:, 0] = values[:, :, :-1]
    neighbours[:, 1:-1, :, 1] = values
    neighbours[:, 1:-1, :-1, 2] = values[:, :, 1:]
    flat = neighbours.reshape(count, (rows + 2) * columns, 3 * channels)
    upper_weights, middle_weights, lower_weights = np.split(weights, 3)
    total = flat[:, : rows * columns] @ upper_weights
    total += flat[:, columns : (rows + 1) * columns] @ middle_weights
    total += flat[:, 2 * columns :] @ lower_weights
    total += bias
    return np.asarray(total.reshape(count, rows, columns, -1), np.float32)


def max_pool(values: Floats) -> Floats:
    upper = np.maximum(values[:, 0::2, 0::2], values[:, 0::2, 1::2])
    return np.maximum(upper, np.maximum(values[:, 1::2, 0::2], values[:, 1::2, 1::2]))
