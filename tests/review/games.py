"""Creates games: the engine makes plays, and the tests add phonies, exchanges, passes and penalties."""

import random
from dataclasses import replace
from functools import cache
from itertools import count, permutations

from bot.domain.crossword.game import Game, board_after, remove_tiles, tiles_used
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, PlayerName, Turn, TurnKind
from bot.domain.crossword.position import Player, Position, empty_board
from bot.domain.crossword.rules import default_rules, layout_of_size, load_distribution
from bot.domain.crossword.scoring import rack_points, score_placement
from bot.engine.lexicon.lexica import Lexica
from bot.engine.plays.generate import find_plays

NAMES = (PlayerName("alice", "Alice"), PlayerName("bob", "Bob"))


@cache
def scowl_lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find("SCOWL80"), load_distribution("english"))


class Table:
    """A game in progress between two players. Each play is recorded with its player's rack."""

    def __init__(self, seed=1, lexicon=None, rules=None):
        self.lexicon = lexicon or scowl_lexicon()
        self.rules = rules or default_rules(self.lexicon.distribution, layout_of_size(15, 15))
        self.random = random.Random(seed)
        self.bag = [tile for tile, count in enumerate(self.rules.distribution.counts) for _ in range(count)]
        self.random.shuffle(self.bag)
        self.racks: list[tuple[int, ...]] = [(), ()]
        self.board = empty_board(15, 15)
        self.scores = [0, 0]
        self.scoreless_turns = 0
        self.turns = []
        self.seat = 0
        for seat in (0, 1):
            self._draw(seat)

    @property
    def position(self):
        players = tuple(
            Player(score, rack if seat == self.seat else ())
            for seat, (score, rack) in enumerate(zip(self.scores, self.racks, strict=True))
        )
        return Position(
            self.rules, self.board, players, on_turn=self.seat, scoreless_turns=self.scoreless_turns
        )

    @property
    def is_over(self):
        return self.scoreless_turns >= 6 or not (self.bag or all(self.racks))

    def best_plays(self, top=1):
        return find_plays(self.position, self.lexicon.graph, self.lexicon.leaves, top=top)

    def set_rack(self, tiles):
        """Put the rack back into the bag, and take the given tiles out instead."""
        self.bag = list(remove_tiles(self.bag + list(self.racks[self.seat]), tiles))
        self.racks[self.seat] = tuple(tiles)

    def play(self, choice=None):
        """Make a play, by default the best. Return the board, rack, bag and scoreless turns before the play."""
        choice = choice or self.best_plays()[0].play
        score = 0
        if isinstance(choice, Placement):
            score = score_placement(self.board, choice, self.rules).score
        self._add_turn(
            _KINDS_BY_PLAY_TYPE[type(choice)], play=choice, score=score, rack=self.racks[self.seat]
        )
        state_before = (self.board, self.racks[self.seat], list(self.bag), self.scoreless_turns)
        if isinstance(choice, Placement):
            self.board = board_after(self.board, choice)
            self.racks[self.seat] = remove_tiles(self.racks[self.seat], tiles_used(choice))
        elif isinstance(choice, Exchange):
            self.racks[self.seat] = remove_tiles(self.racks[self.seat], choice.tiles)
        self._draw(self.seat)
        if isinstance(choice, Exchange):
            self.bag += choice.tiles
            self.random.shuffle(self.bag)
        self.scoreless_turns = 0 if isinstance(choice, Placement) else self.scoreless_turns + 1
        self.seat = 1 - self.seat
        return state_before

    def play_phony(self, *, stands):
        """Lay a good play's tiles in an order that forms no word. Withdraw them unless the play ``stands``."""
        phony = next(filter(None, (self._phony_from(rated.play) for rated in self.best_plays(50))))
        board, rack, bag, scoreless_turns = self.play(phony)
        if stands:
            return
        seat = 1 - self.seat
        score = -self.turns[-1].score
        self.board, self.racks[seat], self.bag = board, rack, bag
        self.scoreless_turns = scoreless_turns + 1
        self._add_turn(TurnKind.PHONY_WITHDRAWN, seat=seat, score=score, rack=rack)

    def _phony_from(self, play):
        if not isinstance(play, Placement) or min(play.tiles) < 0:
            return None
        laid = [tile for tile in play.tiles if tile != THROUGH]
        for order in permutations(laid):
            tiles = iter(order)
            placement = Placement(play.start, tuple(tile and next(tiles) for tile in play.tiles))
            word = score_placement(self.board, placement, self.rules).word.tiles
            if not self.lexicon.graph.accepts(bytes(map(abs, word))):
                return placement
        return None

    def finish(self):
        while not self.is_over:
            self.play()
        if self.scoreless_turns >= 6:
            for seat in (0, 1):
                points = -rack_points(self.racks[seat], self.rules.distribution)
                rack = self.racks[seat]
                self._add_turn(
                    TurnKind.END_RACK_PENALTY, seat=seat, score=points, rack=rack, counted_tiles=rack
                )
        else:
            seat_out = 1 - self.seat
            points = 2 * rack_points(self.racks[self.seat], self.rules.distribution)
            self._add_turn(
                TurnKind.END_RACK_POINTS, seat=seat_out, score=points, counted_tiles=self.racks[self.seat]
            )
        return self.game()

    def set_score(self, seat, score):
        last_index = max(index for index, turn in enumerate(self.turns) if turn.seat == seat)
        self.scores[seat] = score
        self.turns[last_index] = replace(self.turns[last_index], cumulative=score)

    def add_time_penalty(self, seat, points):
        self._add_turn(TurnKind.TIME_PENALTY, seat=seat, score=-points)

    def game(self, **fields):
        return Game(self.rules, NAMES, tuple(self.turns), **fields)

    def _draw(self, seat):
        while self.bag and len(self.racks[seat]) < 7:
            self.racks[seat] = (*self.racks[seat], self.bag.pop())

    def _add_turn(self, kind, *, seat=None, score=0, **fields):
        seat = self.seat if seat is None else seat
        self.scores[seat] += score
        self.turns.append(Turn(seat, kind, score=score, cumulative=self.scores[seat], **fields))


_KINDS_BY_PLAY_TYPE = {Placement: TurnKind.PLAY, Exchange: TurnKind.EXCHANGE, Pass: TurnKind.PASS}


def self_play_game(seed, choose=None):
    """Return a game of self-play. ``choose`` returns a play, or None for the best play."""
    table = Table(seed)
    while not table.is_over:
        table.play(choose(table) if choose else None)
    return table.finish()


def endgame_table():
    """Return a table with an empty bag, at least two tiles on each rack, and at most eight tiles on both racks together."""
    for seed in count(1):
        table = Table(seed)
        while table.bag or (sum(map(len, table.racks)) > 8 and not table.is_over):
            table.play()
        if min(map(len, table.racks)) > 1:
            return table
    raise AssertionError("unreachable, because there are infinitely many seeds")
