"""Draws pictures in a terminal that supports kitty's protocol, iTerm2's protocol, or sixels."""

from __future__ import annotations

import os
import re
import select
import time
from base64 import b64encode
from contextlib import suppress
from typing import Final

_MAX_REPLY_SECONDS: Final = 0.3
"""Maximum seconds to wait for the terminal's reply."""
_MAX_CHUNK_LENGTH: Final = 4096
"""Maximum length of the data in an escape sequence of kitty's protocol."""
_SIXEL: Final = re.compile(rb"\x1b\[\?[0-9;]*;4(?:;[0-9;]*)?c")
"""Matches a list of device attributes that contains attribute 4 (sixel graphics)."""


def draw(png: bytes) -> None:
    """Draw a picture in the terminal, if it supports pictures. Standard output must be a terminal."""
    sequence = _protocol_sequence(png)
    if sequence is None and _supports_sixels():
        from render.sixel import to_sixels  # noqa: PLC0415 - only commands that draw need Pillow

        sequence = to_sixels(png)
    if sequence is not None:
        print(sequence)


def _protocol_sequence(png: bytes) -> str | None:
    """Return the escape sequence that draws a picture with kitty's or iTerm2's protocol, or None for other terminals.

    See https://sw.kovidgoyal.net/kitty/graphics-protocol/ and https://iterm2.com/documentation-images.html.
    """
    program, term = os.environ.get("TERM_PROGRAM", ""), os.environ.get("TERM", "")
    if term.startswith(("tmux", "screen")):
        return None  # tmux and screen forward neither protocol
    encoded_png = b64encode(png).decode("ascii")
    if "kitty" in term or program == "ghostty":
        chunks = [
            encoded_png[start : start + _MAX_CHUNK_LENGTH]
            for start in range(0, len(encoded_png), _MAX_CHUNK_LENGTH)
        ]
        last_number = len(chunks) - 1
        return "".join(
            f"\x1b_G{'a=T,f=100,' if number == 0 else ''}m={int(number < last_number)};{chunk}\x1b\\"
            for number, chunk in enumerate(chunks)
        )
    if program in {"iTerm.app", "WezTerm"}:
        return f"\x1b]1337;File=inline=1;size={len(png)}:{encoded_png}\a"
    return None


def _supports_sixels() -> bool:
    try:
        import termios  # noqa: PLC0415 - not available on Windows
        import tty  # noqa: PLC0415 - as above

        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except (ImportError, OSError):
        return False
    reply = b""
    try:
        earlier_attributes = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSANOW)
            os.write(terminal, b"\x1b[c")  # requests the list of device attributes
            deadline = time.monotonic() + _MAX_REPLY_SECONDS
            while not reply.endswith(b"c") and (seconds_left := deadline - time.monotonic()) > 0:
                if select.select([terminal], [], [], seconds_left)[0]:
                    reply += os.read(terminal, 64)
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, earlier_attributes)
    finally:
        with suppress(OSError):
            os.close(terminal)
    return _SIXEL.search(reply) is not None
