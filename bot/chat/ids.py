"""The grammar of ``custom_id``: what a control is about stands in its id, so that it works after a restart.

An id is ``kibitz:``, a word, and parts with colons between them. It is written in one way only, and read only if it is
written so: ``read(text).write() == text``. Ids stand under messages for years, so a form may gain a part that can be left
out, and never loses one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

import discord

from bot.answers.controls import BookPlace, GameReview, Moment, Way
from bot.chat.custom_id import BY_WORD, ControlId, Part, written
from bot.engine.options import DEFAULT_PLIES
from bot.jobs.analysis import Method
from bot.review.depth import Depth
from bot.review.lessons import MAX_LESSONS
from bot.scenes.pace import Pace


def _number(digits: int) -> Part:
    return Part(rf"(?:0|[1-9][0-9]{{0,{digits - 1}}})", int)


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

_DIGEST: Final = Part("[A-Za-z0-9_-]{22}")
_TURN: Final = _number(4)
_MOMENT: Final = Part(rf"{_DIGEST.looks}:{_TURN.looks}:[w0-7][so]", _read_moment, _write_moment)
_METHOD: Final = Part("equity|simulation|solution", Method)
_USER: Final = _number(20)
_PLACE: Final = Part(rf"{_DIGEST.looks}:{_DIGEST.looks}:[so]", _read_place, _write_place)
_MARK: Final = Part("(?::[0-9a-f]{8})?", lambda text: text[1:], lambda mark: mark and f":{mark}")

_WAY: Final = Part("(?::(?:[1345]i?a?|ia?|a))?", _read_way, _write_way)
_RANK: Final = _number(2)
_FURTHER_LEXICON: Final = Part(
    "(?::[A-Za-z0-9._-]{1,32})?", lambda text: text[1:], lambda name: name and f":{name}"
)

_Where = Annotated[Moment, _MOMENT]
_Lexicon = Annotated[str, Part("[A-Za-z0-9._-]{0,32}")]
_Way = Annotated[Way, _WAY]
_USUAL: Final = Way()


@dataclass(frozen=True, slots=True)
class _OfMoment(ControlId):
    moment: _Where

    @property
    def document(self) -> str | None:
        return self.moment.digest


@written("view:{moment}:{role}")
class ViewId(_OfMoment):
    """Shows a moment; the role distinguishes buttons that show the same one."""

    role: Annotated[str, Part("[fpnlx]")]


@written("turns:{moment}")
class TurnsId(_OfMoment):
    """The menu of turns, under the moment shown."""


@written("more:{moment}")
class MoreId(_OfMoment):
    """The menu of other ways to look at the moment shown, or of its notations; once both were one."""


@written("copy:{moment}")
class CopyId(_OfMoment):
    """Gives what is shown as a text to copy."""


@written("replay:{moment}:{pace}:{whom}")
class ReplayId(_OfMoment):
    """Plays a game again, so fast, in place of the message or to everybody."""

    pace: Annotated[Pace, Part("slow|usual|fast", Pace)]
    whom: Annotated[str, Part("me|all")]


@written("games:{moment}")
class GamesId(_OfMoment):
    """The menu of the games that were posted together, under the moment shown."""


@written("linked:{collection}:{hidden}")
class LinkedId(ControlId):
    """The menu of the games of a collection on woogles; ``hidden`` is ``s`` where its link is a spoiler, else ``o``."""

    collection: Annotated[str, Part("[0-9A-Za-z-]{8,36}")]
    hidden: Annotated[str, Part("[so]")]


@written("open:{moment}")
class OpenId(_OfMoment):
    """Opens a game in private."""


@written("analyze:{moment}:{lexicon}")
class AnalyzeId(_OfMoment):
    """Tells the best plays of a moment."""

    lexicon: _Lexicon = ""


@written("ranked:{method}:{moment}:{lexicon}{way}")
class RankedId(_OfMoment):
    """The menu of the plays of a ranking."""

    method: Annotated[Method, _METHOD]
    lexicon: _Lexicon
    way: _Way = _USUAL


@written("rows:{method}:{moment}:{lexicon}{way}:{shown}")
class RowsId(RankedId):
    """Tells the same ranking with more plays in its table, or with fewer: as its way says."""

    shown: Annotated[int, _RANK] = 0


@written("post:{method}:{moment}:{lexicon}{way}:{shown}")
class PostId(RankedId):
    """Posts a ranking to its channel, hidden where the moment says so."""

    shown: Annotated[int, _RANK] = 0


@written("longer:{method}:{moment}:{lexicon}{way}")
class LongerId(RankedId):
    """Goes on with a simulation."""


@written("ways:{method}:{moment}:{lexicon}{way}")
class WaysId(RankedId):
    """The menu of other questions about a ranking's position."""


@written("try:{moment}:{lexicon}")
class TryId(_OfMoment):
    """Asks for a play to try."""

    lexicon: _Lexicon = ""


@written("lexicon:{moment}")
class LexiconId(_OfMoment):
    """The menu of the lexica to analyze a moment by."""


@written("deepen:{method}:{moment}:{lexicon}{way}")
class DeepenId(_OfMoment):
    """Compares plays in a way that takes longer."""

    method: Annotated[Method, Part("simulation|solution", Method)]
    lexicon: _Lexicon
    way: _Way = _USUAL


@written("review:{moment}:{depth}{lexicon}")
class ReviewId(_OfMoment):
    """Reviews a game, by the lexicon that was asked for before."""

    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: Annotated[str, _FURTHER_LEXICON] = ""


@dataclass(frozen=True, slots=True)
class _OfReview(ControlId):
    moment: _Where
    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: _Lexicon

    @property
    def document(self) -> str | None:
        return self.moment.digest


@written("judged:{moment}:{depth}:{lexicon}:{role}")
class JudgedId(_OfReview):
    """Shows a turn with what a review says of it: a key turn, the one before, or the one after."""

    role: Annotated[str, Part("[kpn]")]


@written("judgements:{moment}:{depth}:{lexicon}")
class JudgedTurnsId(_OfReview):
    """The menu of a review's turns; the moment's turn is the one shown, 0 on the card."""


@written("share:{what}:{moment}:{depth}:{lexicon}")
class ShareId(ControlId):
    """Posts a review to its channel."""

    what: Annotated[str, Part("squares|card")]
    moment: _Where
    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: _Lexicon

    @property
    def document(self) -> str | None:
        """The digest of the game."""
        return self.moment.digest


@written("learn:{what}:{moment}:{depth}:{lexicon}:{marks}{own}")
class LearnId(_OfReview):
    """Learns from a review: what the control does, and what became of each turn so far, a sign for one.

    The moment's turn is where the control stands or leads to, 0 at the end; its side is the player.
    """

    what: Annotated[str, Part("[wcahspn]")]
    marks: Annotated[str, Part(rf"[0-4shx]{{0,{MAX_LESSONS}}}")] = ""
    own: Annotated[bool, Part("(?::o)?", bool, lambda own: ":o" if own else "")] = False
    """Whether the turn was set as a puzzle, out of a game of the person's own."""


@written("mistake:{game}")
class MistakeId(ControlId):
    """Sets the next of one's own mistakes, of one game or of all."""

    game: Annotated[str, Part("crossword|chess|all")]


_Last = Annotated[int, _number(2)]


@written("reviews:{last}:{lexicon}")
class ReviewsId(ControlId):
    """The menu of reviewed games: so many of one's own, or 0 for games that were brought; by the lexicon asked for."""

    last: _Last
    lexicon: _Lexicon


@written("closer:{last}:{lexicon}")
class CloserId(ReviewsId):
    """Looks closely at all the games in the menu beside it."""


@written("names:{last}:{depth}:{lexicon}")
class NamesId(ControlId):
    """Asks what one is called in one's own games, before that many of them are reviewed once more."""

    last: _Last
    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: _Lexicon


@written("who:{last}:{depth}:{lexicon}")
class WhoId(NamesId):
    """The menu of the names."""


@written("stop:{user}")
class StopId(ControlId):
    """Stops the analysis of whoever asked for it."""

    user: Annotated[int, _USER]


@written("engine:{moment}:{seconds}")
class EngineId(_OfMoment):
    """Has an engine think, for the usual time when the seconds are 0."""

    seconds: Annotated[int, _number(2)]


@written("solve:{moment}:{done}:{way}")
class SolveId(_OfMoment):
    """Asks for a move of a puzzle of a posted file, as earlier versions had it; half-moves and way are not looked at."""

    done: Annotated[int, _number(3)]
    way: Annotated[int, _number(3)]


@dataclass(frozen=True, slots=True)
class _OfBook(ControlId):
    place: Annotated[BookPlace, _PLACE]

    @property
    def document(self) -> str | None:
        return self.place.path


_PUZZLE: Final = Part(rf"[A-Za-z0-9]{{1,16}}|{_DIGEST.looks}\.{_TURN.looks}")
"""The id of a puzzle, or where it stands in a posted file."""


def _file_of(name: str) -> str | None:
    digest, dot, _ = name.partition(".")
    return digest if dot else None


@written("puzzle:{game}:{name}:{what}")
class PuzzleId(ControlId):
    """Answers a puzzle, by a form or by menus, takes a hint, asks for the solution or for the next one."""

    game: Annotated[str, Part("crossword|chess")]
    name: Annotated[str, _PUZZLE]
    what: Annotated[str, Part("[ahsnm]")]

    @property
    def document(self) -> str | None:
        """The digest of the file, where the puzzle is one of a posted file."""
        return _file_of(self.name)


@written("pick:{name}:{start}:{place}")
class PickId(ControlId):
    """A menu of the moves of a chess puzzle: of the pieces, from place 5 on of what the chosen one can do."""

    name: Annotated[str, _PUZZLE]
    start: Annotated[str, Part("(?:[a-h][1-8]|[A-Z]@)?")]
    place: Annotated[int, _number(1)]

    @property
    def document(self) -> str | None:
        """The digest of the file, where the puzzle is one of a posted file."""
        return _file_of(self.name)


@written("daily:{game}:{number}:{what}")
class DailyId(ControlId):
    """Shows the board of dailies, tells everybody how one did, or lets one be named."""

    game: Annotated[str, Part("crossword|chess")]
    number: Annotated[int, _number(5)]
    what: Annotated[str, Part("[bsm]")]


@written("ask:{moment}")
class AskId(_OfMoment):
    """Asks the others what they would play at a moment."""


@written("poll:{what}")
class PollId(ControlId):
    """Takes part in the poll that the message shows, or reveals it."""

    what: Annotated[str, Part("[pr]")]


@written("look:{poll}")
class LookId(ControlId):
    """Looks at what the engine thinks although a poll is open; names the message that shows it."""

    poll: Annotated[int, _USER]


@written("seen:{moment}:{what}")
class SeenId(_OfMoment):
    """Says that a position that was read from a picture is right, or corrects it."""

    what: Annotated[str, Part("[rc]")]


@written("known:{place}")
class KnownId(_OfBook):
    """The menu of the moves that a book knows behind the way to the position shown; both are documents."""


@written("takeback:{place}")
class TakeBackId(_OfBook):
    """Takes back the last move of the way through a book."""


@written("notation:{digest}")
class NotationId(ControlId):
    """The menu of a document's other notations."""

    digest: Annotated[str, _DIGEST]

    @property
    def document(self) -> str | None:
        """The digest."""
        return self.digest


@written("delete:{author}{mark}")
class DeleteId(ControlId):
    """Deletes an answer: who was answered, and by which process; the oldest answers do not tell that."""

    author: Annotated[int, _USER]
    mark: Annotated[str, _MARK] = ""


@written("seat:{draws}:{what}:{mark}")
class SeatId(ControlId):
    """Takes somebody's word about the seats of a game; the mark names who was shown to sit where."""

    draws: Annotated[int, _number(10)]
    what: Annotated[str, Part(rf"{_number(2).looks}|ok|out")]
    mark: Annotated[str, Part("[0-9a-f]{8}")]


@written("choose:{whose}:{name}")
class ChooseId(ControlId):
    """A menu of the settings."""

    whose: Annotated[str, Part("server|me")]
    name: Annotated[str, Part("mode|theme|layout|coordinates|language|turns")]


@written("example:{name}")
class ExampleId(ControlId):
    """Shows an example; one of an earlier version may be gone."""

    name: Annotated[str, Part("[a-z-]{1,20}")]


@written("help:{page}")
class HelpId(ControlId):
    """Turns the help to a page."""

    page: Annotated[str, Part("jobs|manual")]


@written("meet:{guild}:{mode}")
class MeetId(ControlId):
    """Chooses how positions are met in a server, under the first word to it."""

    guild: Annotated[int, _USER]
    mode: Annotated[str, Part("auto|on_request")]


@written("forget:{user}")
class ForgetId(ControlId):
    """Has everything about a person forgotten."""

    user: Annotated[int, _USER]


_REVIEW: Final = re.compile(r"([A-Za-z0-9_-]{22}):(quick|deep):([so]):([A-Za-z0-9._-]{0,32})")


def write_review(review: GameReview) -> str:
    """Write which review of a game an entry of a menu stands for."""
    hidden = "s" if review.moment.spoiler else "o"
    return f"{review.moment.digest}:{review.depth}:{hidden}:{review.lexicon}"


def read_review(value: str) -> GameReview | None:
    """Return which review of a game an entry of a menu stands for; None when it is none of ours."""
    match = _REVIEW.fullmatch(value)
    if match is None:
        return None
    moment = Moment(match[1], 0, spoiler=match[3] == "s")
    return GameReview(moment, Depth(match[2]), match[4])


def read(custom_id: str | None) -> ControlId | None:
    """Return what an id says; None when it is none of ours."""
    kind = BY_WORD.get((custom_id or "").removeprefix("kibitz:").partition(":")[0])
    match = kind.template.fullmatch(custom_id or "") if kind else None
    return kind.of(match) if kind and match else None


def ids_under(message: discord.Message) -> Iterator[tuple[ControlId, discord.Component]]:
    """Yield what the controls under a message are about, each with the control."""
    for row in message.components:
        for item in getattr(row, "children", ()):
            if (state := read(getattr(item, "custom_id", None))) is not None:
                yield state, item
