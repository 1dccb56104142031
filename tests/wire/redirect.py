"""Redirects discord.py in this process to a local server.

This file must not import other modules of the package, because `site/sitecustomize.py` loads it by its path.
"""

from __future__ import annotations

import asyncio
import types
from typing import TYPE_CHECKING, Any

import discord.client
import discord.gateway
import discord.http
import discord.shard
import discord.state
import discord.webhook.async_
import yarl

if TYPE_CHECKING:
    from collections.abc import Callable

#: The longest delay, in seconds, that is not scaled. The tests' rate limits are shorter, and must be waited out.
MAX_UNCHANGED_DELAY = 0.5
#: The default factor for longer delays, such as a back-off after an error or a pause between logins.
DEFAULT_DELAY_FACTOR = 0.02
#: The client is ready when no guild has arrived for this many seconds; discord.py's default is 2.
GUILD_READY_TIMEOUT = 0.05


class ScaledAsyncio(types.ModuleType):
    """The asyncio module, except that long sleeps are scaled."""

    def __init__(
        self, delay_factor: float = DEFAULT_DELAY_FACTOR, *, threshold: float = MAX_UNCHANGED_DELAY
    ) -> None:
        super().__init__("asyncio")
        self._delay_factor = delay_factor
        self._threshold = threshold

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, delay: float, result: Any = None) -> Any:
        """Sleep for `delay` seconds, or, if that is above the threshold, for `delay` times the factor."""
        return await asyncio.sleep(delay if delay <= self._threshold else delay * self._delay_factor, result)


def redirect(
    api: str,
    setattr_: Callable[[Any, str, Any], None] = setattr,
    *,
    delay_factor: float = DEFAULT_DELAY_FACTOR,
) -> None:
    """Make discord.py use the REST API at `api` (http://host:port/api/v10) and that server's gateway, and scale its back-offs.

    With `monkeypatch.setattr` as `setattr_`, the changes are undone after the test. With a large `delay_factor`, back-offs
    outlast every test's timeout.
    """
    base = yarl.URL(api)
    setattr_(discord.http.Route, "BASE", api)
    setattr_(
        discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", base.with_scheme("ws").with_path("/gateway")
    )
    for module in (discord.http, discord.webhook.async_):
        setattr_(module, "asyncio", ScaledAsyncio(delay_factor))
    # These modules do not wait for rate limits. All of their back-offs are scaled, because they are random and can be short.
    for module in (discord.client, discord.shard):
        setattr_(module, "asyncio", ScaledAsyncio(delay_factor, threshold=0.0))

    state: Any = discord.state.ConnectionState
    original = state.__init__

    def __init__(self: Any, **options: Any) -> None:  # noqa: N807 - it replaces the method of that name
        original(self, **{"guild_ready_timeout": GUILD_READY_TIMEOUT, **options})

    setattr_(state, "__init__", __init__)
