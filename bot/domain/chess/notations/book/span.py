"""Where an opening book starts and ends in free text; see :mod:`bot.domain.chess.notations.pgn.span`."""

from __future__ import annotations

import re

_MEANT = re.compile(r"[\s`|\ufeff]{0,100}//[^\r\n]*[\r\n]")
_SEQUENCE = re.compile(r"^[ \t]{0,40}1\s?\.\s?[A-Za-z]", re.MULTILINE)


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be an opening book: comments come first, and somewhere a line with ``1.``."""
    return _MEANT.match(text) is not None and _SEQUENCE.search(text, 0, 20_000) is not None
