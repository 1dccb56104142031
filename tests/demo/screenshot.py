"""Make the documentation's picture of the demo: ``python -m tests.demo.screenshot --scale 1.5 docs/demo.png``.

Starts the demo, pastes a position as a visitor would, and takes the picture in headless Chromium (Debian: the package
``chromium``).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from bot.demo import EXAMPLES
from tests.demo.browser import open_page
from tests.demo.channel import answered, post, shown
from tests.demo.process import running_demo

POSITION = (
    "95 ahead, and an H to play with: `11COBB/13L1/13A1/8FEAZING/13D1/8APE2E1/7ALANINS1/D2HOMEY5TO/O4ONE6C/JUMpeRS7R/"
    "O13E/14A/14T/14E/15 AHILNRY/ 297/202 0 lm 1L CO.B;`"
)

FOLD_SIDEBAR = "document.querySelector('#messages-toggle').click()"
SIDEBAR_FOLDED = "document.querySelector('#messages-toggle').getAttribute('aria-expanded') === 'false'"
# Discord shows the download button only under the mouse; SimCord's would hide a score.
TIDY = (
    "document.activeElement.blur();"
    "document.querySelectorAll('.attachment-media-actions').forEach(e => e.style.visibility = 'hidden')"
)


async def take(target: Path, *, width: int, height: int, scale: float) -> None:
    """Write the picture to ``target``."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            running_demo("demo", "--no-browser", folder=Path(folder)) as demo,
            open_page(demo.url, width=width, height=height, scale=scale) as page,
        ):
            await shown(page, messages=2 * len(EXAMPLES) + 1)
            await page.evaluate(FOLD_SIDEBAR)
            await page.wait_for(SIDEBAR_FOLDED)
            await post(page, POSITION)
            await answered(page, POSITION)
            await page.evaluate(TIDY)
            picture = await page.screenshot()
            await demo.end()
    await asyncio.to_thread(target.write_bytes, picture)


def main() -> int:
    """Take the picture that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.demo.screenshot", description=__doc__)
    parser.add_argument("target", type=Path, help="the PNG file to write")
    parser.add_argument("--width", type=int, default=960, help="of the window, in CSS pixels (960)")
    parser.add_argument("--height", type=int, default=800, help="of the window, in CSS pixels (800)")
    parser.add_argument("--scale", type=float, default=1.0, help="device pixels for one CSS pixel (1)")
    arguments = parser.parse_args()
    try:
        asyncio.run(
            take(arguments.target, width=arguments.width, height=arguments.height, scale=arguments.scale)
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        print(f"no picture: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
