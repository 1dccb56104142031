"""Where a text is clearly meant as a Turn URL, readable or not: four of five of its params are those of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.domain.crossword.notations.turn_url.names import is_name
from bot.domain.crossword.notations.turn_url.settings import SETTING_PARAMS
from bot.domain.crossword.notations.turn_url.span import MAX_MEANT
from bot.domain.reading.detection import Span, is_mostly

_RUN = re.compile(r"[^\s<>`|\"“”«»]++")
_NAME = re.compile(r"(?<=[#?&])[a-z][a-z0-9]{0,9}(?==)")
_TURN = re.compile(r"[#?&](?:wl=\d{1,2}\.\d{1,2}|ex=\d)")
_KNOWN = frozenset((*SETTING_PARAMS, "gid", "tn", "wl", "wh", "wv", "bt", "ex"))

_PROVING: Final = 4
"""Params of a Turn URL that prove one, a turn among them."""


def find(text: str) -> Iterator[Span]:
    """Yield each link in a text that is clearly meant as a Turn URL, from left to right."""
    if "wl=" not in text and "ex=" not in text:
        return
    for match in _RUN.finditer(text):
        if len(match[0]) > MAX_MEANT:
            continue
        names = _NAME.findall(match[0])
        right = [name for name in names if name in _KNOWN or is_name(name)]
        if len(set(right)) >= _PROVING and is_mostly(len(right), len(names)) and _TURN.search(match[0]):
            yield match.start(), match.end(), "turn-url"
