"""The players' names in Turn URLs: ``p1n``, ``p2n`` and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.domain.crossword.game import PlayerName

MAX_NAME = 50
"""Longest name of a player, in characters, as in sharewords."""

_PARAM = re.compile(r"p([1-9][0-9]{0,2})n")


def seat_of_param(param: str) -> int | None:
    """Return which player, from 0, a param names; None when it is no such param."""
    match = _PARAM.fullmatch(param)
    return int(match[1]) - 1 if match else None


def is_name(param: str) -> bool:
    """Tell whether this param names a player."""
    return seat_of_param(param) is not None


def param_of_seat(seat: int) -> str:
    """Return the param that names a player, from 0."""
    return f"p{seat + 1}n"


def default_name(seat: int) -> str:
    """Return what a player without a name is called; seats count from 0."""
    return f"Player {seat + 1}"


def shorten(name: str) -> str:
    """Return a name, at most :data:`MAX_NAME` characters of it."""
    return name[:MAX_NAME]


def with_nicks(names: Iterable[str]) -> tuple[PlayerName, ...]:
    """Give each name a nickname of its own, without spaces: ``Ann Lee`` is ``Ann_Lee``."""
    made: list[PlayerName] = []
    taken: set[str] = set()
    for seat, name in enumerate(names):
        nick = base = "_".join(name.split()) or default_name(seat).replace(" ", "_")
        number = 2
        while nick in taken:
            nick = f"{base}_{number}"
            number += 1
        taken.add(nick)
        made.append(PlayerName(nick, name))
    return tuple(made)
