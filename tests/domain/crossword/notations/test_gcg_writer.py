"""GCGs written by Kibitz: their form, hidden racks, and texts that must not break out of their line."""

from dataclasses import replace

import pytest

from bot.domain.crossword.convert import game_losses
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import (
    Coordinate,
    Direction,
    Placement,
    PlayerName,
    Turn,
    TurnKind,
)
from bot.domain.crossword.position import empty_board
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    default_rules,
    distribution_names,
    load_distribution,
    load_layout,
)
from bot.domain.crossword.scoring import score_placement
from bot.domain.reading.problems import ConversionError
from tests.domain.crossword.games import tiles
from tests.domain.crossword.notations.gcg_texts import OPENING, PLAYERS, read_without_faults


def rewrite(text, number, event):
    """Read a game in which a turn shows no rack, write it, and check the turn's event.

    Return the original game and the game that is read back.
    """
    game = gcg.read(text).value
    assert game.turns[number].rack == ()
    written = gcg.write(game)
    assert f"\n>alice: {event}\n" in written
    reread = read_without_faults(written)
    assert gcg.write(reread) == written
    return game, reread


class TestWriter:
    def test_a_game_is_written_in_the_strict_form(self):
        game = read_without_faults(
            "#title T\n" + OPENING + ">alice: ABDELRW -- -84 0\n#note why\n#note not\n>bob: AB_ -A_ +0 0\n"
            ">alice:  - +0 0\n>bob: AB - +0 0\n>alice: ABDELRW 8D WARBLED +84 84\n"
            ">alice:  (challenge) +5 89\n>bob: AE D8 (W)AE +6 6\n>alice:  (time) -20 69\n#rack1 AAB\n"
        )
        assert gcg.write(game) == (
            "#character-encoding UTF-8\n#player1 alice Alice A.\n#player2 bob Bob B.\n#title T\n"
            ">alice: ABDELRW 8D WARBLED +84 84\n>alice: ABDELRW -- -84 0\n#note why\n#note not\n"
            ">bob: AB_ -A_ +0 0\n>alice: ABDELRW - +0 0\n>bob: AB - +0 0\n"
            ">alice: ABDELRW 8D WARBLED +84 84\n>alice: AAB (challenge) +5 89\n>bob: AE D8 .AE +6 6\n"
            ">alice:  (time) -20 69\n#rack1 AAB\n"
        )

    @pytest.mark.parametrize(
        ("event", "written"),
        [
            ("KLMO8RTV 8G VOLK +22 22", "VOLK___ 8G VOLK +22 22"),
            ("UNKNOWN 8G VOLK +22 22", "VOLK___ 8G VOLK +22 22"),
            ("8G VOLk +12 12", "VOL?___ 8G VOLk +12 12"),
            ("-QO +0 0", "QO_____ -QO +0 0"),
            ("-QO_ +0 0", "QO_____ -QO_ +0 0"),
            ("-3 +0 0", "_______ -3 +0 0"),
            ("- +0 0", "_______ - +0 0"),
            ("8D WARBLED +84 84", "WARBLED 8D WARBLED +84 84"),
        ],
    )
    def test_a_rack_that_was_never_shown_stays_unknown(self, event, written):
        game, reread = rewrite(f"{PLAYERS}>alice: {event}\n", 0, written)
        assert reread == game or written.startswith("WARBLED")
        assert reread.turns[0].rack_unknown_count == 0

    def test_a_rack_with_some_unknown_tiles_is_stored(self):
        for rack in ("VOLK_", "VOLKA__", "VOLK__"):
            game = read_without_faults(f"{PLAYERS}>alice: {rack} 8G VOLK +22 22\n")
            assert game.turns[0].rack_unknown_count == rack.count("_")
            assert f">alice: {rack} 8G" in gcg.write(game)

    def test_a_withdrawn_play_is_written_with_its_known_tiles(self):
        game = read_without_faults(f"{PLAYERS}>alice: UNKNOWN 8G VOLK +22 22\n>alice: UNKNOWN -- -22 0\n")
        text = gcg.write(game)
        assert text.endswith(">alice: VOLK___ 8G VOLK +22 22\n>alice: VOLK___ -- -22 0\n")
        assert read_without_faults(text) == game

    @pytest.mark.parametrize(
        ("later_lines", "rack"),
        [
            ("", "UNKNOWN"),
            (">bob: AE D8 (W)AE +6 6\n>alice: AEINRST - +0 89\n", "AEINRST"),
            (
                ">bob: AE D8 (W)AE +6 6\n>alice: -3 +0 89\n>bob: AB - +0 6\n>alice: AEINRST - +0 89\n",
                "UNKNOWN",
            ),
            (">bob: AE D8 (W)AE +6 6\n#rack1 AEINRST\n", "AEINRST"),
        ],
    )
    def test_a_challenge_bonus_is_written_with_the_rack_after_the_play(self, later_lines, rack):
        text = f"{OPENING}>alice: UNKNOWN (challenge) +5 89\n{later_lines}"
        _, reread = rewrite(text, 1, f"{rack} (challenge) +5 89")
        assert reread.turns[1].rack == (() if rack == "UNKNOWN" else tiles(rack))

    def test_a_rack_that_spells_unknown_round_trips(self):
        turns = read_without_faults(OPENING).turns
        bonus = Turn(0, TurnKind.CHALLENGE_BONUS, tiles("UNKNOWN"), score=5, cumulative=89)
        game = replace(read_without_faults(OPENING), turns=(*turns, bonus))
        assert read_without_faults(gcg.write(game)) == game

    def test_no_text_breaks_out_of_its_line(self):
        game = replace(
            read_without_faults(OPENING),
            title="x\n>alice: A - +0 0",
            names=(PlayerName("a b\n>c", "A\r#title y"), PlayerName("", "")),
            extra=(("no\nte", "a\n#rack1 A"),),
            game_id="1 2\n3",
            note="a\n>bob: x - +0 0",
        )
        reread = gcg.read(gcg.write(game)).value
        assert len(reread.turns) == 1
        assert reread.title == "x >alice: A - +0 0"
        assert [name.nick for name in reread.names] == ["a_b_>c", "player2"]
        assert reread.extra == (("no_te", "a #rack1 A"),)
        assert reread.note == game.note

    def test_identical_nicks_are_distinguished(self):
        game = replace(read_without_faults(OPENING), names=(PlayerName("x", "A"), PlayerName("X", "B")))
        assert [name.nick for name in gcg.read(gcg.write(game)).value.names] == ["x", "X_"]

    @pytest.mark.parametrize(
        ("name", "letters", "written"),
        [
            ("catalan", "NY A ny", "NYAny"),
            ("spanish", "L L", "LL"),
            ("spanish", "LL A ch", "[LL]A[ch]"),
        ],
    )
    def test_unambiguous_multi_letter_tiles_are_written_without_separators(self, name, letters, written):
        distribution = load_distribution(name)
        word = tuple(distribution.machine_letters[letter] for letter in letters.split())
        rack = tuple(max(tile, 0) for tile in word)
        rules = default_rules(distribution, load_layout("CrosswordGame"))
        play = Placement(Coordinate(7, 7, Direction.ACROSS), word)
        score = score_placement(empty_board(15, 15), play, rules).score
        game = Game(
            rules,
            (PlayerName("a", "A"), PlayerName("b", "B")),
            (Turn(0, TurnKind.PLAY, rack, 0, play, (), score, score),),
            incomplete=True,
        )
        assert f" 8H {written} +{score}" in gcg.write(game)
        reading = gcg.read(gcg.write(game))
        assert reading.warnings == ()
        assert reading.value == game

    def test_ambiguous_multi_letter_tiles_are_written_with_separators(self):
        distribution = LetterDistribution(
            "own", (Letter("?", "?", 2, 0), Letter("R", "r", 9, 1), Letter("RR", "rr", 1, 8))
        )
        play = Placement(Coordinate(7, 7, Direction.ACROSS), (1, 1, 2))
        rules = default_rules(distribution, load_layout("CrosswordGame"))
        game = Game(rules, (PlayerName("a", "A"),), (Turn(0, TurnKind.PLAY, (1, 1), 0, play, (), 20, 20),))
        assert ">a: |R|R| 8H |R|R|RR| +20 20\n" in gcg.write(game)

    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("I &lt;3 QI &amp; ZA", "I <3 QI & ZA"),
            ("caf&eacute; &#233;&#xE9;", "café éé"),
            ("&amp;lt;", "&lt;"),
            (
                "AT&T; &foo; &notit; &amp &; &#0; &#1114112; &#xD800;",
                "AT&T; &foo; &notit; &amp &; &#0; &#1114112; &#xD800;",
            ),
        ],
    )
    def test_entities_are_read_and_written_back(self, written, expected):
        game = read_without_faults(f"#description {written}\n{OPENING}#note {written}\n")
        assert (game.description, game.turns[0].note) == (expected, expected)
        assert gcg.read(gcg.write(game)).value == game

    def test_empty_lines_are_kept_only_in_notes_on_turns(self):
        game = replace(
            read_without_faults(OPENING),
            note="\n one \n\n two\n",
            description="\nthree\n\nfour",
            turns=(replace(read_without_faults(OPENING).turns[0], note="\nfive\n\nsix\n"),),
        )
        reread = gcg.read(gcg.write(game)).value
        assert (reread.note, reread.description) == ("one\ntwo", "three\nfour")
        assert reread.turns[0].note == "five\n\nsix"
        assert list(game_losses(game, reread)) == []

    @pytest.mark.parametrize("name", distribution_names())
    def test_the_declared_tiles_of_every_set_round_trip(self, name):
        rules = default_rules(load_distribution(name), load_layout("CrosswordGame"))
        game = Game(rules, (PlayerName("a", "A"), PlayerName("b", "B")))
        assert read_without_faults(gcg.write(game)).rules.distribution.name == name

    @pytest.mark.parametrize("text", ["", "A B", "|", ".", "(A)", "7"])
    def test_tiles_with_reserved_characters_are_rejected(self, text):
        distribution = LetterDistribution("own", (Letter("?", "?", 2, 0), Letter(text, "x", 3, 1)))
        game = Game(default_rules(distribution, load_layout("CrosswordGame")), (PlayerName("a", "A"),))
        with pytest.raises(ConversionError):
            gcg.write(game)
