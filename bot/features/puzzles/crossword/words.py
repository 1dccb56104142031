"""Puzzles about words: the phony on a board, and the hook of a word. All words are looked up, so nothing is left to chance."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, replace

from bot.domain.crossword.board import EMPTY, Board, empty_board
from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.play import THROUGH, Placement
from bot.domain.crossword.position import Player, Position
from bot.engine.lexicon.builder import words_of
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.lexicon.words import hooks, phonies, words_on_board
from bot.engine.plays.generate import plays
from bot.engine.plays.values import distinct
from bot.features.puzzles.crossword.coarse import any_coarse
from bot.features.puzzles.crossword.traits import MAX_RATING, MIN_RATING
from bot.features.puzzles.crossword.values import CrosswordPuzzle, Family, Theme

_PHONY_LENGTHS = range(4, 9)
_HOOK_LENGTHS = range(4, 8)
_CANDIDATES = 8
"""Plays of a position of which a letter is changed."""
MIN_BOARD_WORDS = 5
"""Words on a board among which a phony hides."""
_COMMON = 60
"""Words of the lexicon in which each three letters of a phony are found, at least: it has to look like a word."""


@dataclass(frozen=True, slots=True)
class Spellings:
    """How often three letters stand side by side in the words of a lexicon; 0 is the edge of a word."""

    counts: Counter[bytes]

    def plausible(self, word: bytes) -> int:
        """Return the least count among the threes of letters of a word."""
        edged = bytes([0, *word, 0])
        return min(self.counts[edged[at : at + 3]] for at in range(len(edged) - 2))


def spellings_of(lexicon: Lexicon) -> Spellings:
    """Count the threes of letters in the words of a lexicon; takes about a second."""
    counts: Counter[bytes] = Counter()
    for word in words_of(lexicon.graph):
        edged = bytes([0, *word, 0])
        counts.update({edged[at : at + 3] for at in range(len(edged) - 2)})
    return Spellings(counts)


def hide_phony(
    position: Position,
    lexicon: Lexicon,
    spellings: Spellings,
    others: tuple[WordGraph, ...],
    source: random.Random,
) -> Position | None:
    """Lay down a play with one letter changed so that it makes one word that is in no lexicon; None when none fits.

    Args:
        position: Where the play is laid down; all words on its board are in the lexicon.
        lexicon: The lexicon.
        spellings: Of the same lexicon.
        others: Further lexica of the language in which the word must not be either.
        source: What chooses among plays and letters.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    if len(words_on_board(position.board)) < MIN_BOARD_WORDS:
        return None
    ranking = distinct(plays(position, lexicon.graph, lexicon.leaves, top=4 * _CANDIDATES))[:_CANDIDATES]
    unseen = position.unseen.counts
    spare = [letter for letter in range(1, len(unseen)) if unseen[letter] > 0]
    found: list[tuple[int, Placement]] = []
    for one in ranking:
        play = one.play
        if not isinstance(play, Placement) or len(play.tiles) not in _PHONY_LENGTHS or min(play.tiles) < 0:
            continue
        for at, tile in enumerate(play.tiles):
            if tile == THROUGH or _has_neighbour(position.board, play, at):
                continue
            for letter in spare:
                changed = Placement(play.start, (*play.tiles[:at], letter, *play.tiles[at + 1 :]))
                word = bytes(
                    abs(laid or position.board.at(*square))
                    for laid, square in zip(changed.tiles, changed.squares(), strict=True)
                )
                likely = spellings.plausible(word)
                if letter != tile and likely >= _COMMON and not any(graph.accepts(word) for graph in others):
                    found.append((likely, changed))
    source.shuffle(found)
    for _, placement in found:
        board = _with(position.board, placement)
        if len(phonies(board, lexicon.graph)) == 1:
            players = tuple(replace(player, rack=()) for player in position.players)
            return replace(position, board=board, players=players, scoreless_turns=0)
    return None


def _has_neighbour(board: Board, play: Placement, at: int) -> bool:
    """Return whether a tile of a play makes a word across the play."""
    row, column = play.squares()[at]
    across = play.start.direction.value == "across"
    for step in (-1, 1):
        near = (row + step, column) if across else (row, column + step)
        if 0 <= near[0] < board.rows and 0 <= near[1] < board.columns and board.at(*near) != EMPTY:
            return True
    return False


def _with(board: Board, play: Placement) -> Board:
    return board.with_tiles(
        (row * board.columns + column, tile)
        for (row, column), tile in zip(play.squares(), play.tiles, strict=True)
        if tile != THROUGH
    )


def prove_phony(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Prove that one word on the board is not in the lexicon and all others are."""
    on_board = words_on_board(position.board)
    found = phonies(position.board, lexicon.graph)
    if len(found) != 1 or len(on_board) < MIN_BOARD_WORDS or any(player.rack for player in position.players):
        return None
    phony = _text(found[0].tiles, position.rules.distribution)
    if any_coarse(_text(word.tiles, position.rules.distribution) for word in on_board):
        return None
    rating = 1150 + 60 * (len(phony) - 4) + 12 * len(on_board)
    return CrosswordPuzzle(
        Family.PHONY,
        lexicon.name,
        position,
        (),
        (phony,),
        (),
        (),
        min(MAX_RATING, max(MIN_RATING, rating)),
    )


def hook_positions(
    position: Position, lexicon: Lexicon, known: Container[str] | None = None
) -> list[Position]:
    """Return a position for each word on a board that takes one hook only: the word alone, in the middle.

    With ``known``, only where the word and the longer one are in it.
    """
    rules = position.rules
    found = []
    for word in sorted({bytes(abs(tile) for tile in one.tiles) for one in words_on_board(position.board)}):
        hooked = _only_hook(word, lexicon) if len(word) in _HOOK_LENGTHS else None
        if hooked is None:
            continue
        texts = [_text(one, rules.distribution) for one in (word, hooked[0])]
        if known is not None and not all(text in known for text in texts):
            continue
        rows, columns = rules.layout.rows, rules.layout.columns
        start = (rows // 2) * columns + (columns - len(word)) // 2
        board = empty_board(rows, columns).with_tiles((start + at, tile) for at, tile in enumerate(word))
        found.append(Position(rules, board, (Player(), Player())))
    return found


def _only_hook(word: bytes, lexicon: Lexicon) -> tuple[bytes, Theme] | None:
    """Return the word that the only hook makes of a word; None when there is no hook, or more than one."""
    found = hooks(word, lexicon.graph)
    if not found.valid or len(found.front) + len(found.back) != 1:
        return None
    if found.front:
        return bytes([found.front[0], *word]), Theme.FRONT
    return bytes([*word, found.back[0]]), Theme.BACK


def prove_hook(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Prove that one letter, before or behind, makes another word of the one word on the board."""
    on_board = words_on_board(position.board)
    if len(on_board) != 1 or any(player.rack for player in position.players):
        return None
    word = bytes(abs(tile) for tile in on_board[0].tiles)
    hooked = _only_hook(word, lexicon)
    if hooked is None:
        return None
    longer, theme = hooked
    distribution = position.rules.distribution
    texts = _text(word, distribution), _text(longer, distribution)
    # The letter that nearly every word takes is no find.
    if any_coarse(texts) or (theme is Theme.BACK and texts[1].endswith("S")):
        return None
    rating = 1100 + 60 * (len(word) - 4) + (150 if theme is Theme.FRONT else 50)
    return CrosswordPuzzle(Family.HOOK, lexicon.name, position, (), (texts[1],), (), (theme,), rating)


def _text(tiles: tuple[int, ...] | bytes, distribution: LetterDistribution) -> str:
    return "".join(distribution.text(abs(tile)) for tile in tiles)
