"""Converts between chess notations. ``docs/conversions.md`` lists the losses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

from bot.domain.chess import board_link
from bot.domain.chess.documents import (
    MAX_DESCRIPTION_LINES,
    NOTATION_LABELS,
    BookLine,
    BookSource,
    ChessDocument,
    ChessGame,
    ChessMove,
    Puzzle,
    PuzzleSet,
    line_name,
)
from bot.domain.chess.notations import (
    book,
    epd,
    fen,
    fen_in_text,
    json_document,
    pgn,
    pgn_in_text,
    puzzles,
    uci,
)
from bot.domain.chess.position import VARIANTS, ChessPosition
from bot.domain.chess.solution import main_lines
from bot.domain.reading.notation import Conversion, ConversionLoss, GameKind, Notation
from bot.domain.reading.problems import ConversionError, DomainError, Phrase

LOSS_PHRASES = {
    "variant": Phrase("the variant ({variant}), or features that only this variant has"),
    "moves": Phrase("the moves before the position ({turns})"),
    "last-move": Phrase("the last move"),
    "operations": Phrase("the operations {names}"),
    "annotations": Phrase("comments and annotations"),
    "variations": Phrase("variations"),
    "tags": Phrase("the tags {names}"),
    "result": Phrase("the result"),
    "texts": Phrase("descriptions and solutions"),
    "sequences": Phrase("sequences of moves"),
}
_MAX_NAMES = 8


def loss(code: str, **values: object) -> ConversionLoss:
    return ConversionLoss(code, LOSS_PHRASES[code], values=tuple(values.items()))


def position_losses(before: ChessPosition, after: ChessPosition) -> Iterator[ConversionLoss]:
    if (before.variant, before.pockets, before.checks) != (after.variant, after.pockets, after.checks):
        yield variant_loss(before)
    if before.last_move and before.last_move != after.last_move:
        yield loss("last-move")
    yield from _pair_losses("operations", before.operations, after.operations)


def _pair_losses(
    code: str, before: tuple[tuple[str, str], ...], after: tuple[tuple[str, str], ...]
) -> Iterator[ConversionLoss]:
    """Yield a loss that names the missing or changed tags or operations, if any."""
    names = list(dict.fromkeys(pair[0] for pair in before if pair not in after))
    if names:
        text = ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
        yield loss(code, names=text)


def variant_loss(position: ChessPosition) -> ConversionLoss:
    return loss("variant", variant=VARIANTS[position.variant].name)


def game_losses(before: ChessGame, after: ChessGame) -> Iterator[ConversionLoss]:
    if before.start.variant != after.start.variant:
        # The same moves mean something else under different rules.
        yield variant_loss(before.start)
        return
    yield from position_losses(before.start, after.start)
    if _remarks(before.turns) != _remarks(after.turns) or before.comment != after.comment:
        yield loss("annotations")
    if _variations(before.turns) != _variations(after.turns):
        yield loss("variations")
    yield from _pair_losses("tags", before.tags, after.tags)
    if before.result != after.result:
        yield loss("result")


def book_losses(before: BookSource, after: Iterable[ChessGame]) -> Iterator[ConversionLoss]:
    for line, game in zip_longest(before.lines, after):
        if (
            line is None
            or game is None
            or [move.uci for move in line.moves] != [move.uci for move in game.turns]
        ):
            yield loss("sequences")
            return
        yield from game_losses(as_game(line), game)


def puzzle_losses(before: PuzzleSet, after: PuzzleSet) -> Iterator[ConversionLoss]:
    if [_content(puzzle) for puzzle in before.puzzles] != [_content(puzzle) for puzzle in after.puzzles]:
        yield loss("texts")
    if before.comments != after.comments or [puzzle.comments for puzzle in before.puzzles] != [
        puzzle.comments for puzzle in after.puzzles
    ]:
        yield loss("annotations")


def as_game(line: BookLine) -> ChessGame:
    """Return a book sequence as a game. The sequence's name becomes the ``Opening`` tag."""
    return ChessGame(line.start, line.moves, (("Opening", line.name),) if line.name else (), line.comment)


def _content(puzzle: Puzzle) -> tuple[object, ...]:
    return puzzle.position.fen, puzzle.description, puzzle.solution


def _history_losses(game: ChessGame, turn: int) -> Iterator[ConversionLoss]:
    if turn:
        yield loss("moves", turns=turn)
        yield from _pair_losses("operations", game.start.operations, ())
    yield from game_losses(game, ChessGame(game.start))


def _remarks(line: tuple[ChessMove, ...]) -> list[object]:
    return [
        (number, move.comment, move.comment_before, move.nags)
        for number, move in enumerate(line)
        if move.comment or move.comment_before or move.nags
    ]


def _variations(line: tuple[ChessMove, ...]) -> list[object]:
    return [(number, move.variations) for number, move in enumerate(line) if move.variations]


_GAME_FUNCTIONS = {
    "pgn": (pgn.write, pgn.read),
    "uci": (uci.write, uci.read),
}
_POSITION_READERS = {"fen": fen.read, "epd": epd.read}


def convert(document: ChessDocument, target: str, turn: int) -> Conversion:
    """Convert a document, as described in :func:`bot.domain.notations.convert`. Turns are half-moves."""
    if target in CHESS.excluded_notations_by_class[type(document)]:
        has_no_moves = isinstance(document, ChessPosition) and target != "puzzles"
        raise _no_moves_error(target) if has_no_moves else _wrong_kind_error(target)
    match document:
        case ChessGame():
            return _convert_game(document, target, turn)
        case _ if target == "json":
            return Conversion(json_document.write(document))
        case ChessPosition():
            return _convert_position(document, target)
        case PuzzleSet():
            return _convert_puzzles(document, target)
        case _:
            return _convert_book(document, target)


def _wrong_kind_error(target: str) -> ConversionError:
    return ConversionError(
        "other-kind", "{notation} is for a different kind of document", notation=NOTATION_LABELS[target]
    )


def _no_moves_error(target: str) -> ConversionError:
    return ConversionError(
        "no-moves", "a position has no moves to write as {notation}", notation=NOTATION_LABELS[target]
    )


def _conversion(
    text: str, start: ChessPosition, losses: Callable[[], Iterable[ConversionLoss]]
) -> Conversion:
    """Return the text with its losses. The variant is lost if the text cannot be read under standard rules."""
    try:
        return Conversion(text, tuple(dict.fromkeys(losses())))
    except DomainError:
        if not start.variant:
            raise
        return Conversion(text, (variant_loss(start),))


def _convert_position(position: ChessPosition, target: str) -> Conversion:
    if target in _POSITION_READERS:
        read, text = _POSITION_READERS[target], position.fen if target == "fen" else epd.write(position)
        return _conversion(text, position, lambda: position_losses(position, read(text).value))
    return _write_game(ChessGame(position), target)


def _convert_game(game: ChessGame, target: str, turn: int) -> Conversion:
    part = game if turn == len(game.turns) else replace(game, turns=game.turns[:turn], result="*")
    if target in _POSITION_READERS:
        position = game.position_at(turn)
        # ``_history_losses`` reports the last move with the other lost moves.
        conversion = _convert_position(replace(position, last_move="") if turn else position, target)
        return replace(conversion, losses=(*_history_losses(part, turn), *conversion.losses))
    if target == "json":
        return Conversion(json_document.write(part))
    if target == "book":
        return _as_book(part)
    return _write_game(part, target)


def _write_game(game: ChessGame, target: str) -> Conversion:
    write, read = _GAME_FUNCTIONS[target]
    text = write(game)
    return _conversion(text, game.start, lambda: game_losses(game, read(text).value))


def _as_book(game: ChessGame) -> Conversion:
    if game.start.variant:
        raise _wrong_kind_error("book")
    if not game.turns:
        raise _no_moves_error("book")
    line = BookLine(game.turns, line_name(game.tag("Opening")), game.start, comment=game.comment)
    text = book.write(BookSource((line,)))
    [reread_line] = book.read(text).value.lines
    return _conversion(text, game.start, lambda: game_losses(game, as_game(reread_line)))


def _convert_puzzles(puzzle_set: PuzzleSet, target: str) -> Conversion:
    if target == "puzzles":
        text = puzzles.write(puzzle_set)
        return Conversion(text, tuple(puzzle_losses(puzzle_set, puzzles.read(text).value)))
    has_comments = puzzle_set.comments or any(puzzle.comments for puzzle in puzzle_set.puzzles)
    comment_losses = (loss("annotations"),) if has_comments else ()
    if target == "epd":
        positions = (
            as_annotated_position(puzzle, number) for number, puzzle in enumerate(puzzle_set.puzzles, start=1)
        )
        return Conversion("".join(f"{epd.write(position)}\n" for position in positions), comment_losses)
    has_texts = any(puzzle.description or puzzle.solution for puzzle in puzzle_set.puzzles)
    text = "".join(f"{puzzle.position.fen}\n" for puzzle in puzzle_set.puzzles)
    return Conversion(text, (loss("texts"), *comment_losses) if has_texts else comment_losses)


def as_annotated_position(puzzle: Puzzle, number: int) -> ChessPosition:
    """Return a puzzle's position, with the number, description and solution as EPD operations.

    ``id`` holds the number, ``c0`` to ``c2`` the description, and ``c3`` to ``c6`` the solution. If
    the solution can be read, ``bm`` holds the first move of each of its lines, and ``pv`` the first line.
    """
    operations = [("id", epd.quote(f"puzzle {number}"))]
    if lines := main_lines(puzzle.position, puzzle.solution_text):
        operations += [
            ("bm", " ".join(dict.fromkeys(line[0].san for line in lines))),
            ("pv", " ".join(move.san for move in lines[0])),
        ]
    numbered_lines = (*enumerate(puzzle.description), *enumerate(puzzle.solution, MAX_DESCRIPTION_LINES))
    operations += [(f"c{index}", epd.quote(text)) for index, text in numbered_lines]
    return replace(puzzle.position, operations=tuple(operations))


def _convert_book(source: BookSource, target: str) -> Conversion:
    if target == "book":
        text = book.write(source)
        reread_games = list(map(as_game, book.read(text).value.lines))
    else:
        texts = [pgn.write(as_game(line)) for line in source.lines]
        text, reread_games = "\n".join(texts), [pgn.read(game).value for game in texts]
    return Conversion(text, tuple(dict.fromkeys(book_losses(source, reread_games))))


CHESS: GameKind[ChessDocument] = GameKind(
    "chess",
    {
        ChessPosition: frozenset(("uci", "book", "puzzles")),
        ChessGame: frozenset(("puzzles",)),
        PuzzleSet: frozenset(("pgn", "uci", "book")),
        BookSource: frozenset(("fen", "epd", "uci", "puzzles")),
    },
    (
        Notation("fen", NOTATION_LABELS["fen"], "fen", fen.read),
        Notation("epd", NOTATION_LABELS["epd"], "epd", epd.read),
        Notation("pgn", NOTATION_LABELS["pgn"], "pgn", pgn.read),
        Notation("uci", NOTATION_LABELS["uci"], "txt", uci.read),
        Notation("puzzles", NOTATION_LABELS["puzzles"], "txt", puzzles.read),
        Notation("book", NOTATION_LABELS["book"], "txt", book.read),
        Notation("json", NOTATION_LABELS["json"], "json", json_document.read),
    ),
    (
        ("[", 1, puzzles.find),
        ("", 1, pgn_in_text.find),
        (".", 1, board_link.find),
        ("/", fen_in_text.SLASH_COUNT, fen_in_text.find),
    ),
    (
        ("puzzles", puzzles.sniff),
        ("book", book.sniff),
        ("pgn", pgn_in_text.sniff),
        ("fen", fen_in_text.sniff),
        ("uci", uci.sniff),
    ),
    (
        ('"', 1, pgn_in_text.find_leniently),
        ("/", fen_in_text.SLASH_COUNT - 1, fen_in_text.find_leniently),
    ),
    convert,
    Phrase("this is a chess document, and {notation} is for crossword games"),
)
