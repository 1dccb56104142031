"""Crossword puzzles: choosing positions, reading and writing puzzle files, and proving puzzles again."""

from dataclasses import replace

import pytest

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Pass
from bot.domain.crossword.play_text import play_text
from bot.engine.analysis import AnalysisError
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.lexica import Lexica
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import SortKey
from bot.features.puzzles.crossword import document, proof
from bot.features.puzzles.crossword.document import PuzzleFamily, PuzzleTheme
from bot.features.puzzles.crossword.making import PuzzleMaker, find_problem, split_by_family
from bot.features.puzzles.crossword.words import is_vulgar, make_hook_puzzle, make_phony_puzzle
from bot.features.review.crossword.values import ReasonKind
from tests.positions import one_row_board

# Positions in CGP, each named after its answer.
MISFARE = "15/15/15/15/15/15/5DURNS5/5OGEE6/15/15/15/15/15/15/15 AEFIMRS/ 10/20 0 lex SCOWL80;"
BEGUILE = (
    "2G12/1PO12/1LA12/1oF12/1N1JORAM7/1K5A1Q5/DEWITT1R1AW4/ED3ROISTED3/L4E1N2N4/E4Z1E1UNBOX1/T6R2Y4/E6SH6/"
    "SALVING1M6/15/15 ?BEEILU/ 223/292 0 lex SCOWL80;"
)
AWE = (
    "3V3I3JANN/3RIZ1M2BA3/3I1ARbORETA2/2GLOP1U2LO3/7E2A4/PUTTERED2C4/I8FE4/L6QuODS3/F5AITU1L3/E3EW3D1O3/"
    "R2CHENETS1Y3/S2O7D3/3V1HIRINGS3/3E1MOE7/NIXY3NOGAKU2 AABEIW/ 462/452 0 lex SCOWL80;"
)
ALBUGH = (
    "15/1P13/ALBUGH9/1o13/1N1JORAM7/1K5A1Q5/DEWITT1R1AW4/ED3ROISTED3/L4E1N2N4/E4Z1E2N4/T6R2Y4/E6SH6/8M6/15/15 "
    "/ 232/139 0 lex SCOWL80;"
)


@pytest.fixture(scope="module")
def lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find("SCOWL80"))


def position_of(text):
    position = cgp.read(text).value
    assert position is not None
    return position


def position_with_word(word):
    return position_of(f"{one_row_board(8, f'4{word}{11 - len(word)}')} / 0/0 0 lex SCOWL80;")


def play_texts(puzzle):
    return [play_text(play, puzzle.position.rules.distribution) for play in puzzle.answers]


@pytest.mark.slow
def test_a_best_play_is_ahead_by_equity_and_by_simulation(lexicon):
    puzzle = proof.make_simulated_puzzle(position_of(MISFARE), lexicon, iterations=128, seed=3)
    assert puzzle is not None
    assert (puzzle.family, play_texts(puzzle)) == (PuzzleFamily.BEST_PLAY, ["6B MISFARE"])
    assert puzzle.iterations >= 128
    assert set(puzzle.themes) == {PuzzleTheme.BINGO, PuzzleTheme.PARALLEL}
    first, second, *_ = puzzle.ranking
    assert first.play == puzzle.answers[0]
    assert first.win - second.win >= 0.02
    assert puzzle.reasons[0].kind is ReasonKind.POINTS
    # With a larger required lead, the position is not a puzzle.
    assert (
        proof.make_simulated_puzzle(position_of(MISFARE), lexicon, iterations=128, min_lead=0.5, seed=3)
        is None
    )


def test_every_way_to_play_the_only_bingo_is_correct(lexicon):
    puzzle = proof.make_only_bingo_puzzle(position_of(BEGUILE), lexicon)
    assert puzzle is not None
    assert puzzle.family is PuzzleFamily.ONLY_BINGO
    assert {answer.start for answer in puzzle.answers} == {puzzle.answers[0].start}
    texts = play_texts(puzzle)
    assert "L1 BEgUILE." in texts
    # The answers are all the bingos.
    ranking = find_plays(puzzle.position, lexicon.graph, top=None, by=SortKey.SCORE)
    seven_tile_plays = [
        rated.play for rated in ranking if sum(tile != 0 for tile in getattr(rated.play, "tiles", ())) == 7
    ]
    bingos = [play for play in seven_tile_plays if hasattr(play, "start")]
    assert set(bingos) == set(puzzle.answers)
    assert proof.make_only_bingo_puzzle(position_of(AWE), lexicon) is None  # the rack has no bingo


def test_the_answer_to_an_endgame_puzzle_beats_every_other_play(lexicon):
    puzzle = proof.make_endgame_puzzle(position_of(AWE), lexicon)
    assert puzzle is not None
    assert play_texts(puzzle) == ["B9 AWE"]
    best, second, *_ = puzzle.ranking
    assert best.equity - second.equity >= proof.MIN_ENDGAME_LEAD
    assert [rated.equity for rated in puzzle.ranking] == sorted(
        (rated.equity for rated in puzzle.ranking), reverse=True
    )
    assert PuzzleTheme.ONLY_WIN not in puzzle.themes  # other plays also win
    with pytest.raises(AnalysisError):
        proof.make_endgame_puzzle(position_of(MISFARE), lexicon)


def test_an_endgame_that_is_not_solved_in_time_is_not_a_puzzle(lexicon, monkeypatch):
    def solve_incompletely(*arguments, cancelled, **options):
        result = solve_endgame(*arguments, **options)
        while not cancelled():
            pass
        return replace(result, ranking=(result.ranking[0], *result.ranking[4:]))

    monkeypatch.setattr(proof, "solve_endgame", solve_incompletely)
    assert proof.make_endgame_puzzle(position_of(AWE), lexicon, seconds=0.01) is None


def test_a_phony_puzzle_has_only_one_phony_on_the_board(lexicon):
    puzzle = make_phony_puzzle(position_of(ALBUGH), lexicon)
    assert puzzle is not None
    assert (puzzle.family, puzzle.words, puzzle.answers) == (PuzzleFamily.PHONY, ("ALBUGH",), ())
    assert make_phony_puzzle(position_of(ALBUGH.replace("ALBUGH9", "ALBUM10")), lexicon) is None
    assert make_phony_puzzle(position_of(ALBUGH.replace("SH6", "XH6")), lexicon) is None  # a second phony
    # A position with a rack asks for a play, so it is not a phony puzzle.
    assert make_phony_puzzle(position_of(ALBUGH.replace(" / ", " AEINRST/ ")), lexicon) is None


@pytest.mark.parametrize(
    ("word", "hooked_words"),
    [
        ("AIMING", ("MAIMING",)),
        ("LITTER", None),  # GLITTER, LITTERS and LITTERY
        ("CAT", None),
        ("ZZZ", None),
    ],
)
def test_only_a_word_with_one_hook_is_a_puzzle(word, hooked_words, lexicon):
    puzzle = make_hook_puzzle(position_with_word(word), lexicon)
    assert (puzzle and puzzle.words) == hooked_words


@pytest.mark.long
def test_a_seed_always_gives_the_same_puzzles_and_all_can_be_proved(lexicon):
    families = (PuzzleFamily.HOOK, PuzzleFamily.PHONY, PuzzleFamily.ONLY_BINGO)

    def make(seed):
        maker = PuzzleMaker(
            position_of(MISFARE).rules, lexicon, quotas=split_by_family(6, families), seed=seed
        )
        maker.make((), 2, lambda: None)
        return maker

    maker = make(7)
    assert maker.puzzles
    assert {puzzle.family for puzzle in maker.puzzles} <= set(families)
    assert max(maker.puzzle_counts.values()) <= 2
    assert document.write(maker.puzzles, {}) == document.write(make(7).puzzles, {})
    assert document.write(maker.puzzles, {}) != document.write(make(8).puzzles, {})
    assert [find_problem(puzzle, lexicon) for puzzle in maker.puzzles] == [""] * len(maker.puzzles)
    boards = [puzzle.position.board for puzzle in maker.puzzles]
    assert len(set(boards)) == len(boards)


def test_checking_a_puzzle_detects_a_wrong_answer(lexicon):
    endgame, phony = (
        proof.make_endgame_puzzle(position_of(AWE), lexicon),
        make_phony_puzzle(position_of(ALBUGH), lexicon),
    )
    assert (find_problem(endgame, lexicon), find_problem(phony, lexicon)) == ("", "")
    assert find_problem(replace(endgame, answers=(Pass(),)), lexicon) == "a different answer was found"
    assert find_problem(replace(phony, words=("JORAM",)), lexicon) == "a different answer was found"
    assert find_problem(replace(endgame, family=PuzzleFamily.PRE_ENDGAME), lexicon) != ""
    assert find_problem(replace(endgame, position=position_of(MISFARE)), lexicon) != ""


def test_a_written_file_is_read_unchanged(lexicon):
    puzzles = [
        proof.make_endgame_puzzle(position_of(AWE), lexicon),
        proof.make_only_bingo_puzzle(position_of(BEGUILE), lexicon),
        make_phony_puzzle(position_of(ALBUGH), lexicon),
    ]
    text = document.write(puzzles, {"seed": 1})
    assert document.read(text) == tuple(puzzles)
    assert text.count("\n") == 4
    assert len({puzzle.id for puzzle in puzzles}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "kibitz crossword puzzles", "version": 2}',
        '{"format": "kibitz crossword puzzles", "version": 1}\n{}',
        '{"format": "kibitz crossword puzzles", "version": 1}\n' + "[" * 5000,
        '{"format": "kibitz crossword puzzles", "version": 1}\n{"family": "hook", "position": "x"}',
    ],
)
def test_the_error_for_a_foreign_or_damaged_file_gives_the_line(text):
    with pytest.raises(document.PuzzleFileError, match=r"line [12] "):
        document.read(text)


def test_vulgar_words_include_plurals_and_longer_words():
    assert is_vulgar("fart")
    assert is_vulgar("FARTS")
    assert is_vulgar("FARTED")
    assert not is_vulgar("RETAINS")


def test_quotas_add_up_to_the_requested_number():
    for count in (1, 7, 100, 501):
        assert sum(split_by_family(count).values()) == count
        assert (
            sum(
                split_by_family(count, (PuzzleFamily.HOOK, PuzzleFamily.PHONY, PuzzleFamily.ENDGAME)).values()
            )
            == count
        )
