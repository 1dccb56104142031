"""The rules a game is played by, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bot.domain.crossword.distributions import LetterDistribution, aliases
from bot.domain.crossword.layouts import BoardLayout

DEFAULT_RACK_SIZE = 7
DEFAULT_BINGO_BONUS = 50
DEFAULT_EXCHANGE_LIMIT = 7
DEFAULT_SCORELESS_LIMIT = 6
CLASSIC = "classic"

# Rack sizes and exchange limits that go with a set of tiles: Hong Kong English is played with nine tiles, and
# Spanish rules let a player exchange while one tile is left in the bag.
_RACK_SIZE = {"hong_kong_english": 9}
_EXCHANGE_LIMIT = {"hong_kong_english": 9, "spanish": 1}


class EndCount(Enum):
    """How the tiles left on the racks count when a player is out. When nobody is, all lose their own."""

    TWICE = "twice"
    """The player who is out wins twice the tiles of the others."""
    EACH_WAY = "each-way"
    """The others lose their tiles, and the player who is out wins as much (international rules, sharewords)."""


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


def usual_rules(distribution: LetterDistribution, layout: BoardLayout) -> Rules:
    """Return the rules that these tiles on this board are usually played by."""
    return Rules(
        distribution,
        layout,
        rack_size=_RACK_SIZE.get(distribution.name, DEFAULT_RACK_SIZE),
        exchange_limit=_EXCHANGE_LIMIT.get(distribution.name, DEFAULT_EXCHANGE_LIMIT),
    )


def canonical_variant(name: str) -> str | None:
    """Return the field's spelling of a variant (``WordSmog`` → ``wordsmog``), or None when unknown."""
    return aliases("var").get(name.lower())


def canonical_challenge_rule(name: str) -> str | None:
    """Return the CGP spelling of a challenge rule (``FIVE_POINT`` → ``5pt``), or None when unknown."""
    return aliases("cr").get(name.lower())
