"""Asks the host's crossword engine for a second opinion, over the UCGI protocol.

UCGI is a draft from 2023, modelled on UCI. Moves are ``8H.WORD``, ``pass`` and ``ex.TILES``, and a word includes letters that
are already on the board. In the draft, a play whose coordinate begins with a letter (``H8``) goes across. In CGP, GCG and most
engines, it goes down. Kibitz uses the interpretation that makes the engine's moves legal.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.notations.fields import scan_tiles
from bot.domain.crossword.play import (
    THROUGH,
    Coordinate,
    Exchange,
    Pass,
    Placement,
    Play,
    read_coordinate,
)
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import BLANK
from bot.domain.crossword.scoring import (
    check_exchange,
    check_on_rack,
    check_placement,
    extend_to_whole_word,
    score_placement,
)
from bot.domain.reading.problems import DomainError, TextPiece
from bot.engine.analysis import StoppedError

MAX_SECONDS = 20.0
START_SECONDS = 10.0
GRACE_SECONDS = 3.0
"""Time that an engine may take to reply after its thinking time."""
MAX_OUTPUT_BYTES = 1 << 20
_POLL_SECONDS = 0.05
_NAME = re.compile(r"id name (.{1,80})")
_BEST_MOVE = re.compile(r"bestmove (\S{1,80})")
_FIRST_MOVE = re.compile(r"\bpv (\S{1,80})")
_WIN_PERCENT = re.compile(r"\bscore wp (-?[0-9]{1,3}(?:\.[0-9]{1,6})?)")
_EQUITY = re.compile(r"\bscore eq (-?[0-9]{1,4}(?:\.[0-9]{1,6})?)")
_PLACEMENT = re.compile(r"([0-9]{1,2}[A-Za-z]|[A-Za-z][0-9]{1,2})\.([^.\s]{1,100})(?:\.\S{0,60})?")
_EXCHANGE = re.compile(r"ex\.([^.\s]{1,60})(?:\.\S{0,60})?")


class UcgiError(DomainError):
    """The engine returned no usable reply. The message reveals no details of the host, because players see it."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The play that an engine prefers."""

    engine: str
    play: Play
    score: int
    """The score under the position's rules."""
    win: float | None = None
    """The engine's estimate of the win probability, from 0 to 1, or None if not reported."""
    equity: float | None = None
    """The engine's estimate of the play's equity, in points, or None if not reported."""


def ask(
    position: Position,
    command: tuple[str, ...],
    *,
    seconds: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> Opinion:
    """Ask an engine for a play. The call blocks for a little longer than ``seconds``.

    A slow engine gets up to :data:`START_SECONDS` to start, the same again to get ready, and :data:`GRACE_SECONDS` to stop.

    Raises:
        UcgiError: the engine cannot be started, fails, takes far too long, or returns an illegal play.
        DomainError: the position cannot be written as a CGP.
        StoppedError: ``cancelled`` returned True.

    """
    cgp_text = cgp.write(position)
    seconds = min(max(seconds, 0.1), MAX_SECONDS)
    try:
        # The bot's environment contains secrets that the engine must not see.
        process = subprocess.Popen(  # noqa: S603 - the command is from the configuration
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", os.defpath)},
            start_new_session=True,
        )
    except (OSError, ValueError):
        raise _engine_error() from None
    try:
        conversation = _Conversation(process, cancelled)
        name = next(
            (
                m[1].strip()
                for line in conversation.request("ucgi", "ucgiok", START_SECONDS)
                if (m := _NAME.fullmatch(line))
            ),
            "UCGI",
        )
        conversation.request("isready", "readyok", START_SECONDS)
        conversation.send("ucginewgame")
        conversation.send(f"position cgp {cgp_text}")
        output = conversation.request(
            f"go movetime {round(1000 * seconds)}", "bestmove", seconds, GRACE_SECONDS
        )
        return _read_opinion(position, name, output)
    finally:
        # The whole process group is killed, because the engine may have started other programs.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()


def _engine_error() -> UcgiError:
    return UcgiError("ucgi-failed", "the UCGI engine doesn't work")


class _Conversation:
    """A conversation with an engine. A thread reads the engine's output, so that every wait can have a time limit."""

    def __init__(self, process: subprocess.Popen[bytes], cancelled: Callable[[], bool]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._cancelled = cancelled
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        bytes_left, partial_line = MAX_OUTPUT_BYTES, b""
        # This thread also closes the pipe. If another thread closed it, this thread could read from the next engine's pipe, which
        # can get the same file descriptor.
        with suppress(OSError), self._output as pipe:
            while bytes_left > 0 and (part := os.read(pipe.fileno(), 1 << 14)):
                bytes_left -= len(part)
                *lines, partial_line = (partial_line + part).split(b"\n")
                for line in lines:
                    self._lines.put(line.decode("utf-8", "replace").strip())
        self._lines.put(None)

    def send(self, command: str) -> None:
        try:
            self._input.write(f"{command}\n".encode())
            self._input.flush()
        except OSError:
            raise _engine_error() from None

    def request(self, command: str, end_word: str, seconds: float, grace: float = 0.0) -> list[str]:
        """Send a command. Return the lines of the reply, up to the line whose first word is ``end_word``.

        If ``grace`` is not 0 and that line has not arrived within ``seconds``, send ``stop`` and wait ``grace`` more seconds.
        """
        self.send(command)
        output: list[str] = []
        deadline = time.monotonic() + seconds
        while True:
            if self._cancelled():
                raise StoppedError
            if time.monotonic() >= deadline:
                if not grace:
                    raise UcgiError("ucgi-slow", "the UCGI engine took too long")
                self.send("stop")
                deadline, grace = time.monotonic() + grace, 0.0
            try:
                line = self._lines.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if line is None:
                raise _engine_error()
            output.append(line)
            if line.split(" ", 1)[0] == end_word:
                return output


def _read_opinion(position: Position, engine: str, output: list[str]) -> Opinion:
    best_move_match = _BEST_MOVE.fullmatch(output[-1])
    if best_move_match is None:
        raise _engine_error()
    move = best_move_match[1]
    play = _move_to_play(position, move, [match[1] for line in output if (match := _FIRST_MOVE.search(line))])
    score = score_placement(position.board, play, position.rules).score if isinstance(play, Placement) else 0
    lines_of_move = [line for line in output if (match := _FIRST_MOVE.search(line)) and match[1] == move]
    wins = [float(match[1]) for line in lines_of_move if (match := _WIN_PERCENT.search(line))]
    equities = [float(match[1]) for line in lines_of_move if (match := _EQUITY.search(line))]
    win = wins[-1] / 100 if wins and 0 <= wins[-1] <= 100 else None
    return Opinion(engine, play, score, win, equities[-1] if equities else None)


def _move_to_play(position: Position, move: str, reported_moves: list[str]) -> Play:
    """Convert a move to a play.

    The draft's coordinates are used only if they make the move legal and CGP's do not, or if they make all reported moves legal and
    CGP's do not.
    """
    cgp_plays, draft_plays = (
        [
            _read_move(position, reported_move, letter_first_across=across)
            for reported_move in (move, *reported_moves)
        ]
        for across in (False, True)
    )
    uses_draft = draft_plays[0] is not None and (
        cgp_plays[0] is None or (None in cgp_plays and None not in draft_plays)
    )
    play = draft_plays[0] if uses_draft else cgp_plays[0]
    if play is None:
        raise UcgiError("ucgi-move", "the UCGI engine suggested an illegal play: {move}", move=move[:40])
    return play


def _read_move(position: Position, move: str, *, letter_first_across: bool) -> Play | None:
    if move == "pass":
        return Pass()
    try:
        if exchange_match := _EXCHANGE.fullmatch(move):
            return _read_exchange(position, exchange_match[1])
        placement_match = _PLACEMENT.fullmatch(move)
        start = read_coordinate(placement_match[1]) if placement_match else None
        if placement_match is None or start is None:
            return None
        if letter_first_across:
            start = replace(start, direction=start.direction.crossing)
        return _read_placement(position, start, placement_match[2])
    except DomainError:
        return None


def _read_exchange(position: Position, text: str) -> Exchange | None:
    """Read an exchange, written as tiles or as a number of tiles. Return None if it exchanges no tiles."""
    if text.isascii() and text.isdigit():
        exchange = Exchange(unknown_count=int(text[:3]))
    else:
        distribution = position.rules.distribution
        tiles = tuple(max(tile, BLANK) for tile, _ in scan_tiles(TextPiece.of(text), distribution))
        check_on_rack(tiles, position.players[position.on_turn].rack, distribution)
        exchange = Exchange(tuple(sorted(tiles)))
    check_exchange(exchange, position.bag_count, position.rules)
    return exchange if exchange.size else None


def _read_placement(position: Position, start: Coordinate, text: str) -> Placement | None:
    """Read the placement of a word. Return None if adjacent tiles would make the word longer."""
    distribution = position.rules.distribution
    word = tuple(tile for tile, _ in scan_tiles(TextPiece.of(text), distribution))
    placement = Placement(start, tuple(_tiles_to_lay(position, Placement(start, word))))
    check_placement(position.board, placement, position.rules)
    check_on_rack(tiles_used(placement), position.players[position.on_turn].rack, distribution)
    return placement if extend_to_whole_word(position.board, placement) == placement else None


def _tiles_to_lay(position: Position, word: Placement) -> Iterator[int]:
    board = position.board
    for (row, column), tile in zip(word.squares(), word.tiles, strict=True):
        on_board = board.at(row, column) if row < board.rows and column < board.columns else 0
        yield THROUGH if on_board and abs(on_board) == abs(tile) else tile
