"""What a challenge is worth: of the phony that was just played, and of a phony that somebody thinks of playing.

Each outcome is simulated, all on the same draws. Whoever may challenge, and holds a play for a phony with the
probability p, wins p · off + (1 - p) · wrong by challenging it, where ``off`` is what the position is worth without the
play and ``wrong`` what it is worth after a challenge in vain; leaving it wins ``stays``. Both are equal at
p = (stays - wrong) / (off - wrong), from which on the challenge pays. In the same way a phony pays for its player when
it stands more often than (best - off) / (stands - off), with the best play that is none. That is the rule of expected
values; probabilities of winning decide, or points when the game is decided whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.crossword.game import board_before, tiles_used
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, Play
from bot.domain.crossword.position import LastPlay, Player, Position
from bot.domain.crossword.scoring import score_placement
from bot.engine.analysis import AnalysisError, AnalysisOptions, StoppedError
from bot.engine.plays.values import RatedPlay
from bot.features.analysis.crossword.request import (
    FINES,
    AnalysisResult,
    Bluff,
    Challenge,
    ChallengeRule,
    Outcome,
    can_be_simulated,
)

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon
    from bot.engine.simulation.result import SimulatedPlay

ITERATIONS = 128
"""Of each play that is simulated; two plies of eight plays take a fifth of a second."""
SECONDS = 2.0
"""How long one position is simulated at most; there are two or three."""
_COMPARED = 3
"""The plays by equity one of which is taken to be the best."""
_DECIDED = 0.005
"""How near to 0 and to 1 all probabilities of winning are when points decide."""


def with_challenge(result: AnalysisResult, lexicon: Lexicon) -> AnalysisResult:
    """Add what challenging is worth to a ranking by equity, where a word of a play is in doubt."""
    position = result.request.position
    if not can_be_simulated(position) or not position.players[position.on_turn].rack:
        return result
    # Plays can be ranked where nothing can be simulated, such as with more tiles on the board than the set has.
    with suppress(AnalysisError, StoppedError):
        challenge = _challenge(result, lexicon)
        bluff = _bluff(result, result.made, lexicon) if result.made_phony and result.made else None
        return replace(result, challenge=challenge, bluff=bluff)
    return result


def _challenge(result: AnalysisResult, lexicon: Lexicon) -> Challenge | None:
    """Judge a challenge of the play that was just made; None when there is nothing to challenge."""
    from bot.engine.analysis import stop_after  # noqa: PLC0415
    from bot.engine.plays.generate import plays  # noqa: PLC0415 - as in perform

    position, last = result.request.position, result.request.position.last_play
    if (
        last is None
        or not isinstance(last.play, Placement)
        or last.withdrawn
        or last.challenge_bonus is not None
    ):
        return None
    laid = {at for at, tile in zip(last.play.squares(), last.play.tiles, strict=True) if tile != THROUGH}
    words = tuple(phony.text for phony in result.phonies if laid & set(phony.squares))
    maker = (position.on_turn - 1) % len(position.players) if last.player is None else last.player
    if not 0 <= maker < len(position.players):
        return None
    without = _without_last(position, last, last.play, maker)
    if not words or without is None or maker == position.on_turn or position.rules.challenge_rule == "void":
        return None
    with stop_after(SECONDS) as stop:
        replies = plays(without, lexicon.graph, lexicon.leaves, top=_COMPARED, stop=stop)
    staying = _simulated(position, (*result.plays[:_COMPARED], _PASS), lexicon)
    off = _simulated(without, replies, lexicon)
    if not staying or not off:
        return None
    best = next((one for one in staying if not isinstance(one.play.play, Pass)), staying[0])
    passed = next(one for one in staying if isinstance(one.play.play, Pass))
    stays, removed = _outcome(best), _outcome(off[0], lead=_lead(without) - _lead(position))
    rules = []
    for rule in (position.rules.challenge_rule,) if position.rules.challenge_rule else ("double", "5pt"):
        wrong = _in_vain(rule, best, passed, lambda fine: _fined(position, maker, fine, best.play, lexicon))
        if wrong is not None:
            rules.append(ChallengeRule(rule, _break_even(stays, removed, wrong)))
    return Challenge(last.play, words, stays, best.play, removed, off[0].play, without, tuple(rules))


def _without_last(position: Position, last: LastPlay, play: Placement, maker: int) -> Position | None:
    """Return a position with the last play challenged off: its player holds the tiles and has lost the turn."""
    board = board_before(position.board, play)
    if board is None:
        return None
    score = score_placement(board, play, position.rules).score if last.score is None else last.score
    return replace(
        _with_score(position, maker, -score, tiles_used(play)),
        board=board,
        last_play=replace(last, withdrawn=True),
        scoreless_turns=1,
        turns_left=None,
    )


def _in_vain(
    rule: str, best: SimulatedPlay, passed: SimulatedPlay, fined: Callable[[int], Outcome | None]
) -> Outcome | None:
    """Return what a position is worth after a challenge in vain; None where that is not known."""
    if rule == "single":
        return _outcome(best)
    if rule == "double":
        return _outcome(passed)
    if rule == "triple":
        return replace(_outcome(best), win=0.0, win_error=0.0)
    return fined(FINES[rule]) if rule in FINES else None


def _fined(position: Position, maker: int, fine: int, play: RatedPlay, lexicon: Lexicon) -> Outcome | None:
    """Return what a play comes to where the player of the challenged word has won so many points."""
    fined = _with_score(position, maker, fine, None)
    found = _simulated(fined, (play,), lexicon)
    return _outcome(found[0], lead=_lead(fined) - _lead(position)) if found else None


def _bluff(result: AnalysisResult, made: RatedPlay, lexicon: Lexicon) -> Bluff | None:
    """Judge a phony of the player on turn: as it stands, and challenged off."""
    if isinstance(made.play, Exchange | Pass):
        return None
    position = result.request.position
    found = _simulated(position, (*result.plays[:_COMPARED], made, _PASS), lexicon)
    if not found:
        return None
    best = next((one for one in found if one.play.play not in (made.play, Pass())), None)
    of = {one.play.play: _outcome(one) for one in found}
    if best is None:
        return None
    valid, stands, off = _outcome(best), of[made.play], of[Pass()]
    return Bluff(stands, off, valid, best.play, _break_even(valid, stands, off))


_PASS = RatedPlay(Pass(), 0, (), 0)


def turn_worth(position: Position, play: Play, lexicon: Lexicon) -> float | None:
    """Return the points that the next player scores on average after a play, which is what losing a turn costs."""
    if not can_be_simulated(position):
        return None
    found = _simulated(position, (RatedPlay(play, 0, (), 0),), lexicon)
    return found[0].plies[1].score if found and len(found[0].plies) > 1 else None


def _simulated(
    position: Position, candidates: Sequence[RatedPlay], lexicon: Lexicon
) -> tuple[SimulatedPlay, ...]:
    """Simulate plays with as many iterations each, best first; nothing when time was too short."""
    from bot.engine.installed import compile_first  # noqa: PLC0415 - at the time of need
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415 - as in perform
    from bot.engine.simulation.win_chances import learnt_win_table  # noqa: PLC0415

    compile_first("simulation")
    distinct = {one.play: one for one in candidates}
    found = simulate(
        position,
        tuple(distinct.values()),
        lexicon.graph,
        lexicon.leaves,
        AnalysisOptions(seconds=SECONDS, iterations=ITERATIONS, confidence=None),
        table=learnt_win_table(),
        threads=1,
    ).plays
    return found if all(one.iterations > 1 for one in found) else ()


def _outcome(simulated: SimulatedPlay, *, lead: int = 0) -> Outcome:
    """Return what a play came to, from a position in which the lead is larger by ``lead`` points."""
    return Outcome(simulated.win, simulated.win_error, simulated.equity + lead, simulated.equity_error)


def _break_even(staying: Outcome, better: Outcome, worse: Outcome) -> float | None:
    """Return how likely the better outcome must be for staying to be no better than the risk; None when it never is."""
    wins = [outcome.win for outcome in (staying, better, worse)]
    if min(wins) >= 1 - _DECIDED or max(wins) <= _DECIDED:
        wins = [outcome.points for outcome in (staying, better, worse)]
    sure, good, bad = wins
    if good <= sure:
        return None
    return max(0.0, (sure - bad) / (good - bad))


def _lead(position: Position) -> int:
    """Return how far the player on turn is ahead of the best of the others."""
    own = position.players[position.on_turn].score
    return own - max(one.score for seat, one in enumerate(position.players) if seat != position.on_turn)


def _with_score(position: Position, seat: int, points: int, rack: tuple[int, ...] | None) -> Position:
    """Return a position in which a player has more points, and holds these tiles beside others; None for those there are."""
    hidden = position.opponent_rack_unknown and rack is not None
    players = [
        replace(player, rack=()) if hidden and number != position.on_turn else player
        for number, player in enumerate(position.players)
    ]
    one: Player = players[seat]
    players[seat] = replace(one, score=one.score + points, rack=one.rack if rack is None else rack)
    return replace(
        position, players=tuple(players), opponent_rack_unknown=position.opponent_rack_unknown and not hidden
    )
