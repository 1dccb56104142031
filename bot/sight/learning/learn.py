"""Learning a network from made-up pictures: the same weights from the same seed."""

from __future__ import annotations

import os
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.sight.learning.chess_pictures import board_picture
from bot.sight.learning.pieces import Design, designs
from bot.sight.learning.training import Trainer
from bot.sight.network import Network
from bot.sight.squares import Floats, Grid, cut, features

Batch: TypeAlias = "tuple[Floats, npt.NDArray[np.int64]]"

BOARDS = 8
"""Boards whose squares are mixed; drawing one takes as long as learning from 40 squares."""
BATCH = 128
"""Squares that are learnt from at once."""
_ASTRAY = 0.045
"""How far from its place a board is cut, as a share of a square: its standard deviation."""
_REPORT = 50
_AHEAD = 4
"""Pieces of work that are drawn ahead; each is 8 MB."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learnt from: ``packages`` holds free packages, unpacked; see the data's README."""

    packages: Path
    seed: int
    steps: int
    start: Path | None = None
    """Weights to go on from; their rate begins at half of what it is from the start."""


def learn_chess(lesson: Lesson, out: Path, tell: Callable[[str], None]) -> None:
    """Learn squares of chessboards, and write the weights."""
    _learn(lesson, 13, _chess_batches(lesson), out, tell)


def _learn(
    lesson: Lesson, classes: int, batches: Iterator[Batch], out: Path, tell: Callable[[str], None]
) -> None:
    trainer = Trainer(classes, lesson.steps, np.random.default_rng(lesson.seed))
    if lesson.start is not None:
        trainer.go_on(Network.load(lesson.start).weights)
    loss, right = 0.0, 0.0
    for step, (seen, wanted) in enumerate(batches, start=1):
        now = trainer.step(seen, wanted)
        loss, right = (old + part / _REPORT for old, part in zip((loss, right), now, strict=True))
        if step % _REPORT == 0:
            tell(f"{step:,} of {lesson.steps:,}: loss {loss:.4f}, {right:.2%} right")
            loss, right = 0.0, 0.0
            save(trainer.weights, out)
    save(trainer.weights, out)


def save(weights: dict[str, Floats], path: Path) -> None:
    """Write weights as half-precision numbers; the same bytes for the same weights."""
    unfinished = path.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in sorted(weights.items()):
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as file:
                np.lib.format.write_array(file, value.astype(np.float16), allow_pickle=False)
    unfinished.replace(path)


def _chess_batches(lesson: Lesson) -> Iterator[Batch]:
    """Yield the batches of a lesson; another process draws them ahead."""
    each = BOARDS * 64 // BATCH
    seeds = iter(np.random.SeedSequence(lesson.seed).spawn(lesson.steps // each))
    next(designs(lesson.packages))  # what is missing is told before anything begins
    with ProcessPoolExecutor(1, get_context("spawn"), _open_chess, (lesson.packages,)) as pool:
        ahead = deque(pool.submit(_chess_squares, seed) for seed in islice(seeds, _AHEAD))
        while ahead:
            seen, wanted = ahead.popleft().result()
            ahead.extend(pool.submit(_chess_squares, seed) for seed in islice(seeds, 1))
            for start in range(0, len(wanted), BATCH):
                yield seen[start : start + BATCH], wanted[start : start + BATCH]


_designs: list[Design] = []
_fonts: list[Path] = []


def _open_chess(packages: Path) -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    _designs.extend(design for _, design in designs(packages))
    _fonts.extend(sorted((packages / "usr/share/fonts/truetype/lato").glob("*.ttf")))


def _chess_squares(seed: np.random.SeedSequence) -> Batch:
    random = np.random.default_rng(seed)
    parts = []
    for _ in range(BOARDS):
        picture, (left, top, side), classes = board_picture(random, _designs, _fonts)
        astray = random.normal(0, _ASTRAY, 4) * side
        width, height = ((8 * side + more) / 8 for more in astray[2:])
        grid = Grid(left + astray[0], top + astray[1], width, height, 8, 8)
        parts.append((features(cut(picture, grid)), np.array(classes, np.int64)))
    order = random.permutation(BOARDS * 64)
    return np.concatenate([seen for seen, _ in parts])[order], np.concatenate(
        [wanted for _, wanted in parts]
    )[order]
