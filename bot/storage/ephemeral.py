"""Noticing that an SQLite file is on a disk that the host throws away at each deploy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bot.storage.address import SqliteFile, read_address

_HOSTS = {"DYNO": "Heroku", "RAILWAY_": "Railway", "RENDER": "Render", "FLY_": "Fly.io"}
"""How the names of the variables begin that these hosts set, by documentation of theirs."""


def lost_at_deploy(url: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the host that will lose the database at ``url`` with the next deploy; None when it is kept, or nobody knows.

    A file below something that is mounted is kept: these hosts mount what they keep. Raises :exc:`AddressError`.
    """
    address = read_address(url)
    if not isinstance(address, SqliteFile):
        return None
    folders = address.path.absolute().parents
    if any(folder.is_mount() for folder in folders if folder not in {Path("/"), Path("/tmp")}):  # noqa: S108 - a place that is not kept
        return None
    found = (host for sign, host in _HOSTS.items() if any(name.startswith(sign) for name in environment))
    return next(found, None)
