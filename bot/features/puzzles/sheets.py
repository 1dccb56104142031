"""Reads posted files as sheets of puzzles: files made by Kibitz, lichess' CSV, and chess positions with solutions."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TypeAlias

from bot.chat.markdown import escape
from bot.chat.source import Attachment
from bot.domain.chess.documents import ChessGame, ChessMove, Puzzle
from bot.domain.chess.moves import read_move
from bot.domain.chess.notations import epd, fen, pgn, pgn_in_text
from bot.domain.chess.position import START_POSITION, ChessPosition
from bot.domain.chess.solution import MAX_MOVES
from bot.domain.crossword.scoring import play_problems
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError, ParseError, TextPiece, location
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.crossword.document import is_header, puzzle_of
from bot.features.puzzles.selection import LibraryPuzzle, PuzzleKind
from bot.text import Translator

PostedPuzzle: TypeAlias = LibraryPuzzle | Puzzle

MAX_PUZZLES = 1_000
MAX_LEFT_OUT = 1_000
"""Reading stops after this many lines or games that are not puzzles."""
MAX_FAULTS = 3


class RowFormat(StrEnum):
    """The format of the rows in a sheet."""

    CROSSWORD = "crossword"
    """A line that ``puzzles make`` wrote."""
    LICHESS = "lichess"
    POSITIONS = "positions"
    """A position from an EPD or from a game in PGN."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The puzzles in a posted file."""

    row_format: RowFormat
    rows: tuple[str, ...]
    """Each puzzle is one line of JSON."""
    faults: tuple[DomainError, ...] = ()
    """Why lines or games were left out, with their locations. At most :data:`MAX_FAULTS`."""
    left_out_count: int = 0
    ends_early: bool = False
    """Whether a limit stopped the reading."""
    spoiler: bool = False

    def to_text(self) -> str:
        return "\n".join((self.row_format, *self.rows))


MAX_JSON_LINE_LENGTH = 20_000


def _crossword_row(line: str) -> str:
    if len(line) > MAX_JSON_LINE_LENGTH:
        raise ValueError
    row = json.loads(line)
    puzzle = puzzle_of(row)
    position = puzzle.position
    if not puzzle.words and not position.players[position.on_turn].rack:
        raise ParseError("puzzle-rack", "the puzzle has no rack")
    for play in (*puzzle.answers, *(contender.play for contender in puzzle.ranking)):
        for problem in play_problems(position, play):
            raise problem
    return json.dumps(row)


def _lichess_row(header: list[str], line: str) -> str:
    if len(line) > lichess.MAX_LINE_LENGTH:
        raise ValueError
    row = dict(zip(header, _cells(line), strict=False))
    lichess.puzzle_of(row)
    return json.dumps({name: row.get(name, "") for name in lichess.COLUMNS})


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line.strip("\r\ufeff")]), [])
    except csv.Error:
        return []


MAX_EPD_LENGTH = 2_000
MAX_GAME_LENGTH = 20_000
_MAX_UNREQUESTED_GAME_LENGTH = 2_000
"""Maximum length of each of the first three games in a file that was not posted with ``/puzzle``."""
MAX_DESCRIPTION_LENGTH = 80
_BEST_MOVE_OPCODE = "bm"
_MISTAKE_NAGS = frozenset({2, 4, 6})
"""``?``, ``??`` and ``?!``."""
_MAX_EXAMINED_LINES = 20
_NON_PUZZLE_TAGS = frozenset(
    {"TimeControl", "UTCDate", "UTCTime", "Termination", "WhiteElo", "BlackElo", "Variant", "Annotator"}
    | {"StudyName", "ChapterName"}
)
"""Tags of games that were played, and of studies.

If one of the first three games has such a tag, the file is not a file of puzzles unless it was posted with ``/puzzle``.
"""


def _is_epd_list(text: str) -> bool:
    lines = [
        line
        for line in text.split("\n", _MAX_EXAMINED_LINES)[:_MAX_EXAMINED_LINES]
        if line.strip() and not line.startswith("#")
    ]
    return len(lines) > 1 and all(
        len(line) <= MAX_EPD_LENGTH
        and f" {_BEST_MOVE_OPCODE} " in line
        and line.split(" ", 1)[0].count("/") == 7
        for line in lines[:2]
    )


def _epd_row(line: str) -> str:
    """Read an EPD. Its best moves (``bm``) are the solution.

    If the variation (``pv``) begins with the first best move, the solution continues along it.
    """
    if len(line) > MAX_EPD_LENGTH:
        raise ValueError
    position = epd.read(line).value
    operations = dict(position.operations)
    best_moves = operations.get(_BEST_MOVE_OPCODE, "").split()
    if not best_moves:
        raise ParseError("puzzle-best", "this position has no best move (bm)")
    bare_position = replace(position, operations=())
    board = bare_position.board()
    moves = tuple(dict.fromkeys(read_move(board, TextPiece.of(move))[1] for move in best_moves[:MAX_MOVES]))
    number = f"{bare_position.fullmove_number}{'.' if bare_position.white_to_move else '...'}"
    other_moves = "".join(f" ({number} {move})" for move in moves[1:])
    continuation = ""
    if variation := operations.get("pv", "").split()[:MAX_MOVES]:
        game = pgn.read(pgn.write(ChessGame(bare_position)).removesuffix("*\n") + " ".join(variation))
        if game.error is not None:
            raise game.error
        sans = tuple(move.san for move in game.value.turns)
        continuation = " ".join(sans[1:]) if sans[:1] == moves[:1] else ""
    return _position_row(
        bare_position,
        f"{number} {moves[0]}{other_moves} {continuation}".strip(),
        operations.get("id", "").strip('"'),
    )


def _game_spans(text: str) -> Iterator[tuple[int, int]]:
    return ((start, end) for start, end, name in pgn_in_text.find(text) if name == "pgn")


def _has_game_puzzles(text: str, *, posted_with_command: bool) -> bool:
    """Return whether a file's games are puzzles, which start from set-up positions (``FEN`` tag).

    If the file was posted with ``/puzzle``, one such game is enough. Otherwise, the file needs at least two games. Each of the first
    three must have this tag, be short, and have none of :data:`_NON_PUZZLE_TAGS`.
    """
    if "[FEN " not in text:
        return False
    if posted_with_command:
        return True
    games = [text[start:end] for start, end in islice(_game_spans(text), 3)]
    return len(games) > 1 and all(
        "[FEN " in part
        and len(part) <= _MAX_UNREQUESTED_GAME_LENGTH
        and not any(f"[{tag} " in part for tag in _NON_PUZZLE_TAGS)
        for part in games
    )


def _game_row(text: str) -> str:
    """Read a game from a set-up position. Its moves and variations are the solution."""
    if len(text) > MAX_GAME_LENGTH:
        raise ParseError("puzzle-moves-many", "the game is too long")
    reading = pgn.read(text)
    if reading.error is not None:
        raise reading.error
    game = reading.value
    if game.start == START_POSITION:
        raise ParseError("puzzle-start", "the game starts from the standard position, so it isn't a puzzle")
    if not game.turns:
        raise ParseError("puzzle-no-moves", "there is no solution")
    if len(game.turns) > MAX_MOVES:
        raise ParseError("puzzle-moves-many", "the solution is too long")
    solution = pgn.write(ChessGame(game.start, _bare_moves(game.turns))).partition("\n\n")[2]
    players = " – ".join(filter(None, (game.tag("White"), game.tag("Black"))))
    description = " · ".join(filter(None, (game.tag("Event"), players)))
    solution = " ".join(solution.split()).removesuffix("*").strip()
    return _position_row(game.start, solution.replace("( ", "(").replace(" )", ")"), description)


def _bare_moves(moves: tuple[ChessMove, ...]) -> tuple[ChessMove, ...]:
    """Drop comments, and variations whose first move is marked as a mistake."""
    return tuple(
        ChessMove(
            move.san,
            move.uci,
            variations=tuple(
                _bare_moves(variation)
                for variation in move.variations
                if _MISTAKE_NAGS.isdisjoint(variation[0].nags)
            ),
        )
        for move in moves
    )


def _position_row(position: ChessPosition, solution: str, description: str) -> str:
    return json.dumps(
        {"fen": position.fen, "solution": solution, "about": description[:MAX_DESCRIPTION_LENGTH]}
    )


MAX_FILE_LENGTH = 1_000_000
_LocatedText: TypeAlias = tuple[str, tuple[int, int]]
"""The text of a line or a game, and its (line, column) position in the file."""


def read_sheet(text: str, spoiler: bool = False, *, posted_with_command: bool = False) -> Sheet | None:  # noqa: FBT001, FBT002 - a SheetReader
    """Read a file as a sheet. Return None if it is not a file of puzzles, or has no valid puzzle.

    If the file was posted with ``/puzzle``, any game from a set-up position is a puzzle, and a file without valid puzzles becomes a
    sheet with only faults.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_FILE_LENGTH:
        return None
    header = _cells(text[: lichess.MAX_LINE_LENGTH].split("\n", 1)[0])
    lines = enumerate(text.split("\n"), start=1)
    parts: Iterator[_LocatedText] = ((line, (number, 1)) for number, line in lines if line.strip())
    if is_header(text[:MAX_JSON_LINE_LENGTH].split("\n", 1)[0]):
        sheet = _read_parts(RowFormat.CROSSWORD, islice(parts, 1, None), _crossword_row)
    elif set(header) >= lichess.REQUIRED_COLUMNS:
        sheet = _read_parts(RowFormat.LICHESS, islice(parts, 1, None), partial(_lichess_row, header))
    elif _is_epd_list(text):
        parts = (part for part in parts if not part[0].startswith("#"))
        sheet = _read_parts(RowFormat.POSITIONS, parts, _epd_row)
    elif _has_game_puzzles(text, posted_with_command=posted_with_command):
        parts = ((text[start:end], location(text, start)) for start, end in _game_spans(text))
        sheet = _read_parts(RowFormat.POSITIONS, parts, _game_row)
    else:
        return None
    return replace(sheet, spoiler=spoiler) if sheet.rows or posted_with_command else None


def read_attached_sheet(attachment: Attachment) -> Sheet | None:
    try:
        text, _ = decode(attachment.data)
    except DomainError:
        return None
    return read_sheet(text, attachment.spoiler, posted_with_command=True)


def _read_parts(
    row_format: RowFormat, parts: Iterator[_LocatedText], read_part: Callable[[str], str]
) -> Sheet:
    rows: list[str] = []
    faults: list[DomainError] = []
    left_out_count = 0
    for part, start in parts:
        if len(rows) == MAX_PUZZLES or left_out_count == MAX_LEFT_OUT:
            return Sheet(row_format, tuple(rows), tuple(faults), left_out_count, ends_early=True)
        try:
            rows.append(read_part(part))
        except (DomainError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            left_out_count += 1
            if not isinstance(error, DomainError):
                error = ParseError("puzzle-row", "this line is not a puzzle")
            if len(faults) < MAX_FAULTS:
                faults.append(error.within(*start) if "\n" in part else error.at(*start))
    return Sheet(row_format, tuple(rows), tuple(faults), left_out_count)


def puzzle_at(text: str, index: int) -> tuple[PuzzleKind, PostedPuzzle, int] | None:
    """Read the puzzle at an index in a sheet's text. Return its kind, the puzzle, and the number of puzzles."""
    format_name, *rows = text.split("\n")
    if not 0 <= index < len(rows):
        return None
    row_format, row = RowFormat(format_name), json.loads(rows[index])
    if row_format is RowFormat.CROSSWORD:
        return PuzzleKind.CROSSWORD, puzzle_of(row), len(rows)
    if row_format is RowFormat.LICHESS:
        return PuzzleKind.CHESS, lichess.puzzle_of(row), len(rows)
    about = (row["about"],) if row["about"] else ()
    return PuzzleKind.CHESS, Puzzle(fen.read(row["fen"]).value, about, (row["solution"],)), len(rows)


def sheet_warnings(sheet: Sheet, other_file_count: int, translate: Translator) -> list[str]:
    lines = [
        translate(
            "Left out: {problem} (line {line}).", problem=escape(translate.problem(fault)), line=fault.line
        )
        for fault in sheet.faults
    ]
    if further_count := sheet.left_out_count - len(sheet.faults):
        lines.append(translate.plural("{number} more", "{number} more", further_count))
    if sheet.ends_early:
        lines.append(translate("The rest of the file wasn't read."))
    if other_file_count:
        lines.append(
            translate.plural(
                "{number} more puzzle file is left out.",
                "{number} more puzzle files are left out.",
                other_file_count,
            )
        )
    return [f"⚠ {line}" for line in lines]
