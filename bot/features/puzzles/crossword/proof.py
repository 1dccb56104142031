"""Proves that a position is a puzzle of a family, and which answers are correct.

Each ``prove`` function takes a position. It returns the puzzle, or None if the position does not meet the conditions of the
family. The functions use only the position, so they can also check the puzzles in a file.
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

MIN_STATIC_LEAD = 10_000
"""The answer of a best-play puzzle leads the next play by more than this equity, in millipoints, without a simulation."""
CANDIDATES = 12
"""Number of best plays by equity that are simulated."""
PLIES = 4
"""Number of turns that a simulation plays after each candidate."""
MAX_STRATEGY_LEAD = 3_000
"""Maximum lead by equity, in millipoints, that the answer of a strategy puzzle may have without a simulation."""
ENDGAME_LEAD = 4
"""Minimum lead of the best play over the next play in an endgame, in points, unless only the best play wins."""
MAX_EQUAL = 3
"""Maximum number of equally good plays that a puzzle may have as answers."""
_MAX_RANKED = 10
"""Maximum number of plays in the ranking of a solved position."""
_PLAYS_PER_CANDIDATE = 8
"""Number of plays generated for each candidate. More than one is needed, because some plays differ only in which tile is a
blank."""
_ITERATIONS_PER_ROUND = 64
_LEAVE_OUT_ERRORS = 3.0
"""A play is left out of the simulation once the lead of the best play over it exceeds the required lead by this many standard
errors."""
_GIVE_UP_ERRORS = 1.0
"""The proof is given up once the lead over a play is this many standard errors below the required lead. Finding another puzzle
is easier than proving a doubtful one."""
SOLVE_SECONDS = 8.0
"""Maximum CPU time for solving an endgame, in seconds. If it takes longer, the proof fails."""
TRY_SECONDS = 2.0
"""The same maximum while puzzles are made. It is enough for most endgames, and another endgame is soon found."""
PRE_ENDGAME_SECONDS = 60.0
"""Maximum CPU time for solving a pre-endgame, in seconds. It is longer, because each possible tile in the bag means a separate
endgame."""


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

    The answer and the second-best play are simulated ``iterations`` times. The win probability of the answer must exceed that of
    every other play by two standard errors and, in addition, by ``lead`` (in a strategy puzzle, by ``strategy_lead``).

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    ranking = plays(position, lexicon.graph, lexicon.leaves, top=_PLAYS_PER_CANDIDATE * CANDIDATES)
    candidates = distinct(ranking)[:CANDIDATES]
    if len(candidates) < 2:
        return None
    is_clear = candidates[0].equity - candidates[1].equity > MIN_STATIC_LEAD
    graph, leaves, table = lexicon.graph, lexicon.leaves, learnt_win_table()
    simulation = PairedSimulation(position, candidates, graph, leaves, plies=PLIES, table=table, seed=seed)
    best = _find_winner(simulation, iterations, lead if is_clear else strategy_lead)
    if best is None:
        return None
    answer = candidates[best]
    others = [number for number in range(len(candidates)) if number != best]
    is_strategy = best != 0 or not is_clear
    gap = answer.equity - candidates[others[0]].equity
    if (
        not isinstance(answer.play, Placement)
        or (is_strategy and gap > MAX_STRATEGY_LEAD)
        or any_coarse(words_made(position, answer.play))
    ):
        return None
    rivals = sorted(others, key=lambda number: -simulation.play(number).win)
    # The solution of a strategy puzzle compares the answer with the other play that looks best by equity.
    other = others[0] if is_strategy else rivals[0]
    return CrosswordPuzzle(
        Family.STRATEGY if is_strategy else Family.BEST_PLAY,
        lexicon.name,
        position,
        _equal_plays(answer, ranking),
        (),
        tuple(_contender(simulation.play(number)) for number in (best, *rivals)),
        themes_of(position, answer.play),
        difficulty(position, answer.play, lexicon, gap / MILLIPOINTS) + (200 if is_strategy else 0),
        reasons(
            simulation.play(best), simulation.play(other), simulation.paired(best, other), lexicon.leaves
        ),
        simulation.paired(best, rivals[0]).iterations,
    )


def _contender(play: SimulatedPlay) -> Contender:
    return Contender(play.play.play, play.play.score, play.win, play.equity)


def _find_winner(simulation: PairedSimulation, iterations: int, min_lead: float) -> int | None:
    """Return the index of the play that leads all others by ``min_lead``; return None early if it is clear that no play does."""
    while simulation.iterations < iterations:
        simulation.run(_ITERATIONS_PER_ROUND, lambda: False)
        best, *others = simulation.live
        rivals = [(number, simulation.paired(best, number).win) for number in others]
        if any(lead.mean + _GIVE_UP_ERRORS * lead.error < min_lead for _, lead in rivals):
            return None
        # Plays that are far behind get no more iterations. The nearest rival is simulated until the end.
        rivals.sort(key=lambda rival: rival[1].mean)
        for number, lead in rivals[1:]:
            if lead.mean - _LEAVE_OUT_ERRORS * lead.error > min_lead:
                simulation.leave_out(number)
    best, *others = simulation.live
    for number in others:
        lead = simulation.paired(best, number).win
        if lead.mean < max(min_lead, 2 * lead.error):
            return None
    return best


def _equal_plays(answer: RatedPlay, ranking: Sequence[RatedPlay]) -> tuple[Placement, ...]:
    """Return the answer and all plays with the same letters on the same squares, the same equity and the same leave."""
    letters = letters_of(answer.play)
    equal = [
        other.play
        for other in ranking
        if letters_of(other.play) == letters and other.equity == answer.equity and other.leave == answer.leave
    ]
    return tuple(play for play in equal if isinstance(play, Placement))


def prove_only_bingo(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Prove that exactly one play is a bingo, by examining every play.

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
    assert isinstance(answer.play, Placement)  # all bingos are placements
    answers = tuple(bingo.play for bingo in bingos)
    contenders = (Contender(answer.play, answer.score, 0.0, answer.equity / MILLIPOINTS),)
    rating = difficulty(position, answer.play, lexicon, 0.0) + 200
    return CrosswordPuzzle(
        Family.ONLY_BINGO,
        lexicon.name,
        position,
        answers,
        (),
        contenders,
        themes_of(position, answer.play),
        rating,
    )


def _cpu_time_limit(seconds: float) -> Callable[[], bool]:
    """Return a function that returns whether a number of CPU seconds has been used since now.

    Unlike elapsed time, CPU time does not depend on the load of the machine.
    """
    compile_first()
    start = time.process_time()
    return lambda: time.process_time() - start > seconds


def prove_endgame(
    position: Position, lexicon: Lexicon, *, seconds: float = SOLVE_SECONDS
) -> CrosswordPuzzle | None:
    """Prove a puzzle with an empty bag: the answer leads the next play by :data:`ENDGAME_LEAD` points, or is the only play that wins.

    ``seconds`` is the CPU time for solving the position.

    Raises:
        AnalysisError: the position cannot be analyzed.

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
    # A play is too easy to find if it goes out and has the highest score.
    goes_out = len(best.line) == 1
    is_too_easy = goes_out and best.score >= max(ranked.score for ranked in ranking)
    if is_too_easy or any_coarse(word for ranked in equal for word in words_made(position, ranked.play)):
        return None
    themes = themes_of(position, best.play, goes_out=goes_out)
    contenders = tuple(
        Contender(ranked.play, ranked.score, outcome(lead + ranked.value), float(ranked.value))
        for ranked in ranking
    )
    return CrosswordPuzzle(
        Family.ENDGAME,
        lexicon.name,
        position,
        tuple(ranked.play for ranked in equal),
        (),
        contenders,
        (*themes, Theme.ONLY_WIN) if only_win else themes,
        difficulty(position, best.play, lexicon, best.value - behind[0].value) + 250,
        _endgame_why(best, behind[0], lead),
    )


def _ranked_endgame(position: Position, lexicon: Lexicon, seconds: float) -> tuple[RankedPlay, ...]:
    """Return the best plays with their proved values; return no plays if the time was not enough to prove all of them."""
    is_out_of_time = _cpu_time_limit(seconds)
    try:
        solution = solve_endgame(
            position, lexicon.graph, seconds=None, top=_MAX_RANKED, cancelled=is_out_of_time
        )
    except StoppedError:
        return ()
    # If the time ran out while the plays were ranked, plays that are nearly as good as the best may be missing.
    is_proved = solution.exact and all(ranked.exact for ranked in solution.ranking) and not is_out_of_time()
    return solution.ranking if is_proved else ()


def _endgame_why(best: RankedPlay, other: RankedPlay, lead: int) -> tuple[Why, ...]:
    outcomes = outcome(lead + best.value), outcome(lead + other.value)
    reasons_found = [Why(WhyKind.OUTCOME, *outcomes)] if outcomes[0] != outcomes[1] else []
    reasons_found.append(Why(WhyKind.SPREAD, best.value, other.value))
    if len(best.line) == 1 != len(other.line):
        reasons_found.append(Why(WhyKind.OUT, 1, 0))
    return tuple(reasons_found)


def prove_pre_endgame(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Prove a puzzle with one tile in the bag: the answer wins with more of the possible draws than every other play.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    try:
        solution = solve_pre_endgame(
            position, lexicon.graph, seconds=None, threads=1, cancelled=_cpu_time_limit(PRE_ENDGAME_SECONDS)
        )
    except StoppedError:
        return None
    if not solution.alone or len(solution.plays) < 2:
        return None
    best, other = solution.plays[0], solution.plays[1]
    if best.undecided or not isinstance(best.play, Placement) or any_coarse(words_made(position, best.play)):
        return None
    contenders = tuple(
        Contender(ranked.play, ranked.score, ranked.points, ranked.gain)
        for ranked in solution.plays[:_MAX_RANKED]
    )
    why = Why(WhyKind.DRAWS, best.points * solution.draws, other.points * solution.draws, of=solution.draws)
    themes = themes_of(position, best.play)
    return CrosswordPuzzle(
        Family.PRE_ENDGAME,
        lexicon.name,
        position,
        (best.play,),
        (),
        contenders,
        (*themes, Theme.ONLY_WIN) if other.bounds[1] == 0 else themes,
        difficulty(position, best.play, lexicon, 40 * (best.points - other.points)) + 350,
        (why,),
    )
