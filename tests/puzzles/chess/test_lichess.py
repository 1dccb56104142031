"""Lichess puzzles: reading the bundled file and hosts' files, and judging moves."""

import importlib.resources
from collections import Counter

import chess
import pytest
import zstandard

from bot.__main__ import main
from bot.domain.chess.notations import fen
from bot.domain.chess.solution import MoveLine, line_text, position_to_solve, try_move
from bot.domain.reading.problems import DomainError
from bot.features.puzzles.chess import lichess

FORK = "1L3zv,7k/1q3ppp/p1b5/n2nP3/1B1Q4/1P4RP/P1r3BK/8 b - - 0 34,d5b4 d4d8 c6e8 d8e8,545,76,90,1200,fork mateIn2,https://lichess.org/0SxSdIcA/black#68,"
UNRELIABLE_PUZZLE = "0E0md,3r4/5pkp/6p1/1pNPp3/2n5/2P3P1/5P1P/3R2K1 b - - 2 33,f7f5 c5e6 g7f6 e6d8,1547,120,40,20,fork,https://lichess.org/tpVcnjVj/black#66,"
HEADER = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"


def bundled_puzzles():
    text = (importlib.resources.files("bot.features.puzzles") / "data" / "lichess.csv").read_text(
        encoding="utf-8"
    )
    faults = []
    puzzles = list(lichess.read(text.splitlines(), faults.append))
    assert faults == []
    return puzzles


@pytest.mark.slow
def test_all_bundled_puzzles_can_be_played():
    puzzles = bundled_puzzles()
    assert len(puzzles) == 2400
    assert len({puzzle.id for puzzle in puzzles}) == 2400
    bands = Counter(puzzle.rating // 200 for puzzle in puzzles)
    assert set(bands.values()) == {200}
    assert (min(bands), max(bands)) == (2, 13)
    for puzzle in puzzles:
        # The moves are played without Kibitz's reader.
        board = chess.Board(puzzle.line.start.fen)
        for uci in puzzle.line.moves:
            board.push_uci(uci)
        assert board.is_checkmate() or not any(theme.startswith("mateIn") for theme in puzzle.themes)
        assert puzzle.game_url.startswith("https://lichess.org/")
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
    assert sum(count >= 50 for count in themes.values()) >= 30


def read(*rows, bounds=None, faults=None):
    found_faults = [] if faults is None else faults
    puzzles = list(
        lichess.read("\n".join((HEADER, *rows)).splitlines(keepends=True), found_faults.append, bounds)
    )
    assert faults is not None or found_faults == []
    return puzzles


def test_columns_are_found_by_name():
    [puzzle] = read(FORK)
    assert (puzzle.id, puzzle.rating, puzzle.themes) == ("1L3zv", 545, ("fork", "mateIn2"))
    assert puzzle.url == "https://lichess.org/training/1L3zv"
    assert len(puzzle.line.moves) == 4
    reordered_text = "Rating,Moves,FEN,PuzzleId,DailyDate\n545,d5b4 d4d8 c6e8 d8e8,7k/1q3ppp/p1b5/n2nP3/1B1Q4/1P4RP/P1r3BK/8 b - - 0 34,1L3zv,2026-01-01"
    [same_puzzle] = lichess.read(reordered_text.splitlines(), pytest.fail)
    assert same_puzzle.line == puzzle.line
    assert list(lichess.read(lichess.write([puzzle]).splitlines(), pytest.fail)) == [puzzle]
    assert read(FORK, FORK) == [puzzle]


@pytest.mark.parametrize(
    "bounds",
    [{"Popularity": (85, None)}, {"NbPlays": (300, None)}, {"RatingDeviation": (None, 85)}],
)
def test_unpopular_rarely_played_and_unreliable_puzzles_are_left_out(bounds):
    assert [puzzle.id for puzzle in read(FORK, UNRELIABLE_PUZZLE, bounds=bounds)] == ["1L3zv"]


@pytest.mark.parametrize(
    "row",
    [
        FORK.replace("d4d8", "d4d9"),
        FORK.replace("d4d8", "d4a8"),
        FORK.replace(" d8e8", ""),
        FORK.replace("545", "many"),
        FORK.replace("1L3zv", "../x"),
        FORK.replace("7k/", "9k/"),
        "x" * 5000,
        "onlyone",
    ],
)
def test_a_row_that_is_not_a_puzzle_is_left_out_and_reported(row):
    faults = []
    assert [puzzle.id for puzzle in read(UNRELIABLE_PUZZLE, row, FORK, "", faults=faults)] == [
        "0E0md",
        "1L3zv",
    ]
    [fault] = faults
    assert fault.startswith("line 3 is ")


def test_puzzles_are_chosen_evenly_across_ratings_regardless_of_order():
    puzzles = bundled_puzzles()
    chosen_puzzles = lichess.choose_evenly(puzzles, 60)
    assert Counter(puzzle.rating // 200 for puzzle in chosen_puzzles) == dict.fromkeys(range(2, 14), 5)
    assert lichess.choose_evenly(reversed(puzzles), 60) == chosen_puzzles
    assert len(lichess.choose_evenly(puzzles[:7], 60)) == 7


@pytest.mark.parametrize("ending", ["csv", "csv.zst"])
def test_a_host_compiles_puzzles_from_the_lichess_database(tmp_path, capsys, ending):
    source, output = tmp_path / f"lichess_db_puzzle.{ending}", tmp_path / "chess.csv"
    data = f"{HEADER}\n{'x' * 9_000}\nonlyone\n{FORK}\n{UNRELIABLE_PUZZLE}\n".encode()
    source.write_bytes(zstandard.compress(data) if ending.endswith("zst") else data)
    assert (
        main(("puzzles", "compile", str(source), "-o", str(output), "--min-popularity", "85", "--most", "5"))
        == 0
    )
    captured = capsys.readouterr()
    assert captured.out == f"{output}: 1 puzzle\n"
    assert captured.err.splitlines() == [
        f"{source}: line 2 is too long",
        f"{source}: line 3 is not a puzzle: 'FEN' is missing",
        f"{source}: rows left out: 2",
    ]
    [puzzle] = lichess.read(output.read_text(encoding="utf-8").splitlines(), pytest.fail)
    assert puzzle.id == "1L3zv"
    assert main(("puzzles", "compile", str(output), "-o", str(output))) == 2
    assert "is also the source" in capsys.readouterr().err
    source.write_bytes(b"hello" if ending.endswith("zst") else b"a,b\n")
    assert main(("puzzles", "compile", str(source), "-o", str(output))) == 2
    assert str(source) in capsys.readouterr().err
    assert output.read_text(encoding="utf-8").count("\n") == 2  # the earlier output is unchanged


def move_line(text, *moves):
    return MoveLine(fen.read(text).value, moves)


def attempt(line, moves_made, text):
    return try_move(line.start, (line.moves,), text, 2 * moves_made + 1)


def test_a_correct_move_gets_a_reply_and_the_last_move_solves_the_puzzle():
    [puzzle] = read(FORK)
    first = attempt(puzzle.line, 0, "35. Qd8+")
    assert (first.is_right, first.san, first.reply, first.is_solved) == (True, "Qd8+", "Be8", False)
    last = attempt(puzzle.line, 1, "d8e8")
    assert (last.is_right, last.san, last.reply, last.is_solved) == (True, "Qxe8#", "", True)
    assert not attempt(puzzle.line, 0, "Qd7").is_right
    assert position_to_solve(puzzle.line, 0).known_last_move == "d5b4"
    assert position_to_solve(puzzle.line, 1).known_last_move == "c6e8"
    assert line_text(puzzle.line) == "35. Qd8+ Be8 36. Qxe8#"


def test_any_mate_is_correct():
    two_mates = "6k1/5ppp/8/7p/8/8/5PPP/R3R1K1 b - - 0 1"
    alternatives = move_line(two_mates, "h5h4", "e1e8")
    assert attempt(alternatives, 0, "Ra8#").is_solved
    assert attempt(alternatives, 0, "Re8").is_solved
    assert not attempt(alternatives, 0, "Rad1").is_right
    # A mate is correct even if the solution continues.
    longer_line = move_line(two_mates, "h5h4", "e1d1", "h4h3", "a1a8")
    assert attempt(longer_line, 0, "Re8#") == attempt(alternatives, 0, "Re8#")


def test_a_promotion_must_name_its_piece():
    promotion = move_line("7k/P7/8/8/8/8/6p1/K7 b - - 0 1", "h8h7", "a7a8q")
    for typed in ("a8", "a7a8"):
        with pytest.raises(DomainError, match="doesn't show which piece the pawn becomes"):
            attempt(promotion, 0, typed)
    assert attempt(promotion, 0, "a8=Q").is_solved
    assert not attempt(promotion, 0, "a8N").is_right
    with pytest.raises(DomainError):
        attempt(promotion, 0, "Nf3")
