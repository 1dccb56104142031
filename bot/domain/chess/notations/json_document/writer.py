"""The members of JSON documents from the values of chess. What is empty is left out."""

from __future__ import annotations

from bot.domain.chess.book import BookLine
from bot.domain.chess.documents import ChessDocument
from bot.domain.chess.game import ChessGame
from bot.domain.chess.notations.json_document.lines import BOOK, GAME, POSITION, PUZZLES, line_members
from bot.domain.chess.position import START, ChessPosition
from bot.domain.chess.puzzles import Puzzle, PuzzleSet
from bot.domain.reading.json_document import Members, lay_out


def write(document: ChessDocument) -> str:
    """Write a document."""
    return lay_out(*_members(document))


def _members(document: ChessDocument) -> tuple[str, Members]:
    match document:
        case ChessPosition():
            return POSITION, _position_members(document)
        case ChessGame():
            return GAME, _game_members(document)
        case PuzzleSet():
            told = {"puzzles": [_puzzle_members(puzzle) for puzzle in document.puzzles]}
            return PUZZLES, told | _comment_members(document.comments)
        case _:
            return BOOK, {"lines": [_book_members(line) for line in document.lines]}


def _position_members(position: ChessPosition) -> Members:
    told: Members = {
        "variant": position.variant,
        "last_move": position.last_move,
        "operations": [list(pair) for pair in position.operations],
    }
    return {"fen": position.fen} | {name: value for name, value in told.items() if value}


def _game_members(game: ChessGame) -> Members:
    told: Members = {
        "tags": [list(pair) for pair in game.tags],
        "start": _position_members(game.start) if game.start != START else None,
        "comment": game.comment,
    }
    kept = {name: value for name, value in told.items() if value}
    return kept | {"result": game.result} | line_members(game.turns)


def _puzzle_members(puzzle: Puzzle) -> Members:
    return {
        "fen": puzzle.position.fen,
        "description": list(puzzle.description),
        "solution": list(puzzle.solution),
    } | _comment_members(puzzle.comments)


def _comment_members(comments: tuple[str, ...]) -> Members:
    return {"comments": list(comments)} if comments else {}


def _book_members(line: BookLine) -> Members:
    start = {"start": line.start.fen} if line.start.fen != START.fen else {}
    comment = {"comment": line.comment} if line.comment else {}
    return {"name": line.name} | start | comment | line_members(line.moves)
