"""Finds the positions to analyze, and computes the keys that identify boards."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.card import Moment, RefusalError
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game, nearest_moments_with_known_rack, skip_challenge_outcomes
from bot.domain.crossword.notations import cgp, json_document
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import EMPTY, Position
from bot.domain.crossword.rules import BLANK, BLANK_TEXT
from bot.domain.notations import is_chess
from bot.domain.reading.problems import ParseError, RuleError
from bot.features.showing.findings import FoundDocument, short_digest
from bot.text import Translator


@dataclass(frozen=True, slots=True)
class AnalysisSubject:
    """A crossword position to analyze."""

    position: Position
    play: Play | None = None
    may_be_in_progress: bool = False
    turn: int = 0
    """The play's turn, counted from 1, or 0 without a play."""
    player: str = ""
    """The name of the player who made the play."""
    known_rack_turns: tuple[int | None, int | None] = (None, None)
    """The nearest earlier and later values of ``Moment.turn`` at which the rack of the player to move is known."""


def subject_of(found: FoundDocument, moment: Moment, translate: Translator) -> AnalysisSubject:
    """Return the crossword position to analyze at a moment.

    Raises:
        RefusalError: the game is over in this position, or still in progress on its site.

    """
    refuse_if_in_progress(found, translate)
    game = found.document
    if not isinstance(game, Game):
        _refuse_if_over(found.position, translate)
        return AnalysisSubject(found.position, may_be_in_progress=may_be_in_progress(found))
    number, next_turn = skip_challenge_outcomes(game, moment.turn)
    position = position_at(found, number)
    _refuse_if_over(position, translate)
    known_rack_turns = nearest_moments_with_known_rack(game, number)
    if next_turn is None or next_turn.seat != position.on_turn:
        return AnalysisSubject(
            position, may_be_in_progress=may_be_in_progress(found), known_rack_turns=known_rack_turns
        )
    from bot.features.showing.crossword.game_scene import seat_name  # noqa: PLC0415 - imports the drawing code, which only this line needs

    return AnalysisSubject(
        position,
        next_turn.play,
        may_be_in_progress(found),
        number + 1,
        seat_name(game, next_turn.seat, translate),
        known_rack_turns,
    )


def refuse_if_in_progress(found: FoundDocument, translate: Translator) -> None:
    """Raise RefusalError for a game in progress on its site, because an analysis would help one of its players."""
    if found.is_in_progress:
        raise RefusalError.with_text(
            translate(
                "This game is still in progress. When it is over, post its link again to have it analyzed."
            )
        )


def _refuse_if_over(position: Position, translate: Translator) -> None:
    if position.is_over:
        raise RefusalError.with_text(
            translate(
                "The game is already over in this position. Go back a turn to see what could have been played."
            )
        )


def may_be_in_progress(found: FoundDocument) -> bool:
    """Return whether a Turn URL's game may still be in progress.

    Copies in other notations are recognized by a game id and a letter distribution that only Turn URLs use.
    """
    document = found.document
    is_copy = (
        isinstance(document, Game | Position)
        and bool(document.game_id)
        and document.rules.distribution.name.startswith("turn-url-")
    )
    return (found.format == "turn-url" or is_copy) and not found.position.is_over


def turn_to_analyze(found: FoundDocument) -> int:
    """Return the latest turn at which the rack of the player to move is known, or 0 if there is none.

    If the racks are hidden, return the last turn of the game.
    """
    if not isinstance(found.document, Game):
        return 0
    if found.format == "turn-url" and may_be_in_progress(found):
        # The racks are hidden, so the player enters the rack for the next play.
        return len(found.document.turns)
    return max(
        (
            number
            for number, position in enumerate(found.document.positions())
            if not position.is_over and position.players[position.on_turn].rack
        ),
        default=0,
    )


def position_at(found: FoundDocument, turn: int) -> Position:
    if isinstance(found.document, Game):
        return found.document.position_at(min(turn, len(found.document.turns)))
    return found.position


def read_rack(text: str, position: Position) -> tuple[int, ...]:
    """Read a rack that a user typed, with ``?`` for a blank.

    Raises:
        ParseError: the text is too long, or part of it isn't a tile.
        RuleError: the text has more tiles than a rack holds.

    """
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415 - needed only for analyses

    rules = position.rules
    letters = text.replace(" ", "").replace("?", "")
    if len(text) > 60:
        raise ParseError("rack-too-long", "a rack has at most {limit} tiles", limit=rules.rack_size)
    tiles = (BLANK,) * text.count("?") + tuple(speller(rules.distribution).spell(letters))
    if len(tiles) > rules.rack_size:
        raise RuleError("rack-too-long", "a rack has at most {limit} tiles", limit=rules.rack_size)
    return tuple(sorted(tiles))


def document_from_position(position: Position) -> FoundDocument:
    """Return a document with the position in CGP, or in JSON if CGP cannot express it."""
    if (text := cgp.write_or_none(position)) is not None:
        return FoundDocument("cgp", text, position)
    return FoundDocument("json", json_document.write(position), position)


def board_keys(position: Position | ChessPosition) -> tuple[str, ...]:
    """Return keys that identify a board in any notation or picture. The first key is the board's own.

    The key of a crossword board is computed from its letters or, if the board is empty, from the rack of the player to move. A
    crossword board also has the key of the transposed board, because both boards have the same plays. The key of a chessboard is
    computed from its pieces and the side to move. Keys ignore which tiles are blanks, because pictures do not show this.
    """
    if isinstance(position, ChessPosition):
        # Keep the two empty parts, because the keys of stored polls have them.
        parts = ["chess", "", position.placement, str(position.white_to_move), ""]
        return (short_digest("\x1f".join(parts)),)
    text, board = position.rules.distribution.text, position.board
    rack = () if board.tile_count else sorted(map(text, position.players[position.on_turn].rack))
    tiles = [text(abs(tile)) if tile else "" for tile in board.squares]
    transposed = [tile for column in range(board.columns) for tile in tiles[column :: board.columns]]
    return tuple(
        short_digest("\x1f".join(("crossword", str(width), *squares, *rack)))
        for width, squares in ((board.columns, tiles), (board.rows, transposed))
    )


def position_to_analyze(found: FoundDocument, moment: Moment) -> Position | ChessPosition:
    """Return the position to analyze at a moment. In a crossword game, this is the position right before the next play."""
    document = found.document
    if is_chess(document):
        from bot.features.showing.chess.position import position_of_moment  # noqa: PLC0415 - only chess needs it

        return position_of_moment(document, moment)
    if isinstance(document, Game):
        return position_at(found, skip_challenge_outcomes(document, moment.turn)[0])
    return found.position


def words_on(position: Position) -> frozenset[str]:
    return frozenset(run for line in lines_of(position) for run in line.split() if len(run) > 1)


def lines_of(position: Position) -> tuple[str, ...]:
    """Return the rows and then the columns, in capitals, with spaces for empty squares."""
    text, board = position.rules.distribution.text, position.board
    lines = [board.row(row) for row in range(board.rows)]
    lines += [tuple(board.at(row, column) for row in range(board.rows)) for column in range(board.columns)]
    return tuple(
        "".join(text(abs(tile)).upper() if tile != EMPTY else " " for tile in line) for line in lines
    )


def rack_of(position: Position) -> str:
    """Return the rack of the player to move, in capitals, with ``?`` for a blank."""
    rack = position.players[position.on_turn].rack
    text = position.rules.distribution.text
    return "".join(sorted(BLANK_TEXT if tile == BLANK else text(tile).upper() for tile in rack))
