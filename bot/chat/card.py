"""Cards: the content of an answer, independent of Discord and of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

from bot.chat.control import Control, ControlT

if TYPE_CHECKING:
    from render.scene import BoardScene, ChartScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

Scene: TypeAlias = "BoardScene | ChessScene | ChartScene | ReplayScene | MosaicScene"
"""Everything that can be drawn."""

MAX_TEXT: Final = 2000
"""Characters of a card's ``text``. Longer texts belong in a file."""

Accent = Literal["plain", "board", "analysis", "review", "puzzle", "poll", "live", "settings", "problem"]
"""The kinds of cards; each has its colour (:data:`bot.chat.layout.COLOURS`)."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture still to be drawn, with its description."""

    scene: Scene
    alt: str
    spoiler: bool = False
    name: str = "position"
    """The beginning of the file's name."""


@dataclass(frozen=True, slots=True)
class Image:
    """A finished picture with its description and a file name."""

    picture: RenderedImage
    alt: str
    name: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text sent as a file."""

    name: str
    text: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A few lines with one button at their side, such as a turn of a review and the button that opens it."""

    text: str
    control: Control


@dataclass(frozen=True, slots=True)
class Card:
    """An answer. It is laid out in the order: pictures, ``text``, ``sections``, files, ``note``, controls, ``more``.

    The first line of ``text`` names the subject of the card: notifications and search show it, and screen readers start with it.
    ``note`` is small print of one line: formats, lexica, unseen tiles. ``controls`` are laid into rows: five buttons or one
    menu each; keep them to two rows. ``more`` holds rarely used buttons; they form one menu.
    To hide a document, put its text behind spoiler bars and mark its pictures as spoilers. A hidden container would not be
    enough: notifications show its text.

    :mod:`bot.chat.layout` keeps to Discord's limits: it leaves out sections and notes that do not fit, and moves buttons without
    room into the menu.
    """

    text: str
    drawings: tuple[Drawing, ...] = ()
    """Pictures still to be drawn: the service draws them before it hands a card to a shell."""
    files: tuple[TextFile, ...] = ()
    controls: tuple[Control, ...] = ()
    found: bool = True
    """False for a card that only says why there is nothing to show."""
    images: tuple[Image, ...] = ()
    sections: tuple[Section, ...] = ()
    note: str = ""
    more: tuple[Control, ...] = ()
    accent: Accent = "plain"

    def control(self, kind: type[ControlT]) -> ControlT | None:
        """Return the first control of a kind; None when there is none."""
        every = (*self.controls, *(section.control for section in self.sections), *self.more)
        return next((control for control in every if isinstance(control, kind)), None)

    def drawn(self, pictures: Sequence[RenderedImage]) -> Card:
        """Return the card with its pictures, in the order of the drawings."""
        several = len(pictures) > 1
        images = tuple(
            Image(
                picture,
                drawing.alt,
                f"{drawing.name}{f'-{number}' if several else ''}.{picture.mime.partition('/')[2]}",
                spoiler=drawing.spoiler,
            )
            for number, (drawing, picture) in enumerate(zip(self.drawings, pictures, strict=True), start=1)
        )
        return replace(self, drawings=(), images=images)


class NoAnswerError(Exception):
    """There is no answer; the card says why. It is caught where the shell is entered."""

    def __init__(self, reply: Card) -> None:
        self.reply = reply
        super().__init__(reply.text)

    @classmethod
    def saying(cls, text: str) -> Self:
        """Make an error whose card has this text."""
        return cls(Card(text, found=False))
