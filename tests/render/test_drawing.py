from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import Mock

from hypothesis import given, strategies as st

from render.drawing import BoundedCache
from tests.render.samples import cached_bytes


def test_a_value_is_created_once():
    cache: BoundedCache[str] = BoundedCache(100, len)
    create = Mock(return_value="value")
    assert [cache.get("key", create) for _ in range(3)] == ["value"] * 3
    create.assert_called_once_with()
    assert cached_bytes(cache) == 5


def test_the_least_recently_requested_values_are_dropped_first():
    cache: BoundedCache[str] = BoundedCache(12, len)
    for key in "abcdef":
        cache.get("kept", lambda: "xxx")
        cache.get(key, lambda: "xxx")
    assert cache.get("kept", lambda: "new") == "xxx"
    assert cache.get("a", lambda: "new") == "new"


def test_a_huge_value_is_not_kept():
    cache: BoundedCache[str] = BoundedCache(10, len)
    cache.get("small", lambda: "xxx")
    cache.get("huge", lambda: "x" * 6)
    assert cached_bytes(cache) == 3


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 30))))
def test_the_cache_stays_within_its_limit(requests: list[tuple[int, int]]):
    cache: BoundedCache[bytes] = BoundedCache(64, len)
    sizes: dict[int, int] = {}
    for key, first_size in requests:
        size = sizes.setdefault(key, first_size)
        assert len(cache.get(key, partial(bytes, size))) == size
        assert cached_bytes(cache) <= 64


def test_threads_share_the_cache():
    cache: BoundedCache[bytes] = BoundedCache(5_000, len)

    def work(number: int) -> int:
        return len(cache.get(number % 37, lambda: bytes(100 + number % 37)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(2_000))) == [100 + number % 37 for number in range(2_000)]
    assert cached_bytes(cache) <= 5_000
