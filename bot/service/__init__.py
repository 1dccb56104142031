"""The flow from a source to a reply: one service for every shell."""

from bot.service.documents import DOCUMENT_LIFE, DocumentStore
from bot.service.drawing import PictureCache
from bot.service.flow import Service
from bot.service.reading import INLINE_LENGTH, detect_text, read_detections, read_text
from bot.service.sources import Attachment, Origin, Source, Unread

__all__ = [
    "DOCUMENT_LIFE",
    "INLINE_LENGTH",
    "Attachment",
    "DocumentStore",
    "Origin",
    "PictureCache",
    "Service",
    "Source",
    "Unread",
    "detect_text",
    "read_detections",
    "read_text",
]
