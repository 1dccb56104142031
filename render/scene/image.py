"""What drawing makes of a scene."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """A finished picture."""

    data: bytes
    width: int
    height: int
    mime: str = "image/png"


@dataclass(frozen=True, slots=True)
class RenderedAnimation(RenderedImage):
    """A finished replay, and what it took to keep it as small as it had to be."""

    cell: int = 0
    """Pixels from one square to the next."""
    full_cell: int = 0
    """What ``cell`` would be without a limit of bytes."""
    frames: int = 0
    """Frames it shows."""
    left_out: int = 0
    """Frames of the scene it does not show: evenly spread, never the first or the last."""
