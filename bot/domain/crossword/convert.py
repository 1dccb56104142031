"""Writing a document in another notation, and what gets lost on the way.

What the notation cannot hold at all is refused; what it cannot hold in part is named: the text that was written is
read again, and everything that does not come back is a :class:`~bot.domain.reading.kind.Loss`. ``docs/conversions.md`` has
the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.game import ORDINARY, Game, Turn, TurnKind
from bot.domain.crossword.losses import game_losses, loss, position_losses
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.notations.cgp_ascii.opcodes import EARLIER
from bot.domain.crossword.play import Exchange, Placement
from bot.domain.crossword.position import Position
from bot.domain.crossword.turn import ShownRack
from bot.domain.reading.kind import Conversion, Loss
from bot.domain.reading.problems import ConversionError, DomainError, Reading

Document: TypeAlias = Position | Game

_POSITIONS: dict[str, tuple[Callable[[Position], str], Callable[[str], Reading[Position]]]] = {
    "cgp": (cgp.write, cgp.read),
    "cgp-ascii": (cgp_ascii.write, cgp_ascii.read),
    "text": (board_text.write, board_text.read),
}
_HISTORIES = {"gcg": "GCG", "turn-url": "Turn URL"}

NOTATIONS = (*_POSITIONS, *_HISTORIES, "json")
"""The notations that documents are converted to."""


def convert(document: Document, to: str, *, turn: int | None = None) -> Conversion:
    """Write a document in the notation ``to``, one of :data:`NOTATIONS`.

    Of a game, ``turn`` is the moment to stop at: after so many turns, after the last one when None. Notations of
    positions then tell the position, the others the game up to there.

    Raises:
        ConversionError: the notation cannot hold it at all, or the game has fewer turns.

    """
    if to not in NOTATIONS:
        raise ConversionError("unknown-notation", "{notation!r} is no notation", notation=to[:40])
    if isinstance(document, Position):
        if turn is not None:
            raise ConversionError("no-turns", "a position has no turns to choose from")
        return _convert_position(document, to)
    if turn is not None and not 0 <= turn <= len(document.turns):
        raise ConversionError(
            "no-turn", "the game has {turns} turns, not {turn}", turns=len(document.turns), turn=turn
        )
    return _convert_game(document, to, len(document.turns) if turn is None else turn)


def _convert_position(position: Position, to: str) -> Conversion:
    if to == "json":
        return Conversion(json_document.write(position))
    if to in _HISTORIES:
        raise ConversionError(
            "no-history", "a position has no history, and a {notation} is one", notation=_HISTORIES[to]
        )
    write, read = _POSITIONS[to]
    # Signs of the ASCII draft mean nothing to other notations.
    told = position if to == "cgp-ascii" else _without(position, EARLIER)
    text = write(told)
    try:
        again = read(text).value
    except DomainError:
        return Conversion(text, (loss("unreadable"),))
    return Conversion(text, _each_once(position_losses(position.mover_first(), again.mover_first())))


def _without(position: Position, name: str) -> Position:
    return replace(position, extra=tuple(pair for pair in position.extra if pair[0] != name))


def _convert_game(game: Game, to: str, turn: int) -> Conversion:
    if to in _POSITIONS:
        conversion = _convert_position(game.position_at(turn), to)
        return replace(conversion, losses=(*_game_itself(game, turn), *conversion.losses))
    part = _until(game, turn)
    if to == "json":
        return Conversion(json_document.write(part))
    if to == "turn-url":
        return _convert_to_link(part)
    text = gcg.write(part)
    try:
        reading = gcg.read(text)
    except DomainError:
        return Conversion(text, (loss("unreadable"),))
    losses = game_losses(part, reading.value)
    stopped = () if reading.error is None else (loss("unreadable"),)
    return Conversion(text, _each_once((*stopped, *losses)))


def _convert_to_link(game: Game) -> Conversion:
    text = turn_url.write(turn_url.history_of(game))
    again = turn_url.seen_by_all(turn_url.read(text).value).value.game
    # The racks follow from the seed; to say whether these do would disclose something of a game that is still on.
    return Conversion(text, _each_once(game_losses(_without_racks(game), _without_racks(again))))


def _without_racks(game: Game) -> Game:
    """Return a game as onlookers see it: of more than two players, they cannot know what was left on whose rack."""
    turns = [
        _onlookers_turn(turn) if turn.kind in ORDINARY else turn
        for turn in game.turns
        if len(game.names) <= 2 or turn.kind not in (TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY)
    ]
    return replace(game, turns=tuple(turns), shown_racks=(), incomplete=False)


def _onlookers_turn(turn: Turn) -> Turn:
    used = tiles_used(turn.play) if isinstance(turn.play, Placement) else ()
    play = Exchange(unknown=turn.play.count) if isinstance(turn.play, Exchange) else turn.play
    return replace(turn, rack=used, rack_unknown=0, play=play)


def _game_itself(game: Game, turn: int) -> tuple[Loss, ...]:
    """Return what no position can hold of a game."""
    losses = []
    if turn:
        losses.append(loss("history", turns=turn))
    remarked = any(one.note or one.comments for one in game.turns[:turn])
    if remarked or game.title or game.description or game.note or game.comments:
        losses.append(loss("remarks"))
    return tuple(losses)


def _until(game: Game, turn: int) -> Game:
    """Return the game as it stood after so many turns, with the rack of the player to move if it is known."""
    if turn == len(game.turns):
        return game
    shown = tuple(rack for rack in game.shown_racks if rack.after <= turn)
    position = game.position_at(turn)
    rack = position.players[position.on_turn].rack
    if rack and not any(one.after == turn and one.player == position.on_turn for one in shown):
        shown = (*shown, ShownRack(turn, position.on_turn, rack))
    return replace(game, turns=game.turns[:turn], shown_racks=shown, incomplete=not position.is_over)


def _each_once(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    return tuple(dict.fromkeys(losses))
