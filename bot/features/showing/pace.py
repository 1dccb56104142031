"""The speed and length of replays, and the format of clocks."""

from __future__ import annotations

from enum import StrEnum

MAX_FRAMES = 150
FRAME_MILLISECONDS = 1500
"""Duration of an ordinary frame at normal speed."""
REMARK_FACTOR = 2
"""Frames with a bingo or a remark last this many times as long as ordinary frames."""
LAST_FRAME_MILLISECONDS = 4000
"""Duration of the last frame at any speed."""


class Pace(StrEnum):
    """The speed of a replay."""

    SLOW = "slow"
    NORMAL = "usual"  # the value in custom ids
    FAST = "fast"

    def duration(self, milliseconds: int) -> int:
        factor = {Pace.SLOW: 2.0, Pace.NORMAL: 1.0, Pace.FAST: 0.4}[self]
        return round(milliseconds * factor / 10) * 10


def clock_text(milliseconds: int) -> str:
    sign = "-" if milliseconds < 0 else ""
    minutes, seconds = divmod(abs(milliseconds) // 1000, 60)
    return f"{sign}{minutes}:{seconds:02}"
