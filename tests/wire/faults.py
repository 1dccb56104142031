"""Faults the server commits on purpose: rate limits, failures, cut connections, delays."""

from __future__ import annotations

import asyncio
import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from .transport import cut

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .journal import Journal
    from .world import Payload

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

#: No fault delays or holds a request longer than this number of seconds.
LONGEST_HOLD = 15.0


def answer(status: int, body: object = None, headers: dict[str, str] | None = None) -> web.Response:
    """Answer with JSON as Discord does.

    The content type is bare `application/json`: discord.py compares the whole header and takes anything else
    for text.
    """
    common = {"Via": "1.1 google", **(headers or {})}
    if body is None:
        return web.Response(status=status, headers=common)
    data = json.dumps(body).encode()
    return web.Response(status=status, body=data, content_type="application/json", headers=common)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method and a pattern of the whole path after `/api/v10`."""

    method: str
    path: str

    def matches(self, method: str, path: str) -> bool:
        """Return whether a request is for this endpoint."""
        return method == self.method and re.fullmatch(self.path, path) is not None


ME = Endpoint("GET", "/users/@me")
GATEWAY = Endpoint("GET", "/gateway/bot")
SYNC = Endpoint("PUT", r"/applications/\d+/commands")
CREATE_MESSAGE = Endpoint("POST", r"/channels/\d+/messages")
EDIT_MESSAGE = Endpoint("PATCH", r"/channels/\d+/messages/\d+")
DELETE_MESSAGE = Endpoint("DELETE", r"/channels/\d+/messages/\d+")
TYPING = Endpoint("POST", r"/channels/\d+/typing")
CALLBACK = Endpoint("POST", r"/interactions/\d+/[^/]+/callback")
FOLLOWUP = Endpoint("POST", r"/webhooks/\d+/[^/]+")
EDIT_ORIGINAL = Endpoint("PATCH", r"/webhooks/\d+/[^/]+/messages/@original")
DOWNLOAD = Endpoint("GET", r"/attachments/.+")


@dataclass(eq=False, slots=True)
class Fault:
    """One kind of misbehaviour on one endpoint, for the next `times` requests."""

    name: str
    endpoint: Endpoint
    commit: Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]
    times: int
    hits: int = 0
    #: For rate limits: requests that came back before their time was up (answered 429 again).
    early: int = 0


@dataclass(eq=False, slots=True)
class Hold:
    """A request kept waiting until the test lets it go."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    _gate: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self) -> None:
        """Let the request be processed."""
        self._gate.set()

    async def wait(self) -> None:
        """Wait for `release`, at most `LONGEST_HOLD` seconds."""
        self.reached.set()
        async with asyncio.timeout(LONGEST_HOLD):
            await self._gate.wait()


class Faults:
    """The faults waiting to be committed. Each is used up in the order of being asked for."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._faults: list[Fault] = []
        self._limited: dict[str, tuple[float, Fault]] = {}

    def unused(self) -> list[str]:
        """Name the faults no request has met: a test that asked for them has proved nothing."""
        return [f"{fault.name} on {fault.endpoint}" for fault in self._faults if fault.hits == 0]

    async def pass_through(self, request: web.Request, path: str, handler: Handler) -> web.StreamResponse:
        """Serve the request, or commit the first fault that is meant for it."""
        refusal = self._still_limited(request, path)
        if refusal is not None:
            return refusal
        for fault in self._faults:
            if fault.hits < fault.times and fault.endpoint.matches(request.method, path):
                fault.hits += 1
                self._journal.note(
                    f"fault: {fault.name} on {request.method} {path} ({fault.hits}/{fault.times})"
                )
                return await fault.commit(request, handler)
        return await handler(request)

    def _add(
        self,
        name: str,
        endpoint: Endpoint,
        times: int,
        commit: Callable[[web.Request, Handler], Awaitable[web.StreamResponse]],
    ) -> Fault:
        fault = Fault(name, endpoint, commit, times)
        self._faults.append(fault)
        return fault

    def fail(
        self, endpoint: Endpoint, *, status: int = 500, times: int = 1, body: Payload | None = None
    ) -> Fault:
        """Answer with an error status and process nothing."""

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            return answer(status, body or {"message": f"{status}: injected", "code": 0})

        return self._add(f"status {status}", endpoint, times, commit)

    def rate_limit(
        self, endpoint: Endpoint, *, after: float = 0.1, times: int = 1, everywhere: bool = False
    ) -> Fault:
        """Answer 429 and process nothing; a request before `after` seconds have passed gets 429 again.

        `everywhere` is the global rate limit: until it is over every request of the bot is refused.
        """

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            key = "*" if everywhere else f"{request.method} {request.path}"
            self._limited[key] = (asyncio.get_running_loop().time() + after, fault)
            return _too_many(after, everywhere=everywhere)

        fault = self._add("global 429" if everywhere else "429", endpoint, times, commit)
        return fault

    def ban(self, endpoint: Endpoint, *, times: int = 1) -> Fault:
        """Answer 429 as the proxy before Discord does to a banned address: a page, and no Via header."""

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            return web.Response(status=429, text="<html>error 1015</html>", content_type="text/html")

        return self._add("ban", endpoint, times, commit)

    def reset(self, endpoint: Endpoint, *, times: int = 1) -> Fault:
        """Reset the connection and process nothing."""

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            await request.read()
            cut(request)
            return answer(500)

        return self._add("reset", endpoint, times, commit)

    def swallow(self, endpoint: Endpoint, *, times: int = 1, reset: bool = True) -> Fault:
        """Process the request and cut the connection before the answer: the client cannot know it worked."""

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            response = await handler(request)
            cut(request, reset=reset)
            return response

        return self._add("swallowed acknowledgement", endpoint, times, commit)

    def slow(self, endpoint: Endpoint, *, seconds: float, times: int = 1) -> Fault:
        """Process the request after a while."""

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            await asyncio.sleep(min(seconds, LONGEST_HOLD))
            return await handler(request)

        return self._add(f"{seconds:g} s late", endpoint, times, commit)

    def hold(self, endpoint: Endpoint, *, processed: bool = False) -> Hold:
        """Keep the next request waiting until the test releases it: unread, or `processed` and only not answered."""
        hold = Hold()

        async def commit(request: web.Request, handler: Handler) -> web.StreamResponse:
            response = await handler(request) if processed else None
            await hold.wait()
            return await handler(request) if response is None else response

        self._add("hold", endpoint, 1, commit)
        return hold

    def _still_limited(self, request: web.Request, path: str) -> web.Response | None:
        # Interaction answers are exempt from the global limit (Discord's rate limit documentation).
        exempt = path.startswith(("/interactions/", "/webhooks/", "/attachments/"))
        keys = [f"{request.method} {request.path}"] + ([] if exempt else ["*"])
        now = asyncio.get_running_loop().time()
        for key in keys:
            until, fault = self._limited.get(key, (0.0, None))
            if fault is not None and now < until:
                fault.early += 1
                self._journal.note(f"fault: {request.method} {path} came back {until - now:.3f} s early")
                return _too_many(until - now, everywhere=key == "*")
        return None


def _too_many(after: float, *, everywhere: bool) -> web.Response:
    headers = {
        "Retry-After": str(math.ceil(after)),
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset-After": f"{after:.3f}",
        "X-RateLimit-Scope": "global" if everywhere else "user",
        **({"X-RateLimit-Global": "true"} if everywhere else {}),
    }
    body = {"message": "You are being rate limited.", "retry_after": after, "global": everywhere}
    return answer(429, body, headers)
