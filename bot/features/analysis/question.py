"""What is asked about a position."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.engine.analysis import DEFAULT_PLIES, AnalysisOptions

LONGER_SECONDS = 30.0
"""Seconds that a simulation goes on when the asker wants to know better."""


@dataclass(frozen=True, slots=True)
class Way:
    """How an analysis goes about it beside its method, and how much of it is shown. Small enough for a button's id."""

    plies: int = DEFAULT_PLIES
    """How many turns a simulation plays on."""
    infer: bool = False
    """Whether a simulation guesses the opponent's tiles."""
    all: bool = False
    """Whether all plays are in the table, not the best alone."""


@dataclass(frozen=True, slots=True)
class AnalysisQuestion:
    """A question about a position, and the style of the answer."""

    moment: Moment
    style: Style = field(default_factory=Style)
    lexicon: str = ""
    """The lexicon asked for; empty for the one the position names, else a preferred one."""
    options: AnalysisOptions = field(default_factory=AnalysisOptions)
    shown: int = 0
    """The rank of the play on the board, from 0."""
    live: bool = False
    """Whether it is known to come from a game that is going on."""
    way: Way = field(default_factory=Way)
    poster: str = ""
    """In whose name it is answered to everybody; empty where nobody is named."""
