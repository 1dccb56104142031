"""Whether some letters may make a word in any order: one bit to look at, by a sum that does not depend on their order.

Behind the lists of a :mod:`graph <bot.engine.kernels.graph>` are ``MARK_WORDS`` words of marks. Each letter adds its *share* to a
sum; the highest ``MARK_BITS`` bits of the sum of a word are the place of a bit that is set. A bit that is not set is
certain; of letters that make no word one in thirty has its bit set by a word, with a lexicon of 280,000. (A Bloom
filter with one function.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inlined, lowest_bit, wide
from bot.engine.kernels.graph import LETTERS_ONLY, Graph, entry_of, letters_at
from bot.engine.lexicon.word_graph import MAX_STRING

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
