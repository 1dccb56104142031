"""Reads posted files as puzzles: Kibitz' own files, lichess' rows, and chess positions with a solution."""

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
from bot.domain.chess.notations import epd, fen, pgn
from bot.domain.chess.notations import pgn_in_text as span
from bot.domain.chess.position import START, ChessPosition
from bot.domain.chess.solution import MAX_MOVES
from bot.domain.crossword.scoring import play_problems
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError, ParseError, Piece, location
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.crossword.document import PuzzleFileError, check_head, puzzle_of
from bot.features.puzzles.selection import Kind, LibraryPuzzle
from bot.text import Speaker

PostedPuzzle: TypeAlias = LibraryPuzzle | Puzzle

MAX_PUZZLES = 1_000
"""Maximum number of puzzles read from a file."""
MAX_LEFT_OUT = 1_000
"""Maximum number of lines or games in a file that are not puzzles; reading stops there."""
MAX_FAULTS = 3
"""Maximum number of such lines or games named."""


class Form(StrEnum):
    """The kind of a sheet's rows."""

    CROSSWORD = "crossword"
    """A line that ``puzzles make`` wrote."""
    LICHESS = "lichess"
    """A row of lichess' data set."""
    POSITIONS = "positions"
    """A position of chess with its solution, out of an EPD or a PGN."""

    @property
    def kind(self) -> Kind:
        """The game."""
        return Kind.CROSSWORD if self is Form.CROSSWORD else Kind.CHESS


@dataclass(frozen=True, slots=True)
class Sheet:
    """The puzzles of a posted file."""

    form: Form
    rows: tuple[str, ...]
    """Each puzzle as JSON on one line; all have been read."""
    faults: tuple[DomainError, ...] = ()
    """Why others are left out, with their places: the first few."""
    left_out: int = 0
    """The number of parts left out."""
    ends_early: bool = False
    """Whether the file is longer than what was read."""
    spoiler: bool = False

    def write(self) -> str:
        """Write the sheet for storage: the form, then a row on each line."""
        return "\n".join((self.form, *self.rows))


MAX_JSON_LINE = 20_000
"""Maximum length of a line, in characters."""


def _is_crossword(text: str) -> bool:
    """Return whether the first line of a file announces crossword puzzles."""
    try:
        check_head(text[:MAX_JSON_LINE].split("\n", 1)[0])
    except PuzzleFileError:
        return False
    return True


def _crossword_row(line: str) -> str:
    """Read a line that ``puzzles make`` wrote; every play that it names can be made."""
    if len(line) > MAX_JSON_LINE:
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


_NEEDED_COLUMNS = frozenset({"PuzzleId", "FEN", "Moves", "Rating"})


def _lichess_row(header: list[str], line: str) -> str:
    """Read a row of lichess' data set; its line of moves is played."""
    if len(line) > lichess.MAX_LINE:
        raise ValueError
    row = dict(zip(header, _cells(line), strict=False))
    lichess.puzzle_of(row)
    return json.dumps({name: row.get(name, "") for name in lichess.COLUMNS})


def _cells(line: str) -> list[str]:
    """Return the cells of a line; none if it is not CSV."""
    try:
        return next(csv.reader([line.strip("\r\ufeff")]), [])
    except csv.Error:
        return []


MAX_LINE = 2_000
"""Maximum length of an EPD, in characters."""
MAX_GAME = 20_000
"""Maximum length of a game, in characters."""
_MAX_PUZZLE_GAME = 2_000
"""Maximum characters of a game that counts as a puzzle in any posted file."""
MAX_ABOUT = 80
_BEST_MOVE_OPCODE = "bm"
_MISTAKES = frozenset({2, 4, 6})
"""Annotations: ``?``, ``??`` and ``?!``."""
_HEAD_LINES = 20
"""Lines of a file that are examined to recognize it."""
_PLAYED_GAME_TAGS = frozenset(
    {"TimeControl", "UTCDate", "UTCTime", "Termination", "WhiteElo", "BlackElo", "Variant", "Annotator"}
    | {"StudyName", "ChapterName"}
)
"""Tags of games that were played, and of studies: these are shown as what they are."""


def _is_epd(text: str) -> bool:
    """Return whether a file is a list of EPDs with best moves, judged by its first two lines that are not comments."""
    lines = [
        line
        for line in text.split("\n", _HEAD_LINES)[:_HEAD_LINES]
        if line.strip() and not line.startswith("#")
    ]
    return len(lines) > 1 and all(
        len(line) <= MAX_LINE and f" {_BEST_MOVE_OPCODE} " in line and line.split(" ", 1)[0].count("/") == 7
        for line in lines[:2]
    )


def _epd_row(line: str) -> str:
    """Read an EPD: its best moves, or the variation (``pv``) that begins with one of them."""
    if len(line) > MAX_LINE:
        raise ValueError
    position = epd.read(line).value
    operations = dict(position.operations)
    best = operations.get(_BEST_MOVE_OPCODE, "").split()
    if not best:
        raise ParseError("puzzle-best", "this position has no best move (bm)")
    bare = replace(position, operations=())
    board = bare.board()
    moves = tuple(dict.fromkeys(read_move(board, Piece.of(move))[1] for move in best[:MAX_MOVES]))
    number = f"{bare.fullmove_number}{'.' if bare.white_to_move else '...'}"
    # Beside the first of them, the others are variations.
    others = "".join(f" ({number} {move})" for move in moves[1:])
    rest = ""
    if variation := operations.get("pv", "").split()[:MAX_MOVES]:
        game = pgn.read(pgn.write(ChessGame(bare)).removesuffix("*\n") + " ".join(variation))
        if game.error is not None:
            raise game.error
        played = tuple(move.san for move in game.value.turns)
        rest = " ".join(played[1:]) if played[:1] == moves[:1] else ""
    return _row(bare, f"{number} {moves[0]}{others} {rest}".strip(), operations.get("id", "").strip('"'))


def _games(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each game in a text."""
    return ((start, end) for start, end, name in span.find(text) if name == "pgn")


def _are_games(text: str, *, explicit: bool) -> bool:
    """Return whether a file holds games as puzzles: two or more, each short and from a given position.

    With ``explicit``, a single game of any kind is enough.
    """
    if "[FEN " not in text or explicit:
        return "[FEN " in text
    games = [text[start:end] for start, end in islice(_games(text), 3)]
    return len(games) > 1 and all(
        "[FEN " in part
        and len(part) <= _MAX_PUZZLE_GAME
        and not any(f"[{tag} " in part for tag in _PLAYED_GAME_TAGS)
        for part in games
    )


def _game_row(text: str) -> str:
    """Read a game: its moves and their variations are the solution."""
    if len(text) > MAX_GAME:
        raise ParseError("puzzle-moves-many", "the solution is too long")
    reading = pgn.read(text)
    if reading.error is not None:
        raise reading.error
    game = reading.value
    if game.start == START:
        raise ParseError("puzzle-start", "the game starts from the standard position, so it isn't a puzzle")
    if not game.turns:
        raise ParseError("puzzle-no-moves", "there is no solution")
    if len(game.turns) > MAX_MOVES:
        raise ParseError("puzzle-moves-many", "the solution is too long")
    solution = pgn.write(ChessGame(game.start, _bare_moves(game.turns))).partition("\n\n")[2]
    players = " – ".join(filter(None, (game.tag("White"), game.tag("Black"))))
    about = " · ".join(filter(None, (game.tag("Event"), players)))
    solution = " ".join(solution.split()).removesuffix("*").strip()
    return _row(game.start, solution.replace("( ", "(").replace(" )", ")"), about)


def _bare_moves(moves: tuple[ChessMove, ...]) -> tuple[ChessMove, ...]:
    """Return moves without what is said about them, which may be long, and without ways that are called mistakes."""
    return tuple(
        ChessMove(
            move.san,
            move.uci,
            variations=tuple(
                _bare_moves(way) for way in move.variations if _MISTAKES.isdisjoint(way[0].nags)
            ),
        )
        for move in moves
    )


def _row(position: ChessPosition, solution: str, about: str) -> str:
    return json.dumps({"fen": position.fen, "solution": solution, "about": about[:MAX_ABOUT]})


MAX_LENGTH = 1_000_000
"""Maximum length of a file, in characters."""
_Part: TypeAlias = tuple[str, tuple[int, int]]
"""A line or game of a file, and its place."""


def read_sheet(text: str, spoiler: bool = False, *, explicit: bool = False) -> Sheet | None:  # noqa: FBT001, FBT002 - a SheetReader
    """Read a file as puzzles; None if it is not a file of puzzles, or has no complete puzzle.

    With ``explicit``, for a file given for its puzzles, a sheet without puzzles has the faults, and any game from a given
    position is a puzzle.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_LENGTH:
        return None
    parts, header = _lines(text), _cells(text[: lichess.MAX_LINE].split("\n", 1)[0])
    read: Callable[[str], str]
    if _is_crossword(text):
        form, parts, read = Form.CROSSWORD, islice(parts, 1, None), _crossword_row
    elif set(header) >= _NEEDED_COLUMNS:
        form, parts, read = Form.LICHESS, islice(parts, 1, None), partial(_lichess_row, header)
    elif _is_epd(text):
        form, read = Form.POSITIONS, _epd_row
        parts = (part for part in parts if not part[0].startswith("#"))
    elif _are_games(text, explicit=explicit):
        form, read = Form.POSITIONS, _game_row
        parts = ((text[start:end], location(text, start)) for start, end in _games(text))
    else:
        return None
    sheet = _collected(form, parts, read, spoiler=spoiler)
    return sheet if sheet.rows or explicit else None


def _lines(text: str) -> Iterator[_Part]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield line, (number, 1)


def read_puzzles(attachment: Attachment) -> Sheet | None:
    """Read a file given for its puzzles; None when it holds no puzzles."""
    try:
        text, _ = decode(attachment.data)
    except DomainError:
        return None
    return read_sheet(text, attachment.spoiler, explicit=True)


def _collected(form: Form, parts: Iterator[_Part], read: Callable[[str], str], *, spoiler: bool) -> Sheet:
    rows: list[str] = []
    faults: list[DomainError] = []
    left_out = 0
    for part, at in parts:
        if len(rows) == MAX_PUZZLES or left_out == MAX_LEFT_OUT:
            return Sheet(form, tuple(rows), tuple(faults), left_out, ends_early=True, spoiler=spoiler)
        try:
            rows.append(read(part))
        except (DomainError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            left_out += 1
            if not isinstance(error, DomainError):
                error = ParseError("puzzle-row", "this line isn't a puzzle")
            if len(faults) < MAX_FAULTS:
                faults.append(error.within(*at) if "\n" in part else error.at(*at))
    return Sheet(form, tuple(rows), tuple(faults), left_out, spoiler=spoiler)


def puzzle_at(text: str, index: int) -> tuple[Kind, PostedPuzzle, int] | None:
    """Return a puzzle of a sheet that :meth:`Sheet.write` wrote, with its game and the number of puzzles in the sheet.

    None when the sheet has no such row.
    """
    name, *rows = text.split("\n")
    if not 0 <= index < len(rows):
        return None
    form, row = Form(name), json.loads(rows[index])
    puzzle: PostedPuzzle
    if form is Form.CROSSWORD:
        puzzle = puzzle_of(row)
    elif form is Form.LICHESS:
        puzzle = lichess.puzzle_of(row)
    else:
        about = (row["about"],) if row["about"] else ()
        puzzle = Puzzle(fen.read(row["fen"]).value, about, (row["solution"],))
    return form.kind, puzzle, len(rows)


def sheet_remarks(sheet: Sheet, others: int, say: Speaker) -> list[str]:
    """Return warnings about the parts of a posted file that are left out, and about ``others``, the files left out."""
    lines = [
        say("Left out: {problem} (line {line}).", problem=escape(say.problem(fault)), line=fault.line)
        for fault in sheet.faults
    ]
    if more := sheet.left_out - len(sheet.faults):
        lines.append(say.count("{number} more", "{number} more", more))
    if sheet.ends_early:
        lines.append(
            say.count(
                "Only the first {number} puzzle is used.",
                "Only the first {number} puzzles are used.",
                len(sheet.rows),
            )
        )
    if others:
        lines.append(
            say.count(
                "{number} more puzzle file is left out.",
                "{number} more puzzle files are left out.",
                others,
            )
        )
    return [f"⚠ {line}" for line in lines]
