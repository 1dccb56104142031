"""Ranks the plays in a crossword position by equity, by simulation or by solving the position."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import BLANK, EndScoring
from bot.domain.reading.problems import DomainError, ReadWarning, RuleError
from bot.engine.analysis import AnalysisError, StoppedError, measure_other_process, stop_after
from bot.engine.endgame.draws import MAX_BAG_COUNT
from bot.engine.installed import compile_engine, loaded_parts
from bot.engine.lexicon.lexica import Lexica, Lexicon, LexiconChoice
from bot.engine.plays.values import PlayCount, RatedPlay, SortKey, deduplicate, formed_words
from bot.engine.ucgi import ask
from bot.features.analysis.crossword.challenge import add_challenge_and_bluff
from bot.features.analysis.crossword.request import (
    MAX_PLAYS,
    MAX_SECONDS,
    AnalysisRequest,
    AnalysisResult,
    Compiling,
    Method,
    Phony,
    Progress,
)
from bot.jobs.queue import JobControl

_MAX_LISTED_PLAYS = 1000
"""Maximum length of the first list of plays, unless all plays are requested."""
_GROWTH_FACTOR = 8
"""Plays that differ only in which tile is the blank are listed once. If too few remain, the list grows by this factor."""
_MAX_LISTING_SECONDS = 5.0
"""Maximum time for listing plays by equity. Positions from real games take milliseconds."""
_BLANK_FACTOR = 3
"""If the rack has a blank, an endgame ranking has this many times as many plays, because some differ only in which tile is the blank."""


def analyze_position(
    request: AnalysisRequest,
    lexica: Lexica,
    control: JobControl[Progress],
    other_engine_command: tuple[str, ...] = (),
) -> AnalysisResult:
    """Analyze a position. This can take minutes: never call it on an event loop.

    If stopped, return the result so far. ``other_engine_command`` starts a second engine, whose best play is added to a simulation or
    solution.

    Raises:
        DomainError: no installed lexicon is in the position's language, or the position cannot be analyzed.

    """
    # Local imports, because processes that only pass on results do not need the compiled modules.
    from bot.engine.lexicon.leaves import NO_LEAVES  # noqa: PLC0415
    from bot.engine.lexicon.words import find_phonies  # noqa: PLC0415

    parts = _engine_parts(request)
    if not loaded_parts.issuperset(parts):
        compile_engine(*parts, progress=lambda share: control.report(Compiling(share)))
    position = request.position
    distribution = position.rules.distribution
    choice = choose_lexicon(request, lexica)
    lexicon = lexica.load(choice.lexicon, distribution)
    sort_key = SortKey.EQUITY
    if not distribution.has_known_bag:  # leaves cannot be valued, so plays are ranked by score
        sort_key, lexicon = SortKey.SCORE, replace(lexicon, leaves=NO_LEAVES, leaves_source="")
    best_plays, play_count = _list_plays(request, lexicon, sort_key)
    made_play = None if request.made_play is None else _rate_play(position, request.made_play, lexicon)
    missing_lexicon, position_lexicon = choice.missing_lexicon, position.rules.lexicon
    # The result reports that the position's lexicon isn't installed, even if another lexicon was requested.
    if not missing_lexicon and position_lexicon.strip():
        missing_lexicon = lexica.choose(position_lexicon, distribution, (), request.aliases).missing_lexicon
    result = AnalysisResult(
        request,
        lexicon.name,
        missing_lexicon,
        tuple(other.name for other in choice.available if other != choice.lexicon),
        lexicon.leaves_source,
        play_count.placements,
        play_count.exchanges,
        best_plays,
        made_play,
        tuple(
            Phony("".join(map(distribution.text, word.tiles)), word.squares())
            for word in find_phonies(position.board, lexicon.graph)
        ),
        is_made_play_phony=made_play is not None and is_phony(position, made_play.play, lexicon),
    )
    if result.phonies or result.is_made_play_phony:
        result = add_challenge_and_bluff(result, lexicon)
    if request.method is Method.EQUITY or control.must_stop:
        return result
    compare = _solve if request.method is Method.SOLUTION else _simulate
    return _add_second_opinion(compare(result, lexicon, control), other_engine_command, control)


def _list_plays(
    request: AnalysisRequest, lexicon: Lexicon, sort_key: SortKey
) -> tuple[tuple[RatedPlay, ...], PlayCount]:
    """Return the best plays together with ``request.extra_plays``, and the number of all plays."""
    from bot.engine.plays.generate import find_and_count_plays  # noqa: PLC0415 - as in analyze_position

    position, max_plays = request.position, request.options.plays
    with stop_after(_MAX_LISTING_SECONDS) as stop:
        find = partial(find_and_count_plays, position, lexicon.graph, lexicon.leaves, by=sort_key, stop=stop)
        try:
            ranking, play_count = find(top=max_plays and min(max_plays, _MAX_LISTED_PLAYS))
            listed_count, listed_plays = len(ranking), ranking[:]
            best_plays = listed_plays if max_plays is None else deduplicate(listed_plays)
            total_count = play_count.placements + play_count.exchanges + 1  # the pass
            while max_plays and len(best_plays) < max_plays and listed_count < total_count:
                listed_count = min(total_count, max(max_plays, listed_count * _GROWTH_FACTOR))
                best_plays = deduplicate(find(top=listed_count)[0])[:max_plays]
        except StoppedError:
            raise RuleError(
                "too-many-plays", "this position has too many possible plays to examine"
            ) from None
    further_plays = [
        rated_play
        for play in request.extra_plays
        if (rated_play := _rate_play(position, play, lexicon)) is not None
    ]
    if further_plays:
        best_plays = deduplicate(
            sorted((*best_plays, *further_plays), key=lambda rated_play: -rated_play.equity)
        )
    return best_plays, play_count


def _add_second_opinion(
    result: AnalysisResult, other_engine_command: tuple[str, ...], control: JobControl[Progress]
) -> AnalysisResult:
    if not other_engine_command or control.must_stop:
        return result
    try:
        with measure_other_process():
            opinion = ask(
                result.request.position,
                other_engine_command,
                seconds=result.request.options.seconds,
                cancelled=lambda: control.must_stop,
            )
    except StoppedError:
        return result
    except DomainError as error:
        return replace(result, no_opinion_reason=_as_warning(error))
    return replace(result, opinion=opinion)


def _as_warning(error: DomainError) -> ReadWarning:
    return ReadWarning(error.code, error.template, values=tuple(error.values.items()))


def choose_lexicon(request: AnalysisRequest, lexica: Lexica) -> LexiconChoice:
    """Choose the requested lexicon, the position's lexicon or a preferred lexicon.

    Raises:
        DomainError: no installed lexicon is in the position's language.

    """
    rules = request.position.rules
    return lexica.choose(
        request.lexicon or rules.lexicon, rules.distribution, request.preferred_lexica, request.aliases
    )


def _rate_play(position: Position, play: Play, lexicon: Lexicon) -> RatedPlay | None:
    """Rate a play, or return None if the rules or the rack do not allow it."""
    from bot.engine.plays.equity import rate  # noqa: PLC0415 - as in analyze_position

    try:
        return rate(position, play, lexicon.leaves)
    except RuleError:
        return None


def _simulate(result: AnalysisResult, lexicon: Lexicon, control: JobControl[Progress]) -> AnalysisResult:
    from bot.engine.simulation.inference import infer  # noqa: PLC0415 - as in analyze_position
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415

    request, options = result.request, result.request.options
    compile_engine("simulation", *(("inference",) if options.infer else ()))
    seconds = min(options.seconds, MAX_SECONDS)
    deadline = time.monotonic() + seconds
    opponent_leaves = (
        request.earlier_simulation.opponent_leaves if request.earlier_simulation is not None else ()
    )
    if options.infer and request.earlier_simulation is None:
        opponent_leaves = infer(
            request.position,
            lexicon.graph,
            lexicon.leaves,
            seconds=seconds / 4,
            seed=options.seed,
            cancelled=lambda: control.must_stop,
        ).leaves
        seconds = max(0.0, deadline - time.monotonic())
    candidates, made_play = result.plays[:MAX_PLAYS], result.made_play
    if (
        made_play
        and not result.is_made_play_phony
        and all(rated_play.play != made_play.play for rated_play in candidates)
    ):
        candidates = (*candidates[:-1], made_play)
    simulation = simulate(
        request.position,
        candidates,
        lexicon.graph,
        lexicon.leaves,
        replace(options, seconds=seconds),
        opponent_leaves=opponent_leaves,
        earlier=request.earlier_simulation,
        progress=control.report,
        cancelled=lambda: control.must_stop,
    )
    return replace(result, simulation=simulation, inferred_rack_count=len(opponent_leaves))


def _engine_parts(request: AnalysisRequest) -> tuple[str, ...]:
    """Return the parts of the engine to compile.

    If the rules give each player one more turn after the bag is empty, a solution needs no search.
    """
    return {
        Method.EQUITY: ("plays",),
        Method.SIMULATION: ("plays", "simulation", *(("inference",) if request.options.infer else ())),
        Method.SOLUTION: (
            "plays",
            "best" if request.position.rules.end_scoring is EndScoring.EQUAL_TURNS else "endgame",
        ),
    }[request.method]


def _solve(result: AnalysisResult, lexicon: Lexicon, control: JobControl[Progress]) -> AnalysisResult:
    """Search for a proof of the best play, or simulate a position that cannot be solved."""
    from bot.engine.endgame.pre_endgame import solve_pre_endgame  # noqa: PLC0415
    from bot.engine.endgame.solve import solve_endgame  # noqa: PLC0415 - as in analyze_position

    request, position = result.request, result.request.position
    seconds = min(request.options.seconds, MAX_SECONDS)
    try:
        if 1 <= position.bag_count <= MAX_BAG_COUNT:
            pre_endgame = solve_pre_endgame(
                position,
                lexicon.graph,
                seconds=seconds,
                progress=control.report,
                cancelled=lambda: control.must_stop,
            )
            return replace(result, pre_endgame=pre_endgame)
        has_blank = BLANK in position.players[position.on_turn].rack
        endgame = solve_endgame(
            position,
            lexicon.graph,
            seconds=seconds,
            top=(request.options.plays or MAX_PLAYS) * (_BLANK_FACTOR if has_blank else 1),
            progress=control.report,
            cancelled=lambda: control.must_stop,
        )
    except StoppedError:
        return result
    except AnalysisError as error:
        result = replace(result, unsolved_reason=_as_warning(error))
        try:
            return _simulate(result, lexicon, control)
        except AnalysisError:
            return result
    return replace(result, endgame=endgame)


def is_phony(position: Position, play: Play, lexicon: Lexicon) -> bool:
    return not all(valid for _, valid in formed_words(position.board, play, position.rules, lexicon.graph))
