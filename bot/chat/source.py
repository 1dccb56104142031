"""The text and files that a user sent, from Discord or the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.jobs.account import Requester


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attached file. Its content determines its kind."""

    name: str
    data: bytes
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that was not fetched, such as audio, video, an empty file, or a file larger than ``max_bytes``."""

    name: str
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Source:
    """A user's text and files."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    on_request: bool = True
    """Whether a user asked for a reply. If so, even text that only resembles a notation is read."""
    max_documents: int = 24
    requester: Requester | None = None
    """None on the command line."""
    spoiler: bool = False
    """Whether the whole text is a spoiler."""
    unread_files: tuple[UnreadFile, ...] = ()
    """The reply names these files if nothing else is found."""

    @property
    def author_id(self) -> int | None:
        return self.requester.user_id if self.requester else None


_SIGNATURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8")
"""The first bytes of PNG, JPEG, WebP and GIF files."""


def is_picture(data: bytes) -> bool:
    return data.startswith(_SIGNATURES) and (not data.startswith(b"RIFF") or data[8:12] == b"WEBP")
