"""Leave values: the values of tiles that stay on a rack, in millipoints.

The leaves are the strings of a DAWG. Each leave is a row of machine letters in ascending order, with 0 for the blank,
and its value is stored at its rank among all leaves in that order, as in the KLV formats of wolges and MAGPIE. The
rank is found by counting the strings that precede it along the path through the DAWG. ``counts`` has the number of
strings that go through each node or a later sibling.

A KLV file has a graph of the leaves (tiles in ascending order, the blank, 0, first) and a value for each leave in the
order of the graph. All numbers are little-endian: 32-bit count of nodes, the nodes as in
:mod:`bot.engine.lexicon.word_graph`, 32-bit count of values, the values. KLV2 has 32-bit floats in points, KLV1
16-bit integers in 256ths of a point.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.rules import BLANK_TEXT, LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.analysis import MILLIPOINTS
from bot.engine.lexicon.builder import MAX_LENGTH, build_dawg
from bot.engine.lexicon.spelling import letters_of, speller
from bot.engine.lexicon.word_graph import (
    ACCEPTS,
    ARC,
    LAST_SIBLING,
    TILE_SHIFT,
    Nodes,
    WordGraphError,
    word_graph,
)

Numbers: TypeAlias = npt.NDArray[np.int32]

MAX_VALUE = 1_000_000
"""Maximum absolute value of a leave, in millipoints: a thousand points."""


class LeaveValuesError(ValueError):
    """The data is not a valid set of leave values."""


@dataclass(frozen=True, slots=True, eq=False)
class LeaveValues:
    """The values of the leaves of an alphabet. Compared by identity. Use :func:`leave_values` to create one."""

    nodes: Nodes
    """The DAWG of the leaves, in the node format of :mod:`bot.engine.lexicon.word_graph`."""
    counts: Numbers
    """Number of leaves through each reachable node or a later sibling."""
    values: Numbers
    """Values in millipoints, by the rank of the leave."""

    def value(self, tiles: Iterable[int]) -> int:
        """Return the value, in millipoints, of the tiles kept, in any order; 0 if the leave has no value."""
        first, rank, node = int(self.nodes[0]) & ARC, 0, 0
        for tile in sorted(tiles):
            if node & ACCEPTS:
                rank += 1
            place = first
            while place and int(self.nodes[place]) >> 24 != tile:
                place = 0 if int(self.nodes[place]) & LAST_SIBLING else place + 1
            if not place:
                return 0
            rank += int(self.counts[first] - self.counts[place])
            node = int(self.nodes[place])
            first = node & ARC
        return int(self.values[rank]) if node & ACCEPTS else 0


def leave_values(nodes: Nodes, values: Iterable[float] | npt.NDArray[np.floating]) -> LeaveValues:
    """Create leave values from a DAWG and the points of each of its strings, in the order of the strings.

    Raises:
        LeaveValuesError: the DAWG cannot be walked safely, the numbers of strings and values differ, or a value is
        not finite or too high.

    """
    try:
        nodes = word_graph(nodes).nodes
    except WordGraphError as error:
        raise LeaveValuesError(f"the leaves are not a word graph: {error}") from None
    # In place, since there are a million values.
    scaled = np.array(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    scaled *= MILLIPOINTS
    # If a value is NaN, minimum and maximum are NaN, and both comparisons fail.
    if len(scaled) and not (scaled.min() >= -MAX_VALUE and scaled.max() <= MAX_VALUE):
        raise LeaveValuesError(f"a leave is worth at most {MAX_VALUE // MILLIPOINTS} points either way")
    counts = _counts(nodes, len(scaled))
    millipoints = np.rint(scaled, out=scaled).astype(np.int32)
    for array in (counts, millipoints):
        array.flags.writeable = False
    return LeaveValues(nodes, counts, millipoints)


def _counts(nodes: Nodes, expected: int) -> Numbers:
    """Count the strings through each node that the root reaches, children and later siblings first."""
    plain = nodes.tolist()
    known: dict[int, int] = {}
    root = plain[0] & ARC
    todo = [root] if root else []
    while todo:
        place = todo[-1]
        node = plain[place]
        needed = [node & ARC] if node & ARC else []
        if not node & LAST_SIBLING:
            needed.append(place + 1)
        missing = [other for other in needed if other not in known]
        if missing:
            todo.extend(missing)
            continue
        known[place] = bool(node & ACCEPTS) + sum(known[other] for other in needed)
        todo.pop()
    strings = known.get(root, 0)
    if strings != expected:
        raise LeaveValuesError(f"there are {strings} leaves and {expected} values")
    counts = np.zeros(len(nodes), dtype=np.int32)
    counts[list(known)] = list(known.values())
    return counts


NO_LEAVES = leave_values(np.array([LAST_SIBLING, LAST_SIBLING], dtype=np.uint32), ())
"""Leave values that are all 0."""


def read_klv2(data: bytes) -> LeaveValues:
    """Read the bytes of a ``.klv2`` file: the size and nodes of the DAWG, the number of leaves, and their points as floats.

    Raises:
        LeaveValuesError: the file is not a KLV2 file, or its parts are inconsistent.

    """
    nodes_end = 4 + 4 * int.from_bytes(data[:4], "little")
    leaves = int.from_bytes(data[nodes_end : nodes_end + 4], "little")
    if len(data) < 16 or len(data) != nodes_end + 4 + 4 * leaves:
        raise LeaveValuesError("the sizes in the file do not fit its length")
    nodes = np.frombuffer(data, dtype="<u4", count=(nodes_end - 4) // 4, offset=4).astype(np.uint32)
    points = np.frombuffer(data, dtype="<f4", count=leaves, offset=nodes_end + 4)
    return leave_values(nodes, points)


KLV1_SCALE = 256
_MAX_POINTS = MAX_VALUE // MILLIPOINTS


def read_klv(data: bytes) -> LeaveValues:
    """Read the bytes of a ``.klv2`` or ``.klv`` file, which are distinguished by their length.

    Raises:
        LeaveValuesError: the file is neither, its graph cannot be walked safely, or leaves and values do not match.

    """
    nodes_end = 4 + 4 * int.from_bytes(data[:4], "little")
    count = int.from_bytes(data[nodes_end : nodes_end + 4], "little")
    if count == 0 or len(data) != nodes_end + 4 + 2 * count:
        return read_klv2(data)
    nodes = np.frombuffer(data, dtype="<u4", count=(nodes_end - 4) // 4, offset=4).astype(np.uint32)
    points = np.frombuffer(data, dtype="<i2", count=count, offset=nodes_end + 4) / np.float32(KLV1_SCALE)
    return leave_values(nodes, points)


def write_klv2(leaves: LeaveValues) -> bytes:
    """Return the bytes of a ``.klv2`` file."""
    return klv_head(leaves) + (leaves.values / MILLIPOINTS).astype("<f4").tobytes()


def klv_head(leaves: LeaveValues) -> bytes:
    """Return the bytes of a KLV file before its values."""
    nodes: bytes = leaves.nodes.astype("<u4").tobytes()
    return struct.pack("<I", len(leaves.nodes)) + nodes + struct.pack("<I", len(leaves.values))


def read_leave_list(text: str, distribution: LetterDistribution) -> LeaveValues:
    """Read leave values in plain text. Each line has the tiles (``?`` for a blank), a comma or space, and the points.

    Raises:
        ParseError: a line has another form. The error has the line number.

    """
    spell = speller(distribution).spell
    points: dict[bytes, float] = {}
    for line, row in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        parts = row.replace(",", " ").split()
        if not parts or parts[0].startswith("#"):
            continue
        value = _read_points(parts[1]) if len(parts) == 2 else None
        if value is None:
            raise ParseError(
                "malformed-leave",
                "a line of a leave list has the tiles and their points, as in {example!r}",
                line=line,
                example="?S,32.5",
            )
        letters = parts[0].replace(BLANK_TEXT, "")
        tiles = bytes(len(parts[0]) - len(letters)) + (spell(letters, line=line) if letters else b"")
        if len(tiles) > MAX_LENGTH:
            raise ParseError(
                "leave-too-long", "the leave has more than {most} tiles", line=line, most=MAX_LENGTH
            )
        points[bytes(sorted(tiles))] = value
    if not points:
        raise ParseError("no-leaves", "the leave list is empty")
    return leave_values_of(points)


def leave_values_of(points: Mapping[bytes, float]) -> LeaveValues:
    """Return the values of leaves given as machine letters in ascending order, in points.

    Raises:
        LeaveValuesError: a value is not a number, or is too high.
        ParseError: the leaves need more nodes than a graph can have.
        ValueError: a leave is empty or out of order.

    """
    leaves = sorted(points)
    if any(leave != bytes(sorted(leave)) for leave in leaves):
        raise ValueError("the tiles of a leave are in ascending order")
    return leave_values(build_dawg(leaves), [points[leave] for leave in leaves])


def all_leaves(leaves: LeaveValues) -> Iterator[bytes]:
    """Yield the leaves in ascending order, which is the order of the values."""
    open_lists = [(int(leaves.nodes[0]) & ARC, b"")]
    while open_lists:
        first, before = open_lists.pop()
        if not first:
            continue
        node = int(leaves.nodes[first])
        leave = before + bytes([node >> TILE_SHIFT])
        if not node & LAST_SIBLING:
            open_lists.append((first + 1, before))
        open_lists.append((node & ARC, leave))
        if node & ACCEPTS:
            yield leave


def _read_points(text: str) -> float | None:
    try:
        points = float(text)
    except ValueError:
        return None
    return points if abs(points) <= _MAX_POINTS else None


def relettered(leaves: LeaveValues, old: LetterDistribution, new: LetterDistribution) -> LeaveValues:
    """Return the values of the leaves whose tiles are all in the new set."""
    numbers = {letter: number for number, letter in enumerate(letters_of(new), start=1)}
    known = {0: 0} | {
        number: numbers[letter] for number, letter in enumerate(letters_of(old), start=1) if letter in numbers
    }
    table = bytes(known.get(tile, 0) for tile in range(256))
    shared = bytes(known)
    points = {
        bytes(sorted(leave.translate(table))): value / MILLIPOINTS
        for leave, value in zip(all_leaves(leaves), leaves.values.tolist(), strict=True)
        if not leave.translate(None, shared)
    }
    return leave_values_of(points)
