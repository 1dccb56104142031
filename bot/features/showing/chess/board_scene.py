"""What chess looks like: scenes of positions, games and opening books."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from bot.chat.style import Style
from bot.domain.chess.documents import ChessGame, ChessMove, arrows_in, circles_in
from bot.domain.chess.notations import fen
from bot.domain.chess.notations.polyglot import BookMove
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.players_scene import PIECES, game_players, position_players
from bot.features.showing.chess.words import castling_text, squares_of, state_text
from bot.features.showing.pace import FRAME_MILLISECONDS, LAST_FRAME_MILLISECONDS, LONGER, Pace
from bot.text import Speaker
from render.scene import (
    MAX_ARROWS,
    Arrow,
    ChessScene,
    Circle,
    Frame,
    PlayerRow,
    ReplayScene,
    Section,
    Stroke,
)

MAX_KNOWN = 8
"""Known moves of a book that are pointed out."""


MAX_FRAMES = 150
"""Positions in a replay."""
_STROKES = {"G": Stroke.GREEN, "R": Stroke.RED, "Y": Stroke.YELLOW, "B": Stroke.BLUE}
"""By the letters of arrows and circles in studies."""


_NONE: Final[Mapping[Any, str]] = MappingProxyType({})


def chess_scene(
    position: ChessPosition,
    style: Style,
    *,
    white_below: bool = True,
    players: tuple[PlayerRow, ...] = (),
    sections: tuple[Section, ...] = (),
    arrows: Mapping[tuple[str, str], str] = _NONE,
    circles: Mapping[str, str] = _NONE,
    best: str = "",
    doubtful: tuple[str, ...] | None = None,
) -> ChessScene:
    """Return the scene of a position.

    ``white_below`` is whether White sits below, as nobody asked for anything else: a board that turned with the side to
    move could not be compared with the one before. Without ``players`` the two sides are called White and Black;
    ``sections`` come before those of every position. ``arrows`` go from square to square, ``circles`` are around squares,
    each with the letter of its colour in studies or with none;
    ``best`` is the move that is proposed, as in UCI: an arrow, too, or a circle where a piece is dropped, which takes the
    marks from the last move. ``doubtful`` are squares to check of a board that may be wrong: they are circled, and its
    picture says nothing to programs.
    """
    say = style.say
    last = "" if best else position.known_move
    drawn = [
        Arrow(square_place(start), square_place(end), stroke=_STROKES.get(colour))
        for (start, end), colour in arrows.items()
        if start != end
    ][:MAX_ARROWS]
    circled = [Circle(square_place(square), _STROKES.get(colour)) for square, colour in circles.items()]
    proposed = squares_of(best)
    if len(proposed) == 2:
        drawn.append(Arrow(square_place(proposed[0]), square_place(proposed[1]), best=True))
    elif proposed:
        circled += [Circle(square_place(square)) for square in proposed]
    circled += [Circle(square_place(square), Stroke.RED) for square in doubtful or ()]
    squares = squares_of(last)
    return ChessScene(
        tuple(PIECES.get(sign) for sign in position.squares),
        flipped=not white_below,
        last=tuple(map(square_place, squares)),
        check=square_place(position.check) if position.check else None,
        players=players or position_players(position, say),
        sections=(*sections, *_position_sections(position, say)),
        layout=style.view.layout,
        theme=style.view.theme,
        arrows=tuple(drawn),
        circles=tuple(circled),
        coordinates=style.view.coordinates,
        carried=f"fen {fen.write(position)}" if doubtful is None else "",
    )


def game_scene(
    game: ChessGame, turn: int, style: Style, *, white_below: bool = True, best: ChessMove | None = None
) -> ChessScene:
    """Return the scene of a game after so many turns, with the arrows its author drew there.

    White sits below by default: a board that turned round with every move could not be followed. ``best`` is a move that
    is proposed instead of what followed.
    """
    position = game.position_at(turn)
    if best is None:
        return _game_scene(game, turn, position, style, white_below=white_below)
    return chess_scene(
        position,
        style,
        white_below=white_below,
        players=game_players(game, turn, position, style.say),
        sections=(Section(style.say("Best move"), (best.san,)),),
        best=best.uci,
    )


def chess_replay(
    game: ChessGame, style: Style, *, white_below: bool = True, pace: Pace = Pace.USUAL
) -> ReplayScene:
    """Return the replay of a game, slower where something was remarked.

    Of a long one some positions are left out, never the first or the last.
    """
    count = len(game.turns) + 1
    wanted = {number * (count - 1) // (MAX_FRAMES - 1) for number in range(MAX_FRAMES)}
    frames = [
        Frame(
            _game_scene(game, turn, position, style, white_below=white_below),
            pace.stretched(FRAME_MILLISECONDS * (LONGER if turn and game.turns[turn - 1].remark else 1)),
        )
        for turn, position in enumerate(game.positions())
        if count <= MAX_FRAMES or turn in wanted
    ]
    return ReplayScene((*frames[:-1], replace(frames[-1], delay=LAST_FRAME_MILLISECONDS)))


def _game_scene(
    game: ChessGame, turn: int, position: ChessPosition, style: Style, *, white_below: bool
) -> ChessScene:
    say = style.say
    sections = []
    if turn:
        played = game.turns[turn - 1]
        sections.append(Section(say("Last move"), (game.number(turn), played.san + played.glyph)))
    return chess_scene(
        position,
        style,
        white_below=white_below,
        players=game_players(game, turn, position, say),
        sections=tuple(sections),
        arrows=arrows_in(game.comment_at(turn)),
        circles=circles_in(game.comment_at(turn)),
    )


def numbered_scene(
    position: ChessPosition, moves: Sequence[tuple[str, str]], style: Style, *, white_below: bool = True
) -> ChessScene:
    """Return the scene of a position with moves as in UCI, an arrow each with its sign; a dropped piece has a circle.

    Moves between the same squares share an arrow.
    """
    signs: dict[tuple[str, ...], str] = {}
    for sign, move in moves:
        squares = squares_of(move)
        signs[squares] = f"{signs[squares]},{sign}" if squares in signs else sign
    scene = chess_scene(
        replace(position, last_move=""),
        style,
        white_below=white_below,
        circles={squares[0]: "" for squares in signs if len(squares) == 1},
    )
    arrows = [
        Arrow(square_place(squares[0]), square_place(squares[1]), label=sign)
        for squares, sign in signs.items()
        if len(squares) == 2
    ]
    return replace(scene, arrows=tuple(reversed(arrows)), carried="")


def book_scene(
    position: ChessPosition,
    known: tuple[BookMove, ...],
    style: Style,
    *,
    white_below: bool = True,
) -> ChessScene:
    """Return the scene of a position with arrows for the moves a book knows in it, the most played on top."""
    known = known[:MAX_KNOWN]
    sections = (Section(style.say("Known moves"), tuple(map(_describe, known))),) if known else ()
    arrows = {(move.uci[:2], move.uci[2:4]): "" for move in reversed(known)}
    return chess_scene(position, style, white_below=white_below, sections=sections, arrows=arrows)


def _describe(move: BookMove) -> str:
    return f"{move.san} ({move.count})" if move.count > 1 else move.san


def square_place(square: str) -> int:
    """Return the place of a square in a scene: 0 for a8, 63 for h1."""
    return (8 - int(square[1])) * 8 + "abcdefgh".index(square[0])


def _position_sections(position: ChessPosition, say: Speaker) -> list[Section]:
    sections = []
    if state := state_text(position, say):
        sections.append(Section(say("State"), tuple(state.split(" "))))
    if position.ending is not None:
        # Nobody castles any more, and no move is counted.
        return sections
    if position.castling not in ("", "KQkq") and set(position.castling) <= set("KQkq"):
        # Where all may castle, or none can, there is nothing that a player would ask.
        sections.append(Section(say("Castling"), tuple(castling_text(position, say).split(" "))))
    if position.en_passant:
        sections.append(Section(say("En passant"), (position.en_passant,)))
    return sections
