"""Who sits where in a GCG, and whose event a line is."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.crossword.course import Course
from bot.domain.crossword.game import MAX_PLAYERS
from bot.domain.crossword.notations.gcg.lines import PLAYER, Action, Event, Lines, Pragma
from bot.domain.crossword.turn import PlayerName
from bot.domain.reading.problems import ParseError

_IN_TURN = frozenset({Action.PLAY, Action.EXCHANGE, Action.PASS})


class Seats:
    """The players of a file, in the order of their numbers."""

    def __init__(self, lines: Lines) -> None:
        """Take the players from the pragmas, and those who are not declared from the events.

        Raises:
            ParseError: there are no players at all, or too many.

        """
        self._warnings = lines.warnings
        declared = _read_players(lines)
        strangers = _strangers(lines.events, {name.nick for name in declared.values()})
        if not declared and not strangers:
            raise ParseError("no-players", "there are no players and no events: this is no GCG")
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
        """Seat the declared players, then strangers where seats are free: up to two players, or all undeclared."""
        names: list[PlayerName] = []
        twice = len({name.nick for name in declared.values()}) < len(declared)
        for number in range(1, max(declared, default=0) + 1):
            name = declared.get(number)
            if name is not None and twice and strangers and name.nick in {seated.nick for seated in names}:
                name = PlayerName(strangers.pop(0), name.name)
                self._warnings.add(
                    "shared-nick", "two players have one nick; {nick} is the other", nick=name.nick[:40]
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
        self._warnings.add("undeclared-player", "no #player line names {nick}", nick=name.nick[:40])

    def seat(self, event: Event, course: Course) -> int:
        """Return whose event it is.

        Raises:
            RuleError: nobody in the game has that name.

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
                "{nick} is taken for {other}",
                nick=nick[:40],
                other=self.names[seat].nick[:40],
            )
            return seat
        return seats[0] if len(seats) == 1 else self._shared(event, seats, course)

    def _shared(self, event: Event, seats: list[int], course: Course) -> int:
        """Tell players of one nick apart by whose turn it is."""
        self._warnings.add(
            "shared-nick", "players share the nick {nick}; taken to play in turn", nick=event.nick.text[:40]
        )
        if event.action not in _IN_TURN and course.last_seat in seats:
            return course.last_seat
        return course.next_seat if course.next_seat in seats else seats[0]


def _read_players(lines: Lines) -> dict[int, PlayerName]:
    declared: dict[int, PlayerName] = {}
    for pragma in lines.pragmas:
        match = PLAYER.fullmatch(pragma.keyword)
        if match is None:
            continue
        number = int(match[1])
        if number > MAX_PLAYERS:
            raise pragma.line.malformed(
                "too-many-players",
                "there is a player {number}; {limit} are the most",
                number=number,
                limit=MAX_PLAYERS,
            )
        if number in declared:
            pragma.line.warn(lines.warnings, "player-twice", "#player{number} is given again", number=number)
        declared[number] = _name(pragma, number, lines)
    return declared


def _name(pragma: Pragma, number: int, lines: Lines) -> PlayerName:
    match pragma.argument.text.split(maxsplit=1):
        case [nick, name]:
            return PlayerName(nick, name)
        case [nick]:
            pragma.line.warn(lines.warnings, "no-full-name", "{nick} has no full name", nick=nick[:40])
            return PlayerName(nick, nick)
        case _:
            pragma.line.warn(lines.warnings, "no-name", "player {number} has no name", number=number)
            return PlayerName(f"player{number}", f"player{number}")


def _strangers(events: Iterable[Event], known: set[str]) -> list[str]:
    """Return the nicks of events that no pragma declares, in order of appearance."""
    folded = {nick.casefold() for nick in known}
    strangers: dict[str, None] = {}
    for event in events:
        if event.action is not None and event.nick.text.casefold() not in folded:
            strangers.setdefault(event.nick.text)
    return list(strangers)
