"""Which messages we may have answered or marked, known without asking the store."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

MAX_KNOWN: Final = 1_000_000
"""Ids kept in memory, eight bytes each; of messages older than those the store is asked."""

_ALL: Final = 1 << 63
"""More than any id of Discord's."""

_BUCKET_BITS: Final = 45
"""Ids of the same 2 hours and 20 minutes are kept together: the upper bits of an id are its time."""


class KnownMessages:
    """A set of message ids that is complete from a certain id on.

    Of what is older nothing is known for certain: ``may_hold`` says yes. Ids rise with time, so this bound is a time,
    too. ``complete_from`` is the bound to start with; without it nothing is known for certain yet.
    """

    def __init__(self, complete_from: int = _ALL) -> None:
        self._buckets: dict[int, array[int]] = {}
        self._complete_from = complete_from
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def complete_from(self) -> int:
        """The id from which on the set is complete."""
        return self._complete_from

    def may_hold(self, message_id: int) -> bool:
        """Tell whether a message may be among them; False is certain."""
        return message_id < self._complete_from or self.holds(message_id)

    def holds(self, message_id: int) -> bool:
        """Tell whether a message is certainly among them."""
        bucket = self._buckets.get(message_id >> _BUCKET_BITS)
        if bucket is None:
            return False
        place = bisect_left(bucket, message_id)
        return place < len(bucket) and bucket[place] == message_id

    def add(self, message_id: int) -> None:
        """Add a message, and let go of the oldest when there are too many."""
        bucket = self._buckets.setdefault(message_id >> _BUCKET_BITS, array("q"))
        place = bisect_left(bucket, message_id)
        if place < len(bucket) and bucket[place] == message_id:
            return
        bucket.insert(place, message_id)
        self._count += 1
        if self._count > MAX_KNOWN:
            self._let_go_of_the_oldest()

    def add_all(self, message_ids: Iterable[int], *, complete_from: int | None = None) -> None:
        """Add messages; from the id ``complete_from`` on there are no others."""
        if complete_from is not None:
            self._complete_from = min(self._complete_from, complete_from)
        for message_id in message_ids:
            self.add(message_id)

    def doubt(self, before: int) -> None:
        """Know nothing for certain of messages older than ``before`` any more."""
        self._complete_from = max(self._complete_from, before)

    @property
    def is_full(self) -> bool:
        """Whether older messages would be let go of as soon as they are added."""
        return self._count >= MAX_KNOWN

    def _let_go_of_the_oldest(self) -> None:
        oldest = min(self._buckets)
        self._count -= len(self._buckets.pop(oldest))
        self.doubt((oldest + 1) << _BUCKET_BITS)
