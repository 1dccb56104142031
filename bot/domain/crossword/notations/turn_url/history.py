"""The history of a game that came from a Turn URL, up to a turn that was chosen."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.game import ORDINARY, Game
from bot.domain.crossword.notations.turn_url.reader import read
from bot.domain.crossword.notations.turn_url.replay import SOURCE_KEY, seen_in_each_way
from bot.domain.crossword.notations.turn_url.values import TurnUrl
from bot.domain.crossword.play import Exchange
from bot.domain.reading.problems import ConversionError, DomainError


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
            # Held against what everybody sees: an answer that knew the draws would disclose them.
            if any(_is_of(document, played) for played in seen_in_each_way(history)):
                return history
        except DomainError:
            pass
    raise ConversionError(
        "no-seed", "the draws of this game cannot come from a seed, so no Turn URL can hold it"
    )


def _is_of(document: Game, played: Game) -> bool:
    """Tell whether a game has the plays of another."""
    ours, theirs = (
        [_seen(turn.play) for turn in one.turns if turn.kind in ORDINARY] for one in (document, played)
    )
    return ours == theirs


def _seen(play: object) -> object:
    """Return a play as everybody saw it: of an exchange, how many tiles."""
    return play.count if isinstance(play, Exchange) else play
