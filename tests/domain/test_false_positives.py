"""Ordinary chat is ignored: none of over 100,000 lines is read as a position or a game.

The lines are prose (:mod:`tests.domain.public_domain`), and traps and lines of Python (:mod:`tests.domain.chatter`). Each is
searched alone and in pages of several lines. Traps are searched only for crossword notations, because some are valid chess. A
detection that cannot be read is not a false alarm, because Kibitz then stays silent.
"""

import random
from collections.abc import Callable, Iterable

import pytest

from bot.domain.chess.board_link import SITES
from bot.domain.crossword.convert import CROSSWORD
from bot.domain.notations import NOTATIONS, detect, detect_leniently
from bot.domain.reading import notation
from bot.domain.reading.notation import Detection
from bot.domain.reading.problems import DomainError
from tests.domain.chatter import GRAMMARS, generated_messages, installed_lines
from tests.domain.public_domain import PACKAGES, lines_of
from tests.positions import one_row_board

TRAP_COUNT = 40_000
"""Number of lines of traps."""
PYTHON_LINE_COUNT = 40_000
"""Number of lines from Python's modules and reference."""
MIN_LINES = 100_000
"""Minimum number of lines of prose and traps."""


def find_false_alarms(
    messages: Iterable[str], find: Callable[[str], tuple[Detection, ...]] = detect
) -> list[Detection]:
    return [detection for message in messages for detection in find(message) if is_valid(detection)]


def detect_crossword(text: str) -> tuple[Detection, ...]:
    return notation.detect(text, CROSSWORD.finders)


def is_valid(detection: Detection) -> bool:
    try:
        NOTATIONS[detection.format].read(detection.text)
    except DomainError:
        return False
    return True


def pages_of(lines: Iterable[str], size: int = 8) -> list[str]:
    all_lines = list(lines)
    return ["\n".join(all_lines[start : start + size]) for start in range(0, len(all_lines), size)]


@pytest.mark.parametrize("find", [detect, detect_leniently])
def test_the_prefilter_rejects_no_message_with_a_notation(find):
    """The prefilter is a pattern, and Kibitz searches only texts that match it."""
    wrongly_rejected = [
        text
        for text in generated_messages(TRAP_COUNT // 10, seed=3)
        if notation.detect(text, find.keywords["finders"]) and not find.keywords["prefilter"].search(text)
    ]
    assert wrongly_rejected == []


@pytest.mark.parametrize("keyword", [keyword for keyword, _, _ in detect.keywords["finders"] if keyword])
def test_the_prefilter_accepts_the_keyword_of_each_notation(keyword):
    """The keyword of links to boards is a dot. The prefilter rejects a dot alone, but accepts the slash after the site's name."""
    shortest_texts = SITES if keyword == "." else (keyword,)
    assert all(keyword in text and detect.keywords["prefilter"].search(text) for text in shortest_texts)


def test_no_false_alarm_in_generated_messages():
    assert find_false_alarms(generated_messages(TRAP_COUNT, seed=1), detect_crossword) == []


@pytest.mark.parametrize("count", [TRAP_COUNT // 3, pytest.param(TRAP_COUNT, marks=pytest.mark.long)])
def test_no_false_alarm_in_generated_pages(count):
    assert find_false_alarms(pages_of(generated_messages(count, seed=2)), detect_crossword) == []


def prose(package: str) -> list[str]:
    lines = lines_of(package)
    if lines is None:
        pytest.skip(f"the Debian package {package} is not installed (.ci/packages.sh)")
    return lines


@pytest.mark.parametrize("package", PACKAGES)
def test_no_false_alarm_in_prose(package):
    lines = prose(package)
    assert find_false_alarms(lines) == []
    assert find_false_alarms(pages_of(lines, size=30)) == []


def test_prose_and_traps_have_enough_lines():
    assert sum(len(prose(package)) for package in PACKAGES) + TRAP_COUNT >= MIN_LINES


def test_no_false_alarm_in_lines_of_python():
    lines = list(installed_lines(PYTHON_LINE_COUNT))
    assert len(lines) == PYTHON_LINE_COUNT
    assert find_false_alarms(lines) == []


def test_no_false_alarm_in_pages_of_python():
    assert find_false_alarms(pages_of(installed_lines(PYTHON_LINE_COUNT), size=40)) == []


@pytest.mark.parametrize("after", [" b 12 0", " b", " w - 1"])
def test_a_large_board_is_never_read_as_chess(after):
    board = one_row_board(8, "4WORD7")
    assert [detection.format for detection in detect(board + after)] == ["cgp"]


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.__name__)
def test_chatter_does_not_hide_a_position(grammar):
    rng = random.Random(3)
    position = one_row_board(8, "4WORD7") + " AB/ 12/0 0 lex CSW24;"
    for _ in range(50):
        message = f"{grammar(rng)}\n\n{position}\n\n{grammar(rng)}"
        found = [detection for detection in detect(message) if is_valid(detection)]
        assert position in [detection.text for detection in found], message


@pytest.mark.parametrize(
    "message",
    [
        "library/kitchen/bedroom/hallway/terrace/gardens/balcony",
        "1/1/1/1/1/1/1/1/1/1/1/1/1/1/1",
        "7/7/7, 8/8/8 and 9/9/9",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "9/4K3G/8G/1G7/9/5L3/9/G1L6/bPb5S b - 1",
        "look: 6P1n/9/6BKr/2G5k/5n3/9/7L1/L4L3/S8 w RB2p\nmate in 5",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "4k2r/6r1/8/8/8/8/3R4/R3K3 w Qk - 0 1",
        "Mon/Tue/Wed/Thu/Fri/Sat/Sun",
        "AAAAAAA/BBBBBBB/CCCCCCC/DDDDDDD/EEEEEEE/FFFFFFF/GGGGGGG",
        "12/11/10/9/8/7/6/5/4/3/2/1",
        "||a||b||c||d||e||f||g||",
        "~~a~~ ~~b~~ | ~~c~~ | ~~d~~ | x | y | z | ~~/|",
        "https://host.example/#tab=2&gid=7",
        "see https://docs.example/spreadsheets/d/1a2b/edit#gid=0 and tn=1",
        ">alice: how are you +3 5",
        "#player1 is a good name",
        "#1 #2 #note to self",
    ],
)
def test_no_false_alarm_in_known_traps(message):
    assert find_false_alarms([message], detect_crossword) == []
