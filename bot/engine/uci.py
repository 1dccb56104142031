"""Analysis of chess positions by the UCI engine that the host has installed.

Every analysis has a process of its own, which ends with it: done, failed, out of time or given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import chess
import chess.engine

from bot.domain.chess.position import VARIANTS, ChessPosition
from bot.domain.reading.problems import DomainError

MAX_SECONDS = 60.0
MIN_SECONDS = 0.05
MAX_LINES = 10
MAX_MOVES = 16
"""Half-moves of one line."""
AUTO = "auto"
"""The setting that selects an installed engine."""
START_SECONDS = 10.0
"""Time limit for an engine to start and to stop, beyond its thinking time."""
_END_SECONDS = 5.0

# Debian keeps its engines there, which services do not have in their path.
_MORE_PATH = "/usr/games"


class EngineError(DomainError):
    """The analysis failed; the sentence is shown to players and reveals no detail of the host."""


@dataclass(frozen=True, slots=True)
class EngineLine:
    """One way to go on, as the engine sees it."""

    san: tuple[str, ...]
    """At most :data:`MAX_MOVES` moves in standard notation."""
    uci: tuple[str, ...]
    centipawns: int | None
    """The value for White in hundredths of a pawn; None with a forced mate."""
    mate: int | None = None
    """Moves until mate: above zero White mates, below zero Black does."""
    depth: int = 0
    """Depth of the search in half-moves."""

    @property
    def score(self) -> str:
        """The worth for White as people write it: ``+0.35``, ``#3``, ``#-2``."""
        if self.mate is not None:
            return f"#{self.mate}"
        return f"{(self.centipawns or 0) / 100:+.2f}"


@dataclass(frozen=True, slots=True)
class ChessAnalysis:
    """An engine's analysis of a position."""

    position: ChessPosition
    engine: str
    """The name the engine gives itself."""
    seconds: float
    """The time it was given."""
    lines: tuple[EngineLine, ...]
    """The best first; none when the game is over."""
    nodes: int = 0
    """Positions it searched."""


def find_engine(command: str) -> tuple[str, ...] | None:
    """Return the program and its arguments that a setting names; None when nothing is set or it is not installed.

    :data:`AUTO` names Stockfish, where it is.
    """
    if command.strip() == AUTO:
        command = "stockfish"
    try:
        program, *arguments = shlex.split(command)
    except ValueError:
        return None
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), _MORE_PATH))
    found = shutil.which(program, path=path)
    return (found, *arguments) if found else None


async def analyse(
    position: ChessPosition,
    command: tuple[str, ...],
    *,
    seconds: float = 2.0,
    lines: int = 3,
    moves: Iterable[str] = (),
    megabytes: int = 64,
) -> ChessAnalysis:
    """Analyse a position with an engine that :func:`find_engine` found.

    ``seconds`` is the time to think, ``lines`` how many ways to go on are wanted, ``moves`` with which they may begin, in
    UCI, none for all, ``megabytes`` the engine's memory for positions. One thread is used, so that analyses do not slow each other down more than they have to.

    Raises:
        EngineError: the engine cannot be started, fails, or takes far longer than it was given.

    """
    seconds = min(max(seconds, MIN_SECONDS), MAX_SECONDS)
    lines = min(max(lines, 1), MAX_LINES)
    if position.is_over:
        return ChessAnalysis(position, "", seconds, ())
    try:
        async with asyncio.timeout(seconds + START_SECONDS), _engine(command) as engine:
            await _set_up(engine, megabytes)
            _check_variant(engine, position)
            found = await engine.analyse(
                position.board(),
                chess.engine.Limit(time=seconds),
                multipv=min(lines, _most_lines(engine)),
                root_moves=[chess.Move.from_uci(move) for move in moves] or None,
            )
            name = str(engine.id.get("name", ""))[:80]
    except TimeoutError:
        raise EngineError("engine-slow", "the chess engine takes too long") from None
    except (OSError, chess.engine.EngineError, asyncio.InvalidStateError) as error:
        raise EngineError("engine-failed", "the chess engine does not work") from error
    best = tuple(_line(position.board(), info) for info in found if info.get("pv") and "score" in info)
    return ChessAnalysis(
        position, name, seconds, best, max((info.get("nodes", 0) for info in found), default=0)
    )


async def analyse_each(
    positions: Iterable[ChessPosition],
    command: tuple[str, ...],
    *,
    nodes: int,
    lines: int = 2,
    megabytes: int = 64,
) -> AsyncGenerator[ChessAnalysis]:
    """Analyse the positions of a game one after the other with one process of an engine.

    ``nodes`` is how many positions the engine looks at for each: with one thread the answers do not depend on how fast
    the machine is. The rest is as for :func:`analyse`.

    Raises:
        EngineError: the engine cannot be started, fails, or takes far too long for a position.

    """
    lines = min(max(lines, 1), MAX_LINES)
    limit = chess.engine.Limit(nodes=max(1, nodes))
    try:
        async with _engine(command) as engine:
            await _set_up(engine, megabytes)
            name = str(engine.id.get("name", ""))[:80]
            game = object()
            for position in positions:
                if position.is_over:
                    yield ChessAnalysis(position, name, 0.0, ())
                    continue
                _check_variant(engine, position)
                multiple = min(lines, _most_lines(engine))
                async with asyncio.timeout(MAX_SECONDS):
                    found = await engine.analyse(position.board(), limit, multipv=multiple, game=game)
                best = tuple(
                    _line(position.board(), info) for info in found if info.get("pv") and "score" in info
                )
                searched = max((info.get("nodes", 0) for info in found), default=0)
                yield ChessAnalysis(position, name, 0.0, best, searched)
    except TimeoutError:
        raise EngineError("engine-slow", "the chess engine takes too long") from None
    except (OSError, chess.engine.EngineError, asyncio.InvalidStateError) as error:
        raise EngineError("engine-failed", "the chess engine does not work") from error


class _Protocol(chess.engine.UciProtocol):
    """python-chess's protocol, which notices the end of the engine's process even in the middle of an analysis."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake waiting callers: the process has ended."""
        # The last request may have been cancelled.
        with contextlib.suppress(asyncio.InvalidStateError):
            super().connection_lost(exc)
        self.gone.set()


@asynccontextmanager
async def _engine(command: tuple[str, ...]) -> AsyncIterator[chess.engine.UciProtocol]:
    """Start an engine, and end its process in any case."""
    # The bot's environment holds secrets that are none of the engine's business.
    transport, engine = await asyncio.get_running_loop().subprocess_exec(
        _Protocol, *command, stderr=asyncio.subprocess.DEVNULL, env={"PATH": os.defpath}
    )
    try:
        await engine.initialize()
        yield engine
    finally:
        # An engine may ignore ``quit``.
        with contextlib.suppress(ProcessLookupError):
            transport.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(engine.gone.wait(), _END_SECONDS)
        transport.close()


async def _set_up(engine: chess.engine.UciProtocol, megabytes: int) -> None:
    wanted = {"Threads": 1, "Hash": megabytes}
    await engine.configure({name: value for name, value in wanted.items() if name in engine.options})


def _check_variant(engine: chess.engine.UciProtocol, position: ChessPosition) -> None:
    """Refuse a variant that an engine does not say it plays.

    Raises:
        EngineError: it does not.

    """
    if not position.variant:
        return
    variant = VARIANTS[position.variant]
    option = engine.options.get("UCI_Variant" if variant.engines else "UCI_Chess960")
    if option is None or (variant.engines and variant.engines not in (option.var or ())):
        raise EngineError("engine-variant", "the chess engine does not play {variant}", variant=variant.name)


def _most_lines(engine: chess.engine.UciProtocol) -> int:
    option = engine.options.get("MultiPV")
    return 1 if option is None else option.max or 1


def _line(board: chess.Board, info: chess.engine.InfoDict) -> EngineLine:
    score = info["score"].white()
    san: list[str] = []
    moves = info["pv"][:MAX_MOVES]
    for move in moves:
        san.append(board.san(move))
        board.push(move)
    return EngineLine(
        tuple(san), tuple(move.uci() for move in moves), score.score(), score.mate(), info.get("depth", 0)
    )
