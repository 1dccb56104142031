"""Randomly damaged texts: every reader reads them or rejects them with a ``DomainError``.

To test another reader, add it to ``TARGETS``.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.notations.gcg.lines import MAX_LENGTH
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError, ReadWarning
from tests.domain.crossword.notations.live_links import merge
from tests.domain.shared import SHARED, read_table

TEXTS_IN_LONG_RUN = 1_000_000

CHARACTERS = "A/a10 9;?[]|~-+.#:>_()&=%\\\n\r\t'\"{},é\u0301·²٣\u0000\u2028\ufeff\U0001f600"

CGP = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRS?/ 9/0 0 lex NWL23; lm 8H CAT;"
GCG = (
    "#character-encoding UTF-8\n#player1 alice Alice A.\n#player2 bob Bob B.\n#lexicon CSW21\n#tile QU qu\n"
    ">alice: ABDELRW 8D WARBLED +84 84\n#note one\ntwo\n>bob: EEI D8 .EE +6 6\n>bob: EEI -- -6 0\n"
    '#comment date="2020-01-02"; author="x"; text="\\"y\\""\n>alice: AB_ -B_ +0 84\n>bob: Q -1 +0 0\n'
    ">alice: A - +0 84\n>bob:  (challenge) +5 5\n>bob: (ENOR) +8 13\n>alice: A (A) -1 83\n>bob:  (time) -10 3\n"
    "#rack1 AEINRS?\n#incomplete AB\n"
)
URL = (
    "https://jtobey.github.io/sw/#gid=g7&pid=1&v=1&p1n=Ann&p2n=Bo&board=T.d.d.T-.D.t.D.-d.t.t.d-.t...t.-d.t.t.d-.D.t.D."
    "-T.d.d.T&bingo=50&bag=en.A--9.Q-.Z-4&racksize=7&seed=board7&dt=wordlist&ds=en.x&tn=1&wl=3.0&wh=ZIZRESY&wl=3.1"
    "&p2n=Cy&wv=IDH&ex=0.1"
)


def _codec_attempt(read: Callable[[str], Any], write: Callable[[Any], str]) -> Callable[[str], None]:
    def attempt(text: str) -> None:
        reading = read(text)
        for warning in reading.warnings:
            check_location(warning, text)
        value = reading.value
        if isinstance(value, Game):
            for _ in value.positions():
                pass
        write(value)

    return attempt


def check_location(problem: DomainError | ReadWarning, text: str) -> None:
    assert problem.message
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert 1 <= problem.line <= lines
    assert problem.column >= 1


def attempt_turn_url(text: str) -> None:
    """Find, read, write, merge and replay a link.

    Raises:
        DomainError: the link is invalid, or a turn cannot be played.

    """
    assert all(start < end for start, end, _ in turn_url.find(text))
    link = turn_url.read(text).value
    assert turn_url.read(turn_url.write(link)).value == link
    merge(link)
    reading = turn_url.replay(link)
    list(reading.value.game.positions())
    assert turn_url.history_of(reading.value.game).game_id == link.game_id
    if reading.error is not None:
        raise reading.error


def _decode_gcg_bytes(text: str) -> None:
    for codec in ("latin-1", "utf-8"):
        decode(text.encode(codec, "replace"))


@dataclass(frozen=True)
class Target:
    """A function under test, the texts that are mutated for it, and its share of all texts in the long run."""

    name: str
    attempt: Callable[[str], None]
    originals: Callable[[], list[str]]
    share: float


def _cgp_originals() -> list[str]:
    return [CGP, *(row["cgp"] for row in read_table("corpus/cgp.tsv") if "cgp" in row)]


def _gcg_originals() -> list[str]:
    files = sorted((SHARED / "corpus/gcg").glob("*.gcg"))
    return [GCG, *(decode(path.read_bytes())[0] for path in files)]


def _texts_written_by(write: Callable[[Any], str], *, games: bool = False) -> Callable[[], list[str]]:
    def originals() -> list[str]:
        game = gcg.read(GCG).value
        values = [*game.positions(), cgp.read(CGP).value, *([game] if games else [])]
        return [write(value) for value in values]

    return originals


TARGETS = (
    Target("cgp", _codec_attempt(cgp.read, cgp.write), _cgp_originals, 0.30),
    Target("gcg", _codec_attempt(gcg.read, gcg.write), _gcg_originals, 0.20),
    Target("gcg bytes", _decode_gcg_bytes, _gcg_originals, 0.05),
    Target("turn url", attempt_turn_url, lambda: [URL, f"{URL}&wl=0.0&bt=1&wv=FTIZC"], 0.15),
    Target(
        "cgp ascii",
        _codec_attempt(cgp_ascii.read, cgp_ascii.write),
        _texts_written_by(cgp_ascii.write),
        0.10,
    ),
    Target(
        "board text",
        _codec_attempt(board_text.read, board_text.write),
        _texts_written_by(board_text.write),
        0.10,
    ),
    Target(
        "json",
        _codec_attempt(json_document.read, json_document.write),
        _texts_written_by(json_document.write, games=True),
        0.10,
    ),
)


def mutate(text: str, others: list[str], randomness: random.Random) -> str:
    """Return the text with a few characters changed, dropped, inserted or copied, or with parts of another text."""
    for _ in range(randomness.choice((1, 1, 2, 3, 6))):
        index = randomness.randrange(len(text) + 1)
        length = randomness.choice((1, 1, 2, 5, 20, 100))
        kind = randomness.randrange(8)
        if kind == 0:
            text = text[:index] + randomness.choice(CHARACTERS) + text[index + 1 :]
        elif kind == 1:
            text = text[:index] + text[index + length :]
        elif kind == 2:
            text = text[:index] + randomness.choice(CHARACTERS) * length + text[index:]
        elif kind == 3:
            source_index = randomness.randrange(len(text) + 1)
            text = text[:index] + text[source_index : source_index + length] + text[index:]
        elif kind == 4:
            other = randomness.choice(others)
            start = randomness.randrange(len(other) + 1)
            text = text[:index] + other[start : start + length] + text[index:]
        elif kind == 5:
            text = (
                text[:index]
                + chr(randomness.choice((randomness.randrange(0x20, 0x250), randomness.randrange(0xD7FF))))
                + text[index:]
            )
        elif kind == 6:
            text = text[:index] + text[index : index + length].swapcase() + text[index + length :]
        else:
            text = (
                text[:index]
                + str(randomness.randrange(10 ** randomness.choice((1, 2, 9))))
                + text[index + 1 :]
            )
    return text[:MAX_LENGTH]


def try_mutations(target: Target, count: int, seed: int) -> None:
    randomness = random.Random(seed)
    originals = target.originals()
    for number in range(count):
        text = mutate(randomness.choice(originals), originals, randomness)
        try:
            target.attempt(text)
        except DomainError as error:
            check_location(error, text)
        except Exception as error:
            error.add_note(f"text {number} of seed {seed}: {text!r}")
            raise


def for_each_target(targets):
    return pytest.mark.parametrize("target", targets, ids=[target.name for target in targets])


@for_each_target(TARGETS)
@pytest.mark.parametrize("in_long_run", [False, pytest.param(True, marks=pytest.mark.long)])
def test_mutated_texts_are_read_or_rejected(target, in_long_run):
    try_mutations(target, int(TEXTS_IN_LONG_RUN * target.share) if in_long_run else 400, seed=20_000)


@for_each_target(TARGETS)
def test_some_undamaged_texts_are_read(target):
    read_count = 0
    for text in target.originals()[:50]:
        try:
            target.attempt(text)
            read_count += 1
        except DomainError:
            continue
    assert read_count
