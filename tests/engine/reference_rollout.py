"""Plays one rollout of a simulation with ``Position`` objects. The tiles are drawn in a given order."""

from collections import Counter
from itertools import permutations

from bot.domain.crossword.game import board_after, tiles_used
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange, Placement, Play
from bot.domain.crossword.position import Player, Position, unseen_tiles
from bot.domain.crossword.rules import EndScoring
from bot.domain.crossword.scoring import rack_points
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import SimulationResult
from bot.engine.simulation.win_chances import MAX_LEAD, shipped_win_table
from tests.domain.crossword.games import with_unseen_tiles
from tests.positions import LATE_BOARD


def rollout(
    position: Position,
    candidate: RatedPlay,
    draw_order: tuple[int, ...],
    plies: int,
    graph: WordGraph,
    leaves: LeaveValues,
) -> tuple[int, float]:
    """Return the change in the lead over the highest-scoring opponent, in millipoints, and the win probability.

    ``draw_order`` lists the unseen tiles in the order drawn. The opponents draw first, in turn.
    """
    tiles_left = list(draw_order)
    rules = position.rules
    player_count = len(position.players)
    racks = deal_racks(position, tiles_left)
    scores = [player.score for player in position.players]
    leave_values = dict.fromkeys(range(player_count), 0)
    scoreless = position.scoreless_turns
    has_equal_turns = rules.end_scoring is EndScoring.EQUAL_TURNS
    turns_left = position.turns_left
    board = position.board
    rated = candidate
    for ply in range(plies + 1):
        player = ply % player_count
        if ply:
            rotated_position = Position(
                rules,
                board,
                tuple(
                    Player(0, tuple(racks[(player + seat) % player_count])) for seat in range(player_count)
                ),
                scoreless_turns=scoreless,
                turns_left=turns_left,
            )
            rated = find_plays(rotated_position, graph, leaves, top=1)[0]
        scores[player] += rated.score
        if ply >= plies - (player_count - 1) and tiles_left:
            leave_values[player] = leaves.value(rated.leave)
        scoreless = 0 if isinstance(rated.play, Placement) else scoreless + 1
        board = board_after(board, rated.play)
        racks[player] = list(rack_after(tuple(racks[player]), rated.play))
        racks[player] += draw_tiles(tiles_left, rules.rack_size - len(racks[player]))
        assert not isinstance(rated.play, Exchange), (
            "the play is an exchange, and exchanged tiles would return to random places in the bag"
        )
        points = [rack_points(rack, rules.distribution) for rack in racks]
        if has_equal_turns:
            if turns_left == 1 or scoreless >= rules.scoreless_limit:
                return result_of_finished_game(position, scores)
            if turns_left:
                turns_left -= 1
            elif not tiles_left:
                turns_left = player_count
            continue
        if not racks[player]:
            each_way = rules.end_scoring is EndScoring.EACH_WAY
            scores = [
                score - leftover_points * each_way
                for score, leftover_points in zip(scores, points, strict=True)
            ]
            scores[player] += sum(points) * (1 if each_way else 2)
            return result_of_finished_game(position, scores)
        if scoreless >= rules.scoreless_limit:
            return result_of_finished_game(
                position,
                [score - leftover_points for score, leftover_points in zip(scores, points, strict=True)],
            )
    worth = [1000 * score + leave_values[seat] for seat, score in enumerate(scores)]
    on_turn = (plies + 1) % player_count
    tile_count = len(tiles_left) + sum(map(len, racks))
    unseen = 2 * tile_count // player_count - len(racks[on_turn])
    odds_against = 0.0
    for seat in range(1, player_count):
        points_ahead = (worth[0] - worth[seat] + 500) // 1000
        is_first = min((0, seat), key=lambda item: (item - on_turn) % player_count) == 0
        chance = (
            win_probability(unseen, points_ahead) if is_first else 1 - win_probability(unseen, -points_ahead)
        )
        odds_against += (1 - chance) / chance if chance else float("inf")
    return lead(worth) - 1000 * lead([player.score for player in position.players]), 1 / (1 + odds_against)


def win_probability(unseen: int, spread: int) -> float:
    """Return the win probability of the player to move in a two-player game."""
    return int(shipped_win_table()[min(unseen, 89), max(-MAX_LEAD, min(MAX_LEAD, spread)) + MAX_LEAD]) / 1e6


def check_means(
    position: Position, result: SimulationResult, plies: int, graph: WordGraph, leaves: LeaveValues
) -> None:
    """Compare the results of a simulation with the means over all orders of the unseen tiles."""
    for simulated in result.plays:
        outcomes = [
            rollout(position, simulated.play, draw_order, plies, graph, leaves)
            for draw_order in permutations(list_unseen_tiles(position))
        ]
        equity = sum(equity for equity, _ in outcomes) / len(outcomes) / 1000
        win = sum(win for _, win in outcomes) / len(outcomes)
        assert abs(simulated.equity - equity) <= 4 * simulated.equity_error + 1e-9
        assert abs(simulated.win - win) <= 4 * simulated.win_error + 1e-6


def deal_racks(position: Position, draw_order: list[int]) -> list[list[int]]:
    racks = [list(player.rack) for player in position.players]
    for size in range(1, position.rules.rack_size + 1):
        for rack in racks[1:]:
            if draw_order and len(rack) < size:
                rack.append(draw_order.pop(0))
    return racks


def lead(scores: list[int]) -> int:
    return scores[0] - max(scores[1:])


def result_of_finished_game(position: Position, scores: list[int]) -> tuple[int, float]:
    winner_count = scores.count(max(scores))
    won = 1 / winner_count if scores[0] == max(scores) else 0.0
    return 1000 * (lead(scores) - lead([player.score for player in position.players])), won


def draw_tiles(tiles: list[int], count: int) -> tuple[int, ...]:
    drawn = tuple(tiles[: max(0, count)])
    del tiles[: max(0, count)]
    return drawn


def rack_after(rack: tuple[int, ...], play: Play) -> tuple[int, ...]:
    used = Counter(tiles_used(play)) if isinstance(play, Placement) else Counter()
    return tuple((Counter(rack) - used).elements())


def list_unseen_tiles(position: Position) -> tuple[int, ...]:
    racks = [player.rack for player in position.players]
    counts = unseen_tiles(position.rules.distribution, position.board.squares, racks).counts
    return tuple(tile for tile, count in enumerate(counts) for _ in range(count))


def late_position(racks: str, unseen: str, opcodes: str = "") -> Position:
    """Return a late position whose unseen tiles are exactly ``unseen``."""
    position = cgp.read(f"{LATE_BOARD} {racks} 209/206 0 {opcodes}").value
    return with_unseen_tiles(
        position, tuple(position.rules.distribution.machine_letters[tile] for tile in unseen)
    )
