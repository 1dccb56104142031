"""Leave values in memory."""

import numpy as np
import pytest

from bot.engine.lexicon.leaves import NO_LEAVES, LeaveValuesError, leave_values_by_rank, leave_values_of
from bot.engine.lexicon.word_graph import LAST_SIBLING


def test_without_leave_values_every_leave_is_worth_0():
    assert NO_LEAVES.value([1, 2]) == NO_LEAVES.value([]) == 0


def test_leaves_whose_prefixes_are_not_leaves_are_found():
    leaves = leave_values_of({bytes([0]): 20.5, bytes([1, 1]): -3.25, bytes([1, 1, 2]): 1.0})
    assert [leaves.value(tiles) for tiles in ([0], [1], [1, 1], [2, 1, 1], [1, 2], [0, 0])] == [
        20500,
        0,
        -3250,
        1000,
        0,
        0,
    ]


def test_invalid_values_and_graphs_are_refused():
    nodes = np.array([LAST_SIBLING | 2, LAST_SIBLING, 0x01C00000], dtype=np.uint32)
    assert leave_values_by_rank(nodes, [1.2345]).value([1]) == 1234
    for points in ([], [1.0, 2.0]):
        with pytest.raises(LeaveValuesError, match="leaves and"):
            leave_values_by_rank(nodes, points)
    for bad in (float("nan"), float("inf"), 1001.0):
        with pytest.raises(LeaveValuesError, match="not between -1,000 and 1,000 points"):
            leave_values_by_rank(nodes, [bad])
    with pytest.raises(LeaveValuesError, match="not a word graph"):
        leave_values_by_rank(np.array([LAST_SIBLING | 7, LAST_SIBLING], dtype=np.uint32), [])
