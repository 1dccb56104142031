"""What somebody sent, free of any shell; pictures are told from other files by how they begin, without what decodes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a source. What it holds is recognized by its content, not by its name."""

    name: str
    data: bytes
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that came with a source and was not fetched: no text, or larger than ``limit`` bytes."""

    name: str
    limit: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a source came from and who sent it, by the ids of its shell."""

    channel_id: int
    author_id: int
    guild_id: int | None = None
    public: bool = True
    """Whether everybody in the channel sees it. What is shown in private continues no live game."""
    author_name: str = ""
    """What the author is called there; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a user sent, independent of the shell."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    asked: bool = True
    """Whether an answer is expected in any case; a listener stays silent when there is nothing to show."""
    most: int = 24
    """Documents read from one text; the rest is not looked at."""
    origin: Origin | None = None
    """None in a shell without channels."""
    spoiler: bool = False
    """Whether the whole text is hidden, though no bars stand around it."""
    unread: tuple[Unread, ...] = ()
    """Told when nothing else is found."""


_SIGNATURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8")


def is_picture(data: bytes) -> bool:
    """Return whether a file is a picture that can be read, by its first bytes."""
    return data.startswith(_SIGNATURES) and (not data.startswith(b"RIFF") or data[8:12] == b"WEBP")
