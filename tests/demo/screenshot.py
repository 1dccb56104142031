"""Takes the pictures of the demo for the documentation: ``python -m tests.demo.screenshot --scale 1.5 docs``.

The command needs headless Chromium (in Debian's ``chromium`` package).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.demo.browser import open_page, require_browser
from tests.demo.channel import MESSAGES_JS
from tests.demo.process import running_demo
from tests.demo.shots import SHOTS, Shot, wait_until_ready

WIDTH = 720
"""Width of the page in CSS pixels, about as wide as a channel between Discord's sidebars."""
HEIGHT = 1600
"""Every picture must fit within this height."""
MARGIN = 12
"""CSS pixels above and below the messages in a picture."""

# SimCord always shows the download button, which would hide a score. The message box and the collapsed list of messages would
# overlap the picture.
HIDE_CONTROLS_JS = (
    "document.activeElement.blur();"
    "document.querySelectorAll('.attachment-media-actions, #channel-composer, #messages-sidebar')"
    ".forEach(e => e.style.visibility = 'hidden')"
)
WAIT_FOR_PAINT_JS = (
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
)


def _framing_script(shot: Shot) -> str:
    """Return JavaScript that hides the messages outside the shot, and returns the shot's top and bottom in CSS pixels."""
    last = f"length - {shot.skipped_count + 1}"
    return (
        f"(({{all, length}}) => {{ const [first, last] = [{last} - {shot.message_count - 1}, {last}];"
        "all.forEach((m, i) => m.style.visibility = i < first || i > last ? 'hidden' : '');"
        "all[last].scrollIntoView({block: 'end'});"
        "return [all[first].getBoundingClientRect().top, all[last].getBoundingClientRect().bottom] })"
        f"({{all: {MESSAGES_JS}, length: {MESSAGES_JS}.length}})"
    )


async def take_pictures(
    folder: Path, shots: Sequence[Shot], *, width: int, height: int, scale: float
) -> None:
    require_browser()
    with tempfile.TemporaryDirectory() as scratch:
        async with running_demo("demo", "--no-browser", folder=Path(scratch), analysis=True) as demo:
            for shot in shots:
                picture = await _take_picture(demo.pages[shot.channel], shot, width, height, scale)
                await asyncio.to_thread((folder / f"{shot.name}.png").write_bytes, picture)
            await demo.end()


async def _take_picture(url: str, shot: Shot, width: int, height: int, scale: float) -> bytes:
    width = shot.width or width
    async with open_page(url, width=width, height=height, scale=scale) as page:
        await wait_until_ready(page, shot.channel)
        await shot.prepare(page)
        await page.evaluate(HIDE_CONTROLS_JS)
        await page.evaluate(WAIT_FOR_PAINT_JS)
        top, bottom = await page.evaluate(_framing_script(shot))
        top, bottom = max(0, top - MARGIN), min(height, bottom + MARGIN)
        return await page.screenshot(0, top, width, bottom - top)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.demo.screenshot", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder for the PNG files")
    parser.add_argument(
        "shots",
        nargs="*",
        metavar="SHOT",
        help=f"pictures to take: {' '.join(s.name for s in SHOTS)} (default: all)",
    )
    parser.add_argument(
        "--width", type=int, default=WIDTH, help=f"width of the window in CSS pixels (default: {WIDTH})"
    )
    parser.add_argument(
        "--height", type=int, default=HEIGHT, help=f"height of the window in CSS pixels (default: {HEIGHT})"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="device pixels per CSS pixel (default: 1)")
    arguments = parser.parse_args()
    if unknown_names := set(arguments.shots) - {shot.name for shot in SHOTS}:
        parser.error(f"there is no shot {', '.join(sorted(unknown_names))}")
    shots = [shot for shot in SHOTS if not arguments.shots or shot.name in arguments.shots]
    try:
        asyncio.run(
            take_pictures(
                arguments.folder, shots, width=arguments.width, height=arguments.height, scale=arguments.scale
            )
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        print(f"no picture: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
