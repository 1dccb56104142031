"""Charges work in tests to an account."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.jobs.account import ACCOUNT, Requester


@contextmanager
def charged_to(account: Requester) -> Iterator[None]:
    """Charge all work in the ``with`` block, and in tasks started there, to an account."""
    previous_account = ACCOUNT.get()
    ACCOUNT.set(account)
    try:
        yield
    finally:
        ACCOUNT.set(previous_account)
