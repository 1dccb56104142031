"""Points discord.py at a local server instead of Discord, in this process.

Also loaded as a plain file by `site/sitecustomize.py`, so it imports no module of this package.
"""

from __future__ import annotations

import asyncio
import types
from typing import TYPE_CHECKING, Any

import yarl

if TYPE_CHECKING:
    from collections.abc import Callable

#: Delays up to this number of seconds are kept: rate limits of the tests are shorter and must be waited out.
KEPT = 0.5
#: Factor by which a longer delay shrinks (back-off after errors, pauses between logins).
SHRINK = 0.02
#: Seconds without a new guild after which the client calls itself ready; discord.py's default is 2.
GUILD_READY_TIMEOUT = 0.05


class PacedAsyncio(types.ModuleType):
    """asyncio, but with long sleeps made shorter (or longer)."""

    def __init__(self, pace: float = SHRINK, *, threshold: float = KEPT) -> None:
        super().__init__("asyncio")
        self._pace = pace
        self._threshold = threshold

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, delay: float, result: Any = None) -> Any:
        """Sleep for `delay` seconds, or `delay` times the pace when it is a back-off."""
        return await asyncio.sleep(delay if delay <= self._threshold else delay * self._pace, result)


def redirect(api: str, setattr_: Callable[[Any, str, Any], None] = setattr, *, pace: float = SHRINK) -> None:
    """Make discord.py use `api` (http://host:port/api/v10) and the gateway beside it, and pace its back-offs.

    `setattr_` does the patching; give a monkeypatch's to have it undone. A pace above 1 makes back-offs last
    longer than any test waits.
    """
    # Here and not above: a subprocess loads this file when discord has just been imported.
    import discord.client  # noqa: PLC0415
    import discord.gateway  # noqa: PLC0415
    import discord.http  # noqa: PLC0415
    import discord.shard  # noqa: PLC0415
    import discord.state  # noqa: PLC0415
    import discord.webhook.async_  # noqa: PLC0415

    base = yarl.URL(api)
    setattr_(discord.http.Route, "BASE", api)
    setattr_(
        discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", base.with_scheme("ws").with_path("/gateway")
    )
    for module in (discord.http, discord.webhook.async_):
        setattr_(module, "asyncio", PacedAsyncio(pace))
    # Nothing here waits for a rate limit; a back-off is a random time from 0 up, and none of it is kept.
    for module in (discord.client, discord.shard):
        setattr_(module, "asyncio", PacedAsyncio(pace, threshold=0.0))

    state: Any = discord.state.ConnectionState
    original = state.__init__

    def __init__(self: Any, **options: Any) -> None:  # noqa: N807 - it replaces the method of that name
        original(self, **{"guild_ready_timeout": GUILD_READY_TIMEOUT, **options})

    setattr_(state, "__init__", __init__)
