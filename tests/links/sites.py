"""A local HTTPS server that replaces the supported sites, with their pages and every kind of failure."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOSTS = ("woogles.io", "www.cross-tables.com", "lichess.org", "www.chess.com")


@dataclass(frozen=True)
class Page:
    body: bytes = b""
    type: str = "text/plain"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    compressed: bool = False
    """Whether the body is compressed with gzip."""
    aborted: bool = False
    """Whether the connection ends in the middle of the body."""
    endless: bool = False
    """Whether half of the body is sent, and then ``#`` characters without end."""

    @classmethod
    def of_json(cls, value: object, status: int = 200) -> Page:
        return cls(json.dumps(value).encode(), "application/json", status)


@dataclass(frozen=True)
class ReceivedRequest:
    host: str
    method: str
    path: str
    body: bytes
    headers: dict[str, str]


class Sites:
    """The server, which runs in its own thread."""

    def __init__(self, folder: Path) -> None:
        self.pages: dict[tuple[str, str], Page | list[Page]] = {}
        """The page for each host and path, or its successive pages. The last of these pages repeats."""
        self.requests: list[ReceivedRequest] = []
        self.concurrent_count = 0
        self.max_concurrent_count = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.request_arrived = threading.Event()
        self.certificate = folder / "sites.pem"
        self._key = folder / "sites.key"
        _write_certificate(self.certificate, self._key)
        self.port = 0

    @property
    def bases(self) -> dict[str, str]:
        """For each host, the URL on this server that replaces it."""
        return {host: f"https://127.0.0.1:{self.port}/{host}" for host in HOSTS}

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    @contextmanager
    def running(self) -> Iterator[None]:
        started = threading.Event()

        async def serve() -> None:
            application = web.Application(client_max_size=10_000)
            application.router.add_route("*", "/{host}/{path:.*}", self._answer)
            runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
            await runner.setup()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate, self._key)
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
            await site.start()
            self.port = runner.addresses[0][1]
            self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
            started.set()
            await self._ending.wait()
            await runner.cleanup()

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        assert started.wait(60)
        try:
            yield
        finally:
            self.may_answer.set()
            self._loop.call_soon_threadsafe(self._ending.set)
            thread.join(60)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        host = request.match_info["host"]
        path = request.raw_path.removeprefix(f"/{host}")
        self.requests.append(
            ReceivedRequest(host, request.method, path, await request.read(), dict(request.headers))
        )
        self.request_arrived.set()
        self.concurrent_count += 1
        self.max_concurrent_count = max(self.max_concurrent_count, self.concurrent_count)
        try:
            await asyncio.to_thread(self.may_answer.wait)
            return await self._respond(request, self._page(host, path))
        finally:
            self.concurrent_count -= 1

    def _page(self, host: str, path: str) -> Page:
        page = self.pages.get((host, path), Page(b"nothing", status=404))
        if isinstance(page, list):
            return page.pop(0) if len(page) > 1 else page[0]
        return page

    async def _respond(self, request: web.Request, page: Page) -> web.StreamResponse:
        body = gzip.compress(page.body) if page.compressed else page.body
        headers = {"Content-Type": page.type, **page.headers}
        if page.compressed:
            headers["Content-Encoding"] = "gzip"
        if not page.aborted and not page.endless:
            return web.Response(body=body, status=page.status, headers=headers)
        response = web.StreamResponse(status=page.status, headers=headers)
        response.content_length = len(body) if page.aborted else None
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        while page.endless:
            await response.write(b"#")
            await asyncio.sleep(0.05)
        assert request.transport is not None
        request.transport.abort()
        return response


def _write_certificate(certificate: Path, key_file: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


GCG_PATH = "/api/game_service.GameMetadataService/GetGCG"
ANALYSIS_PATH = "/api/analysis_service.AnalysisService/GetAnalysisResult"
PUZZLE_PATH = "/api/puzzle_service.PuzzleService/GetPuzzle"
COLLECTION_PATH = "/api/collections_service.CollectionsService/GetCollection"
GAME_QUERY = "?evals=true&clocks=true&opening=true&literate=false"
STUDY_SUFFIX = ".pgn?clocks=true&comments=true&variations=true&orientation=true"

GAME_TEXT = """#character-encoding UTF-8
#player1 alice Alice
#player2 bob Bob
#title A game
#id io.woogles p6QRjJHG
#lexicon SCOWL80
>alice: AEINRST 8D NASTIER +66 66
>bob: ABCDEFG -AB +0 0
>alice: EIQUOYN 7H QI +20 86
>bob: CDEFGHI 9C FED +21 21
>bob: CDEFGHI -- -21 0
>alice: EUOYNAA -AA +0 86
"""

CHESS_TEXT = """[Event "Rated blitz game"]
[Site "https://lichess.org/AbCdEf12"]
[White "alice"]
[Black "bob"]
[Result "1-0"]
[Termination "Normal"]

1. e4 { [%eval 0.3] [%clk 0:05:00] } 1... e5 { [%eval 0.3] [%clk 0:05:00] } 2. Qh5 { [%eval -0.6] [%clk 0:04:58] } 2... Nc6 { [%eval -0.5] [%clk 0:04:57] } 3. Bc4 { [%eval -0.4] } 3... Nf6 { [%eval #1] } 4. Qxf7# 1-0
"""

REVIEW = {
    "found": True,
    "result": {
        "analysisVersion": 2,
        "turns": [
            {"turnNumber": 1, "wasOptimal": True, "optimalMove": "8D NASTIER", "optimalScore": 66},
            {
                "turnNumber": 3,
                "mistakeSize": "MEDIUM",
                "winProbLoss": 0.062,
                "optimalMove": "10B *QUEY_",
                "optimalScore": 48,
            },
            {"turnNumber": 4, "playerIndex": 1, "mistakeSize": "LARGE", "spreadLoss": 17},
        ],
        "playerSummaries": [
            {"playerName": "alice", "mistakeIndex": 2.4, "estimatedElo": 1890.4},
            {"playerName": "bob", "mistakeIndex": 3.1},
        ],
    },
}

HISTORY = {
    "players": [{"nickname": "alice", "realName": "Alice"}, {"nickname": "bob"}],
    "lexicon": "SCOWL80",
    "events": [
        {
            "nickname": "alice",
            "rack": "AEINRST",
            "position": "8D",
            "playedTiles": "NASTIER",
            "score": 66,
            "cumulative": 66,
        },
        {"playerIndex": 1, "type": "EXCHANGE", "rack": "ABCDEFG", "exchanged": "AB"},
        {"type": "PASS", "rack": "EIQUOYN", "cumulative": 66},
    ],
    "lastKnownRacks": ["", "CDEFGHI"],
}

LICHESS_PUZZLE = {
    "game": {
        "id": "787zsVup",
        "pgn": "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#",
        "players": [{"name": 'ali"ce]', "color": "white"}, {"name": "bob", "color": "black"}],
    },
    "puzzle": {"id": "00sHx", "rating": 1100, "initialPly": 5, "solution": ["h5f7"], "themes": ["mateIn1"]},
}

STUDY_TEXT = "\n\n".join(
    f"""[Event "Traps: {name}"]
[Site "https://lichess.org/study/StUdY123/{chapter}"]
[Result "*"]
[ChapterName "{name}"]
[ChapterURL "https://lichess.org/study/StUdY123/{chapter}"]
[Orientation "black"]

{{ Look at f7. [%csl Rf7] }} 1. e4 e5 2. Qh5 *"""
    for chapter, name in (("ChApTe01", "One"), ("ChApTe02", "Two"), ("ChApTe03", "Three"))
)

BROADCAST_TEXT = "\n\n".join(
    f"""[Event "Open: Round 1"]
[Site "https://lichess.org/broadcast/open/round-1/RoUnD123"]
[White "{white}"]
[Black "bob"]
[Result "{result}"]
[GameURL "https://lichess.org/broadcast/open/round-1/RoUnD123/{game}"]

1. d4 d5 2. c4 {result}"""
    for game, white, result in (("GaMe0001", "alice", "1-0"), ("GaMe0002", "carol", "*"))
)


def serve_all(sites: Sites) -> None:
    sites.pages.update(
        {
            ("woogles.io", GCG_PATH): Page.of_json({"gcg": GAME_TEXT}),
            ("woogles.io", ANALYSIS_PATH): Page.of_json(REVIEW),
            ("woogles.io", PUZZLE_PATH): Page.of_json({"history": HISTORY, "beforeText": "", "answer": {}}),
            ("woogles.io", COLLECTION_PATH): Page.of_json(
                {
                    "collection": {
                        "title": "The best of *all*",
                        "games": [
                            {
                                "gameId": "p6QRjJHG",
                                "chapterNumber": number,
                                "chapterTitle": f"Game no. {number}",
                            }
                            for number in range(1, 51)
                        ],
                    }
                }
            ),
            ("www.cross-tables.com", "/annotated/selfgcg/345/anno34567.gcg"): Page(
                GAME_TEXT.replace("#character-encoding UTF-8\n", "")
                .replace("#id io.woogles p6QRjJHG\n#lexicon SCOWL80\n", "")
                .replace("Bob", "Begoña")
                .encode("latin-1")
            ),
            ("www.cross-tables.com", "/rest/allanno.php"): Page(
                b"1,2,3,4,5,6,7,TWL98,9\n34567,1,2,,,77,x,SCOWL80,9\n", "text/csv"
            ),
            ("lichess.org", f"/game/export/AbCdEf12{GAME_QUERY}"): Page(
                CHESS_TEXT.encode(), "application/x-chess-pgn"
            ),
            ("lichess.org", f"/api/study/StUdY123{STUDY_SUFFIX}"): Page(
                STUDY_TEXT.encode(), "application/x-chess-pgn"
            ),
            ("lichess.org", "/api/puzzle/00sHx"): Page.of_json(LICHESS_PUZZLE),
            ("lichess.org", "/api/puzzle/daily"): Page.of_json(LICHESS_PUZZLE),
            ("lichess.org", "/api/broadcast/round/RoUnD123.pgn"): Page(
                BROADCAST_TEXT.encode(), "application/x-chess-pgn", compressed=True
            ),
        }
    )
