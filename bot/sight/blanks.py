"""Finds the blanks among a board's tiles: the few tiles that differ from the others.

Programs mark a blank with a ring or a frame, a small letter, a missing value, or a different colour of the letter or
the tile. The tiles of one picture are compared with each other, above all those of one letter. The weight of each
difference is learnt from synthetic boards (:mod:`training.sight`).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from bot.domain.crossword.rules import load_distribution
from bot.sight.network import DATA
from bot.sight.squares import SIDE, Floats, Integers, Mask, Pixels, tile_features
from bot.sight.tiles import LETTERS, ringed, small_letters

MIN_PROBABILITY = 0.05
"""Tiles with a lower probability of being a blank are not blanks. A tile is certainly a blank only if the probability
that it is not is lower than this."""
_MIN_GAP, _MIN_ODDS = 6.0, 2.0
"""Thresholds for a board without doubtful tiles: the minimum gap between the log-odds of its blanks and of its other
tiles, and the minimum log-odds of its blanks (the other tiles have at most the negative value)."""
_MIN_RING = 0.8
"""Minimum probability of a certain ring or frame."""
_MIN_RING_RATIO = 0.6
"""Minimum probability of any other ring, as a fraction of the clearest ring's probability: a program draws all rings
alike."""
_MAX_BLANKS = 2
"""Maximum number of blanks on a board of 225 squares, in nearly all languages."""
INK, MIN_INK = 0.4, 0.06
"""Minimum difference between ink and a tile's own colour, as a fraction of the greatest difference; and the minimum
share of a corner that a value fills."""
_STRONG_INK = 0.75
_EDGE = 3
"""Width of a tile's edge, in pixels."""
NEARLY_ALL = 0.8
"""Minimum share of tiles with a value in programs that write values on tiles."""
_OTHER_COLOUR = 24.0
"""Minimum difference between two colours of tiles, from 0 to 255."""
_SAME_SHAPE = np.array([letter in "COPSUVWXZ" for letter in LETTERS])
"""Whether the lower-case form of each letter differs from the capital only in size."""
_POINTS = np.array([letter.points for letter in load_distribution("english").letters[1:]])
"""The values of letters in English: tiles of one value should look alike in its corner."""
_WIDE = np.array([LETTERS.index(letter) for letter in "MW"])
_AROUND = np.zeros((SIDE, SIDE), bool)
_AROUND[3:-3, 3:-3] = True
_AROUND[8:-8, 8:-8] = False
"""The part of a tile around its letter."""
_TINY = np.float32(1e-4)
MAX_DEVIATION = np.float32(4)
"""Maximum number of standard deviations from the typical value. Larger deviations are clipped."""


@cache
def _weights() -> dict[str, Floats]:
    with np.load(DATA / "blanks.npz", allow_pickle=False) as file:
        return {name: file[name].astype(np.float32) for name in file.files}


def blanks(squares: Pixels, letters: Integers, limit: int = _MAX_BLANKS) -> tuple[Mask, Mask]:
    """Return which tiles are blanks, and which are doubtful, from their pictures and letters (numbered from 0).

    If more than ``limit`` seem to be blanks, the most probable tiles count as blanks, and all of them are doubtful.
    """
    features = tile_features(squares)
    read = features[:, :, :, 1], ringed(features), small_letters(features, letters)
    seen, _ = evidence(squares, letters, *read)
    blank, unclear = _decide(probabilities(seen, _weights()), read[1], limit)
    return blank, unclear | (blank & _may_be_played_last(squares, letters, read, blank))


def _decide(shares: Floats, ringed: Floats, limit: int) -> tuple[Mask, Mask]:
    """Return which tiles are blanks, and which are doubtful, from all evidence and from rings and frames.

    A program shows all its blanks in one way: if a few tiles certainly have rings or frames, other tiles are unlikely
    to be blanks. If a few tiles are far more probably blanks than all others, nothing is doubtful.
    """
    rings = ringed > _MIN_RING_RATIO * ringed.max(initial=0)
    if ringed.max(initial=0) > _MIN_RING and np.count_nonzero(rings) <= limit:
        others = np.where(shares > 1 - MIN_PROBABILITY, shares, np.minimum(shares, np.float32(0.5)))
        shares = np.where(rings, np.maximum(shares, ringed), others)
    odds = np.log((shares + _TINY) / (1 - shares + _TINY))
    falling = np.sort(odds)[::-1][: limit + 1]
    steps = falling[:-1] - falling[1:]
    if len(steps) and steps.max() >= _MIN_GAP:
        first = int(steps.argmax())
        if falling[first] >= _MIN_ODDS and falling[first + 1] <= -_MIN_ODDS:
            return odds >= falling[first], np.zeros(len(shares), bool)
    blank = shares > 0.5
    unclear = (shares > MIN_PROBABILITY) & (shares < 1 - MIN_PROBABILITY)
    if np.count_nonzero(blank) > limit:
        unclear |= blank
        blank &= shares >= np.sort(shares)[-limit]
    return blank, unclear


def _may_be_played_last(
    squares: Pixels,
    letters: Integers,
    read: tuple[Floats, Floats, Floats],
    blank: Mask,
) -> Mask:
    """Return which tiles may only be highlighted: many programs highlight the last play.

    These are tiles that differ from the others only in colour, and blanks in two colours.
    """
    faces = np.asarray(np.median(squares[:, _AROUND], axis=1), np.float32)
    away = np.abs(faces - np.median(faces, axis=0)).max(axis=1) > _OTHER_COLOUR
    apart, marked, small = read
    valueless = _of_values(apart, letters)[1] > 0.5
    differs_otherwise = (marked > _MIN_RING) | (small > _MIN_RING) | valueless
    own = faces[blank]
    alike = bool(np.abs(own[:, None] - own[None]).max(initial=0) <= _OTHER_COLOUR)
    return np.asarray((away & ~differs_otherwise) if alike else away | blank, bool)


def probabilities(evidence: Floats, weights: dict[str, Floats]) -> Floats:
    """Return each tile's probability of being a blank, from a network with one hidden layer.

    Weights of evidence for a blank are never negative: more evidence never makes a blank less probable.
    """
    usual = (evidence - weights["mean"]) / weights["spread"]
    hidden = np.tanh(
        np.clip(usual, -MAX_DEVIATION, MAX_DEVIATION) @ weights["hidden-weights"] + weights["hidden-bias"]
    )
    return np.asarray(1 / (1 + np.exp(-(hidden @ weights["weights"] + weights["bias"])[:, 0])), np.float32)


def evidence(
    squares: Pixels, letters: Integers, apart: Floats, marked: Floats, small: Floats
) -> tuple[Floats, int]:
    """Return the evidence on each tile of a board (tiles × columns), and the number of columns that indicate a blank.

    ``apart`` is how far its pixels are from its own colour; ``marked`` is the probability of a ring or a frame, ``small`` of
    a small letter. The other columns are circumstances: whether tiles have values, whether they are coloured, and the number of tiles.
    """
    faces = np.asarray(np.median(squares[:, _AROUND], axis=1), np.float32)
    alike = np.abs(faces[:, None] - faces[None]).max(axis=2) < _OTHER_COLOUR
    values, value_shown, valued = _of_values(apart, letters)
    like, several = _likeness(apart[:, 2:-2, 2:-2], letters)
    few, away, of_worth = _of_faces(faces, letters, alike)
    indicators: list[tuple[Floats, float]] = [
        (_odds(marked), 0.5),
        (_odds(small), 0.5),
        *_of_height(apart, letters),
        *values,
        *_of_ink(squares, faces, letters, alike),
        (few, 0.1),
        (away, 0.15),
        (of_worth, 0.15),
        (like, 0.3),
        (_likeness(apart[:, 7:-7, 7:-7], letters)[0], 0.3),
        (_of_edges(apart), 0.2),
    ]
    count = len(letters)
    around = (
        np.mean(marked > 0.5),
        np.mean(small > 0.5),
        np.mean(away > 1),
        np.mean(away - of_worth),
        min(1.0, count / 60),
        *valued,
    )
    columns = [
        *(_beyond_usual(indicator) for indicator, _ in indicators),
        *(_beyond_others(*indicator) for indicator in indicators),
        value_shown,
    ]
    circumstances = [several, np.isin(letters, _WIDE), *(np.full(count, mean) for mean in around)]
    return np.stack([*columns, *circumstances], axis=1).astype(np.float32), len(columns)


def _beyond_usual(indicator: Floats) -> Floats:
    """Return how far each tile's indicator is above the median tile's. Values below the median become zero."""
    return np.asarray(np.maximum(indicator - np.median(indicator), np.float32(0)), np.float32)


def _beyond_others(indicator: Floats, minimum: float) -> Floats:
    """Return how far each tile's indicator exceeds the third highest, relative to that one's distance from the median.

    A board has at most two blanks. ``minimum`` is the difference that can arise by chance.
    """
    third, median = float(np.sort(indicator)[-min(3, len(indicator))]), float(np.median(indicator))
    return np.asarray(np.clip((indicator - third) / (third - median + minimum), 0, 8), np.float32)


def _odds(shares: Floats) -> Floats:
    """Return the logarithms of the odds. All probabilities below 0.05 are treated alike."""
    return np.maximum(np.log((shares + _TINY) / (1 - shares + _TINY)), np.float32(-3))


def _of_height(apart: Floats, letters: Integers) -> list[tuple[Floats, float]]:
    """Return how low each letter is, and how its height differs from other instances of the same letter."""
    ink = np.asarray((apart[:, :, 8:22] > INK / 2).any(axis=2))
    heights = np.asarray(SIDE - ink.argmax(axis=1) - ink[:, ::-1].argmax(axis=1), np.float32)
    usual = heights / max(1.0, float(np.median(heights)))
    low = np.where(_SAME_SHAPE[letters], -usual, np.float32(-1))
    return [(low, 0.03), (np.abs(usual - _of_letter(usual, letters)), 0.03)]


def _of_letter(values: Floats, letters: Integers) -> Floats:
    """Return for each tile the median over the tiles of its letter."""
    usual = np.empty_like(values)
    for letter in np.unique(letters):
        group = letters == letter
        usual[group] = np.median(values[group], axis=0)
    return usual


def _of_values(
    apart: Floats, letters: Integers
) -> tuple[list[tuple[Floats, float]], Floats, tuple[float, ...]]:
    """Return how much of a value each tile lacks, and how its value differs from others of its letter and of its points.

    Also returns how much each tile lacks of the thinnest value, whether the program writes values, the shares of
    tiles without a value by two measures, and the share of uncertain tiles.
    """
    found = _corner(apart)
    zeros = np.zeros(len(letters), np.float32)
    if found is None:
        return [(zeros, 0.1), (zeros, 0.1), (zeros, 0.3), (zeros, 0.3)], zeros, (0.0,) * 4
    ink, (rows, columns) = found
    share = np.minimum(ink / float(np.median(ink)), np.float32(2))
    thin = max(0.15, float(np.quantile(share, 0.15)))
    wide = (slice(max(0, part.start - 3), part.stop + 3) for part in (rows, columns))
    indicators = [
        (-share, 0.1),
        (_of_letter(share, letters) - share, 0.1),
        (_likeness(apart[:, next(wide), next(wide)], letters)[0], 0.3),
        (_likeness(apart[:, rows, columns], _POINTS[letters])[0], 0.3),
    ]
    lacking = np.mean(share < 0.35), np.mean(share < 0.3 * thin)
    unsure = np.mean((share < 0.6 * thin) & (share > 0.15 * thin))
    return indicators, np.clip((thin - share) / thin, 0, 1), (1.0, *map(float, lacking), float(unsure))


def _corner(apart: Floats) -> tuple[Floats, tuple[slice, slice]] | None:
    """Return the ink in the corner where values are written, and that corner, or None if the program writes no values.

    Values are small: nearly all tiles have ink near one corner.
    """
    near, far = slice(_EDGE, _EDGE + 8), slice(SIDE - _EDGE - 8, SIDE - _EDGE)
    inked = apart > INK
    # A line along an entire side is the tile's edge.
    ends = np.arange(SIDE)
    outer = (ends < _EDGE + 4) | (ends >= SIDE - _EDGE - 4)
    across = inked[:, :, 10:22].mean(axis=2) > NEARLY_ALL
    down = inked[:, 10:22].mean(axis=1) > NEARLY_ALL
    inked = inked & ~(across & outer)[:, :, None] & ~(down & outer)[:, None, :]
    best: tuple[Floats, tuple[slice, slice]] | None = None
    maximum = 0.0
    for rows, columns in ((far, far), (far, near), (near, far), (near, near)):
        ink = inked[:, rows, columns].mean(axis=(1, 2), dtype=np.float32)
        usual = float(np.median(ink))
        if usual > max(maximum, MIN_INK) and np.mean(ink > usual / 3) > NEARLY_ALL:
            best, maximum = (ink, (rows, columns)), usual
    return best


def _of_ink(
    squares: Pixels,
    faces: Floats,
    letters: Integers,
    alike: Mask,
) -> list[tuple[Floats, float]]:
    """Return how the colour of each letter differs from letters on tiles of the same colour, and how pale it is.

    Thin letters are paler, so inks are compared by the direction of their difference from the tile.
    """
    inner = squares[:, 5:-5, 5:-5].reshape(len(squares), -1, 3).astype(np.float32)
    away = np.abs(inner - faces[:, None]).max(axis=2)
    weight = away >= _STRONG_INK * np.percentile(away, 97, axis=1)[:, None]
    ways = (inner * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1)[:, None] - faces
    strength = np.maximum(np.linalg.norm(ways, axis=1), np.float32(1))
    ways = ways / strength[:, None]
    usual = np.stack([np.median(ways[row], axis=0) for row in alike])
    aside = np.linalg.norm(ways - usual, axis=1)
    spread = float(np.quantile(aside, 0.75)) + 0.02
    pale = strength / np.array([np.median(strength[row]) for row in alike], np.float32)
    own = np.linalg.norm(ways - _of_letter(ways, letters), axis=1)
    strongly = np.where(
        alike.sum(axis=1) < 3, np.float32(0), np.minimum(aside * strength / 50, MAX_DEVIATION)
    )
    return [
        (np.log(aside / spread + 0.01), 0.2),
        (strongly, 0.1),
        (np.minimum(own * strength / 50, MAX_DEVIATION), 0.1),
        (-pale, 0.1),
        (np.abs(pale - _of_letter(pale, letters)), 0.1),
    ]


def _of_faces(faces: Floats, letters: Integers, alike: Mask) -> tuple[Floats, Floats, Floats]:
    """Return how rare each tile's colour is, and how far it is from the typical colours of all tiles and of equal values.

    Some programs colour tiles by their values.
    """
    usual_faces = np.median(faces, axis=0), _of_letter(faces, _POINTS[letters])
    away, of_worth = (
        np.minimum(np.abs(faces - usual).max(axis=1) / 40, MAX_DEVIATION) for usual in usual_faces
    )
    return -np.minimum(alike.sum(axis=1), 8).astype(np.float32) / 8, away, of_worth


def _of_edges(apart: Floats) -> Floats:
    """Return how far three of each tile's four edges are from the typical edges (frames, bevels).

    The fourth is ignored: wide letters and values can touch an edge.
    """
    edges = (apart[:, 2:6, 2:-2], apart[:, -6:-2, 2:-2], apart[:, 2:-2, 2:6], apart[:, 2:-2, -6:-2])
    away = [np.abs(edge - np.median(edge, axis=0)).mean(axis=(1, 2)) for edge in edges]
    third = np.sort(np.stack(away), axis=0)[1]
    return np.asarray(np.log((third + 0.01) / (np.median(third) + 0.01)), np.float32)


def _likeness(apart: Floats, letters: Integers) -> tuple[Floats, Floats]:
    """Return how much less than usual each tile resembles the most similar tile of its letter, and whether it has one.

    ``apart`` is how far the same part of each tile is from the tile's own colour. Parts are compared by their highest
    correlation over shifts of up to one pixel.
    """
    rows, columns = apart.shape[1] - 2, apart.shape[2] - 2
    moved = np.stack(
        [apart[:, down : down + rows, right : right + columns] for down in range(3) for right in range(3)],
        axis=1,
    ).reshape(len(apart), 9, -1)
    moved = moved - moved.mean(axis=2, keepdims=True)
    moved /= np.maximum(np.linalg.norm(moved, axis=2, keepdims=True), np.float32(1e-6))
    likest = np.full(len(letters), np.nan, np.float32)
    several = np.zeros(len(letters), np.float32)
    for letter in np.unique(letters):
        group = np.flatnonzero(letters == letter)
        if len(group) < 2:
            continue
        core, shifted = moved[group, 4], moved[group].reshape(-1, moved.shape[2])
        like = (core @ shifted.T).reshape(len(group), len(group), -1).max(axis=2)
        like = np.maximum(like, like.T)
        like[np.eye(len(group), dtype=bool)] = -1
        likest[group] = like.max(axis=1)
        several[group] = 0.5 if len(group) == 2 else 1
    known = likest[~np.isnan(likest)]
    if len(known) < 4:
        return np.zeros(len(letters), np.float32), np.zeros(len(letters), np.float32)
    median, low = np.quantile(known, (0.5, 0.25))
    drop = (median - likest) / max(0.02, float(median - low))
    return np.nan_to_num(np.clip(drop, -1, 12) / 3, nan=0).astype(np.float32), several
