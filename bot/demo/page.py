"""The demo's own classes for SimCord's offline Discord and its channel pages.

After each of the visitor's actions, SimCord waits until the bot has nothing left to do, and only then redraws the page. But an
analysis may take half a minute, and shows its progress in a message. So here, an action also ends when a message has a Stop
button.

SimCord rejects a press if anything on the page has changed since the visitor saw the button. Here, a press is accepted if the
buttons and menus of the message are unchanged. ``presses.js`` handles presses that the browser would lose.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final

import simcord
from simcord.preview._pages import _Page
from simcord.preview._server import PreviewServer

from bot.chat.client import KibitzBot

STOP_CHECK_INTERVAL: Final = 1.0
"""Seconds between checks for a Stop button during an action."""
_STOP_ID_PREFIX: Final = "kibitz:stop:"
REDRAW_INTERVAL: Final = 0.25
"""Seconds between checks for changes to draw."""
_CONTROL_PATTERN: Final = re.compile(r"message:([0-9]{1,20}):component:")
"""Matches the start of SimCord's key for a control. The group is the message id."""


class DemoEnv(simcord.Env):
    """A SimCord environment in which an action also ends if a message has a Stop button."""

    def __init__(self, bot: KibitzBot, settle_timeout: float) -> None:
        # The bot reports and logs its errors, so SimCord need not raise them at the end.
        super().__init__(bot, check_errors=False, settle_timeout=settle_timeout)
        self.action_lock: Final = asyncio.Lock()
        """Held during an action, so that only one action runs at a time, even if the visitor uses two pages."""

    @property
    def has_stop_button(self) -> bool:
        messages = chain.from_iterable(channel.values() for channel in self.backend.messages.values())
        return any(_STOP_ID_PREFIX in repr(message.components) for message in messages)

    async def _settle_internal(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as in SimCord
        idle: float = 0.05,
        dispatch: str | None = None,
        _deadline: float | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + (timeout or self.settle_timeout) if _deadline is None else _deadline
        while True:
            step_end = min(end, loop.time() + STOP_CHECK_INTERVAL)
            try:
                await super()._settle_internal(idle=idle, dispatch=dispatch, _deadline=step_end)
            except TimeoutError:
                if self.has_stop_button:
                    return
                if step_end >= end:
                    raise
            else:
                return


@dataclass(slots=True)
class _DrawnPage:
    """The messages and controls shown in one browser."""

    messages: str = ""
    """The ``repr`` of the messages, which is compared to detect changes."""
    controls: dict[int, tuple[str, int]] = field(default_factory=dict)
    """For each message id: the ``repr`` of the message's controls, and the first revision of the page that showed them."""


class _Server(PreviewServer):
    """Serves SimCord's page with ``presses.js``, which imports the page's own script."""

    _STATIC_FILES: ClassVar[dict[str, str]] = {
        **PreviewServer._STATIC_FILES,  # noqa: SLF001
        "/app.js": str(Path(__file__).with_name("presses.js")),
        "/page.js": PreviewServer._STATIC_FILES["/app.js"],  # noqa: SLF001
    }


class ChannelPage(simcord.Preview):
    """A channel's page. Port 0 means any free port."""

    env: DemoEnv

    def __init__(
        self,
        env: DemoEnv,
        channel: simcord.ChannelHandle,
        viewers: tuple[simcord.MemberActor, ...],
        *,
        timezone: str,
        port: int,
    ) -> None:
        super().__init__(
            env,
            channel,
            viewers,
            layout="channel",
            display="responsive",
            width=960,
            height=720,
            locale="en-US",
            timezone=timezone,
            presentation_time=None,
            assets=None,
            port=port,
        )
        self._server = _Server(self, port)
        self._drawn_pages: dict[str, _DrawnPage] = {}

    def draw_changes(self) -> None:
        """Redraw the page in each browser that does not show the current messages."""
        messages = self._messages_repr()
        self._drawn_pages = {
            name: drawn_page for name, drawn_page in self._drawn_pages.items() if name in self._pages
        }
        for name, page in tuple(self._pages.items()):
            if (
                page is not self._python
                and name in self._pages
                and self._drawn_pages[name].messages != messages
            ):
                self._publish(page, reason="refresh")

    def _messages_repr(self) -> str:
        return repr(self.env.backend.messages.get(self.channel.id))

    def _publish(self, page: _Page, *, reason: str = "action") -> None:
        super()._publish(page, reason=reason)  # type: ignore[arg-type]
        drawn_page = self._drawn_pages.setdefault(page.id, _DrawnPage())
        drawn_page.messages = self._messages_repr()
        earlier_controls, drawn_page.controls = drawn_page.controls, {}
        for message_id, message in self.env.backend.messages.get(page.channel_id, {}).items():
            controls = repr(message.components)
            earlier_entry = earlier_controls.get(message_id)
            drawn_page.controls[message_id] = (
                earlier_entry if earlier_entry and earlier_entry[0] == controls else (controls, page.revision)
            )

    async def _action(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        async with self.env.action_lock:
            page = self._get_page(context_id)
            if self._is_still_valid(page, body):
                body = {**body, "published_revision": page.revision}
            return await super()._action(context_id, body)

    def _is_still_valid(self, page: _Page, body: Mapping[str, Any]) -> bool:
        """Return whether an action is still valid. A press is valid if the visitor saw the current controls of the message."""
        seen_revision, control = body.get("published_revision"), body.get("control_key")
        if not isinstance(seen_revision, int):
            return False
        if body.get("kind") not in {"click", "select"}:
            return True
        match = _CONTROL_PATTERN.match(control) if isinstance(control, str) else None
        if match is None:
            return False
        _, first_revision = self._drawn_pages[page.id].controls.get(int(match[1]), ("", seen_revision + 1))
        return first_revision <= seen_revision


async def redraw_changes(pages: Iterable[ChannelPage]) -> None:
    while True:
        await asyncio.sleep(REDRAW_INTERVAL)
        for page in pages:
            page.draw_changes()
