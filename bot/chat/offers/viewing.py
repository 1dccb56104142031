"""Controls to look through stored documents, and to take them away as text."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.moment import Choice, Moment
from bot.features.showing.pace import Pace


@dataclass(frozen=True, slots=True)
class NotationMenu:
    """Offers a stored document in other notations."""

    digest: str
    number: int | None
    """The position's number when the answer shows several; None when it shows one."""
    notations: tuple[str, ...]
    """Names of the notations offered."""


TOGETHER = "all"
"""The choice that shows all documents that were posted together."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Controls to step through a stored document, to turn it, and to ask what else there is to it.

    What is stepped through are the turns of a game, or the puzzles of a file, by their places from 0. A position has none.
    """

    moment: Moment
    last: int = 0
    """The last turn of the game, or the place of the last puzzle; 0 when there is nothing to step to."""
    title: str = ""
    """What the list of turns or puzzles is called."""
    choices: tuple[Choice, ...] = ()
    """Turns or puzzles to go to, with their numbers as values: all of them, or some around the one shown."""
    earlier: int | None = None
    """A turn around which to list others, when there are earlier ones than in ``choices``."""
    later: int | None = None
    flipped: Moment | None = None
    """The same from the other side of the board, where it has two."""
    sides: tuple[Choice, ...] = ()
    """The sides that it can be seen from, with seats as values, beside the whole table."""
    replay: bool = False
    """Whether there is an animation of it."""
    chart: bool = False
    """Whether there is a chart of its scores."""
    games: tuple[Choice, ...] = ()
    """The documents that were posted together, with their digests as values, :data:`TOGETHER` for all at once."""
    together: bool = False
    """Whether all of them are shown at once, and none is chosen."""


@dataclass(frozen=True, slots=True)
class CopyOffer:
    """Offers what is shown as a text to copy."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class CopyMenu:
    """Offers other notations of what is shown."""

    moment: Moment
    notations: tuple[str, ...]
    """Their names."""


@dataclass(frozen=True, slots=True)
class ReplayPanel:
    """Controls under a replay: how fast it goes, and to show it to everybody."""

    moment: Moment
    pace: Pace


@dataclass(frozen=True, slots=True)
class TurnOffer:
    """Offers to open a game in private at a turn."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class LinkedGames:
    """Controls to choose a game of a collection on woogles, which is fetched when it is chosen."""

    collection: str
    """The id of the collection."""
    choices: tuple[Choice, ...]
    """Some of its games, with their numbers and ids as values (``12:p6QRjJHG``)."""
    earlier: int | None = None
    """The place of a game from which to list others, when there are earlier ones than in ``choices``."""
    later: int | None = None
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class SightPanel:
    """Asks whether a position that was read from a picture is right, or lets it be corrected."""

    moment: Moment
    is_stated: bool = False
    """Whether nobody needs to say that it is right."""
