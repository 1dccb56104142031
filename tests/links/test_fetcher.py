"""The fetcher: allowed paths, limits, one request at a time, and an error with a reason for each failure."""

from __future__ import annotations

import asyncio
import gzip
import ssl

import pytest
from aiohttp.abc import AbstractResolver

from bot.links import fetcher as fetcher_module
from bot.links.fetcher import MAX_BYTES, Fetcher, PublicResolver, is_public
from bot.links.values import LinkError, Request
from tests.links.sites import GCG_PATH, Page, Sites

PUZZLE = Request("lichess.org", "/api/puzzle/00sHx", accepted_types=("application/json",))
OTHER_PUZZLE = Request("lichess.org", "/api/puzzle/11sHx", accepted_types=("application/json",))
GAME = Request("woogles.io", GCG_PATH, '{"gameId":"p6QRjJHG"}', ("application/json",))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def fetcher(sites: Sites, clock: Clock):
    context = ssl.create_default_context(cafile=sites.certificate)
    new_fetcher = Fetcher(
        "Kibitz/1 (+host@example.org)", base_urls=sites.bases, ssl_context=context, clock=clock
    )
    yield new_fetcher
    await new_fetcher.close()


async def refusal_code(fetcher: Fetcher, request: Request = PUZZLE) -> str:
    with pytest.raises(LinkError) as caught:
        await fetcher.get(request, 1)
    return caught.value.code


async def test_a_request_names_the_bot_and_sends_no_cookies(fetcher: Fetcher, sites: Sites):
    assert b"gcg" in await fetcher.get(GAME, 1)
    [request] = sites.requests
    assert (request.method, request.path, request.body) == ("POST", GCG_PATH, b'{"gameId":"p6QRjJHG"}')
    assert request.headers["User-Agent"] == "Kibitz/1 (+host@example.org)"
    assert not {"Cookie", "Authorization", "Referer"} & set(request.headers)


@pytest.mark.parametrize(
    "path", ["/api/account", "/game/export/../../x", "/api/puzzle/00sHx?x=1", "/api/puzzle/00sH\nx"]
)
async def test_paths_that_are_not_allowed_are_not_requested(fetcher: Fetcher, sites: Sites, path: str):
    with pytest.raises(ValueError, match="not an allowed path"):
        await fetcher.get(Request("lichess.org", path), 1)
    with pytest.raises(ValueError, match="not an allowed path"):
        await fetcher.get(Request("example.org", "/api/puzzle/00sHx"), 1)
    assert sites.requests == []


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (Page(status=404), "link-gone"),
        (Page(status=410), "link-gone"),
        (Page(status=401), "link-private"),
        (Page(status=403), "link-private"),
        (Page(status=400), "link-odd"),
        (Page(status=500), "link-down"),
        (Page(status=204, type="application/json"), "link-odd"),
        (Page(b"<html>", "text/html"), "link-odd"),
        (Page(b"{}", "application/json", headers={"Content-Encoding": "br"}), "link-odd"),
        (Page(b"no gzip", "application/json", headers={"Content-Encoding": "gzip"}), "link-odd"),
        (
            Page(gzip.compress(b"{}")[:-6], "application/json", headers={"Content-Encoding": "gzip"}),
            "link-odd",
        ),
        (Page(b"{" + b" " * 100_000, "application/json", aborted=True), "link-down"),
        (Page(b" " * (MAX_BYTES + 1), "application/json"), "link-large"),
        (Page(b" " * (50 * MAX_BYTES), "application/json", compressed=True), "link-large"),
    ],
)
async def test_each_failure_has_its_link_error(fetcher: Fetcher, sites: Sites, page: Page, code: str):
    sites.pages["lichess.org", PUZZLE.path] = page
    assert await refusal_code(fetcher) == code


async def test_a_page_of_the_maximum_size_is_returned(fetcher: Fetcher, sites: Sites):
    sites.pages["lichess.org", PUZZLE.path] = Page(b" " * MAX_BYTES, "application/json", compressed=True)
    assert len(await fetcher.get(PUZZLE, 1)) == MAX_BYTES


async def test_a_truncatable_page_is_cut_at_the_maximum_size(fetcher: Fetcher, sites: Sites):
    request = Request("cross-tables.com", "/rest/allanno.php", accepted_types=("text/csv",), truncate=True)
    sites.pages["www.cross-tables.com", "/rest/allanno.php"] = Page(
        b"1" * (3 * MAX_BYTES), "text/csv", compressed=True
    )
    assert len(await fetcher.get(request, 1)) == MAX_BYTES


async def test_a_slow_page_times_out(fetcher: Fetcher, sites: Sites, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fetcher_module, "MAX_REQUEST_SECONDS", 0.5)
    sites.pages["lichess.org", PUZZLE.path] = Page(b"##", "application/json", endless=True)
    assert await refusal_code(fetcher) == "link-slow"


@pytest.mark.parametrize(
    "location",
    [
        "https://example.org/api/puzzle/00sHx",
        "http://127.0.0.1/",
        "https://127.0.0.1/latest/meta-data",
        "//169.254.169.254/x",
        "/account/security",
        "../../account",
        "file:///etc/passwd",
        "",
    ],
)
@pytest.mark.parametrize("status", [301, 307])
async def test_redirects_to_other_addresses_are_rejected(
    fetcher: Fetcher, sites: Sites, location: str, status: int
):
    sites.pages["lichess.org", PUZZLE.path] = Page(status=status, headers={"Location": location})
    assert await refusal_code(fetcher) == "link-odd"
    assert len(sites.requests) == (1 if location else 3), (
        "another address was requested, or an empty location did not lead to the same page again"
    )


async def test_data_after_a_compressed_page_is_not_read(fetcher: Fetcher, sites: Sites):
    """The decompressor would keep this data in memory without a limit."""
    compressed_body = gzip.compress(b"{}")
    sites.pages["lichess.org", PUZZLE.path] = Page(
        compressed_body + compressed_body,
        "application/json",
        headers={"Content-Encoding": "gzip"},
        endless=True,
    )
    assert await fetcher.get(PUZZLE, 1) == b"{}"


async def test_a_redirect_to_another_supported_site_is_not_followed(fetcher: Fetcher, sites: Sites):
    """The other site may be busy with another request, or may have requested a pause."""
    target = f"{sites.bases['www.cross-tables.com']}/rest/allanno.php"
    sites.pages["lichess.org", PUZZLE.path] = Page(status=302, headers={"Location": target})
    assert await refusal_code(fetcher) == "link-odd"
    assert sites.paths() == [PUZZLE.path]


async def test_a_redirect_to_an_allowed_path_is_followed(fetcher: Fetcher, sites: Sites):
    target = f"{sites.bases['lichess.org']}/api/puzzle/daily"
    sites.pages["lichess.org", PUZZLE.path] = Page(status=302, headers={"Location": target})
    assert b"puzzle" in await fetcher.get(PUZZLE, 1)


async def test_circular_redirects_end(fetcher: Fetcher, sites: Sites):
    target = f"{sites.bases['lichess.org']}{PUZZLE.path}"
    sites.pages["lichess.org", PUZZLE.path] = Page(status=302, headers={"Location": target})
    assert await refusal_code(fetcher) == "link-odd"
    assert len(sites.requests) == 3


async def test_a_site_that_answers_429_gets_no_request_for_a_minute(
    fetcher: Fetcher, sites: Sites, clock: Clock
):
    page = sites.pages["lichess.org", PUZZLE.path]
    sites.pages["lichess.org", PUZZLE.path] = Page(status=429)
    assert await refusal_code(fetcher) == "link-patience"
    sites.pages["lichess.org", PUZZLE.path] = page
    clock.now += 59
    assert await refusal_code(fetcher, OTHER_PUZZLE) == "link-patience"
    assert len(sites.requests) == 1
    assert await fetcher.get(GAME, 1), "the pause of one site stopped a request to another"
    clock.now += 2
    assert await fetcher.get(PUZZLE, 1)


async def test_retry_after_sets_the_length_of_the_pause(fetcher: Fetcher, sites: Sites, clock: Clock):
    sites.pages["lichess.org", PUZZLE.path] = Page(status=429, headers={"Retry-After": "300"})
    assert await refusal_code(fetcher) == "link-patience"
    clock.now += 299
    assert await refusal_code(fetcher) == "link-patience"
    assert len(sites.requests) == 1


async def test_the_pause_grows_with_each_failure_of_a_site(fetcher: Fetcher, sites: Sites, clock: Clock):
    page = sites.pages["lichess.org", PUZZLE.path]
    sites.pages["lichess.org", PUZZLE.path] = Page(status=503)
    pauses = []
    for _ in range(4):
        assert await refusal_code(fetcher) == "link-down"
        before, pause = len(sites.requests), 0
        while len(sites.requests) == before and pause < 100:
            clock.now += 1
            pause += 1
            if await refusal_code(fetcher) == "link-down":
                break
        pauses.append(pause)
        clock.now += 61
    assert pauses[0] < pauses[-1] <= 61
    fetcher._failure_counts["lichess.org"] = 2_000  # 2 ** 2000 is too large for a float
    assert await refusal_code(fetcher) == "link-down"
    clock.now += 61
    sites.pages["lichess.org", PUZZLE.path] = page
    assert await fetcher.get(PUZZLE, 1)


async def test_pages_are_cached_for_seconds_and_final_pages_for_days(
    fetcher: Fetcher, sites: Sites, clock: Clock
):
    await fetcher.get(GAME, 1)
    await fetcher.get(PUZZLE, 1)
    fetcher.cache_as_final(GAME)
    clock.now += 11
    await fetcher.get(GAME, 2)
    await fetcher.get(PUZZLE, 2)
    assert sites.paths() == [GCG_PATH, PUZZLE.path, PUZZLE.path]
    clock.now += 4 * 24 * 3600
    await fetcher.get(GAME, 2)
    assert sites.paths()[-1] == GCG_PATH


async def test_a_missing_page_is_requested_once_a_minute(fetcher: Fetcher, sites: Sites, clock: Clock):
    assert [await refusal_code(fetcher, OTHER_PUZZLE) for _ in range(3)] == ["link-gone"] * 3
    assert len(sites.requests) == 1
    clock.now += 61
    assert await refusal_code(fetcher, OTHER_PUZZLE) == "link-gone"
    assert len(sites.requests) == 2


def puzzle_request(number: int) -> Request:
    return Request("lichess.org", f"/api/puzzle/{number:05}", accepted_types=("application/json",))


async def test_a_site_gets_one_request_at_a_time_and_users_take_turns(fetcher: Fetcher, sites: Sites):
    for number in range(8):
        sites.pages["lichess.org", puzzle_request(number).path] = Page.of_json({})
    sites.may_answer.clear()
    greedy_tasks = [asyncio.ensure_future(fetcher.get(puzzle_request(number), 1)) for number in range(5)]
    await asyncio.sleep(0)
    other_tasks = [asyncio.ensure_future(fetcher.get(puzzle_request(number), number)) for number in (5, 6)]
    same_page_task = asyncio.ensure_future(fetcher.get(puzzle_request(0), 7))
    await asyncio.to_thread(sites.request_arrived.wait)
    sites.may_answer.set()
    await asyncio.gather(*greedy_tasks, *other_tasks, same_page_task)
    assert sites.max_concurrent_count == 1
    assert sites.paths() == [puzzle_request(number).path for number in (0, 1, 5, 6, 2, 3, 4)], (
        "users did not take turns, or two requests for the same page did not share a response"
    )


async def test_a_user_with_too_many_waiting_requests_is_refused_another(fetcher: Fetcher, sites: Sites):
    for number in range(9):
        sites.pages["lichess.org", puzzle_request(number).path] = Page.of_json({})
    sites.may_answer.clear()
    waiting_tasks = [asyncio.ensure_future(fetcher.get(puzzle_request(number), 1)) for number in range(7)]
    await asyncio.sleep(0)
    assert await refusal_code(fetcher, puzzle_request(7)) == "link-busy"
    other = asyncio.ensure_future(fetcher.get(puzzle_request(8), 2))
    await asyncio.sleep(0)
    for task in waiting_tasks[1:]:
        task.cancel()
    await asyncio.gather(*waiting_tasks[1:], return_exceptions=True)
    sites.may_answer.set()
    await asyncio.gather(waiting_tasks[0], other)
    assert sites.paths() == [puzzle_request(0).path, puzzle_request(8).path]


async def test_a_request_whose_turn_does_not_come_is_refused(
    fetcher: Fetcher, sites: Sites, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fetcher_module, "MAX_WAIT_SECONDS", 0.1)
    for number in range(2):
        sites.pages["lichess.org", puzzle_request(number).path] = Page.of_json({})
    sites.may_answer.clear()
    first = asyncio.ensure_future(fetcher.get(puzzle_request(0), 1))
    await asyncio.to_thread(sites.request_arrived.wait)
    assert await refusal_code(fetcher, puzzle_request(1)) == "link-busy"
    sites.may_answer.set()
    await first
    await fetcher.get(puzzle_request(1), 1)
    assert sites.paths() == [puzzle_request(number).path for number in range(2)]


async def test_an_untrusted_certificate_is_rejected(sites: Sites):
    distrustful_fetcher = Fetcher("Kibitz", base_urls=sites.bases)
    assert await refusal_code(distrustful_fetcher) == "link-down"
    assert sites.requests == []
    await distrustful_fetcher.close()


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a01:4f8::1", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_a_public_address_is_recognized(address: str):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "2001:0:7f00:1::", "2002:7f00:1::", "198.18.0.1", "240.0.0.1",
        "fec0::1", "feff::1", "100::1", "200::1", "400::1", "4000::1", "5f00::1", "8000::1", "e000::1", "f000::1", "fd00::1",
        "64:ff9b:1::1", "2001:db8::1", "2001:10::1", "2002:808:808::1", "3fff::1", "192.88.99.1", "192.0.2.1", "203.0.113.1",
    ],
)  # fmt: skip
def test_a_special_purpose_address_is_not_public(address: str):
    assert not is_public(address)


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], []])
async def test_a_host_with_a_private_address_is_not_resolved(
    monkeypatch: pytest.MonkeyPatch, answers: list[str]
):
    async def getaddrinfo(
        host: str, port: int, **_: object
    ) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(2, 1, 6, "", (answer, port)) for answer in answers]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    with pytest.raises(OSError, match="not public"):
        await PublicResolver().resolve("lichess.org", 443)


class RebindingResolver(AbstractResolver):
    """A resolver that counts its calls, and would answer the second call with another address."""

    def __init__(self, port: int) -> None:
        self.resolution_count = 0
        self.port = port

    async def resolve(self, host, port=0, family=0):
        self.resolution_count += 1
        address = "127.0.0.1" if self.resolution_count == 1 else "127.0.0.9"
        return [{"hostname": host, "host": address, "port": self.port, "family": 2, "proto": 0, "flags": 4}]

    async def close(self) -> None:
        pass


async def test_the_connection_uses_the_resolved_address(sites: Sites):
    resolver = RebindingResolver(sites.port)
    bases = {"lichess.org": f"https://localhost:{sites.port}/lichess.org"}
    context = ssl.create_default_context(cafile=sites.certificate)
    fetcher = Fetcher("Kibitz", base_urls=bases, ssl_context=context, resolver=resolver)
    assert await fetcher.get(PUZZLE, 1)
    assert resolver.resolution_count == 1
    await fetcher.close()
    strict_fetcher = Fetcher("Kibitz", base_urls=bases, ssl_context=context)
    request_count = len(sites.requests)
    assert await refusal_code(strict_fetcher) == "link-down", "localhost counted as a public address"
    assert len(sites.requests) == request_count
    await strict_fetcher.close()
