"""Reading pictures: what they carry of a position, see :mod:`render.png`, and else what is seen on them.

Seeing needs the extra ``sight``; without it only pictures of ours are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.domain.notations import NOTATIONS
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.showing.findings import PICTURE, Findings, Found, Refused
from bot.features.showing.reading.pictures.boards import boards_of
from bot.features.showing.reading.pictures.opening import flat, open_picture
from bot.features.showing.reading.sources import Attachment
from render.png import read_carried

if TYPE_CHECKING:
    from pathlib import Path

_CARRIED: Final = ("cgp", "fen")


def read_picture(attachment: Attachment, lexica: Path | None = None) -> Findings:
    """Read the position that a picture of ours carries, if it is still as it was drawn; else those of the boards on it."""
    told = read_carried(attachment.data)
    try:
        picture = open_picture(attachment.data)
        if told is None or not told.is_of(picture):
            seen = boards_of(flat(picture), lexica, spoiler=attachment.spoiler)
            if seen or told is None:
                return Findings(seen)
            raise ParseError(
                "picture-changed", "it was changed after it was drawn, so what it says of itself may be wrong"
            )
        return Findings((_found(told.text, spoiler=attachment.spoiler),))
    except DomainError as error:
        return Findings(refused=(Refused(PICTURE, "", error, "", attachment.spoiler),))


def _found(text: str, *, spoiler: bool) -> Found:
    """Read what a picture carries: a notation's name, a space, a position.

    Raises:
        DomainError: it is no position.

    """
    name, _, written = text.partition(" ")
    if name not in _CARRIED:
        raise ParseError("picture-unknown", "it was drawn by a later version of Kibitz")
    reading = NOTATIONS[name].read(written)
    return Found(name, written, reading.value, reading.warnings, spoiler)
