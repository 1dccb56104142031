"""A cache bounded by the bytes it holds, quick to ask and safe to share between threads."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Values by key, at most ``most`` bytes of them by the count of ``cost``.

    Values live in two generations of half the bytes each. A requested value moves to the young one; when that
    is full it becomes the old one, and values without a request meanwhile are dropped. Unlike an exact order of
    use, this makes a hit one look into a dictionary, without a lock.
    """

    __slots__ = ("_cost", "_lock", "_old", "_share", "_young", "_young_bytes")

    def __init__(self, most: int, cost: Callable[[V], int]) -> None:
        self._share = most // 2
        self._cost = cost
        self._young: dict[Hashable, V] = {}
        self._old: dict[Hashable, V] = {}
        self._young_bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    @property
    def held(self) -> int:
        """Bytes held now."""
        with self._lock:
            return sum(map(self._cost, (self._old | self._young).values()))

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key, making it when it is not there.

        Two threads may make the same value at once; one of the two equal values is kept.
        """
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is None:
                value = make()
            self._keep(key, value)
        return value

    def _keep(self, key: Hashable, value: V) -> None:
        cost = self._cost(value)
        if cost > self._share:
            return  # One giant would push everything else out.
        with self._lock:
            if key in self._young:
                return
            if self._young_bytes + cost > self._share:
                self._old, self._young, self._young_bytes = self._young, {}, 0
            self._young[key] = value
            self._young_bytes += cost
