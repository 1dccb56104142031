"""Leave values in files: the field's KLV2 and KLV1 formats, and plain text.

A KLV file holds a graph of the leaves (their tiles in ascending order, the blank, 0, first) and a value for each in
the order of the graph. All numbers are little-endian: 32-bit count of nodes, the nodes as in
:mod:`bot.engine.lexicon.word_graph`, 32-bit count of values, the values. KLV2 has 32-bit floats in points, KLV1 16-bit
integers in 256ths of a point.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

import numpy as np

from bot.domain.crossword.distributions import BLANK_TEXT, LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.builder import MAX_LENGTH, build_dawg
from bot.engine.lexicon.leaves.values import (
    MAX_VALUE,
    LeaveValues,
    leave_values,
    read_klv2,
)
from bot.engine.lexicon.spelling import speller
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT
from bot.engine.units import MILLIPOINTS

KLV1_SCALE = 256
_MAX_POINTS = MAX_VALUE // MILLIPOINTS


def read_klv(data: bytes) -> LeaveValues:
    """Read the bytes of a ``.klv2`` or ``.klv`` file; which of them it is shows by its length.

    Raises:
        LeaveValuesError: it is neither, its graph is not safe to walk, or leaves and values do not match.

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
    """Read leave values in plain text: on each line the tiles (``?`` for a blank), a comma or space, the points.

    Raises:
        ParseError: a line is something else; with the line.

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
        raise ParseError("no-leaves", "the leave list holds no leave")
    return leave_values_of(points)


def leave_values_of(points: Mapping[bytes, float]) -> LeaveValues:
    """Return the values of leaves given as machine letters in ascending order, in points.

    Raises:
        LeaveValuesError: a value is no number, or too high.
        ParseError: the leaves need more nodes than a graph can have.
        ValueError: a leave is empty or out of order.

    """
    leaves = sorted(points)
    if any(leave != bytes(sorted(leave)) for leave in leaves):
        raise ValueError("the tiles of a leave are in ascending order")
    return leave_values(build_dawg(leaves), [points[leave] for leave in leaves])


def leaves_of(leaves: LeaveValues) -> Iterator[bytes]:
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
