"""A visitor's actions on a page of the demo."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from tests.demo.browser import MAX_WAIT_SECONDS, Page

MESSAGES_JS = "[...document.querySelectorAll('#channel-message-list article')]"
LAST_MESSAGE_JS = f"{MESSAGES_JS}.at(-1)"
INPUT_SELECTOR = "#channel-composer-input"
IS_SETTLED_JS = "document.querySelector('#preview-app').getAttribute('aria-busy') === 'false'"
IS_AT_END_JS = (
    "(t => t.scrollHeight - t.scrollTop - t.clientHeight <= 1)(document.querySelector('#channel-timeline'))"
)
PICTURE_SELECTOR = "img:is(.gallery-image, .attachment-image)"
IS_PICTURE_LOADED_JS = "img.complete && img.naturalWidth > 0"


def text_expression(element: str) -> str:
    """Return JavaScript for the text of a message. ``element`` is JavaScript that gives the message's element, or undefined."""
    texts = f"[...({element}?.querySelectorAll('.message-content, .text-display') ?? [])]"
    return f"{texts}.map(text => text.textContent).join('\\n')"


async def wait_for_messages(page: Page, *, count: int) -> None:
    await page.wait_for(
        f"{MESSAGES_JS}.length >= {count} && {IS_SETTLED_JS} && "
        f"{MESSAGES_JS}.every(m => [...m.querySelectorAll('img')].every(img => {IS_PICTURE_LOADED_JS}))"
    )


async def read_messages(page: Page) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = await page.evaluate(
        f"{MESSAGES_JS}.map(m => ({{"
        "author: m.querySelector('.message-author')?.textContent ?? '',"
        f"text: {text_expression('m')},"
        "time: m.querySelector('time')?.dateTime ?? '',"
        "covered: m.querySelector('.component-gallery .spoiler-cover') !== null,"
        f"pictures: [...m.querySelectorAll('{PICTURE_SELECTOR}')].map("
        "img => ({alt: img.alt, width: img.naturalWidth, height: img.naturalHeight}))}))"
    )
    return messages


async def post(page: Page, text: str) -> None:
    """Send a message. If a redraw of the page loses the input, try again."""
    value = f"document.querySelector({json.dumps(INPUT_SELECTOR)}).value"
    for _ in range(5):
        await page.wait_for(f"{IS_SETTLED_JS} && !document.querySelector('#send-message').disabled")
        await page.evaluate(f"document.querySelector({json.dumps(INPUT_SELECTOR)}).select()")
        await page.type(INPUT_SELECTOR, text)
        if await page.evaluate(f"{value} !== {json.dumps(text)}"):
            continue
        await page.press_enter()
        with suppress(TimeoutError):
            await page.wait_for(f"{value} === ''", seconds=10)
            return
    raise TimeoutError("the page did not accept the message")


async def wait_for_reply(page: Page, text: str) -> dict[str, Any]:
    """Wait until the bot has replied to ``text`` with a picture, and scroll to the end. Return the reply as `read_messages` does."""
    start = json.dumps(text.replace("`", "")[:40])  # the page shows inline code without backticks
    await page.wait_for(
        f"{text_expression(f'{MESSAGES_JS}.at(-2)')}.startsWith({start}) && "
        f"[...{LAST_MESSAGE_JS}.querySelectorAll('{PICTURE_SELECTOR}')].some(img => {IS_PICTURE_LOADED_JS}) && {IS_SETTLED_JS}"
    )
    # SimCord does not scroll to the end if the input was more than one line high.
    await page.evaluate("document.querySelector('#channel-timeline').scrollTop = 1e9")
    await page.wait_for(IS_AT_END_JS)
    return (await read_messages(page))[-1]


async def wait_for_picture(
    page: Page, message: int, *, other_than: str = "", seconds: float = MAX_WAIT_SECONDS
) -> str:
    """Wait until a message has a picture with a URL other than ``other_than``. Return the URL. ``message`` is an index."""
    source: str = await page.wait_for(
        f"{IS_SETTLED_JS} && [...{MESSAGES_JS}.at({message}).querySelectorAll('{PICTURE_SELECTOR}')]"
        f".filter(img => {IS_PICTURE_LOADED_JS} && img.src !== {json.dumps(other_than)}).at(-1)?.src",
        seconds=seconds,
    )
    return source


async def press(page: Page, label: str, *, message: int) -> None:
    await page.evaluate(
        f"[...{MESSAGES_JS}.at({message}).querySelectorAll('button.component-button')]"
        f".find(b => b.textContent.includes({json.dumps(label)})).click()"
    )


async def press_across_redraw(page: Page, label: str, *, message: int) -> None:
    """Hold a button down until the page is redrawn, and release it on the new button."""
    button = (
        f"[...{MESSAGES_JS}.at({message}).querySelectorAll('button.component-button')]"
        f".find(b => b.textContent.includes({json.dumps(label)}))"
    )
    position = (
        f"((b) => {{ b.scrollIntoView({{block: 'center'}}); const r = b.getBoundingClientRect();"
        f" window.pressed = b; return [r.x + r.width / 2, r.y + r.height / 2]; }})({button})"
    )
    await page.send_mouse_event("mousePressed", *await page.evaluate(position))
    await page.wait_for(f"!window.pressed.isConnected && {button} !== undefined")
    await page.send_mouse_event("mouseReleased", *await page.evaluate(position))


async def wait_for_text(page: Page, message: int, *texts: str, seconds: float = MAX_WAIT_SECONDS) -> str:
    """Wait until a message contains one of the texts, and return that text. ``message`` is an index."""
    content = text_expression(f"{MESSAGES_JS}.at({message})")
    first_match = await page.wait_for(
        f"{json.dumps(texts)}.find(text => {content}?.includes(text))", seconds=seconds
    )
    return str(first_match)


async def choose(page: Page, start: str, *, message: int) -> None:
    is_matching = f"o => o.textContent.startsWith({json.dumps(start)})"
    # A redraw of the page closes the menu. Options of a closed menu do nothing, so the script opens the menu again.
    await page.wait_for(
        f"(menus => {{ const menu = menus.find(m => [...list(m)?.querySelectorAll('[role=option]') ?? []].some({is_matching}));"
        "if (!menu || window.simcordPreview.pendingAction !== null) return false;"
        "if (menu.getAttribute('aria-expanded') !== 'true') { menu.click(); return false; }"
        f"[...list(menu).querySelectorAll('[role=option]')].find({is_matching}).click(); return true;"
        "function list(m) { return document.getElementById(m.getAttribute('aria-controls')); } })"
        f"([...{MESSAGES_JS}.at({message}).querySelectorAll('[role=combobox]')])"
    )


async def react(page: Page, *, message: int) -> None:
    await page.evaluate(f"{MESSAGES_JS}.at({message}).querySelector('.reaction-chip').click()")


async def run_command(page: Page, command: str) -> None:
    earlier_count = await page.evaluate(f"{MESSAGES_JS}.length")
    await page.type(INPUT_SELECTOR, command)
    await page.wait_for(
        f"[...document.querySelectorAll('[role=option]')].some(o => o.textContent.includes({json.dumps(command)}))"
    )
    await page.press_enter()
    await page.wait_for("document.querySelector('.command-context') !== null")
    await page.evaluate(
        "document.querySelector('#send-message').click()"
    )  # Enter would choose the first option
    await page.wait_for(f"{MESSAGES_JS}.length > {earlier_count} && {IS_SETTLED_JS}")
