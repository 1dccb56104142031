"""A small convolutional network, in numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from bot.sight.squares import Floats

CONVOLUTIONS = ("one", "two", "three")
"""Names of the layers that see 3 × 3 neighbours; after each but the last, the largest of every 2 × 2 values is kept.

The first sees blocks of 2 × 2 pixels as one: a quarter of the work, and no less is read.
"""


class Network:
    """Weights by name. ``*-weights`` of a convolution is (9 × channels in) × out, of a dense layer in × out."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self.weights = {name: value.astype(np.float32) for name, value in weights.items()}

    @classmethod
    def load(cls, path: Path) -> Network:
        """Load weights that were kept as half-precision numbers."""
        with np.load(path, allow_pickle=False) as kept:
            return cls({name: kept[name] for name in kept.files})

    def probabilities(self, features: Floats) -> Floats:
        """Return the probability of each class for each square: squares × classes."""
        parts = [self._logits(features[start : start + 64]) for start in range(0, len(features), 64)]
        logits = np.concatenate(parts)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def _logits(self, values: Floats) -> Floats:
        values = blocks(values)
        for name in CONVOLUTIONS:
            values = neighbours(values) @ self.weights[f"{name}-weights"] + self.weights[f"{name}-bias"]
            values = np.maximum(values if name == CONVOLUTIONS[-1] else halved(values), 0)
        values = values.reshape(len(values), -1)
        values = np.maximum(values @ self.weights["dense-weights"] + self.weights["dense-bias"], 0)
        return values @ self.weights["classes-weights"] + self.weights["classes-bias"]


def blocks(values: Floats) -> Floats:
    """Return every 2 × 2 pixels as one with four times the channels."""
    count, rows, columns, channels = values.shape
    parts = values.reshape(count, rows // 2, 2, columns // 2, 2, channels).swapaxes(2, 3)
    return np.ascontiguousarray(parts).reshape(count, rows // 2, columns // 2, 4 * channels)


def neighbours(values: Floats) -> Floats:
    """Return each pixel's 3 × 3 neighbours, with zeros beyond the edges: … × (9 × channels)."""
    count, rows, columns, channels = values.shape
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    near = np.empty((count, rows, columns, 9, channels), np.float32)
    for index in range(9):
        down, across = divmod(index, 3)
        near[:, :, :, index] = padded[:, down : down + rows, across : across + columns]
    return near.reshape(count, rows, columns, 9 * channels)


def halved(values: Floats) -> Floats:
    """Return the largest of every 2 × 2 pixels."""
    upper = np.maximum(values[:, 0::2, 0::2], values[:, 0::2, 1::2])
    return np.maximum(upper, np.maximum(values[:, 1::2, 0::2], values[:, 1::2, 1::2]))
