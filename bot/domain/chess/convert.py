"""Writing a chess document in another notation, and what gets lost on the way. ``docs/conversions.md`` has the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from bot.domain.chess.book import BookLine, BookSource, sequence_name
from bot.domain.chess.documents import NAMES, ChessDocument
from bot.domain.chess.game import ChessGame
from bot.domain.chess.losses import (
    as_game,
    book_losses,
    game_losses,
    loss,
    of_one_position,
    position_losses,
    puzzle_losses,
    variant_loss,
)
from bot.domain.chess.notations import book, fen, json_document, pgn, puzzles, uci
from bot.domain.chess.notations.fen import epd
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.puzzles import MAX_DESCRIPTION, Puzzle, PuzzleSet
from bot.domain.chess.solution import solutions
from bot.domain.reading.conversion import Conversion, Loss
from bot.domain.reading.problems import ConversionError, DomainError

_GAMES = {
    "pgn": (pgn.write, pgn.read),
    "uci": (uci.write, uci.read),
}
_POSITIONS = {
    "fen": (fen.write, fen.read),
    "epd": (epd.write, epd.read),
}


def convert(document: ChessDocument, to: str, *, turn: int | None = None) -> Conversion:
    """Write a document in the notation ``to``, one of :data:`~bot.domain.chess.documents.NAMES`.

    Of a game, ``turn`` is the half-move to stop at, after the last one when None. Notations of positions then hold the
    position, the others the game up to there.

    Raises:
        ConversionError: the notation cannot hold it at all, or the game has fewer turns.

    """
    if to not in NAMES:
        raise ConversionError("unknown-notation", "{notation!r} is no notation", notation=to[:40])
    if isinstance(document, ChessGame):
        return _convert_game(document, to, turn)
    if turn is not None:
        raise ConversionError("no-turns", "only a game has turns to choose from")
    if to == "json":
        return Conversion(json_document.write(document))
    match document:
        case ChessPosition():
            return _convert_position(document, to)
        case PuzzleSet():
            return _convert_puzzles(document, to)
        case _:
            return _convert_book(document, to)


def _refused(to: str) -> ConversionError:
    return ConversionError("other-kind", "{notation} tells something else", notation=NAMES[to])


def _convert_position(position: ChessPosition, to: str) -> Conversion:
    if to in _POSITIONS:
        write, read = _POSITIONS[to]
        text = write(position)
        return _conversion(text, _losses(position, lambda: position_losses(position, read(text).value)))
    if to == "pgn":
        game = ChessGame(position)
        text = pgn.write(game)
        return _conversion(text, game_losses(game, pgn.read(text).value))
    if to == "puzzles":
        raise _refused(to)
    raise ConversionError(
        "no-moves", "a position has no moves, and {notation} is made of them", notation=NAMES[to]
    )


def _convert_game(game: ChessGame, to: str, turn: int | None) -> Conversion:
    count = len(game.turns)
    if turn is not None and not 0 <= turn <= count:
        raise ConversionError("no-turn", "the game has {turns} turns, not {turn}", turns=count, turn=turn)
    last = count if turn is None else turn
    part = game if last == count else replace(game, turns=game.turns[:last], result="*")
    if to in _POSITIONS:
        position = game.position_at(last)
        # The last move goes with the others.
        conversion = _convert_position(replace(position, last_move="") if last else position, to)
        return replace(conversion, losses=(*of_one_position(part, last), *conversion.losses))
    if to == "json":
        return Conversion(json_document.write(part))
    if to in _GAMES:
        write, read = _GAMES[to]
        text = write(part)

        def lost() -> Iterator[Loss]:
            reading = read(text)
            if part.start.variant != reading.value.start.variant:
                # By other rules the moves mean something else.
                yield variant_loss(part.start)
                return
            yield from game_losses(part, reading.value)

        return _conversion(text, _losses(part.start, lost))
    if to == "book":
        return _as_book(part)
    raise _refused(to)


def _losses(position: ChessPosition, found: Callable[[], Iterator[Loss]]) -> tuple[Loss, ...]:
    """Return what is lost; of a variant everything that tells it, where the text cannot be read by the usual rules."""
    try:
        return tuple(found())
    except DomainError:
        if not position.variant:
            raise
        return (variant_loss(position),)


def _as_book(game: ChessGame) -> Conversion:
    if game.start.variant:
        raise _refused("book")
    if not game.turns:
        raise ConversionError(
            "no-moves", "a position has no moves, and {notation} is made of them", notation=NAMES["book"]
        )
    line = BookLine(game.turns, sequence_name(game.tag("Opening")), game.start, comment=game.comment)
    text = book.write(BookSource((line,)))
    [again] = book.read(text).value.lines
    return _conversion(text, game_losses(game, as_game(again)))


def _convert_puzzles(found: PuzzleSet, to: str) -> Conversion:
    if to == "puzzles":
        text = puzzles.write(found)
        return _conversion(text, puzzle_losses(found, puzzles.read(text).value))
    comments = found.comments or any(puzzle.comments for puzzle in found.puzzles)
    commented = (loss("annotations"),) if comments else ()
    if to == "epd":
        told = (annotated(puzzle, number) for number, puzzle in enumerate(found.puzzles, start=1))
        return Conversion("".join(f"{epd.write(position)}\n" for position in told), commented)
    if to == "fen":
        texts = any(puzzle.description or puzzle.solution for puzzle in found.puzzles)
        text = "".join(f"{puzzle.position.fen}\n" for puzzle in found.puzzles)
        return Conversion(text, (loss("texts"), *commented) if texts else commented)
    raise _refused(to)


def annotated(puzzle: Puzzle, number: int) -> ChessPosition:
    """Return a puzzle's position with everything else as EPD operations.

    ``id`` counts the puzzles, ``c0`` to ``c2`` hold the description, ``c3`` to ``c6`` the solution as it is written;
    ``bm`` and ``pv`` tell its first move and its moves where they can be understood.
    """
    operations = [("id", epd.quoted(f"puzzle {number}"))]
    found = solutions(puzzle.position, puzzle.solution_text)
    if found:
        operations.append(("bm", " ".join(dict.fromkeys(line[0].san for line in found))))
        operations.append(("pv", " ".join(move.san for move in found[0])))
    operations += [(f"c{index}", epd.quoted(text)) for index, text in enumerate(puzzle.description)]
    operations += [
        (f"c{index}", epd.quoted(text)) for index, text in enumerate(puzzle.solution, MAX_DESCRIPTION)
    ]
    return replace(puzzle.position, operations=tuple(operations))


def _convert_book(source: BookSource, to: str) -> Conversion:
    if to == "book":
        text = book.write(source)
        return _conversion(text, book_losses(source, map(as_game, book.read(text).value.lines)))
    if to == "pgn":
        texts = [pgn.write(as_game(line)) for line in source.lines]
        return _conversion("\n".join(texts), book_losses(source, (pgn.read(text).value for text in texts)))
    raise _refused(to)


def _conversion(text: str, losses: Iterable[Loss]) -> Conversion:
    return Conversion(text, tuple(dict.fromkeys(losses)))
