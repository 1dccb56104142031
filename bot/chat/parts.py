"""Parts that ids share: moments, people, lexica."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from bot.chat.control import Control, Part
from bot.chat.moment import Moment


def number_part(digits: int) -> Part:
    """Return the part of a number of at most so many digits."""
    return Part(rf"(?:0|[1-9][0-9]{{0,{digits - 1}}})", int)


def _read_moment(text: str) -> Moment:
    digest, turn, seen = text.split(":")
    return Moment(digest, int(turn), None if seen[0] == WHOLE else int(seen[0]), seen[1] == "s")


def _write_moment(moment: Moment) -> str:
    side = WHOLE if moment.side is None else moment.side
    return f"{moment.digest}:{moment.turn}:{side}{'s' if moment.spoiler else 'o'}"


WHOLE: Final = "w"
"""The side of the whole table."""


DIGEST: Final = Part("[A-Za-z0-9_-]{22}")


TURN: Final = number_part(4)


_MOMENT: Final = Part(rf"{DIGEST.looks}:{TURN.looks}:[w0-7][so]", _read_moment, _write_moment)


USER: Final = number_part(20)


FURTHER_LEXICON: Final = Part(
    "(?::[A-Za-z0-9._-]{1,32})?", lambda text: text[1:], lambda name: name and f":{name}"
)


Where = Annotated[Moment, _MOMENT]


LexiconName = Annotated[str, Part("[A-Za-z0-9._-]{0,32}")]


@dataclass(frozen=True, slots=True)
class OfMoment(Control):
    """A control about a moment of a document."""

    moment: Where

    @property
    def document(self) -> str | None:
        """The digest of the document."""
        return self.moment.digest
