"""A channel's page that shows what the bot does while it does it, and takes every press of the visitor.

SimCord draws a page when an action of the visitor has ended, and refuses an action on anything drawn before: the page in
the browser asks only twice a second for what is new, so that a press on a button that has not changed would be lost
whenever something else on the page has. On Discord a press counts as long as its button stands there. What is lost in the
browser itself is kept by ``presses.js``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import simcord
from simcord.preview._server import PreviewServer

from bot.demo.flow import FlowingEnv

if TYPE_CHECKING:
    from simcord.preview._pages import _Page

DRAW_SECONDS: Final = 0.25
"""How often pages are looked at."""
_CONTROL: Final = re.compile(r"message:([0-9]{1,20}):component:")
"""What the name of a control begins with: the message that it stands under."""


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
