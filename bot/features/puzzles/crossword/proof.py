"""Proves the answers to puzzles, and estimates their difficulty.

Each ``make`` function proves the answer, and returns the puzzle of one family for a position. It returns None if the position
does not meet the family's conditions, or if the proof takes too long. It raises AnalysisError if the position cannot be analyzed.
It uses only the position and the lexicon, so it can also check the puzzles in a file.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from bot.domain.crossword.game import is_bingo, tiles_used
from bot.domain.crossword.play import THROUGH, Placement
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import BLANK
from bot.domain.crossword.scoring import score_placement, words_made
from bot.engine.analysis import MILLIPOINTS, StoppedError
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.result import RankedPlay
from bot.engine.endgame.solve import solve_endgame
from bot.engine.installed import compile_engine
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay, SortKey, deduplicate
from bot.engine.simulation.paired import PairedSimulation
from bot.features.puzzles.crossword.document import (
    MAX_RATING,
    MIN_RATING,
    CrosswordPuzzle,
    PuzzleFamily,
    PuzzleTheme,
)
from bot.features.puzzles.crossword.words import any_vulgar
from bot.features.review.crossword.judging import (
    endgame_reasons,
    judge_endgame_play,
    judge_simulated_play,
    simulation_reasons,
)
from bot.features.review.crossword.values import JudgedPlay, Reason, ReasonKind

MIN_EQUITY_LEAD = 10_000
"""The answer's equity lead in a best-play puzzle is greater than this, in millipoints."""
_CANDIDATE_COUNT = 12
ITERATIONS = 1536
PLIES = 4
"""Turns to simulate after each candidate."""
MAX_STRATEGY_LEAD = 3_000
"""Maximum equity lead of the answer in a strategy puzzle, in millipoints."""
MIN_ENDGAME_LEAD = 4
"""Minimum lead of the answer in points, unless only one play wins."""
MAX_EQUAL_ANSWERS = 3
_MAX_RANKED_PLAYS = 10
_PLAYS_PER_CANDIDATE = 8
"""Number of plays to find per candidate. Plays that differ only in which tile is a blank count as one candidate."""
_ITERATIONS_PER_ROUND = 64
_DROP_STANDARD_ERRORS = 3.0
"""A play is dropped once it is behind by the required lead plus this many standard errors."""
_GIVE_UP_STANDARD_ERRORS = 1.0
"""The proof is abandoned once a lead is this many standard errors too small, because finding another puzzle is easier."""
ENDGAME_SECONDS = 8.0
"""CPU time limit for proving a puzzle that was read from a file."""
QUICK_ENDGAME_SECONDS = 2.0
"""CPU time limit per endgame while puzzles are made. Most endgames need less, and finding another endgame takes little time."""
PRE_ENDGAME_SECONDS = 60.0
"""CPU time limit. Solving a pre-endgame means solving an endgame for each tile that may be in the bag."""
_MAX_HIGH_SCORING_PLAYS = 48
"""Number of plays to list by score, enough for at least six distinct plays."""


def themes_of(position: Position, play: Placement, *, goes_out: bool = False) -> tuple[PuzzleTheme, ...]:
    scored_play, used_tiles = score_placement(position.board, play, position.rules), tiles_used(play)
    points = [position.rules.distribution.letters[tile].points for tile in used_tiles]
    themes = {
        PuzzleTheme.BINGO: is_bingo(play, position.rules.rack_size),
        PuzzleTheme.BLANK: BLANK in used_tiles,
        PuzzleTheme.POWER_TILE: max(points) >= 8,
        PuzzleTheme.THROUGH: THROUGH in play.tiles,
        PuzzleTheme.PARALLEL: len(scored_play.words) >= 3,
        PuzzleTheme.LONG: len(scored_play.word.tiles) >= 9,
        PuzzleTheme.SMALL: len(used_tiles) <= 3,
        PuzzleTheme.GOES_OUT: goes_out,
    }
    return tuple(theme for theme, applies in themes.items() if applies)


def difficulty(position: Position, play: Placement, lexicon: Lexicon, gap: float) -> int:
    """Return an estimated rating. The weights are guesses.

    ``gap`` is the answer's lead over the best other play. For an endgame, it is in points. For a simulated puzzle, it is in points of
    equity, and may be negative. For a pre-endgame, it is 40 times the lead in win share. For an only-bingo puzzle, it is 0.
    """
    scored_play = score_placement(position.board, play, position.rules)
    plays_by_score = find_plays(
        position, lexicon.graph, lexicon.leaves, top=_MAX_HIGH_SCORING_PLAYS, by=SortKey.SCORE
    )
    rating = (
        1000.0
        + 40 * (len(scored_play.word.tiles) - 5)
        + (80 if THROUGH in play.tiles else 0)
        + (120 if len(tiles_used(play)) < position.rules.rack_size else 0)
        + 80 * min(5, sum(other.score > scored_play.score for other in deduplicate(plays_by_score)))
        - 5 * min(gap, 40)
    )
    return round(min(MAX_RATING, max(MIN_RATING, rating)))


def make_simulated_puzzle(
    position: Position,
    lexicon: Lexicon,
    *,
    iterations: int = ITERATIONS,
    min_lead: float = 0.02,
    min_strategy_lead: float = 0.05,
    seed: int = 0,
) -> CrosswordPuzzle | None:
    """Make a *best play* or *strategy* puzzle, whose answer is proved by simulation.

    The answer and the second-best play are simulated ``iterations`` times. The answer's lead in win probability over every other
    play must be at least ``min_lead`` and at least two standard errors. If no play is far ahead by equity, ``min_strategy_lead``
    replaces ``min_lead``.
    """
    ranking = find_plays(position, lexicon.graph, lexicon.leaves, top=_PLAYS_PER_CANDIDATE * _CANDIDATE_COUNT)
    candidates = deduplicate(ranking)[:_CANDIDATE_COUNT]
    if len(candidates) < 2:
        return None
    has_clear_lead = candidates[0].equity - candidates[1].equity > MIN_EQUITY_LEAD
    simulation = PairedSimulation(position, candidates, lexicon.graph, lexicon.leaves, plies=PLIES, seed=seed)
    best_index = _find_winner(simulation, iterations, min_lead if has_clear_lead else min_strategy_lead)
    if best_index is None:
        return None
    answer = candidates[best_index]
    other_indices = [index for index in range(len(candidates)) if index != best_index]
    is_strategy = best_index != 0 or not has_clear_lead
    gap = answer.equity - candidates[other_indices[0]].equity
    if (
        not isinstance(answer.play, Placement)
        or (is_strategy and gap > MAX_STRATEGY_LEAD)
        or any_vulgar(words_made(position, answer.play))
    ):
        return None
    rival_indices = sorted(other_indices, key=lambda index: -simulation.result_of(index).win)
    # The solution of a strategy puzzle compares the answer with the other play that has the highest equity.
    other_index = other_indices[0] if is_strategy else rival_indices[0]
    return CrosswordPuzzle(
        PuzzleFamily.STRATEGY if is_strategy else PuzzleFamily.BEST_PLAY,
        lexicon.name,
        position,
        _equal_plays(answer, ranking),
        (),
        tuple(judge_simulated_play(simulation.result_of(index)) for index in (best_index, *rival_indices)),
        themes_of(position, answer.play),
        difficulty(position, answer.play, lexicon, gap / MILLIPOINTS) + (200 if is_strategy else 0),
        simulation_reasons(
            simulation.result_of(best_index),
            simulation.result_of(other_index),
            simulation.compare(best_index, other_index),
            lexicon.leaves,
        ),
        simulation.compare(best_index, rival_indices[0]).iterations,
    )


def _find_winner(simulation: PairedSimulation, iterations: int, min_lead: float) -> int | None:
    while simulation.iterations < iterations:
        simulation.run(_ITERATIONS_PER_ROUND, lambda: False)
        best_index, *other_indices = simulation.remaining_plays
        rivals_and_leads = [(index, simulation.compare(best_index, index).win) for index in other_indices]
        if any(lead.mean + _GIVE_UP_STANDARD_ERRORS * lead.error < min_lead for _, lead in rivals_and_leads):
            return None
        # Never drop the closest rival.
        rivals_and_leads.sort(key=lambda pair: pair[1].mean)
        for index, lead in rivals_and_leads[1:]:
            if lead.mean - _DROP_STANDARD_ERRORS * lead.error > min_lead:
                simulation.drop_play(index)
    best_index, *other_indices = simulation.remaining_plays
    for index in other_indices:
        lead = simulation.compare(best_index, index).win
        if lead.mean < max(min_lead, 2 * lead.error):
            return None
    return best_index


def _equal_plays(answer: RatedPlay, ranking: Sequence[RatedPlay]) -> tuple[Placement, ...]:
    return tuple(
        other.play
        for other in ranking
        if isinstance(other.play, Placement)
        and other.letters_key == answer.letters_key
        and other.equity == answer.equity
        and other.leave == answer.leave
    )


def make_only_bingo_puzzle(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    rack_size = position.rules.rack_size
    if len(position.players[0].rack) < rack_size:
        return None
    ranking = find_plays(position, lexicon.graph, lexicon.leaves, top=None)
    bingos = [rated_play for rated_play in ranking if is_bingo(rated_play.play, rack_size)]
    if len(deduplicate(bingos)) != 1 or any_vulgar(words_made(position, bingos[0].play)):
        return None
    answer = bingos[0]
    assert isinstance(answer.play, Placement)  # all bingos are placements
    return CrosswordPuzzle(
        PuzzleFamily.ONLY_BINGO,
        lexicon.name,
        position,
        tuple(bingo.play for bingo in bingos),
        (),
        (JudgedPlay(answer.play, answer.score, 0.0, answer.equity / MILLIPOINTS),),
        themes_of(position, answer.play),
        difficulty(position, answer.play, lexicon, 0.0) + 200,
    )


def _cpu_time_limit(seconds: float) -> Callable[[], bool]:
    """Return a function that returns whether ``seconds`` of CPU time have passed since this call.

    CPU time hardly depends on how busy the machine is.
    """
    compile_engine()  # the limit must not include the compilation
    start = time.process_time()
    return lambda: time.process_time() - start > seconds


def make_endgame_puzzle(
    position: Position, lexicon: Lexicon, *, seconds: float = ENDGAME_SECONDS
) -> CrosswordPuzzle | None:
    """Make a puzzle with an empty bag. ``seconds`` is the CPU time limit."""
    ranking = _ranked_endgame(position, lexicon, seconds)
    if len(ranking) < 2:
        return None
    best = ranking[0]
    equal_plays = [ranked_play for ranked_play in ranking if ranked_play.value == best.value]
    worse_plays = [ranked_play for ranked_play in ranking if ranked_play.value < best.value]
    if not worse_plays or len(equal_plays) > MAX_EQUAL_ANSWERS or not isinstance(best.play, Placement):
        return None
    score_lead = position.players[0].score - position.players[1].score
    is_only_win = score_lead + best.value > 0 >= score_lead + worse_plays[0].value
    if best.value - worse_plays[0].value < MIN_ENDGAME_LEAD and not (is_only_win and len(equal_plays) == 1):
        return None
    # A play that ends the game and has the highest score is too easy to find.
    goes_out = len(best.line) == 1
    is_too_easy = goes_out and best.score >= max(ranked_play.score for ranked_play in ranking)
    if is_too_easy or any_vulgar(
        word for ranked_play in equal_plays for word in words_made(position, ranked_play.play)
    ):
        return None
    themes = themes_of(position, best.play, goes_out=goes_out)
    return CrosswordPuzzle(
        PuzzleFamily.ENDGAME,
        lexicon.name,
        position,
        tuple(ranked_play.play for ranked_play in equal_plays),
        (),
        tuple(judge_endgame_play(ranked_play, score_lead) for ranked_play in ranking),
        (*themes, PuzzleTheme.ONLY_WIN) if is_only_win else themes,
        difficulty(position, best.play, lexicon, best.value - worse_plays[0].value) + 250,
        tuple(endgame_reasons(position, best, worse_plays[0])),
    )


def _ranked_endgame(position: Position, lexicon: Lexicon, seconds: float) -> tuple[RankedPlay, ...]:
    """Return the best plays if all their values are proved in time, otherwise an empty tuple."""
    is_out_of_time = _cpu_time_limit(seconds)
    try:
        solution = solve_endgame(
            position, lexicon.graph, seconds=math.inf, top=_MAX_RANKED_PLAYS, cancelled=is_out_of_time
        )
    except StoppedError:
        return ()
    # If the time ran out, plays that are nearly as good as the best play may be missing.
    is_proved = (
        solution.exact and all(ranked_play.exact for ranked_play in solution.ranking) and not is_out_of_time()
    )
    return solution.ranking if is_proved else ()


def make_pre_endgame_puzzle(position: Position, lexicon: Lexicon) -> CrosswordPuzzle | None:
    """Make a puzzle with one tile in the bag. Its answer wins with more draws than any other play."""
    try:
        solution = solve_pre_endgame(
            position,
            lexicon.graph,
            seconds=math.inf,
            threads=1,
            cancelled=_cpu_time_limit(PRE_ENDGAME_SECONDS),
        )
    except StoppedError:
        return None
    if not solution.has_only_one_best or len(solution.plays) < 2:
        return None
    best, second_best = solution.plays[0], solution.plays[1]
    if (
        best.undecided_weight
        or not isinstance(best.play, Placement)
        or any_vulgar(words_made(position, best.play))
    ):
        return None
    reason = Reason(
        ReasonKind.DRAWS,
        best.win_share * solution.total_weight,
        second_best.win_share * solution.total_weight,
        draw_count=solution.total_weight,
    )
    themes = themes_of(position, best.play)
    return CrosswordPuzzle(
        PuzzleFamily.PRE_ENDGAME,
        lexicon.name,
        position,
        (best.play,),
        (),
        tuple(
            JudgedPlay(ranked_play.play, ranked_play.score, ranked_play.win_share, ranked_play.gain)
            for ranked_play in solution.plays[:_MAX_RANKED_PLAYS]
        ),
        (*themes, PuzzleTheme.ONLY_WIN) if second_best.bounds[1] == 0 else themes,
        difficulty(position, best.play, lexicon, 40 * (best.win_share - second_best.win_share)) + 350,
        (reason,),
    )
