"""Makes crossword puzzles from games in files and from self-play."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from bot.domain.crossword.game import Game, ReplayState, remove_tiles, tiles_used
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.notations.turn_url.draws import SeededBag
from bot.domain.crossword.play import Exchange, Turn, TurnKind
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import Rules
from bot.domain.crossword.scoring import words_made
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import AnalysisError
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.lexicon.words import words_on_board
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import deduplicate
from bot.features.puzzles.crossword import proof
from bot.features.puzzles.crossword.document import MAX_RATING, CrosswordPuzzle, PuzzleFamily
from bot.features.puzzles.crossword.words import (
    any_vulgar,
    count_trigrams,
    hook_positions,
    insert_phony,
    make_hook_puzzle,
    make_phony_puzzle,
    tiles_text,
)
from bot.features.review.crossword.turns import played_turns

_MAX_CHOICES = 3
"""Self-play chooses at random among this many best plays, so that games with the same racks differ."""
_MAX_EQUITY_LOSS = 4_000
"""Self-play never chooses a play that loses more equity than this, in millipoints."""


def self_play_positions(rules: Rules, lexicon: Lexicon, seed: int) -> Iterator[Position]:
    """Yield the positions in a game of self-play, as seen by the player to move."""
    rng = random.Random(seed)  # noqa: S311 - a game, not a secret
    letters = enumerate(rules.distribution.letters)
    bag = SeededBag((tile for tile, letter in letters for _ in range(letter.count)), str(seed))
    racks = [bag.draw(rules.rack_size) for _ in range(2)]
    state = ReplayState(rules, 2)
    while not state.is_over:
        seat = state.next_seat
        rack = tuple(sorted(racks[seat]))
        players = tuple(
            Player(score, rack if number == seat else ()) for number, score in enumerate(state.scores)
        )
        position = Position(rules, state.board, players, seat, scoreless_turns=state.scoreless_turns)
        yield (position := position.mover_first())
        best_plays = find_plays(position, lexicon.graph, lexicon.leaves, top=_MAX_CHOICES)
        choice = rng.choice(
            [
                rated_play
                for rated_play in best_plays
                if rated_play.equity >= best_plays[0].equity - _MAX_EQUITY_LOSS
            ]
        )
        play, used_tiles = choice.play, tiles_used(choice.play)
        if isinstance(play, Exchange):
            kind, new_tiles = TurnKind.EXCHANGE, bag.exchange(used_tiles)
        else:
            kind, new_tiles = TurnKind.PLAY if used_tiles else TurnKind.PASS, bag.draw(len(used_tiles))
        cumulative = state.scores[seat] + choice.score
        state.apply(Turn(seat, kind, rack, play=play, score=choice.score, cumulative=cumulative))
        racks[seat] = (*remove_tiles(rack, used_tiles), *new_tiles)


FAMILY_PERCENTAGES = {
    PuzzleFamily.BEST_PLAY: 25,
    PuzzleFamily.STRATEGY: 3,
    PuzzleFamily.ONLY_BINGO: 25,
    PuzzleFamily.ENDGAME: 20,
    PuzzleFamily.PRE_ENDGAME: 2,
    PuzzleFamily.PHONY: 15,
    PuzzleFamily.HOOK: 10,
}
"""Percentage of puzzles in each family."""
MIN_BAG_COUNT = 7
"""Minimum number of tiles in the bag for a puzzle that is proved by simulation."""
RARE_WORD_POINTS = 150
"""Rating points added for an answer with a word that is not widely known."""
_MAX_SCORE_DIFFERENCE = 40
"""Maximum difference between the scores in strategy and pre-endgame puzzles, in points. A greater difference decides the game."""
_MAX_STRATEGY_BAG_COUNT = 15
"""Maximum number of tiles in the bag in strategy puzzles.

With more tiles, a few points of equity hardly change the win probability.
"""
_MAX_EQUITY_GAP = 6_000
"""Maximum gap between the two highest equities in strategy puzzles, in millipoints.

With a greater gap, a simulation rarely prefers another play.
"""


def split_by_family(count: int, families: Sequence[PuzzleFamily] = ()) -> dict[PuzzleFamily, int]:
    """Split ``count`` equally among ``families`` or, if there are none, by :data:`FAMILY_PERCENTAGES`."""
    if families:
        remainder = count % len(families)
        return {family: count // len(families) + (index < remainder) for index, family in enumerate(families)}
    counts = {family: count * percentage // 100 for family, percentage in FAMILY_PERCENTAGES.items()}
    counts[PuzzleFamily.BEST_PLAY] += count - sum(counts.values())
    return counts


class PuzzleMaker:
    """Makes puzzles for a lexicon. The same seed gives the same puzzles, unless solving a position runs out of time."""

    def __init__(
        self,
        rules: Rules,
        lexicon: Lexicon,
        *,
        quotas: Mapping[PuzzleFamily, int],
        seed: int,
        other_graphs: tuple[WordGraph, ...] = (),
        known_words: Container[str] | None = None,
        existing_ids: Iterable[str] = (),
    ) -> None:
        """Prepare to make puzzles. ``quotas`` are the numbers of puzzles to make.

        ``other_graphs`` are the word graphs of the language's other lexica; no phony is valid in any of them. ``known_words`` are
        the words that most people know, in capitals. Hook puzzles use only these words. In the other families, except phony, an
        answer that contains any other word has a higher rating. ``existing_ids`` are the ids of puzzles that must not be made
        again.
        """
        self._rules = replace(rules, lexicon=lexicon.name)
        self._lexicon = lexicon
        self._remaining_by_family = {family: quotas.get(family, 0) for family in PuzzleFamily}
        self._seed = seed
        self._all_graphs = (*other_graphs, lexicon.graph)
        self._known_words = known_words
        self._trigram_counts = count_trigrams(lexicon)
        self._ids = set(existing_ids)
        self.puzzles: list[CrosswordPuzzle] = []
        self.game_count = 0
        self.try_counts: Counter[PuzzleFamily] = Counter()
        """The number of attempted proofs, by family."""

    @property
    def puzzle_counts(self) -> Counter[PuzzleFamily]:
        return Counter(puzzle.family for puzzle in self.puzzles)

    def make(
        self, games: Sequence[Game], max_self_play_games: int, report_progress: Callable[[], None]
    ) -> None:
        """Search the games. Then search at most ``max_self_play_games`` games of self-play, until the quotas are filled."""
        for number, game in enumerate(games):
            self._search_game(_positions_of(game, self._rules, self._lexicon), f"file {number}")
            report_progress()
        for number in range(max_self_play_games):
            if not any(self._remaining_by_family.values()):
                break
            seed = zlib.crc32(f"{self._seed} {number}".encode())
            self._search_game(self_play_positions(self._rules, self._lexicon, seed), str(number))
            report_progress()

    def _search_game(self, positions: Iterable[Position], name: str) -> None:
        rng = random.Random(f"{self._seed} {name}")  # noqa: S311 - a choice, not a secret
        shuffled_positions = list(positions)
        rng.shuffle(shuffled_positions)
        # These families get no more puzzles from this game.
        closed_families: set[PuzzleFamily] = {
            family for family, remaining in self._remaining_by_family.items() if not remaining
        }
        for position in shuffled_positions:
            if any_vulgar(
                tiles_text(word.tiles, self._rules.distribution) for word in words_on_board(position.board)
            ):
                continue
            for family, puzzle in self._attempt_proofs(position, closed_families, rng):
                self.try_counts[family] += 1
                if family is PuzzleFamily.PRE_ENDGAME:
                    # Try only once per game, because solving a pre-endgame takes a long time.
                    closed_families.add(family)
                if puzzle is None or not self._remaining_by_family[puzzle.family] or puzzle.id in self._ids:
                    continue
                self._ids.add(puzzle.id)
                self._remaining_by_family[puzzle.family] -= 1
                self.puzzles.append(self._add_rare_word_points(puzzle))
                closed_families |= {family, puzzle.family}
                break  # at most one puzzle per position
        self.game_count += 1

    def _attempt_proofs(
        self, position: Position, closed_families: set[PuzzleFamily], rng: random.Random
    ) -> Iterator[tuple[PuzzleFamily, CrosswordPuzzle | None]]:
        """Yield (attempted family, puzzle or None) pairs. The puzzle may belong to a different family."""
        lexicon, bag_count = self._lexicon, position.bag_count
        try:
            if bag_count >= MIN_BAG_COUNT and not closed_families >= {
                PuzzleFamily.BEST_PLAY,
                PuzzleFamily.STRATEGY,
            }:
                family = self._simulated_family(position)
                if family is not None and family not in closed_families:
                    seed = zlib.crc32(f"{self._seed} {cgp.write(position)}".encode())
                    yield family, proof.make_simulated_puzzle(position, lexicon, seed=seed)
            if bag_count and PuzzleFamily.ONLY_BINGO not in closed_families:
                yield PuzzleFamily.ONLY_BINGO, proof.make_only_bingo_puzzle(position, lexicon)
            # Solving pre-endgames with a blank takes too long.
            has_no_blank = 0 not in position.players[0].rack and not position.unseen.counts[0]
            if (
                bag_count == 1
                and PuzzleFamily.PRE_ENDGAME not in closed_families
                and _is_contested(position)
                and has_no_blank
            ):
                yield PuzzleFamily.PRE_ENDGAME, proof.make_pre_endgame_puzzle(position, lexicon)
            if not bag_count and PuzzleFamily.ENDGAME not in closed_families:
                yield (
                    PuzzleFamily.ENDGAME,
                    proof.make_endgame_puzzle(position, lexicon, seconds=proof.QUICK_ENDGAME_SECONDS),
                )
            if bag_count and PuzzleFamily.PHONY not in closed_families:
                phony_position = insert_phony(position, lexicon, self._trigram_counts, self._all_graphs, rng)
                yield (
                    PuzzleFamily.PHONY,
                    None if phony_position is None else make_phony_puzzle(phony_position, lexicon),
                )
            if PuzzleFamily.HOOK not in closed_families:
                for hook_position in hook_positions(position, lexicon, self._known_words):
                    yield PuzzleFamily.HOOK, make_hook_puzzle(hook_position, lexicon)
        except AnalysisError:
            return  # a file may contain positions that the engine rejects

    def _add_rare_word_points(self, puzzle: CrosswordPuzzle) -> CrosswordPuzzle:
        if (
            self._known_words is None
            or puzzle.family is PuzzleFamily.PHONY
            or all(
                word in self._known_words
                for word in puzzle.words or words_made(puzzle.position, puzzle.answers[0])
            )
        ):
            return puzzle
        return replace(puzzle, rating=min(MAX_RATING, puzzle.rating + RARE_WORD_POINTS))

    def _simulated_family(self, position: Position) -> PuzzleFamily | None:
        ranking = deduplicate(find_plays(position, self._lexicon.graph, self._lexicon.leaves, top=24))
        if len(ranking) < 2:
            return None
        lead = ranking[0].equity - ranking[1].equity
        if lead > proof.MIN_EQUITY_LEAD:
            return PuzzleFamily.BEST_PLAY
        return (
            PuzzleFamily.STRATEGY
            if lead <= _MAX_EQUITY_GAP
            and position.bag_count <= _MAX_STRATEGY_BAG_COUNT
            and _is_contested(position)
            else None
        )


def _is_contested(position: Position) -> bool:
    mover, other = position.players
    return abs(mover.score - other.score) <= _MAX_SCORE_DIFFERENCE


def _positions_of(game: Game, rules: Rules, lexicon: Lexicon) -> Iterator[Position]:
    """Yield the position before each turn that needs judgement and has a completely known rack.

    For a game with other rules, or without exactly two players, yield nothing.
    """
    if (
        len(game.names) != 2
        or game.rules.layout != rules.layout
        or game.rules.distribution != rules.distribution
    ):
        return
    with suppress(RuleError):  # raised if a play runs off the board
        for turn in played_turns(game, lexicon.graph):
            position = turn.position.mover_first()
            mover, other = position.players
            if turn.needs_judgement and len(mover.rack) == turn.rack_size:
                # A puzzle contains no names or ids from the file.
                players = (Player(mover.score, mover.rack), Player(other.score))
                yield Position(rules, position.board, players, scoreless_turns=position.scoreless_turns)


_MAKERS_BY_FAMILY: Mapping[PuzzleFamily, Callable[[Position, Lexicon], CrosswordPuzzle | None]] = {
    PuzzleFamily.ONLY_BINGO: proof.make_only_bingo_puzzle,
    PuzzleFamily.ENDGAME: proof.make_endgame_puzzle,
    PuzzleFamily.PRE_ENDGAME: proof.make_pre_endgame_puzzle,
    PuzzleFamily.PHONY: make_phony_puzzle,
    PuzzleFamily.HOOK: make_hook_puzzle,
}
"""Functions that make the puzzles of families that need no simulation."""


def find_problem(puzzle: CrosswordPuzzle, lexicon: Lexicon, *, seed: int = 1) -> str:
    """Prove a puzzle again. Return why the proof failed, or an empty string.

    Simulations use other random draws and twice as many iterations. A lead of two standard errors is enough.
    """
    make_simulated_puzzle = partial(
        proof.make_simulated_puzzle,
        iterations=2 * proof.ITERATIONS,
        min_lead=0.0,
        min_strategy_lead=0.0,
        seed=seed,
    )
    try:
        proved_puzzle = _MAKERS_BY_FAMILY.get(puzzle.family, make_simulated_puzzle)(puzzle.position, lexicon)
    except (AnalysisError, RuleError) as error:
        return error.message
    if proved_puzzle is None:
        return "the answer can't be proved again"
    if (proved_puzzle.family, set(proved_puzzle.answers), proved_puzzle.words) != (
        puzzle.family,
        set(puzzle.answers),
        puzzle.words,
    ):
        return "a different answer was found"
    return ""
