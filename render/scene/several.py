"""Several scenes in one picture, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from render.scene.board import BoardScene
from render.scene.chart import ChartScene
from render.scene.chess import ChessScene
from render.scene.sides import Layout, PlayerRow

TURN_DELAY = 1500
"""Milliseconds a turn of a replay stands by default."""


END_DELAY = 5000
"""Milliseconds the last turn stands, so that the outcome can be read before the replay starts again."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of a replay."""

    scene: BoardScene | ChessScene
    delay: int = TURN_DELAY
    """Milliseconds it stands, in steps of 10."""


@dataclass(frozen=True, slots=True)
class ReplayScene:
    """Scenes shown one after the other; they share kind, layout, theme, size of board and of squares."""

    frames: tuple[Frame, ...]
    repeat: bool = True
    """Whether it starts again after the last frame."""


def replay_of(scenes: Iterable[BoardScene | ChessScene], delay: int = TURN_DELAY) -> ReplayScene:
    """Return a replay that shows each scene equally long and rests at the last one."""
    frames = [Frame(scene, delay) for scene in scenes]
    return ReplayScene((*frames[:-1], *(replace(last, delay=max(delay, END_DELAY)) for last in frames[-1:])))


@dataclass(frozen=True, slots=True)
class Part:
    """One of several pictures in one."""

    scene: BoardScene | ChessScene | ChartScene
    """Of a board, only the board is drawn: what would stand in its panel is the title's to say. Its theme is that of
    the whole."""
    title: str = ""
    """One line above it."""


@dataclass(frozen=True, slots=True)
class MosaicScene:
    """Several pictures in one, under a title and the players: a finished game, or positions that came together."""

    rows: tuple[tuple[Part, ...], ...]
    """What stands below each other; those of one row share its width."""
    title: str = ""
    """One large line above everything."""
    players: tuple[PlayerRow, ...] = ()
    layout: Layout = Layout.TALL
    """Wide: the first row at the left, everything else at its right."""
    theme: str = "light"
    even: bool = False
    """Whether all are as wide as those of the fullest row, and the others leave room."""

    def __post_init__(self) -> None:
        if not self.rows or not all(self.rows):
            raise ValueError("several pictures in one need at least one picture in every row")
