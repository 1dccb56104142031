"""What is counted and timed while the bot works, for whoever wants to know; by default nobody does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

Stage = Literal["read", "compose", "draw", "keep", "send"]
"""A part of the way from a message to its answer: finding and reading documents, putting the answer together,
drawing a picture, keeping documents, handing the answer to Discord until it is taken."""

ReplyKind = Literal["message", "edit", "command", "control"]
"""What is answered: a message, an edit of one, a command or menu, the press of a control."""

Lookup = Literal["hit", "shared", "miss"]
"""Where a picture comes from: it was kept, somebody else is having it drawn, it has to be drawn."""

Level = Literal["guilds", "waiting_for_turn", "waiting_for_worker"]
"""What can be looked at at any time: servers, and requests that wait."""


class Metrics:
    """Takes what happens and forgets it; ``bot.observe.prometheus`` has the one that counts."""

    def message_seen(self) -> None:
        """Count a message that Discord told us of."""

    def detected(self, notation: str, *, readable: bool) -> None:
        """Count a document that was found, by the name of its notation in ``bot.domain.notations``."""

    def replied(self, kind: ReplyKind) -> None:
        """Count an answer that was sent."""

    def looked_up(self, result: Lookup) -> None:
        """Count a picture that was asked for."""

    def failed(self, kind: str) -> None:
        """Count a fault by the name of its class."""

    def stage(self, stage: Stage) -> AbstractContextManager[object]:
        """Time what is done inside the context."""
        del stage
        return nullcontext()

    def watch(self, level: Level, read: Callable[[], float]) -> None:
        """Have ``read`` called whenever somebody wants to know a level."""
