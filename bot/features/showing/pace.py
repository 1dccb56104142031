"""The speed and length of replays, and the text that shows a player's clock."""

from __future__ import annotations

from enum import StrEnum

MAX_FRAMES = 150
"""Maximum number of positions in a replay."""
FRAME_MILLISECONDS = 1500
"""The duration of most frames, at the usual pace."""
REMARK_FACTOR = 2
"""Frames with more to see, such as a bingo or a remark, are shown this many times as long as other frames."""
LAST_FRAME_MILLISECONDS = 4000
"""The duration of the last frame, at any pace."""


class Pace(StrEnum):
    """The speed of a replay."""

    SLOW = "slow"
    USUAL = "usual"
    FAST = "fast"

    def duration(self, milliseconds: int) -> int:
        """Return the duration of a frame at this pace, in steps of 10 milliseconds."""
        factor = {Pace.SLOW: 2.0, Pace.USUAL: 1.0, Pace.FAST: 0.4}[self]
        return round(milliseconds * factor / 10) * 10


def clock_text(milliseconds: int) -> str:
    """Write a clock as minutes and seconds, with a minus sign if the player has used more than the allotted time."""
    sign = "-" if milliseconds < 0 else ""
    minutes, seconds = divmod(abs(milliseconds) // 1000, 60)
    return f"{sign}{minutes}:{seconds:02}"


def evenly_spread(count: int, limit: int) -> list[int]:
    """Return the numbers from 0 to ``count - 1``. If they are more than ``limit``, return only ``limit`` of them, evenly spread.

    The first and the last number are always included.
    """
    if count <= limit:
        return list(range(count))
    return [number * (count - 1) // (limit - 1) for number in range(limit)]
