"""How an analysis is made, as one plain value: from the command to the engine it is handed on unchanged."""

from __future__ import annotations

from dataclasses import dataclass, field

DEFAULT_SECONDS = 15.0
DEFAULT_ITERATIONS = 5_000
DEFAULT_PLIES = 2
MAX_PLAYERS = 4
"""Players in a game that is simulated."""


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """How many plays are compared, and how thoroughly."""

    plays: int | None = 15
    """How many plays are ranked; None for all."""
    seconds: float = field(default_factory=lambda: DEFAULT_SECONDS)
    """How long a simulation or a solution may take, about; infinity for as long as it takes."""
    plies: int = DEFAULT_PLIES
    """How many plies of a simulation follow a candidate. When the bag is empty the game is played to its end."""
    infer: bool = False
    """Whether a simulation guesses the opponent's tiles from the last play."""
    iterations: int = DEFAULT_ITERATIONS
    """How many times a simulation plays each candidate on at most."""
    confidence: float | None = 0.99
    """With what probability the best play is the best before a simulation ends early, such as 0.95; None for never."""
    seed: int = 0
    """What the random numbers of a simulation begin with."""


def plies_among(players: int, plies: int) -> int:
    """Return how many plies follow a candidate where so many are wanted: among more than two, one for each player."""
    return plies if players == 2 else max(plies, players)
