"""Builds the smallest word graph (:mod:`bot.engine.lexicon.word_graph`) for given words.

Identical lists of siblings are stored once. A list that is identical to the end of another list is not stored: arcs point into
the other list.

Words are added in ascending order. A list is *open* while later words can still change it. After that, it is *frozen* (Daciuk, Mihov,
Watson and Watson 2000): each of its nodes becomes a *state*. A state represents a node and all later siblings, so identical
ends of lists have the same state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.rules import MAX_SIDE, LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.compiler import compiled, inner_kernel
from bot.engine.lexicon.spelling import letters_of, speller
from bot.engine.lexicon.word_graph import (
    ACCEPTS,
    ARC,
    LAST_SIBLING,
    MAX_TILE,
    TILE_SHIFT,
    Nodes,
    WordGraph,
    count_strings,
    word_graph,
)

MAX_NODES = ARC + 1
MAX_LENGTH = MAX_SIDE

_SEPARATOR = 1
_NO_ROOM = np.int64(-1)

# In this module, tile numbers are one higher than elsewhere, so that 0 can pad a row of tiles.
#
# A state is stored as a key. Bits 0 to 7 hold the tile, and bit 8 is set if a word ends here. Bits 9 to 31 hold the state of
# the first child, and bits 32 to 54 the state of the next sibling. State 0 means no state. The key of state 0 is the number
# of states.
#
# ``open_lists`` has a row for each depth: the number of nodes in the open list, and then the keys of the nodes, without the
# next sibling.
_Rows = npt.NDArray[np.uint8]
_Keys = npt.NDArray[np.uint64]
_Table = npt.NDArray[np.int32]
_STATE_MASK = np.uint64(0x7FFFFF)
_ARC_SHIFT = np.uint64(9)
_NEXT_SHIFT = np.uint64(32)


class _States:
    """The frozen states and the open lists."""

    def __init__(self, tile_count: int, length: int) -> None:
        # A string adds at most one state for each of its tiles. State 0 is extra.
        max_states = min(MAX_NODES, tile_count + 1)
        self.keys: _Keys = np.zeros(max_states, dtype=np.uint64)
        self.keys[0] = 1
        self.table: _Table = np.zeros(1 << (2 * max_states - 1).bit_length(), dtype=np.int32)
        self.open_lists: _Keys = np.zeros((length + 1, MAX_TILE + 3), dtype=np.uint64)

    def add(self, rows: _Rows) -> None:
        """Add strings, which must be in ascending order and come after all earlier strings."""
        if _add(rows, self.keys, self.table, self.open_lists) == _NO_ROOM:
            raise _too_large_error()

    def finish(self) -> int:
        """Freeze all open lists, and return the state of the root's list. The next string starts a new root."""
        state = _finish(self.keys, self.table, self.open_lists)
        if state == _NO_ROOM:
            raise _too_large_error()
        return int(state)

    def nodes(self, roots: Sequence[int]) -> Nodes:
        keys, root_states = self.keys[: int(self.keys[0])], np.array(roots, dtype=np.int64)
        layout = np.zeros((3, len(keys)), dtype=np.int64)
        _reserve_all(keys, root_states, layout)
        if layout[0, 0] > MAX_NODES:
            raise _too_large_error()
        nodes = np.zeros(layout[0, 0], dtype=np.uint32)
        _write_nodes(keys, layout, root_states, nodes)
        return nodes


def _too_large_error() -> ParseError:
    return ParseError(
        "lexicon-too-large",
        "the words need more than the {limit:,} nodes that a word graph can have",
        limit=MAX_NODES,
    )


def build_word_graph(words: Sequence[bytes]) -> WordGraph:
    """Build a word graph with a GADDAG. The words may be in any order, and may be repeated.

    Raises:
        ParseError: the words need more nodes than a graph can have.
        ValueError: a word is empty or longer than :data:`MAX_LENGTH`, or has a tile that is not a machine letter.

    """
    rows = _sorted_rows(words, lowest=1)
    length = rows.shape[1]
    states = _States(int(np.count_nonzero(rows)) * (length + 2), length + 1)
    states.add(rows)
    dawg = states.finish()
    for first in range(2, int(rows.max(initial=1)) + 1):
        states.add(_gaddag_rows(rows, first))
    return word_graph(states.nodes((dawg, states.finish())))


def build_dawg(words: Sequence[bytes]) -> Nodes:
    """Build the nodes of a graph without a GADDAG. Words may contain the blank, 0.

    Raises:
        ParseError: as for :func:`build_word_graph`.
        ValueError: as for :func:`build_word_graph`.

    """
    rows = _sorted_rows(words, lowest=0)
    states = _States(int(np.count_nonzero(rows)), rows.shape[1])
    states.add(rows)
    return states.nodes((states.finish(), 0))


def kwg_bytes(graph: WordGraph) -> bytes:
    return graph.nodes.astype("<u4").tobytes()


def _sorted_rows(words: Sequence[bytes], *, lowest: int) -> _Rows:
    """Return the words in ascending order, each as a row of machine letters + 1, padded with zeros."""
    length = max(map(len, words), default=1)
    if length > MAX_LENGTH or min(map(len, words), default=1) < 1:
        raise ValueError(f"a word has 1 to {MAX_LENGTH} tiles")
    tiles = bytes(range(lowest, MAX_TILE + 1))
    if b"".join(words).translate(None, tiles):
        raise ValueError(f"a tile is {lowest} to {MAX_TILE}")
    shift_table = bytes.maketrans(tiles, bytes(tile + 1 for tile in tiles))
    strings = np.unique(np.array([word.translate(shift_table) for word in words], dtype=f"S{length}"))
    return strings.view(np.uint8).reshape(len(strings), length)


def _gaddag_rows(rows: _Rows, first_tile: int) -> _Rows:
    """Return the GADDAG's strings that start with ``first_tile``, in ascending order."""
    word_rows, pivots = np.nonzero(rows == first_tile)
    length = rows.shape[1]
    lengths = np.count_nonzero(rows, axis=1)[word_rows]
    tiles = rows.ravel()
    starts = word_rows * length
    strings = np.empty((len(word_rows), length + 1), dtype=np.uint8)
    for column_index in range(length + 1):
        # A string goes backwards from ``first_tile`` to the start of the word. The separator and the tiles after ``first_tile``
        # follow, if there are such tiles.
        back = pivots - column_index
        column = tiles[starts + np.where(back >= 0, back, min(column_index, length) - 1)]
        is_separator = back == -1
        column[is_separator] = np.where(lengths[is_separator] > column_index, _SEPARATOR, 0)
        strings[:, column_index] = column
    ordered = np.sort(strings.view(f"S{length + 1}").ravel())
    return ordered.view(np.uint8).reshape(len(ordered), length + 1)


@inner_kernel
def _find_or_add_state(keys: _Keys, table: _Table, key: np.uint64) -> np.int64:
    """Return the state with the given key, or ``_NO_ROOM`` if there are too many states."""
    mask = np.uint64(len(table) - 1)
    slot = ((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & mask
    while table[np.int64(slot)] != 0:
        if keys[table[np.int64(slot)]] == key:
            return np.int64(table[np.int64(slot)])
        slot = (slot + np.uint64(1)) & mask
    new_state = np.int64(keys[0])
    if new_state == len(keys):
        return _NO_ROOM
    keys[0] = np.uint64(new_state + 1)
    keys[new_state] = key
    table[np.int64(slot)] = new_state
    return new_state


@inner_kernel
def _freeze(keys: _Keys, table: _Table, open_lists: _Keys, depth: int) -> np.int64:
    """Freeze the open list at ``depth``, and set the parent's arc. Return the state of the first node, or ``_NO_ROOM``."""
    state = np.int64(0)
    for place in range(np.int64(open_lists[depth, 0]), 0, -1):
        state = _find_or_add_state(keys, table, open_lists[depth, place] | (np.uint64(state) << _NEXT_SHIFT))
        if state == _NO_ROOM:
            return state
    open_lists[depth, 0] = 0
    if depth > 0:
        open_lists[depth - 1, np.int64(open_lists[depth - 1, 0])] |= np.uint64(state) << _ARC_SHIFT
    return state


@compiled
def _add(rows: _Rows, keys: _Keys, table: _Table, open_lists: _Keys) -> np.int64:
    """Add strings in ascending order. Return 0, or ``_NO_ROOM`` if there are too many states."""
    length = rows.shape[1]
    for row in range(rows.shape[0]):
        place = 0
        while place < length and rows[row, place] != 0 and open_lists[place, 0] != 0:
            if open_lists[place, np.int64(open_lists[place, 0])] & np.uint64(0xFF) != np.uint64(
                rows[row, place]
            ):
                break
            place += 1
        for depth in range(open_lists.shape[0] - 1, place, -1):
            if open_lists[depth, 0] != 0 and _freeze(keys, table, open_lists, depth) == _NO_ROOM:
                return _NO_ROOM
        while place < length and rows[row, place] != 0:
            open_lists[place, 0] += np.uint64(1)
            open_lists[place, np.int64(open_lists[place, 0])] = np.uint64(rows[row, place])
            place += 1
        open_lists[place - 1, np.int64(open_lists[place - 1, 0])] |= np.uint64(1 << 8)
    return np.int64(0)


@compiled
def _finish(keys: _Keys, table: _Table, open_lists: _Keys) -> np.int64:
    """Return the state of the root's list, 0 if no string was added, or ``_NO_ROOM``."""
    state = np.int64(0)
    for depth in range(open_lists.shape[0] - 1, -1, -1):
        if open_lists[depth, 0] != 0:
            state = _freeze(keys, table, open_lists, depth)
            if state == _NO_ROOM:
                return state
    return state


@inner_kernel
def _reserve(keys: _Keys, layout: npt.NDArray[np.int64], state: np.int64) -> None:
    """Reserve room for the list that starts with ``state`` or, if this list is the end of a longer list, for the longer list.

    ``layout`` has three rows. Row 0 holds the index of each state's node. Row 1 holds a previous sibling of each state. Row 2
    holds the first state of each list with reserved room, in the order of the lists. Column 0 holds the number of nodes (row 0)
    and the number of lists (row 2).
    """
    if state == 0 or layout[0, state] != 0:
        return
    while layout[1, state] != 0:
        state = layout[1, state]
    layout[2, 0] += 1
    layout[2, layout[2, 0]] = state
    while state != 0:
        if layout[0, state] == 0:
            layout[0, state] = layout[0, 0]
        layout[0, 0] += 1
        state = np.int64((keys[state] >> _NEXT_SHIFT) & _STATE_MASK)


@compiled
def _reserve_all(keys: _Keys, roots: npt.NDArray[np.int64], layout: npt.NDArray[np.int64]) -> None:
    """Reserve room for all lists in breadth-first order. ``layout`` (:func:`_reserve`) must be all zeros."""
    for predecessor in range(len(keys) - 1, 0, -1):
        layout[1, np.int64((keys[predecessor] >> _NEXT_SHIFT) & _STATE_MASK)] = predecessor
    layout[0, 0] = len(roots)
    for root_number in range(len(roots)):
        _reserve(keys, layout, roots[root_number])
    list_number = 0
    # In this order, the lists near the roots, which every walk visits, are next to each other.
    while list_number < layout[2, 0]:
        list_number += 1
        state = layout[2, list_number]
        while state != 0:
            _reserve(keys, layout, np.int64((keys[state] >> _ARC_SHIFT) & _STATE_MASK))
            state = np.int64((keys[state] >> _NEXT_SHIFT) & _STATE_MASK)


@compiled
def _write_nodes(
    keys: _Keys, layout: npt.NDArray[np.int64], roots: npt.NDArray[np.int64], nodes: Nodes
) -> None:
    layout[0, 0] = 0
    for root_number in range(len(roots)):
        nodes[root_number] = np.uint32(LAST_SIBLING | layout[0, roots[root_number]])
    node_index = len(roots)
    for list_number in range(1, layout[2, 0] + 1):
        state = layout[2, list_number]
        while state != 0:
            key = keys[state]
            state = np.int64((key >> _NEXT_SHIFT) & _STATE_MASK)
            tile = np.int64(key & np.uint64(0xFF)) - 1
            flags = (
                np.int64((key >> np.uint64(8)) & np.uint64(1)) * ACCEPTS | np.int64(state == 0) * LAST_SIBLING
            )
            arc = layout[0, np.int64((key >> _ARC_SHIFT) & _STATE_MASK)]
            nodes[node_index] = np.uint32((tile << TILE_SHIFT) | flags | arc)
            node_index += 1


def count_words(nodes: Nodes, root: int) -> int:
    """Return the number of strings that begin in the list at ``root`` of a checked graph, at most ``MAX_STRING_COUNT``."""
    return int(count_strings(nodes)[root])


def words_of(graph: WordGraph) -> Iterator[bytes]:
    return strings_of(graph.nodes, graph.dawg_root)


def strings_of(nodes: Nodes, root: int) -> Iterator[bytes]:
    """Yield the strings that begin in the list at index ``root`` of a checked graph, in ascending order."""
    view = nodes.data
    stack = [(root, b"")]
    while stack:
        node_index, prefix = stack.pop()
        if not node_index:
            continue
        node = view[node_index]
        string = prefix + bytes((node >> TILE_SHIFT,))
        if not node & LAST_SIBLING:
            stack.append((node_index + 1, prefix))
        stack.append((node & ARC, string))
        if node & ACCEPTS:
            yield string


def respell(graph: WordGraph, old: LetterDistribution, new: LetterDistribution) -> WordGraph:
    """Return the graph of the same words, spelled with the tiles of another distribution.

    Words that cannot be spelled, have only one tile or are too long are left out.

    Raises:
        ParseError: the words need more nodes than a graph can have.

    """
    letters = ("", *letters_of(old))
    spell = speller(new).spell
    words = []
    for word in words_of(graph):
        with suppress(ParseError):
            spelled = spell("".join([letters[tile] for tile in word]))
            if 1 < len(spelled) <= MAX_LENGTH:
                words.append(spelled)
    return build_word_graph(words)
