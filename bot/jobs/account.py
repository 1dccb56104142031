"""The users who request work, and the CPU time that each may use."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Requester:
    """The user who requested work, with the server and channel. The user and the channel are charged."""

    user_id: int
    """0 if the user is unknown."""
    server_id: int | None = None
    """None in direct messages, where each user has a separate queue."""
    channel_id: int = 0
    public: bool = True
    """Whether everyone in the channel can see the request. Only a public request can add turns to a live game."""
    name: str = ""
    """The display name in the server, or empty if unknown."""


class OverBudgetError(Exception):
    """A requester has too little CPU time or too few bytes left. There will be enough within ``wait_seconds``."""

    def __init__(self, wait_seconds: float = 60.0) -> None:
        self.wait_seconds = wait_seconds
        super().__init__(f"too little of the budget is left; try again in {wait_seconds:.0f} seconds")


class Budget:
    """Limits the CPU time of each requester. This base class sets no limits."""

    def charge(self, account: Requester, size: float) -> float:
        """Charge for work in advance, and return the CPU seconds charged. The unit of ``size`` depends on the budget.

        Raises:
            OverBudgetError: the account has too little left. Nothing is charged.

        """
        return 0.0

    def spend(self, account: Requester, seconds: float) -> None:
        """Charge for CPU time. A negative number of seconds is a refund. Any thread may call this method."""


ACCOUNT: Final[ContextVar[Requester | None]] = ContextVar("account", default=None)
"""The *account*: the requester who is charged for the CPU time of the current task and of the tasks that it starts."""
