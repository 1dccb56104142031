"""Metrics for Prometheus, and the dashboard that shows them."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from bot import __version__
from bot.chat.card import ReplyContext
from bot.chat.source import Attachment, Source
from bot.domain.notations import NOTATIONS
from bot.features.showing.document_service import DocumentService
from bot.features.showing.service import Presenter
from bot.jobs.fair import FairExecutor
from bot.observe.health import PrometheusMetrics, record_errors_and_delays
from bot.observe.metrics import GaugeName, Metrics, PictureSource, Refusal, ReplyKind, RequestResult, Stage

ROOT = Path(__file__).parents[2]
CGP = "15/15/15/15/15/15/15/5HELLO5/15/15/15/15/15/15/15 ABCDEFG/ 16/0 0 lex CSW21;"


@pytest.fixture
def metrics():
    return PrometheusMetrics()


def metric_value(metrics, name, **labels):
    return metrics.registry.get_sample_value(name, labels)


def use_every_metric(metrics):
    metrics.count("messages_seen")
    metrics.count("errors", "KeyError")
    for kind in get_args(ReplyKind):
        metrics.count("replies", kind)
    for result in get_args(PictureSource):
        metrics.count("pictures", result)
    for stage in get_args(Stage):
        with metrics.measure_stage(stage):
            pass
    for notation in NOTATIONS:
        metrics.count("detections", notation, "false")
    for result in get_args(RequestResult):
        metrics.count("discord_requests", result)
    metrics.count("discord_request_wait_seconds", by=0.5)
    for reason in get_args(Refusal):
        metrics.count("jobs_refused", reason)
    with metrics.measure_job("analysis"):
        pass
    metrics.register_gauges(dict.fromkeys(get_args(GaugeName), lambda: 1))


def test_every_counter_and_timer_is_exported(metrics):
    use_every_metric(metrics)
    for kind in get_args(ReplyKind):
        assert metric_value(metrics, "kibitz_replies_total", kind=kind) == 1
    for result in get_args(PictureSource):
        assert metric_value(metrics, "kibitz_pictures_total", result=result) == 1
    for stage in get_args(Stage):
        assert metric_value(metrics, "kibitz_stage_seconds_count", stage=stage) == 1
    for notation in NOTATIONS:
        assert metric_value(metrics, "kibitz_detections_total", format=notation, readable="false") == 1
    assert metric_value(metrics, "kibitz_messages_seen_total") == 1
    assert metric_value(metrics, "kibitz_errors_total", kind="KeyError") == 1
    assert metric_value(metrics, "kibitz_info", version=__version__) == 1
    for result in get_args(RequestResult):
        assert metric_value(metrics, "kibitz_discord_requests_total", result=result) == 1
    for reason in get_args(Refusal):
        assert metric_value(metrics, "kibitz_jobs_refused_total", reason=reason) == 1
    assert metric_value(metrics, "kibitz_discord_request_wait_seconds_total") == 0.5
    assert metric_value(metrics, "kibitz_job_seconds_count", kind="analysis") == 1


def test_gauges_are_read_on_request(metrics):
    reading = 3.0
    metrics.register_gauges(dict.fromkeys(get_args(GaugeName), lambda: reading))
    reading = 4.0
    assert metric_value(metrics, "kibitz_guilds") == 4
    assert metric_value(metrics, "kibitz_waiting", **{"for": "turn"}) == 4
    assert metric_value(metrics, "kibitz_waiting", **{"for": "worker"}) == 4
    for name in (
        "jobs_running",
        "jobs_waiting",
        "jobs_oldest_seconds",
        "session_starts_left",
        "discord_requests_allowed",
    ):
        assert metric_value(metrics, f"kibitz_{name}") == 4
    for name, state in (
        ("shards", "held"),
        ("shards", "connected"),
        ("database_connections", "used"),
        ("database_connections", "most"),
    ):
        assert metric_value(metrics, f"kibitz_{name}", state=state) == 4


def test_a_failed_stage_is_also_timed(metrics):
    with pytest.raises(KeyError), metrics.measure_stage("draw"):
        raise KeyError
    assert metric_value(metrics, "kibitz_stage_seconds_count", stage="draw") == 1


async def test_errors_from_any_logger_are_counted_by_class(metrics):
    log = logging.getLogger("discord.client")
    async with record_errors_and_delays(metrics):
        log.error("Ignoring exception", exc_info=ValueError("a secret"))
        log.error("ended")
        log.warning("slow", exc_info=KeyError("x"))
    log.error("later", exc_info=ValueError())
    assert metric_value(metrics, "kibitz_errors_total", kind="ValueError") == 1
    assert metric_value(metrics, "kibitz_errors_total", kind="none") == 1
    assert metric_value(metrics, "kibitz_errors_total", kind="KeyError") is None


async def test_the_delay_of_a_blocked_event_loop_is_measured(metrics, monkeypatch):
    monkeypatch.setattr("bot.observe.health._LOOP_CHECK_INTERVAL", 0.005)
    async with record_errors_and_delays(metrics):
        await asyncio.sleep(0.03)
        time.sleep(0.06)  # noqa: ASYNC251 - the blocking itself is tested
        await asyncio.sleep(0.03)
    slow_count = metric_value(metrics, "kibitz_event_loop_delay_seconds_count") - metric_value(
        metrics, "kibitz_event_loop_delay_seconds_bucket", le="0.05"
    )
    assert slow_count >= 1


async def test_a_service_counts_documents_and_pictures(metrics):
    with FairExecutor(1) as workers:
        service = Presenter(DocumentService(workers, metrics=metrics))
        for _ in range(2):
            await service.show(Source(f"look: {CGP}", on_request=False), ReplyContext())
        await service.show(Source("what a lovely evening", on_request=False), ReplyContext())
        await service.find(Source("", (Attachment("a.gcg", b"#player1 a A\n#player2 b B\n>a: X\n"),)))
    assert metric_value(metrics, "kibitz_detections_total", format="cgp", readable="true") == 2
    assert metric_value(metrics, "kibitz_pictures_total", result="miss") == 1
    assert metric_value(metrics, "kibitz_pictures_total", result="hit") == 1
    assert metric_value(metrics, "kibitz_stage_seconds_count", stage="draw") == 1
    assert metric_value(metrics, "kibitz_stage_seconds_count", stage="read") == 3


def test_disabled_metrics_read_no_gauge():
    metrics = Metrics()
    metrics.count("messages_seen")
    metrics.register_gauges({"guilds": lambda: 1 / 0})
    with metrics.measure_stage("read"):
        metrics.count("pictures", "miss")


def test_no_label_can_contain_user_text(metrics):
    use_every_metric(metrics)
    labels = {
        name
        for family in text_string_to_metric_families(generate_latest(metrics.registry).decode())
        for sample in family.samples
        if family.name.startswith("kibitz")
        for name in sample.labels
    }
    assert labels == {
        "format",
        "readable",
        "kind",
        "result",
        "stage",
        "le",
        "for",
        "state",
        "reason",
        "version",
    }


NOT_ON_DASHBOARD = {
    "kibitz_info": "a version cannot be plotted",
    "kibitz_detections_total": "useful only for developing a notation",
    "kibitz_pictures_total": "useful only for choosing the size of the picture cache",
}
"""Metrics that the dashboard leaves out, and why."""


def test_the_dashboard_shows_every_metric_that_is_not_left_out_on_purpose(metrics):
    use_every_metric(metrics)
    families = text_string_to_metric_families(generate_latest(metrics.registry).decode())
    metric_names = {sample.name for family in families for sample in family.samples}
    dashboard = json.loads((ROOT / "docs" / "grafana.json").read_text(encoding="utf-8"))
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    expressions = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    names_on_dashboard = set(re.findall(r"\b(?:kibitz|process|python)_[a-z0-9_]+", expressions))
    assert names_on_dashboard - metric_names == set(), "the dashboard shows metrics that do not exist"
    own_names = {
        name
        for name in metric_names
        if name.startswith("kibitz_") and not name.endswith(("_created", "_count", "_sum"))
    }
    assert own_names - names_on_dashboard == NOT_ON_DASHBOARD.keys(), (
        "a metric is neither on the dashboard nor listed with a reason, or it is both"
    )
    labels = set(re.findall(r"(kibitz_[a-z_]+)\{([a-z]+)=", expressions))
    samples = {
        (sample.name, label)
        for family in text_string_to_metric_families(generate_latest(metrics.registry).decode())
        for sample in family.samples
        for label in sample.labels
    }
    assert labels <= samples
    for panel in panels:
        assert panel["title"]
        assert panel["description"].endswith(".")
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
    positions = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(positions)) == len(positions)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
