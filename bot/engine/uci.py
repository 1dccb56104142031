"""Analyzes chess positions with the host's UCI engine."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

import chess
import chess.engine

from bot.domain.chess.position import VARIANTS, ChessPosition
from bot.domain.reading.problems import DomainError
from bot.engine.installed import find_command

MAX_SECONDS = 60.0
MIN_SECONDS = 0.05
MAX_LINES = 10
MAX_MOVES = 16
"""Maximum number of half-moves in a line."""
AUTO = "auto"
"""This value of the engine setting selects Stockfish."""
START_AND_STOP_SECONDS = 10.0
"""Time that an engine may take to start and stop, in addition to its thinking time."""
_HASH_MEGABYTES = 64
_EXIT_SECONDS = 5.0

_DEBIAN_ENGINES = "/usr/games"
"""Debian installs engines in this folder, which is not in the PATH of services."""


class EngineError(DomainError):
    """The analysis failed. The message reveals no details of the host, because players see it."""


@dataclass(frozen=True, slots=True)
class EngineLine:
    """A line of best play, with the engine's evaluation."""

    san: tuple[str, ...]
    """Up to :data:`MAX_MOVES` moves in standard algebraic notation."""
    uci: tuple[str, ...]
    centipawns: int | None
    """The evaluation from White's point of view, or None if there is a forced mate."""
    mate: int | None = None
    """Number of moves until mate: positive if White mates, negative if Black does."""
    depth: int = 0

    @property
    def score(self) -> str:
        """The evaluation from White's point of view: ``+0.35``, ``#3``, ``#-2``."""
        return f"{(self.centipawns or 0) / 100:+.2f}" if self.mate is None else f"#{self.mate}"


@dataclass(frozen=True, slots=True)
class ChessAnalysis:
    """An engine's analysis of a position."""

    position: ChessPosition
    engine: str
    """Empty if the engine reported no name, or was not started because the game is over."""
    seconds: float
    """The time limit, or 0 if only the number of nodes was limited."""
    lines: tuple[EngineLine, ...]
    """Best first. Empty if the game is over, or the engine returned no moves."""
    nodes: int = 0
    """Number of positions searched."""


def find_engine(command_line: str) -> tuple[str, ...] | None:
    """Return an engine's program and arguments. ``command_line`` is from the settings.

    Return None if the command line is empty or malformed, or the program is not installed.
    """
    return (
        find_command("stockfish" if command_line.strip() == AUTO else command_line, _DEBIAN_ENGINES) or None
    )


async def analyze(
    position: ChessPosition,
    command: tuple[str, ...],
    *,
    seconds: float = 2.0,
    line_count: int = 3,
    first_moves: Iterable[str] = (),
) -> ChessAnalysis:
    """Analyze a position with an engine that uses one thread.

    ``command`` is from :func:`find_engine`. ``first_moves`` are the allowed first moves in UCI notation, or empty for all.

    Raises:
        EngineError: the engine cannot be started, does not play the variant, fails, or takes far too long.

    """
    seconds = min(max(seconds, MIN_SECONDS), MAX_SECONDS)
    if position.is_over:
        return ChessAnalysis(position, "", seconds, ())
    limit, root_moves = chess.engine.Limit(time=seconds), [chess.Move.from_uci(move) for move in first_moves]
    with _convert_engine_errors():
        async with asyncio.timeout(seconds + START_AND_STOP_SECONDS), _engine(command) as engine:
            return await _analyze(engine, position, limit, line_count=line_count, first_moves=root_moves)


async def analyze_each(
    positions: Iterable[ChessPosition],
    command: tuple[str, ...],
    *,
    nodes: int,
) -> AsyncGenerator[ChessAnalysis]:
    """Analyze the positions of a game one after another, with a single engine process.

    Each search is limited to ``nodes``, so the results do not depend on the machine's speed.

    Raises:
        EngineError: the engine cannot be started, does not play the variant, fails, or takes far too long for a position.

    """
    limit, game = chess.engine.Limit(nodes=max(1, nodes)), object()
    with _convert_engine_errors():
        async with _engine(command) as engine:
            for position in positions:
                async with asyncio.timeout(MAX_SECONDS):
                    analysis = await _analyze(engine, position, limit, line_count=2, game=game)
                yield analysis


async def _analyze(
    engine: chess.engine.UciProtocol,
    position: ChessPosition,
    limit: chess.engine.Limit,
    *,
    line_count: int,
    first_moves: Sequence[chess.Move] = (),
    game: object = None,
) -> ChessAnalysis:
    name, seconds = str(engine.id.get("name", ""))[:80], limit.time or 0.0
    if position.is_over:
        return ChessAnalysis(position, name, seconds, ())
    _check_variant(engine, position)
    option = engine.options.get("MultiPV")
    line_count = min(max(line_count, 1), MAX_LINES, 1 if option is None else option.max or 1)
    infos = await engine.analyse(
        position.board(), limit, multipv=line_count, game=game, root_moves=list(first_moves) or None
    )
    lines = tuple(_read_line(position.board(), info) for info in infos if info.get("pv") and "score" in info)
    nodes = max((info.get("nodes", 0) for info in infos), default=0)
    return ChessAnalysis(position, name, seconds, lines, nodes)


@contextmanager
def _convert_engine_errors() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise EngineError("engine-slow", "the chess engine took too long") from None
    except (OSError, chess.engine.EngineError, asyncio.InvalidStateError) as error:
        raise EngineError("engine-failed", "the chess engine doesn't work") from error


class _Protocol(chess.engine.UciProtocol):
    """python-chess's protocol, with an event that is set when the engine's process has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        # python-chess fails here if the last request was cancelled.
        with suppress(asyncio.InvalidStateError):
            super().connection_lost(exc)
        self.ended.set()


def kill_child(process_id: int) -> None:
    """Kill a running child process of asyncio.

    Before Python 3.13, asyncio's own methods may read the exit code of a child that has just ended. The part of asyncio that
    waits for the child then misses the code, and logs a warning: https://github.com/python/cpython/issues/87744
    """
    with suppress(OSError):  # the child has ended
        os.kill(process_id, getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has no SIGKILL


@asynccontextmanager
async def _engine(command: tuple[str, ...]) -> AsyncIterator[chess.engine.UciProtocol]:
    # The bot's environment contains secrets that the engine must not see.
    transport, engine = await asyncio.get_running_loop().subprocess_exec(
        _Protocol, *command, stderr=asyncio.subprocess.DEVNULL, env={"PATH": os.defpath}
    )
    try:
        async with asyncio.timeout(START_AND_STOP_SECONDS):
            await engine.initialize()
            options = {"Threads": 1, "Hash": _HASH_MEGABYTES}
            await engine.configure({name: value for name, value in options.items() if name in engine.options})
        yield engine
    finally:
        # An engine may ignore ``quit``, so its process is killed.
        if transport.get_returncode() is None:
            kill_child(transport.get_pid())
        with suppress(TimeoutError):
            await asyncio.wait_for(engine.ended.wait(), _EXIT_SECONDS)
        transport.close()


def _check_variant(engine: chess.engine.UciProtocol, position: ChessPosition) -> None:
    if not position.variant:
        return
    variant = VARIANTS[position.variant]
    option = engine.options.get("UCI_Variant" if variant.engine_name else "UCI_Chess960")
    if option is None or (variant.engine_name and variant.engine_name not in (option.var or ())):
        raise EngineError("engine-variant", "the chess engine doesn't play {variant}", variant=variant.name)


def _read_line(board: chess.Board, info: chess.engine.InfoDict) -> EngineLine:
    score = info["score"].white()
    moves = info["pv"][:MAX_MOVES]
    return EngineLine(
        tuple(map(board.san_and_push, moves)),
        tuple(move.uci() for move in moves),
        score.score(),
        score.mate(),
        info.get("depth", 0),
    )
