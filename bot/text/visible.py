"""Makes untrusted text safe for places without Markdown: pictures, alt texts, menus, file names.

For Markdown, see :mod:`bot.chat.markdown`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

ISOLATE: Final = "\u2068"
"""Starts a run of text whose direction does not affect the text around it (first strong isolate)."""
END_ISOLATE: Final = "\u2069"

# Line breaks and control characters that a terminal or another program might act on.
_LINE_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Some scripts and emoji need joiners. Elsewhere, joiners would make different names look the same.
_JOINABLE = "\u0600-\u06ff\u0900-\u0dff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"
_INVISIBLE = re.compile(
    f"(?!(?<=[{_JOINABLE}])[\u200c\u200d][{_JOINABLE}])"
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2067\u206a-\u206f"
    "\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
fix_surrogates: Final = partial(_LONE_SURROGATES.sub, "\ufffd")
"""Replaces each lone surrogate, which UTF-8 cannot encode, with U+FFFD."""
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


def one_line(text: str, max_length: int | None = None) -> str:
    """Return a string as one line of at most ``max_length`` characters, without invisible characters.

    Lone surrogates, which cannot be sent, become U+FFFD. Characters that control the writing direction are removed, except
    first strong isolates, which do not affect the text around them. An open isolate is closed, and nested isolates are removed.
    """
    text = fix_surrogates(_INVISIBLE.sub("", _LINE_BREAKS.sub(" ", text)))
    if max_length is not None and len(text) > max_length:
        text = text[: max_length - 1] + "…"
    if ISOLATE not in text and END_ISOLATE not in text:
        return text
    balanced = _balance_isolates(text)
    # The cut may have removed the end of an isolate. Closing the isolate again takes one more character.
    return (
        balanced
        if max_length is None or len(balanced) <= max_length
        else _balance_isolates(f"{text[: max_length - 2]}…")
    )


def isolate(text: str) -> str:
    """Isolate a single line of text if it contains right-to-left characters.

    Without isolation, a score after a Hebrew name would appear on the wrong side of the name.
    """
    if not _RIGHT_TO_LEFT.search(text):
        return text
    inner = text.replace(ISOLATE, "").replace(END_ISOLATE, "")
    return f"{ISOLATE}{inner}{END_ISOLATE}"


def _balance_isolates(text: str) -> str:
    """Remove nested isolates and ends without a start, and close an open isolate."""
    characters: list[str] = []
    is_open = False
    for char in text:
        if char == (ISOLATE if is_open else END_ISOLATE):
            continue
        if char in (ISOLATE, END_ISOLATE):
            is_open = not is_open
        characters.append(char)
    return "".join(characters) + (END_ISOLATE if is_open else "")
