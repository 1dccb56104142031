"""Requests for a review: of one game, or of the last games of a player."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.features.review.values import Depth


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """Which game somebody wants reviewed, and how it is to be told."""

    moment: Moment
    style: Style = field(default_factory=Style)
    lexicon: str = ""
    """The lexicon asked for; empty for the one the game names, else a preferred one."""
    depth: Depth = Depth.QUICK
    seconds: float | None = None
    """Seconds of a processor for a crossword game; None for what the depth usually takes."""
    poster: str = ""
    """Who shows it to the channel; empty where it is an answer to somebody."""


@dataclass(frozen=True, slots=True)
class LookBack:
    """Whose games are asked for, and how they are to be told."""

    user_id: int
    guild_id: int
    last: int
    """How many, at most."""
    style: Style
    lexicon: str = ""
    """The lexicon asked for; empty for the one each game names."""
    depth: Depth = Depth.QUICK
