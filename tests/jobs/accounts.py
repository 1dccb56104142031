"""Work charged to an account, in tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.jobs.account import Account, charge_to, current_account


@contextmanager
def on_account_of(account: Account) -> Iterator[None]:
    """Charge everything inside, and in tasks started inside, to an account."""
    before = current_account()
    charge_to(account)
    try:
        yield
    finally:
        charge_to(before)
