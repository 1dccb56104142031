"""Answers questions about words: validity, hooks, anagrams, and phonies on a board.

Words are machine letters, except in :func:`check`, which spells typed words with :mod:`bot.engine.lexicon.spelling`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.domain.crossword.play import Coordinate, Direction, Placement
from bot.domain.crossword.position import EMPTY, Board
from bot.domain.crossword.rules import BLANK, LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.spelling import speller
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT, WordGraph

MAX_STEPS = 500_000
"""Maximum number of nodes that a search for anagrams visits, in a fraction of a second."""


@dataclass(frozen=True, slots=True)
class CheckedWord:
    """The result of looking up a typed word."""

    text: str
    """The word as typed."""
    tiles: bytes
    """The word as machine letters, or empty if it cannot be spelled with the distribution."""
    valid: bool
    """Whether the word is in the lexicon."""
    problem: ParseError | None = None
    """Why the word cannot be spelled."""


def check(
    words: Iterable[str], graph: WordGraph, distribution: LetterDistribution
) -> tuple[CheckedWord, ...]:
    """Look up each word in the lexicon."""
    spell = speller(distribution).spell
    checked = []
    for word in words:
        try:
            tiles = spell(word)
        except ParseError as problem:
            checked.append(CheckedWord(word, b"", valid=False, problem=problem))
        else:
            checked.append(CheckedWord(word, tiles, graph.accepts(tiles)))
    return tuple(checked)


@dataclass(frozen=True, slots=True)
class Hooks:
    """The tiles that extend a word to another word, in ascending order."""

    valid: bool
    """Whether the word itself is in the lexicon."""
    front: tuple[int, ...]
    back: tuple[int, ...]
    inner: tuple[tuple[int, int], ...]
    """The index and tile of each extension inside the word. Index 1 is after the word's first tile."""


def hooks(word: bytes, graph: WordGraph) -> Hooks:
    """Return the hooks of a word, which need not be in the lexicon."""
    front: list[int] = []
    back: list[int] = []
    inner: list[tuple[int, int]] = []
    first, node = graph.dawg_root, 0
    for place in range(len(word) + 1):
        rest = word[place:]
        for sibling in siblings(graph, first):
            tile = sibling >> TILE_SHIFT
            if graph.completes(sibling, rest):
                if place == len(word):
                    back.append(tile)
                elif place == 0:
                    front.append(tile)
                else:
                    inner.append((place, tile))
        if not rest:
            return Hooks(bool(node & ACCEPTS), tuple(front), tuple(back), tuple(inner))
        node = graph.child(first, rest[0])
        if not node:
            break
        first = node & ARC
    # No word begins with ``word``, so only a tile in front can make a word.
    return Hooks(valid=False, front=tuple(front), back=(), inner=tuple(inner))


def siblings(graph: WordGraph, first: int) -> Iterator[int]:
    """Yield the nodes of the list that starts at index ``first``; nothing for 0."""
    while first:
        node = int(graph.nodes[first])
        yield node
        if node & LAST_SIBLING:
            return
        first += 1


@dataclass(frozen=True, slots=True)
class Anagrams:
    """The words that can be made from some tiles."""

    words: tuple[tuple[int, ...], ...]
    """Longest words first, then alphabetically. -n is a blank that stands for tile n."""
    total: int
    """Number of words that were found."""
    complete: bool
    """Whether the whole lexicon was searched."""


def anagrams(
    rack: Sequence[int],
    graph: WordGraph,
    *,
    shortest: int | None = None,
    max_words: int = 100,
    max_steps: int = MAX_STEPS,
) -> Anagrams:
    """Return the words made from all tiles of a rack, or from at least ``shortest`` of them.

    A word uses a blank only if the rack has no more tiles of the letter. All words are counted, but at most ``max_words`` are
    returned.
    """
    tiles = Counter(rack)
    blanks = tiles.pop(BLANK, 0)
    least = max(2, len(rack) if shortest is None else shortest)
    search = _Search(graph, tiles, least, max_steps)
    complete = len(rack) < least or search.walk(graph.dawg_root, blanks)
    words = sorted(search.words, key=lambda word: (-len(word), [abs(tile) for tile in word]))
    return Anagrams(tuple(words[:max_words]), len(words), complete)


class _Search:
    """A walk through the word graph with the tiles of a rack."""

    def __init__(self, graph: WordGraph, tiles: Counter[int], least: int, max_steps: int) -> None:
        # Reading a number from a memory view takes a third of the time of reading it from an array.
        self._nodes = graph.nodes.data
        self._tiles = tiles
        self._left = tiles.total()
        self._least = least
        self._steps = max_steps
        self._word: list[int] = []
        self.words: list[tuple[int, ...]] = []

    def walk(self, first: int, blanks: int) -> bool:
        """Search from the list at index ``first``. Return whether there were enough steps to complete the search.

        The recursion is at most as deep as the longest string of the graph (``MAX_STRING``).
        """
        tiles, word = self._tiles, self._word
        while first:
            self._steps -= 1
            if self._steps < 0:
                return False
            node = self._nodes[first]
            tile = node >> TILE_SHIFT
            on_rack = tiles[tile] > 0
            if on_rack or blanks:
                word.append(tile if on_rack else -tile)
                tiles[tile] -= on_rack
                self._left -= on_rack
                blanks_left = blanks if on_rack else blanks - 1
                if node & ACCEPTS and len(word) >= self._least:
                    self.words.append(tuple(word))
                completed = not (self._left or blanks_left) or self.walk(node & ARC, blanks_left)
                word.pop()
                tiles[tile] += on_rack
                self._left += on_rack
                if not completed:
                    return False
            first = 0 if node & LAST_SIBLING else first + 1
        return True


@dataclass(frozen=True, slots=True)
class BoardWord:
    """Two or more tiles side by side in a row or column, with no tile before or after them."""

    start: Coordinate
    tiles: tuple[int, ...]
    """-n is a blank that stands for tile n."""

    @property
    def squares(self) -> tuple[tuple[int, int], ...]:
        """The row and column of each tile."""
        return Placement(self.start, self.tiles).squares()


def words_on_board(board: Board) -> tuple[BoardWord, ...]:
    """Return all words on a board, across first, from the top left."""
    across = (
        BoardWord(Coordinate(row, column, Direction.ACROSS), tiles)
        for row in range(board.rows)
        for column, tiles in _runs(board.squares[row * board.columns :][: board.columns])
    )
    down = (
        BoardWord(Coordinate(row, column, Direction.DOWN), tiles)
        for column in range(board.columns)
        for row, tiles in _runs(board.squares[column :: board.columns])
    )
    return (*across, *down)


def phonies(board: Board, graph: WordGraph) -> tuple[BoardWord, ...]:
    """Return the words on a board that are not in the lexicon, across first."""
    return tuple(word for word in words_on_board(board) if not graph.accepts(word.tiles))


def _runs(line: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    start = 0
    for place in range(len(line) + 1):
        if place == len(line) or line[place] == EMPTY:
            if place - start > 1:
                yield start, line[start:place]
            start = place + 1
