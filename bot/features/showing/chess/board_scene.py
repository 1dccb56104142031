"""The scenes of chess positions, games and opening books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from types import MappingProxyType
from typing import Any, Final

from bot.chat.card import ReplyContext
from bot.domain.chess.documents import ChessGame, ChessMove, arrows_in, circles_in
from bot.domain.chess.notations.polyglot import BookMove
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.texts import castling_text, checks_text, player_name, squares_of, status_text
from bot.features.showing.pace import (
    FRAME_MILLISECONDS,
    LAST_FRAME_MILLISECONDS,
    MAX_FRAMES,
    REMARK_FACTOR,
    Pace,
    clock_text,
)
from bot.text import Translator
from render.scene import (
    MAX_ARROWS,
    Arrow,
    ChessScene,
    Circle,
    Frame,
    Piece,
    PieceKind,
    PlayerRow,
    ReplayScene,
    Section,
    Stroke,
    evenly_spaced_indexes,
)

PIECES = {
    letter: Piece(kind, white=letter.isupper())
    for kind in PieceKind
    for letter in (kind.value, kind.value.lower())
}
_RESULT_POINTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½"), "*": ("", "")}
_PIECE_VALUES = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1}


def position_players(position: ChessPosition, translate: Translator) -> tuple[PlayerRow, ...]:
    return tuple(
        _player_row(
            position,
            translate("White") if white else translate("Black"),
            translate,
            white=white,
            is_over=position.is_over,
            letters=_presumed_captured_letters(position, white=white),
        )
        for white in (True, False)
    )


def game_players(
    game: ChessGame, turn: int, position: ChessPosition, translate: Translator
) -> tuple[PlayerRow, ...]:
    """Return the two players' rows beside the board. Points are shown only at the end of the game."""
    is_last_turn = turn == len(game.turns)
    points = _RESULT_POINTS[game.result] if is_last_turn else ("", "")
    clocks, names = clocks_at(game, turn), {True: translate("White"), False: translate("Black")}
    return tuple(
        _player_row(
            position,
            player_name(game, translate, white=white),
            translate,
            white=white,
            is_over=is_last_turn and (game.result != "*" or position.ending is not None),
            letters=_captured_letters(game.start, position, white=white),
            points=points[not white],
            clock=clocks[not white],
            # A player without a name is already called White or Black.
            side=names[white] if game.tag("White" if white else "Black") else "",
        )
        for white in (True, False)
    )


def _player_row(
    position: ChessPosition,
    name: str,
    translate: Translator,
    *,
    white: bool,
    is_over: bool,
    letters: list[str],
    points: str = "",
    clock: int | None = None,
    side: str = "",
) -> PlayerRow:
    """Return a side's row. In variants with standard pieces, the row shows the captured pieces (``letters``) and any material lead.

    In Crazyhouse, the row shows the pieces that the side may drop. In all other variants, it shows neither pieces nor a lead.
    """
    is_mover = position.white_to_move == white and not is_over
    notes = (
        side,
        checks_text(position, translate, white=white),
        translate("to move") if is_mover else "",
        clock_text(clock) if clock is not None else "",
    )
    lead = _material_lead(position, white=white)
    if position.variant not in _VARIANTS_WITH_STANDARD_PIECES:
        pocket = filter(lambda letter: letter.isupper() == white, position.pockets)
        letters, lead = sorted(pocket, key=lambda letter: "QRBNP".index(letter.upper())), 0
    return PlayerRow(
        name,
        points,
        is_mover,
        " · ".join(filter(None, notes)),
        rack_note=f"+{lead}" if lead > 0 and letters else "",
        captured=tuple(PIECES[letter] for letter in letters),
        can_drop_captured=bool(position.pockets),
    )


def _captured_letters(start: ChessPosition, position: ChessPosition, *, white: bool) -> list[str]:
    """Return the letters of the pieces that a side has captured since the start, most valuable first.

    If the opponent has more pieces of a kind than at the start, the extra pieces are promoted pawns. These pawns are missing
    from the board, but were not captured.
    """
    counts_before, counts = Counter(start.squares), Counter(position.squares)
    letters = [letter.lower() if white else letter for letter in "QRBNP"]
    captured = [letter for letter in letters for _ in range(counts_before[letter] - counts[letter])]
    promoted_count = sum(max(0, counts[letter] - counts_before[letter]) for letter in letters[:-1])
    for _ in range(min(promoted_count, captured.count(letters[-1]))):
        captured.remove(letters[-1])
    return captured


def _presumed_captured_letters(position: ChessPosition, *, white: bool) -> list[str]:
    """Return the letters of the pieces that a side has presumably captured: the opponent has fewer of these pieces than the side itself."""
    counts = Counter(position.squares)
    letters = [(letter, letter.lower()) if white else (letter.lower(), letter) for letter in "QRBNP"]
    return [captured for own, captured in letters for _ in range(counts[own] - counts[captured])]


_VARIANTS_WITH_STANDARD_PIECES = frozenset(("", "chess960", "kingOfTheHill", "threeCheck", "racingKings"))
"""Variants in which captures and piece values are the same as in standard chess."""


def _material_lead(position: ChessPosition, *, white: bool) -> int:
    counts = Counter(position.squares)
    lead = sum(points * (counts[letter] - counts[letter.lower()]) for letter, points in _PIECE_VALUES.items())
    return lead if white else -lead


def clocks_at(game: ChessGame, turn: int) -> tuple[int | None, int | None]:
    """Return the clocks of White and Black after ``turn`` turns, in milliseconds."""
    clocks: list[int | None] = [None, None]
    sides = cycle((0, 1) if game.start.white_to_move else (1, 0))
    for move, side in zip(game.turns[:turn], sides, strict=False):
        if move.clock_ms is not None:
            clocks[side] = move.clock_ms
    return clocks[0], clocks[1]


MAX_SHOWN_MOVES = 8
"""Maximum number of book moves drawn and listed. The menu may contain more."""

_STROKES = {"G": Stroke.GREEN, "R": Stroke.RED, "Y": Stroke.YELLOW, "B": Stroke.BLUE}
"""The letters that lichess studies use for colours."""

_NO_MARKS: Final[Mapping[Any, str]] = MappingProxyType({})


def chess_scene(
    position: ChessPosition,
    context: ReplyContext,
    *,
    white_at_bottom: bool = True,
    players: tuple[PlayerRow, ...] = (),
    sections: tuple[Section, ...] = (),
    arrows: Mapping[tuple[str, str], str] = _NO_MARKS,
    circles: Mapping[str, str] = _NO_MARKS,
    proposed_move: str = "",
    doubtful_squares: tuple[str, ...] | None = None,
) -> ChessScene:
    """Return the scene of a position.

    ``arrows`` maps the two squares of each arrow to its colour: a letter from lichess studies, or empty for the default colour.
    ``circles`` maps squares to colours. ``proposed_move`` (in UCI) is drawn as an arrow, or as a circle for a drop; the last move
    is then not marked. ``doubtful_squares`` lists the squares to check on an unconfirmed board from a picture, and is None for other
    boards. The squares are circled. The scene of an unconfirmed board has no embedded text.
    """
    translate = context.translate
    drawn_arrows = [
        Arrow(square_index(start), square_index(end), stroke=_STROKES.get(colour))
        for (start, end), colour in arrows.items()
        if start != end
    ][: MAX_ARROWS - bool(proposed_move)]
    drawn_circles = [Circle(square_index(square), _STROKES.get(colour)) for square, colour in circles.items()]
    proposed_squares = squares_of(proposed_move)
    if len(proposed_squares) == 2:
        drawn_arrows.append(
            Arrow(square_index(proposed_squares[0]), square_index(proposed_squares[1]), is_proposed=True)
        )
    elif proposed_squares:
        drawn_circles += [Circle(square_index(square)) for square in proposed_squares]
    drawn_circles += [Circle(square_index(square), Stroke.RED) for square in doubtful_squares or ()]
    last_move_squares = squares_of("" if proposed_move else position.known_last_move)
    return ChessScene(
        tuple(PIECES.get(letter) for letter in position.squares),
        flipped=not white_at_bottom,
        last_move=tuple(map(square_index, last_move_squares)),
        king_in_check=square_index(position.checked_king_square) if position.checked_king_square else None,
        players=players or position_players(position, translate),
        sections=(*sections, *_position_sections(position, translate)),
        layout=context.appearance.layout,
        theme=context.appearance.theme,
        arrows=tuple(drawn_arrows),
        circles=tuple(drawn_circles),
        coordinates=context.appearance.coordinates,
        embedded_text=f"fen {position.fen}" if doubtful_squares is None else "",
    )


def game_scene(
    game: ChessGame,
    turn: int,
    context: ReplyContext,
    *,
    white_at_bottom: bool = True,
    best_move: ChessMove | None = None,
    position: ChessPosition | None = None,
) -> ChessScene:
    """Return the scene of a game after ``turn`` turns.

    ``best_move`` is the engine's move if it differs from the next move in the game. Without ``best_move``, the scene shows the
    arrows and circles in the comment at ``turn``. ``position`` is the position after ``turn`` turns, if the caller already has it.
    """
    translate = context.translate
    position = position or game.position_at(turn)
    sections: tuple[Section, ...] = ()
    if best_move is not None:
        sections = (Section(translate("Best move"), (best_move.san,)),)
    elif turn:
        last_move = game.turns[turn - 1]
        sections = (
            Section(translate("Last move"), (game.move_number(turn), last_move.san + last_move.glyph)),
        )
    comment = game.comment_at(turn) if best_move is None else ""
    return chess_scene(
        position,
        context,
        white_at_bottom=white_at_bottom,
        players=game_players(game, turn, position, translate),
        sections=sections,
        arrows=arrows_in(comment),
        circles=circles_in(comment),
        proposed_move=best_move.uci if best_move is not None else "",
    )


def replay_scene(
    game: ChessGame, context: ReplyContext, *, white_at_bottom: bool = True, pace: Pace = Pace.NORMAL
) -> ReplayScene:
    """Return the replay of a game. Turns with a remark stay on screen longer. A long replay skips some positions."""
    shown_turns = set(evenly_spaced_indexes(len(game.turns) + 1, MAX_FRAMES))
    frames = [
        Frame(
            game_scene(game, turn, context, white_at_bottom=white_at_bottom, position=position),
            pace.duration(
                FRAME_MILLISECONDS * (REMARK_FACTOR if turn and game.turns[turn - 1].remark else 1)
            ),
        )
        for turn, position in enumerate(game.positions())
        if turn in shown_turns
    ]
    return ReplayScene((*frames[:-1], replace(frames[-1], delay=LAST_FRAME_MILLISECONDS)))


def numbered_scene(
    position: ChessPosition,
    moves: Sequence[tuple[str, str]],
    context: ReplyContext,
    *,
    white_at_bottom: bool = True,
) -> ChessScene:
    """Return the scene of a position with a labelled arrow for each move, or a circle for a drop.

    ``moves`` are (label, UCI move) pairs. Moves between the same two squares, such as promotions, share an arrow.
    """
    labels: dict[tuple[str, ...], str] = {}
    for label, move in moves:
        squares = squares_of(move)
        labels[squares] = f"{labels[squares]},{label}" if squares in labels else label
    scene = chess_scene(
        replace(position, last_move=""),
        context,
        white_at_bottom=white_at_bottom,
        circles={squares[0]: "" for squares in labels if len(squares) == 1},
    )
    arrows = [
        Arrow(square_index(squares[0]), square_index(squares[1]), stroke=stroke, label=label)
        for (squares, label), stroke in zip(labels.items(), cycle(Stroke), strict=False)
        if len(squares) == 2
    ]
    return replace(scene, arrows=tuple(reversed(arrows)), embedded_text="")


def book_scene(
    position: ChessPosition,
    known_moves: tuple[BookMove, ...],
    context: ReplyContext,
    *,
    white_at_bottom: bool = True,
) -> ChessScene:
    """Return a scene with arrows for the most common moves in a book. The arrow of the most common move is on top."""
    known_moves = known_moves[:MAX_SHOWN_MOVES]
    texts = tuple(f"{move.san} ({move.count})" if move.count > 1 else move.san for move in known_moves)
    return chess_scene(
        position,
        context,
        white_at_bottom=white_at_bottom,
        sections=(Section(context.translate("Known moves"), texts),) if texts else (),
        arrows={(move.uci[:2], move.uci[2:4]): "" for move in reversed(known_moves)},
    )


def square_index(square: str) -> int:
    """Return a square's index in a scene: 0 for a8, 63 for h1."""
    return (8 - int(square[1])) * 8 + "abcdefgh".index(square[0])


def _position_sections(position: ChessPosition, translate: Translator) -> list[Section]:
    sections = []
    if status := status_text(position, translate):
        sections.append(Section(translate("State"), tuple(status.split(" "))))
    if position.ending is not None:
        # After the end of the game, castling and en passant do not matter.
        return sections
    if position.castling not in ("", "KQkq") and set(position.castling) <= set("KQkq"):
        sections.append(Section(translate("Castling"), tuple(castling_text(position, translate).split(" "))))
    if position.en_passant:
        sections.append(Section(translate("En passant"), (position.en_passant,)))
    return sections
