"""The network that reads lines of text: a sign, or none, for every step from the left; in numpy alone."""

from __future__ import annotations

from typing import Final

import numpy as np

from bot.sight.network import CONVOLUTIONS, Network, blocks, convolved, softmax
from bot.sight.squares import Floats

SIGNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_' "
"""What may stand in a name, by class behind :data:`NONE`."""
NONE: Final = 0
"""The class of a step in which no sign has its middle."""
STRANGE: Final = len(SIGNS) + 1
"""The class of signs that are none of these, or are cut through."""
CONTEXT: Final = (("beside", 1), ("around", 3))
"""Layers that see five steps beside each other, and how far apart these are."""
REACH: Final = 2
"""How many steps on each side of one such a layer sees."""


class LineNetwork(Network):
    """Reads lines: ``*-weights`` of a layer of :data:`CONTEXT` is (5 × values in) × out."""

    def shares(self, line: Floats) -> Floats:
        """Return the probability of each class for each step of a line: steps × classes."""
        values = blocks(line[None, :, :, None])
        for name in CONVOLUTIONS:
            values = convolved(values, self.weights[f"{name}-weights"], self.weights[f"{name}-bias"])
            values = np.maximum(values if name == CONVOLUTIONS[-1] else lower(values), 0)
        values = columns(values)
        for name, apart in CONTEXT:
            near = beside(values, apart)
            values = np.maximum(near @ self.weights[f"{name}-weights"] + self.weights[f"{name}-bias"], 0)
        logits = (values @ self.weights["classes-weights"] + self.weights["classes-bias"])[0]
        return softmax(logits)


def lower(values: Floats) -> Floats:
    """Return the larger of every two rows."""
    return np.maximum(values[:, 0::2], values[:, 1::2])


def columns(values: Floats) -> Floats:
    """Return all values above each other as one step's: lines × steps × values."""
    count, rows, steps, channels = values.shape
    return np.ascontiguousarray(values.swapaxes(1, 2)).reshape(count, steps, rows * channels)


def beside(values: Floats, apart: int) -> Floats:
    """Return the values of steps so far apart side by side, zeros beyond the ends: lines × steps × (5 × values)."""
    far = REACH * apart
    padded = np.pad(values, ((0, 0), (far, far), (0, 0)))
    steps = values.shape[1]
    return np.concatenate(
        [padded[:, start : start + steps] for start in range(0, 2 * far + 1, apart)], axis=2
    )
