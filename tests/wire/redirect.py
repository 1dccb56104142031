"""Redirects discord.py in this process to a local server.

`site/sitecustomize.py` also loads this file by its path, so it must not import other modules of this package.
"""

from __future__ import annotations

import asyncio
import types
from typing import TYPE_CHECKING, Any

import yarl

if TYPE_CHECKING:
    from collections.abc import Callable

#: The longest delay, in seconds, that is not shortened. The tests' rate limits are shorter, and must be waited out.
MAX_UNCHANGED_DELAY = 0.5
#: The factor by which a longer delay is shortened, such as a back-off after an error or a pause between logins.
SHRINK = 0.02
#: Seconds without a new guild after which the client is ready; discord.py's default is 2.
GUILD_READY_TIMEOUT = 0.05


class PacedAsyncio(types.ModuleType):
    """The asyncio module, with its long sleeps shortened or lengthened."""

    def __init__(self, pace: float = SHRINK, *, threshold: float = MAX_UNCHANGED_DELAY) -> None:
        super().__init__("asyncio")
        self._pace = pace
        self._threshold = threshold

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, delay: float, result: Any = None) -> Any:
        """Sleep for `delay` seconds, or for `delay` times the pace if it is longer than the threshold."""
        return await asyncio.sleep(delay if delay <= self._threshold else delay * self._pace, result)


def redirect(api: str, setattr_: Callable[[Any, str, Any], None] = setattr, *, pace: float = SHRINK) -> None:
    """Make discord.py use the REST interface `api` (http://host:port/api/v10) and its gateway, and change its back-offs.

    `setattr_` sets the attributes. With a monkeypatch's `setattr`, the changes are undone after the test. With a large pace,
    back-offs last longer than any test waits.
    """
    # Imported here, because a subprocess loads this file while it imports discord.
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
    # These modules wait for no rate limits. All of their back-offs are shortened, because they are random and can be short.
    for module in (discord.client, discord.shard):
        setattr_(module, "asyncio", PacedAsyncio(pace, threshold=0.0))

    state: Any = discord.state.ConnectionState
    original = state.__init__

    def __init__(self: Any, **options: Any) -> None:  # noqa: N807 - it replaces the method of that name
        original(self, **{"guild_ready_timeout": GUILD_READY_TIMEOUT, **options})

    setattr_(state, "__init__", __init__)
