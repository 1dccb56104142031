"""The lines of a GCG: which are pragmas, which are events, and what belongs to what.

Only the form is examined here; what tiles and names mean is decided later.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple

from bot.domain.crossword.game import MAX_PLAYERS, ReplayState
from bot.domain.crossword.play import ORDINARY, PlayerName, TurnKind
from bot.domain.reading.problems import ParseError, Piece, Warnings, require_length

# HTML entities, which the notes and the description of a GCG may hold: ``&lt;3`` for ``<3``.

_ENTITY = re.compile(
    r"&(?:#(?P<decimal>[0-9]{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[A-Za-z][A-Za-z0-9]{1,31}));"
)


def read_entities(text: str) -> str:
    """Replace the entities of a text by the characters they stand for."""
    return _ENTITY.sub(lambda match: _decoded_character(match) or match[0], text) if "&" in text else text


def write_entities(text: str) -> str:
    """Escape a text so that it reads back unchanged: an ampersand that would start an entity becomes ``&amp;``."""
    return _ENTITY.sub(lambda match: f"&amp;{match[0][1:]}" if _decoded_character(match) else match[0], text)


def _decoded_character(match: re.Match[str]) -> str:
    """Return the character of an entity; empty if it is neither printable nor a line break."""
    if match["name"]:
        return html5.get(f"{match['name']};", "")
    number = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    character = chr(number) if number <= 0x10FFFF else ""
    return character if character.isprintable() or character == "\n" else ""


MAX_LENGTH = 1_000_000
"""Maximum length of a text, in characters."""

MAX_LINES = 2_000
"""Maximum number of lines that are read, empty ones not counted."""

PLAYER = re.compile(r"player([1-9][0-9]?)")
RACK = re.compile(r"rack([1-9][0-9]?)")

_KNOWN_PRAGMAS = frozenset(
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
    (?: \((?P<challenge>challenge)\)
      | \((?P<time>time)\)
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


_KINDS = {
    "word": TurnKind.PLAY,
    "exchanged": TurnKind.EXCHANGE,
    "passed": TurnKind.PASS,
    "withdrawn": TurnKind.PHONY_WITHDRAWN,
    "challenge": TurnKind.CHALLENGE_BONUS,
    "time": TurnKind.TIME_PENALTY,
    "end": TurnKind.END_RACK_POINTS,
}
"""Kinds by the group of :data:`_ACTION` that matched."""
_WITH_TILES = frozenset({TurnKind.PLAY, TurnKind.EXCHANGE, TurnKind.END_RACK_POINTS})


class Pragma(NamedTuple):
    """A pragma line, its keyword in small letters. ``after`` is the number of events before it."""

    line: Piece
    """All of it."""
    keyword: str
    argument: Piece
    after: int


class Event(NamedTuple):
    """An event line. ``kind`` is None when the line makes no sense as an event.

    The tiles counted at the end are of kind ``END_RACK_POINTS``, although the score may show that the player lost them.
    """

    line: Piece
    """All of it."""
    nick: Piece
    rest: Piece
    """Everything after the nick."""
    kind: TurnKind | None = None
    rack: Piece | None = None
    coordinate: Piece | None = None
    tiles: Piece | None = None
    """The word, the exchanged tiles or the tiles counted at the end."""
    score: Piece | None = None
    cumulative: Piece | None = None
    after: Piece | None = None
    """The text after the scores; some programs list there the words that a play makes."""


Remark = tuple[str, list[str]]
"""The keyword of a note or a comment, and its raw lines."""


class Lines:
    """The pragmas and events of a text. ``remarks[n]`` follow event n; ``remarks[0]`` precede the first."""

    def __init__(self, text: str) -> None:
        self.pragmas: list[Pragma] = []
        self.events: list[Event] = []
        self.remarks: list[list[Remark]] = [[]]
        self.warnings = Warnings(text)
        self._continued: list[str] | None = None
        """The lines of the note or comment that a plain line continues."""
        self._paragraph = False
        """Whether there were empty lines since."""

    def add(self, line: Piece) -> None:
        """Take in one more line."""
        if not line.text or line.text.isspace():
            self._paragraph = True
            return
        bare = line.strip()
        text = bare.text
        if text[0] == "#" and (match := _PRAGMA.fullmatch(text)) and self._is_pragma(match[1].lower()):
            keyword, argument = match[1].lower(), bare.part(match.start(2))
            self._continued = None
            if keyword in {"note", "comment"}:
                self._continued = [argument.text.strip()]
                self.remarks[-1].append((keyword, self._continued))
            else:
                self.pragmas.append(Pragma(line, keyword, argument, len(self.events)))
        elif text[0] == ">" and (event := _read_event(line, bare)):
            self._continued = None
            self.events.append(event)
            self.remarks.append([])
        elif self._continued is not None:
            self._continued += ("", text) if self._paragraph else (text,)
        else:
            line.warn(self.warnings, "stray-line", "this line is neither a pragma nor an event; ignored")
        self._paragraph = False

    def _is_pragma(self, keyword: str) -> bool:
        """Return whether it is a pragma; an unknown pragma right after a note continues the note."""
        numbered = PLAYER.fullmatch(keyword) or RACK.fullmatch(keyword)
        return keyword in _KNOWN_PRAGMAS or numbered is not None or self._continued is None


def _read_event(line: Piece, bare: Piece) -> Event | None:
    """Read an event line, ``bare`` without spaces around it; None when it names no player."""
    match = _NICK.fullmatch(bare.text)
    if match is None:
        return None
    group = 1 if match[1] else 3
    nick = bare.part(*match.span(group)).strip()
    rest = bare.part(match.start(group + 1))
    parts = _EVENT.fullmatch(rest.text) or _SHORT_EVENT.fullmatch(rest.text)
    if parts is None or not nick.text:
        return Event(line, nick, rest)

    def piece(name: str) -> Piece | None:
        return rest.part(*parts.span(name)) if parts[name] else None

    name = next(name for name in _KINDS if parts[name] is not None)
    kind = _KINDS[name]
    # The tiles T, I, M and E left on a rack win points, or the rack shows them; a time penalty does neither.
    won = parts["score"] is not None and not parts["score"].startswith(("-", "+-", "−"))
    if parts["time"] == "TIME" and (won or sorted(parts["rack"] or "") == sorted("TIME")):
        kind = TurnKind.END_RACK_POINTS
    return Event(
        line,
        nick,
        rest,
        kind,
        piece("rack"),
        piece("coordinate"),
        piece(name) if kind in _WITH_TILES else None,
        piece("score"),
        piece("cumulative"),
        piece("after"),
    )


def parse_score(score: Piece) -> int:
    """Return the number of a score: ``+5``, ``-10``, also ``+-10``."""
    number = int(score.text.lstrip("+-−"))
    return -number if "-" in score.text or "−" in score.text else number


def split_lines(text: str) -> Lines:
    """Sort the lines of a text. Carriage returns, line feeds and any mix of them end a line.

    Raises:
        ParseError: the text is too long or has too many lines.

    """
    require_length(text, MAX_LENGTH)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    rows = Piece.of(text).split("\n")
    if sum(1 for row in rows if row.text) > MAX_LINES:
        raise ParseError(
            "too-many-lines",
            "the text has more than {limit} lines",
            line=MAX_LINES + 1,
            limit=MAX_LINES,
        )
    lines = Lines(text)
    for row in rows:
        lines.add(row)
    return lines


# The seats of the players in a GCG, and the seat of each event.


class Seats:
    """The players of a file, in the order of their numbers."""

    def __init__(self, lines: Lines) -> None:
        """Take the players from the pragmas, and undeclared players from the events.

        Raises:
            ParseError: there are no players, or too many.

        """
        self._warnings = lines.warnings
        declared = _read_players(lines)
        known = {name.nick.casefold() for name in declared.values()}
        strangers = list(
            dict.fromkeys(
                event.nick.text
                for event in lines.events
                if event.kind is not None and event.nick.text.casefold() not in known
            )
        )
        if not declared and not strangers:
            raise ParseError("no-players", "this is not a GCG: no players and no events found")
        self.names = self._seat(declared, strangers)
        self._by_nick: dict[str, list[int]] = {}
        for seat, name in enumerate(self.names):
            self._by_nick.setdefault(name.nick, []).append(seat)
        self._by_other_name = {
            other.casefold(): seat
            for seat, name in reversed(tuple(enumerate(self.names)))
            for other in (name.name.replace(" ", "_"), name.name, name.nick)
        }

    def _seat(self, declared: dict[int, PlayerName], strangers: list[str]) -> tuple[PlayerName, ...]:
        """Seat the declared players, then undeclared players in free seats: up to two players, or all if none is declared."""
        names: list[PlayerName] = []
        twice = len({name.nick for name in declared.values()}) < len(declared)
        for number in range(1, max(declared, default=0) + 1):
            name = declared.get(number)
            if name is not None and twice and strangers and name.nick in {seated.nick for seated in names}:
                name = PlayerName(strangers.pop(0), name.name)
                self._warnings.add(
                    "shared-nick",
                    "two players have the same nick; the other player is called {nick}",
                    nick=name.nick[:40],
                )
            elif name is None:
                nick = strangers.pop(0) if strangers else f"player{number}"
                name = PlayerName(nick, nick)
                self._warn_undeclared(name)
            names.append(name)
        room = MAX_PLAYERS if not declared else 2
        while strangers and len(names) < room:
            nick = strangers.pop(0)
            names.append(PlayerName(nick, nick))
            self._warn_undeclared(names[-1])
        return tuple(names)

    def _warn_undeclared(self, name: PlayerName) -> None:
        self._warnings.add("undeclared-player", "{nick} has no #player line", nick=name.nick[:40])

    def seat(self, event: Event, state: ReplayState) -> int:
        """Return the seat of an event's player.

        Raises:
            RuleError: no player has that name.

        """
        nick = event.nick.text
        seats = self._by_nick.get(nick)
        if seats is None:
            seat = self._by_other_name.get(nick.casefold())
            if seat is None:
                raise event.nick.illegal(
                    "unknown-player",
                    "{nick} is not one of the players, {players}",
                    nick=nick[:40],
                    players=", ".join(name.nick[:40] for name in self.names),
                )
            event.nick.warn(
                self._warnings,
                "odd-nick",
                "{nick} is read as {other}",
                nick=nick[:40],
                other=self.names[seat].nick[:40],
            )
            return seat
        return seats[0] if len(seats) == 1 else self._shared(event, seats, state)

    def _shared(self, event: Event, seats: list[int], state: ReplayState) -> int:
        """Distinguish players with the same nick by the order of turns."""
        self._warnings.add(
            "shared-nick",
            "two players have the nick {nick}; assuming that they take turns",
            nick=event.nick.text[:40],
        )
        if event.kind not in ORDINARY and state.last_seat in seats:
            return state.last_seat
        return state.next_seat if state.next_seat in seats else seats[0]


def _read_players(lines: Lines) -> dict[int, PlayerName]:
    declared: dict[int, PlayerName] = {}
    for pragma in lines.pragmas:
        numbered = PLAYER.fullmatch(pragma.keyword)
        if numbered is None:
            continue
        number = int(numbered[1])
        if number > MAX_PLAYERS:
            raise pragma.line.malformed(
                "too-many-players",
                "there is a player {number}, but at most {limit} players are possible",
                number=number,
                limit=MAX_PLAYERS,
            )
        if number in declared:
            pragma.line.warn(lines.warnings, "player-twice", "#player{number} is given twice", number=number)
        match pragma.argument.text.split(maxsplit=1):
            case [nick, name]:
                declared[number] = PlayerName(nick, name)
            case [nick]:
                pragma.line.warn(lines.warnings, "no-full-name", "{nick} has no full name", nick=nick[:40])
                declared[number] = PlayerName(nick, nick)
            case _:
                pragma.line.warn(lines.warnings, "no-name", "player {number} has no name", number=number)
                declared[number] = PlayerName(f"player{number}", f"player{number}")
    return declared
