"""What the bot counts and times while it works; by default nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal

from bot.observe.spans import span

Stage = Literal["read", "compose", "draw", "keep", "send"]
"""A part of the way from a message to its answer: finding and reading documents, putting the answer together,
drawing a picture, keeping documents, handing the answer to Discord until it is taken."""

ReplyKind = Literal["message", "edit", "command", "control"]
"""What an answer is for: a message, an edit of one, a command or menu, the press of a control."""

Lookup = Literal["hit", "shared", "miss"]
"""Where a picture comes from: it was kept, it is being drawn for somebody else, it has to be drawn."""

RequestResult = Literal["ok", "refused", "limited", "failed"]
"""What became of a request to Discord: taken, refused, too many, not answered or a fault of Discord's."""

Refusal = Literal["asker", "full", "spent"]
"""Why a job is refused: its asker has one, too many wait, too little is left to its asker or channel."""

Level = Literal[
    "guilds",
    "waiting_for_turn",
    "waiting_for_worker",
    "jobs_running",
    "jobs_waiting",
    "jobs_oldest",
    "shards_held",
    "shards_connected",
    "starts_left",
    "requests_a_second",
    "connections_used",
    "connections_most",
]
"""Values that can be read at any time: servers, requests that wait, jobs that run and wait and for how many seconds the oldest has
waited, shards of this process, starts of shards that Discord allows today, requests that this process may make in a second,
connections to the database."""


class Metrics:
    """Ignores everything; :class:`bot.observe.prometheus.PrometheusMetrics` counts."""

    def count_message(self) -> None:
        """Count a message that Discord sent."""

    def count_document(self, notation: str, *, readable: bool) -> None:
        """Count a document that was found, by the name of its notation in ``bot.domain.notations``."""

    def count_reply(self, kind: ReplyKind) -> None:
        """Count an answer that was sent."""

    def count_picture(self, result: Lookup) -> None:
        """Count a picture that was requested."""

    def count_fault(self, kind: str) -> None:
        """Count a fault by the name of its class."""

    def count_request(self, result: RequestResult) -> None:
        """Count a request to Discord."""

    def count_request_wait(self, seconds: float) -> None:
        """Count how long a request to Discord waited for its turn."""

    def count_refusal(self, reason: Refusal) -> None:
        """Count a job that was refused."""

    def job(self, kind: str) -> AbstractContextManager[object]:
        """Time the job that is done inside the context, by the name of its kind. Called on any thread."""
        return span(f"job {kind}")

    def stage(self, stage: Stage) -> AbstractContextManager[object]:
        """Time what is done inside the context."""
        return span(stage)

    def watch(self, level: Level, read: Callable[[], float]) -> None:
        """Use ``read`` to get the value of a level."""
