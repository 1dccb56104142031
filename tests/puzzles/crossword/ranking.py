"""An independent ranking of plays.

It has its own parsers for the word and leave files, and tries every word in every row and column.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import numpy as np

from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Placement, tiles_laid
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import score_placement
from tests.engine.naive_plays import is_allowed, letters_on_board, rated_play

DATA = files("bot.engine") / "data"
ARC, END, ACCEPTS = 0x3FFFFF, 0x400000, 0x800000
"""A node's bits: the index of its first child, whether it is the last sibling, and whether a word ends at it."""


def _words_from(nodes: tuple[int, ...], index: int, prefix: bytes = b"") -> Iterator[bytes]:
    while index:
        node = nodes[index]
        text = bytes((*prefix, node >> 24))
        if node & ACCEPTS:
            yield text
        yield from _words_from(nodes, node & ARC, text)
        index = 0 if node & END else index + 1


@cache
def words_of(name: str) -> frozenset[bytes]:
    data = (DATA / f"{name}.kwg").read_bytes()
    nodes = struct.unpack(f"<{len(data) // 4}I", data)
    return frozenset(_words_from(nodes, nodes[0] & ARC))


class Leaves:
    """The values of leaves, in millipoints. The tiles of a leave are in ascending order."""

    def __init__(self, name: str) -> None:
        data = (DATA / f"{name}.klv").read_bytes()
        [node_count] = struct.unpack_from("<I", data)
        self._nodes = struct.unpack_from(f"<{node_count}I", data, 4)
        [value_count] = struct.unpack_from("<I", data, 4 * (node_count + 1))
        # A value is either two bytes (in 256ths of a point) or four bytes (in points).
        has_short_values = len(data) == 4 * (node_count + 2) + 2 * value_count
        self._values = struct.unpack_from(
            f"<{value_count}{'h' if has_short_values else 'f'}", data, 4 * (node_count + 2)
        )
        self._unit = 1000 / 256 if has_short_values else 1000
        self._word_counts: dict[int, int] = {0: 0}

    def get(self, leave: bytes, default: int) -> int:
        node_index, value_index = self._nodes[0] & ARC, 0
        for depth, tile in enumerate(leave, start=1):
            while node_index and self._nodes[node_index] >> 24 != tile:
                value_index += bool(self._nodes[node_index] & ACCEPTS) + self._count_from(
                    self._nodes[node_index] & ARC
                )
                node_index = 0 if self._nodes[node_index] & END else node_index + 1
            if not node_index:
                return default
            if depth == len(leave):
                return (
                    round(self._unit * self._values[value_index])
                    if self._nodes[node_index] & ACCEPTS
                    else default
                )
            value_index += bool(self._nodes[node_index] & ACCEPTS)
            node_index = self._nodes[node_index] & ARC
        return default

    def _count_from(self, node_index: int) -> int:
        """Count the words that can be reached from a node and its later siblings."""
        if node_index not in self._word_counts:
            node = self._nodes[node_index]
            rest = 0 if node & END else self._count_from(node_index + 1)
            self._word_counts[node_index] = bool(node & ACCEPTS) + self._count_from(node & ARC) + rest
        return self._word_counts[node_index]


leaves_of = cache(Leaves)


@cache
def _words_and_letter_counts(name: str, letter_count: int) -> tuple[list[bytes], np.ndarray]:
    words = sorted(words_of(name))
    rows = np.repeat(np.arange(len(words)), [len(word) for word in words])
    counts = np.zeros((len(words), letter_count), dtype=np.int8)
    np.add.at(counts, (rows, np.frombuffer(b"".join(words), dtype=np.uint8)), 1)
    return words, counts


def placements(position: Position, name: str) -> Iterator[Placement]:
    """Yield the placements across and down that the rack allows. A blank is yielded as the letter that it stands for. Cross words are not checked."""
    board, rules = position.board, position.rules
    letter_count = len(rules.distribution.letters)
    words, counts = _words_and_letter_counts(name, letter_count)
    rack = Counter(position.players[position.on_turn].rack)
    for direction in Direction:
        across = direction is Direction.ACROSS
        for line in range(board.rows if across else board.columns):
            length = board.columns if across else board.rows
            squares = [(line, offset) if across else (offset, line) for offset in range(length)]
            tiles = [abs(board.at(*square)) for square in squares]
            is_near_tiles = any(
                0 <= row < board.rows and 0 <= column < board.columns and board.at(row, column)
                for row, column in (
                    (square[0] + down, square[1] + right)
                    for square in squares
                    for down, right in _NEIGHBOUR_OFFSETS
                )
            )
            if board.tile_count and not is_near_tiles:
                continue
            letters_on_line = Counter(tile for tile in tiles if tile)
            available_counts = np.array(
                [letters_on_line[letter] + rack[letter] for letter in range(letter_count)]
            )
            missing_counts = np.maximum(0, counts - available_counts).sum(axis=1)
            for index in np.flatnonzero(missing_counts <= rack[0]):
                word = words[index]
                for offset in range(length - len(word) + 1):
                    start = Coordinate(*squares[offset], direction)
                    part = tiles[offset : offset + len(word)]
                    if all(part) or any(
                        tile and tile != letter for tile, letter in zip(part, word, strict=True)
                    ):
                        continue
                    through = letters_on_board(board, start, word)
                    if through is not None:
                        yield Placement(
                            start,
                            tuple(
                                THROUGH if is_on_board else letter
                                for letter, is_on_board in zip(word, through, strict=True)
                            ),
                        )


_NEIGHBOUR_OFFSETS = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))


def ranking(position: Position, name: str) -> list[tuple[int, frozenset[tuple[int, int, int]]]]:
    """Return the equity in millipoints of each valid placement, best first, and its letters with their squares.

    A blank counts as its letter.
    """
    words, leaves, board = words_of(name), leaves_of(name), position.board
    rack = Counter(position.players[position.on_turn].rack)
    best: dict[frozenset[tuple[int, int, int]], int] = {}
    for placement in placements(position, name):
        if not is_allowed(board, placement, position.rules):
            continue
        for play in _with_blanks(placement, rack):
            scored_play = score_placement(board, play, position.rules)
            if all(bytes(map(abs, cross.tiles)) in words for cross in scored_play.cross_words):
                used_tiles = Counter(max(tile, 0) for tile in play.tiles if tile != THROUGH)
                equity = rated_play(position, play, scored_play.score, rack - used_tiles, leaves).equity
                key = letters_on(play)
                best[key] = max(equity, best.get(key, equity))
    return sorted(((equity, key) for key, equity in best.items()), key=lambda item: -item[0])


def letters_on(play: Placement) -> frozenset[tuple[int, int, int]]:
    return frozenset((row, column, abs(tile)) for row, column, tile in tiles_laid(play))


def _with_blanks(placement: Placement, rack: Counter[int]) -> Iterator[Placement]:
    ways: list[tuple[tuple[int, ...], Counter[int]]] = [((), rack.copy())]
    for tile in placement.tiles:
        longer_ways = []
        for tiles, tiles_left in ways:
            for laid, used in ((tile, tile), (-tile, 0)) if tile != THROUGH else ((THROUGH, None),):
                if used is None:
                    longer_ways.append(((*tiles, laid), tiles_left))
                elif tiles_left[used]:
                    longer_ways.append(((*tiles, laid), tiles_left - Counter([used])))
        ways = longer_ways
    for tiles, _ in ways:
        yield Placement(placement.start, tiles)
