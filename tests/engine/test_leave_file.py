"""Files and lists of leave values."""

from __future__ import annotations

import gzip
import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.rules import load_distribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.leaves import (
    LeaveValuesError,
    all_leaves,
    klv2_bytes,
    leave_values_of,
    read_klv,
    read_leave_list,
)
from bot.engine.lexicon.word_graph import ARC, LAST_SIBLING
from tests.domain.shared import SHARED, needs_corpus
from training.leaves import klv1_bytes

LEAVES = st.binary(min_size=1, max_size=6).map(lambda leave: bytes(sorted(tile % 6 for tile in leave)))
ENGLISH = load_distribution("english")


def points_of(leaves):
    return dict(zip(all_leaves(leaves), (leaves.values / 1000).tolist(), strict=True))


@given(points=st.dictionaries(LEAVES, st.integers(-1_000_000, 1_000_000).map(lambda value: value / 1000)))
@settings(deadline=None)  # the first call compiles
def test_klv2_keeps_every_value(points):
    leaves = read_klv(klv2_bytes(leave_values_of(points)))
    assert points_of(leaves) == points
    assert all(leaves.value(leave[::-1]) == round(points[leave] * 1000) for leave in points)


@given(points=st.dictionaries(LEAVES, st.integers(-0x7FFF, 0x7FFF).map(lambda value: value / 256)))
@settings(deadline=None)
def test_klv1_keeps_multiples_of_a_256th_of_a_point(points):
    data = klv1_bytes(leave_values_of(points))
    leaves = read_klv(data)
    assert points_of(leaves) == pytest.approx(points, abs=0.00051)
    assert klv1_bytes(leaves) == data


def test_klv1_cannot_hold_large_values():
    with pytest.raises(LeaveValuesError, match="between -128 and 128"):
        klv1_bytes(leave_values_of({b"\0": 128.5}))


@given(data=st.binary(max_size=80))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused(data):
    with suppress(LeaveValuesError):
        leaves = read_klv(data)
        assert len(list(all_leaves(leaves))) == len(leaves.values)


VALID_FILE = klv2_bytes(leave_values_of({b"\0": 25.5, b"\1": -1.0, b"\0\1": 30.0}))


def klv(nodes, values):
    return struct.pack(f"<I{len(nodes)}I", len(nodes), *nodes) + struct.pack(
        f"<I{len(values)}f", len(values), *values
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        VALID_FILE[:-1],
        VALID_FILE[:-4],
        VALID_FILE + b"\0\0\0\0",
        b"\xff\xff\xff\xff" + VALID_FILE[4:],
        klv([0x400002, 0x400000, 0x00C00002], [1.0]),  # a list that leads to itself
        klv([0x400003, 0x400000, 0x00C00000], [1.0]),  # an arc that points outside
        klv([0x400002, 0x400000, 0x00800000], [1.0]),  # a list without an end
        klv([0x400002, 0x400000, 0x00C00000], [float("nan")]),
        klv([0x400002, 0x400000, 0x00C00000], [1e9]),
        klv([0x400002, 0x400000, 0x00C00000], [1.0, 2.0]),
        # more than 2 ** 60 leaves in 121 nodes
        klv(
            [
                0x400002,
                0x400000,
                *(0x800000 + i // 2 * 2 + 4 | (i % 2) * 0x1400000 for i in range(118)),
                0xC00000,
            ],
            [],
        ),
    ],
)
def test_hostile_files_are_refused_with_an_explanation(data):
    with pytest.raises(LeaveValuesError, match=r"\w+ \w+"):
        read_klv(data)


def test_more_nodes_than_an_arc_can_reach_are_refused():
    nodes = np.full(ARC + 2, LAST_SIBLING, dtype="<u4").tobytes()
    with pytest.raises(LeaveValuesError, match="at most"):
        read_klv(struct.pack("<I", ARC + 2) + nodes + bytes(4))


def test_leaves_are_read_from_plain_text():
    leaves = read_leave_list("\ufeff# values\n?, 25.5\r\nS?\t30\n\nqu -2.5\n", ENGLISH)
    assert {text_of(leave): points for leave, points in points_of(leaves).items()} == {
        "?": 25.5,
        "?S": 30.0,
        "QU": -2.5,
    }


def text_of(leave):
    return "".join(map(ENGLISH.text, leave))


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("A,1\nB", "malformed-leave", 2),
        ("A,one", "malformed-leave", 1),
        ("A,nan", "malformed-leave", 1),
        ("B,1\nA,2000", "leave-value", 2),
        ("A,-1e9", "leave-value", 1),
        ("A,inf", "leave-value", 1),
        ("A,1,2", "malformed-leave", 1),
        ("# x\nA1,2", "unknown-tile", 2),
        ("A" * 51 + " 1", "leave-too-long", 1),
        ("", "no-leaves", 1),
    ],
)
def test_errors_in_plain_text_name_the_line(text, code, line):
    with pytest.raises(ParseError) as caught:
        read_leave_list(text, ENGLISH)
    assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.slow
@needs_corpus
def test_a_file_from_another_program_is_read_exactly():
    leaves = read_klv((SHARED / "lexica" / "enable1.klv2").read_bytes())
    with gzip.open(SHARED / "lexica" / "enable1_leaves.csv.gz", "rt", encoding="ascii") as rows:
        points = dict(row.rstrip("\n").split(",") for row in rows)
    names = bytes.maketrans(bytes(range(27)), b"?ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    expected = [points[leave.translate(names).decode("ascii")] for leave in all_leaves(leaves)]
    assert len(expected) == len(points) == 914_624
    assert np.array_equal(leaves.values, np.rint(np.array(expected, dtype=np.float64) * 1000))
    assert np.array_equal(read_klv(klv2_bytes(leaves)).values, leaves.values)
