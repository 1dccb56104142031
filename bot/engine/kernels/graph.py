"""The word graph in the form that the play generator uses, and a map from letters to the words that they make.

A graph is one array of 32-bit numbers, and a *place* is an index of this array. A *list* has the children of a node. It
begins with the mask of their letters, in two numbers with the low half first: bit n for machine letter n, and bit 0 for the
separator. An *entry* for each letter of the mask follows, in ascending order. An entry is twice the place of the list of
children of the letter, plus 1 if a word ends with the letter. So one AND of masks finds the tiles of a rack that can
follow, and one count of bits finds the entry of a letter.

Place 0 is an empty list. The number at ``MAP_PLACE`` is the place of the map. The marks begin at ``MARKS``, and the
lists at ``FIRST_LIST``.

The *map* finds all words that can be made from a multiset of letters. Each letter has a *share*, which is a hash of 64 bits.
The sum of the shares identifies the multiset: the probability that two multisets have the same sum is 2**-58. The length of
a word and the highest bits of its sum select its *bucket*. The words of the map come after the lists, bucket by bucket.
A word is stored as its sum, followed by its letters, four in each number.

The *marks* have two numbers for each bucket. The first is a Bloom filter, in which two bits are set for the sum of each
word. If the two bits of a sum are not both set, its letters make no word. About one in a hundred multisets that make no word
passes the filter. The second number is the place of the first word of the bucket.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import bit_count, compiled, inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, MAX_STRING, TILE_SHIFT, Nodes

Graph: TypeAlias = npt.NDArray[np.uint32]

_BUCKET_BITS = 14
"""Number of bits of a sum that are a part of the number of its bucket."""
BUCKETS = 16 << _BUCKET_BITS
MAP_PLACE = 2
"""Index of the number that is the place of the map. The number is 0 if there is no map."""
MARKS = 3
"""The place of the marks. After the marks of the last bucket, another pair has the place where that bucket ends."""
FIRST_LIST = MARKS + 2 * BUCKETS + 2
"""The place of the first list."""
HEADER = 2
"""Length of the mask at the start of a list."""
LETTERS_ONLY = ~1
"""The mask of all letters, without the separator."""


@inlined
def letters_at(graph: Graph, place: int) -> int:
    """Return the mask of the letters of a list."""
    return to_int64(graph[place]) | (to_int64(graph[place + 1]) << 32)


@inlined
def entry_of(graph: Graph, place: int, letters: int, letter: int) -> int:
    """Return the entry of a letter in the list at ``place``. ``letters``, the mask of the list, must contain it."""
    return to_int64(graph[place + HEADER + bit_count(letters & ((1 << letter) - 1))])


@inlined
def follow(graph: Graph, place: int, letter: int) -> int:
    """Return the entry of a letter in the list at ``place``; 0, an entry without children or word, if the letter is missing."""
    letters = letters_at(graph, place)
    if not letters >> letter & 1:
        return 0
    return entry_of(graph, place, letters, letter)


@inner_kernel
def accepted_at(graph: Graph, place: int) -> int:
    """Return the mask of the letters of a list with which a word ends."""
    letters = letters_at(graph, place)
    accepted = 0
    at = place + HEADER
    while letters:
        accepted |= (letters & -letters) * (to_int64(graph[at]) & 1)
        letters &= letters - 1
        at += 1
    return accepted


@compiled
def measure(nodes: Nodes, root: int, places: npt.NDArray[np.int32], waiting: npt.NDArray[np.int32]) -> int:
    """Assign a place to every list that ``root`` reaches, and return the length of the graph without its map.

    ``places`` has a number for each node, which must be 0. The place of a list is written at the index of its first node.
    ``waiting`` is scratch space of the same length.

    Where possible, a list is followed by the children of its first letter, which often is the separator, because this is
    where a search usually continues.
    """
    waiting[0] = root
    places[root] = 1
    count = 1
    total = FIRST_LIST
    while count:
        count -= 1
        first = to_int64(waiting[count])
        places[first] = total
        last = first
        while not to_int64(nodes[last]) & LAST_SIBLING:
            last += 1
        total += HEADER + last + 1 - first
        for at in range(last, first - 1, -1):
            child = to_int64(nodes[at]) & ARC
            if child and not places[child]:
                places[child] = 1
                waiting[count] = child
                count += 1
    return total


@compiled
def fill(nodes: Nodes, places: npt.NDArray[np.int32], graph: Graph) -> None:
    """Write each list to ``graph`` at its place from :func:`measure`. ``graph`` must be all zeros."""
    for start in range(len(nodes)):
        place = to_int64(places[start])
        if not place:
            continue
        letters = 0
        entry = place + HEADER
        at = start
        while True:
            node = to_int64(nodes[at])
            letters |= 1 << (node >> TILE_SHIFT)
            child = to_int64(places[node & ARC]) if node & ARC else 0
            graph[entry] = child << 1 | (1 if node & ACCEPTS else 0)
            entry += 1
            if node & LAST_SIBLING:
                break
            at += 1
        graph[place] = letters & 0xFFFFFFFF
        graph[place + 1] = letters >> 32


EVERY_MARK = 0xFFFFFFFF
"""The filter of a bucket that lets every sum pass."""
_MAX_STEPS = 1 << 25
"""Maximum number of letters that :func:`index_words` visits. The GADDAG of a large lexicon has fewer."""

# Constants of the generator splitmix64 (Steele, Lea and Flood 2014), as signed numbers.
_STEP = -7046029254386353131
_MIX = -4658895280553007687
_MIX_AGAIN = -7723592293110705685
_FRAME = 4
"""Length of a frame of the stack: a list, the mask of its letters that are not visited yet, the sum so far, and the current
letter."""
STACK_LENGTH = _FRAME * (MAX_STRING + 1)


@inlined
def share_of(letter: int) -> int:
    """Return the share of a letter.

    Each share ends with the six bits 000001. So the lowest six bits of a sum count its letters, and only the sum of no
    letters is 0.
    """
    share = (letter + 1) * _STEP
    share = (share ^ (share >> 30) & 0x3FFFFFFFF) * _MIX
    share = (share ^ (share >> 27) & 0x1FFFFFFFFF) * _MIX_AGAIN
    share ^= (share >> 31) & 0x1FFFFFFFF
    return share & ~0x3F | 1


@inlined
def _bucket_number(shares: int) -> int:
    """Return the number of a sum's bucket. Buckets of words of one length are adjacent, because searches read them together."""
    return min(shares & 63, to_int64(15)) << _BUCKET_BITS | (shares >> (64 - _BUCKET_BITS)) & (
        (1 << _BUCKET_BITS) - 1
    )


@inlined
def _marks(shares: int) -> int:
    """Return the two bits of a sum in the filter of its bucket."""
    return 1 << (shares >> 8 & 31) | 1 << (shares >> 16 & 31)


@inlined
def may_be_word(graph: Graph, shares: int) -> bool:
    """Return whether letters with this sum may make a word. If not, they certainly make none."""
    marks = _marks(shares)
    return to_int64(graph[MARKS + 2 * _bucket_number(shares)]) & marks == marks


@inlined
def bucket_of(shares: int) -> int:
    """Return the index of the number that is the place of the first word in a sum's bucket.

    The number two indexes later is the place where the bucket ends.
    """
    return MARKS + 2 * _bucket_number(shares) + 1


@compiled
def index_words(graph: Graph, stack: npt.NDArray[np.int64]) -> bool:
    """Set the marks, or write the map, for all words of the GADDAG.

    The words are the strings of the GADDAG without a separator, which spell each word backwards.

    A first call, with 0 at ``MAP_PLACE``, sets the filters, and adds up the lengths of the words of each bucket. The caller
    then sets the number of each bucket to the place where the bucket ends. A second call writes the words backwards from
    there, so that the number is finally the place of the first word.

    ``stack`` has room for ``STACK_LENGTH`` numbers. Return False if the graph has more strings than the lexicon of any
    language. A hostile graph with a few nodes can have that many.
    """
    steps = 0
    writing = to_int64(graph[MAP_PLACE])
    stack[0] = FIRST_LIST
    stack[1] = letters_at(graph, FIRST_LIST) & LETTERS_ONLY
    stack[2] = 0
    frame = 0
    while frame >= 0:
        place = stack[frame]
        letters = stack[frame + 1]
        if not letters:
            frame -= _FRAME
            continue
        steps += 1
        if steps > _MAX_STEPS:
            return False
        letter = lowest_bit(letters)
        stack[frame + 1] = letters & (letters - 1)
        stack[frame + 3] = letter
        entry = entry_of(graph, place, letters_at(graph, place), letter)
        shares = stack[frame + 2] + share_of(letter)
        if entry & 1:
            bucket = bucket_of(shares)
            if writing:
                graph[bucket] -= word_length(shares)
                _write_word(graph, to_int64(graph[bucket]), shares, stack, frame)
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
    """Return the length of a word in the map: two numbers for its sum, the low half first, and one for every four letters."""
    return WORD_LETTERS + ((shares & 63) + 3) // 4


WORD_LETTERS = 2
"""Length of the sum at the start of a word in the map."""


@inner_kernel
def _write_word(graph: Graph, at: int, shares: int, stack: npt.NDArray[np.int64], frame: int) -> None:
    """Write a word to the map. The frames of the stack have its letters from last to first."""
    graph[at] = shares & 0xFFFFFFFF
    graph[at + 1] = (shares >> 32) & 0xFFFFFFFF
    index = to_int64(0)
    while frame >= 0:
        graph[at + WORD_LETTERS + (index >> 2)] |= np.uint32(stack[frame + 3] << 8 * (index & 3))
        index += 1
        frame -= _FRAME


@inlined
def letter_of_word(graph: Graph, word: int, index: int) -> int:
    """Return the machine letter at ``index``, from 0, of the word at the place ``word`` in the map."""
    return to_int64(graph[word + WORD_LETTERS + (index >> 2)]) >> 8 * (index & 3) & 63
