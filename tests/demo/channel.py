"""The demo's page as a visitor uses it: reads the channel, types, looks at the answers."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from tests.demo.browser import Page

MESSAGES = "[...document.querySelectorAll('#channel-message-list article')]"
LAST = f"{MESSAGES}.at(-1)"
INPUT = "#channel-composer-input"
SETTLED = "document.querySelector('#preview-app').getAttribute('aria-busy') === 'false'"
AT_THE_END = (
    "(t => t.scrollHeight - t.scrollTop - t.clientHeight <= 1)(document.querySelector('#channel-timeline'))"
)
PICTURE_LOADED = "img.complete && img.naturalWidth > 0"


async def shown(page: Page, *, messages: int) -> None:
    """Wait until the page shows this many messages and all their pictures."""
    await page.wait_for(
        f"{MESSAGES}.length >= {messages} && {SETTLED} && "
        f"{MESSAGES}.every(m => [...m.querySelectorAll('img')].every(img => {PICTURE_LOADED}))"
    )


async def read_messages(page: Page) -> list[dict[str, Any]]:
    """Return every message shown: its author, text, time, and the pictures with alternative text and size."""
    messages: list[dict[str, Any]] = await page.evaluate(
        f"{MESSAGES}.map(m => ({{"
        "author: m.querySelector('.message-author')?.textContent ?? '',"
        "text: m.querySelector('.message-content')?.textContent ?? '',"
        "time: m.querySelector('time')?.dateTime ?? '',"
        "covered: m.querySelector('.message-attachments .spoiler-cover') !== null,"
        "pictures: [...m.querySelectorAll('img.attachment-image')].map("
        "img => ({alt: img.alt, width: img.naturalWidth, height: img.naturalHeight}))}))"
    )
    return messages


async def post(page: Page, text: str) -> None:
    """Type a message and send it; again when the page was redrawn in between and took the keys for nothing."""
    value = f"document.querySelector({json.dumps(INPUT)}).value"
    for _ in range(5):
        await page.wait_for(f"{SETTLED} && !document.querySelector('#send-message').disabled")
        await page.evaluate(f"document.querySelector({json.dumps(INPUT)}).select()")
        await page.type(INPUT, text)
        if await page.evaluate(f"{value} !== {json.dumps(text)}"):
            continue
        await page.press_enter()
        with suppress(TimeoutError):
            await page.wait_for(f"{value} === ''", seconds=10)
            return
    raise TimeoutError("the page does not take a message")


async def answered(page: Page, text: str) -> dict[str, Any]:
    """Wait for the picture that answers the message with this text, the last but one; return it as `read_messages` does.

    The page is scrolled to its end: SimCord does not follow when the input was more than one line high.
    """
    start = json.dumps(text.replace("`", "")[:40])  # the page shows code spans without their marks
    await page.wait_for(
        f"{MESSAGES}.at(-2)?.querySelector('.message-content')?.textContent.startsWith({start}) && "
        f"[...{LAST}.querySelectorAll('img.attachment-image')].some(img => {PICTURE_LOADED}) && {SETTLED}"
    )
    await page.evaluate("document.querySelector('#channel-timeline').scrollTop = 1e9")
    await page.wait_for(AT_THE_END)
    return (await read_messages(page))[-1]
