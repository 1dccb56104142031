"""The grammar of ``custom_id``: what a control is about stands in its id, so that it works after a restart.

An id is ``kibitz:``, a word, and parts with colons between them. It is written in one way only, and read only if it is
written so: ``read(text).write() == text``. Ids stand under messages for years, so a form may gain a part that can be left
out, and never loses one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    TypeVar,
    dataclass_transform,
    get_type_hints,
)

import discord

from bot.answers.reply import BookPlace, Moment, Way
from bot.engine.options import DEFAULT_PLIES
from bot.jobs.analysis import Method
from bot.review.depth import Depth
from bot.scenes.pace import Pace

MAX_LENGTH = 100
"""Characters that Discord takes of an id."""

_Id = TypeVar("_Id", bound="ControlId")


@dataclass(frozen=True, slots=True)
class _Part:
    """How one value stands in an id: what it looks like, how it is read, how it is written."""

    looks: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str


def _number(digits: int) -> _Part:
    return _Part(rf"(?:0|[1-9][0-9]{{0,{digits - 1}}})", int)


def _read_moment(text: str) -> Moment:
    digest, turn, seen = text.split(":")
    return Moment(digest, int(turn), None if seen[0] == WHOLE else int(seen[0]), seen[1] == "s")


def _write_moment(moment: Moment) -> str:
    side = WHOLE if moment.side is None else moment.side
    return f"{moment.digest}:{moment.turn}:{side}{'s' if moment.spoiler else 'o'}"


def _read_place(text: str) -> BookPlace:
    book, path, hidden = text.split(":")
    return BookPlace(book, path, hidden == "s")


def _write_place(place: BookPlace) -> str:
    return f"{place.book}:{place.path}:{'s' if place.spoiler else 'o'}"


def _read_way(text: str) -> Way:
    plies = text.strip(":ia")
    return Way(int(plies) if plies else DEFAULT_PLIES, "i" in text, "a" in text)


def _write_way(way: Way) -> str:
    plies = "" if way.plies == DEFAULT_PLIES else str(way.plies)
    text = f"{plies}{'i' if way.infer else ''}{'a' if way.all else ''}"
    return f":{text}" if text else ""


WHOLE: Final = "w"
"""The side of the whole table."""

_DIGEST: Final = _Part("[A-Za-z0-9_-]{22}")
_TURN: Final = _number(4)
_MOMENT: Final = _Part(rf"{_DIGEST.looks}:{_TURN.looks}:[w0-7][so]", _read_moment, _write_moment)
_METHOD: Final = _Part("equity|simulation|solution", Method)
_USER: Final = _number(20)
_PLACE: Final = _Part(rf"{_DIGEST.looks}:{_DIGEST.looks}:[so]", _read_place, _write_place)
_MARK: Final = _Part("(?::[0-9a-f]{8})?", lambda text: text[1:], lambda mark: mark and f":{mark}")

_WAY: Final = _Part("(?::(?:[1345]i?a?|ia?|a))?", _read_way, _write_way)
_RANK: Final = _number(2)

_Where = Annotated[Moment, _MOMENT]
_Lexicon = Annotated[str, _Part("[A-Za-z0-9._-]{0,32}")]
_Way = Annotated[Way, _WAY]
_USUAL: Final = Way()


class ControlId:
    """The state of a control, which its ``custom_id`` holds."""

    __slots__ = ()
    form: ClassVar[str]
    """How the parts follow each other."""
    template: ClassVar[re.Pattern[str]]
    """What the whole id looks like, with a group for each part."""
    parts: ClassVar[dict[str, _Part]]

    @property
    def document(self) -> str | None:
        """The digest of the document that the message shows; None where the control is about none."""
        return None

    def fits(self) -> bool:
        """Tell whether it can be written."""
        text = self._text()
        return len(text) <= MAX_LENGTH and self.template.fullmatch(text) is not None

    def write(self) -> str:
        """Return the ``custom_id``.

        Raises:
            ValueError: a value does not fit into it.

        """
        if not self.fits():
            msg = f"{self!r} cannot be written"
            raise ValueError(msg)
        return self._text()

    def _text(self) -> str:
        return self.form.format(
            **{name: part.write(getattr(self, name)) for name, part in self.parts.items()}
        )

    @classmethod
    def of(cls: type[_Id], match: re.Match[str]) -> _Id:
        """Return what an id says that matches the template."""
        return cls(**{name: part.read(match[name]) for name, part in cls.parts.items()})


@dataclass_transform(frozen_default=True)
def _written(form: str) -> Callable[[type[_Id]], type[_Id]]:
    """Make a class a frozen value that is written in a form; the annotations of its fields are their patterns."""

    def made(cls: type[_Id]) -> type[_Id]:
        value = dataclass(frozen=True, slots=True)(cls)
        hints = get_type_hints(value, include_extras=True)
        value.form = f"kibitz:{form}"
        value.parts = {name: hints[name].__metadata__[0] for name in re.findall(r"{(\w+)}", form)}
        groups = {name: f"(?P<{name}>{part.looks})" for name, part in value.parts.items()}
        value.template = re.compile(value.form.format(**groups), re.ASCII)
        _BY_WORD[form.partition(":")[0]] = value
        return value

    return made


_BY_WORD: Final[dict[str, type[ControlId]]] = {}


@dataclass(frozen=True, slots=True)
class _OfMoment(ControlId):
    moment: _Where

    @property
    def document(self) -> str | None:
        return self.moment.digest


@_written("view:{moment}:{role}")
class ViewId(_OfMoment):
    """Shows a moment; the role distinguishes buttons that show the same one."""

    role: Annotated[str, _Part("[fpnlx]")]


@_written("turns:{moment}")
class TurnsId(_OfMoment):
    """The menu of turns, under the moment shown."""


@_written("more:{moment}")
class MoreId(_OfMoment):
    """The menu of other ways to look at the moment shown, or of its notations; once both were one."""


@_written("copy:{moment}")
class CopyId(_OfMoment):
    """Gives what is shown as a text to copy."""


@_written("replay:{moment}:{pace}:{whom}")
class ReplayId(_OfMoment):
    """Plays a game again, so fast, in place of the message or to everybody."""

    pace: Annotated[Pace, _Part("slow|usual|fast", Pace)]
    whom: Annotated[str, _Part("me|all")]


@_written("games:{moment}")
class GamesId(_OfMoment):
    """The menu of the games that were posted together, under the moment shown."""


@_written("open:{moment}")
class OpenId(_OfMoment):
    """Opens a game in private."""


@_written("analyze:{moment}:{lexicon}")
class AnalyzeId(_OfMoment):
    """Tells the best plays of a moment."""

    lexicon: _Lexicon = ""


@_written("ranked:{method}:{moment}:{lexicon}{way}")
class RankedId(_OfMoment):
    """The menu of the plays of a ranking."""

    method: Annotated[Method, _METHOD]
    lexicon: _Lexicon
    way: _Way = _USUAL


@_written("rows:{method}:{moment}:{lexicon}{way}:{shown}")
class RowsId(RankedId):
    """Tells the same ranking with more plays in its table, or with fewer: as its way says."""

    shown: Annotated[int, _RANK] = 0


@_written("post:{method}:{moment}:{lexicon}{way}:{shown}")
class PostId(RankedId):
    """Posts a ranking to its channel, hidden where the moment says so."""

    shown: Annotated[int, _RANK] = 0


@_written("longer:{method}:{moment}:{lexicon}{way}")
class LongerId(RankedId):
    """Goes on with a simulation."""


@_written("ways:{method}:{moment}:{lexicon}{way}")
class WaysId(RankedId):
    """The menu of other questions about a ranking's position."""


@_written("try:{moment}:{lexicon}")
class TryId(_OfMoment):
    """Asks for a play to try."""

    lexicon: _Lexicon = ""


@_written("lexicon:{moment}")
class LexiconId(_OfMoment):
    """The menu of the lexica to analyze a moment by."""


@_written("deepen:{method}:{moment}:{lexicon}{way}")
class DeepenId(_OfMoment):
    """Compares plays in a way that takes longer."""

    method: Annotated[Method, _Part("simulation|solution", Method)]
    lexicon: _Lexicon
    way: _Way = _USUAL


@_written("review:{moment}:{depth}")
class ReviewId(_OfMoment):
    """Reviews a game."""

    depth: Annotated[Depth, _Part("quick|deep", Depth)]


@_written("stop:{user}")
class StopId(ControlId):
    """Stops the analysis of whoever asked for it."""

    user: Annotated[int, _USER]


@_written("engine:{moment}:{seconds}")
class EngineId(_OfMoment):
    """Has an engine think, for the usual time when the seconds are 0."""

    seconds: Annotated[int, _number(2)]


@_written("solve:{moment}:{done}:{way}")
class SolveId(_OfMoment):
    """Asks for a move of a puzzle, after so many half-moves of one of its solution's ways."""

    done: Annotated[int, _number(3)]
    way: Annotated[int, _number(3)]


@dataclass(frozen=True, slots=True)
class _OfBook(ControlId):
    place: Annotated[BookPlace, _PLACE]

    @property
    def document(self) -> str | None:
        return self.place.path


@_written("known:{place}")
class KnownId(_OfBook):
    """The menu of the moves that a book knows behind the way to the position shown; both are documents."""


@_written("takeback:{place}")
class TakeBackId(_OfBook):
    """Takes back the last move of the way through a book."""


@_written("notation:{digest}")
class NotationId(ControlId):
    """The menu of a document's other notations."""

    digest: Annotated[str, _DIGEST]

    @property
    def document(self) -> str | None:
        """The digest."""
        return self.digest


@_written("delete:{author}{mark}")
class DeleteId(ControlId):
    """Deletes an answer: who was answered, and by which process; the oldest answers do not tell that."""

    author: Annotated[int, _USER]
    mark: Annotated[str, _MARK] = ""


@_written("seat:{draws}:{what}:{mark}")
class SeatId(ControlId):
    """Takes somebody's word about the seats of a game; the mark names who was shown to sit where."""

    draws: Annotated[int, _number(10)]
    what: Annotated[str, _Part(rf"{_number(2).looks}|ok|out")]
    mark: Annotated[str, _Part("[0-9a-f]{8}")]


@_written("choose:{whose}:{name}")
class ChooseId(ControlId):
    """A menu of the settings."""

    whose: Annotated[str, _Part("server|me")]
    name: Annotated[str, _Part("mode|theme|layout|coordinates|language|turns")]


@_written("example:{name}")
class ExampleId(ControlId):
    """Shows an example; one of an earlier version may be gone."""

    name: Annotated[str, _Part("[a-z-]{1,20}")]


@_written("help:{page}")
class HelpId(ControlId):
    """Turns the help to a page."""

    page: Annotated[str, _Part("jobs|manual")]


@_written("meet:{guild}:{mode}")
class MeetId(ControlId):
    """Chooses how positions are met in a server, under the first word to it."""

    guild: Annotated[int, _USER]
    mode: Annotated[str, _Part("auto|on_request")]


@_written("forget:{user}")
class ForgetId(ControlId):
    """Has everything about a person forgotten."""

    user: Annotated[int, _USER]


def read(custom_id: str | None) -> ControlId | None:
    """Return what an id says; None when it is none of ours."""
    kind = _BY_WORD.get((custom_id or "").removeprefix("kibitz:").partition(":")[0])
    match = kind.template.fullmatch(custom_id or "") if kind else None
    return kind.of(match) if kind and match else None


def ids_under(message: discord.Message) -> Iterator[tuple[ControlId, discord.Component]]:
    """Yield what the controls under a message are about, each with the control."""
    for row in message.components:
        for item in getattr(row, "children", ()):
            if (state := read(getattr(item, "custom_id", None))) is not None:
                yield state, item
