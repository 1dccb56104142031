"""The word graph as the play generator walks it: each list begins with the set of its letters.

A list of children is two 32-bit words with the mask of its letters (bit n for machine letter n, bit 0 for the
separator; the low half first), then one word for each letter of the mask in ascending order: twice the place of its
own children, plus 1 when a word ends there. So whether any tile of a rack goes on is one AND, and a letter is found
by counting bits instead of walking its siblings. Place 0 is an empty list, place 2 the first; behind the lists are the
marks of :mod:`bot.engine.kernels.graph`.

Behind the lists are ``MARK_WORDS`` words of marks, which tell by one bit whether some letters may make a word in any order. Each
letter adds its *share* to a sum; the highest ``MARK_BITS`` bits of the sum of a word are the place of a bit that is set. A bit
that is not set is certain; of letters that make no word one in thirty has its bit set by a word, with a lexicon of 280,000.
(A Bloom filter with one function.)
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import bit_count, compiled, inlined, inner, lowest_bit, wide
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, MAX_STRING, TILE_SHIFT, Nodes

Graph: TypeAlias = npt.NDArray[np.uint32]

FIRST_LIST = 2
"""The place of the first list."""
HEADER = 2
"""Words before the letters of a list."""
LETTERS_ONLY = ~1
"""The mask of everything but the separator."""


@inlined
def letters_at(graph: Graph, place: int) -> int:
    """Return the mask of the letters of a list."""
    return wide(graph[place]) | (wide(graph[place + 1]) << 32)


@inlined
def entry_of(graph: Graph, place: int, letters: int, letter: int) -> int:
    """Return the word of ``letter``, which is in ``letters``, the mask of the list at ``place``."""
    return wide(graph[place + HEADER + bit_count(letters & ((1 << letter) - 1))])


@inlined
def follow(graph: Graph, place: int, letter: int) -> int:
    """Return the word of ``letter`` in a list, or 0 (no children, no word) when it is not there."""
    letters = letters_at(graph, place)
    if not letters >> letter & 1:
        return 0
    return entry_of(graph, place, letters, letter)


@inner
def accepted_at(graph: Graph, place: int) -> int:
    """Return the mask of those letters of a list with which a word ends."""
    letters = letters_at(graph, place)
    accepted = 0
    at = place + HEADER
    while letters:
        accepted |= (letters & -letters) * (wide(graph[at]) & 1)
        letters &= letters - 1
        at += 1
    return accepted


@compiled
def measure(nodes: Nodes, root: int, places: npt.NDArray[np.int32], waiting: npt.NDArray[np.int32]) -> int:
    """Give every list that ``root`` reaches its place in the new form, and return the total length.

    ``places`` has one number, 0 at first, for each node; lists are marked at their first node. ``waiting`` has room for
    as many. A list comes right before what follows its first letter, often the separator, since a search goes there next.
    """
    waiting[0] = root
    places[root] = 1
    count = 1
    total = FIRST_LIST
    while count:
        count -= 1
        first = wide(waiting[count])
        places[first] = total
        last = first
        while not wide(nodes[last]) & LAST_SIBLING:
            last += 1
        total += HEADER + last + 1 - first
        for at in range(last, first - 1, -1):
            child = wide(nodes[at]) & ARC
            if child and not places[child]:
                places[child] = 1
                waiting[count] = child
                count += 1
    return total


@compiled
def fill(nodes: Nodes, places: npt.NDArray[np.int32], graph: Graph) -> None:
    """Write the lists that have places into ``graph``, which is all zeros."""
    for start in range(len(nodes)):
        place = wide(places[start])
        if not place:
            continue
        letters = 0
        entry = place + HEADER
        at = start
        while True:
            node = wide(nodes[at])
            letters |= 1 << (node >> TILE_SHIFT)
            child = wide(places[node & ARC]) if node & ARC else 0
            graph[entry] = child << 1 | (1 if node & ACCEPTS else 0)
            entry += 1
            if node & LAST_SIBLING:
                break
            at += 1
        graph[place] = letters & 0xFFFFFFFF
        graph[place + 1] = letters >> 32


MARK_BITS = 23
MARK_WORDS = 1 << (MARK_BITS - 5)
EVERY_MARK = 0xFFFFFFFF
"""A word of marks that rules nothing out."""
_MAX_STEPS = 1 << 25

_SCRAMBLE = -7046029254386353131  # 2 ** 64 divided by the golden ratio, as a signed number
_SCRAMBLE_AGAIN = -4658895280553007687
_FRAME = 3
STACK_LENGTH = _FRAME * (MAX_STRING + 1)


@inlined
def share_of(letter: int) -> int:
    """Return what a letter adds to the sum. The lowest six bits of a sum count its letters, so only that of none is 0."""
    share = (letter + 1) * _SCRAMBLE
    share ^= (share >> 29) & 0x7FFFFFFFF
    return (share * _SCRAMBLE_AGAIN) & ~0x3F | 1


@inlined
def _place_of(shares: int) -> int:
    return (shares >> (64 - MARK_BITS)) & ((1 << MARK_BITS) - 1)


@inlined
def may_be_word(graph: Graph, shares: int) -> bool:
    """Return whether letters with this sum may make a word; False is certain."""
    place = _place_of(shares)
    return wide(graph[len(graph) - MARK_WORDS + (place >> 5)]) >> (place & 31) & 1 != 0


@compiled
def mark_words(graph: Graph, root: int, stack: npt.NDArray[np.int64]) -> bool:
    """Set the bits of all words that the GADDAG has, which it spells backwards before the separator.

    False when it has more strings than any language, as a few nodes can; then some words have no bit. ``stack`` has
    room for ``STACK_LENGTH`` numbers.
    """
    steps = 0
    marks = len(graph) - MARK_WORDS
    stack[0] = root
    stack[1] = letters_at(graph, root) & LETTERS_ONLY
    stack[2] = 0
    frame = 0
    while frame >= 0:
        place = stack[frame]
        left = stack[frame + 1]
        if not left:
            frame -= _FRAME
            continue
        steps += 1
        if steps > _MAX_STEPS:
            return False
        letter = lowest_bit(left)
        stack[frame + 1] = left & (left - 1)
        entry = entry_of(graph, place, letters_at(graph, place), letter)
        shares = stack[frame + 2] + share_of(letter)
        if entry & 1:
            at = _place_of(shares)
            graph[marks + (at >> 5)] |= np.uint32(1 << (at & 31))
        child = entry >> 1
        if child:
            frame += _FRAME
            stack[frame] = child
            stack[frame + 1] = letters_at(graph, child) & LETTERS_ONLY
            stack[frame + 2] = shares
    return True
