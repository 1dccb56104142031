"""Fetches pages from the sites: only allowed paths, one request at a time per site, with limits on time and size.

The only part of a message that reaches this module is the id in a request. Connections go only to public addresses,
and redirects are followed only to allowed paths of the same site.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import ssl
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from http import HTTPStatus
from typing import Final
from urllib.parse import urljoin
from weakref import WeakSet

import aiohttp
from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult
from cachetools import TLRUCache
from yarl import URL

from bot.fair_queue import FairQueue
from bot.links.sites import SITES, is_allowed_path
from bot.links.values import LinkError, Request, unexpected_page_error

log = logging.getLogger(__name__)

MAX_BYTES: Final = 2_000_000
"""Maximum size of a page after decompression."""
MAX_CACHE_BYTES: Final = 32 * 2**20
MAX_REQUEST_SECONDS: Final = 5.0
"""Includes the time to resolve the host and to read the response."""
MAX_WAIT_SECONDS: Final = 20.0
"""Maximum time that a request may wait for its turn."""
MAX_WAITING_REQUESTS: Final = 40
"""Maximum number of requests that wait for one site."""
MAX_WAITING_REQUESTS_PER_USER: Final = 6
"""Maximum number of a user's requests that wait for one site."""
PAGE_TTL: Final = 10.0
"""Seconds for which a page is cached. The time is short because the game may still be in progress."""
FINAL_PAGE_TTL: Final = 3 * 24 * 3600.0
PAUSE_SECONDS: Final = 60.0
"""Minimum pause after a site asks Kibitz to wait, and maximum pause after failures."""
MAX_PAUSE_SECONDS: Final = 600.0
"""Maximum pause after a site asks Kibitz to wait."""
_MISSING_PAGE_TTL: Final = 60.0
_MAX_REDIRECTS: Final = 2
_CHUNK_BYTES: Final = 16_384
_MAX_REFUSAL_BYTES: Final = 4_000
"""Maximum number of bytes of an error page to search for the site's reason."""
_MAX_CLOSING_ROUNDS: Final = 1_000
"""Maximum number of event loop iterations to wait for connections to close."""

_REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that contain an IPv4 address (RFC 6052)."""
_UNICAST = ipaddress.ip_network("2000::/3")
"""The IPv6 addresses that are routed on the public Internet (RFC 4291)."""
_UNROUTED_NETWORKS = tuple(
    map(ipaddress.ip_network, ("192.88.99.0/24", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
)
"""Networks that are not public, because they are reserved for IETF protocols, 6to4 and its relays, or documentation. Older versions
of Python consider some of them public."""


def is_public(address: str) -> bool:
    """Return whether an IP address, or the IPv4 address inside an IPv6 address, is globally routable."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner_address = ip.ipv4_mapped or (
            ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in _NAT64 else None
        )
        if inner_address is not None:
            return is_public(str(inner_address))
        if ip not in _UNICAST:
            return False
    return (
        ip.is_global
        and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)
        and not any(ip in network for network in _UNROUTED_NETWORKS)
    )


class PublicResolver(ThreadedResolver):
    """Resolves hosts, and rejects hosts with addresses that are not public."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return a host's addresses. Raise :exc:`OSError` unless all of them are public."""
        addresses = await super().resolve(host, port, family)
        if not addresses or not all(is_public(address["host"]) for address in addresses):
            raise OSError(f"{host} has no address, or an address that is not public")
        return addresses


def _busy_error(site: str) -> LinkError:
    return LinkError("link-busy", "{site} is busy; try again in a minute", site=site)


_CachedPage = tuple[bytes | None, float]
"""A page and the number of seconds to cache it. The page is None if the site does not have it."""


class Fetcher:
    """Fetches pages from the sites. ``user_agent`` is the User-Agent header, which names the bot and a contact.

    For tests, ``base_urls`` maps hosts to other servers, and ``ssl_context`` holds the trusted certificates.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        base_urls: Mapping[str, str] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        resolver: AbstractResolver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._user_agent = user_agent
        self._base_urls = {site.host: f"https://{site.host}" for site in SITES.values()} | dict(
            base_urls or {}
        )
        self._ssl_context = ssl_context or ssl.create_default_context()
        self._resolver = resolver
        self._clock = clock
        self._paused_until = dict.fromkeys(SITES, 0.0)
        """For each site, the time on ``clock`` until which Kibitz requests no pages."""
        self._failure_counts: Counter[str] = Counter()
        """Consecutive failures, by site."""
        self._request_queue = FairQueue(1, MAX_WAITING_REQUESTS, MAX_WAITING_REQUESTS_PER_USER)
        self._cache: TLRUCache[Request, _CachedPage] = TLRUCache(
            MAX_CACHE_BYTES,
            ttu=lambda _, entry, now: now + entry[1],
            timer=clock,
            getsizeof=lambda entry: len(entry[0] or b"") + 500,
        )
        self._session: aiohttp.ClientSession | None = None
        self._sockets: WeakSet[socket.socket] = WeakSet()

    async def close(self) -> None:
        if self._session is None:
            return
        await self._session.close()
        # Without a shutdown, an aborted connection would stay open until the server closes it or the handshake ends.
        for connection in self._sockets:
            with suppress(OSError):  # the socket is closed, or was never connected
                connection.shutdown(socket.SHUT_RDWR)
        for _ in range(_MAX_CLOSING_ROUNDS):
            if all(connection.fileno() < 0 for connection in self._sockets):
                return
            await asyncio.sleep(0)

    async def get(self, request: Request, user_id: int) -> bytes:
        """Return a page, from the cache if possible.

        Raises:
            LinkError: the page cannot be fetched.

        """
        if not is_allowed_path(request.site, request.path):
            raise ValueError(f"{request.path!r} of {request.site} is not an allowed path")
        page = self._cached_page(request)
        if page is not None:
            return page
        self._require_no_pause(request.site)
        if self._request_queue.is_full(request.site, user_id):
            raise _busy_error(request.site)
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(MAX_WAIT_SECONDS):
                    await stack.enter_async_context(self._request_queue.turn(request.site, user_id))
            except TimeoutError:
                raise _busy_error(request.site) from None
            page = self._cached_page(request)  # another request may have fetched it
            if page is not None:
                return page
            self._require_no_pause(request.site)
            return await self._fetch(request)

    def cache_as_final(self, request: Request) -> None:
        """Keep a cached page for :data:`FINAL_PAGE_TTL`."""
        page, _ = self._cache.get(request, (None, 0.0))
        if page is not None:
            self._cache[request] = page, FINAL_PAGE_TTL

    def _cached_page(self, request: Request) -> bytes | None:
        page, seconds = self._cache.get(request, (None, 0.0))
        if page is None and seconds:
            raise _gone_error(request.site)
        return page

    def _require_no_pause(self, site: str) -> None:
        remaining_seconds = self._paused_until[site] - self._clock()
        if remaining_seconds > 0:
            raise LinkError(
                "link-patience",
                "Kibitz has paused requests to {site}; try again in {seconds} s",
                site=site,
                seconds=int(remaining_seconds) + 1,
            )

    async def _fetch(self, request: Request) -> bytes:
        site = request.site
        try:
            async with asyncio.timeout(MAX_REQUEST_SECONDS):
                page = await self._send(request)
        except TimeoutError:
            self._count_failure(site)
            raise LinkError("link-slow", "{site} took too long to respond", site=site) from None
        except (aiohttp.ClientError, OSError) as error:
            log.info("%s can't be reached: %s", site, type(error).__name__)
            self._count_failure(site)
            raise LinkError("link-down", "{site} can't be reached right now", site=site) from None
        self._failure_counts[site] = 0
        self._cache[request] = page, PAGE_TTL
        return page

    def _count_failure(self, site: str) -> None:
        """Count a failure, and pause requests to the site after two or more failures in a row.

        Each further failure doubles the pause, up to :data:`PAUSE_SECONDS`.
        """
        self._failure_counts[site] += 1
        if self._failure_counts[site] > 1:
            self._paused_until[site] = self._clock() + min(
                PAUSE_SECONDS, 2.0 ** min(self._failure_counts[site], 10)
            )

    async def _send(self, request: Request) -> bytes:
        base_url = self._base_urls[SITES[request.site].host]
        url, body = base_url + request.path, request.body
        for _ in range(_MAX_REDIRECTS + 1):
            headers = {
                "Accept": request.accepted_types[0],
                "Accept-Encoding": "gzip",
                "User-Agent": self._user_agent,
            }
            if body:
                headers["Content-Type"] = "application/json"
            async with self._open_session().request(
                "POST" if body else "GET",
                URL(url, encoded=True),
                data=body.encode() or None,
                headers=headers,
                allow_redirects=False,
                ssl=self._ssl_context,
            ) as response:
                if response.status not in _REDIRECT_STATUSES:
                    return await self._read_response(response, request)
                url = urljoin(url, response.headers.get("Location", ""))
                # Redirects must stay on the site, because another site may be busy or have requested a pause.
                if not (
                    url.startswith(f"{base_url}/")
                    and is_allowed_path(request.site, url.removeprefix(base_url))
                ):
                    log.info("%s redirects to a path that is not allowed", request.site)
                    break
        raise unexpected_page_error(request.site)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=self._resolver or PublicResolver(),
                    limit_per_host=1,
                    socket_factory=self._new_socket,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
            )
        return self._session

    def _new_socket(self, address: aiohttp.AddrInfoType) -> socket.socket:
        new_socket = socket.socket(*address[:3])
        self._sockets.add(new_socket)
        return new_socket

    async def _read_response(self, response: aiohttp.ClientResponse, request: Request) -> bytes:
        site, status = request.site, response.status
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            retry_after = response.headers.get("Retry-After", "")
            seconds = (
                float(retry_after)
                if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 7
                else PAUSE_SECONDS
            )
            self._paused_until[site] = self._clock() + min(max(seconds, PAUSE_SECONDS), MAX_PAUSE_SECONDS)
            self._require_no_pause(site)
        if status != HTTPStatus.OK:
            body = await _read_body(response, site, truncate=True)
            if refusal := SITES[site].refusal_error(body[:_MAX_REFUSAL_BYTES]):
                raise refusal
        if status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            self._cache[request] = None, _MISSING_PAGE_TTL
            raise _gone_error(site)
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise LinkError("link-private", "it is private on {site}", site=site)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise aiohttp.ClientConnectionError(f"status {status}")
        if status != HTTPStatus.OK or response.content_type not in request.accepted_types:
            raise unexpected_page_error(site)
        return await _read_body(response, site, truncate=request.truncate)


async def _read_body(response: aiohttp.ClientResponse, site: str, *, truncate: bool) -> bytes:
    """Return the decompressed body of a response. Truncate or reject a body that is too long."""
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("identity", "", "gzip"):
        raise unexpected_page_error(site)
    decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS) if coding == "gzip" else None
    page = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        remaining_bytes = MAX_BYTES + 1 - len(page)
        try:
            page += (
                chunk[:remaining_bytes]
                if decompressor is None
                else decompressor.decompress(chunk, remaining_bytes)
            )
        except zlib.error:
            raise unexpected_page_error(site) from None
        if len(page) > MAX_BYTES:
            if truncate:
                return bytes(page[:MAX_BYTES])
            raise LinkError("link-large", "the page from {site} is too large", site=site)
        if decompressor is not None and decompressor.eof:
            break  # the decompressor would store the rest without a limit
    if decompressor is not None and not decompressor.eof:
        raise unexpected_page_error(site)
    return bytes(page)


def _gone_error(site: str) -> LinkError:
    return LinkError("link-gone", "{site} has nothing at this link", site=site)
