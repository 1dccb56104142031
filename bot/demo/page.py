"""SimCord's offline Discord and a channel's page in it, as the demo shows them.

SimCord ends an action when the bot has nothing left to do, and draws the page then. A simulation takes half a minute and
shows its progress in its message. Here, an action also ends when there is something to stop.

SimCord refuses an action on anything drawn before the last action. The page in the browser asks only twice a second for
what is new, so that a press on a button that has not changed would be lost whenever something else on the page has. On
Discord a press counts as long as its button exists. ``presses.js`` keeps presses that the browser itself would lose.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import simcord
from simcord.preview._server import PreviewServer

from bot.chat.client import KibitzBot

if TYPE_CHECKING:
    from simcord.preview._pages import _Page

STEP_SECONDS: Final = 1.0
"""Seconds that an action waits before it looks for something to stop."""
_STOP: Final = '"kibitz:stop:'
_TOKEN: Final = re.compile(r"/(?:interactions|webhooks)/[0-9]+/([^/]+)")
"""An interaction's token in an address, the same for its first answer and for later changes."""
DRAW_SECONDS: Final = 0.25
"""Seconds between two looks for changes."""
_CONTROL: Final = re.compile(r"message:([0-9]{1,20}):component:")
"""The start of a control's name: its message."""


class FlowingEnv(simcord.Env):
    """SimCord's Discord, whose actions also end when a long job shows its progress."""

    def __init__(self, bot: KibitzBot, settle_timeout: float) -> None:
        # The bot answers and logs errors as on Discord; they are not raised at the end.
        super().__init__(bot, check_errors=False, settle_timeout=settle_timeout)
        self.turn: Final = asyncio.Lock()
        """Held during an action, because there is one at a time; a visitor with two pages waits for the other."""
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
        """Wait until the bot has finished an action, or until there is something to stop."""
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


@dataclass(slots=True)
class _Drawn:
    """The messages and controls on one browser's page."""

    messages: str = ""
    controls: dict[int, tuple[str, int]] = field(default_factory=dict)
    """The controls under each message, and the first revision of the page with them."""


class _Server(PreviewServer):
    """Gives the browser SimCord's page, and ``presses.js`` instead of the script that starts it."""

    _STATIC_FILES: ClassVar[dict[str, str]] = {
        **PreviewServer._STATIC_FILES,  # noqa: SLF001
        "/app.js": str(Path(__file__).with_name("presses.js")),
        "/page.js": PreviewServer._STATIC_FILES["/app.js"],  # noqa: SLF001
    }


class ChannelPage(simcord.Preview):
    """A channel's page; ``port`` is 0 for any free one."""

    env: FlowingEnv

    def __init__(
        self,
        discord: FlowingEnv,
        room: simcord.ChannelHandle,
        viewers: tuple[simcord.MemberActor, ...],
        *,
        timezone: str,
        port: int,
    ) -> None:
        super().__init__(
            discord,
            room,
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
        self._drawn: dict[str, _Drawn] = {}

    def draw_changes(self) -> None:
        """Redraw the page in each browser that does not show the channel's present messages."""
        messages = self._messages()
        self._drawn = {name: drawn for name, drawn in self._drawn.items() if name in self._pages}
        for name, page in tuple(self._pages.items()):
            if page is not self._python and name in self._pages and self._drawn[name].messages != messages:
                self._publish(page, reason="refresh")

    def _messages(self) -> str:
        """Return all messages of the channel."""
        return repr(self.env.backend.messages.get(self.channel.id))

    def _publish(self, page: _Page, *, reason: str = "action") -> None:
        super()._publish(page, reason=reason)  # type: ignore[arg-type]
        drawn = self._drawn.setdefault(page.id, _Drawn())
        drawn.messages = self._messages()
        before, drawn.controls = drawn.controls, {}
        for number, message in self.env.backend.messages.get(page.channel_id, {}).items():
            controls = repr(message.components)
            same = before.get(number)
            drawn.controls[number] = same if same and same[0] == controls else (controls, page.revision)

    async def _action(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        async with self.env.turn:
            page = self._get_page(context_id)
            if self._stands(page, body):
                body = {**body, "published_revision": page.revision}
            return await super()._action(context_id, body)

    def _stands(self, page: _Page, body: Mapping[str, Any]) -> bool:
        """Return whether the pressed control is still under the card as the visitor saw it."""
        seen, control = body.get("published_revision"), body.get("control_key")
        if not isinstance(seen, int):
            return False
        if body.get("kind") not in {"click", "select"}:
            return True
        message = _CONTROL.match(control) if isinstance(control, str) else None
        if message is None:
            return False
        _, since = self._drawn[page.id].controls.get(int(message[1]), ("", seen + 1))
        return since <= seen


async def keep_drawn(pages: Iterable[ChannelPage]) -> None:
    """Redraw pages whose channels changed without an action on them."""
    while True:
        await asyncio.sleep(DRAW_SECONDS)
        for page in pages:
            page.draw_changes()
