"""The words that are in a word graph, and the same words spelled with other tiles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.builder import MAX_LENGTH, build_word_graph
from bot.engine.lexicon.leaves.file import leave_values_of, leaves_of
from bot.engine.lexicon.leaves.values import LeaveValues
from bot.engine.lexicon.spelling import speller
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, MAX_STRING, TILE_SHIFT, Nodes, WordGraph
from bot.engine.units import MILLIPOINTS

MANY = 1 << 32
"""Where counting words stops: a small graph can hold more than anybody could list."""


def count_words(nodes: Nodes, root: int) -> int:
    """Return how many strings a checked graph has from the list at index ``root``; :data:`MANY` if there are more."""
    arcs = nodes & ARC
    accepts = (nodes & ACCEPTS != 0).astype(np.int64)
    ends = np.flatnonzero(nodes & LAST_SIBLING)
    list_end = ends[np.searchsorted(ends, np.arange(len(nodes)))]
    below = np.zeros(len(nodes), dtype=np.int64)  # strings of the list that starts at a node
    for _ in range(MAX_STRING + 1):
        sums = np.concatenate(([0], np.cumsum(accepts + np.where(arcs != 0, below[arcs], 0))))
        before, below = below, np.minimum(sums[list_end + 1] - sums[:-1], MANY)
        if np.array_equal(before, below):
            break
    return int(below[root]) if root else 0


def words_of(graph: WordGraph) -> Iterator[bytes]:
    """Yield the words of a graph in ascending order."""
    nodes = graph.nodes.data
    open_lists = [(graph.dawg_root, b"")]
    while open_lists:
        first, before = open_lists.pop()
        if not first:
            continue
        node = nodes[first]
        word = before + bytes((node >> TILE_SHIFT,))
        if not node & LAST_SIBLING:
            open_lists.append((first + 1, before))
        open_lists.append((node & ARC, word))
        if node & ACCEPTS:
            yield word


def letters_of(distribution: LetterDistribution) -> tuple[str, ...]:
    """Return how the tiles are written, by machine letter: two sets with the same letters have the same words."""
    return tuple(letter.text for letter in distribution.letters[1:])


def respelled(graph: WordGraph, old: LetterDistribution, new: LetterDistribution) -> WordGraph:
    """Return the graph of the same words in other tiles, such as LLAVE without the tile LL; what cannot be is left out.

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


def relettered(leaves: LeaveValues, old: LetterDistribution, new: LetterDistribution) -> LeaveValues:
    """Return the values of the leaves of which each tile is also in the new set."""
    numbers = {letter: number for number, letter in enumerate(letters_of(new), start=1)}
    known = {0: 0} | {
        number: numbers[letter] for number, letter in enumerate(letters_of(old), start=1) if letter in numbers
    }
    table = bytes(known.get(tile, 0) for tile in range(256))
    shared = bytes(known)
    points = {
        bytes(sorted(leave.translate(table))): value / MILLIPOINTS
        for leave, value in zip(leaves_of(leaves), leaves.values.tolist(), strict=True)
        if not leave.translate(None, shared)
    }
    return leave_values_of(points)
