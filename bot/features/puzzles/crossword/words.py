"""Puzzles about words (phonies and hooks), and the vulgar words that boards and answers may not contain."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TypeAlias

from bot.domain.crossword.game import board_after
from bot.domain.crossword.play import THROUGH, Placement
from bot.domain.crossword.position import Player, Position, empty_board
from bot.domain.crossword.rules import LetterDistribution
from bot.engine.lexicon.builder import words_of
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.lexicon.words import find_hooks, find_phonies, words_on_board
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import deduplicate
from bot.features.puzzles.crossword.document import (
    MAX_RATING,
    MIN_RATING,
    CrosswordPuzzle,
    PuzzleFamily,
    PuzzleTheme,
)

_MIN_STEM_LENGTH = 4
"""A word is vulgar if it begins with a vulgar word of at least this length."""


@cache
def _vulgar_words() -> frozenset[str]:
    text = (files("bot.features.puzzles") / "data" / "coarse.txt").read_text(encoding="ascii")
    return frozenset(text.upper().split())


def is_vulgar(word: str) -> bool:
    word = word.upper()
    stems = (word[:length] for length in range(_MIN_STEM_LENGTH, len(word)))
    return not _vulgar_words().isdisjoint((word, word.removesuffix("S"), *stems))


def any_vulgar(words: Iterable[str]) -> bool:
    return any(is_vulgar(word) for word in words)


_PHONY_LENGTHS = range(4, 9)
_HOOK_LENGTHS = range(4, 8)
_MAX_BASE_PLAYS = 8
"""Phonies are made from this many of the best plays."""
MIN_BOARD_WORDS = 5
_MIN_TRIGRAM_WORDS = 60
"""A phony looks like a word if at least this many words contain each of its trigrams."""


TrigramCounts: TypeAlias = Counter[bytes]
"""The number of words that contain each trigram. A 0 marks the start or end of a word."""


def count_trigrams(lexicon: Lexicon) -> TrigramCounts:
    """Count the words with each trigram, which takes about a second."""
    return Counter(chain.from_iterable(set(_trigrams(word)) for word in words_of(lexicon.graph)))


def _trigrams(word: bytes) -> list[bytes]:
    padded_word = bytes([0, *word, 0])
    return [padded_word[start : start + 3] for start in range(len(padded_word) - 2)]


def insert_phony(
    position: Position,
    lexicon: Lexicon,
    trigram_counts: TrigramCounts,
    graphs: tuple[WordGraph, ...],
    rng: random.Random,
) -> Position | None:
    """Change one letter of a good play to form the only phony on the board. Return the position, or None if this is not possible.

    ``graphs`` contains the word graph of every lexicon for the language. None of these lexica contains the phony.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    if len(words_on_board(position.board)) < MIN_BOARD_WORDS:
        return None
    ranking = deduplicate(find_plays(position, lexicon.graph, lexicon.leaves, top=4 * _MAX_BASE_PLAYS))[
        :_MAX_BASE_PLAYS
    ]
    unseen_counts = position.unseen.counts
    unseen_letters = [letter for letter in range(1, len(unseen_counts)) if unseen_counts[letter] > 0]
    candidates: list[Placement] = []
    for rated_play in ranking:
        play = rated_play.play
        # A tile below 0 is a blank.
        if not isinstance(play, Placement) or len(play.tiles) not in _PHONY_LENGTHS or min(play.tiles) < 0:
            continue
        for index, tile in enumerate(play.tiles):
            for letter in unseen_letters if tile != THROUGH else ():
                changed_play = Placement(play.start, (*play.tiles[:index], letter, *play.tiles[index + 1 :]))
                word = bytes(
                    abs(laid or position.board.at(*square))
                    for laid, square in zip(changed_play.tiles, changed_play.squares(), strict=True)
                )
                rarest_count = min(trigram_counts[trigram] for trigram in _trigrams(word))
                if (
                    letter != tile
                    and rarest_count >= _MIN_TRIGRAM_WORDS
                    and not any(graph.accepts(word) for graph in graphs)
                ):
                    candidates.append(changed_play)
    rng.shuffle(candidates)
    for placement in candidates:
        board = board_after(position.board, placement)
        if len(find_phonies(board, lexicon.graph)) == 1:
            return replace(
                position,
                board=board,
                players=tuple(replace(player, rack=()) for player in position.players),
                scoreless_turns=0,
            )
    return None


def make_phony_puzzle(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    board_words = words_on_board(position.board)
    phony_words = find_phonies(position.board, lexicon.graph)
    if (
        len(phony_words) != 1
        or len(board_words) < MIN_BOARD_WORDS
        or any(player.rack for player in position.players)
    ):
        return None
    phony = tiles_text(phony_words[0].tiles, position.rules.distribution)
    if any_vulgar(tiles_text(word.tiles, position.rules.distribution) for word in board_words):
        return None
    rating = 1150 + 60 * (len(phony) - 4) + 12 * len(board_words)
    return CrosswordPuzzle(
        PuzzleFamily.PHONY,
        lexicon.name,
        position,
        (),
        (phony,),
        (),
        (),
        min(MAX_RATING, max(MIN_RATING, rating)),
    )


def hook_positions(
    position: Position, lexicon: Lexicon, known_words: Container[str] | None = None
) -> list[Position]:
    """Find the words on the board that have a suitable length and take exactly one hook. Return a position for each word.

    Each position's board has only that word. If ``known_words`` is given, a word is skipped unless ``known_words`` contains it both
    with and without its hook.
    """
    rules = position.rules
    positions = []
    for word in sorted(
        {bytes(abs(tile) for tile in found_word.tiles) for found_word in words_on_board(position.board)}
    ):
        longer_word_and_theme = _find_only_hook(word, lexicon) if len(word) in _HOOK_LENGTHS else None
        if longer_word_and_theme is None:
            continue
        texts = [tiles_text(tiles, rules.distribution) for tiles in (word, longer_word_and_theme[0])]
        if known_words is not None and not all(text in known_words for text in texts):
            continue
        rows, columns = rules.layout.rows, rules.layout.columns
        start = (rows // 2) * columns + (columns - len(word)) // 2
        board = empty_board(rows, columns).with_tiles((start + at, tile) for at, tile in enumerate(word))
        positions.append(Position(rules, board, (Player(), Player())))
    return positions


def _find_only_hook(word: bytes, lexicon: Lexicon) -> tuple[bytes, PuzzleTheme] | None:
    word_hooks = find_hooks(word, lexicon.graph)
    if not word_hooks.valid or len(word_hooks.front) + len(word_hooks.back) != 1:
        return None
    if word_hooks.front:
        return bytes([word_hooks.front[0], *word]), PuzzleTheme.FRONT
    return bytes([*word, word_hooks.back[0]]), PuzzleTheme.BACK


def make_hook_puzzle(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    board_words = words_on_board(position.board)
    if len(board_words) != 1 or any(player.rack for player in position.players):
        return None
    word = bytes(abs(tile) for tile in board_words[0].tiles)
    longer_word_and_theme = _find_only_hook(word, lexicon)
    if longer_word_and_theme is None:
        return None
    longer_word, theme = longer_word_and_theme
    distribution = position.rules.distribution
    texts = tiles_text(word, distribution), tiles_text(longer_word, distribution)
    # A final S is too easy to find, because nearly every word takes it.
    if any_vulgar(texts) or (theme is PuzzleTheme.BACK and texts[1].endswith("S")):
        return None
    rating = 1100 + 60 * (len(word) - 4) + (150 if theme is PuzzleTheme.FRONT else 50)
    return CrosswordPuzzle(PuzzleFamily.HOOK, lexicon.name, position, (), (texts[1],), (), (theme,), rating)


def tiles_text(tiles: tuple[int, ...] | bytes, distribution: LetterDistribution) -> str:
    return "".join(distribution.text(abs(tile)) for tile in tiles)
