"""The GADDAG in the kernels' format, and a map from sets of letters to words.

A graph is one array of 32-bit numbers. An *offset* is an index in this array. A *list* holds the children of a node. It begins
with a 64-bit mask of their letters, low half first: bit n for machine letter n, and bit 0 for the separator. An *entry* for
each letter follows, in ascending order: twice the offset of the letter's list, plus 1 if a word ends with the letter. The list
at offset 0 is empty.

The *map* finds all words that a multiset of letters makes. A multiset is identified by the sum of its letters' 64-bit hashes:
two multisets share a sum with a probability of at most 2**-58, because counts of a letter differ by at most 64. A word's length
and the highest bits of its sum select its *bucket*. The words are stored after the lists, bucket by bucket. Each is stored as
its sum, then its letters, four to a number.

The *marks* are two numbers for each bucket. The first is a Bloom filter with two bits for each word's sum. About 1% of the
multisets that make no word pass it. The second is the offset of the bucket's first word.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import bit_count, compiled, inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, MAX_STRING_LENGTH, TILE_SHIFT, Nodes

Graph: TypeAlias = npt.NDArray[np.uint32]

_SUM_BITS = 14
"""Number of bits that a bucket's number takes from the sum."""
BUCKET_COUNT = 16 << _SUM_BITS
MAP_OFFSET_INDEX = 2
"""Index of the map's offset. The offset is 0 without a map."""
MARKS_OFFSET = 3
FIRST_LIST_OFFSET = MARKS_OFFSET + 2 * BUCKET_COUNT + 2
"""The lists follow the marks, which have an extra pair for the end of the last bucket."""
HEADER_LENGTH = 2
LETTERS_ONLY = ~1


@inlined
def letters_at(graph: Graph, offset: int) -> int:
    return to_int64(graph[offset]) | (to_int64(graph[offset + 1]) << 32)


@inlined
def entry_of(graph: Graph, offset: int, letters: int, letter: int) -> int:
    """Return the entry of a letter in a list. ``letters`` is the list's mask, which must contain the letter."""
    return to_int64(graph[offset + HEADER_LENGTH + bit_count(letters & ((1 << letter) - 1))])


@inlined
def follow(graph: Graph, offset: int, letter: int) -> int:
    """Return the entry of a letter in the list at ``offset``, or 0 if the letter is missing."""
    letters = letters_at(graph, offset)
    if not letters >> letter & 1:
        return 0
    return entry_of(graph, offset, letters, letter)


@inner_kernel
def accepted_letters_at(graph: Graph, offset: int) -> int:
    """Return the mask of the letters in the list at ``offset`` that end a word."""
    letters = letters_at(graph, offset)
    accepted = 0
    entry_index = offset + HEADER_LENGTH
    while letters:
        accepted |= (letters & -letters) * (to_int64(graph[entry_index]) & 1)
        letters &= letters - 1
        entry_index += 1
    return accepted


@compiled
def assign_offsets(
    nodes: Nodes, root: int, offsets: npt.NDArray[np.int32], waiting: npt.NDArray[np.int32]
) -> int:
    """Assign an offset to every list reachable from ``root``. Return the length of the graph without its map.

    The offset of a list is written to ``offsets`` at the index of the list's first node. ``offsets`` must be all zeros, and
    ``waiting`` is scratch space of the same length. Where possible, the children of a list's first letter follow the list,
    because a search usually continues there.
    """
    waiting[0] = root
    offsets[root] = 1
    waiting_count = 1
    length = FIRST_LIST_OFFSET
    while waiting_count:
        waiting_count -= 1
        first = to_int64(waiting[waiting_count])
        offsets[first] = length
        last = first
        while not to_int64(nodes[last]) & LAST_SIBLING:
            last += 1
        length += HEADER_LENGTH + last + 1 - first
        for node_index in range(last, first - 1, -1):
            child = to_int64(nodes[node_index]) & ARC
            if child and not offsets[child]:
                offsets[child] = 1
                waiting[waiting_count] = child
                waiting_count += 1
    return length


@compiled
def write_lists(nodes: Nodes, offsets: npt.NDArray[np.int32], graph: Graph) -> None:
    """Write the lists to ``graph``, which must be all zeros."""
    for start in range(len(nodes)):
        offset = to_int64(offsets[start])
        if not offset:
            continue
        letters = 0
        entry = offset + HEADER_LENGTH
        node_index = start
        while True:
            node = to_int64(nodes[node_index])
            letters |= 1 << (node >> TILE_SHIFT)
            child = to_int64(offsets[node & ARC]) if node & ARC else 0
            graph[entry] = child << 1 | (1 if node & ACCEPTS else 0)
            entry += 1
            if node & LAST_SIBLING:
                break
            node_index += 1
        graph[offset] = letters & 0xFFFFFFFF
        graph[offset + 1] = letters >> 32


FULL_FILTER = 0xFFFFFFFF
_MAX_STEPS = 1 << 25
"""Maximum number of entries that :func:`index_words` visits. The GADDAG of a large lexicon has fewer."""

# Constants of the generator splitmix64 (Steele, Lea and Flood 2014), as signed numbers.
_STEP = -7046029254386353131
_MIX = -4658895280553007687
_SECOND_MIX = -7723592293110705685
_FRAME_LENGTH = 4
"""A frame of the stack: the offset of a list, the mask of its unvisited letters, the sum so far, and the current letter."""
STACK_LENGTH = _FRAME_LENGTH * (MAX_STRING_LENGTH + 1)


@inlined
def letter_hash(letter: int) -> int:
    """Return the hash of a letter.

    Its lowest six bits are 000001. So the lowest six bits of a sum count the letters, and no sum is 0.
    """
    value = (letter + 1) * _STEP
    value = (value ^ (value >> 30) & 0x3FFFFFFFF) * _MIX
    value = (value ^ (value >> 27) & 0x1FFFFFFFFF) * _SECOND_MIX
    value ^= (value >> 31) & 0x1FFFFFFFF
    return value & ~0x3F | 1


@inlined
def _bucket_number(hash_sum: int) -> int:
    """Return the bucket of a sum. Words of the same length are in adjacent buckets, because searches read them together."""
    return min(hash_sum & 63, to_int64(15)) << _SUM_BITS | (hash_sum >> (64 - _SUM_BITS)) & (
        (1 << _SUM_BITS) - 1
    )


@inlined
def _filter_bits(hash_sum: int) -> int:
    return 1 << (hash_sum >> 8 & 31) | 1 << (hash_sum >> 16 & 31)


@inlined
def may_be_word(graph: Graph, hash_sum: int) -> bool:
    """Check the Bloom filter. False means that letters with this sum make no word."""
    bits = _filter_bits(hash_sum)
    return to_int64(graph[MARKS_OFFSET + 2 * _bucket_number(hash_sum)]) & bits == bits


@inlined
def bucket_start_index(hash_sum: int) -> int:
    """Return the index at which the offset of the bucket's first word is stored.

    The offset of the bucket's end is stored two numbers later.
    """
    return MARKS_OFFSET + 2 * _bucket_number(hash_sum) + 1


@compiled
def index_words(graph: Graph, stack: npt.NDArray[np.int64]) -> bool:
    """Set the filters (first call) or fill the buckets (second call) for all words of the GADDAG.

    Return False if the graph has too many strings: a hostile graph with a few nodes can have more than any language's lexicon.

    Only strings without a separator are indexed. They spell each word once, backwards. The first call, with 0 at
    ``MAP_OFFSET_INDEX``, also adds up the lengths of each bucket's words. The caller then replaces each total with the end of its
    bucket. The second call fills each bucket backwards from its end, which lowers the stored end to the offset of the first word.
    """
    steps = 0
    fills_buckets = to_int64(graph[MAP_OFFSET_INDEX])
    stack[0] = FIRST_LIST_OFFSET
    stack[1] = letters_at(graph, FIRST_LIST_OFFSET) & LETTERS_ONLY
    stack[2] = 0
    frame = 0
    while frame >= 0:
        offset = stack[frame]
        letters = stack[frame + 1]
        if not letters:
            frame -= _FRAME_LENGTH
            continue
        steps += 1
        if steps > _MAX_STEPS:
            return False
        letter = lowest_bit(letters)
        stack[frame + 1] = letters & (letters - 1)
        stack[frame + 3] = letter
        entry = entry_of(graph, offset, letters_at(graph, offset), letter)
        hash_sum = stack[frame + 2] + letter_hash(letter)
        if entry & 1:
            start_index = bucket_start_index(hash_sum)
            if fills_buckets:
                graph[start_index] -= stored_length(hash_sum)
                _write_word(graph, to_int64(graph[start_index]), hash_sum, stack, frame)
            else:
                graph[start_index - 1] |= np.uint32(_filter_bits(hash_sum))
                graph[start_index] += stored_length(hash_sum)
        child = entry >> 1
        if child:
            frame += _FRAME_LENGTH
            stack[frame] = child
            stack[frame + 1] = letters_at(graph, child) & LETTERS_ONLY
            stack[frame + 2] = hash_sum
    return True


@inlined
def stored_length(hash_sum: int) -> int:
    """Return a word's length in the map: two numbers for its hash sum, and one for every four letters."""
    return SUM_LENGTH + ((hash_sum & 63) + 3) // 4


SUM_LENGTH = 2


@inner_kernel
def _write_word(graph: Graph, offset: int, hash_sum: int, stack: npt.NDArray[np.int64], frame: int) -> None:
    """Write a word to ``graph[offset:]``. The stack holds its letters: the last in the lowest frame, the first at ``frame``."""
    graph[offset] = hash_sum & 0xFFFFFFFF
    graph[offset + 1] = (hash_sum >> 32) & 0xFFFFFFFF
    index = to_int64(0)
    while frame >= 0:
        graph[offset + SUM_LENGTH + (index >> 2)] |= np.uint32(stack[frame + 3] << 8 * (index & 3))
        index += 1
        frame -= _FRAME_LENGTH


@inlined
def letter_of_word(graph: Graph, offset: int, index: int) -> int:
    """Return a letter of the word at ``offset``."""
    return to_int64(graph[offset + SUM_LENGTH + (index >> 2)]) >> 8 * (index & 3) & 63
