"""The ids of the seats of live games."""

from __future__ import annotations

from typing import Annotated

from bot.chat.control import Control, Part, control
from bot.chat.parts import number_part


@control("seat:{draws}:{what}:{mark}")
class SeatId(Control):
    """Takes somebody's word about the seats of a game; the mark names who was shown to sit where."""

    draws: Annotated[int, number_part(10)]
    what: Annotated[str, Part(rf"{number_part(2).looks}|ok|out")]
    mark: Annotated[str, Part("[0-9a-f]{8}")]
