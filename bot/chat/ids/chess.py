"""The ids of what chess alone has: engines, solutions, books."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from bot.chat.control import DIGEST, Control, Part, control
from bot.chat.offers import BookPlace


def _read_place(text: str) -> BookPlace:
    book, path, hidden = text.split(":")
    return BookPlace(book, path, hidden == "s")


def _write_place(place: BookPlace) -> str:
    return f"{place.book}:{place.path}:{'s' if place.spoiler else 'o'}"


_PLACE: Final = Part(rf"{DIGEST.looks}:{DIGEST.looks}:[so]", _read_place, _write_place)


@dataclass(frozen=True, slots=True)
class _OfBook(Control):
    place: Annotated[BookPlace, _PLACE]

    @property
    def document(self) -> str | None:
        return self.place.path


@control("known:{place}")
class KnownId(_OfBook):
    """The menu of the moves that a book knows behind the way to the position shown; both are documents."""


@control("takeback:{place}")
class TakeBackId(_OfBook):
    """Takes back the last move of the way through a book."""
