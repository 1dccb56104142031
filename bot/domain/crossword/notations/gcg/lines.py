"""Splits a GCG into pragmas, events and remarks, and assigns its players to seats."""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple

from bot.domain.crossword.game import MAX_PLAYERS, ReplayState
from bot.domain.crossword.play import ORDINARY_KINDS, PlayerName, TurnKind
from bot.domain.reading.problems import ParseError, TextPiece, Warnings, require_max_length

_ENTITY = re.compile(
    r"&(?:#(?P<decimal>[0-9]{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[A-Za-z][A-Za-z0-9]{1,31}));"
)


def read_entities(text: str) -> str:
    return _ENTITY.sub(lambda match: _decode_entity(match) or match[0], text) if "&" in text else text


def write_entities(text: str) -> str:
    """Write ``&amp;`` for each ampersand that would start an HTML entity."""
    return _ENTITY.sub(lambda match: f"&amp;{match[0][1:]}" if _decode_entity(match) else match[0], text)


def _decode_entity(match: re.Match[str]) -> str:
    if match["name"]:
        return html5.get(f"{match['name']};", "")
    number = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    character = chr(number) if number <= 0x10FFFF else ""
    return character if character.isprintable() or character == "\n" else ""


MAX_LENGTH = 1_000_000

MAX_LINES = 2_000
"""Maximum number of nonempty lines."""

PLAYER_KEYWORD = re.compile(r"player([1-9][0-9]?)")
RACK_KEYWORD = re.compile(r"rack([1-9][0-9]?)")

KNOWN_PRAGMAS = frozenset(
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
"""The known keywords, except those with a number. A pragma with a known keyword never continues the note or comment above it."""

_PRAGMA = re.compile(r"#[ \t]*(-|[A-Za-z][A-Za-z0-9_-]{0,40})(?![^\s])[ \t]*(.*)", re.DOTALL)
_NICK_AND_REST = re.compile(r">[ \t]*(\S+):\s+(.*)|>[ \t]*([^:]{1,100}):\s*(.*)", re.DOTALL)

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
    rf"{_ACTION}\s+(?P<score>{_NUMBER})\s+(?P<cumulative>{_NUMBER})\s*(?P<trailing>.*)",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SHORT_EVENT = re.compile(
    rf"{_ACTION}(?:\s+(?P<score>{_NUMBER}))?(?P<cumulative>)(?P<trailing>)\s*",
    re.VERBOSE | re.IGNORECASE,
)


_KIND_OF_GROUP = {
    "word": TurnKind.PLAY,
    "exchanged": TurnKind.EXCHANGE,
    "passed": TurnKind.PASS,
    "withdrawn": TurnKind.PHONY_WITHDRAWN,
    "challenge": TurnKind.CHALLENGE_BONUS,
    "time": TurnKind.TIME_PENALTY,
    "end": TurnKind.END_RACK_POINTS,
}
"""The kind of event, by group of :data:`_ACTION`."""
_KINDS_WITH_TILES = frozenset({TurnKind.PLAY, TurnKind.EXCHANGE, TurnKind.END_RACK_POINTS})


class Pragma(NamedTuple):
    """A ``#keyword argument`` line. Notes and comments become remarks instead."""

    line: TextPiece
    keyword: str
    """The keyword in lowercase."""
    argument: TextPiece
    event_count_before: int


class Event(NamedTuple):
    """An event line. ``kind`` is None if the line names a player but is not a valid event.

    For tiles counted at the end of the game, the kind is ``END_RACK_POINTS``, even if the player lost points for them.
    """

    line: TextPiece
    nick: TextPiece
    rest: TextPiece
    """Everything after the nick."""
    kind: TurnKind | None = None
    rack: TextPiece | None = None
    coordinate: TextPiece | None = None
    tiles: TextPiece | None = None
    """The word, the exchanged tiles or their number, or the tiles counted at the end."""
    score: TextPiece | None = None
    cumulative: TextPiece | None = None
    trailing_text: TextPiece | None = None
    """The text after the scores, where some programs list the words that a play makes."""


Remark = tuple[str, list[str]]
"""The keyword of a note or comment, and its stripped lines. Consecutive empty lines become a single empty line."""


class GcgLines:
    """The pragmas, events and remarks in text. ``remarks[n]`` follow event n, counted from 1, and ``remarks[0]`` precede all events."""

    def __init__(self, text: str) -> None:
        self.pragmas: list[Pragma] = []
        self.events: list[Event] = []
        self.remarks: list[list[Remark]] = [[]]
        self.warnings = Warnings(text)
        self._open_remark: list[str] | None = None
        """The lines of the note or comment that the next line may continue."""
        self._is_after_empty_line = False

    def add(self, line: TextPiece) -> None:
        if not line.text or line.text.isspace():
            self._is_after_empty_line = True
            return
        trimmed_line = line.strip()
        text = trimmed_line.text
        if text[0] == "#" and (match := _PRAGMA.fullmatch(text)) and self._is_pragma(match[1].lower()):
            keyword, argument = match[1].lower(), trimmed_line.part(match.start(2))
            self._open_remark = None
            if keyword in {"note", "comment"}:
                self._open_remark = [argument.text.strip()]
                self.remarks[-1].append((keyword, self._open_remark))
            else:
                self.pragmas.append(Pragma(line, keyword, argument, len(self.events)))
        elif text[0] == ">" and (event := _read_event(line, trimmed_line)):
            self._open_remark = None
            self.events.append(event)
            self.remarks.append([])
        elif self._open_remark is not None:
            self._open_remark += ("", text) if self._is_after_empty_line else (text,)
        else:
            line.warn(self.warnings, "stray-line", "this line is neither a pragma nor an event; ignored")
        self._is_after_empty_line = False

    def _is_pragma(self, keyword: str) -> bool:
        """Return whether a keyword makes its line a pragma. While a note or comment is open, only a known keyword does."""
        numbered_keyword = PLAYER_KEYWORD.fullmatch(keyword) or RACK_KEYWORD.fullmatch(keyword)
        return keyword in KNOWN_PRAGMAS or numbered_keyword is not None or self._open_remark is None


def _read_event(line: TextPiece, trimmed_line: TextPiece) -> Event | None:
    match = _NICK_AND_REST.fullmatch(trimmed_line.text)
    if match is None:
        return None
    group = 1 if match[1] else 3
    nick = trimmed_line.part(*match.span(group)).strip()
    rest = trimmed_line.part(match.start(group + 1))
    parts = _EVENT.fullmatch(rest.text) or _SHORT_EVENT.fullmatch(rest.text)
    if parts is None or not nick.text:
        return Event(line, nick, rest)

    def piece(name: str) -> TextPiece | None:
        return rest.part(*parts.span(name)) if parts[name] else None

    name = next(name for name in _KIND_OF_GROUP if parts[name] is not None)
    kind = _KIND_OF_GROUP[name]
    # ``(TIME)`` is usually a time penalty. But if the player gains points, or has exactly the tiles T, I, M and E, the
    # capitals stand for these tiles, which are counted at the end of the game.
    gains_points = parts["score"] is not None and {"-", "−"}.isdisjoint(parts["score"])
    if parts["time"] == "TIME" and (gains_points or sorted(parts["rack"] or "") == sorted("TIME")):
        kind = TurnKind.END_RACK_POINTS
    return Event(
        line,
        nick,
        rest,
        kind,
        piece("rack"),
        piece("coordinate"),
        piece(name) if kind in _KINDS_WITH_TILES else None,
        piece("score"),
        piece("cumulative"),
        piece("trailing"),
    )


def parse_score(score: TextPiece) -> int:
    number = int(score.text.lstrip("+-−"))
    return -number if "-" in score.text or "−" in score.text else number


def split_lines(text: str) -> GcgLines:
    """Split text into pragmas, events and remarks.

    Raises:
        ParseError: the text is too long or has too many lines.

    """
    require_max_length(text, MAX_LENGTH)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    rows = TextPiece.of(text).split("\n")
    nonempty_rows = [row for row in rows if row.text]
    if len(nonempty_rows) > MAX_LINES:
        raise nonempty_rows[MAX_LINES].parse_error(
            "too-many-lines", "the text has more than {limit} lines", limit=MAX_LINES
        )
    lines = GcgLines(text)
    for row in rows:
        lines.add(row)
    return lines


class SeatOrder:
    """The players in a file, in the order of their numbers.

    Raises:
        ParseError: there are no players, or too many.

    """

    def __init__(self, lines: GcgLines) -> None:
        self._warnings = lines.warnings
        declared_names = _read_players(lines)
        declared_nicks = {name.nick.casefold() for name in declared_names.values()}
        undeclared_nicks = list(
            dict.fromkeys(
                event.nick.text
                for event in lines.events
                if event.kind is not None and event.nick.text.casefold() not in declared_nicks
            )
        )
        if not declared_names and not undeclared_nicks:
            raise ParseError("no-players", "this is not a GCG: no players and no events found")
        self.names = self._assign_seats(declared_names, undeclared_nicks)

    def _assign_seats(
        self, declared_names: dict[int, PlayerName], undeclared_nicks: list[str]
    ) -> tuple[PlayerName, ...]:
        """Return the players in seat order.

        Undeclared players take the free seats before the last declared seat, and the second seat if only the first is declared. If
        no player is declared, they take up to :data:`MAX_PLAYERS` seats. A declared player who shares an earlier player's nick gets
        the nick of an undeclared player, if any is left.
        """
        names: list[PlayerName] = []
        last_declared = max(declared_names, default=0)
        limit = 2 if declared_names else MAX_PLAYERS
        for number in range(1, MAX_PLAYERS + 1):
            if number > last_declared and (number > limit or not undeclared_nicks):
                break
            name = declared_names.get(number)
            if name is None:
                nick = undeclared_nicks.pop(0) if undeclared_nicks else f"player{number}"
                name = PlayerName(nick, nick)
                self._warnings.add("undeclared-player", "{nick} has no #player line", nick=nick[:40])
            elif undeclared_nicks and name.nick in {earlier_name.nick for earlier_name in names}:
                name = PlayerName(undeclared_nicks.pop(0), name.name)
                self._warnings.add(
                    "shared-nick",
                    "two players have the same nick; using {nick} for the second one",
                    nick=name.nick[:40],
                )
            names.append(name)
        return tuple(names)

    def seat_of(self, event: Event, state: ReplayState) -> int:
        """Return the seat of an event's player.

        Raises:
            RuleError: no player has that name.

        """
        nick = event.nick.text
        seats = [seat for seat, name in enumerate(self.names) if name.nick == nick]
        if len(seats) > 1:
            self._warnings.add(
                "shared-nick",
                "two players have the nick {nick}; assuming that they take turns",
                nick=nick[:40],
            )
            if event.kind not in ORDINARY_KINDS and state.last_seat in seats:
                return state.last_seat
            return state.next_seat if state.next_seat in seats else seats[0]
        if seats:
            return seats[0]
        for seat, name in enumerate(self.names):
            other_names = (name.name.replace(" ", "_"), name.name, name.nick)
            if nick.casefold() in map(str.casefold, other_names):
                event.nick.warn(
                    self._warnings,
                    "odd-nick",
                    "{nick} is read as {other}",
                    nick=nick[:40],
                    other=name.nick[:40],
                )
                return seat
        raise event.nick.rule_error(
            "unknown-player",
            "{nick} is not one of the players, {players}",
            nick=nick[:40],
            players=", ".join(name.nick[:40] for name in self.names),
        )


def _read_players(lines: GcgLines) -> dict[int, PlayerName]:
    declared_names: dict[int, PlayerName] = {}
    for pragma in lines.pragmas:
        numbered_keyword = PLAYER_KEYWORD.fullmatch(pragma.keyword)
        if numbered_keyword is None:
            continue
        number = int(numbered_keyword[1])
        if number > MAX_PLAYERS:
            raise pragma.line.parse_error(
                "too-many-players",
                "there is a player {number}, but at most {limit} players are possible",
                number=number,
                limit=MAX_PLAYERS,
            )
        if number in declared_names:
            pragma.line.warn(lines.warnings, "player-twice", "#player{number} is given twice", number=number)
        match pragma.argument.text.split(maxsplit=1):
            case [nick, name]:
                declared_names[number] = PlayerName(nick, name)
            case [nick]:
                pragma.line.warn(lines.warnings, "no-full-name", "{nick} has no full name", nick=nick[:40])
                declared_names[number] = PlayerName(nick, nick)
            case _:
                pragma.line.warn(lines.warnings, "no-name", "player {number} has no name", number=number)
                declared_names[number] = PlayerName(f"player{number}", f"player{number}")
    return declared_names
