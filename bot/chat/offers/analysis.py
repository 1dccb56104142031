"""Controls of analyses and of tried plays."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.chat.moment import Choice, Moment
from bot.engine.analysis import DEFAULT_PLIES
from bot.jobs.analysis import Method


@dataclass(frozen=True, slots=True)
class AnalysisOffer:
    """Offers to analyze a stored position."""

    moment: Moment
    number: int | None = None
    """Which of several positions it is; None where there is one."""


@dataclass(frozen=True, slots=True)
class Way:
    """How an analysis goes about it beside its method, and how much of it is told. Small enough for a button's id."""

    plies: int = DEFAULT_PLIES
    """How many turns a simulation plays on."""
    infer: bool = False
    """Whether a simulation guesses the opponent's tiles."""
    all: bool = False
    """Whether all plays are in the table, not the best alone."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Controls under an analysis: its plays, each to be shown on the board, and what else can be found out."""

    moment: Moment
    lexicon: str
    """The lexicon that was used."""
    method: Method
    """How the plays are ranked."""
    choices: tuple[Choice, ...]
    """The plays with their ranks, from 0, as values."""
    shown: int
    """The rank of the play on the board."""
    can_be_simulated: bool = True
    """Whether it is known what may be drawn."""
    can_be_solved: bool = False
    """Whether the best play can be proved."""
    lexica: tuple[str, ...] = ()
    """The installed lexica to choose from, where the one that was wanted is not installed; the used one is the first."""
    way: Way = field(default_factory=Way)
    can_infer: bool = False
    """Whether the opponent's last play may tell something of the tiles that were kept."""
    has_more: bool = False
    """Whether there are plays that the table leaves out, or that it would leave out if it were not to have all."""
    may_be_posted: bool = False
    """Whether others may see it: not while the game may still be going on."""
    turns: tuple[int | None, int | None] = (None, None)
    """The moments before and after this one in which somebody had a rack to play, as numbers of turns taken."""
