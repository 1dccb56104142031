"""Learning what the evidence for a blank weighs, from made-up boards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from bot.sight.blanks import MAX_DEVIATION, evidence, probabilities
from bot.sight.squares import Floats, Grid, cut, tile_features
from bot.sight.tiles import lowercase_probabilities, ring_probabilities
from training.sight.fonts import fonts
from training.sight.played import played_board
from training.sight.spoiling import Random

_HIDDEN: Final = 24
_CUT_DEVIATION: Final = 0.03
"""The standard deviation of the place of a cut, in squares."""
_ROUNDS, _BATCH, _RATE = 60, 256, 0.008
_DECAY: Final = 0.1
"""The share of each weight that a step takes away, as a multiple of the rate."""
_KEPT_BACK: Final = 0.1
"""The share of boards that nothing is learnt from."""
_TOLD: Final = 100


def learn_blanks(packages: Path, boards: int, seed: int, tell: Callable[[str], None]) -> dict[str, Floats]:
    """Return the weights learned from a number of boards."""
    files = fonts(packages)
    drawn = []
    for number, chance in enumerate(np.random.SeedSequence(seed).spawn(boards), start=1):
        drawn.append(_board(np.random.default_rng(chance), files))
        if number % _TOLD == 0:
            tell(f"{number:,} of {boards:,} boards")
    back = max(1, round(_KEPT_BACK * boards))
    seen, wanted = (np.concatenate([board[part] for board in drawn[back:]]) for part in range(2))
    weights = learnt(seen, wanted, drawn[0][2], np.random.default_rng(seed))
    guesses = [(probabilities(seen, weights) > 0.5, wanted > 0.5) for seen, wanted, _ in drawn[:back]]
    found, truth = (np.concatenate(parts) for parts in zip(*guesses, strict=True))
    right = sum((guess == blank).all() for guess, blank in guesses)
    tell(
        f"of {back:,} boards kept back {right:,} right; found {np.mean(found[truth]):.1%} of the blanks, "
        f"{np.mean(found[~truth]):.2%} of the others taken for such"
    )
    return weights


def _board(random: Random, files: tuple[Path, ...]) -> tuple[Floats, Floats, int]:
    """Return what is known of a board's tiles, which are blanks, and how many columns speak for a blank."""
    game = played_board(random, files)
    away = random.normal(0, _CUT_DEVIATION, 4) * game.side
    width, height = ((15 * game.side + more) / 15 for more in away[2:])
    squares = cut(game.picture, Grid(game.left + away[0], game.top + away[1], width, height, 15, 15))
    tiles, letters = squares[list(game.squares)], np.array(game.letters, np.int64)
    features = tile_features(tiles)
    read = features[:, :, :, 1], ring_probabilities(features), lowercase_probabilities(features, letters)
    seen, speaking = evidence(tiles, letters, *read)
    return seen, np.array(game.blanks, np.float32), speaking


def learnt(seen: Floats, wanted: Floats, speaking: int, random: Random) -> dict[str, Floats]:
    """Return weights of one hidden layer, learnt by Adam (Kingma and Ba, 2015); the rate falls to zero.

    The weights of the first ``speaking`` columns, and those of the hidden layer, never become negative.
    """
    mean, spread = seen.mean(axis=0), seen.std(axis=0) + np.float32(1e-3)
    usual = np.clip((seen - mean) / spread, -MAX_DEVIATION, MAX_DEVIATION)
    first = random.normal(0, usual.shape[1] ** -0.5, (usual.shape[1], _HIDDEN))
    weights = {
        "hidden-weights": first,
        "hidden-bias": np.zeros(_HIDDEN),
        "weights": np.abs(random.normal(0, _HIDDEN**-0.5, (_HIDDEN, 1))),
        "bias": np.full(1, -4.0),
    }
    first[:speaking] = np.abs(first[:speaking])
    means, squares = ({name: np.zeros_like(value) for name, value in weights.items()} for _ in range(2))
    steps = _ROUNDS * (len(usual) // _BATCH)
    order = np.concatenate([random.permutation(len(usual)) for _ in range(_ROUNDS)])
    for step in range(1, steps + 1):
        batch = order[(step - 1) * _BATCH : step * _BATCH]
        slopes = _slopes(usual[batch], wanted[batch, None], weights)
        rate = _RATE * (1 + np.cos(np.pi * step / steps)) / 2
        for name, slope in slopes.items():
            means[name] = 0.9 * means[name] + 0.1 * slope
            squares[name] = 0.999 * squares[name] + 0.001 * slope**2
            change = means[name] / (1 - 0.9**step) / (np.sqrt(squares[name] / (1 - 0.999**step)) + 1e-8)
            decay = _DECAY * weights[name] if name.endswith("weights") else 0
            weights[name] -= rate * (change + decay)
        np.maximum(weights["weights"], 0, out=weights["weights"])
        np.maximum(weights["hidden-weights"][:speaking], 0, out=weights["hidden-weights"][:speaking])
    arrays = {"mean": mean, "spread": spread, **weights}
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def _slopes(seen: Floats, wanted: Floats, weights: dict[str, Floats]) -> dict[str, Floats]:
    """Return how the loss of a batch changes with each weight."""
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
