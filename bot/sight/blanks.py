"""Finds the blanks among a board's tiles.

An *indicator* compares a board's tiles: it is higher for tiles that are more likely to be blanks. A small network, trained on synthetic
boards (:mod:`training.sight`), weighs the indicators.

A tile's *ink* is the pixels of its letter and points. Its *face* is the area around its letter.
"""

from __future__ import annotations

import numpy as np

from bot.domain.crossword.rules import load_distribution
from bot.sight.squares import SIDE, Floats, Integers, Mask, Pixels, tile_features
from bot.sight.tiles import LETTERS, lowercase_probabilities, network, ring_probabilities

_CERTAINTY_MARGIN = 0.05
"""A tile is doubtful if its probability of being a blank is farther than this from both 0 and 1."""
_MIN_GAP, _MIN_LOG_ODDS = 6.0, 2.0
"""No tile is doubtful if the log-odds of every tile are at least ``_MIN_LOG_ODDS`` or at most -``_MIN_LOG_ODDS``, and these two groups
are at least ``_MIN_GAP`` apart."""
_MIN_STYLE_PROBABILITY = 0.8
"""Above this probability, a tile certainly has a ring or frame, or a lower-case letter."""
_MIN_RING_RATIO = 0.6
"""A tile has a ring if its ring probability is more than this fraction of the highest on the board."""
MIN_INK_DISTANCE, _MIN_POINTS_INK = 0.4, 0.06
"""A pixel is ink if its distance from the tile's own colour is more than ``MIN_INK_DISTANCE`` times the tile's peak
(see :func:`~bot.sight.squares.tile_features`). A corner shows points if more than ``_MIN_POINTS_INK`` of it is ink."""
_STRONG_INK_RATIO = 0.75
"""The ink colour is measured on pixels whose distance from the face colour is at least this fraction of the 97th percentile."""
_EDGE_WIDTH = 3  # pixels
_NEARLY_ALL_SHARE = 0.8
"""A share above this counts as nearly all."""
_MIN_COLOUR_DIFFERENCE = 24.0
_SAME_SHAPE_IN_BOTH_CASES = np.array([letter in "COPSUVWXZ" for letter in LETTERS])
_ENGLISH_POINTS = np.array([letter.points for letter in load_distribution("english").letters[1:]])
"""The English points of each letter. Tiles with the same points should look alike in the corner that shows the points."""
_WIDE_LETTERS = np.array([LETTERS.index(letter) for letter in "MW"])
_FACE_AREA = np.zeros((SIDE, SIDE), bool)
_FACE_AREA[3:-3, 3:-3] = True
_FACE_AREA[8:-8, 8:-8] = False
_EPSILON = np.float32(1e-4)
MAX_DEVIATION = np.float32(4)
"""Features are clipped at this distance from their mean, in standard deviations."""


def find_blanks(squares: Pixels, letters: Integers, max_blanks: int) -> tuple[Mask, Mask]:
    """Return a mask of the blanks, and a mask of the doubtful tiles.

    ``letters`` are indexes into ``LETTERS``. At most ``max_blanks`` tiles count as blanks. If more tiles seem to be blanks, all of them are
    doubtful.
    """
    features = tile_features(squares)
    measurements = (
        features[:, :, :, 1],
        ring_probabilities(features),
        lowercase_probabilities(features, letters),
    )
    evidence, _ = collect_evidence(squares, letters, *measurements)
    is_blank, is_doubtful = _choose_blanks(
        weigh_evidence(evidence, network("blanks").weights), measurements[1], max_blanks
    )
    return is_blank, is_doubtful | (is_blank & _may_be_highlighted(squares, letters, measurements, is_blank))


def _choose_blanks(blank_probabilities: Floats, rings: Floats, max_blanks: int) -> tuple[Mask, Mask]:
    # A program draws all its blanks in one style.
    has_ring = rings > _MIN_RING_RATIO * rings.max(initial=0)
    if rings.max(initial=0) > _MIN_STYLE_PROBABILITY and np.count_nonzero(has_ring) <= max_blanks:
        limited_probabilities = np.where(
            blank_probabilities > 1 - _CERTAINTY_MARGIN,
            blank_probabilities,
            np.minimum(blank_probabilities, np.float32(0.5)),
        )
        blank_probabilities = np.where(
            has_ring, np.maximum(blank_probabilities, rings), limited_probabilities
        )
    log_odds = np.log((blank_probabilities + _EPSILON) / (1 - blank_probabilities + _EPSILON))
    descending_log_odds = np.sort(log_odds)[::-1][: max_blanks + 1]
    gaps = descending_log_odds[:-1] - descending_log_odds[1:]
    if len(gaps) and gaps.max() >= _MIN_GAP:
        last_blank_index = int(gaps.argmax())
        if (
            descending_log_odds[last_blank_index] >= _MIN_LOG_ODDS
            and descending_log_odds[last_blank_index + 1] <= -_MIN_LOG_ODDS
        ):
            return log_odds >= descending_log_odds[last_blank_index], np.zeros(len(blank_probabilities), bool)
    is_blank = blank_probabilities > 0.5
    is_doubtful = (blank_probabilities > _CERTAINTY_MARGIN) & (blank_probabilities < 1 - _CERTAINTY_MARGIN)
    if np.count_nonzero(is_blank) > max_blanks:
        is_doubtful |= is_blank
        is_blank &= blank_probabilities >= np.sort(blank_probabilities)[-max_blanks]
    return is_blank, is_doubtful


def _may_be_highlighted(
    squares: Pixels,
    letters: Integers,
    measurements: tuple[Floats, Floats, Floats],
    is_blank: Mask,
) -> Mask:
    """Return a mask of the tiles that may differ from others only by a highlight. Many programs highlight the last play."""
    face_colours = np.asarray(np.median(squares[:, _FACE_AREA], axis=1), np.float32)
    differs_in_colour = (
        np.abs(face_colours - np.median(face_colours, axis=0)).max(axis=1) > _MIN_COLOUR_DIFFERENCE
    )
    pixel_distances, rings, lowercase = measurements
    lacks_points = _points_indicators(pixel_distances, letters)[1] > 0.5
    differs_otherwise = (rings > _MIN_STYLE_PROBABILITY) | (lowercase > _MIN_STYLE_PROBABILITY) | lacks_points
    blank_colours = face_colours[is_blank]
    blanks_have_one_colour = bool(
        np.abs(blank_colours[:, None] - blank_colours[None]).max(initial=0) <= _MIN_COLOUR_DIFFERENCE
    )
    return np.asarray(
        (differs_in_colour & ~differs_otherwise) if blanks_have_one_colour else differs_in_colour | is_blank,
        bool,
    )


def weigh_evidence(evidence: Floats, weights: dict[str, Floats]) -> Floats:
    """Return each tile's probability of being a blank. The weights of columns that indicate a blank are never negative."""
    normalized = (evidence - weights["mean"]) / weights["spread"]
    hidden = np.tanh(
        np.clip(normalized, -MAX_DEVIATION, MAX_DEVIATION) @ weights["hidden-weights"]
        + weights["hidden-bias"]
    )
    return np.asarray(1 / (1 + np.exp(-(hidden @ weights["weights"] + weights["bias"])[:, 0])), np.float32)


def collect_evidence(
    squares: Pixels, letters: Integers, pixel_distances: Floats, rings: Floats, lowercase: Floats
) -> tuple[Floats, int]:
    """Return the evidence about a board's tiles (tiles × columns), and the number of columns that indicate a blank.

    The other columns describe the letter and the whole board. ``pixel_distances`` is each pixel's distance from the tile's own colour.
    """
    face_colours = np.asarray(np.median(squares[:, _FACE_AREA], axis=1), np.float32)
    same_colour = np.abs(face_colours[:, None] - face_colours[None]).max(axis=2) < _MIN_COLOUR_DIFFERENCE
    points_indicators, points_missing, points_context = _points_indicators(pixel_distances, letters)
    dissimilarity, group_size_level = _dissimilarity(pixel_distances[:, 2:-2, 2:-2], letters)
    rarity, face_distance, face_distance_for_points = _face_indicators(face_colours, letters, same_colour)
    # Each indicator is paired with its noise: two tiles may differ by this much by chance.
    indicators: list[tuple[Floats, float]] = [
        (_log_odds(rings), 0.5),
        (_log_odds(lowercase), 0.5),
        *_height_indicators(pixel_distances, letters),
        *points_indicators,
        *_ink_indicators(squares, face_colours, letters, same_colour),
        (rarity, 0.1),
        (face_distance, 0.15),
        (face_distance_for_points, 0.15),
        (dissimilarity, 0.3),
        (_dissimilarity(pixel_distances[:, 7:-7, 7:-7], letters)[0], 0.3),
        (_edge_indicator(pixel_distances), 0.2),
    ]
    tile_count = len(letters)
    board_context = (
        np.mean(rings > 0.5),
        np.mean(lowercase > 0.5),
        np.mean(face_distance > 1),
        np.mean(face_distance - face_distance_for_points),
        min(1.0, tile_count / 60),
        *points_context,
    )
    columns = [
        *(np.maximum(indicator - np.median(indicator), np.float32(0)) for indicator, _ in indicators),
        *(_excess_over_third_highest(*indicator) for indicator in indicators),
        points_missing,
    ]
    context = [
        group_size_level,
        np.isin(letters, _WIDE_LETTERS),
        *(np.full(tile_count, value) for value in board_context),
    ]
    return np.stack([*columns, *context], axis=1).astype(np.float32), len(columns)


def _excess_over_third_highest(indicator: Floats, noise: float) -> Floats:
    # A board usually has at most two blanks.
    third_highest, median = float(np.sort(indicator)[-min(3, len(indicator))]), float(np.median(indicator))
    return np.asarray(
        np.clip((indicator - third_highest) / (third_highest - median + noise), 0, 8), np.float32
    )


def _log_odds(values: Floats) -> Floats:
    return np.maximum(np.log((values + _EPSILON) / (1 - values + _EPSILON)), np.float32(-3))


def _height_indicators(pixel_distances: Floats, letters: Integers) -> list[tuple[Floats, float]]:
    ink = np.asarray((pixel_distances[:, :, 8:22] > MIN_INK_DISTANCE / 2).any(axis=2))
    heights = np.asarray(SIDE - ink.argmax(axis=1) - ink[:, ::-1].argmax(axis=1), np.float32)
    relative_heights = heights / max(1.0, float(np.median(heights)))
    lowness = np.where(_SAME_SHAPE_IN_BOTH_CASES[letters], -relative_heights, np.float32(-1))
    return [(lowness, 0.03), (np.abs(relative_heights - _group_medians(relative_heights, letters)), 0.03)]


def _group_medians(values: Floats, groups: Integers) -> Floats:
    medians = np.empty_like(values)
    for group in np.unique(groups):
        members = groups == group
        medians[members] = np.median(values[members], axis=0)
    return medians


def _points_indicators(
    pixel_distances: Floats, letters: Integers
) -> tuple[list[tuple[Floats, float]], Floats, tuple[float, ...]]:
    """Return indicators that tiles have no points, the certainty (0 to 1) that they have none, and the context.

    The context is whether the program shows points (0 or 1), two shares of tiles without points (at a lenient and at a strict threshold),
    and the share of uncertain tiles.
    """
    corner = _points_corner_ignoring_edges(pixel_distances)
    zeros = np.zeros(len(letters), np.float32)
    if corner is None:
        return [(zeros, 0.1), (zeros, 0.1), (zeros, 0.3), (zeros, 0.3)], zeros, (0.0,) * 4
    ink, (rows, columns) = corner
    relative_ink = np.minimum(ink / float(np.median(ink)), np.float32(2))
    low_ink = max(0.15, float(np.quantile(relative_ink, 0.15)))
    wider_corner = (slice(max(0, part.start - 3), part.stop + 3) for part in (rows, columns))
    indicators = [
        (-relative_ink, 0.1),
        (_group_medians(relative_ink, letters) - relative_ink, 0.1),
        (_dissimilarity(pixel_distances[:, next(wider_corner), next(wider_corner)], letters)[0], 0.3),
        (_dissimilarity(pixel_distances[:, rows, columns], _ENGLISH_POINTS[letters])[0], 0.3),
    ]
    shares_without_points = np.mean(relative_ink < 0.35), np.mean(relative_ink < 0.3 * low_ink)
    share_maybe_without_points = np.mean((relative_ink < 0.6 * low_ink) & (relative_ink > 0.15 * low_ink))
    return (
        indicators,
        np.clip((low_ink - relative_ink) / low_ink, 0, 1),
        (1.0, *map(float, shares_without_points), float(share_maybe_without_points)),
    )


def _points_corner_ignoring_edges(pixel_distances: Floats) -> tuple[Floats, tuple[slice, slice]] | None:
    inked = pixel_distances > MIN_INK_DISTANCE
    # A line along an entire side is the tile's edge.
    offsets = np.arange(SIDE)
    outer = (offsets < _EDGE_WIDTH + 4) | (offsets >= SIDE - _EDGE_WIDTH - 4)
    is_row_line = inked[:, :, 10:22].mean(axis=2) > _NEARLY_ALL_SHARE
    is_column_line = inked[:, 10:22].mean(axis=1) > _NEARLY_ALL_SHARE
    inked = inked & ~(is_row_line & outer)[:, :, None] & ~(is_column_line & outer)[:, None, :]
    return points_corner(inked, _EDGE_WIDTH, divisor=3)


def points_corner(inked: Mask, margin: int, divisor: int) -> tuple[Floats, tuple[slice, slice]] | None:
    """Return how much of each tile's points corner is ink, and where this corner is, or None if the tiles show no points.

    Corners begin ``margin`` pixels from the tile's edges. In the points corner, nearly all tiles must have more ink than the median
    tile's ink divided by ``divisor``.
    """
    start, end = slice(margin, margin + 8), slice(SIDE - margin - 8, SIDE - margin)
    corner: tuple[Floats, tuple[slice, slice]] | None = None
    most_ink = 0.0
    for rows, columns in ((end, end), (end, start), (start, end), (start, start)):
        ink = inked[:, rows, columns].mean(axis=(1, 2), dtype=np.float32)
        median_ink = float(np.median(ink))
        if (
            median_ink > max(most_ink, _MIN_POINTS_INK)
            and np.mean(ink > median_ink / divisor) > _NEARLY_ALL_SHARE
        ):
            corner, most_ink = (ink, (rows, columns)), median_ink
    return corner


def _ink_indicators(
    squares: Pixels,
    face_colours: Floats,
    letters: Integers,
    same_colour: Mask,
) -> list[tuple[Floats, float]]:
    # Thin letters look paler than thick letters of the same colour. So ink colours are compared by their directions from the face colour.
    inner = squares[:, 5:-5, 5:-5].reshape(len(squares), -1, 3).astype(np.float32)
    distance = np.abs(inner - face_colours[:, None]).max(axis=2)
    weight = distance >= _STRONG_INK_RATIO * np.percentile(distance, 97, axis=1)[:, None]
    directions = (inner * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1)[:, None] - face_colours
    strength = np.maximum(np.linalg.norm(directions, axis=1), np.float32(1))
    directions = directions / strength[:, None]
    usual_directions = np.stack([np.median(directions[row], axis=0) for row in same_colour])
    deviation = np.linalg.norm(directions - usual_directions, axis=1)
    spread = float(np.quantile(deviation, 0.75)) + 0.02
    relative_strength = strength / np.array([np.median(strength[row]) for row in same_colour], np.float32)
    letter_deviation = np.linalg.norm(directions - _group_medians(directions, letters), axis=1)
    visible_deviation = np.where(
        same_colour.sum(axis=1) < 3, np.float32(0), np.minimum(deviation * strength / 50, MAX_DEVIATION)
    )
    return [
        (np.log(deviation / spread + 0.01), 0.2),
        (visible_deviation, 0.1),
        (np.minimum(letter_deviation * strength / 50, MAX_DEVIATION), 0.1),
        (-relative_strength, 0.1),
        (np.abs(relative_strength - _group_medians(relative_strength, letters)), 0.1),
    ]


def _face_indicators(
    face_colours: Floats, letters: Integers, same_colour: Mask
) -> tuple[Floats, Floats, Floats]:
    # Some programs colour tiles by their points.
    usual_colours = np.median(face_colours, axis=0), _group_medians(face_colours, _ENGLISH_POINTS[letters])
    distance_from_all, distance_for_points = (
        np.minimum(np.abs(face_colours - usual).max(axis=1) / 40, MAX_DEVIATION) for usual in usual_colours
    )
    return (
        -np.minimum(same_colour.sum(axis=1), 8).astype(np.float32) / 8,
        distance_from_all,
        distance_for_points,
    )


def _edge_indicator(pixel_distances: Floats) -> Floats:
    # A frame or a bevel changes all four edges. A wide letter or printed points touch at most two of them.
    edges = (
        pixel_distances[:, 2:6, 2:-2],
        pixel_distances[:, -6:-2, 2:-2],
        pixel_distances[:, 2:-2, 2:6],
        pixel_distances[:, 2:-2, -6:-2],
    )
    distances = [np.abs(edge - np.median(edge, axis=0)).mean(axis=(1, 2)) for edge in edges]
    third_highest = np.sort(distances, axis=0)[1]
    return np.asarray(np.log((third_highest + 0.01) / (np.median(third_highest) + 0.01)), np.float32)


def _dissimilarity(pixel_distances: Floats, groups: Integers) -> tuple[Floats, Floats]:
    """Compare each tile with the most similar other tile of its group, at shifts of up to one pixel.

    Return two arrays. The first is how far the correlation with that tile falls below the median of all such correlations,
    relative to their spread. The second is a level: 0 if the group has no other tile, 0.5 if it has one, or 1 if it has several.
    With fewer than four correlations, both arrays are 0.
    """
    rows, columns = pixel_distances.shape[1] - 2, pixel_distances.shape[2] - 2
    shifted_parts = np.stack(
        [
            pixel_distances[:, down : down + rows, right : right + columns]
            for down in range(3)
            for right in range(3)
        ],
        axis=1,
    ).reshape(len(pixel_distances), 9, -1)
    shifted_parts = shifted_parts - shifted_parts.mean(axis=2, keepdims=True)
    shifted_parts /= np.maximum(np.linalg.norm(shifted_parts, axis=2, keepdims=True), np.float32(1e-6))
    best_correlation = np.full(len(groups), np.nan, np.float32)
    group_size_level = np.zeros(len(groups), np.float32)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        if len(members) < 2:
            continue
        all_shifts = shifted_parts[members].reshape(-1, shifted_parts.shape[2])
        correlations = (
            (shifted_parts[members, 4] @ all_shifts.T).reshape(len(members), len(members), -1).max(axis=2)
        )
        correlations = np.maximum(correlations, correlations.T)
        correlations[np.eye(len(members), dtype=bool)] = -1
        best_correlation[members] = correlations.max(axis=1)
        group_size_level[members] = 0.5 if len(members) == 2 else 1
    known_correlations = best_correlation[~np.isnan(best_correlation)]
    if len(known_correlations) < 4:
        return np.zeros(len(groups), np.float32), np.zeros(len(groups), np.float32)
    median, low = np.quantile(known_correlations, (0.5, 0.25))
    drop = (median - best_correlation) / max(0.02, float(median - low))
    return np.nan_to_num(np.clip(drop, -1, 12) / 3, nan=0).astype(np.float32), group_size_level
