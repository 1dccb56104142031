"""Training the network that reads lines, by Adam, in numpy alone."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bot.sight.learning.training import Adam, gathered, neighbours
from bot.sight.network import CONVOLUTIONS, blocks, softmax
from bot.sight.scores.names.line import HEIGHT
from bot.sight.scores.names.network import CONTEXT, NONE, REACH, STRANGE, beside, columns, lower
from bot.sight.squares import Floats

_WIDTHS = (32, 48, 64)
"""Values of each pixel behind each convolution."""
_DENSE = 128
"""Values of each step behind each layer that sees steps beside it."""
_DROPPED = 0.15
"""The share of these that is left out at last in each step of learning."""


def beside_sign(number: int) -> int:
    """Return what stands in place of a class where a step beside a sign's middle may be told as that sign, or as none."""
    return -number


class LineTrainer(Adam):
    """Weights that learn. One step sees one batch of lines."""

    def __init__(self, steps: int, random: np.random.Generator) -> None:
        sizes: dict[str, tuple[int, int]] = {}
        for name, inputs, outputs in zip(CONVOLUTIONS, (4, *_WIDTHS), _WIDTHS, strict=False):
            sizes[name] = (9 * inputs, outputs)
        inputs = _WIDTHS[-1] * HEIGHT // 8
        for name, _ in CONTEXT:
            sizes[name] = ((2 * REACH + 1) * inputs, _DENSE)
            inputs = _DENSE
        sizes["classes"] = (_DENSE, STRANGE + 1)
        super().__init__(sizes, steps, random)

    def step(self, lines: Floats, wanted: npt.NDArray[np.int64]) -> tuple[float, float]:
        """Learn from lines × HEIGHT × width and the classes of their steps; return the loss and the share of signs right."""
        kept, values = [], blocks(lines[:, :, :, None])
        for name in CONVOLUTIONS:
            near = neighbours(values)
            whole = near @ self.weights[f"{name}-weights"] + self.weights[f"{name}-bias"]
            best = whole if name == CONVOLUTIONS[-1] else lower(whole)
            values = np.maximum(best, 0)
            kept.append((near, whole, best))
        shape = values.shape
        values = columns(values)
        kept_beside = []
        for name, apart in CONTEXT:
            near = beside(values, apart)
            values = np.maximum(near @ self.weights[f"{name}-weights"] + self.weights[f"{name}-bias"], 0)
            kept_beside.append((near, values))
        keep = (self.random.random(values.shape) >= _DROPPED).astype(np.float32) / (1 - _DROPPED)
        dropped = (values * keep).reshape(-1, _DENSE)
        loss, right, slope = _slope(
            dropped @ self.weights["classes-weights"] + self.weights["classes-bias"], wanted.ravel()
        )
        slopes = {"classes-weights": dropped.T @ slope, "classes-bias": slope.sum(axis=0)}
        back = (slope @ self.weights["classes-weights"].T).reshape(values.shape) * keep
        for (name, apart), (near, values) in zip(reversed(CONTEXT), reversed(kept_beside), strict=True):
            matrix = (back * (values > 0)).reshape(-1, _DENSE)
            slopes[f"{name}-weights"] = near.reshape(len(matrix), -1).T @ matrix
            slopes[f"{name}-bias"] = matrix.sum(axis=0)
            back = _summed((matrix @ self.weights[f"{name}-weights"].T).reshape(near.shape), apart)
        count, rows, steps, channels = shape
        back = np.ascontiguousarray(back.reshape(count, steps, rows, channels).swapaxes(1, 2))
        for name, (near, whole, best) in zip(reversed(CONVOLUTIONS), reversed(kept), strict=True):
            back = back * (best > 0)
            if name != CONVOLUTIONS[-1]:
                back = _raised(back, whole, best)
            matrix = back.reshape(-1, back.shape[-1])
            slopes[f"{name}-weights"] = near.reshape(len(matrix), -1).T @ matrix
            slopes[f"{name}-bias"] = matrix.sum(axis=0)
            if name != CONVOLUTIONS[0]:
                back = gathered((matrix @ self.weights[f"{name}-weights"].T).reshape(near.shape))
        self.move(slopes)
        return loss, right


def _slope(logits: Floats, wanted: npt.NDArray[np.int64]) -> tuple[float, float, Floats]:
    """Return the mean loss, the share of signs that are right, and the slope of the loss by the logits."""
    slope = softmax(logits)
    rows = np.arange(len(wanted))
    signs = np.flatnonzero(wanted > NONE)
    right = float((slope[signs].argmax(axis=1) == wanted[signs]).mean()) if len(signs) else math.nan
    either = np.flatnonzero(wanted < NONE)
    told = slope[rows, np.abs(wanted)]
    told[either] += slope[either, NONE]
    loss = float(-np.log(told + 1e-9).mean())
    # Of two that are both right each is asked for as far as it is told already.
    shares = slope[rows, np.abs(wanted)] / (told + 1e-9)
    slope[either, NONE] -= slope[either, NONE] / (told[either] + 1e-9)
    slope[rows, np.abs(wanted)] -= shares
    return loss, right, slope / np.float32(len(rows))


def _raised(slope: Floats, whole: Floats, best: Floats) -> Floats:
    """Give each value's slope back to the row it came from: the way back through :func:`lower`."""
    back = np.empty_like(whole)
    for down in (0, 1):
        back[:, down::2] = slope * (whole[:, down::2] == best)
    return back


def _summed(slope: Floats, apart: int) -> Floats:
    """Sum up what is asked of each step: the way back through :func:`beside`."""
    count, steps, wide = slope.shape
    far, parts = REACH * apart, 2 * REACH + 1
    total = np.zeros((count, steps + 2 * far, wide // parts), np.float32)
    for number, part in enumerate(np.split(slope, parts, axis=2)):
        total[:, number * apart : number * apart + steps] += part
    return total[:, far : far + steps]
