"""Drives a headless Chromium over its DevTools protocol: https://chromedevtools.github.io/devtools-protocol/."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # continuous integration runs as root in a container, where the sandbox cannot start
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
MAX_START_SECONDS = 120.0
MAX_WAIT_SECONDS = 90.0
MAX_MESSAGE_BYTES = 64 * 1024 * 1024


def find_browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def require_browser() -> str:
    browser = find_browser()
    if browser is None:
        raise FileNotFoundError(f"no Chromium found on PATH (looked for {', '.join(BROWSERS)})")
    return browser


class Page:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def command(self, method: str, **parameters: object) -> dict[str, Any]:
        """Return the result of a protocol command. Ignore events that arrive before the result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while True:
                response = await self._socket.receive_json()
                if response.get("id") == number:
                    break
        if "error" in response:
            raise RuntimeError(f"{method}: {response['error']['message']}")
        result: dict[str, Any] = response["result"]
        return result

    async def resize(self, width: int, height: int, *, scale: float = 1.0) -> None:
        """Set the size in CSS pixels, with ``scale`` device pixels per CSS pixel."""
        await self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )

    async def evaluate(self, expression: str) -> Any:
        """Return the JSON value of a JavaScript expression. Promises are awaited."""
        response = await self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in response:
            raise RuntimeError(f"{expression!r}: {json.dumps(response['exceptionDetails'])[:2000]}")
        return response["result"].get("value")

    async def wait_for(self, expression: str, *, seconds: float = MAX_WAIT_SECONDS) -> Any:
        try:
            async with asyncio.timeout(seconds):
                while not (value := await self.evaluate(expression)):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise TimeoutError(f"{expression!r} did not become true on the page") from None
        return value

    async def type(self, selector: str, text: str) -> None:
        await self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        await self.command("Input.insertText", text=text)

    async def press_enter(self) -> None:
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        await self.command("Input.dispatchKeyEvent", type="keyDown", **key)
        await self.command("Input.dispatchKeyEvent", type="keyUp", **key)

    async def send_mouse_event(self, event: str, x: float, y: float) -> None:
        await self.command("Input.dispatchMouseEvent", type=event, x=x, y=y, button="left", clickCount=1)

    async def screenshot(self, x: float, y: float, width: float, height: float) -> bytes:
        """Return a part of the page, given in CSS pixels, as PNG."""
        part = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        response = await self.command("Page.captureScreenshot", format="png", clip=part)
        return base64.b64decode(response["data"])


@asynccontextmanager
async def open_page(
    url: str, *, width: int = 1280, height: int = 900, scale: float = 1.0
) -> AsyncIterator[Page]:
    browser = require_browser()
    profile = Path(tempfile.mkdtemp(prefix="kibitz-browser-"))
    process = await asyncio.create_subprocess_exec(
        browser,
        *FLAGS,
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        port = await _wait_for_debugging_port(profile, process)
        async with aiohttp.ClientSession() as session:
            address = await _wait_for_page_address(session, port)
            async with session.ws_connect(address, max_msg_size=MAX_MESSAGE_BYTES) as socket:
                page = Page(socket)
                await page.resize(width, height, scale=scale)
                await page.command("Page.enable")
                await page.command("Page.navigate", url=url)
                yield page
    finally:
        await _end(process)
        shutil.rmtree(profile, ignore_errors=True)


async def _wait_for_debugging_port(profile: Path, process: asyncio.subprocess.Process) -> int:
    file = profile / "DevToolsActivePort"
    async with asyncio.timeout(MAX_START_SECONDS):
        while True:
            if process.returncode is not None:
                raise RuntimeError(f"the browser ended at once with code {process.returncode}")
            with suppress(FileNotFoundError, ValueError, IndexError):
                return int(file.read_text().splitlines()[0])
            await asyncio.sleep(0.05)


async def _wait_for_page_address(session: aiohttp.ClientSession, port: int) -> str:
    async with asyncio.timeout(MAX_START_SECONDS):
        while True:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as response:
                targets = await response.json()
            for target in targets:
                if target["type"] == "page":
                    return str(target["webSocketDebuggerUrl"])
            await asyncio.sleep(0.05)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(10):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
