"""Reading a posted file as puzzles: Kibitz' own, lichess' rows, positions with a best move; and a puzzle of a kept sheet again."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import TypeAlias

from bot.chat.source import Attachment
from bot.domain.chess.documents import ChessGame, ChessMove, Puzzle
from bot.domain.chess.moves import read_move
from bot.domain.chess.notations import epd, fen, pgn
from bot.domain.chess.notations import pgn_in_text as span
from bot.domain.chess.position import START, ChessPosition
from bot.domain.chess.solution import MAX_MOVES
from bot.domain.crossword.scoring import play_problems
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError, ParseError, Piece, place
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.crossword.document import CrosswordPuzzle, PuzzleFileError, check_head, puzzle_of
from bot.features.puzzles.selection import Kind

MAX_PUZZLES = 1_000
"""Puzzles read from a file."""
MAX_LEFT_OUT = 1_000
"""Lines or games of a file that are no puzzles; no further one is looked at."""
MAX_FAULTS = 3
"""Of those, so many are named."""


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


Row: TypeAlias = str | DomainError
"""A puzzle as JSON on one line, or why there is none; the error has its place in the file."""


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
"""Characters of a line."""


def is_crossword(text: str) -> bool:
    """Return whether the first line of a file announces crossword puzzles."""
    if not text.startswith("{"):
        return False
    try:
        check_head(text[:MAX_JSON_LINE].split("\n", 1)[0])
    except PuzzleFileError:
        return False
    return True


def crossword_rows(text: str) -> Iterator[Row]:
    """Yield each puzzle of such a file; every play that it names can be made."""
    for number, line in enumerate(text.split("\n")[1:], start=2):
        if not line.strip():
            continue
        try:
            yield _crossword_row(line)
        except DomainError as error:
            yield error.at(number, 1)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            yield ParseError("puzzle-row", "this line is no puzzle", line=number)


def _crossword_row(line: str) -> str:
    if len(line) > MAX_JSON_LINE:
        raise ValueError
    row = json.loads(line)
    puzzle = puzzle_of(row)
    position = puzzle.position
    if not puzzle.words and not position.players[position.on_turn].rack:
        raise ParseError("puzzle-rack", "the puzzle has no rack")
    for play in (*puzzle.answers, *(one.play for one in puzzle.ranking)):
        for problem in play_problems(position, play):
            raise problem
    return json.dumps(row)


_NEEDED = frozenset({"PuzzleId", "FEN", "Moves", "Rating"})


def is_lichess(text: str) -> bool:
    """Return whether the first line of a file names the columns of lichess' puzzles."""
    line = text[: lichess.MAX_LINE].split("\n", 1)[0]
    return "PuzzleId" in line and set(_cells(line)) >= _NEEDED


def lichess_rows(text: str) -> Iterator[Row]:
    """Yield each puzzle of such a file; every line of moves is played."""
    first, *lines = text.split("\n")
    header = _cells(first)
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        try:
            yield _lichess_row(header, line)
        except DomainError as error:
            yield error.at(number, 1)
        except (ValueError, KeyError):
            yield ParseError("puzzle-row", "this line is no puzzle", line=number)


def _lichess_row(header: list[str], line: str) -> str:
    if len(line) > lichess.MAX_LINE:
        raise ValueError
    row = dict(zip(header, _cells(line), strict=False))
    lichess.puzzle_of(row)
    return json.dumps({name: row.get(name, "") for name in lichess.COLUMNS})


def _cells(line: str) -> list[str]:
    """Return the cells of a line; none when it is no CSV."""
    try:
        return next(csv.reader([line.strip("\r\ufeff")]), [])
    except csv.Error:
        return []


MAX_LINE = 2_000
"""Characters of an EPD."""
MAX_GAME = 20_000
"""Characters of a game."""
_SHORT = 2_000
"""Maximum characters of a game that counts as a puzzle in any posted file."""
MAX_ABOUT = 80
_BEST = "bm"
_MISTAKES = frozenset({2, 4, 6})
"""Annotations: ``?``, ``??`` and ``?!``."""
_HEAD = 20
"""Lines of a file that are looked at to recognize it."""
_OF_PLAY = frozenset(
    {"TimeControl", "UTCDate", "UTCTime", "Termination", "WhiteElo", "BlackElo", "Variant", "Annotator"}
    | {"StudyName", "ChapterName"}
)
"""Tags of games that were played, and of studies: these are shown as what they are."""


def is_epd(text: str) -> bool:
    """Return whether a file is a list of EPDs with best moves, judged by its first two lines that are no comments."""
    lines = [line for line in text.split("\n", _HEAD)[:_HEAD] if line.strip() and not line.startswith("#")]
    return len(lines) > 1 and all(_looks_like_epd(line) for line in lines[:2])


def _looks_like_epd(line: str) -> bool:
    return len(line) <= MAX_LINE and f" {_BEST} " in line and line.split(" ", 1)[0].count("/") == 7


def epd_rows(text: str) -> Iterator[Row]:
    """Yield the puzzle of each line: its best moves, or the variation (``pv``) that begins with one of them."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if len(line) > MAX_LINE:
                raise ParseError("puzzle-row", "this line is no puzzle")
            yield _epd_row(epd.read(line).value)
        except DomainError as error:
            yield error.at(number, error.column)


def _epd_row(position: ChessPosition) -> str:
    told = dict(position.operations)
    best = told.get(_BEST, "").split()
    if not best:
        raise ParseError("puzzle-best", "this position has no best move (bm)")
    bare = replace(position, operations=())
    board = bare.board()
    moves = tuple(dict.fromkeys(read_move(board, Piece.of(move))[1] for move in best[:MAX_MOVES]))
    number = f"{bare.fullmove_number}{'.' if bare.white_to_move else '...'}"
    # Beside the first of them, the others are variations.
    others = "".join(f" ({number} {move})" for move in moves[1:])
    rest = ""
    if line := told.get("pv", "").split()[:MAX_MOVES]:
        game = pgn.read(pgn.write(ChessGame(bare)).removesuffix("*\n") + " ".join(line))
        if game.error is not None:
            raise game.error.at(1, 1)
        played = tuple(move.san for move in game.value.turns)
        rest = " ".join(played[1:]) if played[:1] == moves[:1] else ""
    return _row(bare, f"{number} {moves[0]}{others} {rest}".strip(), told.get("id", "").strip('"'))


def _games(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each game in a text."""
    return ((start, end) for start, end, name in span.find(text) if name == "pgn")


def are_games(text: str, *, asked: bool) -> bool:
    """Return whether a file holds games as puzzles: two or more, each short and from a given position.

    With ``asked``, a single game of any kind is enough.
    """
    if "[FEN " not in text:
        return False
    if asked:
        return True
    games = 0
    for start, end in islice(_games(text), 3):
        part = text[start:end]
        if "[FEN " not in part or len(part) > _SHORT or any(f"[{tag} " in part for tag in _OF_PLAY):
            return False
        games += 1
    return games > 1


def game_rows(text: str) -> Iterator[Row]:
    """Yield the puzzle of each game: its moves and their variations are the solution."""
    for start, end in _games(text):
        at = place(text, start)
        try:
            if end - start > MAX_GAME:
                raise ParseError("puzzle-moves-many", "the solution is too long")
            yield _game_row(text[start:end])
        except DomainError as error:
            yield error.within(*at)


def _game_row(text: str) -> str:
    reading = pgn.read(text)
    if reading.error is not None:
        raise reading.error
    game = reading.value
    if game.start == START:
        raise ParseError("puzzle-start", "the game starts from the usual position, so it is no puzzle")
    if not game.turns:
        raise ParseError("puzzle-no-moves", "there is no solution")
    if len(game.turns) > MAX_MOVES:
        raise ParseError("puzzle-moves-many", "the solution is too long")
    solution = pgn.write(ChessGame(game.start, _bare(game.turns))).partition("\n\n")[2]
    about = " · ".join(
        told
        for told in (game.tag("Event"), " – ".join(filter(None, (game.tag("White"), game.tag("Black")))))
        if told
    )
    solution = " ".join(solution.split()).removesuffix("*").strip()
    return _row(game.start, solution.replace("( ", "(").replace(" )", ")"), about)


def _bare(moves: tuple[ChessMove, ...]) -> tuple[ChessMove, ...]:
    """Return moves without what is said about them, which may be long, and without ways that are called mistakes."""
    return tuple(
        ChessMove(
            move.san,
            move.uci,
            variations=tuple(_bare(way) for way in move.variations if _MISTAKES.isdisjoint(way[0].nags)),
        )
        for move in moves
    )


def _row(position: ChessPosition, solution: str, about: str) -> str:
    return json.dumps({"fen": position.fen, "solution": solution, "about": about[:MAX_ABOUT]})


def position_of(row: dict[str, str]) -> Puzzle:
    """Return the puzzle of a row."""
    position = fen.read(row["fen"]).value
    return Puzzle(position, (row["about"],) if row["about"] else (), (row["solution"],))


PostedPuzzle: TypeAlias = CrosswordPuzzle | ChessPuzzle | Puzzle

MAX_LENGTH = 1_000_000
"""Characters of a file."""


def read_sheet(text: str, *, asked: bool = False) -> Sheet | None:
    """Read a file as puzzles; None when it is no file of puzzles, or has no complete puzzle.

    With ``asked``, for a file given for its puzzles, a sheet without puzzles has the faults, and any game from a given
    position is a puzzle.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_LENGTH:
        return None
    for form, is_one, rows in _FORMS:
        if is_one(text, asked):
            sheet = _collected(form, rows(text))
            return sheet if sheet.rows or asked else None
    return None


def read_posted(text: str, spoiler: bool) -> Sheet | None:  # noqa: FBT001 - a SheetReader
    """Read a posted file as puzzles; None when it is no file of puzzles."""
    sheet = read_sheet(text)
    return None if sheet is None else replace(sheet, spoiler=spoiler)


def read_puzzles(attachment: Attachment) -> Sheet | None:
    """Read a file given for its puzzles; None when it holds no puzzles."""
    try:
        text, _ = decode(attachment.data)
    except DomainError:
        return None
    sheet = read_sheet(text, asked=True)
    return None if sheet is None else replace(sheet, spoiler=attachment.spoiler)


_FORMS: tuple[tuple[Form, Callable[[str, bool], bool], Callable[[str], Iterator[Row]]], ...] = (
    (Form.CROSSWORD, lambda text, _: is_crossword(text), crossword_rows),
    (Form.LICHESS, lambda text, _: is_lichess(text), lichess_rows),
    (Form.POSITIONS, lambda text, _: is_epd(text), epd_rows),
    (Form.POSITIONS, lambda text, asked: are_games(text, asked=asked), game_rows),
)
"""The test and the reader of each form, in order of precedence."""


def _collected(form: Form, rows: Iterator[Row]) -> Sheet:
    kept: list[str] = []
    faults: list[DomainError] = []
    left_out = 0
    for row in rows:
        if len(kept) == MAX_PUZZLES or left_out == MAX_LEFT_OUT:
            return Sheet(form, tuple(kept), tuple(faults), left_out, ends_early=True)
        if isinstance(row, str):
            kept.append(row)
        else:
            left_out += 1
            if len(faults) < MAX_FAULTS:
                faults.append(row)
    return Sheet(form, tuple(kept), tuple(faults), left_out)


def puzzle_at(text: str, index: int) -> tuple[Kind, PostedPuzzle, int] | None:
    """Return a puzzle of a sheet that :meth:`Sheet.write` wrote, with its game and the number of puzzles in the sheet.

    None when the sheet has no such row.
    """
    name, *rows = text.split("\n")
    if not 0 <= index < len(rows):
        return None
    form, row = Form(name), json.loads(rows[index])
    return form.kind, _READERS[form](row), len(rows)


_READERS: dict[Form, Callable[[dict[str, str]], PostedPuzzle]] = {
    Form.CROSSWORD: lambda row: puzzle_of(dict(row)),
    Form.LICHESS: lichess.puzzle_of,
    Form.POSITIONS: position_of,
}
