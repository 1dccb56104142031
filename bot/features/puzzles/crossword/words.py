"""The features and the estimated difficulty of answers, and puzzles about words."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import THROUGH, Placement
from bot.domain.crossword.position import Player, Position, empty_board
from bot.domain.crossword.rules import BLANK, LetterDistribution
from bot.domain.crossword.scoring import score_placement
from bot.engine.lexicon.builder import words_of
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.lexicon.words import hooks, phonies, words_on_board
from bot.engine.plays.generate import plays
from bot.engine.plays.values import By, distinct
from bot.features.puzzles.crossword.document import CrosswordPuzzle, Family, Theme

_STEM = 4
"""Letters that a word of the list needs to keep out all words that begin with it."""


@cache
def _listed() -> frozenset[str]:
    text = (files("bot.features.puzzles") / "data" / "coarse.txt").read_text(encoding="ascii")
    return frozenset(text.upper().split())


def is_coarse(word: str) -> bool:
    """Return whether a word is on the list, the plural of such a word, or begins with a longer one of them."""
    word = word.upper()
    listed = _listed()
    if word in listed or word.removesuffix("S") in listed:
        return True
    return any(word[:end] in listed for end in range(_STEM, len(word)))


def any_coarse(words: Iterable[str]) -> bool:
    """Return whether any of some words is coarse."""
    return any(is_coarse(word) for word in words)


_POWER_TILE_POINTS = 8
_PARALLEL = 3
_LONG_WORD_LENGTH = 9
_SMALL = 3
MIN_RATING, MAX_RATING = 600, 2600
_TOP_SCORES = 48
"""Plays by score that are examined to find six that differ in more than the blank."""


def themes_of(position: Position, play: Placement, *, goes_out: bool = False) -> tuple[Theme, ...]:
    """Return what a play is made of."""
    scored, used = score_placement(position.board, play, position.rules), tiles_used(play)
    points = [position.rules.distribution.letters[tile].points for tile in used]
    found = {
        Theme.BINGO: len(used) >= position.rules.rack_size,
        Theme.BLANK: BLANK in used,
        Theme.POWER_TILE: max(points) >= _POWER_TILE_POINTS,
        Theme.THROUGH: THROUGH in play.tiles,
        Theme.PARALLEL: len(scored.words) >= _PARALLEL,
        Theme.LONG: len(scored.word.tiles) >= _LONG_WORD_LENGTH,
        Theme.SMALL: len(used) <= _SMALL,
        Theme.GOES_OUT: goes_out,
    }
    return tuple(theme for theme, applies in found.items() if applies)


def difficulty(position: Position, play: Placement, lexicon: Lexicon, gap: float) -> int:
    """Return the estimated difficulty of finding a play, as its first rating.

    Longer words, words through tiles, plays that others outscore and plays that are not bingos are harder; a wide lead over
    the next play makes it easier. The weights are initial estimates; players' answers correct the ratings.

    Args:
        position: Where it is found.
        play: The answer.
        lexicon: The lexicon, by which other plays are found.
        gap: Its lead over the next play, in points or their equivalent.

    """
    scored = score_placement(position.board, play, position.rules)
    by_score = plays(position, lexicon.graph, lexicon.leaves, top=_TOP_SCORES, by=By.SCORE)
    rating = 1000.0 + 40 * (len(scored.word.tiles) - 5)
    rating += 80 if THROUGH in play.tiles else 0
    rating += 120 if len(tiles_used(play)) < position.rules.rack_size else 0
    rating += 80 * min(5, sum(other.score > scored.score for other in distinct(by_score)))
    return round(min(MAX_RATING, max(MIN_RATING, rating - 5 * min(gap, 40))))


_PHONY_LENGTHS = range(4, 9)
_HOOK_LENGTHS = range(4, 8)
_CANDIDATES = 8
"""Plays of a position that are tried with one letter changed."""
MIN_BOARD_WORDS = 5
"""Minimum number of words on a board among which a phony is hidden."""
_MIN_TRIGRAM_WORDS = 60
"""Minimum number of words in the lexicon that contain each three successive letters of a phony, so that it looks like a word."""


Spellings: TypeAlias = Counter[bytes]
"""Counts of three neighbouring letters in the words of a lexicon; 0 is the edge of a word."""


def spellings_of(lexicon: Lexicon) -> Spellings:
    """Count the threes of letters in the words of a lexicon; takes about a second."""
    counts: Spellings = Counter()
    for word in words_of(lexicon.graph):
        counts.update(set(_threes(word)))
    return counts


def _threes(word: bytes) -> list[bytes]:
    edged = bytes([0, *word, 0])
    return [edged[at : at + 3] for at in range(len(edged) - 2)]


def hide_phony(
    position: Position,
    lexicon: Lexicon,
    spellings: Spellings,
    others: tuple[WordGraph, ...],
    source: random.Random,
) -> Position | None:
    """Lay down a play with one letter changed, so that exactly one word is not in any lexicon; None if no play fits.

    Args:
        position: Where the play is laid down; all words on its board are in the lexicon.
        lexicon: The lexicon.
        spellings: Of the same lexicon.
        others: Other lexica of the language, which must not have the word either.
        source: The random choice of plays and letters.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    if len(words_on_board(position.board)) < MIN_BOARD_WORDS:
        return None
    ranking = distinct(plays(position, lexicon.graph, lexicon.leaves, top=4 * _CANDIDATES))[:_CANDIDATES]
    unseen = position.unseen.counts
    spare = [letter for letter in range(1, len(unseen)) if unseen[letter] > 0]
    found: list[tuple[int, Placement]] = []
    for rated in ranking:
        play = rated.play
        if not isinstance(play, Placement) or len(play.tiles) not in _PHONY_LENGTHS or min(play.tiles) < 0:
            continue
        for at, tile in enumerate(play.tiles):
            for letter in spare if tile != THROUGH else ():
                changed = Placement(play.start, (*play.tiles[:at], letter, *play.tiles[at + 1 :]))
                word = bytes(
                    abs(laid or position.board.at(*square))
                    for laid, square in zip(changed.tiles, changed.squares(), strict=True)
                )
                likely = min(spellings[three] for three in _threes(word))
                if (
                    letter != tile
                    and likely >= _MIN_TRIGRAM_WORDS
                    and not any(graph.accepts(word) for graph in others)
                ):
                    found.append((likely, changed))
    source.shuffle(found)
    for _, placement in found:
        board = position.board.with_tiles(
            (row * position.board.columns + column, tile)
            for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True)
            if tile != THROUGH
        )
        if len(phonies(board, lexicon.graph)) == 1:
            players = tuple(replace(player, rack=()) for player in position.players)
            return replace(position, board=board, players=players, scoreless_turns=0)
    return None


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
    for word in sorted(
        {bytes(abs(tile) for tile in found_word.tiles) for found_word in words_on_board(position.board)}
    ):
        hooked = _only_hook(word, lexicon) if len(word) in _HOOK_LENGTHS else None
        if hooked is None:
            continue
        texts = [_text(tiles, rules.distribution) for tiles in (word, hooked[0])]
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
    # The letter that nearly every word takes is not a find.
    if any_coarse(texts) or (theme is Theme.BACK and texts[1].endswith("S")):
        return None
    rating = 1100 + 60 * (len(word) - 4) + (150 if theme is Theme.FRONT else 50)
    return CrosswordPuzzle(Family.HOOK, lexicon.name, position, (), (texts[1],), (), (theme,), rating)


def _text(tiles: tuple[int, ...] | bytes, distribution: LetterDistribution) -> str:
    return "".join(distribution.text(abs(tile)) for tile in tiles)
