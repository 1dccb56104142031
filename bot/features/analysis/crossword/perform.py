"""The analysis of one crossword position as a job: ranking, simulating, solving."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import BLANK
from bot.domain.reading.problems import DomainError, ReadWarning, RuleError
from bot.engine.analysis import AnalysisError
from bot.engine.analysis import StoppedError as OutOfTimeError
from bot.engine.endgame.draws import MAX_IN_BAG
from bot.engine.installed import compile_first
from bot.engine.plays.values import By, RatedPlay, distinct
from bot.features.analysis.crossword.challenge_worth import with_challenge
from bot.features.analysis.crossword.request import (
    MAX_PLAYS,
    MAX_SECONDS,
    AnalysisRequest,
    AnalysisResult,
    Method,
    Phony,
    Progress,
)
from bot.jobs.queue import Control

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Chosen, Lexica, Lexicon

_MANY = 1000
"""The most plays that there is room for from the start, unless all are wanted."""


_MORE = 8
"""The factor by which more plays are looked for when too many differ only in which tile is the blank."""


STATIC_SECONDS = 5.0
"""How long listing plays by equity takes at most; a position that people play takes milliseconds."""


def perform(
    request: AnalysisRequest, lexica: Lexica, control: Control[Progress], engine: tuple[str, ...] = ()
) -> AnalysisResult:
    """Analyze a position. This can take minutes: never call it on an event loop.

    A job that is stopped returns what it has. What takes long also asks ``engine``, the program of another engine with
    its arguments, where there is one.

    Raises:
        DomainError: the lexicon is not installed, or the position cannot be analyzed.

    """
    # Compiled modules are imported where they are used: processes that only pass results on need none of them.
    from bot.engine.analysis import stop_after  # noqa: PLC0415
    from bot.engine.lexicon.leaves import NO_LEAVES  # noqa: PLC0415
    from bot.engine.plays.generate import list_and_count  # noqa: PLC0415

    position = request.position
    chosen = lexicon_for(request, lexica)
    lexicon = lexica.load(chosen.lexicon, position.rules.distribution)
    by = By.EQUITY
    if not position.rules.has_known_bag:  # no leave is worth anything that is known
        by, lexicon = By.SCORE, replace(lexicon, leaves=NO_LEAVES, leaves_of="")
    compile_first("plays")
    with stop_after(STATIC_SECONDS) as stop:
        find = partial(list_and_count, position, lexicon.graph, lexicon.leaves, by=by, stop=stop)
        try:
            found, count = find(top=_first(request))
            best = _best(
                tuple(found),
                lambda top: tuple(find(top=top)[0]),
                request.options.plays,
                count.placements + count.exchanges + 1,
            )
        except OutOfTimeError:
            raise RuleError(
                "too-many-plays", "this position has too many plays to look at all of them"
            ) from None
    made = _rated(request, request.made, lexicon)
    result = AnalysisResult(
        request,
        lexicon.name,
        _missing(request, chosen, lexica),
        tuple(known.name for known in lexica.fitting(position.rules.distribution) if known != chosen.lexicon),
        lexicon.leaves_of,
        count.placements,
        count.exchanges,
        _with_further(best, request, lexicon),
        made,
        phonies_on(position, lexicon),
        made_phony=made is not None and is_phony(position, made.play, lexicon),
    )
    result = with_challenge(result, lexicon)
    if request.method is Method.EQUITY or control.is_stopped:
        return result
    work = solve if request.method is Method.SOLUTION else simulated
    return _with_opinion(work(result, lexicon, control), engine, control)


def _with_opinion(
    result: AnalysisResult, engine: tuple[str, ...], control: Control[Progress]
) -> AnalysisResult:
    """Ask the other engine, if there is one; what it cannot say is told, and nothing else depends on it."""
    if not engine or control.is_stopped:
        return result
    from bot.engine.analysis import count_seconds  # noqa: PLC0415 - as in perform
    from bot.engine.ucgi import ask  # noqa: PLC0415

    request = result.request
    begun = time.monotonic()
    try:
        opinion = ask(
            request.position,
            engine,
            seconds=request.options.seconds,
            cancelled=lambda: control.is_stopped,
        )
    except OutOfTimeError:
        return result
    except DomainError as error:
        why = ReadWarning(error.code, error.template, values=tuple(error.values.items()))
        return replace(result, unheard=why)
    finally:
        count_seconds(time.monotonic() - begun)
    return replace(result, opinion=opinion)


def _first(request: AnalysisRequest) -> int | None:
    """Return how many plays are listed before it is known how many there are."""
    wanted = request.options.plays
    return wanted and min(wanted, _MANY)


def _best(
    first: tuple[RatedPlay, ...],
    find: Callable[[int], tuple[RatedPlay, ...]],
    wanted: int | None,
    total: int,
) -> tuple[RatedPlay, ...]:
    """Return the ``wanted`` best plays, only the best of those that differ merely in which tile is the blank.

    ``first`` are the best of all, or all if ``wanted`` is None.
    """
    if wanted is None:
        return first
    looked = len(first)
    found = distinct(first)
    while len(found) < wanted and looked < total:
        looked = max(wanted, looked * _MORE)
        found = distinct(find(min(looked, total)))[:wanted]
    return found


def lexicon_for(request: AnalysisRequest, lexica: Lexica) -> Chosen:
    """Return the lexicon of a request: the requested one, else the position's, else a preferred one.

    Raises:
        DomainError: none has the position's language.

    """
    rules = request.position.rules
    named = request.lexicon or rules.lexicon
    return lexica.choose(named, rules.distribution, request.preferred, request.aliases)


def _missing(request: AnalysisRequest, chosen: Chosen, lexica: Lexica) -> str:
    """Return which lexicon is missed: that of the position stays so where another was asked for instead."""
    rules = request.position.rules
    if chosen.missing or not rules.lexicon.strip():
        return chosen.missing
    return lexica.choose(rules.lexicon, rules.distribution, (), request.aliases).missing


def _rated(request: AnalysisRequest, play: Play | None, lexicon: Lexicon) -> RatedPlay | None:
    """Rate a play; None when there is none, or the known rack does not allow it."""
    from bot.engine.plays.equity import rate  # noqa: PLC0415 - as in perform

    if play is None:
        return None
    try:
        return rate(request.position, play, lexicon.leaves)
    except RuleError:
        return None


def _with_further(
    best: tuple[RatedPlay, ...], request: AnalysisRequest, lexicon: Lexicon
) -> tuple[RatedPlay, ...]:
    """Return plays with those that are to be compared with them, best first."""
    further = [rated for play in request.further if (rated := _rated(request, play, lexicon)) is not None]
    if not further:
        return best
    return distinct(sorted((*best, *further), key=lambda rated: -rated.equity))


_WITH_BLANK = 3


def simulated(result: AnalysisResult, lexicon: Lexicon, control: Control[Progress]) -> AnalysisResult:
    """Simulate the best plays."""
    from bot.engine.simulation.inference import infer  # noqa: PLC0415 - as in perform
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415
    from bot.engine.simulation.win_chances import learnt_win_table  # noqa: PLC0415

    request, options = result.request, result.request.options
    compile_first("simulation", *(("inference",) if options.infer else ()))
    seconds = min(options.seconds, MAX_SECONDS)
    until = time.monotonic() + seconds
    guessed = request.before.opponent_leaves if request.before is not None else ()
    if options.infer and request.before is None:
        guessed = infer(
            request.position,
            lexicon.graph,
            lexicon.leaves,
            seconds=seconds / 4,
            seed=options.seed,
            cancelled=lambda: control.is_stopped,
        ).leaves
        seconds = max(0.0, until - time.monotonic())
    simulation = simulate(
        request.position,
        _candidates(result.plays, None if result.made_phony else result.made),
        lexicon.graph,
        lexicon.leaves,
        replace(options, seconds=seconds),
        opponent_leaves=guessed,
        table=learnt_win_table(),
        before=request.before,
        progress=control.report,
        cancelled=lambda: control.is_stopped,
    )
    return replace(result, simulation=simulation, inferred=len(guessed))


def solve(result: AnalysisResult, lexicon: Lexicon, control: Control[Progress]) -> AnalysisResult:
    """Prove which play is best, as far as time allows; stopped too early, return the result without a solution.

    What cannot be solved is simulated instead.
    """
    from bot.engine.endgame.pre_endgame import solve_pre_endgame  # noqa: PLC0415
    from bot.engine.endgame.solve import solve_endgame  # noqa: PLC0415 - as in perform

    request = result.request
    compile_first("endgame")
    seconds = min(request.options.seconds, MAX_SECONDS)
    try:
        if 1 <= request.position.bag_count <= MAX_IN_BAG:
            pre_endgame = solve_pre_endgame(
                request.position,
                lexicon.graph,
                seconds=seconds,
                progress=control.report,
                cancelled=lambda: control.is_stopped,
            )
            return replace(result, pre_endgame=pre_endgame)
        endgame = solve_endgame(
            request.position,
            lexicon.graph,
            seconds=seconds,
            # Of those that differ only in which tile is the blank, one is shown.
            ranked=(request.options.plays or MAX_PLAYS)
            * (_WITH_BLANK if BLANK in _rack(request.position) else 1),
            progress=control.report,
            cancelled=lambda: control.is_stopped,
        )
    except OutOfTimeError:
        return result
    except AnalysisError as error:
        return _simulate_instead(result, error, lexicon, control)
    return replace(result, endgame=endgame)


def _simulate_instead(
    result: AnalysisResult, error: AnalysisError, lexicon: Lexicon, control: Control[Progress]
) -> AnalysisResult:
    """Simulate what cannot be solved and note why; if that is impossible too, keep the ranking by equity."""
    why = ReadWarning(error.code, error.template, values=tuple(error.values.items()))
    result = replace(result, unsolved=why)
    try:
        return simulated(result, lexicon, control)
    except AnalysisError:
        return result


def _rack(position: Position) -> tuple[int, ...]:
    return position.players[position.on_turn].rack


def _candidates(best: Sequence[RatedPlay], made: RatedPlay | None) -> tuple[RatedPlay, ...]:
    """Return the plays to simulate: the best, and the one that was made if it is not among them."""
    shown = tuple(best[:MAX_PLAYS])
    return shown if made is None or any(play.play == made.play for play in shown) else (*shown[:-1], made)


def is_phony(position: Position, play: Play, lexicon: Lexicon) -> bool:
    """Return whether a play forms a word that is not in a lexicon."""
    from bot.engine.lexicon.words import phonies  # noqa: PLC0415 - as in perform

    if not isinstance(play, Placement):
        return False
    columns = position.board.columns
    laid = {square: tile for square, tile in zip(play.squares(), play.tiles, strict=True) if tile != THROUGH}
    after = position.board.with_tiles((row * columns + column, tile) for (row, column), tile in laid.items())
    return any(laid.keys() & set(word.squares) for word in phonies(after, lexicon.graph))


def phonies_on(position: Position, lexicon: Lexicon) -> tuple[Phony, ...]:
    """Return the words on the board that are not in a lexicon."""
    from bot.engine.lexicon.words import phonies  # noqa: PLC0415 - as in perform

    write = position.rules.distribution.text
    return tuple(
        Phony("".join(map(write, word.tiles)), word.squares)
        for word in phonies(position.board, lexicon.graph)
    )
