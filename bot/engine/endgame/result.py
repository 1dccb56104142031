"""What solving an endgame finds."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Play


@dataclass(frozen=True, slots=True)
class EndgameTurn:
    """A turn of a line."""

    play: Play
    score: int


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """What a play is worth when both players go on as well as they can."""

    line: tuple[EndgameTurn, ...]
    """The play and what follows."""
    value: int
    exact: bool
    """Whether the value is proved."""

    @property
    def play(self) -> Play:
        """The play itself."""
        return self.line[0].play

    @property
    def score(self) -> int:
        """What the play itself scores."""
        return self.line[0].score


@dataclass(frozen=True, slots=True)
class EndgameResult:
    """The best line that was found, and how sure it is."""

    value: int
    """By how many points the player on turn gains on the opponent until the end of the game."""
    line: tuple[EndgameTurn, ...]
    """The best play and what follows, both players' turns in order. A game that ends by passes ends here with two
    or three, even where the rules ask for more."""
    exact: bool
    """Whether the value is proved. If not, it is that of the best line found."""
    depth: int
    """How many turns were searched with all their plays; after that only the most promising ones."""
    nodes: int
    """How many positions were searched."""
    bound: int | None
    """What the player on turn is proved to gain at least; None when nothing is proved."""
    ranking: tuple[RankedPlay, ...] = ()
    """The best plays, best first, as many as were requested and time allowed."""
    judged: RankedPlay | None = None
    """The play that was to be judged; None when there was none, or it is none of those that the words allow."""
