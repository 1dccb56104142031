"""Trains the network that combines the evidence that a tile is a blank, on synthetic boards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from bot.sight.blanks import MAX_DEVIATION, evidence, probabilities
from bot.sight.squares import Floats, tile_features
from bot.sight.tiles import lowercase_probabilities, ring_probabilities
from training.sight.canvas import cut_near
from training.sight.fonts import fonts
from training.sight.played import played_board
from training.sight.spoiling import Random

_HIDDEN_VALUES: Final = 24
_CUT_DEVIATION: Final = 0.03
"""Standard deviation of the displacement of a board that is cut out, in squares."""
_ROUNDS, _BATCH, _RATE = 60, 256, 0.008
"""Number of passes over all tiles, number of tiles in a step, and initial learning rate."""
_DECAY: Final = 0.1
"""Weight decay. Each step subtracts this fraction of a weight, multiplied by the rate."""
_HELD_OUT_SHARE: Final = 0.1
"""Share of the boards that are kept to measure the result."""
_REPORT_STEPS: Final = 100


def learn_blanks(packages: Path, boards: int, seed: int, report: Callable[[str], None]) -> dict[str, Floats]:
    """Return the weights learned from a number of boards."""
    files = fonts(packages)
    drawn = []
    for number, chance in enumerate(np.random.SeedSequence(seed).spawn(boards), start=1):
        drawn.append(_board(np.random.default_rng(chance), files))
        if number % _REPORT_STEPS == 0:
            report(f"{number:,} of {boards:,} boards")
    held_out = max(1, round(_HELD_OUT_SHARE * boards))
    columns, is_blank = (np.concatenate([board[part] for board in drawn[held_out:]]) for part in range(2))
    weights = fit_weights(columns, is_blank, drawn[0][2], np.random.default_rng(seed))
    guesses = [
        (probabilities(columns, weights) > 0.5, is_blank > 0.5) for columns, is_blank, _ in drawn[:held_out]
    ]
    found, truth = (np.concatenate(parts) for parts in zip(*guesses, strict=True))
    right = sum((guess == blank).all() for guess, blank in guesses)
    report(
        f"{right:,} of {held_out:,} held-out boards were read correctly; {np.mean(found[truth]):.1%} of the blanks are found, "
        f"{np.mean(found[~truth]):.2%} of the other tiles are mistaken for blanks"
    )
    return weights


def _board(random: Random, files: tuple[Path, ...]) -> tuple[Floats, Floats, int]:
    """Return a board's evidence, which of its tiles are blanks, and the number of columns that indicate a blank."""
    game = played_board(random, files)
    squares = cut_near(game.picture, game.frame, 15, random, _CUT_DEVIATION)
    tiles, letters = squares[list(game.squares)], np.array(game.letters, np.int64)
    features = tile_features(tiles)
    readings = features[:, :, :, 1], ring_probabilities(features), lowercase_probabilities(features, letters)
    columns, indicator_count = evidence(tiles, letters, *readings)
    return columns, np.array(game.blanks, np.float32), indicator_count


def fit_weights(columns: Floats, is_blank: Floats, indicator_count: int, random: Random) -> dict[str, Floats]:
    """Train a network with one hidden layer with Adam (Kingma and Ba, 2015), at a rate that falls to zero. Return its weights.

    The weights of the first ``indicator_count`` columns, and the output weights of the hidden layer, never become negative.
    """
    mean, spread = columns.mean(axis=0), columns.std(axis=0) + np.float32(1e-3)
    normalized = np.clip((columns - mean) / spread, -MAX_DEVIATION, MAX_DEVIATION)
    hidden_weights = random.normal(0, normalized.shape[1] ** -0.5, (normalized.shape[1], _HIDDEN_VALUES))
    weights = {
        "hidden-weights": hidden_weights,
        "hidden-bias": np.zeros(_HIDDEN_VALUES),
        "weights": np.abs(random.normal(0, _HIDDEN_VALUES**-0.5, (_HIDDEN_VALUES, 1))),
        "bias": np.full(1, -4.0),
    }
    hidden_weights[:indicator_count] = np.abs(hidden_weights[:indicator_count])
    means, squares = ({name: np.zeros_like(value) for name, value in weights.items()} for _ in range(2))
    steps = _ROUNDS * (len(normalized) // _BATCH)
    order = np.concatenate([random.permutation(len(normalized)) for _ in range(_ROUNDS)])
    for step in range(1, steps + 1):
        batch = order[(step - 1) * _BATCH : step * _BATCH]
        gradients = _gradients(normalized[batch], is_blank[batch, None], weights)
        rate = _RATE * (1 + np.cos(np.pi * step / steps)) / 2
        for name, gradient in gradients.items():
            means[name] = 0.9 * means[name] + 0.1 * gradient
            squares[name] = 0.999 * squares[name] + 0.001 * gradient**2
            change = means[name] / (1 - 0.9**step) / (np.sqrt(squares[name] / (1 - 0.999**step)) + 1e-8)
            decay = _DECAY * weights[name] if name.endswith("weights") else 0
            weights[name] -= rate * (change + decay)
        np.maximum(weights["weights"], 0, out=weights["weights"])
        np.maximum(
            weights["hidden-weights"][:indicator_count], 0, out=weights["hidden-weights"][:indicator_count]
        )
    arrays = {"mean": mean, "spread": spread, **weights}
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def _gradients(seen: Floats, wanted: Floats, weights: dict[str, Floats]) -> dict[str, Floats]:
    hidden = np.tanh(seen @ weights["hidden-weights"] + weights["hidden-bias"])
    shares = 1 / (1 + np.exp(-(hidden @ weights["weights"] + weights["bias"])))
    error = (shares - wanted) / len(seen)
    back = (error @ weights["weights"].T) * (1 - hidden**2)
    return {
        "hidden-weights": seen.T @ back,
        "hidden-bias": back.sum(axis=0),
        "weights": hidden.T @ error,
        "bias": error.sum(axis=0),
    }
