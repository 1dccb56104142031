"""The draws from a bag with a few tiles: the tiles that a player draws, and the order of the remaining tiles.

A play that draws the whole bag leads to an endgame, for which order does not matter. After a play that leaves tiles
in the bag, their order matters. So each draw consists of the drawn tiles as a multiset, and the remaining tiles in
order. Each draw is weighted by the number of arrangements of the unseen tiles, all distinct, that lead to it. The
total weight is the same for every play.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from math import factorial, perm

from bot.domain.crossword.game import without

MAX_IN_BAG = 4
"""Maximum number of tiles in the bag."""
MAX_DRAWS = 8_000
"""Maximum number of draws examined for a play: the number of draws with eleven unseen tiles and four in the bag."""
_CHOSEN = 1_000
"""Number of draws examined for an exchange that has more than :data:`MAX_DRAWS`."""
_SEED = 19


@dataclass(frozen=True, slots=True)
class Draw:
    """The tiles that a player draws, and the tiles that stay in the bag."""

    drawn: tuple[int, ...]
    """The tiles that the player draws, in ascending order."""
    bag: tuple[int, ...]
    """The bag afterwards, in the order of drawing."""
    weight: int
    """Number of equally likely ways to draw these tiles."""


class Draws:
    """All possible draws from a bag."""

    def __init__(self, hidden: Counter[int], in_bag: int, *, exchanges: bool) -> None:
        """Take the hidden tiles; ``in_bag`` of these tiles are in the bag."""
        self._hidden = hidden
        self._in_bag = in_bag
        # An exchange shuffles the bag, so each order of the bag has an equal part of the weight.
        self._parts = factorial(in_bag) if exchanges else 1
        self.total = perm(hidden.total(), in_bag) * self._parts
        """The total weight of all draws of a play."""
        self.after = cache(self._after)
        self.after_exchange = cache(self._after_exchange)
        self.sample = cache(self._sample)
        self.order = cache(self._order)

    def _after(self, count: int) -> tuple[Draw, ...]:
        """Return the draws of a play that takes ``count`` tiles from the bag, likelier draws first.

        Every ``count`` begins with the same draws, so that plays are compared on the same draws.
        """
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for tiles in self._orders:
            found[tuple(sorted(tiles[:count])), tiles[count:]] = None
            if len(found) == MAX_DRAWS:
                break
        return tuple(Draw(drawn, bag, self._weight(drawn, bag)) for drawn, bag in found)

    def _sample(self, count: int) -> tuple[int, ...]:
        """Return the index in ``after(count)`` of each possible order of the unseen tiles, in random order.

        All tiles are distinct here, so all orders are equally likely. The sample begins with draws that come late in
        ``after(count)``. It is empty if there are too many orders to list.
        """
        draws = self.after(count)
        is_whole = self._parts * len(self._shuffled) == self.total == sum(draw.weight for draw in draws)
        if not is_whole:
            return ()
        places = {(draw.drawn, draw.bag): place for place, draw in enumerate(draws)}
        return tuple(
            places[tuple(sorted(tiles[:count])), tiles[count:]] for tiles in reversed(self._shuffled)
        )

    def _order(self, count: int) -> tuple[int, ...]:
        """Return all indexes of ``after(count)``, in the order of their first occurrence in the sample if there is one."""
        return tuple(dict.fromkeys((*self.sample(count), *range(len(self.after(count))))))

    def _after_exchange(self, exchanged: tuple[int, ...]) -> tuple[Draw, ...]:
        """Return the draws of an exchange: the drawn tiles, and the shuffled bag afterwards.

        If there are too many draws, a random selection is returned.
        """
        source = random.Random(_SEED)  # noqa: S311 - a choice of draws, not a secret
        most = self.total if self.total <= MAX_DRAWS else _CHOSEN
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for tiles in self._orders:
            drawn, shuffled = tuple(sorted(tiles[: len(exchanged)])), [*tiles[len(exchanged) :], *exchanged]
            if most == self.total:
                found.update(dict.fromkeys((drawn, bag) for bag in permutations(shuffled)))
            else:
                source.shuffle(shuffled)
                found[drawn, tuple(shuffled)] = None
            if len(found) >= most:
                break
        return tuple(
            Draw(drawn, bag, self._weight_of_exchange(drawn, bag, exchanged)) for drawn, bag in found
        )

    @cached_property
    def _orders(self) -> tuple[tuple[int, ...], ...]:
        """Return every possible bag in every order, roughly from likely to unlikely."""
        return tuple(dict.fromkeys(self._shuffled))

    @cached_property
    def _shuffled(self) -> list[tuple[int, ...]]:
        """Return each possible bag as often as its weight, in random order; a random sample if there are too many."""
        labelled = sorted(self._hidden.elements())
        source = random.Random(_SEED)  # noqa: S311 - as above
        if perm(len(labelled), self._in_bag) > 8 * MAX_DRAWS:
            return [tuple(source.sample(labelled, self._in_bag)) for _ in range(8 * MAX_DRAWS)]
        found = list(permutations(labelled, self._in_bag))
        source.shuffle(found)
        return found

    def _weight_of_exchange(self, drawn: Sequence[int], bag: Sequence[int], exchanged: Sequence[int]) -> int:
        stay = without(bag, exchanged)
        return self._weight(drawn, stay) * _arrangements(stay) // _arrangements(bag)

    def _weight(self, drawn: Sequence[int], bag: Sequence[int]) -> int:
        ways = self._parts * _arrangements(drawn)
        for kind, used in Counter((*drawn, *bag)).items():
            ways *= perm(self._hidden[kind], used)
        return ways


def _arrangements(tiles: Sequence[int]) -> int:
    """Return the number of distinct orders of some tiles."""
    ways = factorial(len(tiles))
    for same in Counter(tiles).values():
        ways //= factorial(same)
    return ways
