"""Training a network of :mod:`bot.sight.network` by Adam (Kingma and Ba, 2015), in numpy alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from bot.sight.network import CONVOLUTIONS, blocks, halved, softmax
from bot.sight.squares import CHANNELS, SIDE, Floats


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a network is."""

    channels: int = CHANNELS
    widths: tuple[int, int, int] = (32, 64, 96)
    """Values of each pixel behind each convolution."""
    dense: int = 128
    """Values of the dense layer."""


USUAL: Final = Shape()
"""That of the networks that read squares of boards."""


_BEST_RATE = 0.002
_DECAY, _SECOND_DECAY, _TINY = 0.9, 0.999, 1e-8
_DROPPED = 0.25
"""The share of the dense layer's values that is left out in each step, so that none is relied on alone."""


class Adam:
    """Weights of layers that learn. The rate falls to zero along a cosine over ``steps``.

    ``sizes`` are the layers by name: how many values go into one, and how many come out.
    """

    def __init__(self, sizes: Mapping[str, tuple[int, int]], steps: int, random: np.random.Generator) -> None:
        self.random, self._steps, self._step = random, steps, 0
        self._best_rate = _BEST_RATE
        self.weights: dict[str, Floats] = {}
        for name, (inputs, outputs) in sizes.items():
            spread = math.sqrt(2 / inputs)  # He et al., 2015
            self.weights[f"{name}-weights"] = random.normal(0, spread, (inputs, outputs)).astype(np.float32)
            self.weights[f"{name}-bias"] = np.zeros(outputs, np.float32)
        self._mean = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._square = {name: np.zeros_like(value) for name, value in self.weights.items()}

    def go_on(self, weights: Mapping[str, Floats]) -> None:
        """Go on from weights that have learnt before, more carefully; layers of another name or shape begin anew."""
        self.weights |= {
            name: value
            for name, value in weights.items()
            if name in self.weights and value.shape == self.weights[name].shape
        }
        self._best_rate = _BEST_RATE / 2

    def move(self, slopes: Mapping[str, Floats]) -> None:
        """Move the weights against the slopes of the loss."""
        self._step += 1
        warm = min(1.0, self._step / 50)
        rate = self._best_rate * warm * (0.5 + 0.5 * math.cos(math.pi * self._step / self._steps))
        for name, slope in slopes.items():
            self._mean[name] += (1 - _DECAY) * (slope - self._mean[name])
            self._square[name] += (1 - _SECOND_DECAY) * (slope * slope - self._square[name])
            mean = self._mean[name] / (1 - _DECAY**self._step)
            square = self._square[name] / (1 - _SECOND_DECAY**self._step)
            self.weights[name] -= (rate * mean / (np.sqrt(square) + _TINY)).astype(np.float32)


class Trainer(Adam):
    """Weights that learn to tell squares. One step sees one batch."""

    def __init__(self, classes: int, steps: int, random: np.random.Generator, shape: Shape = USUAL) -> None:
        sizes: dict[str, tuple[int, int]] = {}
        for name, inputs, outputs in zip(
            CONVOLUTIONS, (4 * shape.channels, *shape.widths), shape.widths, strict=False
        ):
            sizes[name] = (9 * inputs, outputs)
        sizes["dense"] = (shape.widths[-1] * (SIDE // 8) ** 2, shape.dense)
        sizes["classes"] = (shape.dense, classes)
        super().__init__(sizes, steps, random)

    def step(self, features: Floats, wanted: npt.NDArray[np.int64]) -> tuple[float, float]:
        """Learn from one batch; return its loss and the share that was right before."""
        kept, values = [], blocks(features)
        for name in CONVOLUTIONS:
            near = neighbours(values)
            whole = near @ self.weights[f"{name}-weights"] + self.weights[f"{name}-bias"]
            best = whole if name == CONVOLUTIONS[-1] else halved(whole)
            values = np.maximum(best, 0)
            kept.append((near, whole, best))
        shape = values.shape
        flat = values.reshape(len(values), -1)
        hidden = np.maximum(flat @ self.weights["dense-weights"] + self.weights["dense-bias"], 0)
        keep = (self.random.random(hidden.shape) >= _DROPPED).astype(np.float32) / (1 - _DROPPED)
        dropped = hidden * keep
        logits = dropped @ self.weights["classes-weights"] + self.weights["classes-bias"]
        share = softmax(logits)
        rows = np.arange(len(wanted))
        loss = float(-np.log(share[rows, wanted] + 1e-9).mean())
        right = float((share.argmax(axis=1) == wanted).mean())
        slope = share
        slope[rows, wanted] -= 1
        slope /= len(wanted)
        slopes = {"classes-weights": dropped.T @ slope, "classes-bias": slope.sum(axis=0)}
        slope = (slope @ self.weights["classes-weights"].T) * keep * (hidden > 0)
        slopes |= {"dense-weights": flat.T @ slope, "dense-bias": slope.sum(axis=0)}
        slope = (slope @ self.weights["dense-weights"].T).reshape(shape)
        for name, (near, whole, best) in zip(reversed(CONVOLUTIONS), reversed(kept), strict=True):
            slope *= best > 0
            back = slope if name == CONVOLUTIONS[-1] else _spread(slope, whole, best)
            inputs = near.shape[-1]
            matrix = back.reshape(-1, back.shape[-1])
            slopes[f"{name}-weights"] = near.reshape(-1, inputs).T @ matrix
            slopes[f"{name}-bias"] = matrix.sum(axis=0)
            if name != CONVOLUTIONS[0]:
                slope = gathered((matrix @ self.weights[f"{name}-weights"].T).reshape(near.shape))
        self.move(slopes)
        return loss, right


def _spread(slope: Floats, whole: Floats, best: Floats) -> Floats:
    """Give each value's slope back to the pixel it came from: the way back through :func:`halved`."""
    back = np.empty_like(whole)
    for down, across in ((0, 0), (0, 1), (1, 0), (1, 1)):
        back[:, down::2, across::2] = slope * (whole[:, down::2, across::2] == best)
    return back


def gathered(slope: Floats) -> Floats:
    """Sum up what each pixel's neighbours ask of it: the way back through :func:`neighbours`."""
    count, rows, columns, wide = slope.shape
    parts = slope.reshape(count, rows, columns, 3, 3, wide // 9)
    padded = np.zeros((count, rows + 2, columns + 2, wide // 9), np.float32)
    for down in range(3):
        for across in range(3):
            padded[:, down : down + rows, across : across + columns] += parts[:, :, :, down, across]
    return padded[:, 1:-1, 1:-1]


def neighbours(values: Floats) -> Floats:
    """Return each pixel's 3 × 3 neighbours, with zeros beyond the edges: … × (9 × channels)."""
    count, rows, columns, channels = values.shape
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    near = np.empty((count, rows, columns, 9, channels), np.float32)
    for index in range(9):
        down, across = divmod(index, 3)
        near[:, :, :, index] = padded[:, down : down + rows, across : across + columns]
    return near.reshape(count, rows, columns, 9 * channels)
