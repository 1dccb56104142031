"""The local Discord: an aiohttp server with a REST API, a gateway and attachments, on a random loopback port."""

from __future__ import annotations

import asyncio
import os
import re
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aiohttp import web

from .faults import Faults, json_response
from .gateway import Gateway
from .interactions import Interactions
from .journal import MAX_WAIT_SECONDS, Journal
from .message_bodies import MAX_BODY_BYTES, ApiError
from .rest import Rest
from .world import Intent, StoredFile, StoredMessage, World

if TYPE_CHECKING:
    from types import TracebackType

    from .faults import Handler
    from .world import Account, Channel

API = "/api/v10"
#: The token that the server accepts. It is not secret, because it is valid only here.
TOKEN = "wire.token.for-tests"
#: Maximum number of requests that a server answers, so that a client in an endless loop is stopped.
MAX_REQUESTS = 5000
#: Seconds after which a server stops. A test that takes longer has hung.
LIFETIME = 300.0

NOTHING_DENIED = Intent(0)

SITE = Path(__file__).parent / "site"


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    status: int


def _unlimited_bucket_headers(method: str, path: str) -> dict[str, str]:
    """Return the rate limit headers of a bucket that is never used up.

    Without these headers, discord.py sends the requests for a route one at a time.
    """
    return {
        "X-RateLimit-Limit": "50",
        "X-RateLimit-Remaining": "49",
        "X-RateLimit-Reset-After": "1.000",
        "X-RateLimit-Bucket": re.sub(r"\d+", "n", f"{method}{path}").replace("/", "-"),
    }


class WireServer:
    """Runs the server as an async context manager. `api` is the address of its REST API.

    On exit, it raises AssertionError if the client used an unknown route or exceeded a limit, if the server failed, or if an injected
    fault was never triggered.
    """

    def __init__(
        self,
        *,
        shard_count: int = 1,
        denied: Intent = NOTHING_DENIED,
        interaction_deadline: float = 15.0,
        max_requests: int = MAX_REQUESTS,
        lifetime: float = LIFETIME,
    ) -> None:
        self._max_requests = max_requests
        self._lifetime = lifetime
        self.token = TOKEN
        self.journal = Journal()
        self.world = World()
        self.faults = Faults(self.journal)
        self.gateway = Gateway(self.world, self.journal, token=TOKEN, shard_count=shard_count, denied=denied)
        self.rest = Rest(self.world, self.gateway, self.journal)
        self.interactions = Interactions(
            self.world, self.gateway, self.journal, deadline=interaction_deadline
        )
        self.requests: deque[Request] = deque(maxlen=MAX_REQUESTS)
        self._request_count = 0
        self._runner: web.AppRunner | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self.api = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[self._serve])
        for route in (*self.rest.routes(), *self.interactions.routes()):
            app.router.add_route(route.method, API + route.path, route.handler)
        app.router.add_get("/gateway", self.gateway.accept)
        app.router.add_get(r"/attachments/{channel:\d+}/{file:\d+}/{name}", self._download)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.api = f"http://{host}:{port}{API}"
        self.gateway.url = f"ws://{host}:{port}/gateway"
        self.world.base = f"http://{host}:{port}"
        self._deadline = asyncio.get_running_loop().call_later(self._lifetime, self._expire)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        if error is not None:
            return
        unused_faults = [
            f"the fault was never triggered: {fault}" for fault in self.faults.untriggered_faults()
        ]
        if problems := [*self.journal.complaints, *unused_faults]:
            last_lines = ["The last lines of the journal:", self.journal.tail()]
            raise AssertionError("\n".join([*problems, *last_lines]))

    async def stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        await self.gateway.stop()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def _expire(self) -> None:
        self.journal.complain(f"the server was still running after {self._lifetime:g} s")
        self._stopping = asyncio.get_running_loop().create_task(self.stop())

    def environment(self, **variables: str) -> dict[str, str]:
        """Return the environment of a Python subprocess that uses this server instead of Discord."""
        paths = [str(SITE), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {**os.environ, "WIRE_DISCORD_API": self.api, "PYTHONPATH": os.pathsep.join(paths), **variables}

    # Serving

    @web.middleware
    async def _serve(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        path = request.path.removeprefix(API)
        self._request_count += 1
        if self._request_count > self._max_requests:
            self.journal.complain(f"more than {self._max_requests} requests")
            return json_response(503)

        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._serve_authorized(request, handler)

        try:
            response = await self.faults.serve_or_fail(request, path, serve)
        except ApiError as error:
            self.journal.note(f"rest: refused {request.method} {path}: {error}")
            response = json_response(error.status, error.body)
        if path != "/gateway":
            self.requests.append(Request(request.method, path, response.status))
            self.journal.note(f"rest: {request.method} {path} -> {response.status}")
        return response

    async def _serve_authorized(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check the token if Discord would, and run the handler. Complain about unknown routes and unexpected errors."""
        path = request.path.removeprefix(API)
        needs_token = request.path.startswith(API) and not path.startswith(("/interactions/", "/webhooks/"))
        if needs_token and request.headers.get("Authorization") != f"Bot {self.token}":
            return json_response(401, {"message": "401: Unauthorized", "code": 0})
        try:
            response = await handler(request)
        except ConnectionError:
            self.journal.note(f"rest: the client left during {request.method} {path}")
            return json_response(500)
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
            self.journal.complain(f"unknown route: {request.method} {path}")
            return json_response(404, {"message": "404: Not Found", "code": 0})
        except (ApiError, web.HTTPException, asyncio.CancelledError):
            raise
        except Exception as error:
            self.journal.complain(f"serving {request.method} {path} failed: {error!r}")
            raise
        if needs_token:
            response.headers.update(_unlimited_bucket_headers(request.method, path))
        return response

    async def _download(self, request: web.Request) -> web.StreamResponse:
        file = self.world.file(int(request.match_info["file"]))
        if file is None:
            return web.Response(status=404)
        return web.Response(body=file.data, content_type="application/octet-stream")

    # What users do

    async def post(
        self,
        content: str = "",
        *,
        author: Account | None = None,
        channel: Channel | None = None,
        files: dict[str, bytes] | None = None,
        mentions: tuple[Account, ...] = (),
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Post a message as a user, by default as alice in the guild's channel."""
        message = StoredMessage(
            self.world.ids.next(),
            channel or self.world.general,
            author or self.world.alice,
            content,
            files=[StoredFile(self.world.ids.next(), name, data) for name, data in (files or {}).items()],
            mentions=mentions,
            reply_to=None if reply_to is None else reply_to.id,
        )
        self.world.messages[message.id] = message
        await self.gateway.message_created(message)
        return message

    async def change(self, message: StoredMessage, content: str) -> None:
        message.content = content
        message.edited_at = message.created_at
        await self.gateway.message_updated(message)

    async def remove(self, message: StoredMessage) -> None:
        message.deleted = True
        await self.gateway.message_deleted(message)

    # What tests wait for

    async def wait_for_reply(
        self, message: StoredMessage, *, within: float = MAX_WAIT_SECONDS
    ) -> StoredMessage:
        replies = await self.journal.until(
            lambda: self.world.replies_to(message), f"a reply to {message.content[:60]!r}", within=within
        )
        return replies[0]

    async def until_requested(self, method: str, path_end: str, count: int = 1) -> None:
        """Wait until `count` requests with this method and end of path have been answered."""
        await self.journal.until(
            lambda: self.request_count(method, path_end) >= count, f"{count} x {method} …{path_end}"
        )

    def request_count(self, method: str, path_end: str) -> int:
        return sum(1 for seen in self.requests if seen.method == method and seen.path.endswith(path_end))
