"""The flow from a source to a reply: one service for every shell."""

from bot.service.drawing import PictureCache
from bot.service.flow import DOCUMENT_LIFE, DocumentStore, Service
from bot.service.reading import INLINE_LENGTH, detect_text, read_detections, read_text
from bot.service.sources import Attachment, Source

__all__ = [
    "DOCUMENT_LIFE",
    "INLINE_LENGTH",
    "Attachment",
    "DocumentStore",
    "PictureCache",
    "Service",
    "Source",
    "detect_text",
    "read_detections",
    "read_text",
]
