"""Trains a network on synthetic pictures. The same seed gives the same weights."""

from __future__ import annotations

import errno
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator

from bot.sight.network import Network
from bot.sight.numbers import NOT_A_DIGIT, cut_glyphs, glyph_features
from bot.sight.squares import Floats, board_features, tile_features
from bot.sight.tiles import OTHER_LETTER, RINGED
from training.sight.blanks import learn_blanks
from training.sight.canvas import cut_displaced
from training.sight.characters import OTHER_CHARACTER
from training.sight.chess_boards import board_picture
from training.sight.crossword_boards import (
    CrosswordPicture,
    crossword_picture,
    squares_to_learn,
    tiles_to_learn,
)
from training.sight.digits import glyphs_to_learn, text_picture
from training.sight.fonts import find_fonts
from training.sight.pieces import Design, load_designs
from training.sight.tiles import CHARACTER_TILES, PLAIN_TILES, TileMix
from training.sight.trainer import Batch, Shape, Trainer

SQUARES_PER_STEP = 192
_CUT_DEVIATION = 0.045
"""Standard deviation of the random displacement of a board's edges, in squares."""
_LICHESS_FACTOR = 3
"""Each lichess design is used this many times as often as any other design."""
_STEPS_PER_REPORT = 100
_STEPS_AHEAD = 8
"""Number of steps whose pictures another process draws in advance. The pictures of a step take 3 MB."""


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """The options of a training run. ``bot/sight/data/README.md`` lists the packages in the folder ``packages``."""

    packages: Path
    seed: int
    steps: int
    initial_weights: Path | None = None
    """Weights to continue from; None to start with random weights."""
    excluded_designs: frozenset[str] = frozenset()


def learn(subject: str, run: TrainingRun, out: Path) -> None:
    """Train the network for a subject, one of :data:`SUBJECTS` or ``blanks``, and write the weights to a file.

    For blanks, each step is one board, and there are no initial weights.
    """
    if subject == "blanks":
        _check_fonts(run.packages)
        save(learn_blanks(run.packages, run.steps, run.seed), out)
    else:
        settings = SUBJECTS[subject]
        settings.check(run.packages)  # report an empty folder before the training starts
        _train(
            run,
            settings.shape,
            _draw_steps(run, settings.load, settings.draw),
            out,
        )


def _train(run: TrainingRun, shape: Shape, drawn_steps: Iterable[list[Batch]], out: Path) -> None:
    initial_weights = None if run.initial_weights is None else Network.load(run.initial_weights).weights
    trainer = Trainer(shape, run.steps, run.seed, initial_weights)
    loss, correct = 0.0, 0.0
    for step, boards in enumerate(drawn_steps, start=1):
        result = trainer.step(boards)
        loss, correct = (
            old + part / _STEPS_PER_REPORT for old, part in zip((loss, correct), result, strict=True)
        )
        if step % _STEPS_PER_REPORT == 0:
            print(f"{step:,} of {run.steps:,}: loss {loss:.4f}, {correct:.2%} correct")
            loss, correct = 0.0, 0.0
            save(trainer.weights(), out)
    save(trainer.weights(), out)


def save(weights: dict[str, Floats], path: Path) -> None:
    """Write weights as half-precision numbers. The same weights give the same bytes."""
    temporary_path = path.with_suffix(".part")
    with zipfile.ZipFile(temporary_path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in sorted(weights.items()):
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as file:
                np.lib.format.write_array(file, value.astype(np.float16), allow_pickle=False)
    temporary_path.replace(path)


def _draw_steps(
    run: TrainingRun,
    load: Callable[[TrainingRun], None],
    draw: Callable[[np.random.SeedSequence], list[Batch]],
) -> Iterator[list[Batch]]:
    seeds = iter(np.random.SeedSequence(run.seed).spawn(run.steps))
    with ProcessPoolExecutor(1, get_context("spawn"), load, (run,)) as pool:
        waiting_steps = deque(pool.submit(draw, seed) for seed in islice(seeds, _STEPS_AHEAD))
        while waiting_steps:
            drawn_step = waiting_steps.popleft().result()
            waiting_steps.extend(pool.submit(draw, seed) for seed in islice(seeds, 1))
            yield drawn_step


_designs: list[Design] = []
_fonts: list[Path] = []
"""The designs and the fonts that the drawing process has loaded."""


def _load_chess(run: TrainingRun) -> None:
    for name, design in load_designs(run.packages):
        if name not in run.excluded_designs:
            # People post screenshots of web sites more often than of old programs.
            _designs.extend([design] * (_LICHESS_FACTOR if name.startswith("lichess-") else 1))
    _fonts.extend(sorted((run.packages / "usr/share/fonts/truetype/lato").glob("*.ttf")))


def _draw_chessboards(seed: np.random.SeedSequence) -> list[Batch]:
    rng = np.random.default_rng(seed)
    boards: list[Batch] = []
    for _ in range(SQUARES_PER_STEP // 64):
        picture, frame, classes = board_picture(rng, _designs, _fonts)
        squares = cut_displaced(picture, frame, 8, rng, _CUT_DEVIATION)
        boards.append((board_features(squares), np.array(classes, np.int64)))
    return boards


def _load_fonts(run: TrainingRun) -> None:
    _fonts.extend(find_fonts(run.packages))


def _draw_letter_squares(seed: np.random.SeedSequence) -> list[Batch]:
    return _draw_crossword_squares(seed, lambda board, rng: (board.classes, squares_to_learn(board, rng)))


def _draw_style_squares(seed: np.random.SeedSequence) -> list[Batch]:
    return _draw_crossword_squares(seed, lambda board, rng: (board.styles, tiles_to_learn(board, rng)))


def _draw_character_squares(seed: np.random.SeedSequence) -> list[Batch]:
    return _draw_crossword_squares(
        seed, lambda board, _: (board.characters, np.flatnonzero(board.classes)), CHARACTER_TILES
    )


def _draw_crossword_squares(
    seed: np.random.SeedSequence,
    select: Callable[[CrosswordPicture, Generator], tuple[Sequence[int], Iterable[int]]],
    tile_mix: TileMix = PLAIN_TILES,
) -> list[Batch]:
    rng = np.random.default_rng(seed)
    parts: list[Batch] = []
    while sum(len(part[1]) for part in parts) < SQUARES_PER_STEP:
        board = crossword_picture(rng, _fonts, tile_mix)
        classes, selected_squares = select(board, rng)
        indexes = np.fromiter(selected_squares, np.int64)
        squares = cut_displaced(board.picture, board.frame, 15, rng, _CUT_DEVIATION)
        parts.append((tile_features(squares[indexes]), np.array(classes, np.int64)[indexes]))
    return _shuffled_batch(parts, rng)


def _draw_glyph_squares(seed: np.random.SeedSequence) -> list[Batch]:
    rng = np.random.default_rng(seed)
    parts: list[Batch] = []
    while sum(len(part[1]) for part in parts) < SQUARES_PER_STEP:
        picture, glyphs = text_picture(rng, _fonts)
        boxes, classes = zip(*glyphs_to_learn(rng, glyphs), strict=True)
        crops = cut_glyphs(np.asarray(picture), np.array(boxes, np.float32))
        parts.append((glyph_features(crops), np.array(classes, np.int64)))
    return _shuffled_batch(parts, rng)


def _shuffled_batch(parts: Sequence[Batch], rng: Generator) -> list[Batch]:
    inputs = np.concatenate([inputs for inputs, _ in parts])
    classes = np.concatenate([classes for _, classes in parts])
    order = rng.permutation(len(classes))[:SQUARES_PER_STEP]
    return [(inputs[order], classes[order])]


def _check_designs(packages: Path) -> None:
    next(load_designs(packages))


def _check_fonts(packages: Path) -> None:
    if not find_fonts(packages):
        raise FileNotFoundError(errno.ENOENT, "it contains no fonts", str(packages))


@dataclass(frozen=True, slots=True)
class _Subject:
    shape: Shape
    check: Callable[[Path], None]
    load: Callable[[TrainingRun], None]
    draw: Callable[[np.random.SeedSequence], list[Batch]]


SUBJECTS: Final = {
    "chess": _Subject(Shape(13, token_size=48), _check_designs, _load_chess, _draw_chessboards),
    "letters": _Subject(Shape(OTHER_LETTER + 1), _check_fonts, _load_fonts, _draw_letter_squares),
    "tiles": _Subject(Shape(2 * RINGED), _check_fonts, _load_fonts, _draw_style_squares),
    "characters": _Subject(Shape(OTHER_CHARACTER + 1), _check_fonts, _load_fonts, _draw_character_squares),
    "digits": _Subject(
        Shape(NOT_A_DIGIT + 1, channel_count=1, widths=(16, 32, 48), dense_size=64),
        _check_fonts,
        _load_fonts,
        _draw_glyph_squares,
    ),
}
"""The networks for pieces, letters, tile styles, all characters on tiles, and digits beside a board."""
