"""The rules a game is played by, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from bot.domain.crossword.distributions import LetterDistribution, aliases, load_distribution
from bot.domain.crossword.layouts import BoardLayout, layout_of_size, load_layout

DEFAULT_RACK_SIZE = 7
DEFAULT_BINGO_BONUS = 50
DEFAULT_EXCHANGE_LIMIT = 7
DEFAULT_SCORELESS_LIMIT = 6
CLASSIC = "classic"


class EndCount(Enum):
    """How the tiles left on the racks count when a player is out. When nobody is, all lose their own."""

    TWICE = "twice"
    """The player who is out wins twice the tiles of the others."""
    EACH_WAY = "each-way"
    """The others lose their tiles, and the player who is out wins as much (international rules, sharewords)."""
    EQUAL_TURNS = "equal-turns"
    """Nothing counts; once the bag is empty every player has one more turn, and then the game is over (Crossplay)."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that is fixed before the first play."""

    distribution: LetterDistribution
    layout: BoardLayout
    lexicon: str = ""
    """The lexicon's name as people write it; empty when unknown."""
    variant: str = CLASSIC
    rack_size: int = DEFAULT_RACK_SIZE
    bingo_bonus: int = DEFAULT_BINGO_BONUS
    """Points for laying down a full rack in one play."""
    bingo_times: int = 1
    """How often the main word counts in a play that lays down a full rack."""
    exchange_limit: int = DEFAULT_EXCHANGE_LIMIT
    """How many tiles the bag must hold for an exchange."""
    scoreless_limit: int = DEFAULT_SCORELESS_LIMIT
    """How many consecutive scoreless turns end the game."""
    end_count: EndCount = EndCount.TWICE
    challenge_rule: str = ""
    """``void single double 5pt 10pt triple``, or empty when unknown."""
    time_increment: int | None = None
    """Milliseconds added to a clock after each turn."""
    max_overtime: int | None = None
    """Milliseconds of overtime that end the game."""

    @property
    def has_known_bag(self) -> bool:
        """Whether it is known how many there are of each tile, so that those left can be counted."""
        return self.distribution.name not in _DRAWN_ANEW


# ``data/README.md`` names the sources. Hong Kong English is played with nine tiles, and Spanish rules let a player
# exchange while one tile is left in the bag.
_USUAL: dict[str, dict[str, Any]] = {
    "crossplay": {"bingo_bonus": 40, "scoreless_limit": 4, "end_count": EndCount.EQUAL_TURNS},
    "hong_kong_english": {"rack_size": 9, "exchange_limit": 9},
    "letter_league": {"bingo_bonus": 0, "bingo_times": 2},
    "spanish": {"exchange_limit": 1},
    "wordfeud": {"bingo_bonus": 40, "scoreless_limit": 3, "end_count": EndCount.EACH_WAY},
    "words_with_friends": {
        "bingo_bonus": 35,
        "exchange_limit": 1,
        "scoreless_limit": 3,
        "end_count": EndCount.EACH_WAY,
    },
}
"""Fields of :class:`Rules` by set of tiles, where they differ from most sets."""
_LAYOUTS = {
    "crossplay": "Crossplay",
    "letter_league": "LetterLeague",
    "wordfeud": "Wordfeud",
    "words_with_friends": "WordsWithFriends",
}
"""The boards that sets of tiles are made for."""
OWN_GAMES = {
    "crossplay": "Crossplay",
    "letter_league": "Letter League",
    "wordfeud": "Wordfeud",
    "words_with_friends": "Words With Friends",
}
"""Sets of tiles that belong to a game with a board of its own, and what the game is called."""
_DRAWN_ANEW = frozenset({"letter_league"})
"""Sets of tiles whose number differs from game to game."""


def usual_rules(distribution: LetterDistribution, layout: BoardLayout) -> Rules:
    """Return the rules that these tiles on this board are usually played by."""
    return Rules(distribution, layout, **_USUAL.get(distribution.name, {}))


def usual_layout(distribution: LetterDistribution, rows: int, columns: int) -> BoardLayout:
    """Return the layout that these tiles are made for, if it has this size; else the usual one of the size."""
    own = _LAYOUTS.get(distribution.name)
    if own and ((layout := load_layout(own)).rows, layout.columns) == (rows, columns):
        return layout
    return layout_of_size(rows, columns)


def set_of_layout(layout: BoardLayout) -> LetterDistribution | None:
    """Return the set of tiles that a board is made for, or None for a board that many sets are played on."""
    name = next((name for name, board in _LAYOUTS.items() if board == layout.name), None)
    return load_distribution(name) if name else None


def set_of_game(name: str) -> LetterDistribution | None:
    """Return the set of tiles of a game that has a set and a board of its own (``Crossplay``), or None."""
    known = aliases("game").get(name.lower())
    return load_distribution(known) if known else None


def canonical_variant(name: str) -> str | None:
    """Return the field's spelling of a variant (``WordSmog`` → ``wordsmog``), or None when unknown.

    A game with tiles and a board of its own is no variant beside them.
    """
    return CLASSIC if name.lower() in aliases("game") else aliases("var").get(name.lower())


def canonical_challenge_rule(name: str) -> str | None:
    """Return the CGP spelling of a challenge rule (``FIVE_POINT`` → ``5pt``), or None when unknown."""
    return aliases("cr").get(name.lower())
