"""The strictest readers accept every GCG that Kibitz writes, except in the cases listed in ``docs/conversions.md``."""

from collections import Counter
from enum import Enum
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings

from bot.domain.crossword.game import Game, tiles_used
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import ORDINARY_KINDS, Exchange, Placement, TurnKind
from bot.domain.crossword.position import unseen_tiles
from bot.domain.crossword.rules import EndScoring, distribution_names
from bot.domain.reading.encoding import decode
from tests.domain.crossword.games import games
from tests.domain.crossword.notations import strict_macondo, strict_magpie
from tests.domain.crossword.notations.strict_gcg import BINGO_BONUS, RACK_SIZE, RefusalError
from tests.domain.shared import SHARED, needs_corpus, read_table

CONVERSIONS = Path(__file__).parents[4] / "docs/conversions.md"

OUTDATED_FILES = {
    # In this version, the malformed line continues a note, which is allowed. MAGPIE has since changed the file.
    "MAGPIE__hist_no_matching_token__2.gcg",
}


def refusal_reason(check, text: str, **options: str) -> str:
    try:
        check(text, **options)
    except RefusalError as refused:
        return refused.reason
    return ""


@needs_corpus
@pytest.mark.parametrize(
    "row",
    [
        row
        for row in read_table("corpus/gcg_index.tsv")
        if "MAGPIE" in row["expected_by_tests"] and row["file"] not in OUTDATED_FILES
    ],
    ids=lambda row: row["file"],
)
def test_the_reimplementation_matches_magpies_own_tests(row):
    """MAGPIE's own tests state the expected outcome of each file."""
    data = (SHARED / "corpus/gcg" / row["file"]).read_bytes()
    text = data.decode("utf-8" if b"UTF-8" in data[:60] else "latin-1")
    outcome = row["expected_by_tests"].split(":")[1]
    expected = outcome.removeprefix("ERROR_STATUS_GCG_PARSE_").lower().replace("success", "")
    lexicon = "" if expected == "lexicon_not_specified" else "CSW21"
    assert refusal_reason(strict_magpie.check, text, lexicon=lexicon) == expected


class RefusalCause(Enum):
    """A reason why a program rejects a game, as named in ``docs/conversions.md``."""

    PLAYERS = "one player, or more than two"
    COMMENTS = "structured comments"
    PRAGMAS = "unknown pragmas"
    UNKNOWN_TILES = "hidden tiles"
    BELOW_ZERO = "totals below zero"
    BOARDS = "non-standard boards"
    CUSTOM_TILES = "custom tiles"
    LONG_TILES = "multi-letter tiles"
    OTHER_BONUS = "a bingo bonus other than 50, or a bonus for a number of tiles other than seven"
    UNKNOWN_EXCHANGES = "exchanges of hidden tiles"
    EARLY_NOTES = "notes before the first turn"
    EACH_WAY = "end-of-game points under international rules"
    SHOWN_RACKS = "racks of both players, or a rack shown between two turns"
    LATE_PASS = "a pass after the last play"
    UNKNOWN_RACK = "an unknown rack after a challenge"
    KNOWN_TILES_USED_UP = "near the end of the game, a play that uses all known tiles of a partly known rack"


KNOWN_SETS = {name for name in distribution_names() if not name.startswith("turn-url")}


def all_racks(game: Game):
    yield from ((turn.rack, turn.rack_unknown_count) for turn in game.turns)
    yield from ((rack.tiles, rack.unknown_count) for rack in game.shown_racks)


def tiles_by_play(game: Game):
    yield from (tiles_used(turn.play) for turn in game.turns if isinstance(turn.play, Placement))


def magpie_rejects_unknown_rack(game: Game, text: str) -> bool:
    """Return whether MAGPIE rejects the rack ``UNKNOWN``, which it reads as seven tiles."""
    numbers = game.rules.distribution.machine_letters
    letters = Counter(numbers.get(letter) for letter in "UNKNOWN")
    lines = [line for line in text.split("\n") if line.startswith(">")]
    for line, position in zip(lines, islice(game.positions(), 1, None), strict=True):
        if " UNKNOWN (challenge) " in line:
            unseen = unseen_tiles(game.rules.distribution, position.board.squares, ()).counts
            if None in letters or any(unseen[letter] < count for letter, count in letters.items()):
                return True
    return False


def magpie_ends_game_early(game: Game) -> bool:
    """Return whether MAGPIE, which ignores unknown tiles, ends the game too early.

    This happens if a play uses every known tile of a rack and leaves at most seven tiles off the board.
    """
    numbers = [number for number, turn in enumerate(game.turns) if turn.kind in ORDINARY_KINDS]
    for number, position in enumerate(islice(game.positions(), 1, None)):
        play, rack = game.turns[number].play, game.turns[number].rack
        if number == numbers[-1]:
            break
        if isinstance(play, Placement) and game.turns[number + 1].kind is not TurnKind.PHONY_WITHDRAWN:
            off_board_count = game.rules.distribution.total - position.board.tile_count
            if off_board_count <= 7 and len(rack) <= len(tiles_used(play)) and not position.is_over:
                return True
    return False


def has_late_pass(game: Game) -> bool:
    pairs = zip(game.positions(), game.turns, strict=False)
    return any(position.is_over and turn.kind is TurnKind.PASS for position, turn in pairs)


def common_causes(game: Game) -> set[RefusalCause]:
    exchanges = [turn.play for turn in game.turns if isinstance(turn.play, Exchange)]
    applies_by_cause = {
        RefusalCause.PLAYERS: len(game.names) != 2 and (game.turns or len(game.names) > 2),
        # After a turn with a note, the programs read a comment as part of the note.
        RefusalCause.COMMENTS: game.comments or any(turn.comments and not turn.note for turn in game.turns),
        RefusalCause.PRAGMAS: any(keyword != "tile-set" for keyword, _ in game.extra),
        RefusalCause.CUSTOM_TILES: game.rules.distribution.name not in KNOWN_SETS,
        RefusalCause.UNKNOWN_TILES: any(play.tiles and play.unknown_count for play in exchanges)
        or any(unknown_count for _, unknown_count in all_racks(game)),
    }
    return {cause for cause, applies in applies_by_cause.items() if applies}


def causes_in_macondo(game: Game, text: str) -> set[RefusalCause]:
    end_kinds = {TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY, TurnKind.TIME_PENALTY}
    applies_by_cause = {
        RefusalCause.BELOW_ZERO: any(
            turn.cumulative < 0 and turn.kind not in end_kinds for turn in game.turns
        ),
        RefusalCause.BOARDS: game.rules.layout.name not in strict_macondo.LAYOUTS and game.turns,
    }
    return common_causes(game) | {cause for cause, applies in applies_by_cause.items() if applies}


def causes_in_magpie(game: Game, text: str) -> set[RefusalCause]:
    exchanges = [turn.play for turn in game.turns if isinstance(turn.play, Exchange)]
    shown_moments = [rack.moment for rack in game.shown_racks]
    has_end_points = any(turn.kind is TurnKind.END_RACK_POINTS and turn.score for turn in game.turns)
    applies_by_cause = {
        RefusalCause.LONG_TILES: "#tile " in text,
        RefusalCause.BOARDS: game.rules.layout.name not in strict_magpie.LAYOUTS,
        RefusalCause.OTHER_BONUS: any(
            (len(used_tiles) == RACK_SIZE) * BINGO_BONUS
            != (len(used_tiles) == game.rules.rack_size) * game.rules.bingo_bonus
            for used_tiles in tiles_by_play(game)
        ),
        RefusalCause.UNKNOWN_EXCHANGES: any(play.unknown_count for play in exchanges),
        RefusalCause.EARLY_NOTES: game.note,
        RefusalCause.EACH_WAY: has_end_points and game.rules.end_scoring is EndScoring.EACH_WAY,
        RefusalCause.SHOWN_RACKS: len(shown_moments) > 1
        or any(moment < len(game.turns) for moment in shown_moments),
        RefusalCause.LATE_PASS: has_late_pass(game),
        RefusalCause.UNKNOWN_RACK: magpie_rejects_unknown_rack(game, text),
        RefusalCause.KNOWN_TILES_USED_UP: magpie_ends_game_early(game),
    }
    return common_causes(game) | {cause for cause, applies in applies_by_cause.items() if applies}


def check_outcomes(game: Game) -> None:
    """Assert that each program rejects the written game if a listed cause applies, and accepts it otherwise."""
    text = gcg.write(game)
    assert bool(refusal_reason(strict_macondo.check, text)) == bool(causes_in_macondo(game, text))
    assert bool(refusal_reason(strict_magpie.check, text)) == bool(causes_in_magpie(game, text))


@given(games())
@settings(max_examples=80)
def test_any_game_is_accepted_or_rejected_for_a_listed_cause(game):
    check_outcomes(game)


@given(games(simple=True))
@settings(max_examples=80)
def test_a_simple_game_is_accepted_unless_a_rack_is_unknown(game):
    text = gcg.write(game)
    assert refusal_reason(strict_macondo.check, text) == ""
    assert bool(refusal_reason(strict_magpie.check, text)) == magpie_rejects_unknown_rack(game, text)


TWO_PLAYERS = "#character-encoding UTF-8\n#player1 alice Alice A.\n#player2 bob Bob B.\n"
OUTCOMES = {
    "a rack of eight": (">alice: ABDEELRW 8D WARBLED +84 84\n", "", ""),
    "a time penalty before the end": (">alice: ABDELRW 8D WARBLED +84 84\n>bob:  (time) -10 -10\n", "", ""),
    "a board without a play": ("#board-layout SuperCrosswordGame\n", "config_load_error", ""),
    "an unknown board without a play": ("#board-layout Klingon\n", "config_load_error", ""),
    "a play after the points for the tiles left": (
        ">alice: ABDELRW 8D WARBLED +84 84\n>alice: (G) +4 88\n>bob: AE D8 .AE +6 6\n",
        "end_game_event_before_game_end",
        "game_over",
    ),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_the_reimplementations_match_observed_results(case):
    """These texts are not in the programs' own tests."""
    text, magpie, macondo = OUTCOMES[case]
    assert refusal_reason(strict_magpie.check, TWO_PLAYERS + text) == magpie
    assert refusal_reason(strict_macondo.check, TWO_PLAYERS + text) == macondo


@needs_corpus
@pytest.mark.parametrize(
    "row",
    [
        row
        for row in read_table("corpus/gcg_index.tsv")
        if row["replay"] == "OK" and "ERROR" not in row["expected_by_tests"]
    ],
    ids=lambda row: row["file"],
)
def test_a_real_game_is_accepted_or_rejected_for_a_listed_cause(row):
    check_outcomes(gcg.read(decode((SHARED / "corpus/gcg" / row["file"]).read_bytes())[0]).value)


@pytest.mark.parametrize("cause", RefusalCause, ids=lambda cause: cause.name)
def test_the_documentation_lists_each_cause(cause):
    assert f"| {cause.value} |" in CONVERSIONS.read_text(encoding="utf-8")
