"""An offline Discord in which long work is seen while it is under way, as on the real one.

SimCord ends an action when the bot has nothing left to do, and draws the page then. A simulation takes half a minute and
tells in its message how far it is: so an action ends, too, when there is something to stop.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Final

import simcord

from bot.chat.client import KibitzBot

STEP_SECONDS: Final = 1.0
"""How long an action waits before it looks whether there is something to stop."""
_STOP: Final = '"kibitz:stop:'
_TOKEN: Final = re.compile(r"/(?:interactions|webhooks)/[0-9]+/([^/]+)")
"""An interaction in an address: what answers it first, and what changes that, have it in common."""


class FlowingEnv(simcord.Env):
    """SimCord's Discord, whose actions end when a long job shows how far it is."""

    def __init__(self, bot: KibitzBot, settle_timeout: float) -> None:
        # Errors are not raised at the end: the bot has answered and logged them as it does on Discord.
        super().__init__(bot, check_errors=False, settle_timeout=settle_timeout)
        self.turn: Final = asyncio.Lock()
        """Held while an action is under way: there is one at a time, and whoever has two pages waits for the other."""
        self._seen = 0
        self._stoppable: set[str] = set()

    @property
    def has_something_to_stop(self) -> bool:
        """Whether a message shows a button to stop a job."""
        requests = self.http_requests
        for request in requests[self._seen :]:
            token = _TOKEN.search(request.path)
            message = token[1] if token else request.path
            if request.json is not None and _STOP in json.dumps(request.json):
                self._stoppable.add(message)
            else:
                self._stoppable.discard(message)
        self._seen = len(requests)
        return bool(self._stoppable)

    async def _settle_internal(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as in SimCord
        idle: float = 0.05,
        dispatch: str | None = None,
        _deadline: float | None = None,
    ) -> None:
        """Wait until the bot has done what an action wants, or has something that can be stopped."""
        loop = asyncio.get_running_loop()
        end = loop.time() + (timeout or self.settle_timeout) if _deadline is None else _deadline
        while True:
            step = min(end, loop.time() + STEP_SECONDS)
            try:
                await super()._settle_internal(idle=idle, dispatch=dispatch, _deadline=step)
            except TimeoutError:
                if self.has_something_to_stop:
                    return
                if step >= end:
                    raise
            else:
                return
