"""The tables of release 0.2.0, which itself upgrades earlier databases to this version."""

from __future__ import annotations

revision = "0017"
down_revision = None


def upgrade() -> None:
    """Do nothing: a new database gets the tables of :mod:`bot.storage.tables` directly."""
