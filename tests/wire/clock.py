"""A wall clock that tests set, as operators and virtual machines do; the monotonic clock is unchanged."""

from __future__ import annotations

import datetime as dt
import time
import types
from typing import TYPE_CHECKING, Any

import discord.ext.tasks  # noqa: TID251 - every user of it is caught
import discord.utils

from bot.features.showing import document_service
from bot.storage import store

if TYPE_CHECKING:
    import pytest


class Clock:
    """The time of day for the bot in this process and for its library, so far from the real one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = dt.timedelta(0)
        clock, passed = self, time.time

        class Shifted(dt.datetime):
            @classmethod
            def now(cls, tz: dt.tzinfo | None = None) -> Shifted:
                return super().now(tz) + clock.ahead

        module: Any = types.ModuleType("datetime")
        module.__dict__.update(vars(dt), datetime=Shifted)
        for user in (discord.utils, discord.ext.tasks):  # noqa: TID251 - as above
            monkeypatch.setattr(user, "datetime", module)
        for user in (store, document_service):
            monkeypatch.setattr(user, "datetime", Shifted)
        monkeypatch.setattr(time, "time", lambda: passed() + clock.ahead.total_seconds())

    def set(self, **ahead: float) -> None:
        """Set it so far ahead of the real time, as by ``timedelta``; less than nothing is back."""
        self.ahead = dt.timedelta(**ahead)
