"""Visits a page of the demo without a browser, by sending the requests of the page's script."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import aiohttp


class Visit:
    def __init__(self, session: aiohttp.ClientSession, snapshot: dict[str, Any]) -> None:
        self._session = session
        self._numbers = itertools.count(1)
        self.snapshot = snapshot

    async def read_state(self) -> dict[str, Any]:
        async with self._session.get("/api/state", headers=self._headers()) as response:
            self.snapshot = await response.json()
        return self.snapshot

    async def act(
        self, kind: str, state: Mapping[str, Any] | None = None, **details: object
    ) -> dict[str, Any]:
        """Act as a visitor who sees ``state``, by default the last state that was read."""
        state = state or self.snapshot
        number = next(self._numbers)
        body = {
            "protocol_version": 3,
            "kind": kind,
            "sequence": number,
            "request_id": f"request-{number}",
            "generation": state["context"]["generation"],
            "bot_generation": state["botGeneration"],
            "published_revision": state["publishedRevision"],
            **details,
        }
        async with self._session.post("/api/action", json=body, headers=self._headers()) as response:
            receipt: dict[str, Any] = await response.json()
        return receipt

    def _headers(self) -> dict[str, str]:
        return {"X-Simcord-Context": self.snapshot["context"]["id"]}


@asynccontextmanager
async def open_visit(url: str) -> AsyncIterator[Visit]:
    address = urlsplit(url)
    async with aiohttp.ClientSession(
        f"{address.scheme}://{address.netloc}", headers={"X-Simcord-Capability": address.fragment}
    ) as session:
        async with session.post("/api/pages", json={}) as response:
            snapshot = await response.json()
        yield Visit(session, snapshot)
