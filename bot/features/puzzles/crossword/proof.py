"""Finds out whether a position is a puzzle of a family, and proves its answer from scratch.

Each function takes a position and returns the puzzle, or None when the family's conditions do not hold. Results of
earlier proofs are not used, so the same functions check puzzles that are read from files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Placement
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import words_made
from bot.engine.analysis import MILLIPOINTS, StoppedError
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.result import RankedPlay
from bot.engine.endgame.solve import solve_endgame
from bot.engine.installed import compile_first
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.generate import plays
from bot.engine.plays.values import RatedPlay, distinct, letters_of
from bot.engine.simulation.paired import PairedSimulation
from bot.engine.simulation.result import SimulatedPlay
from bot.engine.simulation.win_chances import learnt_win_table
from bot.features.puzzles.crossword.document import Contender, CrosswordPuzzle, Family, Theme
from bot.features.puzzles.crossword.words import any_coarse, difficulty, themes_of
from bot.features.review.crossword.judging import outcome, reasons
from bot.features.review.crossword.values import Why, WhyKind

STATIC_LEAD = 10_000
"""The lead by equity, in millipoints, that the best play must exceed."""
CANDIDATES = 12
PLIES = 4
STRATEGY_STATIC = 3_000
"""Maximum lead by equity of the answer to a strategy puzzle, in millipoints."""
ENDGAME_LEAD = 4
"""Minimum lead of the best play of an endgame, in points."""
MAX_EQUAL = 3
"""Maximum number of plays that may be equally good for a puzzle to have an answer."""
_RANKED_PLAYS = 10
_PLAYS_PER_CANDIDATE = 8
"""Number of plays examined for each candidate, since some differ only in the blank."""
_ITERATIONS_PER_ROUND = 64
_SURE_ERRORS = 3.0
"""Number of standard errors behind the best at which a rival gets no more iterations."""
_HOPELESS_ERRORS = 1.0
"""Number of standard errors at which a puzzle is given up: finding another is easier than proving a doubtful
puzzle."""
SOLVE_SECONDS = 8.0
"""Maximum CPU seconds for solving a position. Positions that take longer are not proved."""
TRY_SECONDS = 2.0
"""Time limit of a proof while puzzles are made: most endgames are solved by then, and another is soon found."""
PRE_ENDGAME_SECONDS = 60.0
"""Time limit of a proof with a tile in the bag, because each possible tile is a separate endgame."""


def prove_simulated(
    position: Position,
    lexicon: Lexicon,
    *,
    iterations: int = 1536,
    lead: float = 0.02,
    strategy_lead: float = 0.05,
    seed: int = 0,
) -> CrosswordPuzzle | None:
    """Prove a puzzle of the families *best play* and *strategy*.

    The answer and the second-best play are simulated ``iterations`` times. The answer's chance to win must exceed that of
    every other play by ``lead``, in a strategy puzzle by ``strategy_lead``, and by two standard errors.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    ranking = plays(position, lexicon.graph, lexicon.leaves, top=_PLAYS_PER_CANDIDATE * CANDIDATES)
    candidates = distinct(ranking)[:CANDIDATES]
    if len(candidates) < 2:
        return None
    clear = candidates[0].equity - candidates[1].equity > STATIC_LEAD
    graph, leaves, table = lexicon.graph, lexicon.leaves, learnt_win_table()
    simulation = PairedSimulation(position, candidates, graph, leaves, plies=PLIES, table=table, seed=seed)
    best = _simulate(simulation, iterations, lead if clear else strategy_lead)
    if best is None:
        return None
    answer = candidates[best]
    others = [number for number in range(len(candidates)) if number != best]
    strategic = best != 0 or not clear
    gap = answer.equity - candidates[others[0]].equity
    if (
        not isinstance(answer.play, Placement)
        or (strategic and gap > STRATEGY_STATIC)
        or any_coarse(words_made(position, answer.play))
    ):
        return None
    rivals = sorted(others, key=lambda number: -simulation.play(number).win)
    # A strategy puzzle is explained against what equity would have played.
    other = others[0] if strategic else rivals[0]
    return CrosswordPuzzle(
        Family.STRATEGY if strategic else Family.BEST_PLAY,
        lexicon.name,
        position,
        _same_value(answer, ranking),
        (),
        tuple(_contender(simulation.play(number)) for number in (best, *rivals)),
        themes_of(position, answer.play),
        difficulty(position, answer.play, lexicon, gap / MILLIPOINTS) + (200 if strategic else 0),
        reasons(
            simulation.play(best), simulation.play(other), simulation.paired(best, other), lexicon.leaves
        ),
        simulation.paired(best, rivals[0]).iterations,
    )


def _contender(play: SimulatedPlay) -> Contender:
    return Contender(play.play.play, play.play.score, play.win, play.equity)


def _simulate(simulation: PairedSimulation, iterations: int, needed: float) -> int | None:
    """Return the number of the play that is ahead of all others by enough; None as soon as it is clear that none is."""
    while simulation.iterations < iterations:
        simulation.run(_ITERATIONS_PER_ROUND, lambda: False)
        best, *others = simulation.live
        rivals = [(number, simulation.paired(best, number).win) for number in others]
        if any(lead.mean + _HOPELESS_ERRORS * lead.error < needed for _, lead in rivals):
            return None
        # Those far behind get no more time, but the nearest stays to the end.
        rivals.sort(key=lambda rival: rival[1].mean)
        for number, lead in rivals[1:]:
            if lead.mean - _SURE_ERRORS * lead.error > needed:
                simulation.leave_out(number)
    best, *others = simulation.live
    for number in others:
        lead = simulation.paired(best, number).win
        if lead.mean < max(needed, 2 * lead.error):
            return None
    return best


def _same_value(answer: RatedPlay, ranking: Sequence[RatedPlay]) -> tuple[Placement, ...]:
    """Return the answer with the plays of the same letters that are worth as much."""
    wanted = letters_of(answer.play)
    same = [
        other.play
        for other in ranking
        if letters_of(other.play) == wanted and other.equity == answer.equity and other.leave == answer.leave
    ]
    return tuple(play for play in same if isinstance(play, Placement))


def prove_only_bingo(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Prove that there is exactly one bingo, by examining every play.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    size = position.rules.rack_size
    if len(position.players[0].rack) < size:
        return None
    ranking = plays(position, lexicon.graph, lexicon.leaves, top=None)
    bingos = [
        rated
        for rated in ranking
        if isinstance(rated.play, Placement) and len(tiles_used(rated.play)) == size
    ]
    if len(distinct(bingos)) != 1 or any_coarse(words_made(position, bingos[0].play)):
        return None
    answer = bingos[0]
    assert isinstance(answer.play, Placement)  # as all bingos are
    answers = tuple(bingo.play for bingo in bingos)
    table = (Contender(answer.play, answer.score, 0.0, answer.equity / MILLIPOINTS),)
    rating = difficulty(position, answer.play, lexicon, 0.0) + 200
    return CrosswordPuzzle(
        Family.ONLY_BINGO,
        lexicon.name,
        position,
        answers,
        (),
        table,
        themes_of(position, answer.play),
        rating,
    )


def _until_tired(seconds: float) -> Callable[[], bool]:
    """Return a function that reports whether a solution has used up its CPU time, however busy the machine is."""
    compile_first()
    begun = time.process_time()
    return lambda: time.process_time() - begun > seconds


def prove_endgame(
    position: Position, lexicon: Lexicon, *, seconds: float = SOLVE_SECONDS
) -> CrosswordPuzzle | None:
    """Prove a puzzle with an empty bag: one best play, ahead by some points, or the only winning play.

    ``seconds`` is the CPU time for its solution.

    Raises:
        AnalysisError: it cannot be solved.

    """
    ranking = _ranked_endgame(position, lexicon, seconds)
    if len(ranking) < 2:
        return None
    best = ranking[0]
    equal = [ranked for ranked in ranking if ranked.value == best.value]
    behind = [ranked for ranked in ranking if ranked.value < best.value]
    if not behind or len(equal) > MAX_EQUAL or not isinstance(best.play, Placement):
        return None
    lead = position.players[0].score - position.players[1].score
    only_win = lead + best.value > 0 >= lead + behind[0].value
    if best.value - behind[0].value < ENDGAME_LEAD and not (only_win and len(equal) == 1):
        return None
    # A play that goes out with the highest score is too easy to find.
    plain = len(best.line) == 1 and best.score >= max(ranked.score for ranked in ranking)
    if plain or any_coarse(word for ranked in equal for word in words_made(position, ranked.play)):
        return None
    goes_out = len(best.line) == 1
    themes = themes_of(position, best.play, goes_out=goes_out)
    table = tuple(
        Contender(ranked.play, ranked.score, outcome(lead + ranked.value), float(ranked.value))
        for ranked in ranking
    )
    return CrosswordPuzzle(
        Family.ENDGAME,
        lexicon.name,
        position,
        tuple(ranked.play for ranked in equal),
        (),
        table,
        (*themes, Theme.ONLY_WIN) if only_win else themes,
        difficulty(position, best.play, lexicon, best.value - behind[0].value) + 250,
        _endgame_why(best, behind[0], lead),
    )


def _ranked_endgame(position: Position, lexicon: Lexicon, seconds: float) -> tuple[RankedPlay, ...]:
    """Return the best plays with their proved values, or an empty sequence if time was short."""
    is_tired = _until_tired(seconds)
    try:
        found = solve_endgame(position, lexicon.graph, seconds=None, ranked=_RANKED_PLAYS, cancelled=is_tired)
    except StoppedError:
        return ()
    # Cut short, it lacks plays that may be nearly as good as the best.
    proved = found.exact and all(ranked.exact for ranked in found.ranking) and not is_tired()
    return found.ranking if proved else ()


def _endgame_why(best: RankedPlay, other: RankedPlay, lead: int) -> tuple[Why, ...]:
    outcomes = outcome(lead + best.value), outcome(lead + other.value)
    found = [Why(WhyKind.OUTCOME, *outcomes)] if outcomes[0] != outcomes[1] else []
    found.append(Why(WhyKind.SPREAD, best.value, other.value))
    if len(best.line) == 1 != len(other.line):
        found.append(Why(WhyKind.OUT, 1, 0))
    return tuple(found)


def prove_pre_endgame(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Prove a puzzle with one tile in the bag: one play wins with more draws than every other.

    Raises:
        AnalysisError: it cannot be solved.

    """
    try:
        found = solve_pre_endgame(
            position, lexicon.graph, seconds=None, threads=1, cancelled=_until_tired(PRE_ENDGAME_SECONDS)
        )
    except StoppedError:
        return None
    if not found.alone or len(found.plays) < 2:
        return None
    best, other = found.plays[0], found.plays[1]
    if best.undecided or not isinstance(best.play, Placement) or any_coarse(words_made(position, best.play)):
        return None
    table = tuple(
        Contender(ranked.play, ranked.score, ranked.points, ranked.gain)
        for ranked in found.plays[:_RANKED_PLAYS]
    )
    why = Why(WhyKind.DRAWS, best.points * found.draws, other.points * found.draws, of=found.draws)
    themes = themes_of(position, best.play)
    return CrosswordPuzzle(
        Family.PRE_ENDGAME,
        lexicon.name,
        position,
        (best.play,),
        (),
        table,
        (*themes, Theme.ONLY_WIN) if other.bounds[1] == 0 else themes,
        difficulty(position, best.play, lexicon, 40 * (best.points - other.points)) + 350,
        (why,),
    )
