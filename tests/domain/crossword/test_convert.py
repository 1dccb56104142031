"""Conversions of crossword positions and games, compared with the table in ``docs/conversions.md``."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from bot.domain.crossword.convert import CROSSWORD, LOSS_PHRASES
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.position import Player, Position, empty_board
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    default_rules,
    layout_of_rows,
    layout_of_size,
)
from bot.domain.notations import Document, convert
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import ConversionError, DomainError, Reading
from tests.domain.crossword.strategies import any_games
from tests.domain.shared import SHARED, needs_corpus
from tests.positions import EMPTY_BOARD, one_row_board

MANUAL = Path(__file__).parents[3] / "docs" / "conversions.md"
BOARD_WITH_WORD = one_row_board(8, "3WORd8")

GAME = """\
#character-encoding UTF-8
#player1 alice Alice B.
#player2 bob Bob C.
#lexicon CSW24
>alice: AEINRST 8D RETAINS +66 66
>bob: DEIORTU 9H DO +5 5
>alice: ABC?XYZ - +0 66
"""
GAME_WITH_NOTES = GAME.replace("#lexicon", "#title a game\n#lexicon") + "#note well played\n"
URL = "gid=g&v=1&p1n=alice&p2n=bob&bag=en&seed=2&tn=1&wl=7.6&wh=DYE"


def empty_position_with_layout(rows: tuple[str, ...]) -> Position:
    layout = layout_of_rows(rows)
    rules = default_rules(cgp.read(EMPTY_BOARD).value.rules.distribution, layout)
    return Position(rules, empty_board(layout.rows, layout.columns), (Player(), Player(3)))


def with_players(position: Position) -> Position:
    named_players = (Player(14, name="alice"), Player(0, (1, 2), name="bob"))
    return replace(position, players=named_players, on_turn=1)


def custom_tiles_position() -> Position:
    letters = (Letter("?", "?", 2, 0), Letter("Ω", "ω", 20, 3), Letter("Qu", "qu", 5, 9))
    rules = default_rules(LetterDistribution("ours", letters), layout_of_size(15, 15))
    return Position(
        rules, empty_board(15, 15).with_tiles([(112, 1), (113, -2)]), (Player(), Player(1, (2, 0)))
    )


SOURCES: dict[str, Position | Game] = {
    "position": cgp.read(
        f"{BOARD_WITH_WORD} AEIN?ST/ 14/-3 1 lex CSW24; cr 5pt; tmr 9000/-20; lm 8D WORd; foo bar;"
    ).value,
    "position with multi-letter tiles and blanks": cgp.read(
        "[CH][ll]13" + "/15" * 14 + " [RR]LL?/[LL] 10/0 0 lex FISE2;"
    ).value,
    "position on a Super Scrabble board (21×21)": cgp.read(
        "/".join(["21"] * 20) + "/20A AB/ 0/0 0 lex NWL23;"
    ).value,
    "position with names": with_players(cgp.read(BOARD_WITH_WORD).value),
    "position with one clock": replace(
        cgp.read(EMPTY_BOARD).value, players=(Player(clock_ms=5000), Player())
    ),
    "position after an unsuccessful challenge": cgp.read(f"{BOARD_WITH_WORD} / 0/0 0 lm 8D WORd +5;").value,
    "position after a withdrawn phony": cgp.read(f"{EMPTY_BOARD} / 0/0 1 lm challenge 8D WORD;").value,
    "position with a non-standard bonus-square layout": empty_position_with_layout(("=.-",) * 3),
    "position on a non-square board": empty_position_with_layout(("...",) * 2),
    "position with custom tiles": custom_tiles_position(),
    "position that lists earlier plays": cgp_ascii.read(
        cgp_ascii.write(cgp.read(EMPTY_BOARD).value) + " lm pass|lm 8D !;"
    ).value,
    "game": gcg.read(GAME).value,
    "game with notes": gcg.read(GAME_WITH_NOTES).value,
    "game without turns": gcg.read("#player1 alice Alice B.\n#player2 bob Bob C.\n").value,
    "game from a Turn URL": turn_url.replay(turn_url.read(URL).value).value.game,
}


def manual_table(first_heading: str) -> list[list[str]]:
    lines = MANUAL.read_text(encoding="utf-8").split("\n")
    start = next(index for index, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [rows[0], *rows[2:]]


HEADINGS, *ROWS = manual_table("from")
CELLS = [(row[0], to, cell) for row in ROWS for to, cell in zip(HEADINGS[1:], row[1:], strict=True)]


def table_cell(document: Document, to: str) -> str:
    """Return the losses of a conversion as the manual's table lists them."""
    try:
        conversion = convert(document, to)
    except ConversionError as error:
        return f"refused: {error.code}"
    return ", ".join(dict.fromkeys(loss.code for loss in conversion.losses)) or "lossless"


@pytest.mark.parametrize(("source", "to", "cell"), CELLS)
def test_the_losses_of_every_conversion_match_the_manual(source, to, cell):
    assert table_cell(SOURCES[source], to) == cell


def test_the_manual_lists_all_notations_sources_and_losses():
    assert set(HEADINGS[1:]) == {notation.name for notation in CROSSWORD.notations}
    assert [row[0] for row in ROWS] == list(SOURCES)
    assert {row[0]: row[1] for row in manual_table("loss")[1:]} == LOSS_PHRASES


READERS = {
    "cgp": cgp.read,
    "cgp-ascii": cgp_ascii.read,
    "text": board_text.read,
    "json": json_document.read,
    "gcg": gcg.read,
    "turn-url": lambda text: Reading(turn_url.replay(turn_url.read(text).value).value.game),
}


@pytest.mark.parametrize(("source", "to"), [(source, to) for source, to, cell in CELLS if cell == "lossless"])
def test_a_lossless_conversion_round_trips(source, to):
    document = SOURCES[source]
    reread = READERS[to](convert(document, to).text).value
    if isinstance(document, Position):
        assert reread.mover_first() == document.mover_first()
    elif isinstance(reread, Position):
        assert reread.players == document.position_at(len(document.turns)).players
    else:
        assert [turn.play for turn in reread.turns] == [turn.play for turn in document.turns]
        assert reread.names == document.names


def test_an_impossible_conversion_is_rejected_with_the_reason():
    with pytest.raises(ConversionError, match="GCG needs the turns of a game; this is a single position"):
        convert(SOURCES["position"], "gcg")
    with pytest.raises(ConversionError, match="its draws don't come from a seed"):
        convert(SOURCES["game"], "turn-url")
    with pytest.raises(ConversionError, match="PGN is a chess notation"):
        convert(SOURCES["game"], "pgn")


class TestTurns:
    def test_a_game_converted_to_a_position_has_the_scores_after_the_turn(self):
        conversion = convert(SOURCES["game"], "cgp", turn=1)
        position = cgp.read(conversion.text).value
        assert position.board.tile_count == 7
        assert [player.score for player in position.players] == [0, 66]
        assert conversion.losses[0].message == "the turns before the position (1)"

    @pytest.mark.parametrize("to", ["gcg", "json"])
    def test_the_game_up_to_a_turn_has_the_next_rack(self, to):
        game = READERS[to](convert(SOURCES["game"], to, turn=1).text).value
        assert len(game.turns) == 1
        assert game.position_at(1) == SOURCES["game"].position_at(1)

    def test_a_turn_url_has_only_the_turns_up_to_the_chosen_turn(self):
        url = convert(SOURCES["game from a Turn URL"], "turn-url", turn=0).text
        assert turn_url.read(url).value.turns == ()

    @pytest.mark.parametrize("turn", [-1, 4])
    def test_a_turn_outside_the_game_is_rejected(self, turn):
        with pytest.raises(ConversionError, match=f"there is no turn {turn}; the last turn is 3"):
            convert(SOURCES["game"], "cgp", turn=turn)

    def test_choosing_a_turn_of_a_position_is_rejected(self):
        with pytest.raises(ConversionError):
            convert(SOURCES["position"], "cgp", turn=0)


class TestSecrets:
    """The seed of a game determines every rack, but a hidden rack must stay hidden in every position notation."""

    @pytest.mark.parametrize("to", ["cgp", "cgp-ascii", "text"])
    def test_no_rack_of_a_game_in_progress_is_revealed(self, to):
        text = convert(SOURCES["game from a Turn URL"], to).text
        position = READERS[to](text).value
        assert all(not player.rack for player in position.players)
        assert "seed" not in text


@needs_corpus
class TestCorpus:
    def test_corpus_games_keep_their_letters_plays_racks_and_scores(self):
        paths = sorted((SHARED / "corpus" / "gcg").glob("*.gcg"))[::5]
        conversion_count = 0
        for path in paths:
            try:
                game = gcg.read(decode(path.read_bytes())[0]).value
            except DomainError:
                continue
            for turn in range(0, len(game.turns) + 1, 5):
                for to in ("cgp", "text", "gcg"):
                    conversion = convert(game, to, turn=turn)
                    assert not {loss.code for loss in conversion.losses} & {
                        "letters",
                        "plays",
                        "racks",
                        "scores",
                    }, path
                    conversion_count += 1
        assert conversion_count > 100

    def test_turn_urls_in_the_corpus_are_converted(self):
        lines = (SHARED / "corpus" / "turnurl_games.jsonl").read_text(encoding="utf-8").splitlines()
        for line in lines:
            url = next(
                value for value in json.loads(line).values() if isinstance(value, str) and "gid=" in value
            )
            game = turn_url.replay(turn_url.read(url).value).value.game
            assert convert(game, "json").losses == ()
            assert convert(game, "turn-url").losses == ()
            assert convert(game, "gcg").text


class TestProperties:
    @given(any_games())
    def test_any_game_is_converted_or_rejected(self, game):
        for to in ("gcg", "turn-url"):
            with contextlib.suppress(ConversionError):
                assert convert(game, to).text
        assert convert(game, "json").losses == ()
