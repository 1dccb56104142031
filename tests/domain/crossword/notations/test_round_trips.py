"""Writing and reading a document in any notation preserves it, except for reported losses.

The tests use the texts in the shared corpus, damaged texts, and random documents. Losses are reported by the reader, as a
warning or an error, or by :mod:`bot.domain.crossword.convert`.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings

from bot.domain.crossword.convert import Document, game_losses, position_losses
from bot.domain.crossword.game import Game, turns_left
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.play import Turn
from bot.domain.crossword.position import Position
from bot.domain.notations import detect
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import ConversionError, DomainError, Reading
from tests.domain.crossword.games import games
from tests.domain.crossword.notations.test_mutations import mutate
from tests.domain.crossword.notations.turn_url_strategies import deltas, histories_without_turns
from tests.domain.crossword.strategies import positions
from tests.domain.shared import SHARED, needs_corpus, read_table


@dataclass(frozen=True)
class Codec:
    name: str
    read: Callable[[str], Reading]
    write: Callable[[Any], str]


CODECS = {
    codec.name: codec
    for codec in (
        Codec("cgp", cgp.read, cgp.write),
        Codec("cgp-ascii", cgp_ascii.read, cgp_ascii.write),
        Codec("text", board_text.read, board_text.write),
        Codec("gcg", gcg.read, gcg.write),
        Codec("turn-url", turn_url.read, turn_url.write),
        Codec("json", json_document.read, json_document.write),
    )
}
POSITION_CODECS = ("cgp", "cgp-ascii", "text", "json")


def losses(before: Any, after: Any) -> tuple[str, ...]:
    if isinstance(before, Position):
        return tuple(loss.code for loss in position_losses(before.mover_first(), after.mover_first()))
    return tuple(loss.code for loss in game_losses(before, after)) if isinstance(before, Game) else ()


def without_inferred_racks(game: Game, source: Game) -> Game:
    """Return a game without the racks that are unknown in its source."""

    def hide_rack(turn: Turn, source_turn: Turn) -> Turn:
        is_hidden = not source_turn.rack and not source_turn.rack_unknown_count
        return replace(turn, rack=(), rack_unknown_count=0) if is_hidden else turn

    turns = (
        hide_rack(turn, source_turn) for turn, source_turn in zip(game.turns, source.turns, strict=False)
    )
    return replace(game, turns=(*turns, *game.turns[len(source.turns) :]))


def are_equal(before: Any, after: Any) -> bool:
    if isinstance(before, Position):
        before_first, after_first = before.mover_first(), after.mover_first()
        # The reader deduces the number of turns left if the text does not state it.
        deduced_turns_left = turns_left(after_first)
        if deduced_turns_left is not None and deduced_turns_left.count == before_first.turns_left:
            after_first = replace(after_first, turns_left=before_first.turns_left)
        return before_first == after_first
    return before == (without_inferred_racks(after, before) if isinstance(before, Game) else after)


def check_text(codec: Codec, text: str) -> str:
    """Check that the document in a text can be written and read again.

    Return the written text, or "" if the text cannot be read or the document cannot be written.
    """
    try:
        reading = codec.read(text)
        written = codec.write(reading.value)
    except DomainError:
        return ""
    check_document(codec, reading.value, written)
    return written


def check_document(codec: Codec, document: Any, written: str) -> None:
    try:
        reread = codec.read(written)
    except DomainError as error:
        error.add_note(written)
        raise
    reported_losses = losses(document, reread.value)
    assert are_equal(document, reread.value) or reported_losses, written
    assert codec.write(reread.value) == written or reported_losses


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def gcg_words(text: str) -> set[str]:
    """Return the words of a GCG, ignoring events, racks, default settings, and empty pragmas and fields."""
    lines = re.split(r"[\r\n]+", text)
    pragmas = "character-encoding|game-type|board-layout|tile-distribution|incomplete|rack[1-9]"
    ignored_line = rf"\s*(?:>[^:]*:|#[ \t]*(?:{pragmas}|(?:title|id|description|lexicon)\s*$))"
    # The writer may escape a quote, or move it: in a comment, text between a closing quote and the semicolon belongs to the
    # value. A line break in a value is written as a backslash and an n.
    kept_lines = (
        re.sub(r'(?i:\b(?:date|author))\s*=\s*""|\\*"', "", line.replace("\\n", " "))
        for line in lines
        if not re.match(ignored_line, line, re.IGNORECASE)
    )
    return words("\n".join(kept_lines))


def cgp_words(text: str) -> set[str]:
    """Return the words of a CGP, ignoring the default tile set and numbers (which can be written in several ways)."""
    return {
        word
        for word in words(re.sub(r"\bld english;", "", text, flags=re.IGNORECASE))
        if not word.isdecimal()
    }


@needs_corpus
class TestCorpus:
    @pytest.mark.parametrize(
        "path", sorted((SHARED / "corpus/gcg").glob("*.gcg")), ids=lambda path: path.stem
    )
    def test_game_files_round_trip(self, path):
        text = decode(path.read_bytes())[0]
        written = check_text(CODECS["gcg"], text)
        if not written:
            return
        reading = gcg.read(text)
        # Both players have the same nick. The writer changes one nick, so that other programs can read the file.
        expected_losses = ("nicks",) if path.stem == "quackle__consonant_heaviness_tendency" else ()
        assert losses(reading.value, gcg.read(written).value) == expected_losses
        if not reading.error and not reading.warnings:
            assert gcg_words(text) <= gcg_words(written)
        for position in (reading.value.position_at(0), reading.value.position_at(len(reading.value.turns))):
            for name in POSITION_CODECS:
                check_document(CODECS[name], position, CODECS[name].write(position))
        check_document(CODECS["json"], reading.value, json_document.write(reading.value))

    @pytest.mark.parametrize(
        "path", sorted((SHARED / "corpus/gcg").glob("*.gcg")), ids=lambda path: path.stem
    )
    def test_game_files_are_found_whole(self, path):
        text = decode(path.read_bytes())[0]
        detections = detect(text)
        assert [detection.format for detection in detections] == (["gcg"] if text.strip() else [])
        for detection in detections:
            assert gcg.read(detection.text).value == gcg.read(text).value

    def test_positions_round_trip(self):
        clean_count = 0
        for row in read_table("corpus/cgp.tsv"):
            written = check_text(CODECS["cgp"], row["cgp"])
            if not written:
                continue
            reading = cgp.read(row["cgp"])
            if not reading.warnings:
                assert cgp_words(row["cgp"]) <= cgp_words(written)
                clean_count += 1
            for name in POSITION_CODECS[1:]:
                check_document(CODECS[name], reading.value, CODECS[name].write(reading.value))
        assert clean_count > 250

    def test_links_round_trip(self):
        lines = (SHARED / "corpus/turnurl_games.jsonl").read_text(encoding="utf-8").splitlines()
        steps = [step for line in lines for step in json.loads(line)["steps"]]
        cases = json.loads((SHARED / "corpus/turnurl_cases.json").read_text(encoding="utf-8"))
        urls = [step[key] for step in steps for key in ("turnUrl", "historyUrl") if step.get(key)]
        for url in {*urls, *(case["url"] for case in cases)}:
            written = check_text(CODECS["turn-url"], url)
            if written and not turn_url.read(url).warnings:
                # A link may omit the version, because there is only one.
                assert words(url) - {"v", "1"} <= words(written)
        assert len(urls) > 100


class TestDocuments:
    @given(positions())
    def test_positions_round_trip(self, position):
        for name in POSITION_CODECS:
            self._check(CODECS[name], position)

    @given(games())
    @settings(max_examples=40)
    def test_played_games_round_trip(self, game):
        for name in ("gcg", "json"):
            self._check(CODECS[name], game)
        for position in (game.position_at(len(game.turns) // 2), game.position_at(len(game.turns))):
            for name in POSITION_CODECS:
                self._check(CODECS[name], position)

    @given(histories_without_turns())
    def test_histories_round_trip(self, history):
        self._check(CODECS["turn-url"], history)

    @given(deltas())
    def test_deltas_round_trip(self, delta):
        self._check(CODECS["turn-url"], delta)

    @staticmethod
    def _check(codec: Codec, document: Document) -> None:
        try:
            written = codec.write(document)
        except ConversionError:
            return
        check_document(codec, document, written)


GAME_TEXT = (
    "#character-encoding UTF-8\n#player1 alice Alice A.\n#player2 bob Bob B.\n#title T\n#id a b\n#style x\n#note hm\n"
    ">alice: ABDELRW 8D WARBLED +84 84\n#note one\ntwo\n#knowledgesad three\n>bob: EEI D8 .EE +6 6\n>bob: EEI -- -6 0\n"
    '#comment date="2020-01-02"; author="x"; text="\\"y\\""\n>alice: AB_ -B_ +0 84\n>bob: - +0 0\n#rack1 AEINRS?\n'
)
CGP_LINE = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRS?/ 9/0 0 lex Weird Name; bb 40; gid x; foo Bar 7; lm 8H CAT;"
BOARD = board_text.write(cgp.read(CGP_LINE).value)
LINK = "https://example.org/sw/#gid=g7&v=1&p1n=Ann&p2n=Bo&bag=en.A--9.Q-.Z-4&seed=s&zz=1&tn=1&wl=7.7&wh=ZIZ&p2n=Al&ex=0.1"
ORIGINALS = {
    "cgp": (CGP_LINE, cgp.write(gcg.read(GAME_TEXT).value.position_at(1))),
    "cgp-ascii": (cgp_ascii.write(cgp.read(CGP_LINE).value) + "|lm pass",),
    "text": (BOARD, board_text.write(gcg.read(GAME_TEXT).value.position_at(2))),
    "gcg": (GAME_TEXT, gcg.write(gcg.read(GAME_TEXT).value)),
    "turn-url": (LINK, LINK.replace("tn=1", "tn=3")),
    "json": (json_document.write(gcg.read(GAME_TEXT).value), json_document.write(cgp.read(CGP_LINE).value)),
}


@pytest.mark.parametrize("name", ORIGINALS)
@pytest.mark.parametrize(
    ("count", "min_read_count"), [(250, 16), pytest.param(20_000, 1_001, marks=pytest.mark.long)]
)
def test_damaged_texts_round_trip_or_give_a_warning(name, count, min_read_count):
    rng = random.Random(12)
    originals = list(ORIGINALS[name])
    read_count = 0
    for _ in range(count):
        text = mutate(rng.choice(originals), originals, rng)
        written = check_text(CODECS[name], text)
        if written:
            read_count += 1
            _check_words(name, text, written)
    assert read_count >= min_read_count


def _check_words(name: str, text: str, written: str) -> None:
    reading = CODECS[name].read(text)
    if not reading.warnings and not reading.error and name in WORD_EXTRACTORS:
        assert WORD_EXTRACTORS[name](text) <= WORD_EXTRACTORS[name](written), text


WORD_EXTRACTORS = {"cgp": cgp_words, "gcg": gcg_words}
