"""Computes when it pays to challenge a play, and when it pays to play a phony.

All outcomes are simulated with the same draws. The value of an outcome is the win chance of the player who may challenge or
play the phony. If the game is already decided, the value is the growth of this player's lead, in points. The outcomes are:

- ``off``: the play was challenged off;
- ``wrong``: the challenge failed;
- ``stays``: the play was not challenged;
- ``best``: the best valid play was made instead.

If p is the probability that the play is a phony, a challenge is worth p · off + (1 - p) · wrong, so it pays if
p > (stays - wrong) / (off - wrong). A phony pays if it stays on the board with a probability above
(best - off) / (stays - off).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from bot.chat.markdown import escape
from bot.domain.crossword.game import board_before, tiles_used
from bot.domain.crossword.play import Pass, Placement, Play, tiles_laid
from bot.domain.crossword.position import LastPlay, Position
from bot.domain.crossword.scoring import score_placement
from bot.engine.analysis import AnalysisError, AnalysisOptions, StoppedError, stop_after
from bot.engine.installed import compile_engine
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import SimulatedPlay
from bot.features.analysis.crossword.rankings import describe_play
from bot.features.analysis.crossword.request import (
    CHALLENGE_BONUSES,
    AnalysisResult,
    Bluff,
    Challenge,
    can_be_simulated,
)
from bot.text import Translator

ITERATIONS = 128
"""Iterations per play. Simulating eight plays, two turns ahead, takes a fifth of a second."""
MAX_SECONDS = 2.0
"""Maximum time for simulating one position, and for listing the best plays after a successful challenge.

A challenge needs two or three simulations, and a bluff needs one.
"""
_COMPARED_PLAY_COUNT = 3
"""To find the best play, this many plays are simulated: the best by equity."""
_DECIDED_MARGIN = 0.005
"""If all win chances are this close to 0 or to 1, points are compared."""
_MAX_WORDS = 3
"""Maximum number of invalid words to list for a challenged play."""
_PASS = RatedPlay.of(Pass(), 0, (), 0)
"""Represents a lost turn in a simulation."""


def add_challenge_and_bluff(result: AnalysisResult, lexicon: Lexicon) -> AnalysisResult:
    position = result.request.position
    if not can_be_simulated(position) or not position.players[position.on_turn].rack:
        return result
    # Some positions can be ranked but not simulated, for example if the board has more tiles than the tile set.
    with suppress(AnalysisError, StoppedError):
        result = replace(result, challenge=_judge_challenge(result, lexicon))
        result = replace(result, bluff=_judge_bluff(result, lexicon))
    return result


def _judge_challenge(result: AnalysisResult, lexicon: Lexicon) -> Challenge | None:
    from bot.engine.plays.generate import find_plays  # noqa: PLC0415 - as in analyze_position

    position, last_play = result.request.position, result.request.position.last_play
    if (
        last_play is None
        or not isinstance(last_play.play, Placement)
        or last_play.withdrawn
        or last_play.challenge_bonus is not None
    ):
        return None
    laid_squares = {(row, column) for row, column, _ in tiles_laid(last_play.play)}
    words = tuple(phony.text for phony in result.phonies if laid_squares & set(phony.squares))
    phony_seat = (position.on_turn - 1) % len(position.players) if last_play.seat is None else last_play.seat
    if not words or phony_seat == position.on_turn or not 0 <= phony_seat < len(position.players):
        return None
    position_if_off = _without_last_play(position, last_play, last_play.play, phony_seat)
    if position_if_off is None or position.rules.challenge_rule == "void":
        return None
    compile_engine("simulation")  # the time limit below must not include the compilation
    with stop_after(MAX_SECONDS) as stop:
        replies = find_plays(
            position_if_off, lexicon.graph, lexicon.leaves, top=_COMPARED_PLAY_COUNT, stop=stop
        )
    replies_if_stays = _simulate_equally(position, (*result.plays[:_COMPARED_PLAY_COUNT], _PASS), lexicon)
    replies_if_off = _simulate_equally(position_if_off, replies, lexicon)
    if not replies_if_stays or not replies_if_off:
        return None
    outcome_if_stays = next(
        (reply for reply in replies_if_stays if reply.play.play != _PASS.play), replies_if_stays[0]
    )
    outcome_if_off = _relative_to(position, replies_if_off[0], position_if_off)

    def outcome_after_bonus(points: int) -> SimulatedPlay | None:
        position_after = _with_points(position, phony_seat, points, None)
        simulated_plays = _simulate_equally(position_after, (outcome_if_stays.play,), lexicon)
        return _relative_to(position, simulated_plays[0], position_after) if simulated_plays else None

    rules = []
    failed_outcomes = {
        "single": outcome_if_stays,
        "double": next(reply for reply in replies_if_stays if reply.play.play == _PASS.play),
        "triple": replace(outcome_if_stays, win=0.0, win_error=0.0),
    }
    for rule in (position.rules.challenge_rule,) if position.rules.challenge_rule else ("double", "5pt"):
        outcome_if_wrong = (
            outcome_after_bonus(CHALLENGE_BONUSES[rule])
            if rule in CHALLENGE_BONUSES
            else failed_outcomes.get(rule)
        )
        if outcome_if_wrong is not None:
            rules.append((rule, _break_even(outcome_if_stays, outcome_if_off, outcome_if_wrong)))
    return Challenge(words, outcome_if_stays, outcome_if_off, position_if_off.board, tuple(rules))


def _without_last_play(
    position: Position, last_play: LastPlay, play: Placement, phony_seat: int
) -> Position | None:
    """Take the last play off the board. Its player loses the turn. Return None if the play is not on the board."""
    board = board_before(position.board, play)
    if board is None:
        return None
    score = score_placement(board, play, position.rules).score if last_play.score is None else last_play.score
    return replace(
        _with_points(position, phony_seat, -score, tiles_used(play)),
        board=board,
        last_play=replace(last_play, withdrawn=True),
        scoreless_turns=1,
        turns_left=None,
    )


def _judge_bluff(result: AnalysisResult, lexicon: Lexicon) -> Bluff | None:
    made_play = result.made_play
    if made_play is None or not result.is_made_play_phony:
        return None
    simulated_plays = _simulate_equally(
        result.request.position, (*result.plays[:_COMPARED_PLAY_COUNT], made_play, _PASS), lexicon
    )
    outcomes = {simulated_play.play.play: simulated_play for simulated_play in simulated_plays}
    best = next((outcomes[play] for play in outcomes if play not in (made_play.play, _PASS.play)), None)
    if best is None:
        return None
    outcome_if_stays, outcome_if_off = outcomes[made_play.play], outcomes[_PASS.play]
    return Bluff(outcome_if_stays, outcome_if_off, best, _break_even(best, outcome_if_stays, outcome_if_off))


def estimate_lost_turn_value(position: Position, play: Play, lexicon: Lexicon) -> float | None:
    """Return the mean score of the turn after a play, which is what a failed challenge of the play costs under the double rule.

    Return None if the play cannot be simulated.
    """
    if not can_be_simulated(position):
        return None
    simulated_plays = _simulate_equally(position, (RatedPlay.of(play, 0, (), 0),), lexicon)
    return (
        simulated_plays[0].plies[1].score if simulated_plays and len(simulated_plays[0].plies) > 1 else None
    )


def _simulate_equally(
    position: Position, candidates: Sequence[RatedPlay], lexicon: Lexicon
) -> tuple[SimulatedPlay, ...]:
    """Simulate all plays equally often. Return an empty tuple if time ran out before each play had two iterations."""
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415 - as in analyze_position

    compile_engine("simulation")
    simulated_plays = simulate(
        position,
        tuple({candidate.play: candidate for candidate in candidates}.values()),
        lexicon.graph,
        lexicon.leaves,
        AnalysisOptions(seconds=MAX_SECONDS, iterations=ITERATIONS, confidence=None),
        threads=1,
    ).plays
    return simulated_plays if all(simulated_play.iterations > 1 for simulated_play in simulated_plays) else ()


def _relative_to(
    position: Position, simulated_play: SimulatedPlay, other_position: Position
) -> SimulatedPlay:
    """Return the play with its equity relative to the lead in ``position`` instead of ``other_position``."""
    return replace(simulated_play, equity=simulated_play.equity + _lead(other_position) - _lead(position))


def _break_even(
    safe_outcome: SimulatedPlay, better_outcome: SimulatedPlay, worse_outcome: SimulatedPlay
) -> float | None:
    """Return the minimum probability of ``better_outcome`` at which the risk pays, or None if the risk never pays."""
    values = [outcome.win for outcome in (safe_outcome, better_outcome, worse_outcome)]
    if min(values) >= 1 - _DECIDED_MARGIN or max(values) <= _DECIDED_MARGIN:
        values = [outcome.equity for outcome in (safe_outcome, better_outcome, worse_outcome)]
    safe_value, better_value, worse_value = values
    if better_value <= safe_value:
        return None
    return max(0.0, (safe_value - worse_value) / (better_value - worse_value))


def _lead(position: Position) -> int:
    scores = [player.score for player in position.players]
    return scores.pop(position.on_turn) - max(scores)


def _with_points(position: Position, seat: int, points: int, rack: tuple[int, ...] | None) -> Position:
    """Add points to a player's score. If ``rack`` is given, it becomes the player's rack.

    In this case, a position that ignores opponents' racks keeps only this rack and the rack of the player to move.
    """
    hides_racks = position.ignore_opponent_racks and rack is not None
    players = [
        replace(player, rack=()) if hides_racks and number != position.on_turn else player
        for number, player in enumerate(position.players)
    ]
    player = players[seat]
    players[seat] = replace(player, score=player.score + points, rack=player.rack if rack is None else rack)
    return replace(
        position,
        players=tuple(players),
        ignore_opponent_racks=position.ignore_opponent_racks and not hides_racks,
    )


def describe_challenge_and_bluff(result: AnalysisResult, translate: Translator) -> list[str]:
    position = result.request.position
    return [
        *([_describe_challenge(result.challenge, position, translate)] if result.challenge else []),
        *([_describe_bluff(result.bluff, position, translate)] if result.bluff else []),
    ]


def _describe_challenge(challenge: Challenge, position: Position, translate: Translator) -> str:
    values = {
        "words": ", ".join(escape(word, 30) for word in challenge.words[:_MAX_WORDS]),
        "points": challenge.best_if_off.equity - challenge.best_if_stays.equity,
        "error": math.hypot(challenge.best_if_off.equity_error, challenge.best_if_stays.equity_error),
    }
    pays = not challenge.rules or any(min_chance is not None for _, min_chance in challenge.rules)
    lines = [
        translate("⚖ **Challenge {words}**: worth {points:+.0f} ± {error:.0f} points.", **values)
        if pays
        else translate(
            "⚖ Don't challenge {words}: taking it off is worth {points:+.0f} ± {error:.0f} points.", **values
        ),
        translate(
            "If it's challenged off: {outcome}.",
            outcome=_describe_outcome(
                challenge.best_if_off, replace(position, board=challenge.board), translate
            ),
        ),
        translate(
            "If it stands: {outcome}.",
            outcome=_describe_outcome(challenge.best_if_stays, position, translate),
        ),
    ]
    if pays:
        lines += [_describe_rule(rule, min_chance, translate) for rule, min_chance in challenge.rules]
    return "\n".join(lines)


def _describe_outcome(outcome: SimulatedPlay, position: Position, translate: Translator) -> str:
    play = outcome.play
    return translate(
        "you win {percent:.0f} ± {error:.0f}% with {play}",
        percent=100 * outcome.win,
        error=max(1.0, 100 * outcome.win_error),
        play=f"{escape(describe_play(play.play, position, translate))} {translate.number(play.score, '+d')}",
    )


def _describe_rule(rule: str, min_chance: float | None, translate: Translator) -> str:
    if rule == "single":
        return translate("A failed challenge costs nothing.")
    costs = {
        "double": translate("A failed challenge costs you your turn"),
        "triple": translate("A failed challenge loses the game"),
    }
    cost = costs.get(rule) or translate(
        "A failed challenge costs {points} points", points=CHALLENGE_BONUSES.get(rule, 0)
    )
    if min_chance is None:
        return translate("{cost}: don't challenge.", cost=cost)
    return translate(
        "{cost}: challenge if you are at least {percent}% sure that it's a phony.",
        cost=cost,
        percent=max(1, math.ceil(100 * min_chance)),
    )


def _describe_bluff(bluff: Bluff, position: Position, translate: Translator) -> str:
    if position.rules.challenge_rule == "void":
        return translate("Under the void rule, it is rejected at once.")
    lines = (
        translate(
            "⚖ If it stands, it wins {stands:.0f} ± {stands_error:.0f}%; challenged off, {off:.0f} ± "
            "{off_error:.0f}%.",
            stands=100 * bluff.if_unchallenged.win,
            stands_error=max(1.0, 100 * bluff.if_unchallenged.win_error),
            off=100 * bluff.if_challenged_off.win,
            off_error=max(1.0, 100 * bluff.if_challenged_off.win_error),
        ),
        translate(
            "The best valid play: {outcome}.",
            outcome=_describe_outcome(bluff.best, position, translate),
        ),
        translate("It doesn't pay even if it stands.")
        if bluff.min_chance is None
        else translate(
            "It pays if it stands at least {percent}% of the time.",
            percent=math.ceil(100 * bluff.min_chance),
        ),
    )
    return "\n".join(lines)


def describe_failed_challenge(rule: str, lost_turn_value: float | None, translate: Translator) -> list[str]:
    if rule in CHALLENGE_BONUSES:
        return [translate("⚖ A failed challenge gives you {points} points.", points=CHALLENGE_BONUSES[rule])]
    if rule == "double" and lost_turn_value is not None:
        return [
            translate(
                "⚖ A failed challenge costs the opponent a turn: {points:.0f} points on average.",
                points=lost_turn_value,
            )
        ]
    if rule == "triple":
        return [translate("⚖ A failed challenge wins you the game.")]
    return []
