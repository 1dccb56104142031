"""What stands behind a board that is written with slashes: it tells whose board it is.

A CGP and a FEN may have the same board, and each game looks here before it takes one for its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TILE = r"(?:\[{1,2}+[^\[\]\s/]{1,8}+\]{1,2}+|[^\W_]|·)"
"""A tile on a board: a letter, or a long one in brackets."""
RACKS = re.compile(rf"(?:{TILE}|[?.])*+(?:/(?:{TILE}|[?.])*+)++|(?:{TILE}|[?.]){{1,20}}+")
SCORES = re.compile(r"[^\s/`|;]{1,12}(?:/[^\s/`|;]{1,12})*")
NUMBERS = re.compile(r"[-−+]?\d+(?:/[-−+]?\d+)*")
CHESS_BOARD = re.compile(r"(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}")
GAP = re.compile(r"[^\S\n]{1,20}(?:\n[^\S\n]{0,20})?|\n[^\S\n]{0,20}")
"""What stands between two fields."""
_SLASHED = re.compile(r"/(?:[^\s/]*+/){5}\S*+")


def slashed_runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of the parts of a text that hold every run of characters with six slashes and no space."""
    end = 0
    for match in _SLASHED.finditer(text):
        slash = match.start()
        start = max(text.rfind(" ", end, slash), text.rfind("\n", end, slash), end - 1) + 1
        end = match.end()
        yield start, end


def next_field(text: str, position: int, field: re.Pattern[str]) -> re.Match[str] | None:
    """Return the next field if it follows after a gap."""
    gap = GAP.match(text, position)
    return field.match(text, gap.end()) if gap else None


def has_racks_and_scores(text: str, board_end: int) -> bool:
    """Tell whether racks and scores of several players follow a board: what follows in chess is never like that."""
    racks = next_field(text, board_end, RACKS)
    if racks is None or "/" not in racks[0]:
        return False
    scores = next_field(text, racks.end(), SCORES)
    return scores is not None and "/" in scores[0] and NUMBERS.fullmatch(scores[0]) is not None
