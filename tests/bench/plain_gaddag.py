"""A plain play generator, for comparison: Gordon's recursion on a GADDAG, in Python.

The board must be 15×15 and not empty.
"""

from __future__ import annotations

import heapq
from collections import Counter
from functools import cache
from typing import NamedTuple

from bot.domain.crossword.position import Position
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, WordGraph
from tests.domain.crossword.naive_scoring import letter_multiplier, word_multiplier


@cache
def children(graph: WordGraph, first: int) -> dict[int, tuple[int, bool]]:
    """Return, for each tile, the first node after the tile and whether the tile ends a word."""
    entries = {}
    while first:
        node = int(graph.nodes[first])
        entries[node >> 24] = (node & ARC, bool(node & ACCEPTS))
        first = 0 if node & LAST_SIBLING else first + 1
    return entries


class PartialPlay(NamedTuple):
    word_score: int = 0
    cross_scores: int = 0
    multiplier: int = 1
    laid: int = 0


class PlainGenerator:
    def __init__(self, position: Position, graph: WordGraph, leaves: LeaveValues) -> None:
        self.graph = graph
        self.leaves = leaves
        self.letters = position.rules.distribution.letters
        self.layout = position.rules.layout
        self.side = position.board.rows
        rows = [list(position.board.row(row)) for row in range(self.side)]
        self.grids = (rows, [list(column) for column in zip(*rows, strict=True)])
        self.rack = Counter(position.players[0].rack)
        self.count = 0
        self.found: list[tuple[float, int]] = []

    def find_best(self, top: int) -> list[tuple[float, int]]:
        for direction in (0, 1):
            for lane in range(self.side):
                self._search_lane(direction, lane)
        return heapq.nlargest(top, self.found)

    def _points(self, tile: int) -> int:
        return self.letters[max(tile, 0)].points

    def _search_lane(self, direction: int, lane: int) -> None:
        self.direction, self.lane = direction, lane
        self.tiles = self.grids[direction][lane]
        self.cross = [self._cross_word(column) for column in range(self.side)]
        anchors = [column for column in range(self.side) if self._is_anchor(column)]
        self.previous = -1
        for anchor in anchors:
            self.anchor = anchor
            self._continue_at(anchor, self.graph.gaddag_root, PartialPlay())
            self.previous = anchor

    def _is_anchor(self, column: int) -> bool:
        if self.tiles[column]:
            return False
        neighbours = (self.tiles[place] for place in (column - 1, column + 1) if 0 <= place < self.side)
        return any(neighbours) or self.cross[column] is not None

    def _cross_word(self, column: int) -> tuple[set[int], int] | None:
        """Return the letters that complete the cross word at a column, and the points of its other tiles; None without a cross word."""
        line = self.grids[1 - self.direction][column]
        first, end = self.lane, self.lane + 1
        while first and line[first - 1]:
            first -= 1
        while end < self.side and line[end]:
            end += 1
        if end - first == 1 or self.tiles[column]:
            return None
        before, after = line[first : self.lane], line[self.lane + 1 : end]
        fitting = {
            letter for letter in range(1, len(self.letters)) if self.graph.accepts([*before, letter, *after])
        }
        return fitting, sum(map(self._points, before + after))

    def _multipliers(self, column: int) -> tuple[int, int]:
        square = (column, self.lane) if self.direction else (self.lane, column)
        return letter_multiplier(self.layout, *square), word_multiplier(self.layout, *square)

    def _continue_at(self, column: int, list_index: int, play: PartialPlay) -> None:
        if not 0 <= column < self.side:
            return
        entries = children(self.graph, list_index)
        tile = self.tiles[column]
        if tile:
            if abs(tile) in entries:
                through = play._replace(word_score=play.word_score + self._points(tile))
                self._advance(column, entries[abs(tile)], through)
            return
        if column == self.previous:
            return
        cross = self.cross[column]
        letter_multiplier, word_multiplier = self._multipliers(column)
        for letter, entry in entries.items():
            if not letter or (cross is not None and letter not in cross[0]):
                continue
            for tile in (letter, 0):
                if not self.rack[tile]:
                    continue
                points = self._points(tile) * letter_multiplier
                cross_score = 0 if cross is None else (cross[1] + points) * word_multiplier
                self.rack[tile] -= 1
                longer_play = PartialPlay(
                    play.word_score + points,
                    play.cross_scores + cross_score,
                    play.multiplier * word_multiplier,
                    play.laid + 1,
                )
                self._advance(column, entry, longer_play)
                self.rack[tile] += 1

    def _advance(self, column: int, entry: tuple[int, bool], play: PartialPlay) -> None:
        list_index, accepts = entry
        if column > self.anchor:
            if accepts and not self._tile_at(column + 1):
                self._store_play(play)
            self._continue_at(column + 1, list_index, play)
            return
        if accepts and not self._tile_at(column - 1) and not self._tile_at(self.anchor + 1):
            self._store_play(play)
        self._continue_at(column - 1, list_index, play)
        turned = children(self.graph, list_index).get(0)
        if turned and not self._tile_at(column - 1):
            self._continue_at(self.anchor + 1, turned[0], play)

    def _tile_at(self, column: int) -> int:
        return self.tiles[column] if 0 <= column < self.side else 0

    def _store_play(self, play: PartialPlay) -> None:
        if not play.laid or (play.laid == 1 and self.direction and self.cross[self.anchor] is not None):
            return
        self.count += 1
        score = play.word_score * play.multiplier + play.cross_scores + (50 if play.laid == 7 else 0)
        leave = [tile for tile, count in self.rack.items() for _ in range(count)]
        self.found.append((score * 1000 + self.leaves.value(leave), score))
