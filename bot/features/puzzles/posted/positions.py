"""Posted positions of chess with a solution: EPDs with ``bm``, and games in PGN that start from a position of their own.

A row keeps the position, the solution as movetext, and a line about it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from bot.domain.chess.documents import Puzzle
from bot.domain.chess.game import ChessGame, ChessMove
from bot.domain.chess.moves import read_move
from bot.domain.chess.notations import epd, fen, pgn
from bot.domain.chess.notations import pgn_in_text as span
from bot.domain.chess.position import START, ChessPosition
from bot.domain.chess.solution import MAX_MOVES
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import DomainError, ParseError, place
from bot.features.puzzles.posted.values import Row

MAX_LINE = 2_000
"""Characters of an EPD."""
MAX_GAME = 20_000
"""Characters of a game."""
_SHORT = 2_000
"""Characters of a game that is a puzzle though nobody asked for puzzles."""
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
    """Tell whether a file is a list of EPDs with best moves: the first two lines that are no comments are."""
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
    """Tell whether a file holds games that are puzzles: two or more, each short and from a position of its own.

    For somebody who asked one is enough, of whatever kind.
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
        raise ParseError("puzzle-start", "the game starts from no position of its own")
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


def puzzle_of(row: dict[str, str]) -> Puzzle:
    """Return the puzzle of a row."""
    position = fen.read(row["fen"]).value
    return Puzzle(position, (row["about"],) if row["about"] else (), (row["solution"],))
