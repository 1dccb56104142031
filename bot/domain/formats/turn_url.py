"""Turn URLs, version 1: games of sharewords as links, as in ``formats/turn_url_v1.txt`` of the field.

:func:`read` and :func:`write` go between the text and a :class:`TurnUrl`; :func:`game` and :func:`replay` play a
history through; :func:`history_of` goes back from a game to its URL; :func:`merge` and :func:`live_game` join the
links of a game that goes on; :func:`find` finds links in free text.
"""

from __future__ import annotations

from dataclasses import replace

from bot.domain.errors import ConversionError, DomainError
from bot.domain.formats.turn_url_live import Contradiction, LiveGame, live_game, merge
from bot.domain.formats.turn_url_reader import read
from bot.domain.formats.turn_url_replay import SOURCE_KEY, Replayed, game, replay
from bot.domain.formats.turn_url_span import find
from bot.domain.formats.turn_url_values import ExchangeTurn, Settings, TurnUrl, UrlTurn, WordTurn
from bot.domain.formats.turn_url_writer import write
from bot.domain.game import ORDINARY, Game
from bot.domain.play import Exchange

__all__ = [
    "Contradiction",
    "ExchangeTurn",
    "LiveGame",
    "Replayed",
    "Settings",
    "TurnUrl",
    "UrlTurn",
    "WordTurn",
    "find",
    "game",
    "history_of",
    "live_game",
    "merge",
    "read",
    "replay",
    "write",
]


def history_of(document: Game) -> TurnUrl:
    """Return the history of a game that came from a Turn URL, up to the last turn that the game has.

    Raises:
        ConversionError: the game came from elsewhere, or was changed since: its draws cannot come from a seed.

    """
    source = dict(document.extra).get(SOURCE_KEY)
    turns = [turn for turn in document.turns if turn.kind in ORDINARY]
    if source is not None:
        try:
            history = read(source).value
            history = replace(history, turns=history.turns[: len(turns)])
            played = [turn for turn in game(history).value.turns if turn.kind in ORDINARY]
        except DomainError:
            played = []
        else:
            if [_seen(turn.play) for turn in played] == [_seen(turn.play) for turn in turns]:
                return history
    raise ConversionError(
        "no-seed", "the draws of this game cannot come from a seed, so no Turn URL can tell it"
    )


def _seen(play: object) -> object:
    """Return a play as everybody saw it: of an exchange, how many tiles."""
    return play.count if isinstance(play, Exchange) else play
