"""Sends errors to Sentry and traces to an OpenTelemetry collector. No other module reports to outside services.

Reports are off unless the host sets an address. Reports contain the template of a log line, an exception's class and frames,
the reference number, and spans. They contain the exception's text only if the log may show it, and never users' text.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from bot import __version__
from bot.observe import logs
from bot.observe.metrics import tracing

log = logging.getLogger(__name__)

_PROGRAM_NAME: Final = "kibitz"
_MAX_FLUSH_SECONDS: Final = 1.0


@contextmanager
def telemetry(sentry_dsn: str | None, otlp_endpoint: str | None) -> Iterator[None]:
    """Send errors and traces to the given addresses. If a required package is missing, log a warning."""
    with ExitStack() as stack:
        for name, address, reporting in (
            ("SENTRY_DSN", sentry_dsn, _report_to_sentry),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", otlp_endpoint, _trace_to_collector),
        ):
            if address:
                try:
                    stack.enter_context(reporting(address))
                except ModuleNotFoundError:
                    log.warning(
                        "%s is set, but its packages are not installed: pip install 'kibitz[telemetry]'", name
                    )
        yield


@contextmanager
def _report_to_sentry(dsn: str) -> Iterator[None]:
    import sentry_sdk  # noqa: PLC0415 - from an extra

    # Turn off the library's defaults, which collect log lines, variables, arguments and host names.
    sentry_sdk.init(
        dsn=dsn,
        release=__version__,
        server_name=_PROGRAM_NAME,
        default_integrations=False,
        auto_enabling_integrations=False,
        auto_session_tracking=False,
        include_local_variables=False,
        include_source_context=False,
        send_client_reports=False,
        max_breadcrumbs=0,
        shutdown_timeout=_MAX_FLUSH_SECONDS,
        before_send=lambda event, _hint: (
            event if event.get("logger", "").startswith(f"{_PROGRAM_NAME}:") else None
        ),
    )

    def send(record: logging.LogRecord) -> None:
        if (error := logs.error_of(record)) is not None:
            sentry_sdk.capture_event(_sentry_event(record, error))  # type: ignore[arg-type]

    try:
        with logs.forward_errors(send):
            yield
    finally:
        sentry_sdk.get_client().close(timeout=_MAX_FLUSH_SECONDS)


def _sentry_event(record: logging.LogRecord, error: BaseException) -> dict[str, Any]:
    return {
        "level": record.levelname.lower(),
        "logger": f"{_PROGRAM_NAME}:{record.name}",
        # The template without its values, because a library's values may repeat user input.
        "message": {"formatted": record.msg if isinstance(record.msg, str) else type(record.msg).__name__},
        "tags": {"reference": getattr(record, "reference", "none")},
        "exception": {
            "values": [
                {
                    "type": kind.rpartition(".")[2],
                    "module": kind.rpartition(".")[0],
                    "value": text,
                    "stacktrace": {
                        "frames": [
                            {"filename": frame.filename, "lineno": frame.lineno, "function": frame.name}
                            for frame in frames[-logs.MAX_FRAMES :]
                        ]
                    },
                }
                # Sentry wants the cause first.
                for kind, text, frames in reversed([*logs.redacted_exceptions(error)])
            ]
        },
    }


@contextmanager
def _trace_to_collector(endpoint: str) -> Iterator[None]:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - from an extra
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - as above

    # Unlike ``Resource.create``, this adds no details about the machine and its environment.
    provider = TracerProvider(
        resource=Resource({"service.name": _PROGRAM_NAME, "service.version": __version__}),
        shutdown_on_exit=False,
    )
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=1)
    provider.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=1_000))
    # OpenTelemetry's own errors would otherwise be counted as the bot's.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    try:
        with tracing(provider.get_tracer(_PROGRAM_NAME)):
            yield
    finally:
        provider.shutdown()
