"""Summarizes a game: winners, margin, best plays and deciding turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.crossword.game import Game, is_bingo
from bot.domain.crossword.play import Placement, TurnKind

MAX_KEY_TURNS = 3


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One player's results. Turns are numbered from 1. A play survives if it was not challenged off."""

    score: int
    """Includes the points counted at the end of the game."""
    turn_count: int
    """Number of plays, exchanges and passes."""
    points: int
    """Points from surviving plays, without the points counted at the end."""
    bingo_turns: tuple[int, ...]
    """Turns with surviving bingos."""
    best_turn: int | None
    """The turn with the highest score, or None if no play survived."""

    @property
    def average_score(self) -> float:
        return self.points / self.turn_count if self.turn_count else 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a game."""

    players: tuple[PlayerSummary, ...]
    """The players in seat order."""
    winners: tuple[int, ...]
    """The seats with the highest score; several in a draw."""
    margin: int
    """Points between the winner and the runner-up; 0 for a single player."""
    best_turn: int | None
    key_turns: tuple[int, ...]
    """At most :data:`MAX_KEY_TURNS` surviving plays: the highest-scoring plays and, with two players, the play that took the
    lead for good, if any."""


def summarize(game: Game) -> Summary:
    """Summarize a game, using the scores stated in its text."""
    surviving_plays = tuple(surviving_turns(game))
    totals = {turn.seat: turn.cumulative for turn in game.turns}
    scores = [totals.get(seat, 0) for seat in range(len(game.names))]
    ranked_scores = sorted(scores, reverse=True)
    return Summary(
        players=tuple(
            _summarize_player(game, seat, score, surviving_plays) for seat, score in enumerate(scores)
        ),
        winners=tuple(seat for seat, score in enumerate(scores) if score == ranked_scores[0]),
        margin=ranked_scores[0] - ranked_scores[1] if len(ranked_scores) > 1 else 0,
        best_turn=max(
            surviving_plays, key=lambda number: (game.turns[number - 1].score, -number), default=None
        ),
        key_turns=_key_turns(game, surviving_plays),
    )


def surviving_turns(game: Game) -> Iterator[int]:
    """Yield the numbers, from 1, of turns with placements that were not challenged off."""
    for number, turn in enumerate(game.turns, start=1):
        is_withdrawn = any(
            next_turn.kind is TurnKind.PHONY_WITHDRAWN for next_turn in game.turns[number : number + 1]
        )
        if isinstance(turn.play, Placement) and not is_withdrawn:
            yield number


def spreads(game: Game) -> list[int]:
    """Return the first player's lead over the second in a game of two players, at the start and after each turn."""
    scores, leads = [0, 0], [0]
    for turn in game.turns:
        scores[turn.seat] = turn.cumulative
        leads.append(scores[0] - scores[1])
    return leads


def _summarize_player(game: Game, seat: int, score: int, surviving_plays: tuple[int, ...]) -> PlayerSummary:
    own_plays = tuple(number for number in surviving_plays if game.turns[number - 1].seat == seat)
    return PlayerSummary(
        score,
        sum(turn.seat == seat and turn.play is not None for turn in game.turns),
        sum(game.turns[number - 1].score for number in own_plays),
        tuple(number for number in own_plays if is_bingo(game.turns[number - 1].play, game.rules.rack_size)),
        max(own_plays, key=lambda number: (game.turns[number - 1].score, -number), default=None),
    )


def _key_turns(game: Game, surviving_plays: tuple[int, ...]) -> tuple[int, ...]:
    """Choose the play that took the lead for good, if any, and the highest-scoring plays."""
    chosen_turns: list[int] = []
    leads = spreads(game) if len(game.names) == 2 else [0]
    # From this turn on, the winner was always ahead.
    deciding_turn = max(
        (turn for turn in range(1, len(leads)) if leads[turn - 1] * leads[-1] <= 0), default=0
    )
    if leads[-1] and deciding_turn in surviving_plays:
        chosen_turns.append(deciding_turn)
    plays_by_score = sorted(surviving_plays, key=lambda number: (-game.turns[number - 1].score, number))
    chosen_turns += [number for number in plays_by_score if number not in chosen_turns]
    return tuple(sorted(chosen_turns[:MAX_KEY_TURNS]))
