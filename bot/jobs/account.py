"""On whose account work is done, and what may be spent on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Account:
    """Who has something done, and where, by the ids of the shell."""

    user: int
    channel: int
    server: int | None = None
    """None outside a server; such people share no account but their own."""


class OverBudgetError(Exception):
    """An account has too little left for the work it asks for; that passes with time, in ``seconds`` if not before."""

    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds = seconds
        super().__init__(f"too little is left, for {seconds:.0f} seconds")


class Budget(Protocol):
    """What may be spent on accounts."""

    def charge(self, account: Account, size: float) -> float:
        """Charge for work before it is done; return the seconds that were paid in advance.

        ``size`` is what is known of the work: the bytes to be read, or the seconds that are asked for.

        Raises:
            OverBudgetError: too little is left; nothing is charged.

        """

    def spend(self, account: Account, seconds: float) -> None:
        """Charge for seconds of a processor that were spent; negative ones are given back. Called on any thread."""


class NoBudget:
    """Lets everybody have everything: where nobody else is there to be starved."""

    def charge(self, account: Account, size: float) -> float:
        """Charge for nothing."""
        del account, size
        return 0.0

    def spend(self, account: Account, seconds: float) -> None:
        """Charge for nothing."""


_account: ContextVar[Account | None] = ContextVar("account", default=None)


def current_account() -> Account | None:
    """Return the account of what is being done; None for what Kibitz does on its own."""
    return _account.get()


def charge_to(account: Account) -> None:
    """Have the rest of the current task, and tasks it starts, be on an account."""
    _account.set(account)


@contextmanager
def on_account_of(account: Account) -> Iterator[None]:
    """Have everything inside, and in tasks started inside, be on an account."""
    token = _account.set(account)
    try:
        yield
    finally:
        _account.reset(token)
