"""SimCord's offline Discord and a channel's page in it, as the demo shows them.

SimCord ends an action when the bot has nothing left to do, and draws the page then. A simulation takes half a minute and
shows its progress in its message. Here, an action also ends when there is something to stop.

SimCord refuses an action on anything drawn before the last action. The page in the browser asks only twice a second for
what is new, so that a press on a button that has not changed would be lost whenever something else on the page has. On
Discord a press counts as long as its button exists. What is lost in the browser itself is kept by ``presses.js``.
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
"""How long an action waits before it looks whether there is something to stop."""
_STOP: Final = '"kibitz:stop:'
_TOKEN: Final = re.compile(r"/(?:interactions|webhooks)/[0-9]+/([^/]+)")
"""An interaction in an address: what answers it first, and what changes that, have it in common."""
DRAW_SECONDS: Final = 0.25
"""How often pages are looked at."""
_CONTROL: Final = re.compile(r"message:([0-9]{1,20}):component:")
"""What the name of a control begins with: the message that it stands under."""


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


@dataclass(slots=True)
class _Drawn:
    """What one browser's page was drawn from."""

    messages: str = ""
    controls: dict[int, tuple[str, int]] = field(default_factory=dict)
    """The controls under each message, and the revision of the page that was the first with them."""


class _Server(PreviewServer):
    """Gives the browser SimCord's page, and ``presses.js`` in place of the script that starts it."""

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
        """Draw the page anew in each browser where it does not show what stands in the channel."""
        messages = self._messages()
        self._drawn = {name: drawn for name, drawn in self._drawn.items() if name in self._pages}
        for name, page in tuple(self._pages.items()):
            if page is not self._python and name in self._pages and self._drawn[name].messages != messages:
                self._publish(page, reason="refresh")

    def _messages(self) -> str:
        """Return all that stands in the channel."""
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
        """Whether what the visitor has pressed is still what it was when the visitor saw it."""
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
    """Draw pages anew whenever what stands in their channels has changed while nobody did anything on them."""
    while True:
        await asyncio.sleep(DRAW_SECONDS)
        for page in pages:
            page.draw_changes()
