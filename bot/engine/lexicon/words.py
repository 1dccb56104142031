"""Answers questions about words: validity, hooks, anagrams, and phonies on a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bot.domain.crossword.play import Coordinate, Direction, Placement
from bot.domain.crossword.position import EMPTY, Board
from bot.domain.crossword.rules import BLANK, LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.spelling import speller
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT, WordGraph

MAX_STEPS = 500_000
"""Maximum number of nodes that a search for anagrams visits. Visiting them takes a fraction of a second."""


@dataclass(frozen=True, slots=True)
class CheckedWord:
    """The result of looking up a typed word."""

    text: str
    tiles: bytes
    """The machine letters, or empty if the word cannot be spelled with the distribution."""
    valid: bool
    problem: ParseError | None = None


def check_words(
    words: Iterable[str], graph: WordGraph, distribution: LetterDistribution
) -> tuple[CheckedWord, ...]:
    spell = speller(distribution).spell
    checked_words = []
    for word in words:
        try:
            tiles = spell(word)
        except ParseError as problem:
            checked_words.append(CheckedWord(word, b"", valid=False, problem=problem))
        else:
            checked_words.append(CheckedWord(word, tiles, graph.accepts(tiles)))
    return tuple(checked_words)


@dataclass(frozen=True, slots=True)
class Hooks:
    """The tiles that, added to a word, make another word. Lists of tiles are in ascending order."""

    valid: bool
    """Whether the word itself is in the lexicon."""
    front: tuple[int, ...]
    back: tuple[int, ...]
    inner: tuple[tuple[int, int], ...]
    """The index and tile of each extension inside the word, in ascending order. Index 1 is after the word's first tile."""


def find_hooks(word: bytes, graph: WordGraph) -> Hooks:
    """Return the hooks of a word, which need not be in the lexicon."""
    # The node that each prefix of the word reaches, or 0.
    nodes = accumulate(word, lambda node, tile: graph.child(node & ARC, tile), initial=int(graph.nodes[0]))
    extensions = [
        (index, child >> TILE_SHIFT)
        for index, node in enumerate(nodes)
        for child in _siblings(graph, node & ARC)
        if graph.completes(child, word[index:])
    ]
    return Hooks(
        graph.accepts(word),
        tuple(tile for index, tile in extensions if index == 0),
        tuple(tile for index, tile in extensions if index == len(word)),
        tuple(extension for extension in extensions if 0 < extension[0] < len(word)),
    )


def _siblings(graph: WordGraph, first: int) -> Iterator[int]:
    """Yield the nodes of the list that starts at index ``first``; none if ``first`` is 0."""
    while first:
        node = int(graph.nodes[first])
        yield node
        first = 0 if node & LAST_SIBLING else first + 1


@dataclass(frozen=True, slots=True)
class Anagrams:
    """The words that can be made from the given tiles."""

    words: tuple[tuple[int, ...], ...]
    """Longest words first, then in alphabetical order. A tile is negative if a blank stands for it."""
    total: int
    """Number of words found, including words left out of :attr:`words`."""
    complete: bool
    """Whether the whole lexicon was searched."""


def find_anagrams(
    rack: Sequence[int],
    graph: WordGraph,
    *,
    min_length: int | None = None,
    max_words: int = 100,
    max_steps: int = MAX_STEPS,
) -> Anagrams:
    """Return the words made from all tiles of a rack, or from at least ``min_length`` of them.

    A blank is used for a letter only if no tile of that letter is left.
    """
    tiles = Counter(rack)
    blanks = tiles.pop(BLANK, 0)
    min_length = max(2, len(rack) if min_length is None else min_length)
    # Reading a memoryview is three times as fast as reading an array.
    nodes = graph.nodes.data
    words: list[tuple[int, ...]] = []
    word: list[int] = []
    letters_left = tiles.total()
    steps_left = max_steps

    def walk(first: int, blanks: int) -> bool:
        """Search from the list at index ``first``. Return whether the search finished within the step limit.

        The recursion is at most as deep as the longest string of the graph (``MAX_STRING_LENGTH``).
        """
        nonlocal letters_left, steps_left
        while first:
            steps_left -= 1
            if steps_left < 0:
                return False
            node = nodes[first]
            tile = node >> TILE_SHIFT
            on_rack = tiles[tile] > 0
            if on_rack or blanks:
                word.append(tile if on_rack else -tile)
                tiles[tile] -= on_rack
                letters_left -= on_rack
                blanks_left = blanks if on_rack else blanks - 1
                if node & ACCEPTS and len(word) >= min_length:
                    words.append(tuple(word))
                completed = not (letters_left or blanks_left) or walk(node & ARC, blanks_left)
                word.pop()
                tiles[tile] += on_rack
                letters_left += on_rack
                if not completed:
                    return False
            first = 0 if node & LAST_SIBLING else first + 1
        return True

    complete = len(rack) < min_length or walk(graph.dawg_root, blanks)
    words.sort(key=lambda word: (-len(word), [abs(tile) for tile in word]))
    return Anagrams(tuple(words[:max_words]), len(words), complete)


def words_on_board(board: Board) -> tuple[Placement, ...]:
    """Return all words of two or more letters on a board, across first."""
    across = (
        Placement(Coordinate(row, column, Direction.ACROSS), tiles)
        for row in range(board.rows)
        for column, tiles in _runs(board.squares[row * board.columns :][: board.columns])
    )
    down = (
        Placement(Coordinate(row, column, Direction.DOWN), tiles)
        for column in range(board.columns)
        for row, tiles in _runs(board.squares[column :: board.columns])
    )
    return (*across, *down)


def find_phonies(board: Board, graph: WordGraph) -> tuple[Placement, ...]:
    return tuple(word for word in words_on_board(board) if not graph.accepts(word.tiles))


def _runs(line: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    start = 0
    for index in range(len(line) + 1):
        if index == len(line) or line[index] == EMPTY:
            if index - start > 1:
                yield start, line[start:index]
            start = index + 1
