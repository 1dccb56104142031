"""How thoroughly reviews of either game look."""

from __future__ import annotations

from enum import StrEnum


class Depth(StrEnum):
    """How thoroughly a game is reviewed."""

    QUICK = "quick"
    DEEP = "deep"
