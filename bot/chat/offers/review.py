"""Controls of reviews and of what is learnt from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from bot.chat.moment import Choice, Moment
from bot.features.review.depth import Depth


@dataclass(frozen=True, slots=True)
class ReviewOffer:
    """Offers to review a stored game."""

    moment: Moment
    """Any moment of the game."""
    deep: bool = False
    """Whether it is to be looked at closely."""
    lexicon: str = ""
    """The lexicon that was asked for; empty for the usual one."""


@dataclass(frozen=True, slots=True)
class ReviewPanel:
    """Controls of a review, under its card or under one of its turns."""

    moment: Moment
    """The turn shown; 0 on the card."""
    depth: Depth
    lexicon: str
    """The lexicon that was used; none in chess."""
    choices: tuple[Choice, ...]
    """All turns with their numbers as values, in their order."""
    keys: tuple[int, ...]
    """The turns most worth to look at."""
    previous: int | None = None
    next: int | None = None
    """The turns before and after the one shown."""
    around: int = 0
    """The turn around which turns are listed when there are too many for one list."""
    teaches: bool = False
    """Whether there is a turn to learn from."""

    @classmethod
    def of(
        cls,
        moment: Moment,
        depth: Depth,
        lexicon: str,
        choices: tuple[Choice, ...],
        keys: tuple[int, ...],
        *,
        teaches: bool,
    ) -> Self:
        """Make the panel of a moment."""
        numbers = [int(choice.value) for choice in choices]
        return cls(
            moment,
            depth,
            lexicon,
            choices,
            keys,
            max((number for number in numbers if number < moment.turn), default=None),
            min((number for number in numbers if number > moment.turn), default=None),
            moment.turn,
            teaches,
        )


@dataclass(frozen=True, slots=True)
class LessonPanel:
    """Controls to learn from a review: under a turn, at the end, or where it is asked who learns."""

    moment: Moment
    """The turn shown, 0 at the end; the side is the player who learns, None when that is asked."""
    depth: Depth
    lexicon: str
    """The lexicon of the review; none in chess."""
    marks: str
    """What became of each turn so far, a sign for one."""
    previous: int | None = None
    """The turn before; None when there is none."""
    next: int | None = None
    """The turn after, 0 for the end; None when there is neither."""
    own: bool = False
    """Whether the turn was set as a puzzle, out of a game of the person's own."""
    is_open: bool = False
    """Whether the turn shown is still to be found."""
    has_hint: bool = False
    at_end: bool = False
    players: tuple[Choice, ...] = ()
    """Players to choose, by their seats."""


@dataclass(frozen=True, slots=True)
class GameReview:
    """Names the review of a stored game. Small enough for an entry of a menu."""

    moment: Moment
    depth: Depth
    lexicon: str
    """The lexicon that was used; none in chess."""


@dataclass(frozen=True, slots=True)
class ReviewedGames:
    """Controls under a table of reviewed games: each to be opened, and all to be looked at more closely."""

    games: tuple[tuple[GameReview, str, str], ...]
    """The games, each with what it is called and what is said of it."""
    lexicon: str
    """The lexicon that was asked for; empty for the usual one."""
    minutes: int
    """About how many minutes of a processor a closer look at all takes; 0 when they have had it."""
    last: int = 0
    """How many of one's own games were asked for; 0 for games that somebody brought."""


@dataclass(frozen=True, slots=True)
class NamesPanel:
    """Asks somebody which of the players of the own games they are."""

    choices: tuple[Choice, ...]
    """The names, with what stands for them as values."""
    own: tuple[str, ...]
    """The values of those that are known to be the person's."""
    last: int
    """How many of the own games were asked for."""
    depth: Depth
    lexicon: str
    """The lexicon that was asked for; empty for the usual one."""
