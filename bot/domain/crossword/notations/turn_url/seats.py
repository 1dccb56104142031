"""Who sits where in a live game: how that comes to be known, and which of its turns a player's rack may follow.

A link does not tell who posts it, and anybody can make one up. So a seat is somebody's when the game bears it out: the
players answered each other for a round, or said so and the other side agreed. ``docs/games.md`` has the rules with their
reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from zlib import crc32

from bot.domain.crossword.notations.turn_url.table import Table
from bot.domain.crossword.notations.turn_url.values import WordTurn


class Pressed(Enum):
    """What became of somebody's word about seats."""

    NOTED = "noted"
    """It is noted, and waits for the others."""
    AGREED = "agreed"
    """Everybody sits."""
    TAKEN = "taken"
    """Somebody else sits there."""
    SEATED = "seated"
    """Who says it sits in another seat."""
    CHANGED = "changed"
    """It was about something that has changed since."""
    NOT_YOURS = "not yours"
    """It is not for this person to say."""
    LEFT = "left"
    """A seat, or all of them, is free again."""


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits where in a game. Ids are those of accounts."""

    players: int
    bringer: int | None = None
    """Who posted the first link of the game; None when that is not known."""
    held: Mapping[int, int | None] = field(default_factory=dict)
    """Who sits in which seat; None for one that nobody can take any more."""
    asked: Mapping[int, int] = field(default_factory=dict)
    """Who says to sit in which other seat, while nobody has agreed."""
    settled: int = 0
    """So many turns were known when the players agreed on who they are: these stand as they were posted."""
    disputed: int = 0
    """The last turn that was posted in two ways before it was answered."""

    @property
    def holders(self) -> dict[int, int]:
        """Who sits in which seat, without the empty ones."""
        return {seat: user for seat, user in self.held.items() if user is not None}

    @property
    def mark(self) -> str:
        """Return a name for this arrangement, by which a press says which one it was made on."""
        return f"{crc32(repr((sorted(self.held.items()), sorted(self.asked.items()))).encode()):08x}"

    def seat_of(self, user: int) -> int | None:
        """Return where somebody sits, or None."""
        return next((seat for seat, holder in self.held.items() if holder == user), None)

    def is_free(self, seat: int) -> bool:
        """Tell whether nobody sits in a seat, and somebody may."""
        return 0 <= seat < self.players and seat not in self.held

    def may_agree(self, user: int) -> bool:
        """Tell whether somebody's consent counts: a player's, or of whoever brought the game."""
        return user == self.bringer or self.seat_of(user) is not None

    def say(self, user: int, seat: int, mark: str, turns: int) -> tuple[Seats, Pressed]:
        """Note that somebody says to sit in a seat; the last word counts until it is agreed on.

        One whose consent counts agrees to the others by it, if ``mark`` tells that they were seen.
        """
        if self.seat_of(user) is not None:
            return self, Pressed.SEATED
        if not self.is_free(seat):
            return self, Pressed.TAKEN
        asked = {other: who for other, who in self.asked.items() if who != user} | {seat: user}
        seats = replace(self, asked=asked)
        if self.may_agree(user) and mark == self.mark and seats.is_full:
            return seats._agreed(turns), Pressed.AGREED  # noqa: SLF001 - of the same class
        return seats, Pressed.NOTED

    def agree(self, user: int, mark: str, turns: int, *, moderator: bool) -> tuple[Seats, Pressed]:
        """Seat everybody who said to sit somewhere, upon the word of one whose consent counts."""
        if not (moderator or self.may_agree(user)):
            return self, Pressed.NOT_YOURS
        if mark != self.mark or not self.is_full:
            return self, Pressed.CHANGED
        return self._agreed(turns), Pressed.AGREED

    def leave(self, user: int, turns: int, *, moderator: bool) -> tuple[Seats, Pressed]:
        """Free a player's own seat; all of them for a moderator. What was played so far proves nothing from now on."""
        if moderator:
            return replace(self, held={}, asked={}, disputed=turns), Pressed.LEFT
        if self.seat_of(user) is None and user not in self.asked.values():
            return self, Pressed.NOT_YOURS
        held = {seat: holder for seat, holder in self.held.items() if holder != user}
        asked = {seat: who for seat, who in self.asked.items() if who != user}
        disputed = turns if len(held) < len(self.held) else self.disputed
        return replace(self, held=held, asked=asked, disputed=disputed), Pressed.LEFT

    def after(self, table: Table, author: int, *, contradicted: bool) -> Seats:
        """Return who sits where after somebody's link was joined to the game.

        ``contradicted`` tells that it gave the last turn known in another way than it was told before.
        """
        if contradicted and author not in self.holders.values():
            return replace(self, disputed=max(self.disputed, table.turns))
        found = self._borne_out(table)
        if found is None:
            return replace(self, settled=min(self.settled, table.turns))
        return replace(self, held=found, asked={}, settled=table.turns)

    def trusted(self, table: Table) -> int:
        """Return up to which turn a player's rack may follow the game.

        From when the players are known on, a turn counts only as its player told it: whoever made up a turn of
        somebody else would see the own draws too early.
        """
        tellers = table.tellers()
        for turn in range(min(self.settled, table.turns) + 1, table.turns + 1):
            if self.held.get(table.seat(turn)) != tellers[turn].author_id:
                return turn - 1
        return table.turns

    def is_settled_end(self, table: Table) -> bool:
        """Tell whether the end of a game is told by those who play it, or the whole game by one person."""
        authors = {post.author_id for post in table.posts}
        told_by_one = not self.held and authors == {self.bringer}
        return told_by_one or (len(self.holders) == self.players and self.trusted(table) == table.turns)

    @property
    def is_full(self) -> bool:
        """Tell whether every seat has somebody, known or not, and nobody has two."""
        everybody = {**self.held, **self.asked}
        return len(everybody) == self.players > 1 and len(set(everybody.values())) == self.players

    def _agreed(self, turns: int) -> Seats:
        return replace(self, held={**self.held, **self.asked}, asked={}, settled=turns)

    def _borne_out(self, table: Table) -> dict[int, int | None] | None:
        """Return who plays if the last turns show it: a round and one turn more, posted one after the other.

        As many people as there are seats took turns, the first of them came again, one of them is known or brought
        the game, and of each seat there is a word: passes and exchanges can be made up by anybody.
        """
        last, players = table.turns, self.players
        first = last - players
        if first <= self.disputed or first < 1 or players < 2 or len(self.held) == players:
            return None
        tellers = table.tellers()
        run = [tellers[turn] for turn in range(first, last + 1)]
        users = [teller.author_id for teller in run]
        in_order = all(one.place < other.place for one, other in pairwise(run))
        if not in_order or not all(teller.as_player for teller in run):
            return None
        if users[0] != users[-1] or len(set(users)) != players:
            return None
        turns = dict(table.game.turns)
        words = {table.seat(turn) for turn in range(first, last + 1) if isinstance(turns[turn], WordTurn)}
        found: dict[int, int | None] = {table.seat(turn): users[turn - first] for turn in range(first, last)}
        fits = all(found.get(seat) == holder for seat, holder in self.held.items())
        rooted = self.bringer in users or bool(self.held)
        return found if fits and rooted and len(words) == players else None
