"""Which shards a process runs, as its host says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.config.sections import ConfigError

MAX_SHARDS: Final = 16_000
_SHARDS: Final = re.compile(
    r"(?:auto(?:/(?P<all>[0-9]{1,5}))?|(?P<first>[0-9]{1,5})(?:-(?P<last>[0-9]{1,5}))?/(?P<of>[0-9]{1,5}))?"
)


@dataclass(frozen=True, slots=True)
class Sharding:
    """Which shards a process runs; left out, all of them."""

    count: int | None = None
    """How many there are; None: as many as Discord advises."""
    ids: tuple[int, ...] = ()
    """Those of this process; empty: all, or those it has locks of."""
    divided: bool = False
    """Whether the processes that share the database divide them among themselves."""

    @property
    def shared(self) -> bool:
        """Whether other processes may run others."""
        return self.divided or bool(self.ids)


def read_sharding(shards: str, replica: int | None = None, replicas: int | None = None) -> Sharding:
    """Read what a host says of the shards of a process: ``auto``, ``auto/64``, ``3/64``, ``0-15/64`` or nothing.

    ``replica`` of ``replicas`` takes every so manieth of ``auto/64``, counted from 0.

    Raises:
        ConfigError: it makes no sense.

    """
    written = _SHARDS.fullmatch(shards)
    if written is None:
        raise ConfigError(f"KIBITZ_SHARDS is auto, auto/64, 3/64 or 0-15/64, not {shards[:40]!r}")
    first, last, everything, of = (
        None if part is None else int(part) for part in written.group("first", "last", "all", "of")
    )
    count = everything if of is None else of
    if count is not None and not 1 <= count <= MAX_SHARDS:
        raise ConfigError(f"KIBITZ_SHARDS names {count} shards; there are from 1 to {MAX_SHARDS}")
    if (replica is None) is not (replicas is None):
        raise ConfigError("KIBITZ_REPLICA and KIBITZ_REPLICAS belong together")
    if first is not None:
        assert count is not None  # by the pattern
        if replica is not None:
            raise ConfigError("KIBITZ_SHARDS names the shards of this process: leave out KIBITZ_REPLICA")
        last = first if last is None else last
        if not first <= last < count:
            raise ConfigError(f"KIBITZ_SHARDS: of {count} shards there are those from 0 to {count - 1}")
        return Sharding(count, tuple(range(first, last + 1)))
    if replica is None or replicas is None:
        return Sharding(count, divided=bool(shards))
    if count is None:
        raise ConfigError(
            f"KIBITZ_REPLICAS needs the number of shards, the same for every process: KIBITZ_SHARDS=auto/{replicas}"
        )
    if replica >= min(replicas, count):
        raise ConfigError(
            "KIBITZ_REPLICA counts from 0, and has to be lower than KIBITZ_REPLICAS and the number of shards"
        )
    return Sharding(count, tuple(range(replica, count, replicas)))
