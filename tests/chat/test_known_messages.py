"""A bounded set of message ids. It may report an id that was never added, but never rules out an added id."""

import pytest
from hypothesis import given, strategies as st

from bot.chat import known_messages
from bot.chat.known_messages import KnownMessages

IDS = st.integers(0, (1 << 63) - 1)


@given(st.lists(IDS | st.integers(1 << 60, (1 << 60) + 50)), st.lists(IDS), IDS)
def test_only_added_ids_are_known_above_the_bound(added_ids, other_ids, bound):
    known = KnownMessages()
    known.add_all(added_ids, complete_from_id=bound)
    assert all(known.may_contain(item) for item in added_ids)
    assert all(known.may_contain(item) == (item in set(added_ids) or item < bound) for item in other_ids)
    assert len(known) == len(set(added_ids))


@given(st.lists(IDS, min_size=1, max_size=60))
def test_evicted_messages_are_reported_as_possibly_known(added_ids):
    known = KnownMessages(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_messages, "MAX_IDS", 10)
        known.add_all(added_ids)
    assert len(known) <= 10
    assert all(known.may_contain(item) for item in added_ids)


def test_only_ids_above_the_bound_are_ruled_out():
    known = KnownMessages()
    assert known.may_contain((1 << 63) - 1)
    known.add_all([], complete_from_id=5)
    assert (known.may_contain(4), known.may_contain(5)) == (True, False)
    known.mark_incomplete(8)
    assert (known.may_contain(7), known.may_contain(8)) == (True, False)
