"""The controls of an opening book: play a known move, and take the last move back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from bot.chat.card import Choice
from bot.chat.control import DIGEST, Button, Control, Menu, Part, control
from bot.features.showing.controls import SHOWING
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.press import Press


@dataclass(frozen=True, slots=True)
class BookPlace:
    """A position on the way through a stored opening book. Small enough for a button's id."""

    book: str
    """The digest of the book."""
    path: str
    """The digest of the moves that lead to the position; where a source begins, that of the source itself."""
    spoiler: bool = False


def _read_place(text: str) -> BookPlace:
    book, path, hidden = text.split(":")
    return BookPlace(book, path, hidden == "s")


def _write_place(place: BookPlace) -> str:
    return f"{place.book}:{place.path}:{'s' if place.spoiler else 'o'}"


_Place = Annotated[BookPlace, Part(rf"{DIGEST.looks}:{DIGEST.looks}:[so]", _read_place, _write_place)]


@dataclass(frozen=True, slots=True)
class _OfBook(Control):
    place: _Place

    @property
    def document(self) -> str | None:
        return self.place.path

    async def _walk(self, press: Press, move: str) -> None:
        """Make the message show where a move leads to; an empty one takes the last back."""
        books = (await press.need(SHOWING)).books
        await press.change(lambda style: books.walk(self.place, move, press.user, style))


@control("known:{place}")
class Known(_OfBook):
    """The menu of the moves that a book knows behind the way to the position shown; both are documents."""

    choices: tuple[Choice, ...] = ()
    """The known moves, as in UCI."""

    def face(self, say: Speaker, *, private: bool) -> Menu | None:
        """Return the menu."""
        return Menu(say("Play a known move"), self.choices) if self.choices else None

    async def act(self, press: Press) -> None:
        """Play the chosen move."""
        await self._walk(press, press.value)


@control("takeback:{place}")
class TakeBack(_OfBook):
    """Takes back the last move of the way through a book."""

    disabled: bool = False

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(emoji="\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f", disabled=self.disabled)

    async def act(self, press: Press) -> None:
        """Take the move back."""
        await self._walk(press, "")
