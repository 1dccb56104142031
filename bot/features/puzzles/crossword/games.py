"""Positions to make puzzles of: of games that the engine plays against itself, and of games that people played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.crossword.course import Course, tiles_used, without
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Exchange, Placement
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import Rules
from bot.domain.crossword.turn import Turn, TurnKind
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.generate import plays
from bot.engine.plays.values import RatedPlay
from bot.features.review.crossword.moments import moments

_CHOICES = 3
"""Among so many of the best plays a player chooses, that no two games with alike racks are alike."""
_NEAR = 4_000
"""Millipoints that a chosen play is behind the best at most."""


@dataclass(frozen=True, slots=True)
class Met:
    """A position of a game, as the player on turn knows it."""

    position: Position
    bag: int


def self_play(rules: Rules, lexicon: Lexicon, seed: int) -> Iterator[Met]:
    """Yield the positions of a game of the engine with itself; everything follows from ``seed``."""
    source = random.Random(seed)  # noqa: S311 - a game, not a secret
    bag = [number for number, letter in enumerate(rules.distribution.letters) for _ in range(letter.count)]
    source.shuffle(bag)
    racks: list[tuple[int, ...]] = []
    for _ in range(2):
        racks.append(tuple(sorted(bag[: rules.rack_size])))
        del bag[: rules.rack_size]
    course = Course(rules, 2)
    while not course.is_over:
        seat = course.next_seat
        position = _position(course, racks[seat])
        yield Met(position, course.bag)
        chosen = _choose(position, lexicon, source)
        play = chosen.play
        taken = (
            tiles_used(play)
            if isinstance(play, Placement)
            else play.tiles
            if isinstance(play, Exchange)
            else ()
        )
        kind = (
            TurnKind.PLAY
            if isinstance(play, Placement)
            else TurnKind.EXCHANGE
            if isinstance(play, Exchange)
            else TurnKind.PASS
        )
        kept = without(racks[seat], taken)
        drawn = min(len(taken), len(bag))
        cumulative = course.scores[seat] + chosen.score
        course.follow(Turn(seat, kind, racks[seat], play=play, score=chosen.score, cumulative=cumulative))
        racks[seat] = tuple(sorted((*kept, *bag[:drawn])))
        del bag[:drawn]
        if kind is TurnKind.EXCHANGE:
            bag += taken
            source.shuffle(bag)


def _position(course: Course, rack: tuple[int, ...]) -> Position:
    seat = course.next_seat
    players = tuple(
        Player(score, rack if number == seat else ()) for number, score in enumerate(course.scores)
    )
    position = Position(course.rules, course.board, players, seat, scoreless_turns=course.scoreless_turns)
    return position.mover_first()


def _choose(position: Position, lexicon: Lexicon, source: random.Random) -> RatedPlay:
    best = plays(position, lexicon.graph, lexicon.leaves, top=_CHOICES)
    return source.choice([one for one in best if one.equity >= best[0].equity - _NEAR])


def of_game(game: Game, lexicon: Lexicon) -> Iterator[Met]:
    """Yield the positions of a game of two that somebody played, where the whole rack is known.

    Raises:
        RuleError: a play runs off the board.

    """
    for moment in moments(game, lexicon.graph):
        position = moment.position.mover_first()
        if moment.reason is None and len(position.players[0].rack) == moment.rack_size:
            # Names, ids and what else a file tells stay with the file.
            players = tuple(
                Player(player.score, player.rack if not seat else ())
                for seat, player in enumerate(position.players)
            )
            bare = Position(position.rules, position.board, players, scoreless_turns=position.scoreless_turns)
            yield Met(bare, moment.bag)
