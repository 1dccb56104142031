"""Reports to Sentry and OpenTelemetry contain nothing that users write."""

from __future__ import annotations

import gzip
import logging
import platform
import socket
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bot.app.run import open_bot
from bot.config import load_settings
from bot.features.showing.controls import PRESENTER
from bot.observe.logs import log_context
from bot.observe.metrics import span
from bot.observe.telemetry import telemetry
from tests.waiting import until
from tests.wire.kibitz import running
from tests.wire.redirect import redirect
from tests.wire.server import WireServer

USER_WORD = "QUIXOTRY"
NICKNAME = "alice"
HOST_NAME = "machine-of-a-host"
"""Replaces the real host name, which may appear by chance among the random bytes of a trace."""


class Collector:
    """Accepts all requests, like Sentry or an OpenTelemetry collector."""

    def __init__(self):
        self.bodies = {}
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                match self.headers.get("Content-Encoding"):
                    case "gzip":
                        body = gzip.decompress(body)
                    case "deflate":
                        body = zlib.decompress(body)
                    case None:
                        pass
                    case other:
                        raise AssertionError(other)
                bodies.setdefault(self.path, []).append(f"{self.headers}".encode() + body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.address = f"127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def received(self, path):
        return b"\n".join(self.bodies.get(path, []))


@pytest.fixture
def collector():
    server = Collector()
    yield server
    server.close()


async def test_user_text_is_never_sent(collector, tmp_path, monkeypatch, caplog):
    """The bot fails with an error that quotes a position. The test searches every sent byte."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISCORD_TOKEN", "PORT", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SENTRY_DSN", f"http://secretkey@{collector.address}/7")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{collector.address}")
    monkeypatch.setattr(socket, "gethostname", lambda: HOST_NAME)
    monkeypatch.setattr(platform, "node", lambda: HOST_NAME)
    settings = load_settings()
    assert "secretkey" not in repr(settings)
    async with WireServer() as wire:
        redirect(wire.api, monkeypatch.setattr)
        with telemetry(*settings.telemetry_addresses):
            async with open_bot(settings) as bot, running(bot):
                await wire.gateway.wait_until_ready()
                rows = ["15"] * 15
                rows[7] = f"3{USER_WORD}4"
                text = f"{'/'.join(rows)} ABCDEFG/ 26/0 0 lex CSW21; {NICKNAME}"
                await wire.wait_for_reply(await wire.post(text))

                async def show(source, *_):
                    quoted = source.text  # the text is also in a variable
                    raise KeyError(quoted) from ValueError(f"cannot show {quoted}")

                monkeypatch.setattr(bot.services.find(PRESENTER), "show", show)
                await wire.post(text)
                await until(lambda: "fault" in caplog.text)
                logging.getLogger("discord.client").error(
                    "Ignoring exception in %s", text, exc_info=RuntimeError("x")
                )
    faults, traces = collector.received("/api/7/envelope/"), collector.received("/v1/traces")
    assert b'"type":"KeyError"' in faults.replace(b": ", b":")
    assert b'"type":"ValueError"' in faults.replace(b": ", b":")
    assert b"(withheld)" in faults
    assert b'"function":"show"' in faults.replace(b": ", b":")
    assert b"Ignoring exception in %s" in faults
    for name in ("answer", "read", "draw", "send", "message_id"):
        assert name.encode() in traces, name
    # No report contains user text, in any encoding.
    everything = faults + traces
    for user_text in (
        USER_WORD,
        NICKNAME,
        "cannot show",
        "ABCDEFG",
        wire.token,
        "kibitz.sqlite3",
        HOST_NAME,
    ):
        for encoding in ("utf-8", "utf-16-le"):
            assert user_text.encode(encoding) not in everything, user_text
        assert user_text.lower().encode() not in everything.lower(), user_text


async def test_telemetry_is_off_and_not_imported_by_default(monkeypatch):
    for name in ("SENTRY_DSN", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    settings = load_settings()
    assert settings.telemetry_addresses == (None, None)
    before = set(sys.modules)
    with telemetry(*settings.telemetry_addresses), log_context(message_id=1), span("read"):
        pass
    assert not [
        name for name in set(sys.modules) - before if name.startswith(("sentry_sdk", "opentelemetry"))
    ]


def test_missing_telemetry_packages_are_reported(monkeypatch, caplog):
    for name in ("sentry_sdk", "opentelemetry.exporter.otlp.proto.http.trace_exporter"):
        monkeypatch.setitem(sys.modules, name, None)
    with telemetry("http://key@127.0.0.1/1", "http://127.0.0.1"):
        pass
    assert (
        "SENTRY_DSN is set, but its packages are not installed: pip install 'kibitz[telemetry]'"
        in caplog.text
    )
    assert "OTEL_EXPORTER_OTLP_ENDPOINT is set, but" in caplog.text
