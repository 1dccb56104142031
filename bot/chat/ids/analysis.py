"""The ids of analyses of crossword positions."""

from __future__ import annotations

from typing import Annotated, Final

from bot.chat.control import Control, Part, control
from bot.chat.offers import Way
from bot.chat.parts import USER, LexiconName, OfMoment, number_part
from bot.engine.analysis import DEFAULT_PLIES
from bot.jobs.analysis import Method


def _read_way(text: str) -> Way:
    plies = text.strip(":ia")
    return Way(int(plies) if plies else DEFAULT_PLIES, "i" in text, "a" in text)


def _write_way(way: Way) -> str:
    plies = "" if way.plies == DEFAULT_PLIES else str(way.plies)
    text = f"{plies}{'i' if way.infer else ''}{'a' if way.all else ''}"
    return f":{text}" if text else ""


_METHOD: Final = Part("equity|simulation|solution", Method)


_WAY: Final = Part("(?::(?:[1345]i?a?|ia?|a))?", _read_way, _write_way)


_RANK: Final = number_part(2)


_Way = Annotated[Way, _WAY]


_USUAL: Final = Way()


@control("analyze:{moment}:{lexicon}")
class AnalyzeId(OfMoment):
    """Tells the best plays of a moment."""

    lexicon: LexiconName = ""


@control("ranked:{method}:{moment}:{lexicon}{way}")
class RankedId(OfMoment):
    """The menu of the plays of a ranking."""

    method: Annotated[Method, _METHOD]
    lexicon: LexiconName
    way: _Way = _USUAL


@control("rows:{method}:{moment}:{lexicon}{way}:{shown}")
class RowsId(RankedId):
    """Tells the same ranking with more plays in its table, or with fewer: as its way says."""

    shown: Annotated[int, _RANK] = 0


@control("post:{method}:{moment}:{lexicon}{way}:{shown}")
class PostId(RankedId):
    """Posts a ranking to its channel, hidden where the moment says so."""

    shown: Annotated[int, _RANK] = 0


@control("longer:{method}:{moment}:{lexicon}{way}")
class LongerId(RankedId):
    """Goes on with a simulation."""


@control("ways:{method}:{moment}:{lexicon}{way}")
class WaysId(RankedId):
    """The menu of other questions about a ranking's position."""


@control("lexicon:{moment}")
class LexiconId(OfMoment):
    """The menu of the lexica to analyze a moment by."""


@control("deepen:{method}:{moment}:{lexicon}{way}")
class DeepenId(OfMoment):
    """Compares plays in a way that takes longer."""

    method: Annotated[Method, Part("simulation|solution", Method)]
    lexicon: LexiconName
    way: _Way = _USUAL


@control("stop:{user}")
class StopId(Control):
    """Stops the analysis of whoever asked for it."""

    user: Annotated[int, USER]
