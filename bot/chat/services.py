"""The services of a running bot by name, and the lists by which features join in when a message is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from bot.chat.control import Service, ServiceT
from bot.observe.metrics import Metrics

if TYPE_CHECKING:
    import discord

    from bot.chat.card import Card, Style
    from bot.chat.source import Source

AfterAnswer: TypeAlias = "Callable[[Any, discord.Message, Any], Awaitable[None]]"
"""Gets the bot, a message that has been answered, and the findings in it."""


class Mentioned(Protocol):
    """Answers messages that mention the bot and ask for more than the picture of a position."""

    def reads_as_play(self, message: discord.Message) -> bool:
        """Return whether the text of a message is a play for the board that it replies to."""

    async def answer(
        self,
        bot: Any,  # noqa: ANN401 - the client imports this module
        message: discord.Message,
        source: Source,
        style: Style,
    ) -> Card | None:
        """Return the answer about the positions of a source; None to show them."""


class Services:
    """The services that the features have opened. ``stop_jobs`` and ``stop_reading`` are called when the bot closes."""

    def __init__(
        self,
        metrics: Metrics | None = None,
        *,
        stop_jobs: Callable[[], None] = lambda: None,
        stop_reading: Callable[[], None] = lambda: None,
    ) -> None:
        self.metrics = metrics or Metrics()
        self.stop_jobs = stop_jobs
        self.stop_reading = stop_reading
        self.stops: list[Callable[[int], bool]] = []
        """Functions that stop the running work of a user, and return whether there was any."""
        self.mentioned: list[Mentioned] = []
        self.after_answer: list[AfterAnswer] = []
        self._by_name: dict[str, object] = {}

    def add(self, service: Service[ServiceT], value: ServiceT) -> ServiceT:
        """Add a service under its name, and return it."""
        self._by_name[service.name] = value
        return value

    def of(self, service: Service[ServiceT]) -> ServiceT | None:
        """Return a service; None where no feature has opened it."""
        return cast("ServiceT | None", self._by_name.get(service.name))

    def __getitem__(self, service: Service[ServiceT]) -> ServiceT:
        """Return a service that is always open."""
        return cast("ServiceT", self._by_name[service.name])

    def stop_job_of(self, user: int) -> bool:
        """Stop all running work of a user; return False if there was none."""
        stopped = [stop(user) for stop in self.stops]
        return any(stopped)
