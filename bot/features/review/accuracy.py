"""Accuracy: one number from 0 to 100 for how little a move loses, the same for both games.

The curve is that of lichess (lila's ``AccuracyPercent``). On it the borders of crossword reviews, 3 and 7 % of a win
lost, are 88 and 74.
"""

from __future__ import annotations

import math

_HEIGHT = 103.1668100711649
_DECAY = 0.04354415386753951
_FOOT = -3.166924740191411
_DOUBT = 1.0
"""What is added because evaluations are not exact."""


def accuracy(lost: float) -> float:
    """Return the accuracy of a move that loses so many points of the 0 to 100 that winning is likely; 100 for none."""
    if lost <= 0:
        return 100.0
    return max(0.0, min(100.0, _HEIGHT * math.exp(-_DECAY * lost) + _FOOT + _DOUBT))
