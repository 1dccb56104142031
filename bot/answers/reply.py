"""Answers and replies: everything a shell needs to answer somebody, and nothing of any shell.

An :class:`Answer` still has its pictures as scenes; the service draws them and makes it a :class:`Reply`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from render.scene import BoardScene, ChartScene, ChessScene, RenderedImage, ReplayScene

Scene: TypeAlias = BoardScene | ChessScene | ChartScene | ReplayScene
"""Everything that can be drawn."""

TEXT_LIMIT = 2000
"""Characters that fit into one message."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture still to be drawn, with its description."""

    scene: Scene
    alt: str
    spoiler: bool = False


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
class NotationMenu:
    """Offers a stored document in other notations."""

    digest: str
    number: int | None
    """The position's number when the answer shows several; None when it shows one."""
    notations: tuple[str, ...]
    """Names of the notations offered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be said. ``found`` is False when it only says why there is nothing to show."""

    text: str
    drawings: tuple[Drawing, ...] = ()
    files: tuple[TextFile, ...] = ()
    menus: tuple[NotationMenu, ...] = ()
    found: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer whose pictures are drawn."""

    text: str
    images: tuple[Image, ...] = ()
    files: tuple[TextFile, ...] = ()
    menus: tuple[NotationMenu, ...] = ()
    found: bool = True
