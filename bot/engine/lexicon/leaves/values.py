"""Leave values: what the tiles that stay on a rack are worth, in millipoints.

The leaves are the strings of a DAWG, each leave a row of machine letters in ascending order (0 the blank), and a
leave's value stands at its rank among all of them in that order: the KLV formats of the field. The rank is found by
counting, on the way through the DAWG, the strings that come before; ``counts`` has for each node how many strings
go through it or a later sibling.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, Nodes, WordGraphError, word_graph
from bot.engine.units import MILLIPOINTS

Numbers: TypeAlias = npt.NDArray[np.int32]

MAX_VALUE = 1_000_000
"""The highest value of a leave, either way, in millipoints: a thousand points."""


class LeaveValuesError(ValueError):
    """Something is no set of leave values."""


@dataclass(frozen=True, slots=True, eq=False)
class LeaveValues:
    """The values of the leaves of an alphabet. Compared by identity. Make one with :func:`leave_values`."""

    nodes: Nodes
    """The DAWG of the leaves, in the node format of :mod:`bot.engine.lexicon.word_graph`."""
    counts: Numbers
    """For each node that is reached, how many leaves go through it or a later sibling."""
    values: Numbers
    """Millipoints by the rank of the leave."""

    def value(self, tiles: Iterable[int]) -> int:
        """Return the millipoints of the tiles kept, in any order; 0 for a leave that has no value here."""
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
    """Make leave values of a DAWG and the points of each of its strings, in the strings' order.

    Raises:
        LeaveValuesError: the DAWG cannot be walked safely, has another number of strings than there are values,
            or a value is not finite or too high.

    """
    try:
        nodes = word_graph(nodes).nodes
    except WordGraphError as error:
        raise LeaveValuesError(f"the leaves are no word graph: {error}") from None
    # In place, since there are a million of them.
    scaled = np.array(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    scaled *= MILLIPOINTS
    # What is no number makes the least and the highest of them none, and fails either comparison.
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
"""Every leave is worth nothing."""


def read_klv2(data: bytes) -> LeaveValues:
    """Read the bytes of a ``.klv2`` file: the DAWG's size and nodes, the number of leaves, their points as floats.

    Raises:
        LeaveValuesError: it is no KLV2, or does not fit together.

    """
    nodes_end = 4 + 4 * int.from_bytes(data[:4], "little")
    leaves = int.from_bytes(data[nodes_end : nodes_end + 4], "little")
    if len(data) < 16 or len(data) != nodes_end + 4 + 4 * leaves:
        raise LeaveValuesError("the sizes in the file do not fit its length")
    nodes = np.frombuffer(data, dtype="<u4", count=(nodes_end - 4) // 4, offset=4).astype(np.uint32)
    points = np.frombuffer(data, dtype="<f4", count=leaves, offset=nodes_end + 4)
    return leave_values(nodes, points)
