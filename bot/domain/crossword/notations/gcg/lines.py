"""The lines of a GCG: which are pragmas, which are events, and what belongs to what.

Only the form is looked at here; what tiles and names mean is decided later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from bot.domain.reading.problems import ParseError, ReadWarning, require_length

MAX_LENGTH = 1_000_000
"""Longest text that is read, in characters."""

MAX_LINES = 2_000
"""Most lines that are read, empty ones not counted."""

PLAYER = re.compile(r"player([1-9][0-9]?)")
RACK = re.compile(r"rack([1-9][0-9]?)")

_KNOWN = frozenset(
    {
        "board-layout",
        "character-encoding",
        "comment",
        "description",
        "game-board",
        "game-type",
        "htarget",
        "id",
        "incomplete",
        "lexicon",
        "ltarget",
        "note",
        "orientation",
        "style",
        "tile",
        "tile-distribution",
        "tile-set",
        "title",
    }
)

_PRAGMA = re.compile(r"#[ \t]*(-|[A-Za-z][A-Za-z0-9_-]{0,40})(?![^\s])[ \t]*(.*)", re.DOTALL)
_NICK = re.compile(r">[ \t]*(\S+):\s+(.*)|>[ \t]*([^:]{1,100}):\s*(.*)", re.DOTALL)

_ACTION = r"""
    (?:(?P<rack>(?![-(—])\S+)\s+)?
    (?: \((?P<outcome>challenge|time)\)
      | \((?P<end>[^\s()]*)\)
      | (?P<withdrawn>--|—)
      | (?P<passed>-)
      | -(?P<exchanged>(?!-)\S+)
      | (?P<coordinate>[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})\s+(?P<word>\S+)
    )"""
_NUMBER = r"[+\-−]{0,2}[0-9]{1,6}(?!\S)"
_EVENT = re.compile(
    rf"{_ACTION}\s+(?P<score>{_NUMBER})\s+(?P<cumulative>{_NUMBER})\s*(?P<after>.*)",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SHORT_EVENT = re.compile(
    rf"{_ACTION}(?:\s+(?P<score>{_NUMBER}))?(?P<cumulative>)(?P<after>)\s*",
    re.VERBOSE | re.IGNORECASE,
)


class Action(Enum):
    """What an event line says happened."""

    PLAY = "word"
    EXCHANGE = "exchanged"
    PASS = "passed"  # noqa: S105 - a turn, not a password
    WITHDRAWN = "withdrawn"
    CHALLENGE = "challenge"
    TIME = "time"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a line; ``column`` counts from 1."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Pragma:
    """A pragma line, its keyword in small letters. ``after`` is the number of events before it."""

    keyword: str
    argument: Token
    after: int

    @property
    def line(self) -> int:
        """Line of the text, from 1."""
        return self.argument.line


@dataclass(frozen=True, slots=True)
class Event:
    """An event line. ``action`` is None when the line makes no sense as an event."""

    line: int
    nick: Token
    rest: Token
    """Everything after the nick."""
    action: Action | None = None
    rack: Token | None = None
    coordinate: Token | None = None
    tiles: Token | None = None
    """The word, the exchanged tiles or the tiles counted at the end."""
    score: Token | None = None
    cumulative: Token | None = None
    after: Token | None = None
    """What follows the scores; some programs list the words that a play makes there."""


@dataclass(slots=True)
class Remarks:
    """Notes and comments at one place, raw."""

    notes: list[list[str]] = field(default_factory=list)
    """The lines of each note."""
    comments: list[list[str]] = field(default_factory=list)
    """The lines of each comment."""


class Lines:
    """The pragmas and events of a text. ``remarks[n]`` follow event n; ``remarks[0]`` precede the first."""

    def __init__(self) -> None:
        self.pragmas: list[Pragma] = []
        self.events: list[Event] = []
        self.remarks: list[Remarks] = [Remarks()]
        self.warnings = LineWarnings()
        self._continued: list[str] | None = None
        """The lines of the note or comment that a plain line goes on with."""
        self._paragraph = False
        """Whether empty lines stand since."""

    def add(self, number: int, line: str) -> None:
        """Take in one more line."""
        text = line.strip()
        column = len(line) - len(line.lstrip()) + 1
        if not text:
            self._paragraph = True
            return
        if text[0] == "#" and (match := _PRAGMA.fullmatch(text)) and self._is_pragma(match[1].lower()):
            self._add_pragma(match[1].lower(), Token(match[2], number, column + match.start(2)))
        elif text[0] == ">" and (event := _read_event(text, number, column)):
            self._continued = None
            self.events.append(event)
            self.remarks.append(Remarks())
        elif self._continued is not None:
            self._continued += ("", text) if self._paragraph else (text,)
        else:
            self.warnings.add("stray-line", "the line is neither a pragma nor an event; passed over", number)
        self._paragraph = False

    def _is_pragma(self, keyword: str) -> bool:
        """Tell whether it is a pragma; an unknown one right after a note goes on with the note."""
        numbered = PLAYER.fullmatch(keyword) or RACK.fullmatch(keyword)
        return keyword in _KNOWN or numbered is not None or self._continued is None

    def _add_pragma(self, keyword: str, argument: Token) -> None:
        remarks = self.remarks[-1]
        if keyword in {"note", "comment"}:
            self._continued = [argument.text.strip()]
            (remarks.notes if keyword == "note" else remarks.comments).append(self._continued)
            return
        self._continued = None
        self.pragmas.append(Pragma(keyword, argument, len(self.events)))


class LineWarnings:
    """Collects warnings by line and column; at most ``LIMIT``, since a hostile text has one in each line."""

    LIMIT = 100

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, int], ReadWarning] = {}

    def add(self, code: str, template: str, line: int, column: int = 1, **values: object) -> None:
        """Note something that was forgiven."""
        if len(self._found) < self.LIMIT:
            warning = ReadWarning(code, template, line, column, tuple(values.items()))
            self._found.setdefault((code, line, column), warning)

    def all(self) -> tuple[ReadWarning, ...]:
        """Return what was collected, from the top of the text down."""
        return tuple(sorted(self._found.values(), key=lambda warning: (warning.line, warning.column)))


def _read_event(text: str, line: int, column: int) -> Event | None:
    """Read an event line, or return None when nobody is named in it."""
    match = _NICK.fullmatch(text)
    if match is None:
        return None
    group = 1 if match[1] else 3
    nick = Token(match[group].strip(), line, column + match.start(group))
    rest = Token(match[group + 1], line, column + match.start(group + 1))
    parts = _EVENT.fullmatch(rest.text) or _SHORT_EVENT.fullmatch(rest.text)
    if parts is None or not nick.text:
        return Event(line, nick, rest)

    def token(name: str) -> Token | None:
        return Token(parts[name], line, rest.column + parts.start(name)) if parts[name] else None

    action = _action(parts)
    return Event(
        line,
        nick,
        rest,
        action,
        token("rack"),
        token("coordinate"),
        token("outcome" if parts["outcome"] else action.value) if action in _WITH_TILES else None,
        token("score"),
        token("cumulative"),
        token("after"),
    )


_WITH_TILES = frozenset({Action.PLAY, Action.EXCHANGE, Action.END})


def _is_rack(outcome: str, parts: re.Match[str]) -> bool:
    """Tell the tiles T, I, M and E left on a rack from a time penalty: they win points, or the rack shows them."""
    won = parts["score"] is not None and not parts["score"].startswith(("-", "+-", "−"))
    return outcome == "TIME" and (won or sorted(parts["rack"] or "") == sorted(outcome))


def _action(parts: re.Match[str]) -> Action:
    if outcome := parts["outcome"]:
        return Action.END if _is_rack(outcome, parts) else Action(outcome.lower())
    by_group = (Action.PLAY, Action.EXCHANGE, Action.PASS, Action.WITHDRAWN, Action.END)
    return next(action for action in by_group if parts[action.value] is not None)


def signed(token: Token) -> int:
    """Return the number of a score token: ``+5``, ``-10``, also ``+-10``."""
    number = int(token.text.lstrip("+-−"))
    return -number if "-" in token.text or "−" in token.text else number


def split_lines(text: str) -> Lines:
    """Sort the lines of a text. Carriage returns, line feeds and any mix of them end a line.

    Raises:
        ParseError: the text is too long or has too many lines.

    """
    require_length(text, MAX_LENGTH)
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if sum(map(bool, rows)) > MAX_LINES:
        raise ParseError(
            "too-many-lines",
            "the text has more than {limit} lines",
            line=MAX_LINES + 1,
            limit=MAX_LINES,
        )
    lines = Lines()
    for number, row in enumerate(rows, start=1):
        lines.add(number, row)
    return lines
