"""A cache that forgets what was not used for longest, bounded by the bytes it holds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Values by key, at most ``most`` bytes of them by the count of ``cost``. Safe to share between threads."""

    __slots__ = ("_cost", "_held", "_lock", "_most", "_values")

    def __init__(self, most: int, cost: Callable[[V], int]) -> None:
        self._most = most
        self._cost = cost
        self._held = 0
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def held(self) -> int:
        """Bytes held now."""
        return self._held

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key, making it when it is not there.

        Two threads may make the same value at once; one of the two equal values is kept.
        """
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
                return value
        value = make()
        self._keep(key, value)
        return value

    def _keep(self, key: Hashable, value: V) -> None:
        cost = self._cost(value)
        if cost > self._most // 2:
            return  # One giant would push everything else out.
        with self._lock:
            if key in self._values:
                return
            self._values[key] = value
            self._held += cost
            while self._held > self._most:
                _, gone = self._values.popitem(last=False)
                self._held -= self._cost(gone)
