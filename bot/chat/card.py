"""Replies: everything a shell needs to answer somebody, and nothing of any shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeAlias

from bot.chat.control import Control, ControlT

if TYPE_CHECKING:
    from render.scene import BoardScene, ChartScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

Scene: TypeAlias = "BoardScene | ChessScene | ChartScene | ReplayScene | MosaicScene"
"""Everything that can be drawn."""

MAX_TEXT = 2000
"""Characters that fit into one message."""


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
class Card:
    """What is to be said. ``found`` is False when it only says why there is nothing to show."""

    text: str
    drawings: tuple[Drawing, ...] = ()
    """Pictures still to be drawn: the service draws them before it hands a reply to a shell."""
    files: tuple[TextFile, ...] = ()
    controls: tuple[Control, ...] = ()
    """What can be done with it, in the order in which it is shown."""
    found: bool = True
    images: tuple[Image, ...] = ()

    def control(self, kind: type[ControlT]) -> ControlT | None:
        """Return the first control of a kind; None when there is none."""
        return next((control for control in self.controls if isinstance(control, kind)), None)

    def drawn(self, pictures: Sequence[RenderedImage]) -> Card:
        """Return the reply with its pictures, in the order of the drawings."""
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
    """What was asked for cannot be had; the reply says why. It is caught where the shell is entered."""

    def __init__(self, reply: Card) -> None:
        self.reply = reply
        super().__init__(reply.text)

    @classmethod
    def saying(cls, text: str) -> Self:
        """Make one that says this."""
        return cls(Card(text, found=False))
