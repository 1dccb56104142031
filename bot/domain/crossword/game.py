"""A game: who played, by which rules, and everything that happened, turn by turn.

A game holds what its text told. Scores and cumulatives are the stated ones; :mod:`bot.domain.crossword.replay` computes what
they should be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.course import Course
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import Rules
from bot.domain.crossword.turn import ORDINARY, Comment, PlayerName, ShownRack, Turn, TurnKind

__all__ = [
    "MAX_PLAYERS",
    "MAX_TURNS",
    "ORDINARY",
    "Comment",
    "Game",
    "PlayerName",
    "ShownRack",
    "Turn",
    "TurnKind",
]

MAX_PLAYERS = 8
"""Most players of a game that is replayed."""

MAX_TURNS = 2_000
"""Most turns of a game that is read; a bound on hostile input."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game, finished or not. Players sit in order of play."""

    rules: Rules
    names: tuple[PlayerName, ...]
    turns: tuple[Turn, ...] = ()
    title: str = ""
    description: str = ""
    authority: str = ""
    """Who issued ``game_id``, as a reversed domain name (``io.woogles``); empty when nobody is named."""
    game_id: str = ""
    shown_racks: tuple[ShownRack, ...] = ()
    """Racks shown apart from the turns, in order of time."""
    incomplete: bool = False
    """Whether the game stops before its end: nobody is out, and nothing is counted."""
    note: str = ""
    """Remarks made before the first turn."""
    comments: tuple[Comment, ...] = ()
    """Comments made before the first turn."""
    extra: tuple[tuple[str, str], ...] = ()
    """What the text held beyond this (unknown pragmas with their arguments), kept to be written back."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.names) <= MAX_PLAYERS:
            raise ValueError(f"a game has 1 to {MAX_PLAYERS} players, not {len(self.names)}")
        seats = {turn.player for turn in self.turns} | {rack.player for rack in self.shown_racks}
        if not seats.issubset(range(len(self.names))):
            raise ValueError("every turn and rack belongs to a player of the game")

    @property
    def final_racks(self) -> tuple[tuple[int, ...] | None, ...]:
        """The rack of each player that was shown after the last turn, None where none was."""
        shown = {rack.player: rack.tiles for rack in self.shown_racks if rack.after == len(self.turns)}
        return tuple(shown.get(seat) for seat in range(len(self.names)))

    def position_at(self, turn: int) -> Position:
        """Return the position after ``turn`` turns, from 0 to all of them.

        The player on turn holds the rack that the turn to come shows, or that was shown at this moment. Another
        player's rack is given as far as everybody at the table could know it: tiles of a withdrawn phony, all
        unseen tiles when they are that rack, a rack shown at this moment, and any rack when the game is over.

        Raises:
            IndexError: the game has fewer turns.

        """
        if not 0 <= turn <= len(self.turns):
            raise IndexError(f"the game has {len(self.turns)} turns, not {turn}")
        return next(islice(self.positions(), turn, None))

    def positions(self) -> Iterator[Position]:
        """Yield the positions from the start to the end, one more than there are turns."""
        course = Course(self.rules, len(self.names))
        upcoming = self._upcoming()
        shown: dict[int, list[ShownRack]] = {}
        for rack in self.shown_racks:
            shown.setdefault(rack.after, []).append(rack)
        end_racks = self._end_racks()
        told = self._told_later()
        for number in range(len(self.turns) + 1):
            if number:
                course.follow(self.turns[number - 1])
            mover = upcoming[number]
            on_turn = mover.player if mover else course.next_seat
            racks = dict(enumerate(course.known))
            if mover is not None and mover.rack:
                racks[on_turn] = mover.rack
            elif mover is None and course.is_over:
                # What was counted at the end; before a phony that seemed to be the last play, nobody knew it.
                racks |= end_racks
            racks |= {rack.player: rack.tiles for rack in shown.get(number, ())}
            if not course.bag:
                _deduce(course, racks, on_turn, told[number])
            yield self._position(course, racks, on_turn)

    def _upcoming(self) -> list[Turn | None]:
        """Return, for each moment, the next ordinary turn, or None."""
        upcoming: list[Turn | None] = [None]
        for turn in reversed(self.turns):
            upcoming.append(turn if turn.kind in ORDINARY else upcoming[-1])
        upcoming.reverse()
        return upcoming

    def _end_racks(self) -> dict[int, tuple[int, ...]]:
        """Return the racks that the counting at the end shows, by seat."""
        racks: dict[int, tuple[int, ...]] = {}
        for turn in self.turns:
            if turn.kind is TurnKind.END_RACK_PENALTY:
                racks[turn.player] = turn.tiles
            elif turn.kind is TurnKind.END_RACK_POINTS and len(self.names) == 2:
                racks[1 - turn.player] = turn.tiles
        return racks

    def _told_later(self) -> list[list[Counter[int]]]:
        """Return, for each moment and seat, the tiles that turns to come show on the rack, as many as at once."""
        told = [[Counter[int]() for _ in self.names]]
        for turn in reversed(self.turns):
            seat, tiles = turn.player, turn.rack
            if turn.kind is TurnKind.END_RACK_PENALTY:
                tiles = turn.tiles
            elif turn.kind is TurnKind.END_RACK_POINTS and len(self.names) == 2:
                seat, tiles = 1 - turn.player, turn.tiles
            later = list(told[-1])
            later[seat] = later[seat] | Counter(tiles)
            told.append(later)
        told.reverse()
        return told

    def _position(self, course: Course, racks: dict[int, tuple[int, ...]], on_turn: int) -> Position:
        return Position(
            self.rules,
            course.board,
            tuple(
                Player(course.scores[seat], racks[seat], name.name or name.nick)
                for seat, name in enumerate(self.names)
            ),
            on_turn=on_turn,
            scoreless_turns=course.scoreless_turns,
            turns_left=course.turns_left,
            last_play=course.last_play,
            game_id=self.game_id,
        )


def _deduce(
    course: Course, racks: dict[int, tuple[int, ...]], on_turn: int, told: list[Counter[int]]
) -> None:
    """Give one of two racks all the unseen tiles when the other is known in full; the bag is empty.

    A rack that is shown for the player on turn stays as it is shown, and none is given against what is ``told`` of it
    later: no more tiles come to it, so what is told then is on it now.
    """
    if len(racks) != 2:
        return
    for known, other in ((on_turn, 1 - on_turn), (1 - on_turn, on_turn)):
        if len(racks[known]) != course.rack_sizes[known] or (other == on_turn and racks[other]):
            continue
        unseen = unseen_tiles(course.rules.distribution, course.board.squares, (racks[known],))
        if not unseen.excess and unseen.total == course.rack_sizes[other] > len(racks[other]):
            rack = tuple(tile for tile, count in enumerate(unseen.counts) for _ in range(count))
            if told[other] <= Counter(rack):
                racks[other] = rack
