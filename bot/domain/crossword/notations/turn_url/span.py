"""Where a Turn URL starts and ends in free text.

It is recognized by its params, on any host: ``gid=`` with a turn number after it, in one run of the characters that
links are made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.domain.crossword.notations.turn_url.values import SETTING_PARAMS, is_name
from bot.domain.reading.notation import Span, is_mostly

_RUN = re.compile(r"[^\s<>`|\"“”«»]++")
_GID = re.compile(r"(?:\A|(?<=[#?&;(\[{*_~'‘:,!（「『【]))gid=[^&#]")
_NUMBER = re.compile(r"[&#;]tn=[0-9]")
_CLOSING = re.compile(r"[)\]}]")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_AFTER = ".,;:!?'’*_~\\…。、，；：！？）」』】"
MAX_MEANT = 64_000
"""Characters of the longest text that is looked at as one link."""
_OPENING = frozenset("([{*'‘,!（「『【")


def find(text: str) -> Iterator[Span]:
    """Yield each Turn URL in a text, from left to right."""
    if "tn=" not in text:
        return
    for match in _RUN.finditer(text):
        run, offset = match[0], match.start()
        position = 0
        while (gid := _GID.search(run, position)) and (number := _NUMBER.search(run, gid.end())):
            # Form encoding writes no brackets: the first one closes what the link stands in.
            closing = _CLOSING.search(run, number.end())
            end = closing.start() if closing else len(run)
            start = _start(run, position, gid.start())
            yield offset + start, offset + start + len(run[start:end].rstrip(_AFTER)), "turn-url"
            position = end


# Params stand after a hash, anywhere in an address without one, or are all there is.
_MEANT = re.compile(
    r"[a-z]{2,10}://(?:[^#]*?(?:gid|tn)=|[^#]*+#(?:[^&]*+&)*?(?:gid|tn)=)|#?(?:[^=&]++=[^&]*+&)*?(?:gid|tn)="
)


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be a Turn URL, though it has no turn number."""
    if len(text) > MAX_MEANT:
        return False
    words = text.split(maxsplit=1)
    return len(words) == 1 and _MEANT.match(words[0]) is not None


def _start(run: str, lowest: int, gid: int) -> int:
    """Return where the link starts whose params start at ``gid``."""
    scheme = run.rfind("://", lowest, gid)
    if scheme >= 0:
        start = scheme
        while start > lowest and run[start - 1] in _LETTERS:
            start -= 1
        return start
    start = gid
    while start > lowest and run[start - 1] not in _OPENING:
        start -= 1
    return start


# Where a text is clearly meant as a Turn URL, readable or not: four of five of its params are those of one.

_NAME = re.compile(r"(?<=[#?&])[a-z][a-z0-9]{0,9}(?==)")
_TURN = re.compile(r"[#?&](?:wl=\d{1,2}\.\d{1,2}|ex=\d)")
_KNOWN = frozenset((*SETTING_PARAMS, "gid", "tn", "wl", "wh", "wv", "bt", "ex"))

_PROVING: Final = 4
"""Params of a Turn URL that prove one, a turn among them."""


def find_nearly(text: str) -> Iterator[Span]:
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
