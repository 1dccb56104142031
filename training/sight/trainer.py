"""Trains the networks of :mod:`bot.sight.network` with PyTorch, using the same layers and names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import torch
from torch.nn import functional

from bot.sight.network import COMPARISONS, CONVOLUTIONS, IS_EDGE_ROW, MAX_DEVIATION, PIECE_COUNT_SCALE
from bot.sight.squares import CHANNEL_COUNT, SIDE, Floats, Integers

Batch: TypeAlias = "tuple[Floats, Integers]"
"""Features of squares, and the squares' classes. For a network that compares squares, all squares come from one board."""

_MAX_RATE: Final = 0.002
_DROPOUT: Final = 0.2
"""Share of the dense layer's values that are dropped in each step."""
_EPSILON: Final = 1e-3
_OWN_LOSS_WEIGHT: Final = 0.4
"""Weight of the loss for the classes that are predicted before the squares are compared."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network's layers. If ``token_size`` is 0, the network does not compare squares."""

    class_count: int
    channel_count: int = CHANNEL_COUNT
    widths: tuple[int, int, int] = (32, 64, 96)
    """Output channels of the convolutions."""
    dense_size: int = 128
    token_size: int = 0
    """Number of values per square that are compared with those of other squares."""
    comparison_sizes: tuple[int, int] = (96, 64)
    """Outputs of the layers that compare squares."""


class Trainer:
    """Trains weights with AdamW (Loshchilov and Hutter, 2019).

    After a warm-up of 100 steps, the learning rate follows a cosine schedule, which reaches zero after ``step_count`` steps.
    """

    def __init__(
        self, shape: Shape, step_count: int, seed: int, initial_weights: Mapping[str, Floats] | None = None
    ) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.shape, self._step_count, self._step = shape, step_count, 0
        self._weights: dict[str, torch.Tensor] = {}
        for name, (inputs, outputs) in _layers(shape).items():
            spread = math.sqrt(
                (2 if name in {*CONVOLUTIONS, "dense", *COMPARISONS} else 1) / inputs
            )  # He et al., 2015
            if name == "board":
                spread /= 4
            self._weights[f"{name}-weights"] = torch.randn(inputs, outputs) * spread
            self._weights[f"{name}-bias"] = torch.zeros(outputs)
        for name, value in (initial_weights or {}).items():
            if name in self._weights and value.shape == self._weights[name].shape:
                self._weights[name] = torch.from_numpy(value.astype(np.float32))
        for value in self._weights.values():
            value.requires_grad_()
        weights = [value for name, value in self._weights.items() if name.endswith("weights")]
        biases = [value for name, value in self._weights.items() if name.endswith("bias")]
        self._adam = torch.optim.AdamW(
            [{"params": weights, "weight_decay": 0.01}, {"params": biases, "weight_decay": 0.0}], lr=_MAX_RATE
        )

    def weights(self) -> dict[str, Floats]:
        return {name: value.detach().numpy() for name, value in self._weights.items()}

    def step(self, boards: Sequence[Batch]) -> tuple[float, float]:
        """Learn from several boards. Return the loss and the share of squares classified correctly, both before this step."""
        self._step += 1
        rate = min(1.0, self._step / 100) * (0.5 + 0.5 * math.cos(math.pi * self._step / self._step_count))
        for group in self._adam.param_groups:
            group["lr"] = _MAX_RATE * rate
        features = torch.from_numpy(np.concatenate([board[0] for board in boards]))
        classes = torch.from_numpy(np.concatenate([board[1] for board in boards]))
        embedded = self._embed(features.permute(0, 3, 1, 2))
        own_logits = logits = self._dense(embedded, "classes")
        loss = torch.zeros(())
        if self.shape.token_size:
            counts = [len(board[1]) for board in boards]
            parts = zip(embedded.split(counts), own_logits.split(counts), strict=True)
            values = torch.cat([self._compare(*part) for part in parts])
            logits = own_logits + self._dense(values, "board")
            loss = _OWN_LOSS_WEIGHT * functional.cross_entropy(own_logits, classes)
        loss = loss + functional.cross_entropy(logits, classes)
        self._adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self._weights.values()), 1.0)
        self._adam.step()
        return loss.item(), float((logits.argmax(dim=1) == classes).float().mean())

    def _embed(self, values: torch.Tensor) -> torch.Tensor:
        """Compute the same values as ``Network.embed``, but with dropout. The input is squares × channels × rows × columns."""
        # Network.embed orders the values of a block by pixel, then by channel.
        values = functional.pixel_unshuffle(values, 2)
        values = values.reshape(len(values), self.shape.channel_count, 4, SIDE // 2, SIDE // 2)
        values = values.transpose(1, 2).reshape(
            len(values), 4 * self.shape.channel_count, SIDE // 2, SIDE // 2
        )
        values = values.contiguous(memory_format=torch.channels_last)  # halves the time
        for name in CONVOLUTIONS:
            weights = self._weights[f"{name}-weights"]
            kernel = weights.reshape(3, 3, -1, weights.shape[1]).permute(3, 2, 0, 1)
            values = functional.conv2d(values, kernel, self._weights[f"{name}-bias"], padding=1)
            values = functional.relu(values if name == CONVOLUTIONS[-1] else functional.max_pool2d(values, 2))
        flat = values.permute(0, 2, 3, 1).reshape(len(values), -1)
        return functional.dropout(functional.relu(self._dense(flat, "dense")), _DROPOUT)

    def _compare(self, embedded: torch.Tensor, own_logits: torch.Tensor) -> torch.Tensor:
        """Compare the squares of one board as ``BoardNetwork.board_probabilities`` does."""
        values = self._dense(embedded, "token")
        probabilities = functional.softmax(own_logits.detach(), dim=1)[:, 1:]
        occupancy = probabilities.sum(dim=1, keepdim=True)
        same_class = (probabilities @ probabilities.T).fill_diagonal_(0)
        count = same_class.sum(dim=1, keepdim=True)
        piece_counts, edges = (
            probabilities.sum(dim=0) / float(PIECE_COUNT_SCALE),
            torch.from_numpy(IS_EDGE_ROW),
        )
        for name in COMPARISONS:
            mean = (occupancy * values).sum(dim=0) / (occupancy.sum() + _EPSILON)
            spread = (
                (occupancy * (values - mean) ** 2).sum(dim=0) / (occupancy.sum() + _EPSILON) + _EPSILON
            ).sqrt()
            relative_to_all = ((values - mean) / spread).clamp(-MAX_DEVIATION, MAX_DEVIATION)
            relative_to_class = ((values - same_class @ values / (count + _EPSILON)) / spread).clamp(
                -MAX_DEVIATION, MAX_DEVIATION
            )
            board_values = torch.cat((mean, spread, piece_counts)).expand(len(values), -1)
            inputs = torch.cat(
                (values, relative_to_all, relative_to_class * count / (count + 1), board_values, edges), dim=1
            )
            values = functional.relu(self._dense(inputs, name))
        return values

    def _dense(self, values: torch.Tensor, name: str) -> torch.Tensor:
        return values @ self._weights[f"{name}-weights"] + self._weights[f"{name}-bias"]


def _layers(shape: Shape) -> dict[str, tuple[int, int]]:
    channels = (4 * shape.channel_count, *shape.widths)
    layers = {name: (9 * channels[number], channels[number + 1]) for number, name in enumerate(CONVOLUTIONS)}
    layers |= {
        "dense": (shape.widths[-1] * (SIDE // 8) ** 2, shape.dense_size),
        "classes": (shape.dense_size, shape.class_count),
    }
    if values := shape.token_size:
        layers["token"] = (shape.dense_size, values)
        for name, outputs in zip(COMPARISONS, shape.comparison_sizes, strict=True):
            # The last inputs are the number of pieces of each kind, and whether the row is an edge row.
            layers[name] = (5 * values + shape.class_count, outputs)
            values = outputs
        layers["board"] = (values, shape.class_count)
    return layers
