"""Opening books are read and written as TI-Chess's documentation says. python-chess reads the compiled books."""

import chess
import chess.polyglot
import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.chess.notations import book, polyglot
from bot.domain.chess.notations.book import MAX_ERRORS
from bot.domain.chess.notations.pgn import read as read_game
from bot.domain.chess.notations.polyglot import BookMove, CompiledBook, compile_book
from bot.domain.chess.position import START_POSITION, position_of
from bot.domain.reading.problems import DomainError, ParseError
from tests.domain.chess.strategies import STARTS, random_board
from tests.domain.chess.test_pgn import sans
from tests.domain.faults import value_without_faults

ALEKHINE = "1. e4 Nf6 2. e5 Nd5 3. c4 Nb6 4. d4 d6 5. f4 dxe5 6. fxe5 Nc6"
ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"


def read_without_faults(text):
    return value_without_faults(book.read(text)).lines


def test_the_example_in_the_documentation_is_read():
    [line] = read_without_faults(ALEKHINE)
    assert sans(line.moves) == [
        "e4",
        "Nf6",
        "e5",
        "Nd5",
        "c4",
        "Nb6",
        "d4",
        "d6",
        "f4",
        "dxe5",
        "fxe5",
        "Nc6",
    ]
    assert line.start == START_POSITION


def test_rule_1_a_sequence_starts_with_move_number_1():
    with pytest.raises(
        ParseError, match=r"a move sequence must start with \"1\.\" at the beginning of a line, not with 'e4'"
    ):
        book.read("e4 e5 2. Nf3")
    with pytest.raises(ParseError, match=r"not with '2\.'"):
        book.read("2. e4 e5")


def test_rules_2_and_3_a_fen_tag_applies_only_to_the_next_sequence():
    first, second = read_without_faults(f'[FEN "{ENDGAME}"]\n1. e4 Ke7\n1. d4 d5')
    assert (first.start.fen, sans(first.moves)) == (ENDGAME, ["e4", "Ke7"])
    assert second.start == START_POSITION
    [line] = read_without_faults('[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]\n1. e4')
    assert line.start == START_POSITION


def test_rule_4_each_number_1_at_the_start_of_a_line_starts_a_sequence():
    assert [sans(line.moves) for line in read_without_faults("1. e4 e5\n1.d4 d5\n  1. c4")] == [
        ["e4", "e5"],
        ["d4", "d5"],
        ["c4"],
    ]


def test_rule_5_sequences_continue_on_further_lines():
    [line] = read_without_faults("1. e4\n1... e5\n\n2. Nf3\nNc6\n")
    assert sans(line.moves) == ["e4", "e5", "Nf3", "Nc6"]


def test_a_sequence_may_start_with_a_black_move():
    [line] = read_without_faults('[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 5 39"]\n1... Kd7 2. e4')
    assert sans(line.moves) == ["Kd7", "e4"]


@pytest.mark.parametrize(
    ("fen", "written", "san"),
    [
        ("4k3/8/8/2p5/8/8/4NN2/4K3 w - - 0 1", "Ncd4", None),
        ("4k3/8/8/8/8/2N5/8/N3K3 w - - 0 1", "Ncb5", "Nb5"),
        ("4k3/8/8/1N6/8/1N6/8/4K3 w - - 0 1", "N5d4", "N5d4"),
        ("4k3/8/8/8/8/1N6/8/4K1N1 w - - 0 1", "Nd4", "Nd4"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Ke2", "Ke2"),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "Kxe2", "Kxe2"),
        ("4k3/8/8/8/3p4/8/4NN2/1N2K3 w - - 0 1", "Nexd4", "Nxd4"),
        ("4k3/8/8/1N6/3p4/1N6/8/4K3 w - - 0 1", "N5xd4", "N5xd4"),
        ("4k3/8/8/8/5p2/4P3/8/4K3 w - - 0 1", "exf4", "exf4"),
        ("4k3/8/8/8/5p2/4P3/8/4K3 w - - 0 1", "ex4", "exf4"),
        ("4k3/3P4/8/8/8/8/8/4K3 w - - 0 1", "d8Q", None),
        ("8/3P3k/8/8/8/8/8/4K3 w - - 0 1", "d8Q", "d8=Q"),
        ("8/3P3k/8/8/8/8/8/4K3 w - - 0 1", "d8R", "d8=R"),
        ("8/3P3k/8/8/8/8/8/4K3 w - - 0 1", "d8N", "d8=N"),
        ("8/3P3k/8/8/8/8/8/4K3 w - - 0 1", "d8B", "d8=B"),
        ("8/3P3k/8/8/8/8/8/4K3 w - - 0 1", "d7-d8Q", "d8=Q"),
        ("4k3/8/8/8/8/8/5Q2/4K3 w - - 0 1", "Qf2-f4", "Qf4"),
        ("4k3/8/8/8/8/n7/8/R3K3 w - - 0 1", "Ra1xa3", "Rxa3"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", "O-O-O"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "O-O"),
    ],
)
def test_moves_are_read_in_the_documented_notation(fen, written, san):
    text = f'[FEN "{fen}"]\n1. {written}'
    if san is None:
        with pytest.raises(DomainError):
            book.read(text)
    else:
        [line] = read_without_faults(text)
        assert sans(line.moves)[0].rstrip("+#") == san


def test_names_come_from_comment_lines_and_opening_tags():
    lines = read_without_faults(
        "// openings\n// --- King's Pawn ---\n1. e4 e5\n1. e4 c5 // Sicilian\n1. e4 e6\n"
        '[Opening "Queen\'s Pawn"]\n1. d4 // d4 alone\nd5\n1. d4 Nf6\n[Opening "?"]\n[Event "?"]\n1. c4'
    )
    names = ["King's Pawn"] * 3 + ["Queen's Pawn"] * 2 + [""]
    assert [line.name for line in lines] == names
    assert [move.comment for move in lines[1].moves] == ["", "Sicilian"]
    assert [move.comment for move in lines[3].moves] == ["d4 alone", ""]


def test_a_book_is_written_in_the_documented_notation():
    text = (
        '// Ends\n[FEN "8/3P3k/8/8/8/8/8/4K3 w - - 0 1"]\n1. d8=Q Kg7 2. Qe7+ {check}\n'
        "// Fool\n1. {soon over} f3 e5 2. g4 Qh4#\n"
    )
    source = book.read(text).value
    written = book.write(source)
    assert written == (
        '// Ends\n[FEN "8/3P3k/8/8/8/8/8/4K3 w - - 0 1"]\n1. d8Q Kg7 2. Qe7 {check}\n\n'
        "// Fool\n1. {soon over} f3 e5 2. g4 Qh4\n"
    )
    reread = book.read(written)
    assert reread.warnings == ()
    assert reread.value == source


def test_a_null_move_ends_a_line_of_a_book():
    reading = book.read("1. e4 e5\n1. e4 -- 2. d4 (2. c4 --) d5")
    assert [(warning.message, warning.line, warning.column) for warning in reading.warnings] == [
        ("a compiled book can't hold the null move --; the line ends there", 2, 7),
        ("a compiled book can't hold the null move --; the line ends there", 2, 23),
    ]
    assert compile_book(reading.value).depth == 2


@pytest.mark.parametrize(
    ("text", "line_count", "line", "column", "message"),
    [
        ("1. e4 e5\n1. d4 d5\n2. Ke3", 2, 3, 4, "Ke3 isn't a legal move; White is to move"),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2", 1, 1, 24, "Nd2 could be any of Nbd2, Nfd2"),
        ("1. e4 e5\nfoo", 1, 2, 1, "'foo' is not a chess move"),
        ('1. e4 e5\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4', 1, 2, 7, "there is no white king"),
        ("1. e4 {", 1, 1, 7, "the comment that starts here is not closed"),
    ],
)
def test_reading_ends_at_a_fault_and_reports_its_location(text, line_count, line, column, message):
    reading = book.read(text)
    assert len(reading.value.lines) == line_count
    assert (reading.error.message, reading.error.line, reading.error.column) == (message, line, column)


def test_the_first_fault_in_each_sequence_is_reported():
    text = '1. e4 e5 2. Ke3\n3. d4\n1. d4 Nf3\n[FEN "x"]\n1. e4\n1. c4 c5\n1. c4 c4'
    assert [(fault.line, fault.column) for fault in book.faults(text)] == [
        (1, 13),
        (3, 7),
        (4, 7),
        (7, 7),
    ]
    assert book.faults(ALEKHINE) == ()
    assert [fault.code for fault in book.faults("// nothing")] == ["book-empty"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. e4 d5 2. ed5", "ed5 is a capture, but the x is missing"),
        (f'[FEN "{ENDGAME}]\n1. e4', "the tag's closing quote is missing"),
        ('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - -"]\n1. e4', "the halfmove clock and the move number are missing"),
        ("[x]\n1. e4", "a tag is a name followed by text in quotes"),
        ("1. e4 e5 3. Nf3", "the move number 3 is out of order"),
        (
            '[White "alice"]\n[White "bob"]\n1. e4 e5',
            "an opening book has no place for 'White', so it is left out",
        ),
        ("1. e4 e5 1-0\n1. d4 d5 1-0", "an opening book has no place for '1-0', so it is left out"),
        ("1. $1 e4 e5", "an annotation before the first move is left out: $1"),
        ("1. e4 ({but why}) e5", "a variation without moves is left out"),
    ],
)
def test_a_small_fault_gives_a_warning(text, message):
    reading = book.read(text)
    assert [warning.message for warning in reading.warnings] == [message]
    assert reading.value.lines


def test_a_compiled_book_counts_its_lines_positions_and_transpositions():
    source = book.read("1. e4 e5 2. Nf3 Nc6\n1. Nf3 e5 2. e4 Nc6 3. Bb5\n1. e4 e5 (1... c5) 2. d4").value
    compiled = compile_book(source)
    assert (compiled.line_count, compiled.depth) == (3, 5)
    # start, e4, e4e5, e4e5Nf3, …Nc6 | Nf3, Nf3e5, (e4 and Nc6 as above), Bb5 | c5, d4
    assert compiled.position_count == 10
    assert compiled.transposition_count == 1


def test_continuations_are_ordered_and_named():
    source = book.read(
        "// Open\n1. e4 e5\n// Sicilian\n1. e4 c5 2. Nf3\n1. e4 c5 2. c3\n// Queen\n1. d4"
    ).value
    compiled = compile_book(source)
    first_moves = compiled.continuations(START_POSITION)
    assert [(move.san, move.count, move.names) for move in first_moves] == [
        ("e4", 3, ("Open", "Sicilian")),
        ("d4", 1, ("Queen",)),
    ]
    position_after_e4 = read_game("1. e4").value.position_at(1)
    assert [move.san for move in compiled.continuations(position_after_e4)] == ["c5", "e5"]
    assert compiled.continuations(read_game("1. a3").value.position_at(1)) == ()


def test_castling_and_promotions_are_stored_in_polyglot_books(tmp_path):
    text = (
        '[FEN "r3k2r/p1pppppp/8/8/8/8/P1PPPPPP/R3K2R w KQkq - 0 1"]\n1. O-O O-O-O\n'
        '[FEN "r3k2r/p1pppppp/8/8/8/8/P1PPPPPP/R3K2R w KQkq - 0 1"]\n1. O-O-O O-O\n'
        '[FEN "8/3P3k/8/8/8/8/8/4K3 w - - 0 1"]\n1. d8N\n[FEN "8/3P3k/8/8/8/8/8/4K3 w - - 0 1"]\n1. d8Q\n'
        '[FEN "4k3/8/8/8/8/8/8/4K2R w - - 0 1"]\n1. Ke2\n1. e4 a6 2. e5 d5 3. exd6'
    )
    source = book.read(text).value
    _check_polyglot(source, tmp_path / "b.bin")


def _check_polyglot(source, path):
    compiled = compile_book(source)
    path.write_bytes(polyglot.write(compiled))
    assert path.stat().st_size == 16 * sum(map(len, compiled.moves_by_key.values()))
    assert polyglot.count_wrong_moves(path, source, compiled) == 0
    with chess.polyglot.open_reader(path) as reader:
        for line in source.lines:
            board = line.start.board()
            for move in line.moves:
                entries = {entry.move.uci(): entry.weight for entry in reader.find_all(board)}
                assert entries == {
                    known.uci: known.count for known in compiled.continuations(position_of(board))
                }
                assert move.uci in entries
                board.push_uci(move.uci)


def test_a_move_missing_from_a_polyglot_file_is_counted(tmp_path):
    source = book.read(ALEKHINE).value
    compiled = compile_book(source)
    path = tmp_path / "b.bin"
    path.write_bytes(polyglot.write(compiled)[16:])
    assert polyglot.count_wrong_moves(path, source, compiled) == 1


def test_weights_fit_into_16_bits(tmp_path):
    key = chess.polyglot.zobrist_hash(chess.Board())
    moves = (BookMove("e4", "e2e4", 70_000, ()), BookMove("d4", "d2d4", 1, ()))
    compiled = CompiledBook({key: moves}, line_count=70_001, position_count=3, depth=1, transposition_count=0)
    path = tmp_path / "b.bin"
    path.write_bytes(polyglot.write(compiled))
    with chess.polyglot.open_reader(path) as reader:
        assert [entry.weight for entry in reader.find_all(chess.Board())] == [65_535, 1]


def _book_line(seed, plies, start, name):
    board = random_board(seed, plies, start)
    game = " ".join(move.uci() for move in board.move_stack)
    root = board.root()
    move_number = "1. " if root.turn else "1... "
    tag = "" if start == chess.STARTING_FEN else f'[FEN "{start}"]\n'
    return f"// {name}\n{tag}{move_number}{game}\n" if game else ""


sources = st.lists(
    st.builds(_book_line, st.integers(0, 2**16), st.integers(1, 20), st.sampled_from(STARTS), st.sampled_from(["a", "b c", ""])),
    min_size=1, max_size=6,
).map("".join)  # fmt: skip


@settings(max_examples=30)
@given(sources)
def test_any_book_round_trips(tmp_path_factory, text):
    source = book.read(text).value
    reread = book.read(book.write(source))
    assert (reread.warnings, reread.error) == ((), None)
    assert [(line.name, line.start, line.moves) for line in reread.value.lines] == [
        (line.name, line.start, line.moves) for line in source.lines
    ]
    _check_polyglot(source, tmp_path_factory.mktemp("book") / "b.bin")


def test_variations_and_remarks_are_written():
    text = "// x\n1. e4 (1. d4 d5 (1... Nf6)) 1... e5 $1 {a remark} 2. Nf3"
    source = book.read(text).value
    assert book.read(book.write(source)).value == source
    assert book.write(source) == "// x\n1. e4 (1. d4 d5 (1... Nf6)) 1... e5 $1 {a remark} 2. Nf3\n"


@pytest.mark.parametrize(
    "text", ["1. e4 " * 100_000, "1. e4\n" * 100_000, "1. " + "(" * 300_000, '[FEN "x"]\n' * 60_000]
)
def test_hostile_texts_have_a_limited_number_of_faults(text):
    assert len(book.faults(text)) <= MAX_ERRORS
