"""The analysis of one crossword position as a job: its request, its result and its progress."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from bot.domain.crossword.distributions import BLANK
from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import EndCount
from bot.domain.reading.problems import DomainError, ReadWarning, RuleError
from bot.engine.errors import AnalysisError
from bot.engine.errors import StoppedError as OutOfTimeError
from bot.engine.options import AnalysisOptions
from bot.engine.plays.values import By, RatedPlay, distinct
from bot.engine.simulation.result import Ending, SimulationResult
from bot.jobs.queue import Control

if TYPE_CHECKING:
    from bot.engine.endgame.pre_endgame import PreEndgameResult
    from bot.engine.endgame.result import EndgameResult
    from bot.engine.lexicon.lexica import Chosen, Lexica, Lexicon
    from bot.engine.simulation.state import SimulationState
    from bot.engine.ucgi import Opinion

MAX_PLAYS = 100
"""Plays in a ranking that is simulated or solved."""

MAX_SECONDS = 300.0
"""How long a job computes at most."""


_WITH_BLANK = 3
_MANY = 1000
"""The most plays that there is room for from the start, unless all are wanted."""
_MORE = 8
"""The factor by which more plays are looked for when too many differ only in which tile is the blank."""

STATIC_SECONDS = 5.0
"""How long listing plays by equity takes at most; a position that people play takes milliseconds."""


class Method(StrEnum):
    """How plays are compared."""

    EQUITY = "equity"
    """By score and leave: at once."""
    SIMULATION = "simulation"
    """By playing on many times from each."""
    SOLUTION = "solution"
    """By their proved outcome, when at most one tile is in the bag."""


Progress: TypeAlias = "SimulationResult | EndgameResult | PreEndgameResult"
"""What a long job reports while it is under way."""


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A position to analyze, and how. Everything in it is a plain value."""

    position: Position
    lexicon: str = ""
    """The requested lexicon; empty for the one the position names."""
    preferred: tuple[str, ...] = ()
    """Lexica for when neither names one: the first that suits the position's tiles is used."""
    method: Method = Method.EQUITY
    options: AnalysisOptions = field(default_factory=AnalysisOptions)
    made: Play | None = None
    """The play that was made in the game, rated beside the best."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Names of lexica, each with the lexicon to use where it is not installed."""
    further: tuple[Play, ...] = ()
    """Plays to compare with the best, whether or not they are among them; those that cannot be made are left out."""
    before: SimulationState | None = field(default=None, compare=False, repr=False)
    """A simulation of the same request to go on from; no part of what names a result."""

    def with_seconds(self, seconds: float) -> AnalysisRequest:
        """Return the same request with another limit on time."""
        return replace(self, options=replace(self.options, seconds=seconds))


@dataclass(frozen=True, slots=True)
class Phony:
    """A word on the board that is not in the lexicon."""

    text: str
    squares: tuple[tuple[int, int], ...]
    """The row and column of each of its tiles, from 0."""


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The result of an analysis."""

    request: AnalysisRequest
    lexicon: str
    """The lexicon that was used."""
    missing: str
    """The lexicon that was wanted and is not installed; empty when the wanted one was used."""
    others: tuple[str, ...]
    """Other installed lexica of the position's language."""
    leaves_of: str
    """The lexicon or distribution whose leave values were used; empty when there are none."""
    placements: int
    exchanges: int
    """How many plays there are in all, besides the pass."""
    plays: tuple[RatedPlay, ...]
    """The best by equity, best first."""
    made: RatedPlay | None = None
    """The play that was made, rated even if its words are not in the lexicon."""
    phonies: tuple[Phony, ...] = ()
    made_phony: bool = False
    """Whether the play that was made forms a word that is not in the lexicon."""
    unsolved: ReadWarning | None = None
    """Why a requested solution was impossible."""
    simulation: SimulationResult | None = None
    inferred: int = 0
    """How many racks that fit the opponent's last play the simulation drew from; 0 when it drew from all tiles."""
    endgame: EndgameResult | None = None
    pre_endgame: PreEndgameResult | None = None
    opinion: Opinion | None = None
    """What the host's other engine would play; None when there is none, or it was not asked."""
    unheard: ReadWarning | None = None
    """Why it was asked and did not answer."""

    @property
    def is_settled(self) -> bool:
        """Whether more time could not change the result."""
        if self.request.method is Method.EQUITY:
            return True
        if self.simulation is not None:
            return self.simulation.ending in {Ending.DECIDED, Ending.ITERATIONS}
        if self.endgame is not None:
            return self.endgame.exact and all(play.exact for play in self.endgame.ranking)
        return self.pre_endgame is not None and self.pre_endgame.complete


def can_be_solved(position: Position) -> bool:
    """Return whether a position is close enough to the end of the game for the best play to be proved."""
    most = 0 if position.rules.end_count is EndCount.EQUAL_TURNS else 1
    return can_be_simulated(position) and position.bag_count <= most


def can_be_simulated(position: Position) -> bool:
    """Return whether it is known what may be drawn, and by whom: a game of two with a bag that can be counted."""
    return len(position.players) == 2 and position.rules.has_known_bag


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
    from bot.engine.lexicon.leaves.values import NO_LEAVES  # noqa: PLC0415
    from bot.engine.plays.generate import list_and_count, plays  # noqa: PLC0415
    from bot.engine.stop import stop_after  # noqa: PLC0415

    position = request.position
    chosen = lexicon_for(request, lexica)
    lexicon = lexica.load(chosen.lexicon, position.rules.distribution)
    by = By.EQUITY
    if not position.rules.has_known_bag:  # no leave is worth anything that is known
        by, lexicon = By.SCORE, replace(lexicon, leaves=NO_LEAVES, leaves_of="")
    _compile_search()
    with stop_after(STATIC_SECONDS) as stop:
        try:
            found, count = list_and_count(
                position, lexicon.graph, lexicon.leaves, top=_first(request), by=by, stop=stop
            )
            best = _best(
                tuple(found),
                lambda top: plays(position, lexicon.graph, lexicon.leaves, top=top, by=by, stop=stop),
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
        made_phony=made is not None and _is_phony(position, made.play, lexicon),
    )
    if request.method is Method.EQUITY or control.is_stopped:
        return result
    compile_all()
    work = _solve if request.method is Method.SOLUTION else _simulate
    return _with_opinion(work(result, lexicon, control), engine, control)


def _with_opinion(
    result: AnalysisResult, engine: tuple[str, ...], control: Control[Progress]
) -> AnalysisResult:
    """Ask the other engine, if there is one; what it cannot say is told, and nothing else depends on it."""
    if not engine or control.is_stopped:
        return result
    from bot.engine.meter import count_seconds  # noqa: PLC0415 - as in perform
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


def _simulate(result: AnalysisResult, lexicon: Lexicon, control: Control[Progress]) -> AnalysisResult:
    """Simulate the best plays."""
    from bot.engine.simulation.inference import infer  # noqa: PLC0415 - as in perform
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415
    from bot.engine.simulation.win_chances import learnt_win_table  # noqa: PLC0415

    request, options = result.request, result.request.options
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


def _solve(result: AnalysisResult, lexicon: Lexicon, control: Control[Progress]) -> AnalysisResult:
    """Prove which play is best, as far as time allows; stopped too early, return the result without a solution.

    What cannot be solved is simulated instead.
    """
    from bot.engine.endgame.pre_endgame import solve_pre_endgame  # noqa: PLC0415
    from bot.engine.endgame.solve import solve_endgame  # noqa: PLC0415 - as in perform

    request = result.request
    seconds = min(request.options.seconds, MAX_SECONDS)
    try:
        if request.position.bag_count == 1:
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
        return _simulate(result, lexicon, control)
    except AnalysisError:
        return result


def _rack(position: Position) -> tuple[int, ...]:
    return position.players[position.on_turn].rack


@cache
def _compile_search() -> None:
    """Compile the search for plays first: its time limit must not be spent on the compiler."""
    from bot.engine.warm_up import warm_up_plays  # noqa: PLC0415 - as in perform

    warm_up_plays()


def is_installed() -> bool:
    """Tell whether the packages of the analysis are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("numba", "numpy"))


@cache
def compile_all() -> None:
    """Compile everything first: a job's time must not be spent on the compiler."""
    from bot.engine.warm_up import warm_up  # noqa: PLC0415 - as in perform

    warm_up()


def _candidates(best: Sequence[RatedPlay], made: RatedPlay | None) -> tuple[RatedPlay, ...]:
    """Return the plays to simulate: the best, and the one that was made if it is not among them."""
    shown = tuple(best[:MAX_PLAYS])
    return shown if made is None or any(play.play == made.play for play in shown) else (*shown[:-1], made)


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


def _is_phony(position: Position, play: Play, lexicon: Lexicon) -> bool:
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
