"""What stands on a line of text, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from bot.sight.scores.names.line import Box, cut_line, line_features
from bot.sight.scores.names.network import NONE, SIGNS, STRANGE, LineNetwork
from bot.sight.squares import Floats

UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for a sign that cannot be told."""

_WEIGHTS = Path(__file__).parents[2] / "data" / "names.npz"
_ASIDE = ((0.0, 0.0, 0.0, 0.0), (-0.04, -0.03, 0.04, 0.03), (0.05, 0.01, 0.0, -0.02))
"""How far from its place a line is cut, in heights: what is read must not depend on it."""
MOST_CUTS: Final = len(_ASIDE)


@dataclass(frozen=True, slots=True)
class Text:
    """What stands on a line."""

    text: str
    sure: float
    """How probable the least sure sign, or space between two, is in any cut; 0 where cuts do not agree."""


@cache
def _network() -> LineNetwork:
    return LineNetwork.load(_WEIGHTS)


def read_line(grey: npt.NDArray[np.uint8], box: Box, cuts: int = 1) -> Text:
    """Read a line of a grey picture, by the box of its ink; so many times in slightly different cuts."""
    high = box[3] - box[1]
    read: list[Text] = []
    for aside in _ASIDE[:cuts]:
        left, top, right, bottom = (side + away * high for side, away in zip(box, aside, strict=True))
        features = line_features(cut_line(grey, (left, top, right, bottom)))
        read.append(_told(_network().shares(features)))
        if read[-1].text != read[0].text:
            return Text(read[0].text, 0.0)
        if not read[-1].sure:
            break
    return Text(read[0].text, min(one.sure for one in read))


def _told(shares: Floats) -> Text:
    """Return the signs of a line: one for each run of steps in which there is any.

    Of several in one run the most probable is told, and is the less sure the more probable the others are.
    """
    classes = shares.argmax(axis=1)
    begins = np.flatnonzero(np.diff(classes != NONE, prepend=False, append=False))
    signs, sure = [], 1.0
    between = np.ones(len(classes), bool)
    for begin, end in begins.reshape(-1, 2).tolist():
        most = shares[begin:end, NONE + 1 :].max(axis=0)
        number = int(most.argmax()) + NONE + 1
        told = np.unique(classes[begin:end]) - NONE - 1
        sure = min(sure, float(most.max() ** 2 / most[told].sum()))
        signs.append(UNKNOWN if number == STRANGE else SIGNS[number - 1])
        between[max(0, begin - 1) : end + 1] = False
    if between.any():
        sure = min(sure, float(shares[between, NONE].min()))
    text = "".join(signs)
    return Text(text, 0.0 if UNKNOWN in text else sure)
