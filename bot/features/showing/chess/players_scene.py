"""The two sides beside a chessboard: names, clocks, captured pieces."""

from __future__ import annotations

from collections import Counter

from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.words import checks_words, player_name
from bot.features.showing.words import clock_text
from bot.text import Speaker
from render.scene import (
    Piece,
    PieceKind,
    PlayerRow,
)

PIECES = {
    sign: Piece(kind, white=sign.isupper()) for kind in PieceKind for sign in (kind.value, kind.value.lower())
}
"""By their letters in FEN."""
_POINTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½"), "*": ("", "")}
_WORTH = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1}


def position_players(position: ChessPosition, say: Speaker) -> tuple[PlayerRow, ...]:
    """Return the two sides of a position that belongs to no game."""
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


def game_players(game: ChessGame, turn: int, position: ChessPosition, say: Speaker) -> tuple[PlayerRow, ...]:
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
    return tuple(PIECES[sign] for sign in gone), _ahead(position, white=white)


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
    return tuple(PIECES[sign] for sign in lacking), _ahead(position, white=white)


_COUNTED = frozenset(("", "chess960", "kingOfTheHill", "threeCheck", "racingKings"))
"""Variants in which pieces are captured, and worth, as in usual chess."""


def _pocket(position: ChessPosition, *, white: bool) -> tuple[Piece, ...]:
    signs = sorted(
        filter(lambda sign: sign.isupper() == white, position.pockets), key=lambda s: "QRBNP".index(s.upper())
    )
    return tuple(PIECES[sign] for sign in signs)


def _ahead(position: ChessPosition, *, white: bool) -> int:
    """Return by how many pawns' worth a side has more material, in the usual 9, 5, 3, 3, 1."""
    now = Counter(position.squares)
    worth = sum(points * (now[sign] - now[sign.lower()]) for sign, points in _WORTH.items())
    return worth if white else -worth


def clocks_at(game: ChessGame, turn: int) -> tuple[int | None, int | None]:
    """Return what is left on the clocks of White and Black after so many turns, in milliseconds, where it is known."""
    clocks: list[int | None] = [None, None]
    white = game.start.white_to_move
    for move in game.turns[:turn]:
        if move.clock is not None:
            clocks[0 if white else 1] = move.clock
        white = not white
    return clocks[0], clocks[1]
