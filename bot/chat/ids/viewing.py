"""The ids of what shows positions and games."""

from __future__ import annotations

from typing import Annotated

from bot.chat.control import DIGEST, Control, OfMoment, Part, control
from bot.features.showing.pace import Pace


@control("view:{moment}:{role}")
class ViewId(OfMoment):
    """Shows a moment; the role distinguishes buttons that show the same one."""

    role: Annotated[str, Part("[fpnlx]")]


@control("turns:{moment}")
class TurnsId(OfMoment):
    """The menu of turns, under the moment shown."""


@control("more:{moment}")
class MoreId(OfMoment):
    """The menu of other ways to look at the moment shown, or of its notations; once both were one."""


@control("copy:{moment}")
class CopyId(OfMoment):
    """Gives what is shown as a text to copy."""


@control("replay:{moment}:{pace}:{whom}")
class ReplayId(OfMoment):
    """Plays a game again, so fast, in place of the message or to everybody."""

    pace: Annotated[Pace, Part("slow|usual|fast", Pace)]
    whom: Annotated[str, Part("me|all")]


@control("games:{moment}")
class GamesId(OfMoment):
    """The menu of the games that were posted together, under the moment shown."""


@control("linked:{collection}:{hidden}")
class LinkedId(Control):
    """The menu of the games of a collection on woogles; ``hidden`` is ``s`` where its link is a spoiler, else ``o``."""

    collection: Annotated[str, Part("[0-9A-Za-z-]{8,36}")]
    hidden: Annotated[str, Part("[so]")]


@control("open:{moment}")
class OpenId(OfMoment):
    """Opens a game in private."""


@control("notation:{digest}")
class NotationId(Control):
    """The menu of a document's other notations."""

    digest: Annotated[str, DIGEST]

    @property
    def document(self) -> str | None:
        """The digest."""
        return self.digest


@control("seen:{moment}:{what}")
class SeenId(OfMoment):
    """Says that a position that was read from a picture is right, or corrects it."""

    what: Annotated[str, Part("[rc]")]
