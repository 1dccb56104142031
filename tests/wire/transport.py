"""Cuts the TCP connection of a request, as a network failure does."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web


def cut(request: web.BaseRequest, *, reset: bool = True) -> None:
    """Close the connection without a response: with a TCP reset (RST), or normally (FIN) if `reset` is False."""
    transport = request.transport
    if transport is None or transport.is_closing():
        return
    raw = transport.get_extra_info("socket")
    if reset and raw is not None:
        # With a linger time of zero seconds, the kernel sends RST instead of FIN.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
