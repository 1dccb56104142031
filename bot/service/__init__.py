"""The flow from a source to a reply: one service for every shell."""

from bot.reading import (
    MAX_INLINE,
    Attachment,
    Origin,
    Source,
    Unread,
    detect_text,
    read_detections,
    read_text,
)
from bot.service.desk import Desk
from bot.service.documents import DOCUMENT_LIFE, DocumentStore
from bot.service.service import Service

__all__ = [
    "DOCUMENT_LIFE",
    "MAX_INLINE",
    "Attachment",
    "Desk",
    "DocumentStore",
    "Origin",
    "Service",
    "Source",
    "Unread",
    "detect_text",
    "read_detections",
    "read_text",
]
