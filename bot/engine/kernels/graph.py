"""The word graph as the play generator walks it: each list begins with the set of its letters.

A list of children is two 32-bit words with the mask of its letters (bit n for machine letter n, bit 0 for the
separator; the low half first), then one word for each letter of the mask in ascending order: twice the place of its
own children, plus 1 when a word ends there. One AND finds the tiles of a rack that can follow, and counting bits
finds a letter. Place 0 is an empty list, ``MAP_PLACE`` has the place of the map, ``MARKS`` begins the marks, and
``FIRST_LIST`` is the first list.

The *map* finds the words of a multiset of letters. Each letter has a *share*, and the sum of shares stands for a
multiset: two multisets have the same sum once in 2**58. The length of a word and the highest bits of its sum are its
*bucket*. The words follow the lists, bucket by bucket: the sum, and the letters, four in a number. The marks have two
numbers for each bucket: two bits of the sum of each of its words (a Bloom filter), and the place of its first word.
Letters whose two bits are not both set make no word. Of letters that make no word, one in a hundred has both set.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import bit_count, compiled, inlined, inner, lowest_bit, wide
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, MAX_STRING, TILE_SHIFT, Nodes

Graph: TypeAlias = npt.NDArray[np.uint32]

_BUCKET_BITS = 14
BUCKETS = 16 << _BUCKET_BITS
MAP_PLACE = 2
MARKS = 3
"""The place of the marks: two numbers for each bucket, and one more pair for the end of the last."""
FIRST_LIST = MARKS + 2 * BUCKETS + 2
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


EVERY_MARK = 0xFFFFFFFF
"""A word of marks that rules nothing out."""
_MAX_STEPS = 1 << 25

# Of the generator splitmix64 (Steele, Lea and Flood 2014), as signed numbers.
_STEP = -7046029254386353131
_MIX = -4658895280553007687
_MIX_AGAIN = -7723592293110705685
_FRAME = 4
STACK_LENGTH = _FRAME * (MAX_STRING + 1)


@inlined
def share_of(letter: int) -> int:
    """Return what a letter adds to the sum. The lowest six bits of a sum count its letters, so only that of none is 0."""
    share = (letter + 1) * _STEP
    share = (share ^ (share >> 30) & 0x3FFFFFFFF) * _MIX
    share = (share ^ (share >> 27) & 0x1FFFFFFFFF) * _MIX_AGAIN
    share ^= (share >> 31) & 0x1FFFFFFFF
    return share & ~0x3F | 1


@inlined
def _bucket(shares: int) -> int:
    """Return the bucket of a sum. Words of one length are side by side, since they are looked for together."""
    return min(shares & 63, wide(15)) << _BUCKET_BITS | (shares >> (64 - _BUCKET_BITS)) & (
        (1 << _BUCKET_BITS) - 1
    )


@inlined
def _marks(shares: int) -> int:
    """Return the bits of a sum among the marks of its bucket."""
    return 1 << (shares >> 8 & 31) | 1 << (shares >> 16 & 31)


@inlined
def may_be_word(graph: Graph, shares: int) -> bool:
    """Return whether letters with this sum may make a word; False is certain."""
    marks = _marks(shares)
    return wide(graph[MARKS + 2 * _bucket(shares)]) & marks == marks


@inlined
def bucket_of(shares: int) -> int:
    """Return the place of the start of a sum's bucket; two places on is its end."""
    return MARKS + 2 * _bucket(shares) + 1


@compiled
def index_words(graph: Graph, stack: npt.NDArray[np.int64]) -> bool:
    """Visit all words of the GADDAG, which it spells backwards before the separator.

    While ``MAP_PLACE`` is 0, set the marks and add the length of each word to its bucket. Then write the words; each
    bucket begins as the place of its end and becomes that of its start. Return False when the graph has more strings
    than any language, which a few nodes suffice for. ``stack`` has room for ``STACK_LENGTH`` numbers.
    """
    steps = 0
    writing = wide(graph[MAP_PLACE])
    stack[0] = FIRST_LIST
    stack[1] = letters_at(graph, FIRST_LIST) & LETTERS_ONLY
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
        stack[frame + 3] = letter
        entry = entry_of(graph, place, letters_at(graph, place), letter)
        shares = stack[frame + 2] + share_of(letter)
        if entry & 1:
            bucket = bucket_of(shares)
            if writing:
                graph[bucket] -= word_length(shares)
                _write_word(graph, wide(graph[bucket]), shares, stack, frame)
            else:
                graph[bucket - 1] |= np.uint32(_marks(shares))
                graph[bucket] += word_length(shares)
        child = entry >> 1
        if child:
            frame += _FRAME
            stack[frame] = child
            stack[frame + 1] = letters_at(graph, child) & LETTERS_ONLY
            stack[frame + 2] = shares
    return True


@inlined
def word_length(shares: int) -> int:
    """Return how many numbers a word of the map takes: its sum, the low half first, and four letters in each."""
    return WORD_LETTERS + ((shares & 63) + 3) // 4


WORD_LETTERS = 2
"""Where the letters of a word of the map begin."""


@inner
def _write_word(graph: Graph, at: int, shares: int, stack: npt.NDArray[np.int64], frame: int) -> None:
    """Write a word of the map, whose last letter is the first of the stack."""
    graph[at] = shares & 0xFFFFFFFF
    graph[at + 1] = (shares >> 32) & 0xFFFFFFFF
    place = wide(0)
    while frame >= 0:
        graph[at + WORD_LETTERS + (place >> 2)] |= np.uint32(stack[frame + 3] << 8 * (place & 3))
        place += 1
        frame -= _FRAME


@inlined
def letter_of_word(graph: Graph, word: int, place: int) -> int:
    """Return a letter of a word of the map."""
    return wide(graph[word + WORD_LETTERS + (place >> 2)]) >> 8 * (place & 3) & 63
