"""A set of message ids in memory, such as the ids of messages with a reply."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import Final

MAX_IDS: Final = 1_000_000
"""Maximum number of ids in memory, eight bytes each. If there are more, the oldest are dropped."""

_ABOVE_ALL_IDS: Final = 1 << 63

_BUCKET_BITS: Final = 45
"""Number of low bits of an id that do not affect its bucket. A bucket covers 2 hours and 20 minutes."""


class KnownMessages:
    """A set of message ids. It is complete only for ids from ``complete_from_id`` on."""

    def __init__(self, complete_from_id: int = _ABOVE_ALL_IDS) -> None:
        self._buckets: dict[int, array[int]] = {}
        self.complete_from_id = complete_from_id
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def may_contain(self, message_id: int) -> bool:
        """Return False only if the set is complete at this id and does not contain it."""
        return message_id < self.complete_from_id or self.contains(message_id)

    def contains(self, message_id: int) -> bool:
        bucket = self._buckets.get(message_id >> _BUCKET_BITS)
        if bucket is None:
            return False
        index = bisect_left(bucket, message_id)
        return index < len(bucket) and bucket[index] == message_id

    def add(self, message_id: int) -> None:
        if self.contains(message_id):
            return
        insort(self._buckets.setdefault(message_id >> _BUCKET_BITS, array("q")), message_id)
        self._count += 1
        if self._count > MAX_IDS:
            oldest_bucket = min(self._buckets)
            self._count -= len(self._buckets.pop(oldest_bucket))
            self.mark_incomplete((oldest_bucket + 1) << _BUCKET_BITS)

    def add_all(self, message_ids: Iterable[int], *, complete_from_id: int | None = None) -> None:
        """Add messages. If ``complete_from_id`` is given, the set is now complete from this id on."""
        if complete_from_id is not None:
            self.complete_from_id = min(self.complete_from_id, complete_from_id)
        for message_id in message_ids:
            self.add(message_id)

    def mark_incomplete(self, before_id: int) -> None:
        self.complete_from_id = max(self.complete_from_id, before_id)

    @property
    def is_full(self) -> bool:
        return self._count >= MAX_IDS
