"""Faults that tests inject into the server: rate limits, error statuses, cut connections and held requests."""

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

#: Maximum number of seconds that a fault holds a request.
MAX_HOLD_SECONDS = 15.0


def json_response(status: int, body: object = None, headers: dict[str, str] | None = None) -> web.Response:
    """Return a JSON response.

    The content type has no charset, because discord.py parses a body as JSON only if its type is exactly ``application/json``.
    """
    common = {"Via": "1.1 google", **(headers or {})}
    if body is None:
        return web.Response(status=status, headers=common)
    data = json.dumps(body).encode()
    return web.Response(status=status, body=data, content_type="application/json", headers=common)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method, and a pattern that must match the whole path, without the prefix `/api/v10` if the path has it."""

    method: str
    path: str

    def matches(self, method: str, path: str) -> bool:
        return method == self.method and re.fullmatch(self.path, path) is not None


ME = Endpoint("GET", "/users/@me")
CONNECT = Endpoint("GET", "/gateway")
REGISTER_COMMANDS = Endpoint("PUT", r"/applications/\d+/commands")
CREATE_MESSAGE = Endpoint("POST", r"/channels/\d+/messages")
EDIT_MESSAGE = Endpoint("PATCH", r"/channels/\d+/messages/\d+")
DELETE_MESSAGE = Endpoint("DELETE", r"/channels/\d+/messages/\d+")
CALLBACK = Endpoint("POST", r"/interactions/\d+/[^/]+/callback")
FOLLOWUP = Endpoint("POST", r"/webhooks/\d+/[^/]+")
EDIT_ORIGINAL = Endpoint("PATCH", r"/webhooks/\d+/[^/]+/messages/@original")
DOWNLOAD = Endpoint("GET", r"/attachments/.+")


@dataclass(eq=False, slots=True)
class Fault:
    """A fault for the next `times` requests to an endpoint."""

    name: str
    endpoint: Endpoint
    apply: Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]
    times: int
    hits: int = 0
    #: For rate limits: the number of requests that came too early after a 429, and got 429 again.
    early_retry_count: int = 0


@dataclass(eq=False, slots=True)
class Hold:
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    _gate: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self) -> None:
        self._gate.set()

    async def wait(self) -> None:
        self.reached.set()
        async with asyncio.timeout(MAX_HOLD_SECONDS):
            await self._gate.wait()


class Faults:
    """The injected faults. A request triggers the first fault that matches its endpoint and is not used up."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._faults: list[Fault] = []
        self._limited: dict[str, tuple[float, Fault]] = {}

    def untriggered_faults(self) -> list[str]:
        """Describe the faults that no request has triggered."""
        return [f"{fault.name} on {fault.endpoint}" for fault in self._faults if fault.hits == 0]

    async def serve_or_fail(self, request: web.Request, path: str, handler: Handler) -> web.StreamResponse:
        refusal = self._refuse_if_limited(request, path)
        if refusal is not None:
            return refusal
        for fault in self._faults:
            if fault.hits < fault.times and fault.endpoint.matches(request.method, path):
                fault.hits += 1
                self._journal.note(
                    f"fault: {fault.name} on {request.method} {path} ({fault.hits}/{fault.times})"
                )
                return await fault.apply(request, handler)
        return await handler(request)

    def _add(
        self,
        name: str,
        endpoint: Endpoint,
        times: int,
        apply: Callable[[web.Request, Handler], Awaitable[web.StreamResponse]],
    ) -> Fault:
        fault = Fault(name, endpoint, apply, times)
        self._faults.append(fault)
        return fault

    def fail(
        self, endpoint: Endpoint, *, status: int = 500, times: int = 1, body: Payload | None = None
    ) -> Fault:
        """Respond with an error status, without processing the request."""

        async def apply(request: web.Request, handler: Handler) -> web.StreamResponse:
            return json_response(status, body or {"message": f"{status}: injected", "code": 0})

        return self._add(f"status {status}", endpoint, times, apply)

    def rate_limit(
        self, endpoint: Endpoint, *, after: float = 0.1, times: int = 1, is_global: bool = False
    ) -> Fault:
        """Respond with 429, without processing the request. A retry within `after` seconds gets 429 again.

        The global rate limit applies to all requests except downloads and responses to interactions.
        """

        async def apply(request: web.Request, handler: Handler) -> web.StreamResponse:
            key = "*" if is_global else f"{request.method} {request.path}"
            self._limited[key] = (asyncio.get_running_loop().time() + after, fault)
            return _rate_limit_response(after, is_global=is_global)

        fault = self._add("global 429" if is_global else "429", endpoint, times, apply)
        return fault

    def reset_connection(self, endpoint: Endpoint) -> Fault:
        async def apply(request: web.Request, handler: Handler) -> web.StreamResponse:
            await request.read()
            cut(request)
            return json_response(500)

        return self._add("reset", endpoint, 1, apply)

    def drop_response(self, endpoint: Endpoint, *, reset: bool = True) -> Fault:
        """Process the request, but cut the connection instead of sending the response."""

        async def apply(request: web.Request, handler: Handler) -> web.StreamResponse:
            response = await handler(request)
            cut(request, reset=reset)
            return response

        return self._add("dropped response", endpoint, 1, apply)

    def hold(self, endpoint: Endpoint, *, process_first: bool = False) -> Hold:
        """Hold the next request until the test releases it. If `process_first`, process the request, and hold only the response."""
        hold = Hold()

        async def apply(request: web.Request, handler: Handler) -> web.StreamResponse:
            response = await handler(request) if process_first else None
            await hold.wait()
            return await handler(request) if response is None else response

        self._add("hold", endpoint, 1, apply)
        return hold

    def _refuse_if_limited(self, request: web.Request, path: str) -> web.Response | None:
        # Discord documents that responses to interactions are exempt from the global limit.
        is_exempt = path.startswith(("/interactions/", "/webhooks/", "/attachments/"))
        keys = [f"{request.method} {request.path}"] + ([] if is_exempt else ["*"])
        now = asyncio.get_running_loop().time()
        for key in keys:
            end, fault = self._limited.get(key, (0.0, None))
            if fault is not None and now < end:
                fault.early_retry_count += 1
                self._journal.note(f"fault: {request.method} {path} was retried {end - now:.3f} s early")
                return _rate_limit_response(end - now, is_global=key == "*")
        return None


def _rate_limit_response(after: float, *, is_global: bool) -> web.Response:
    headers = {
        "Retry-After": str(math.ceil(after)),
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset-After": f"{after:.3f}",
        "X-RateLimit-Scope": "global" if is_global else "user",
        **({"X-RateLimit-Global": "true"} if is_global else {}),
    }
    body = {"message": "You are being rate limited.", "retry_after": after, "global": is_global}
    return json_response(429, body, headers)
