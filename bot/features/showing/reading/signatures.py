"""Telling pictures from other files by how they begin, without what decodes them."""

from __future__ import annotations

from typing import Final

_SIGNATURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8")


def is_picture(data: bytes) -> bool:
    """Tell by its first bytes whether a file is a picture that can be read."""
    return data.startswith(_SIGNATURES) and (not data.startswith(b"RIFF") or data[8:12] == b"WEBP")
