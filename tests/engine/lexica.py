"""Random small lexica and positions with any alphabet and board."""

import random
from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from bot.domain.crossword.position import EMPTY, Board, Player, Position, empty_board
from bot.domain.crossword.rules import (
    BLANK,
    MISSING_SQUARE,
    BoardLayout,
    LetterDistribution,
    Rules,
    default_rules,
    distribution_names,
    layout_of_size,
    load_distribution,
)
from tests.domain.crossword.games import with_unseen_tiles
from tests.domain.crossword.strategies import custom_distributions, custom_layouts, seeds

BOARD_SIDES = (1, 2, 4, 5, 6, 7, 7, 9)


def random_words(randomness: random.Random, distribution: LetterDistribution, count: int) -> frozenset[bytes]:
    """Return words that often cross, because they have only a few different letters."""
    letters = list(range(1, len(distribution.letters)))
    few_letters = randomness.sample(letters, min(len(letters), randomness.choice((2, 3, 5))))
    return frozenset(
        bytes(randomness.choices(few_letters, k=randomness.choice((2, 2, 3, 3, 4, 5, 6))))
        for _ in range(count)
    )


def lay_words(randomness: random.Random, rules: Rules, words: list[bytes], count: int) -> Board:
    """Return a board with overlapping words in random places. Some letters are blanks, and some tiles form no word."""
    layout = rules.layout
    board = empty_board(layout.rows, layout.columns)
    for _ in range(count):
        word = randomness.choice(words)
        step = randomness.choice(((0, 1), (1, 0)))
        row, column = randomness.randrange(layout.rows), randomness.randrange(layout.columns)
        for place, letter in enumerate(word):
            square_row, square_column = row + step[0] * place, column + step[1] * place
            index = square_row * layout.columns + square_column
            on_board = square_row < layout.rows and square_column < layout.columns
            if on_board and layout.squares[index] != MISSING_SQUARE and board.squares[index] == EMPTY:
                board = board.with_tiles([(index, -letter if randomness.random() < 0.1 else letter)])
    return board


@cache
def all_distributions() -> tuple[LetterDistribution, ...]:
    return tuple(load_distribution(name) for name in distribution_names())


@st.composite
def crowded_positions(draw) -> tuple[Position, frozenset[bytes]]:
    """Draw a position with any board, alphabet, rack size and bag, and its lexicon."""
    randomness = random.Random(draw(seeds))
    distribution = draw(st.sampled_from(all_distributions()) | custom_distributions())
    sides = st.sampled_from(BOARD_SIDES)
    layout: BoardLayout = draw(
        st.sampled_from((layout_of_size(15, 15), layout_of_size(21, 21)))
        | st.builds(lambda rows, columns: (rows, columns), sides, sides).flatmap(
            lambda size: custom_layouts(*size)
        )
    )
    rules = replace(
        default_rules(distribution, layout),
        rack_size=draw(st.integers(1, 9)),
        bingo_bonus=draw(st.sampled_from((50, 0, 35))),
        bingo_multiplier=draw(st.sampled_from((1, 2))),
        min_bag_for_exchange=draw(st.sampled_from((7, 1, 9))),
    )
    words = random_words(randomness, distribution, draw(st.integers(1, 25)))
    board = lay_words(randomness, rules, sorted(words), draw(st.sampled_from((0, 1, 2, 3, 5))))
    letters = [letter for word in sorted(words) for letter in word]
    rack = randomness.choices(letters, k=draw(st.integers(1, 5)))
    rack += [BLANK] * draw(st.sampled_from((0, 0, 1, 2)))
    position = Position(rules, board, (Player(0, tuple(rack)), Player()))
    if draw(st.booleans()):
        position = with_empty_bag(position)
    return position, words


def with_empty_bag(position: Position) -> Position:
    """Return the position with an empty bag. The opponent has one tile, the first letter of the alphabet."""
    return with_unseen_tiles(replace(position, players=(position.players[0], Player(0, (1,)))))


def random_leaves(randomness: random.Random, kind_count: int) -> dict[bytes, int]:
    """Return random leaves with random values in millipoints."""
    return {
        bytes(sorted(randomness.choices(range(kind_count), k=randomness.randint(1, 4)))): randomness.randint(
            -30000, 30000
        )
        for _ in range(40)
    }
