"""A review for those who do not see its picture: the result, the players, and how the chance to win went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.chat.markdown import plain
from bot.chat.page import clipped
from bot.features.showing.words import MAX_ALT
from bot.text import Speaker

_TELLING = (8, 12, 18, 27, 40, 101)
"""By how many per cent the chance to win has to change to be told: the first with which all has room."""


def curve_words(
    lead: Sequence[str], player: str, chances: Sequence[int], causes: Mapping[int, str], say: Speaker
) -> str:
    """Tell a review in at most as many characters as an alt text has.

    Args:
        lead: What is said first, with Markdown as in the message.
        player: Whose chance it is.
        chances: The chance to win in per cent, at the start and after each turn.
        causes: What happened in a turn, by its number, as far as there is something to say.
        say: The speaker.

    """
    first = " ".join(f"{plain(block).rstrip('.')}." for block in lead)
    told = [f"{first} {_curve(player, chances, causes, least, say)}" for least in _TELLING]
    return next((text for text in told if len(text) <= MAX_ALT), clipped(told[-1], MAX_ALT))


def _curve(player: str, chances: Sequence[int], causes: Mapping[int, str], least: int, say: Speaker) -> str:
    parts = [say("Chance to win of {player}: {percent} % at the start", player=player, percent=chances[0])]
    last = chances[0]
    for turn, chance in enumerate(chances[1:-1], start=1):
        if abs(chance - last) >= least:
            words = say("{percent} % after turn {turn}", percent=chance, turn=turn)
            parts.append(f"{words} ({causes[turn]})" if turn in causes else words)
            last = chance
    return ", ".join([*parts, say("{percent} % at the end.", percent=chances[-1])])
