"""A small convolutional network, in numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

import numpy as np

from bot.sight.squares import Floats

DATA: Final = Path(__file__).parent / "data"
"""Where weights are."""
CONVOLUTIONS = ("one", "two", "three")
"""Names of the layers that see 3 × 3 neighbours; after each but the last, the largest of every 2 × 2 values is kept.

The first sees blocks of 2 × 2 pixels as one: a quarter of the work, and no less is read.
"""
_TOGETHER = 32
"""Squares that are read at once: of more, what is between two layers does not fit into a processor's cache."""


class Network:
    """Weights by name. ``*-weights`` of a convolution is (9 × channels in) × out, of a dense layer in × out."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self.weights = {name: value.astype(np.float32) for name, value in weights.items()}

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load weights that were kept as half-precision numbers."""
        with np.load(path, allow_pickle=False) as kept:
            return cls({name: kept[name] for name in kept.files})

    def probabilities(self, features: Floats) -> Floats:
        """Return the probability of each class for each square: squares × classes."""
        return softmax(self.logits(features))

    def logits(self, features: Floats) -> Floats:
        """Return the last layer's values for each square: squares × classes."""
        parts = (features[start : start + _TOGETHER] for start in range(0, len(features), _TOGETHER))
        return np.concatenate([self._logits(part) for part in parts])

    def _logits(self, values: Floats) -> Floats:
        values = blocks(values)
        for name in CONVOLUTIONS:
            values = convolved(values, self.weights[f"{name}-weights"], self.weights[f"{name}-bias"])
            values = np.maximum(values if name == CONVOLUTIONS[-1] else halved(values), 0)
        values = values.reshape(len(values), -1)
        values = np.maximum(values @ self.weights["dense-weights"] + self.weights["dense-bias"], 0)
        return values @ self.weights["classes-weights"] + self.weights["classes-bias"]


def softmax(logits: Floats) -> Floats:
    """Return the probability of each class in each row: rows × classes, as the logits are."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def blocks(values: Floats) -> Floats:
    """Return every 2 × 2 pixels as one with four times the channels."""
    count, rows, columns, channels = values.shape
    parts = values.reshape(count, rows // 2, 2, columns // 2, 2, channels).swapaxes(2, 3)
    return np.ascontiguousarray(parts).reshape(count, rows // 2, columns // 2, 4 * channels)


def convolved(values: Floats, weights: Floats, bias: Floats) -> Floats:
    """Return what a layer makes of each pixel's 3 × 3 neighbours, with zeros beyond the edges.

    A pixel and those left and right of it are laid side by side once, and serve the rows above, at and below them.
    """
    count, rows, columns, channels = values.shape
    beside = np.zeros((count, rows + 2, columns, 3, channels), np.float32)
    beside[:, 1:-1, 1:, 0] = values[:, :, :-1]
    beside[:, 1:-1, :, 1] = values
    beside[:, 1:-1, :-1, 2] = values[:, :, 1:]
    flat = beside.reshape(count, (rows + 2) * columns, 3 * channels)
    above, at, below = np.split(weights, 3)
    layer = flat[:, : rows * columns] @ above
    layer += flat[:, columns : (rows + 1) * columns] @ at
    layer += flat[:, 2 * columns :] @ below
    layer += bias
    return np.asarray(layer.reshape(count, rows, columns, -1), np.float32)


def halved(values: Floats) -> Floats:
    """Return the largest of every 2 × 2 pixels."""
    upper = np.maximum(values[:, 0::2, 0::2], values[:, 0::2, 1::2])
    return np.maximum(upper, np.maximum(values[:, 1::2, 0::2], values[:, 1::2, 1::2]))
