"""The possible draws from a bag with few tiles.

A *draw* consists of the tiles drawn, in any order, and the tiles left in the bag, in a specific order.

The *hidden* tiles are all tiles that may be in the bag. An *arrangement* fills the bag with hidden tiles in a specific order;
identical tiles count as different. All arrangements are equally likely. The *weight* of a draw is proportional to the
number of arrangements that lead to it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from math import factorial, perm, prod

from bot.domain.crossword.game import remove_tiles

MAX_BAG_COUNT = 4
MAX_DRAWS = 8_000
"""Maximum number of draws examined for a play. Four of eleven hidden tiles can be arranged in 7,920 ways."""
_EXCHANGE_SAMPLE_SIZE = 1_000
"""Maximum number of draws examined for an exchange that may have more than :data:`MAX_DRAWS`."""
_SEED = 19


@dataclass(frozen=True, slots=True)
class Draw:
    """One possible draw."""

    drawn_tiles: tuple[int, ...]
    """The drawn tiles in ascending order."""
    bag: tuple[int, ...]
    """The bag's tiles in the order in which they will be drawn."""
    weight: int


class Draws:
    """The possible draws from a bag."""

    def __init__(self, hidden: Counter[int], bag_count: int, *, has_exchanges: bool) -> None:
        self._hidden = hidden
        self.bag_count = bag_count
        # An exchange shuffles the bag, which divides a draw's weight by the number of possible orders of the bag's tiles. The
        # factor is a multiple of this number, so weights remain integers.
        self._weight_factor = factorial(bag_count) if has_exchanges else 1
        self.total_weight = perm(hidden.total(), bag_count) * self._weight_factor
        self.draws_for_play = cache(self._draws_for_play)
        self.draws_for_exchange = cache(self._draws_for_exchange)
        self.sample = cache(self._sample)
        self.draw_order = cache(self._draw_order)

    def _draws_for_play(self, count: int) -> tuple[Draw, ...]:
        """Return at most :data:`MAX_DRAWS` draws of ``count`` tiles, roughly from most to least likely.

        The arrangements are the same for every ``count``, so different plays are compared on similar draws.
        """
        distinct_draws: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for tiles in self._distinct_arrangements:
            distinct_draws[tuple(sorted(tiles[:count])), tiles[count:]] = None
            if len(distinct_draws) == MAX_DRAWS:
                break
        return tuple(
            Draw(drawn_tiles, bag, self._weight(drawn_tiles, bag)) for drawn_tiles, bag in distinct_draws
        )

    def _sample(self, count: int) -> tuple[int, ...]:
        """Return indexes into ``draws_for_play(count)`` in random order, or an empty tuple if there are too many arrangements.

        Each prefix is a random sample. The search estimates each play on the first draws of ``draws_for_play``, so the sample has
        the reverse order: these draws come last (:mod:`bot.engine.endgame.rounds`).
        """
        draws = self.draws_for_play(count)
        has_all_arrangements = self._weight_factor * len(self._arrangements) == self.total_weight
        if not has_all_arrangements or sum(draw.weight for draw in draws) != self.total_weight:
            return ()
        indexes = {(draw.drawn_tiles, draw.bag): index for index, draw in enumerate(draws)}
        return tuple(
            indexes[tuple(sorted(tiles[:count])), tiles[count:]] for tiles in reversed(self._arrangements)
        )

    def _draw_order(self, count: int) -> tuple[int, ...]:
        """Return all indexes into ``draws_for_play(count)``, in the order of the sample if there is one."""
        return tuple(dict.fromkeys((*self.sample(count), *range(len(self.draws_for_play(count))))))

    def _draws_for_exchange(self, exchanged_tiles: tuple[int, ...]) -> tuple[Draw, ...]:
        """Return the draws of an exchange, or a random selection if there are too many."""
        rng = random.Random(_SEED)  # noqa: S311 - a choice of draws, not a secret
        max_draws = self.total_weight if self.total_weight <= MAX_DRAWS else _EXCHANGE_SAMPLE_SIZE
        distinct_draws: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for tiles in self._distinct_arrangements:
            drawn_tiles, new_bag = (
                tuple(sorted(tiles[: len(exchanged_tiles)])),
                [*tiles[len(exchanged_tiles) :], *exchanged_tiles],
            )
            if max_draws == self.total_weight:
                distinct_draws.update(dict.fromkeys((drawn_tiles, bag) for bag in permutations(new_bag)))
            else:
                rng.shuffle(new_bag)
                distinct_draws[drawn_tiles, tuple(new_bag)] = None
            if len(distinct_draws) >= max_draws:
                break
        return tuple(
            Draw(drawn_tiles, bag, self._weight_of_exchange(drawn_tiles, bag, exchanged_tiles))
            for drawn_tiles, bag in distinct_draws
        )

    @cached_property
    def _distinct_arrangements(self) -> tuple[tuple[int, ...], ...]:
        return tuple(dict.fromkeys(self._arrangements))

    @cached_property
    def _arrangements(self) -> list[tuple[int, ...]]:
        tiles = sorted(self._hidden.elements())
        rng = random.Random(_SEED)  # noqa: S311 - as above
        if perm(len(tiles), self.bag_count) > 8 * MAX_DRAWS:
            return [tuple(rng.sample(tiles, self.bag_count)) for _ in range(8 * MAX_DRAWS)]
        arrangements = list(permutations(tiles, self.bag_count))
        rng.shuffle(arrangements)
        return arrangements

    def _weight_of_exchange(
        self, drawn_tiles: Sequence[int], bag: Sequence[int], exchanged_tiles: Sequence[int]
    ) -> int:
        kept_in_bag = remove_tiles(bag, exchanged_tiles)
        return self._weight(drawn_tiles, kept_in_bag) * _count_orders(kept_in_bag) // _count_orders(bag)

    def _weight(self, drawn_tiles: Sequence[int], bag: Sequence[int]) -> int:
        used_counts = Counter((*drawn_tiles, *bag))
        ways = prod(perm(self._hidden[kind], used_count) for kind, used_count in used_counts.items())
        return self._weight_factor * _count_orders(drawn_tiles) * ways


def _count_orders(tiles: Sequence[int]) -> int:
    return factorial(len(tiles)) // prod(map(factorial, Counter(tiles).values()))
