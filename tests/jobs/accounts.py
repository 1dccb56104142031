"""Work charged to an account, in tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.jobs.account import ACCOUNT, Requester


@contextmanager
def on_account_of(account: Requester) -> Iterator[None]:
    """Charge everything inside, and in tasks started inside, to an account."""
    before = ACCOUNT.get()
    ACCOUNT.set(account)
    try:
        yield
    finally:
        ACCOUNT.set(before)
