"""A wall clock that tests can set ahead or back. The monotonic clock is unchanged."""

from __future__ import annotations

import datetime as dt
import time
import types
from typing import TYPE_CHECKING, Any

import discord.ext.tasks  # noqa: TID251 - its clock is patched
import discord.utils

if TYPE_CHECKING:
    import pytest


class Clock:
    """The time of day for discord.py and the bot in this process: the real time plus `ahead`.

    Pass :meth:`now` to the bot; discord.py and ``time.time`` are patched to use the same time.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = dt.timedelta(0)
        clock, real_time = self, time.time

        class ShiftedDatetime(dt.datetime):
            @classmethod
            def now(cls, tz: dt.tzinfo | None = None) -> ShiftedDatetime:
                return super().now(tz) + clock.ahead

        shifted_module: Any = types.ModuleType("datetime")
        shifted_module.__dict__.update(vars(dt), datetime=ShiftedDatetime)
        for module in (discord.utils, discord.ext.tasks):  # noqa: TID251 - as above
            monkeypatch.setattr(module, "datetime", shifted_module)
        monkeypatch.setattr(time, "time", lambda: real_time() + clock.ahead.total_seconds())

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC) + self.ahead

    def set_ahead(self, **ahead: float) -> None:
        """Set the clock ahead of the real time by a ``timedelta`` with these arguments; negative values set it back."""
        self.ahead = dt.timedelta(**ahead)
