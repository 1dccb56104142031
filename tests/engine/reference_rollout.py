"""Simulation by its definition: one rollout with the tiles in a given order, on plain positions."""

from collections import Counter
from dataclasses import replace

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.play import Exchange, Placement, Play
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import EndCount
from bot.domain.crossword.scoring import rack_points
from bot.engine.lexicon.leaves.values import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.generate import plays
from bot.engine.plays.values import RatedPlay


def rollout(
    position: Position,
    candidate: RatedPlay,
    order: tuple[int, ...],
    plies: int,
    graph: WordGraph,
    leaves: LeaveValues,
    chance,
) -> tuple[int, float]:
    """Return the spread won in millipoints and the probability of winning.

    ``order`` has the unseen tiles as they are drawn: the opponent's first. ``chance(unseen, spread)`` tells how often
    the player on turn wins.
    """
    order_left = list(order)
    known = position.players[1].rack
    opponent = tuple(known) + take(order_left, position.rules.rack_size - len(known))
    racks = [position.players[0].rack, opponent]
    before = position.players[0].score - position.players[1].score
    spread = leftover = 0
    scoreless = position.scoreless_turns
    equal = position.rules.end_count is EndCount.EQUAL_TURNS
    turns = position.turns_left
    board = position.board
    best = candidate
    for ply in range(plies + 1):
        player = ply % 2
        if ply:
            seen = Position(
                position.rules,
                board,
                (Player(0, racks[player]), Player(0, racks[1 - player])),
                scoreless_turns=scoreless,
                turns_left=turns,
            )
            best = plays(seen, graph, leaves, top=1)[0]
        sign = -1 if player else 1
        spread += sign * best.score
        if ply >= plies - 1 and order_left:
            leftover += sign * leaves.value(best.leave)
        scoreless = 0 if isinstance(best.play, Placement) else scoreless + 1
        if isinstance(best.play, Placement):
            board = laid(board, best.play)
        racks[player] = after(racks[player], best.play)
        racks[player] += take(order_left, position.rules.rack_size - len(racks[player]))
        assert not isinstance(best.play, Exchange), "where given tiles go is up to chance"
        distribution = position.rules.distribution
        if equal:
            if turns == 1 or scoreless >= position.rules.scoreless_limit:
                return 1000 * spread, won(before + spread)
            turns = turns - 1 if turns else 2 if not order_left else None
            continue
        if not racks[player]:
            spread += sign * 2 * rack_points(racks[1 - player], distribution)
            return 1000 * spread, won(before + spread)
        if scoreless >= position.rules.scoreless_limit:
            spread += rack_points(racks[1], distribution) - rack_points(racks[0], distribution)
            return 1000 * spread, won(before + spread)
    ahead = before + spread + (leftover + 500) // 1000
    player = (plies + 1) % 2
    unseen = len(order_left) + len(racks[1 - player])
    win = chance(unseen, ahead) if player == 0 else 1 - chance(unseen, -ahead)
    return 1000 * spread + leftover, win


def take(tiles: list[int], count: int) -> tuple[int, ...]:
    taken = tuple(tiles[: max(0, count)])
    del tiles[: max(0, count)]
    return taken


def won(spread: int) -> float:
    return 1.0 if spread > 0 else 0.5 if spread == 0 else 0.0


def after(rack: tuple[int, ...], play: Play) -> tuple[int, ...]:
    used = Counter(tiles_used(play)) if isinstance(play, Placement) else Counter()
    return tuple((Counter(rack) - used).elements())


def laid(board, play: Placement):
    return board.with_tiles(
        (row * board.columns + column, tile)
        for (row, column), tile in zip(play.squares(), play.tiles, strict=True)
        if tile
    )


def pool(position: Position) -> tuple[int, ...]:
    """Return the tiles nobody has shown."""
    racks = [player.rack for player in position.players]
    counts = unseen_tiles(position.rules.distribution, position.board.squares, racks).counts
    return tuple(tile for tile, count in enumerate(counts) for _ in range(count))


def with_pool(position: Position, tiles: tuple[int, ...]) -> Position:
    """Return the position in a game whose set has just so many tiles that these are unseen."""
    distribution = position.rules.distribution
    used = [max(tile, 0) for tile in position.board.squares if tile]
    used += [tile for player in position.players for tile in player.rack] + list(tiles)
    letters = tuple(
        replace(letter, count=used.count(number)) for number, letter in enumerate(distribution.letters)
    )
    small = replace(distribution, name="small", letters=letters)
    return replace(position, rules=replace(position.rules, distribution=small))
