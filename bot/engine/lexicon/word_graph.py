"""The word graph: a DAWG and a GADDAG of a lexicon's words, in one array, as in the KWG format of wolges and MAGPIE.

A node is a little-endian 32-bit number. Its bits, from the highest:

- 31 to 24: the tile (see :mod:`bot.domain.crossword.rules`), or 0 for the separator
- 23 (``ACCEPTS``): whether a word ends at this node
- 22 (``LAST_SIBLING``): whether the node is the last of its siblings
- 21 to 0 (``ARC``): the *arc*, which is the index of the list of the node's children, or 0 without children

The arc of ``nodes[0]`` leads to the first list of the DAWG, and the arc of ``nodes[1]`` to the first list of the GADDAG.
Siblings are next to each other, in ascending order of their tiles. For the word CARE, the GADDAG has the strings ERAC, RAC@E,
AC@RE and C@ARE, where @ is the separator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

TILE_SHIFT = 24
ACCEPTS = 0x800000
LAST_SIBLING = 0x400000
ARC = 0x3FFFFF

SEPARATOR = 0
MAX_TILE = 62
"""Highest machine letter, because sets of letters are 63-bit masks."""
MAX_STRING_LENGTH = 64
"""Greater than the length of the longest row of a board plus a separator."""

Nodes: TypeAlias = npt.NDArray[np.uint32]


class WordGraphError(ValueError):
    """A file is not a word graph, or cannot be walked safely."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class WordGraph:
    """The words of a lexicon. Compared by identity.

    :func:`word_graph` and :func:`read_kwg` check that every walk through the graph ends and stays inside the array.
    """

    nodes: Nodes
    """Read-only and C-contiguous."""

    @property
    def dawg_root(self) -> int:
        """Index of the DAWG's first list, or 0 without a DAWG."""
        return int(self.nodes[0]) & ARC

    @property
    def gaddag_root(self) -> int:
        """Index of the GADDAG's first list, or 0 without a GADDAG."""
        return int(self.nodes[1]) & ARC

    def child(self, first: int, tile: int) -> int:
        """Return the node for ``tile`` in the list that starts at index ``first``, or 0 if there is none."""
        if not first:
            return 0
        while True:
            node = int(self.nodes[first])
            if node >> TILE_SHIFT == tile:
                return node
            if node & LAST_SIBLING:
                return 0
            first += 1

    def accepts(self, word: Sequence[int]) -> bool:
        """Return whether the tiles form a word. A blank counts as the letter that it stands for."""
        return len(word) > 0 and self.completes(int(self.nodes[0]), word)

    def completes(self, node: int, remaining_tiles: Sequence[int]) -> bool:
        """Return whether following ``remaining_tiles`` from a node completes a word."""
        for tile in remaining_tiles:
            node = self.child(node & ARC, abs(tile))
            if not node:
                return False
        return bool(node & ACCEPTS)


def read_kwg(data: bytes) -> WordGraph:
    """Read the bytes of a ``.kwg`` file.

    Raises:
        WordGraphError: the bytes are not a KWG file, or :func:`word_graph` rejects the nodes.

    """
    if len(data) < 8 or len(data) % 4:
        raise WordGraphError(
            f"a word graph consists of at least two whole 4-byte nodes; this file has {len(data)} bytes"
        )
    return word_graph(np.frombuffer(data, dtype="<u4").astype(np.uint32))


def read_trusted_kwg(data: bytes) -> WordGraph:
    """Read the bytes of a ``.kwg`` file that :func:`read_kwg` has already checked."""
    nodes: Nodes = np.frombuffer(data, dtype="<u4").astype(np.uint32, copy=False)
    nodes.flags.writeable = False
    return WordGraph(nodes)


def word_graph(nodes: Nodes) -> WordGraph:
    """Create a word graph from an array of nodes, which becomes read-only.

    Raises:
        WordGraphError: the array is not a word graph, or cannot be walked safely.

    """
    nodes = np.ascontiguousarray(nodes, dtype=np.uint32)
    if len(nodes) < 2:
        raise WordGraphError("a word graph has at least two nodes")
    if len(nodes) > ARC + 1:
        raise WordGraphError(f"a word graph has at most {ARC + 1} nodes; this graph has {len(nodes)}")
    _check_lists(nodes)
    _check_depth(nodes)
    nodes.flags.writeable = False
    return WordGraph(nodes)


def _check_lists(nodes: Nodes) -> None:
    arcs = nodes & ARC
    if int(arcs.max()) >= len(nodes):
        index = int(np.argmax(arcs >= len(nodes)))
        raise WordGraphError(
            f"node {index} points to node {int(arcs[index])}, but there are only {len(nodes)} nodes"
        )
    tiles = nodes >> TILE_SHIFT
    if int(tiles.max()) > MAX_TILE:
        index = int(np.argmax(tiles > MAX_TILE))
        raise WordGraphError(f"node {index} has tile {int(tiles[index])}; the highest is {MAX_TILE}")
    is_last = (nodes & LAST_SIBLING) != 0
    if not is_last[-1]:
        raise WordGraphError("the last list of siblings is not terminated")
    is_out_of_order = ~is_last[:-1] & (tiles[1:] <= tiles[:-1])
    is_out_of_order[:2] = False  # the two roots do not form a list
    if is_out_of_order.any():
        raise WordGraphError(
            f"the siblings at node {int(np.argmax(is_out_of_order))} are not in ascending order"
        )


def _check_depth(nodes: Nodes) -> None:
    level: npt.NDArray[np.integer[Any]] = nodes[:2] & ARC
    for _ in range(MAX_STRING_LENGTH + 1):
        level = level[level != 0]
        if not len(level):
            return
        is_child = np.zeros(len(nodes), dtype=np.bool_)
        while len(level):
            members = nodes[level]
            is_child[members & ARC] = True
            level = level[(members & LAST_SIBLING) == 0] + np.uint32(1)
        level = np.flatnonzero(is_child)
    raise WordGraphError(f"a string has more than {MAX_STRING_LENGTH} tiles, or the graph has a loop")


MAX_STRING_COUNT = 1 << 32
"""Counting stops at this number of strings, because even a small graph can contain far more."""


def count_strings(nodes: Nodes) -> npt.NDArray[np.int64]:
    """For each node of a checked graph, return the number of strings through this node or a later sibling.

    The numbers are at most :data:`MAX_STRING_COUNT`. Index 0 means "no list", so its number is 0.
    """
    arcs = nodes & ARC
    accepts = (nodes & ACCEPTS != 0).astype(np.int64)
    ends = np.flatnonzero(nodes & LAST_SIBLING)
    list_end = ends[np.searchsorted(ends, np.arange(len(nodes)))]
    counts = np.zeros(len(nodes), dtype=np.int64)
    for _ in range(MAX_STRING_LENGTH + 1):
        sums = np.concatenate(([0], np.cumsum(accepts + np.where(arcs != 0, counts[arcs], 0))))
        previous, counts = counts, np.minimum(sums[list_end + 1] - sums[:-1], MAX_STRING_COUNT)
        if np.array_equal(previous, counts):
            break
    counts[0] = 0
    return counts
