"""What chess looks like: scenes to draw, and the same in words for those who cannot see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from bot.domain.chess.game import ChessGame, ChessMove, arrows_in, circles_in
from bot.domain.chess.notations import fen
from bot.domain.chess.opening import BookMove
from bot.domain.chess.position import ChessPosition, Ending
from bot.domain.chess.variants import VARIANTS
from bot.scenes.crossword import MAX_ALT, clock_text
from bot.scenes.pace import FRAME_MILLISECONDS, LAST_FRAME_MILLISECONDS, LONGER, Pace
from bot.scenes.style import Style
from bot.text import Speaker
from bot.text.visible import one_line
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
)

MAX_NAME = 40
MAX_KNOWN = 8
"""Known moves of a book that are pointed out."""
MAX_FRAMES = 150
"""Positions in a replay."""

_PIECES = {
    sign: Piece(kind, white=sign.isupper()) for kind in PieceKind for sign in (kind.value, kind.value.lower())
}
_STROKES = {"G": Stroke.GREEN, "R": Stroke.RED, "Y": Stroke.YELLOW, "B": Stroke.BLUE}
"""By the letters of arrows and circles in studies."""
_NONE: Final[Mapping[Any, str]] = MappingProxyType({})
_POINTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½"), "*": ("", "")}
_WORTH = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1}
_FIFTY_MOVES = 100
"""Half-moves without a capture or a pawn's move after which a draw may be claimed."""


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
) -> ChessScene:
    """Return the scene of a position.

    ``white_below`` is whether White sits below, as nobody asked for anything else: a board that turned with the side to
    move could not be compared with the one before. Without ``players`` the two sides are called White and Black;
    ``sections`` come before those of every position. ``arrows`` go from square to square, ``circles`` are around squares,
    each with the letter of its colour in studies or with none;
    ``best`` is the move that is proposed, as in UCI: an arrow, too, or a circle where a piece is dropped, which takes the
    marks from the last move.
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
    squares = squares_of(last)
    return ChessScene(
        tuple(_PIECES.get(sign) for sign in position.squares),
        flipped=not white_below,
        last=tuple(map(square_place, squares)),
        check=square_place(position.check) if position.check else None,
        players=players or _sides(position, say),
        sections=(*sections, *_position_sections(position, say)),
        layout=style.view.layout,
        theme=style.view.theme,
        arrows=tuple(drawn),
        circles=tuple(circled),
        coordinates=style.view.coordinates,
        carried=f"fen {fen.write(position)}",
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
        players=_players(game, turn, position, style.say),
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
        players=_players(game, turn, position, say),
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


def squares_of(move: str) -> tuple[str, ...]:
    """Return the squares of a move as in UCI: from and to, or where a piece was dropped; none of no move."""
    return (move[2:4],) if "@" in move else (move[:2], move[2:4]) if move else ()


def square_place(square: str) -> int:
    """Return the place of a square in a scene: 0 for a8, 63 for h1."""
    return (8 - int(square[1])) * 8 + "abcdefgh".index(square[0])


def _sides(position: ChessPosition, say: Speaker) -> tuple[PlayerRow, ...]:
    names = {True: say("White"), False: say("Black")}
    return tuple(
        _row(
            names[white],
            "",
            None,
            say,
            to_move=position.white_to_move == white and not position.is_over,
            side=checks_words(position, say, white=white),
            taken=more_material(position, white=white),
            in_hand=bool(position.pockets),
        )
        for white in (True, False)
    )


def checks_words(position: ChessPosition, say: Speaker, *, white: bool) -> str:
    """Say how many checks a side of Three-check still has to give; nothing elsewhere."""
    if not position.checks:
        return ""
    left = int(position.checks.split("+")[not white])
    return say.count("{number} check to go", "{number} checks to go", left)


def _players(game: ChessGame, turn: int, position: ChessPosition, say: Speaker) -> tuple[PlayerRow, ...]:
    """Return the players of a game; the result appears at its end only."""
    last = turn == len(game.turns)
    points = _POINTS[game.result] if last else ("", "")
    over = last and (game.result != "*" or position.ending is not None)
    clocks = clocks_at(game, turn)
    return tuple(
        _row(
            player_name(game, say, white=white),
            points[not white],
            clocks[not white],
            say,
            to_move=position.white_to_move == white and not over,
            side=" · ".join(
                filter(
                    None,
                    (_side_beside_name(game, say, white=white), checks_words(position, say, white=white)),
                )
            ),
            taken=_captured(game.start, position, white=white),
            in_hand=bool(position.pockets),
        )
        for white in (True, False)
    )


def _side_beside_name(game: ChessGame, say: Speaker, *, white: bool) -> str:
    if not game.tag("White" if white else "Black"):
        return ""  # the side stands where the name would be
    return say("White") if white else say("Black")


def _row(
    name: str,
    points: str,
    clock: int | None,
    say: Speaker,
    *,
    to_move: bool,
    side: str = "",
    taken: tuple[tuple[Piece, ...], int] = ((), 0),
    in_hand: bool = False,
) -> PlayerRow:
    notes = [side] if side else []
    if to_move:
        notes.append(say("to move"))
    if clock is not None:
        notes.append(clock_text(clock))
    pieces, ahead = taken
    more = f"+{ahead}" if ahead > 0 and pieces else ""
    return PlayerRow(name, points, to_move, " · ".join(notes), rack_note=more, taken=pieces, in_hand=in_hand)


def _captured(start: ChessPosition, position: ChessPosition, *, white: bool) -> tuple[tuple[Piece, ...], int]:
    """Return what a side has captured since the start, the most valuable first, and how far it is ahead.

    A pawn that was promoted counts as one that is gone, as it would beside a real board. In Crazyhouse it is what a side
    may drop.
    """
    if position.variant not in _COUNTED:
        return _pocket(position, white=white), 0
    before, now = Counter(start.squares), Counter(position.squares)
    signs = [sign.lower() if white else sign for sign in "QRBNP"]
    gone = [sign for sign in signs for _ in range(before[sign] - now[sign])]
    promoted = sum(max(0, now[sign] - before[sign]) for sign in signs[:-1])
    for _ in range(min(promoted, gone.count(signs[-1]))):
        gone.remove(signs[-1])
    return tuple(_PIECES[sign] for sign in gone), _ahead(position, white=white)


def more_material(position: ChessPosition, *, white: bool) -> tuple[tuple[Piece, ...], int]:
    """Return what the other side lacks beside this one, as pieces of its colour, and how far this side is ahead.

    In Crazyhouse it is what this side may drop; where captured pieces mean something else, nothing.
    """
    if position.variant not in _COUNTED:
        return _pocket(position, white=white), 0
    now = Counter(position.squares)
    lacking = []
    for sign in "QRBNP":
        mine, theirs = (sign, sign.lower()) if white else (sign.lower(), sign)
        lacking += [theirs] * (now[mine] - now[theirs])
    return tuple(_PIECES[sign] for sign in lacking), _ahead(position, white=white)


_COUNTED = frozenset(("", "chess960", "kingOfTheHill", "threeCheck", "racingKings"))
"""Variants in which pieces are captured, and worth, as in usual chess."""


def _pocket(position: ChessPosition, *, white: bool) -> tuple[Piece, ...]:
    signs = sorted(
        filter(lambda sign: sign.isupper() == white, position.pockets), key=lambda s: "QRBNP".index(s.upper())
    )
    return tuple(_PIECES[sign] for sign in signs)


def _ahead(position: ChessPosition, *, white: bool) -> int:
    """Return by how many pawns' worth a side has more material, in the usual 9, 5, 3, 3, 1."""
    now = Counter(position.squares)
    worth = sum(points * (now[sign] - now[sign.lower()]) for sign, points in _WORTH.items())
    return worth if white else -worth


def player_name(game: ChessGame, say: Speaker, *, white: bool) -> str:
    """Return a player's name, or the side when it is not known."""
    name = one_line(game.tag("White" if white else "Black"), MAX_NAME)
    return name or (say("White") if white else say("Black"))


def clocks_at(game: ChessGame, turn: int) -> tuple[int | None, int | None]:
    """Return what is left on the clocks of White and Black after so many turns, in milliseconds, where it is known."""
    clocks: list[int | None] = [None, None]
    white = game.start.white_to_move
    for move in game.turns[:turn]:
        if move.clock is not None:
            clocks[0 if white else 1] = move.clock
        white = not white
    return clocks[0], clocks[1]


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


def to_move_text(position: ChessPosition, say: Speaker) -> str:
    """Say who is to move."""
    return say("White to move") if position.white_to_move else say("Black to move")


def state_text(position: ChessPosition, say: Speaker) -> str:
    """Say what is special about a position: check, the end of the game, a draw that may be claimed; mostly nothing."""
    match position.ending:
        case Ending.CHECKMATE:
            return say("checkmate, Black wins") if position.white_to_move else say("checkmate, White wins")
        case Ending.STALEMATE:
            return say("stalemate, a draw")
        case Ending.INSUFFICIENT_MATERIAL:
            return say("a draw, nobody can mate")
        case Ending.WHITE_WINS | Ending.BLACK_WINS | Ending.DRAW as ending:
            words = {
                Ending.WHITE_WINS: say("the game is over, White wins"),
                Ending.BLACK_WINS: say("the game is over, Black wins"),
            }
            return words.get(ending) or say("the game is over, a draw")
        case _:
            states = []
            if position.check:
                states.append(
                    say("White is in check") if position.white_to_move else say("Black is in check")
                )
            if position.halfmove_clock >= _FIFTY_MOVES:
                states.append(say("a draw may be claimed by the fifty-move rule"))
            return ", ".join(states)


def variant_words(position: ChessPosition, say: Speaker) -> list[str]:
    """Say which variant it is, with what only it has: pieces to drop, checks to give; nothing of usual chess."""
    if not position.variant:
        return []
    words = [VARIANTS[position.variant].name]
    for white, side in ((True, say("White")), (False, say("Black"))):
        pocket = "".join(sign for sign in position.pockets if sign.isupper() == white).upper()
        if pocket:
            words.append(say("{side} may drop {pieces}", side=side, pieces=pocket))
        if checks := checks_words(position, say, white=white):
            words.append(f"{side}: {checks}")
    return words


def castling_text(position: ChessPosition, say: Speaker) -> str:
    """Say who may still castle where."""
    rights = position.castling
    if rights == "KQkq":
        return say("both on both sides")
    sides = []
    if "K" in rights or "Q" in rights:
        white = {"K": say("White kingside"), "Q": say("White queenside")}
        sides.append(say("White both sides") if "KQ" in rights else white[rights[0]])
    if "k" in rights or "q" in rights:
        black = {"k": say("Black kingside"), "q": say("Black queenside")}
        sides.append(say("Black both sides") if "kq" in rights else black[rights[-1]])
    return ", ".join(sides) or say("none")


def chess_alt_text(position: ChessPosition, say: Speaker, lead: str = "") -> str:
    """Describe a position in at most :data:`~bot.scenes.crossword.MAX_ALT` characters, so that it can be followed without sight.

    ``lead`` comes first: who plays, or what this is.
    """
    parts = [lead] if lead else []
    parts.append(say("White to move.") if position.white_to_move else say("Black to move."))
    if state := state_text(position, say):
        parts.append(say("State: {state}.", state=state))
    parts.append(say("White: {pieces}.", pieces=_pieces_text(position, say, white=True)))
    parts.append(say("Black: {pieces}.", pieces=_pieces_text(position, say, white=False)))
    parts += (f"{words}." for words in variant_words(position, say))
    squares = squares_of(position.known_move)
    if len(squares) == 2:
        parts.append(say("Last move: {start} to {end}.", start=squares[0], end=squares[1]))
    elif squares:
        parts.append(say("Last move: {piece} on {square}.", piece=position.known_move[0], square=squares[0]))
    if set(position.castling) <= set("KQkq"):
        parts.append(say("Castling: {rights}.", rights=castling_text(position, say)))
    if position.en_passant:
        parts.append(say("En passant: {square}.", square=position.en_passant))
    parts.append(
        say(
            "Move {number}; half-moves since a capture or a pawn's move: {clock}.",
            number=position.fullmove_number,
            clock=position.halfmove_clock,
        )
    )
    return " ".join(parts)[:MAX_ALT]


def drawn_text(game: ChessGame, turn: int, say: Speaker) -> str:
    """Say which arrows and circles the author of a game drew after so many turns; mostly nothing."""
    comment = game.comment_at(turn)
    words = {"G": say("green"), "R": say("red"), "Y": say("yellow"), "B": say("blue")}

    def named(squares: str, colour: str) -> str:
        return f"{squares} {words[colour]}" if colour in words else squares

    parts = []
    if arrows := arrows_in(comment):
        told = (named(f"{start}–{end}", colour) for (start, end), colour in arrows.items())
        parts.append(say("Arrows: {squares}.", squares=", ".join(told)))
    if circles := circles_in(comment):
        told = (named(square, colour) for square, colour in circles.items())
        parts.append(say("Circles: {squares}.", squares=", ".join(told)))
    return " ".join(parts)


def _pieces_text(position: ChessPosition, say: Speaker, *, white: bool) -> str:
    squares: dict[str, list[str]] = {}
    for place, sign in enumerate(position.squares):
        if sign and sign.isupper() == white:
            squares.setdefault(sign.upper(), []).append(f"{'abcdefgh'[place % 8]}{8 - place // 8}")
    groups = []
    for sign in "KQRBNP":
        found = sorted(squares.get(sign, ()))
        if found:
            groups.append(_piece_text(sign, " ".join(found), len(found), say))
    return ", ".join(groups)


def _piece_text(sign: str, squares: str, number: int, say: Speaker) -> str:
    match sign:
        case "K":
            return say("king {squares}", squares=squares)
        case "Q":
            return say.count("queen {squares}", "queens {squares}", number, squares=squares)
        case "R":
            return say.count("rook {squares}", "rooks {squares}", number, squares=squares)
        case "B":
            return say.count("bishop {squares}", "bishops {squares}", number, squares=squares)
        case "N":
            return say.count("knight {squares}", "knights {squares}", number, squares=squares)
        case _:
            return say.count("pawn {squares}", "pawns {squares}", number, squares=squares)
