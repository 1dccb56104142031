"""Finding and reading what a user sent: everything that can run in a process of its own, without service or store."""

from bot.features.showing.reading.documents import (
    MAX_INLINE,
    detect_text,
    read_detections,
    read_document,
    read_file,
    read_first,
    read_source,
    read_text,
)
from bot.features.showing.reading.sources import Attachment, Origin, Source, Unread, is_picture

__all__ = [
    "MAX_INLINE",
    "Attachment",
    "Origin",
    "Source",
    "Unread",
    "detect_text",
    "is_picture",
    "read_detections",
    "read_document",
    "read_file",
    "read_first",
    "read_source",
    "read_text",
]
