"""Which turn of a game a moment is about: challenges and counts are outcomes of turns, not turns of their own."""

from __future__ import annotations

from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Exchange, Placement
from bot.domain.crossword.turn import ORDINARY, Turn, TurnKind

_RULINGS = frozenset({TurnKind.PHONY_WITHDRAWN, TurnKind.CHALLENGE_BONUS})


def coming_turn(game: Game, moment: int) -> tuple[int, Turn | None]:
    """Return the next turn that somebody took after so many turns, and the moment right before it.

    Rulings on the turn before are passed over: what was played after a challenge was played on the board that it left.
    None when nobody took another turn.
    """
    moment = min(moment, len(game.turns))
    while moment < len(game.turns) and game.turns[moment].kind in _RULINGS:
        moment += 1
    coming = game.turns[moment] if moment < len(game.turns) else None
    return moment, coming if coming is not None and coming.kind in ORDINARY else None


def moment_before(game: Game, shown: int) -> int | None:
    """Return the moment before the turn that is shown after so many turns, a ruling counting to its turn; None at the start."""
    for moment in range(min(shown, len(game.turns)) - 1, -1, -1):
        if game.turns[moment].kind in ORDINARY:
            return moment
    return None


def is_rack_told(game: Game, moment: int) -> bool:
    """Tell whether more is known of the rack of the coming turn than what was played from it."""
    _, turn = coming_turn(game, moment)
    if turn is None or not turn.rack:
        return False
    used = len(tiles_used(turn.play)) if isinstance(turn.play, Placement) else 0
    if isinstance(turn.play, Exchange):
        used = turn.play.count
    # With its last tiles a rack is told whole.
    return (
        len(turn.rack) > used
        or len(turn.rack) >= game.rules.rack_size
        or (not turn.rack_unknown and _is_out(game, moment))
    )


def _is_out(game: Game, moment: int) -> bool:
    """Tell whether the coming turn was the last that was played."""
    at, _ = coming_turn(game, moment)
    return not any(turn.kind in ORDINARY for turn in game.turns[at + 1 :])


def neighbours(game: Game, moment: int) -> tuple[int | None, int | None]:
    """Return the moments before and after a moment in which somebody had a known rack to play from."""
    at, _ = coming_turn(game, moment)
    known = [one for one, turn in enumerate(game.turns) if turn.kind in ORDINARY and is_rack_told(game, one)]
    before = max((one for one in known if one < at), default=None)
    return before, min((one for one in known if one > at), default=None)
