"""Draws the tiles in a Turn URL game in the order that the game's seed determines.

The specification leaves the draws to the program. Like sharewords, this module hashes the seed with djb2 and generates random
numbers from the hash with mulberry32. The bag is an array that is shuffled from the inside out. Tiles are drawn from its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from bot.domain.crossword.game import remove_tiles

UNKNOWN_TILE = -1
"""A tile known only to the player who holds it."""

_UINT32_MASK = 0xFFFFFFFF


def djb2(text: str) -> int:
    """Hash the UTF-16 code units of a string with the 32-bit xor variant of Bernstein's hash."""
    value = 5381
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = ((value * 33) ^ (low | high << 8)) & _UINT32_MASK
    return value


def mulberry32(seed: int) -> Iterator[float]:
    """Yield Tommy Ettinger's mulberry32 random numbers, from 0 up to but not including 1."""
    state = seed & _UINT32_MASK
    while True:
        state = (state + 0x6D2B79F5) & _UINT32_MASK
        mixed = ((state ^ state >> 15) * (state | 1)) & _UINT32_MASK
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) & _UINT32_MASK
        yield (mixed ^ mixed >> 14) / 4294967296


class SeededBag:
    """A bag of tiles, which are machine letters. A seed determines the order in which they are drawn."""

    def __init__(self, tiles: Iterable[int], seed: str) -> None:
        self._tiles = list(tiles)
        self._random = mulberry32(djb2(seed))
        self._shuffle(1)

    def __len__(self) -> int:
        return len(self._tiles)

    def draw(self, count: int) -> tuple[int, ...]:
        start = max(0, len(self._tiles) - count)
        drawn_tiles = self._tiles[start:]
        del self._tiles[start:]
        return tuple(drawn_tiles)

    def exchange(self, returned_tiles: Sequence[int]) -> tuple[int, ...]:
        """Draw a tile for each returned tile. Then append the returned tiles.

        Each of the returned tiles, and the tile before them, is swapped with a random tile at or before its position.
        A pass is an exchange of no tiles, and also advances the random number generator.
        """
        drawn_tiles = self.draw(len(returned_tiles))
        self._tiles += returned_tiles
        self._shuffle(max(1, len(self._tiles) - len(returned_tiles)))
        return drawn_tiles

    def _shuffle(self, first_position: int) -> None:
        """Swap each position, starting at ``first_position``, with a random position at or before it. Positions are counted from 1."""
        tiles = self._tiles
        count = max(0, len(tiles) - first_position + 1)
        for position, random_number in enumerate(islice(self._random, count), start=first_position):
            other_index = int(random_number * position)
            tiles[position - 1], tiles[other_index] = tiles[other_index], tiles[position - 1]


class Racks:
    """The racks in a game, dealt and refilled from a seeded bag. They are secret during the game.

    If ``known_seats`` is given, only the racks in these seats are known. The plays of other players are assumed to fit their racks,
    so that no output reveals which tiles they hold.
    """

    def __init__(
        self, bag: SeededBag, player_count: int, rack_size: int, known_seats: Collection[int] | None = None
    ) -> None:
        self.bag = bag
        self.tiles_by_seat: list[tuple[int, ...]] = [bag.draw(rack_size) for _ in range(player_count)]
        self.known_seats = known_seats

    def holds(self, seat: int, tiles: Sequence[int]) -> bool:
        is_assumed = self.known_seats is not None and seat not in self.known_seats
        return is_assumed or Counter(tiles) <= Counter(self.tiles_by_seat[seat])

    def play(self, seat: int, tiles: Sequence[int]) -> None:
        """Remove the tiles in a play from a rack, and refill the rack.

        If the rack has identical tiles, the first of them is removed. For each tile that is not on the rack, the rack's last tile is removed.
        """
        rack = self.tiles_by_seat[seat]
        remaining_tiles = remove_tiles(rack, tiles)[: max(0, len(rack) - len(tiles))]
        self.tiles_by_seat[seat] = remaining_tiles + self.bag.draw(len(rack) - len(remaining_tiles))

    def exchange(self, seat: int, positions: Iterable[int]) -> tuple[int, ...]:
        """Exchange the tiles at these positions, and return the tiles that go back into the bag. A pass has no positions."""
        rack = self.tiles_by_seat[seat]
        last_first = sorted(positions, reverse=True)
        returned_tiles = tuple(rack[position] for position in last_first)
        kept_tiles = tuple(tile for position, tile in enumerate(rack) if position not in last_first)
        self.tiles_by_seat[seat] = kept_tiles + self.bag.exchange(returned_tiles)
        return returned_tiles


class CountedRacks:
    """The racks of a game as onlookers know them: their sizes, and the tiles that have not been laid down.

    This class does not have the seed, so it cannot reveal draws.
    """

    known_seats = ()

    def __init__(self, tiles: Sequence[int], player_count: int, rack_size: int) -> None:
        self.bag = range(max(0, len(tiles) - player_count * rack_size))  # only its length is used
        self.unseen = Counter(tiles)
        """Count of each tile in the bag and on the racks together."""
        self.tiles_by_seat: list[tuple[int, ...]] = [(UNKNOWN_TILE,) * rack_size for _ in range(player_count)]

    def holds(self, seat: int, tiles: Iterable[int]) -> bool:
        wanted_counts = Counter(tiles)
        return wanted_counts.total() <= len(self.tiles_by_seat[seat]) and wanted_counts <= self.unseen

    def play(self, seat: int, tiles: Iterable[int]) -> None:
        tile_counts = Counter(tiles)
        self.unseen -= tile_counts
        drawn_count = min(tile_counts.total(), len(self.bag))
        self.bag = self.bag[drawn_count:]
        self.tiles_by_seat[seat] = (UNKNOWN_TILE,) * (
            len(self.tiles_by_seat[seat]) - tile_counts.total() + drawn_count
        )

    def exchange(self, seat: int, positions: Sequence[int]) -> tuple[int, ...]:
        return (UNKNOWN_TILE,) * len(positions)
