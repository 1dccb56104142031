"""Leave values: what the tiles left on a rack after a play (the *leave*) are worth, in millipoints.

A leave is a string of machine letters in ascending order, with 0 for the blank. A DAWG contains all leaves. The *rank* of a
leave is the number of leaves that precede it in ascending order. Values are stored by rank, as in the KLV formats of wolges and
MAGPIE.

A KLV file has these parts, all little-endian: the number of nodes in 32 bits, the nodes of the DAWG as in
:mod:`bot.engine.lexicon.word_graph`, the number of values in 32 bits, and the values by rank. KLV2 values are 32-bit floats in
points. KLV1 values are 16-bit integers in 256ths of a point.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.rules import BLANK_TEXT, LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.analysis import MILLIPOINTS
from bot.engine.lexicon.builder import MAX_LENGTH, build_dawg, strings_of
from bot.engine.lexicon.spelling import letters_of, speller
from bot.engine.lexicon.word_graph import (
    ACCEPTS,
    ARC,
    LAST_SIBLING,
    TILE_SHIFT,
    Nodes,
    WordGraphError,
    count_strings,
    word_graph,
)

Int32Array: TypeAlias = npt.NDArray[np.int32]

MAX_VALUE = 1_000_000
"""Maximum absolute value of a leave, in millipoints."""
_MAX_POINTS = MAX_VALUE // MILLIPOINTS


class LeaveValuesError(ValueError):
    """The data is not a valid set of leave values."""


class LeaveValues(NamedTuple):
    """The values of leaves, in the form that the kernels use. Create instances with :func:`leave_values_by_rank`.

    Compare instances with ``is``, because ``==`` fails on arrays.
    """

    nodes: Nodes
    counts: Int32Array
    """For each node, the number of leaves through this node or a later sibling."""
    values: Int32Array
    """The values of the leaves in millipoints, by rank."""

    def value(self, tiles: Iterable[int]) -> int:
        """Return the value of a leave in millipoints, or 0 for an unknown leave."""
        first, rank, node = int(self.nodes[0]) & ARC, 0, 0
        for tile in sorted(tiles):
            if node & ACCEPTS:
                rank += 1
            index = first
            while index and int(self.nodes[index]) >> TILE_SHIFT != tile:
                index = 0 if int(self.nodes[index]) & LAST_SIBLING else index + 1
            if not index:
                return 0
            rank += int(self.counts[first] - self.counts[index])
            node = int(self.nodes[index])
            first = node & ARC
        return int(self.values[rank]) if node & ACCEPTS else 0


def leave_values_by_rank(nodes: Nodes, values: Iterable[float] | npt.NDArray[np.floating]) -> LeaveValues:
    """Create leave values from a DAWG of leaves and the values in points, by rank.

    Raises:
        LeaveValuesError: the DAWG cannot be walked safely, the numbers of leaves and values differ, or a value is out of range.

    """
    try:
        nodes = word_graph(nodes).nodes
    except WordGraphError as error:
        raise LeaveValuesError(f"the leaves are not a word graph: {error}") from None
    # The values are scaled in place, because there are up to a million.
    scaled = np.array(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    scaled *= MILLIPOINTS
    # If any value is NaN, the minimum and the maximum are NaN, and both comparisons fail.
    if len(scaled) and not (scaled.min() >= -MAX_VALUE and scaled.max() <= MAX_VALUE):
        raise LeaveValuesError(
            f"the value of a leave is not between -{_MAX_POINTS:,} and {_MAX_POINTS:,} points"
        )
    counts = count_strings(nodes)
    leave_count = int(counts[int(nodes[0]) & ARC])
    if leave_count != len(scaled):
        raise LeaveValuesError(f"there are {leave_count} leaves and {len(scaled)} values")
    leaves = LeaveValues(nodes, counts.astype(np.int32), np.rint(scaled, out=scaled).astype(np.int32))
    leaves.counts.flags.writeable = leaves.values.flags.writeable = False
    return leaves


NO_LEAVES = leave_values_by_rank(np.array([LAST_SIBLING, LAST_SIBLING], dtype=np.uint32), ())


KLV1_SCALE = 256
"""A KLV1 value is the value in points times this number."""


def read_klv(data: bytes) -> LeaveValues:
    """Read the bytes of a ``.klv2`` or ``.klv`` file. The length determines the format.

    Raises:
        LeaveValuesError: the file is in neither format, or its contents are not valid.

    """
    nodes_end = 4 + 4 * int.from_bytes(data[:4], "little")
    count = int.from_bytes(data[nodes_end : nodes_end + 4], "little")
    values_start = nodes_end + 4
    is_klv1 = count > 0 and len(data) == values_start + 2 * count
    if len(data) < 16 or not (is_klv1 or len(data) == values_start + 4 * count):
        raise LeaveValuesError("the sizes in the file don't match its length")
    nodes = np.frombuffer(data, dtype="<u4", count=(nodes_end - 4) // 4, offset=4).astype(np.uint32)
    values = np.frombuffer(data, dtype="<i2" if is_klv1 else "<f4", count=count, offset=values_start)
    return leave_values_by_rank(nodes, values / np.float32(KLV1_SCALE if is_klv1 else 1))


def klv2_bytes(leaves: LeaveValues) -> bytes:
    return klv_header(leaves) + (leaves.values / MILLIPOINTS).astype("<f4").tobytes()


def klv_header(leaves: LeaveValues) -> bytes:
    nodes: bytes = leaves.nodes.astype("<u4").tobytes()
    return struct.pack("<I", len(leaves.nodes)) + nodes + struct.pack("<I", len(leaves.values))


def read_leave_list(text: str, distribution: LetterDistribution) -> LeaveValues:
    """Read leave values from plain text. Each line has the tiles (``?`` for a blank), a comma or space, and the value in points.

    Lines that start with ``#`` are comments. If a leave is repeated, its last value counts.

    Raises:
        ParseError: a line has a different form, an unknown tile, too many tiles or too large a value, or the list has no leaves.

    """
    spell = speller(distribution).spell
    points: dict[bytes, float] = {}
    for line_number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        parts = line.replace(",", " ").split()
        if not parts or parts[0].startswith("#"):
            continue
        value = _read_points(parts[1]) if len(parts) == 2 else None
        if value is None:
            raise ParseError(
                "malformed-leave",
                "a line of a leave list has the tiles of a leave and its value in points, as in {example!r}",
                (line_number, 1),
                example="?S,32.5",
            )
        if abs(value) > _MAX_POINTS:
            raise ParseError(
                "leave-value",
                "a leave is worth from -{limit:,} to {limit:,} points, not {points}",
                (line_number, 1),
                limit=_MAX_POINTS,
                points=parts[1][:30],
            )
        letters = parts[0].replace(BLANK_TEXT, "")
        tiles = bytes(len(parts[0]) - len(letters)) + (spell(letters, line=line_number) if letters else b"")
        if len(tiles) > MAX_LENGTH:
            raise ParseError(
                "leave-too-long", "the leave has more than {limit} tiles", (line_number, 1), limit=MAX_LENGTH
            )
        points[bytes(sorted(tiles))] = value
    if not points:
        raise ParseError("no-leaves", "the leave list is empty")
    return leave_values_of(points)


def leave_values_of(points: Mapping[bytes, float]) -> LeaveValues:
    """Create leave values from the value of each leave in points. The tiles of a leave must be in ascending order.

    Raises:
        LeaveValuesError: a value is not a number, or is out of range.
        ParseError: the leaves need more nodes than a graph can have.
        ValueError: a leave is empty.

    """
    leaves = sorted(points)
    return leave_values_by_rank(build_dawg(leaves), [points[leave] for leave in leaves])


def all_leaves(leaves: LeaveValues) -> Iterator[bytes]:
    """Yield the leaves by rank."""
    return strings_of(leaves.nodes, int(leaves.nodes[0]) & ARC)


def _read_points(text: str) -> float | None:
    try:
        points = float(text)
    except ValueError:
        return None
    return None if math.isnan(points) else points


def convert_leaves(leaves: LeaveValues, old: LetterDistribution, new: LetterDistribution) -> LeaveValues:
    """Convert leave values to another distribution. Leaves with a tile that the new distribution lacks are left out."""
    new_number_by_letter = {letter: number for number, letter in enumerate(letters_of(new), start=1)}
    new_number_by_old = {0: 0} | {
        number: new_number_by_letter[letter]
        for number, letter in enumerate(letters_of(old), start=1)
        if letter in new_number_by_letter
    }
    new_tiles = bytes(new_number_by_old.get(tile, 0) for tile in range(256))
    shared_tiles = bytes(new_number_by_old)
    points = {
        bytes(sorted(leave.translate(new_tiles))): value / MILLIPOINTS
        for leave, value in zip(all_leaves(leaves), leaves.values.tolist(), strict=True)
        if not leave.translate(None, shared_tiles)
    }
    return leave_values_of(points)
