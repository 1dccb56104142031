"""Trains the network that weighs the evidence that a tile is a blank."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator

from bot.sight.blanks import MAX_DEVIATION, collect_evidence, weigh_evidence
from bot.sight.squares import Floats, tile_features
from bot.sight.tiles import lowercase_probabilities, ring_probabilities
from training.sight.canvas import cut_displaced
from training.sight.fonts import find_fonts
from training.sight.played import played_board

_HIDDEN_UNITS: Final = 24
_CUT_DEVIATION: Final = 0.03
"""Standard deviation of the random displacement of a board's edges, in squares."""
_PASS_COUNT, _BATCH_SIZE, _INITIAL_RATE = 60, 256, 0.008
"""Number of passes over all tiles, number of tiles in a step, and initial learning rate."""
_DECAY: Final = 0.1
"""Each step subtracts this fraction of a weight, multiplied by the rate."""
_HELD_OUT_SHARE: Final = 0.1
"""Share of the boards that is held out to measure the result."""
_BOARDS_PER_REPORT: Final = 100


def learn_blanks(packages: Path, board_count: int, seed: int) -> dict[str, Floats]:
    font_files = find_fonts(packages)
    boards = []
    for number, seed_sequence in enumerate(np.random.SeedSequence(seed).spawn(board_count), start=1):
        boards.append(_board(np.random.default_rng(seed_sequence), font_files))
        if number % _BOARDS_PER_REPORT == 0:
            print(f"{number:,} of {board_count:,} boards")
    held_out_count = max(1, round(_HELD_OUT_SHARE * board_count))
    evidence, is_blank = (
        np.concatenate([board[part] for board in boards[held_out_count:]]) for part in range(2)
    )
    weights = fit_weights(evidence, is_blank, boards[0][2], np.random.default_rng(seed))
    guesses = [
        (weigh_evidence(evidence, weights) > 0.5, is_blank > 0.5)
        for evidence, is_blank, _ in boards[:held_out_count]
    ]
    predicted, truth = (np.concatenate(parts) for parts in zip(*guesses, strict=True))
    correct = sum((guess == blank).all() for guess, blank in guesses)
    print(
        f"every tile was classified correctly on {correct:,} of {held_out_count:,} held-out boards; {np.mean(predicted[truth]):.1%} of the blanks were found, "
        f"{np.mean(predicted[~truth]):.2%} of the other tiles were mistaken for blanks"
    )
    return weights


def _board(rng: Generator, font_files: tuple[Path, ...]) -> tuple[Floats, Floats, int]:
    """Return the tiles' evidence, whether each tile is a blank, and the number of columns of evidence that indicate a blank."""
    game = played_board(rng, font_files)
    squares = cut_displaced(game.picture, game.frame, 15, rng, _CUT_DEVIATION)
    tiles, letters = squares[list(game.squares)], np.array(game.letters, np.int64)
    features = tile_features(tiles)
    measurements = (
        features[:, :, :, 1],
        ring_probabilities(features),
        lowercase_probabilities(features, letters),
    )
    evidence, indicator_count = collect_evidence(tiles, letters, *measurements)
    return evidence, np.array(game.blanks, np.float32), indicator_count


def fit_weights(
    evidence: Floats, is_blank: Floats, indicator_count: int, rng: Generator
) -> dict[str, Floats]:
    """Train a network with one hidden layer, using AdamW (Loshchilov and Hutter, 2019). The learning rate falls to zero.

    The hidden weights of the first ``indicator_count`` columns and the output weights of the hidden layer never become negative.
    """
    mean, spread = evidence.mean(axis=0), evidence.std(axis=0) + np.float32(1e-3)
    normalized = np.clip((evidence - mean) / spread, -MAX_DEVIATION, MAX_DEVIATION)
    hidden_weights = rng.normal(0, normalized.shape[1] ** -0.5, (normalized.shape[1], _HIDDEN_UNITS))
    weights = {
        "hidden-weights": hidden_weights,
        "hidden-bias": np.zeros(_HIDDEN_UNITS),
        "weights": np.abs(rng.normal(0, _HIDDEN_UNITS**-0.5, (_HIDDEN_UNITS, 1))),
        "bias": np.full(1, -4.0),
    }
    hidden_weights[:indicator_count] = np.abs(hidden_weights[:indicator_count])
    first_moments, second_moments = (
        {name: np.zeros_like(value) for name, value in weights.items()} for _ in range(2)
    )
    step_count = _PASS_COUNT * (len(normalized) // _BATCH_SIZE)
    order = np.concatenate([rng.permutation(len(normalized)) for _ in range(_PASS_COUNT)])
    for step in range(1, step_count + 1):
        batch = order[(step - 1) * _BATCH_SIZE : step * _BATCH_SIZE]
        gradients = _gradients(normalized[batch], is_blank[batch, None], weights)
        rate = _INITIAL_RATE * (1 + np.cos(np.pi * step / step_count)) / 2
        for name, gradient in gradients.items():
            first_moments[name] = 0.9 * first_moments[name] + 0.1 * gradient
            second_moments[name] = 0.999 * second_moments[name] + 0.001 * gradient**2
            mean_square = second_moments[name] / (1 - 0.999**step)
            change = first_moments[name] / (1 - 0.9**step) / (np.sqrt(mean_square) + 1e-8)
            decay = _DECAY * weights[name] if name.endswith("weights") else 0
            weights[name] -= rate * (change + decay)
        np.maximum(weights["weights"], 0, out=weights["weights"])
        np.maximum(
            weights["hidden-weights"][:indicator_count], 0, out=weights["hidden-weights"][:indicator_count]
        )
    arrays = {"mean": mean, "spread": spread, **weights}
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def _gradients(inputs: Floats, targets: Floats, weights: dict[str, Floats]) -> dict[str, Floats]:
    hidden = np.tanh(inputs @ weights["hidden-weights"] + weights["hidden-bias"])
    outputs = 1 / (1 + np.exp(-(hidden @ weights["weights"] + weights["bias"])))
    error = (outputs - targets) / len(inputs)
    hidden_error = (error @ weights["weights"].T) * (1 - hidden**2)
    return {
        "hidden-weights": inputs.T @ hidden_error,
        "hidden-bias": hidden_error.sum(axis=0),
        "weights": hidden.T @ error,
        "bias": error.sum(axis=0),
    }
