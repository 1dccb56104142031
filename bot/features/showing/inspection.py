"""The JSON objects that ``kibitz inspect --json`` prints."""

from __future__ import annotations

from bot.domain.chess.documents import ChessDocument, ChessGame, PuzzleSet
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play_text import rack_text, turn_text
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.features.showing.chess.position import compiled_book
from bot.features.showing.findings import Findings, FoundDocument


def inspection(file: str, findings: Findings) -> dict[str, object]:
    """Return the object for a file. ``error`` is the first error in the file."""
    unreadable = findings.unreadable_texts[:1]
    return {
        "file": file,
        "items": [_item(found) for found in findings.documents],
        "unread": findings.left_out_count_with_repeats,
        "error": {"format": unreadable[0].format, **_problem(unreadable[0].error)} if unreadable else None,
    }


def unreadable_file_inspection(file: str, message: str) -> dict[str, object]:
    return {
        "file": file,
        "items": [],
        "unread": 0,
        "error": {"format": "", "line": 1, "column": 1, "code": "unreadable-file", "message": message},
    }


def _item(found: FoundDocument) -> dict[str, object]:
    facts = _chess_facts(found.document) if is_chess(found.document) else _crossword_facts(found)
    facts = {"format": found.format, **facts, "warnings": [_problem(warning) for warning in found.warnings]}
    if found.picture_confidence is not None:
        facts["sight"] = {
            "confident": found.picture_confidence.is_confident,
            "doubtful": list(found.picture_confidence.parts_to_check),
        }
    return facts


def _problem(problem: DomainError | ReadWarning) -> dict[str, object]:
    return {
        "line": problem.line,
        "column": problem.column,
        "code": problem.code,
        "message": problem.message,
    }


def _crossword_facts(found: FoundDocument) -> dict[str, object]:
    position = found.position
    facts: dict[str, object] = {
        "kind": "position",
        "cgp": cgp.write_or_none(position),
        "scores": [player.score for player in position.players],
        "racks": [rack_text(player.rack, position.rules.distribution) for player in position.players],
    }
    if any(player.name for player in position.players):
        facts["names"] = [player.name for player in position.players]
    if isinstance(found.document, Game):
        game = found.document
        facts["kind"] = "game"
        players = [name.nick if found.format == "gcg" else name.name or name.nick for name in game.names]
        facts["players"] = players
        facts["names"] = [name.name for name in game.names]
        facts["turns"] = [_turn(game, number, players) for number in range(1, len(game.turns) + 1)]
    return facts


def _turn(game: Game, number: int, players: list[str]) -> dict[str, object]:
    turn, distribution = game.turns[number - 1], game.rules.distribution
    return {
        "number": number,
        "player": players[turn.seat],
        "kind": turn.kind.value,
        "rack": rack_text(turn.rack, distribution, unknown_count=turn.rack_unknown_count),
        "play": turn_text(turn, distribution),
        "score": turn.score,
        "cumulative": turn.cumulative,
        "note": turn.note,
    }


def _chess_facts(document: ChessDocument) -> dict[str, object]:
    match document:
        case ChessPosition():
            return {
                "kind": "chess-position",
                "fen": document.fen,
                **({"variant": document.variant} if document.variant else {}),
                "operations": [list(pair) for pair in document.operations],
            }
        case ChessGame():
            return {
                "kind": "chess-game",
                "fen": document.position_at(len(document.turns)).fen,
                "tags": dict(document.tags),
                "result": document.result,
                "turns": [
                    {"san": turn.san, "uci": turn.uci, "comment": turn.comment} for turn in document.turns
                ],
            }
        case PuzzleSet():
            return {
                "kind": "chess-puzzles",
                "puzzles": [
                    {
                        "line": puzzle.line_number,
                        "fen": puzzle.position.fen,
                        "description": list(puzzle.description),
                        "solution": list(puzzle.solution),
                    }
                    for puzzle in document.puzzles
                ],
            }
        case _:
            book = compiled_book(document)
            return {
                "kind": "chess-book",
                "lines": book.line_count,
                "positions": book.position_count,
                "depth": book.depth,
                "transpositions": book.transposition_count,
                "names": list(dict.fromkeys(line.name for line in document.lines if line.name)),
            }
