"""What the fields of a position must hold, in whichever notation of positions they stand."""

from __future__ import annotations

import re

from bot.domain.crossword.position import MAX_PLAYERS, Player, Position
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import ConversionError, Warnings

MAX_EXCESS = 2
"""How many tiles more than the set has are put down to a slip."""

_SCORE = re.compile(r"[-−+]?[0-9]{1,6}")
_SCORELESS_TURNS = re.compile("[0-9]{1,3}")


def pair_players(racks: list[Piece], scores: list[Piece]) -> list[tuple[Piece, Piece]]:
    """Return the rack and the score of each player.

    Raises:
        ParseError: there are not as many racks as scores, or over :data:`~bot.domain.crossword.position.MAX_PLAYERS`.

    """
    if len(racks) != len(scores) or len(racks) > MAX_PLAYERS:
        raise racks[0].malformed(
            "player-count",
            "there are racks for {racks} players and scores for {scores}",
            racks=len(racks),
            scores=len(scores),
        )
    return list(zip(racks, scores, strict=True))


def read_score(score: Piece) -> int:
    """Read the score of a player.

    Raises:
        ParseError: it is no number of at most 6 digits.

    """
    if not _SCORE.fullmatch(score.text):
        raise score.malformed(
            "malformed-score",
            "{score!r} is no score, which is a whole number of at most 6 digits",
            score=score.text[:20],
        )
    return int(score.text.replace("−", "-"))


def read_scoreless_turns(field: Piece) -> int:
    """Read the number of scoreless turns; a semicolon after it belongs to opcodes that are not there.

    Raises:
        ParseError: it is no number of at most 3 digits.

    """
    digits = field.text.rstrip(";")
    if not _SCORELESS_TURNS.fullmatch(digits):
        raise field.malformed(
            "malformed-scoreless-turns",
            "{field!r} is no number of scoreless turns",
            field=field.text[:20],
        )
    return int(digits)


def check_excess(where: Piece, position: Position, warnings: Warnings) -> None:
    """Warn, at a piece of the text, when the board and the racks show more of a tile than the set has.

    Raises:
        RuleError: they show over :data:`MAX_EXCESS` tiles more than the set has.

    """
    unseen = position.unseen
    if not unseen.excess or not position.rules.has_known_bag:
        return
    distribution, letter = position.rules.distribution, unseen.overdrawn[0]
    has = distribution.counts[letter]
    values = {
        "tile": distribution.text(letter),
        "shown": has - unseen.counts[letter],
        "has": has,
        "distribution": distribution.name,
    }
    template = "the board and racks show {shown} × {tile}; the {distribution} set has {has}"
    if unseen.excess > MAX_EXCESS:
        raise where.illegal("too-many-tiles", template, **values)
    where.warn(warnings, "too-many-tiles", template, **values)


def check_square(position: Position) -> None:
    """Refuse a board that has not as many rows as columns: CGP has no sign for them.

    Raises:
        ConversionError: naming both.

    """
    if position.board.rows != position.board.columns:
        raise ConversionError(
            "board-not-square",
            "CGP boards are square; this one has {rows} rows and {columns} columns",
            rows=position.board.rows,
            columns=position.board.columns,
        )


def seen_players(position: Position) -> tuple[Player, ...]:
    """Return the players, with one more beside a lone player without a known rack.

    The field of the racks would be empty, and the spaces around it would close over it.
    """
    if len(position.players) < 2 and not any(player.rack for player in position.players):
        return (*position.players, Player(), Player())[:2]
    return position.players
