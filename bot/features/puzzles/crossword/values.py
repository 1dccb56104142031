"""A puzzle of a crossword game, as plain values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.features.review.crossword.values import Why

ID_LENGTH = 8


class Family(StrEnum):
    """What is asked, and how the answer is proved."""

    BEST_PLAY = "best-play"
    """Best by equity by far, and best by simulation."""
    STRATEGY = "strategy"
    """Best by simulation by far, though not by equity."""
    ONLY_BINGO = "only-bingo"
    """The only play that lays down a full rack."""
    ENDGAME = "endgame"
    """Solved: no tile is in the bag."""
    PRE_ENDGAME = "pre-endgame"
    """Solved with each tile that may be the one in the bag."""
    PHONY = "phony"
    """The one word on the board that is not in the lexicon."""
    HOOK = "hook"
    """The one letter that makes another word of the word on the board."""


class Theme(StrEnum):
    """What an answer is made of, for those who want to practise it."""

    BINGO = "bingo"
    BLANK = "blank"
    """It lays down a blank."""
    POWER_TILE = "power-tile"
    """It lays down a tile worth eight points or more."""
    THROUGH = "through"
    """Its word runs through tiles on the board."""
    PARALLEL = "parallel"
    """It makes three words or more."""
    LONG = "long"
    """Its word has nine letters or more."""
    SMALL = "small"
    """It lays down three tiles or fewer."""
    GOES_OUT = "goes-out"
    ONLY_WIN = "only-win"
    """No other play wins the game."""
    FRONT = "front"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Contender:
    """A play and what it was found to be worth."""

    play: Play
    score: int
    win: float
    """Probability of winning by simulation, or the share of the draws that are won; 1, 0.5 or 0 once it is solved."""
    points: float
    """Equity by simulation, or points won from here to the end."""


@dataclass(frozen=True, slots=True)
class CrosswordPuzzle:
    """A puzzle with its answers."""

    family: Family
    lexicon: str
    position: Position
    """The rack of the player on turn is shown, no other; in a puzzle about words, none is."""
    answers: tuple[Play, ...]
    """Plays that are all right; empty in a puzzle about words."""
    words: tuple[str, ...]
    """The words that are right, in a puzzle about words."""
    ranking: tuple[Contender, ...]
    """The best plays, best first; empty in a puzzle about words."""
    themes: tuple[Theme, ...]
    rating: int
    """How hard it seems, on the scale of Glicko-2."""
    why: tuple[Why, ...] = ()
    """In what the answer is better than the play next to it."""
    iterations: int = 0
    """How often the answer and the play next to it were played on; 0 where it is proved without chance."""

    @property
    def id(self) -> str:
        """What it is called: the same wherever it is read, another for another question."""
        text = f"{self.lexicon} {self.family} {cgp.write(self.position)}"
        return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]
