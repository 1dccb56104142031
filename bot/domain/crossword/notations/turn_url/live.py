"""A game that is going on, put together from Turn URLs as they come, in any order.

A URL that is shared in the middle of a game has one turn or a few. Turns that come too early wait until the gap before
them is filled; a turn that says something else than one that is known is reported, and the first one stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.domain.crossword.game import MAX_TURNS
from bot.domain.crossword.notations.turn_url.values import Changes, Settings, TurnUrl, UrlTurn
from bot.domain.reading.problems import ConversionError

MAX_CONTRADICTIONS = 100
"""Most contradictions that are kept."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two URLs that do not agree."""

    turn: int
    """Number of the turn; 0 for the settings of the game."""
    kept: UrlTurn | Settings
    given: UrlTurn | Settings


@dataclass(frozen=True, slots=True)
class LiveGame:
    """What is known of a game so far."""

    game_id: str
    start: TurnUrl | None = None
    """The settings, from a history, with its turns left out; None while only deltas have come."""
    turns: tuple[tuple[int, UrlTurn], ...] = ()
    """Each known turn with its number, in order; there may be gaps."""
    changes: tuple[tuple[int, Changes], ...] = ()
    """What URLs set before a turn, by the turn's number, in order."""
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def history(self) -> TurnUrl | None:
        """The game from its start up to the first gap; None while only deltas have come."""
        if self.start is None:
            return None
        joined = [turn for number, (known, turn) in enumerate(self.turns, start=1) if known == number]
        settled = self.start.changes
        for number, changes in self.changes:
            if number > len(joined) + 1:
                break
            if number == 1:
                settled = _added(settled, changes)
            else:
                before = joined[number - 2]
                joined[number - 2] = replace(before, changes=_added(before.changes, changes))
        return replace(self.start, turns=tuple(joined), changes=settled)

    @property
    def waiting(self) -> tuple[int, ...]:
        """The numbers of the turns that wait for a gap before them to be filled."""
        return tuple(known for number, (known, _) in enumerate(self.turns, start=1) if known != number)

    @property
    def missing(self) -> tuple[int, ...]:
        """The numbers of the turns that are not known, up to the last one that is."""
        known = {number for number, _ in self.turns}
        last = self.turns[-1][0] if self.turns else 0
        return tuple(number for number in range(1, min(last, MAX_TURNS) + 1) if number not in known)

    def with_url(self, turn_url: TurnUrl) -> LiveGame:
        """Return the game with what one more URL of it holds, a delta or a history.

        Raises:
            ConversionError: the URL is of another game, or its turns are over the limit of a game.

        """
        if turn_url.game_id != self.game_id:
            raise ConversionError(
                "another-game",
                "the URL is of the game {given}, not of {kept}",
                given=turn_url.game_id,
                kept=self.game_id,
            )
        if turn_url.next_turn > MAX_TURNS + 1:
            raise ConversionError("too-many-turns", "a game has at most {limit} turns", limit=MAX_TURNS)
        contradictions = list(self.contradictions)
        start = self.start
        if turn_url.is_history:
            given = replace(turn_url, turns=(), changes=())
            if start is None:
                start = given
            elif start.settings != given.settings:
                contradictions.append(Contradiction(0, start.settings, given.settings))
        turns = dict(self.turns)
        for number, turn in enumerate(turn_url.turns, start=turn_url.turn_number):
            kept = turns.setdefault(number, turn)
            if _play(kept) != _play(turn):
                contradictions.append(Contradiction(number, kept, turn))
            elif kept != turn:
                turns[number] = replace(kept, changes=_added(kept.changes, turn.changes))
        changes = dict(self.changes)
        if turn_url.changes:
            before = changes.get(turn_url.turn_number, ())
            changes[turn_url.turn_number] = _added(before, turn_url.changes)
        unique = tuple(dict.fromkeys(contradictions))[:MAX_CONTRADICTIONS]
        return LiveGame(
            self.game_id,
            start,
            tuple(sorted(turns.items(), key=_number)),
            tuple(sorted(changes.items())),
            unique,
        )


def live_game(turn_url: TurnUrl) -> LiveGame:
    """Start to follow a game with the first of its URLs, whichever it is."""
    return LiveGame(turn_url.game_id).with_url(turn_url)


def merge(history: TurnUrl, *deltas: TurnUrl) -> LiveGame:
    """Continue a game with deltas, given in any order; see :meth:`LiveGame.with_url` for errors."""
    game = live_game(history)
    for delta in deltas:
        game = game.with_url(delta)
    return game


def _number(numbered: tuple[int, UrlTurn]) -> int:
    return numbered[0]


def _play(turn: UrlTurn) -> UrlTurn:
    """Return the turn without what it sets beside the play."""
    return replace(turn, changes=()) if turn.changes else turn


def _added(changes: Changes, more: Changes) -> Changes:
    """Return what both set, each once."""
    return tuple(dict.fromkeys((*changes, *more)))
