"""PGN: games, compared with python-chess, and the locations of errors."""

import io

import chess
import chess.pgn
import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.documents import arrows_in
from bot.domain.chess.notations import pgn
from bot.domain.chess.notations.movetext import MAX_DEPTH, MAX_MOVES
from bot.domain.notations import detect
from bot.domain.reading.problems import DomainError, ParseError, RuleError
from tests.domain.chess.strategies import boards

GAME = """\
[Event "Club \\"open\\""]
[White "alice"]
[Black "bob"]
[Result "1-0"]
[ECO "C70"]

{before all} 1. e4 {[%clk 0:09:59.5] best [%cal Ge2e4,Rd2d4]} e5! (1... c5 {sic} 2. Nf3 (2. Nc3) d6) (1... e6)
2. Nf3 $14 Nc6 ; rest of line
3. Bb5 a6?! {[%eval 0.35]} 4. Ba4 Nf6 5. O-O 1-0
"""


def sans(line):
    return [move.san for move in line]


def test_all_parts_of_a_game_are_read():
    reading = pgn.read(GAME)
    assert (reading.warnings, reading.error) == ((), None)
    game = reading.value
    assert sans(game.turns) == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"]
    assert game.tags == (("Event", 'Club "open"'), ("White", "alice"), ("Black", "bob"), ("ECO", "C70"))
    assert (game.result, game.comment) == ("1-0", "before all")
    first, reply = game.turns[:2]
    assert (first.clock_ms, first.remark) == (599_500, "best")
    assert arrows_in(first.comment) == {("e2", "e4"): "G", ("d2", "d4"): "R"}
    assert (reply.glyph, reply.nags) == ("!", (1,))
    assert [sans(line) for line in reply.variations] == [["c5", "Nf3", "d6"], ["e6"]]
    assert reply.variations[0][0].comment == "sic"
    assert [sans(line) for line in reply.variations[0][1].variations] == [["Nc3"]]
    assert (game.turns[3].comment, game.turns[2].nags) == ("rest of line", (14,))
    assert (game.turns[5].evaluation, game.turns[5].glyph) == ("0.35", "?!")
    assert game.turns[-1].uci == "e1g1"
    assert [game.move_number(turn) for turn in (1, 2, 9)] == ["1.", "1...", "5."]


def test_a_written_game_round_trips():
    game = pgn.read(GAME).value
    text = pgn.write(game)
    assert pgn.read(text).value == game
    assert pgn.write(pgn.read(text).value) == text
    reference_game = chess.pgn.read_game(io.StringIO(text))
    assert not reference_game.errors
    assert [move.uci() for move in reference_game.mainline_moves()] == [turn.uci for turn in game.turns]


def test_a_game_has_a_position_before_and_after_each_turn():
    game = pgn.read("1. e4 c5 2. Nf3").value
    fens = [position.fen for position in game.positions()]
    assert fens == [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    ]
    assert [game.position_at(turn).fen for turn in range(4)] == fens
    assert game.position_at(3).last_move == "g1f3"
    with pytest.raises(IndexError):
        game.position_at(4)


@pytest.mark.parametrize(
    ("text", "played", "line", "column", "message"),
    [
        ("1. e4 e5 2. Nf6", 2, 1, 13, "Nf6 isn't a legal move; White is to move"),
        ("1. e4 e5\n2. Nf3\nKe6 3. d4", 3, 3, 1, "Ke6 isn't a legal move; Black is to move"),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2", 4, 1, 24, "Nd2 could be any of Nbd2, Nfd2"),
        ("1. e4 e5 2. Ne9 Nc6", 2, 1, 13, "'Ne9' is not a chess move"),
        ("1. e4 {open", 1, 1, 7, "the comment that starts here is not closed"),
        ("1. e4 e5 2. d4 Bb4 3. Nf3", 4, 1, 23,
         "Nf3 leaves the king in check"),
        ('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]\n1. a8', 0, 2, 4,
         "a8 doesn't show which piece the pawn becomes; write a8Q, for example"),
        ('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]\n1. a8+', 0, 2, 4,
         "a8 doesn't show which piece the pawn becomes; write a8Q, for example"),
        ('[Variant "Antichess"]\n1. e3 b5 2. Nf3', 2, 2, 13, "Nf3 isn't a legal move; White is to move"),
    ],
)  # fmt: skip
def test_a_game_ends_before_a_move_that_cannot_be_played(text, played, line, column, message):
    reading = pgn.read(text)
    assert len(reading.value.turns) == played
    error = reading.error
    assert isinstance(error, RuleError)
    assert (error.message, error.line, error.column) == (message, line, column)


@pytest.mark.parametrize(
    ("text", "error_type", "line", "column", "message"),
    [
        ("", ParseError, 1, 1, "no chess game found in this text"),
        ("(1. e4)", ParseError, 1, 1, "no chess game found in this text"),
        ("1. (", ParseError, 1, 1, "no chess game found in this text"),
        ("hello there", RuleError, 1, 1, "'hello' is not a chess move"),
        ("1. e5", RuleError, 1, 4, "e5 isn't a legal move; White is to move"),
        ('[Event "x"]\n[FEN "4k3/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4', RuleError, 2, 7, "there is no white king"),
        ('[FEN "4k3/8/8/8/8/8/8/4K3 w - x 0 1"]', ParseError, 1, 31,
         "'x' is not an en passant square; use a square such as e3, or -"),
        ('[Variant "Bughouse"]\n1. e4 e5', RuleError, 1, 11, "Kibitz doesn't know the variant Bughouse"),
        ('[Variant "Suicide"]\n1. e4 e5', RuleError, 1, 11, "Kibitz doesn't know the variant Suicide"),
        ('[Variant "Giveaway"]\n1. e4 e5', RuleError, 1, 11, "Kibitz doesn't know the variant Giveaway"),
        ("x" * (pgn.MAX_LENGTH + 1), ParseError, 1, 1, "the text is longer than 1,000,000 characters"),
    ],
)  # fmt: skip
def test_a_text_without_a_readable_game_is_rejected(text, error_type, line, column, message):
    with pytest.raises(error_type) as caught:
        pgn.read(text)
    error = caught.value
    assert (error.message, error.line, error.column) == (message, line, column)


@pytest.mark.parametrize(
    ("text", "comment", "result"),
    [("{to be played}", "to be played", "*"), ("1. {tomorrow} (", "tomorrow", "*"), ("1-0", "", "1-0")],
)
def test_a_comment_or_a_result_alone_is_a_game(text, comment, result):
    game = pgn.read(text).value
    assert (game.turns, game.comment, game.result) == ((), comment, result)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. e4 (1. d4 d5 2. d5 e6) e5 2. Nf3", "d5 isn't a legal move; White is to move"),
        ("1. e4 e5 (1... c5 2. Nf3", "the variation that starts here is not closed"),
        ("1. e4 e5) 2. Nf3", "this parenthesis doesn't close a variation"),
        ("(1. d4) 1. e4 e5", "a variation before the first move is ignored"),
        ("1. e4 e5 3. Nf3", "the move number 3 is out of order"),
        ('[Event "x]\n1. e4 e5', "the tag's closing quote is missing"),
        ("[Event]\n1. e4 e5", "a tag is a name followed by text in quotes"),
        ("[Event x]\n1. e4 e5", "the value of Event isn't properly quoted; read as 'x'"),
        (
            '[Variant "Regular"]\n1. e4 e5',
            "Kibitz doesn't know the variant Regular; the game is read as standard chess",
        ),
        (
            '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1"]\n1. e4 e5',
            "the castling right K is left out: its rook is not on h1",
        ),
        ('[Event "x"]\n[Event "y"]\n1. e4 e5', "the tag Event is given twice; the first one counts"),
        ('[Result "0-1"]\n1. e4 e5 1-0', "the game ends with 1-0, but its tag says 0-1"),
        ("1. e4 e5 1-0 1. d4 d5", "the text from here on is ignored"),
        ('[Result "2-0"]\n1. e4 e5', "'2-0' is not the result of a game"),
    ],
)
def test_a_small_fault_gives_a_warning(text, message):
    reading = pgn.read(text)
    assert [warning.message for warning in reading.warnings] == [message]
    assert reading.error is None
    assert sans(reading.value.turns)[:2] == ["e4", "e5"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"plain"', "plain"),
        ('""Mephisto""', '"Mephisto"'),
        ('"the "great" one"', 'the "great" one'),
        ('"the "great one"', 'the "great one'),
        ('"a "b] [c" d"', 'a "b] [c" d'),
        ('"a \\"b\\" c"', 'a "b" c'),
        ('"a "b\\"" c"', 'a "b"" c'),
        ("Mephisto", "Mephisto"),
        ("'Mephisto'", "Mephisto"),
        ("“Mephisto”", "Mephisto"),
        ('"Mephisto', "Mephisto"),
    ],
)
def test_a_badly_quoted_tag_affects_no_other_tag(written, expected):
    game = f'[Event "x"]\n[Site "y"]\n[White {written}]\n[Black "bob"]\n[Result "1-0"]\n\n1. e4 e5 1-0'
    text = f"{game}\n\n{GAME}\n\n{game}\n"
    assert [(item.format, item.text) for item in detect(text)] == [
        ("pgn", game),
        ("pgn", GAME.strip()),
        ("pgn", game),
    ]
    reading = pgn.read(game)
    assert dict(reading.value.tags) == {"Event": "x", "Site": "y", "White": expected, "Black": "bob"}
    assert bool(reading.warnings) == (written not in ('"plain"', '"a \\"b\\" c"'))
    assert pgn.read(pgn.write(reading.value)).value == reading.value
    reference_game = chess.pgn.read_game(io.StringIO(game))
    if reference_game.headers["White"] != "?":  # python-chess ignores a value without quotes
        assert reference_game.headers["White"].replace("\\", "") == expected


def test_tags_on_one_line_are_separated():
    text = '[Event "a"] [Site ""b""][Round "c" [White ""al"ice"] [Black "bob"]\n\n1. e4 *'
    assert detect(text)[0].text == text
    tags = {"Event": "a", "Site": '"b"', "Round": "c", "White": '"al"ice', "Black": "bob"}
    assert dict(pgn.read(text).value.tags) == tags


def test_a_fen_tag_may_lack_its_closing_quote():
    reading = pgn.read('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39]\n1. e4 Ke7')
    assert sans(reading.value.turns) == ["e4", "Ke7"]
    assert reading.value.start.fen == "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"


def test_variations_nested_too_deeply_are_ignored():
    text = "1. e4 " + "(1. d4 " * (MAX_DEPTH + 5) + ")" * (MAX_DEPTH + 5) + " e5"
    reading = pgn.read(text)
    assert [warning.message for warning in reading.warnings] == ["a variation nested too deeply is ignored"]
    assert sans(reading.value.turns) == ["e4", "e5"]
    assert pgn.read(pgn.write(reading.value)).value == reading.value


def test_reading_stops_at_the_maximum_number_of_moves():
    text = "1. Nf3 Nf6 2. Ng1 Ng8 " * (MAX_MOVES // 4 + 1)
    reading = pgn.read(text)
    assert len(reading.value.turns) == MAX_MOVES
    assert reading.error.code == "too-many-moves"


@pytest.mark.parametrize("text", ["1. e4 " + "(" * 300_000, "1. e4 " + "( ) " * 100_000])
def test_hostile_texts_are_read(text):
    assert len(pgn.read(text).value.turns) == 1


@pytest.mark.parametrize("text", ["(" * 300_000, "{" * 300_000, "[" * 300_000, '["' * 200_000])
def test_hostile_texts_are_rejected(text):
    with pytest.raises(DomainError):
        pgn.read(text)


@given(boards, st.data())
def test_python_chess_reads_the_same_game(board, data):
    game = chess.pgn.Game.from_board(board)
    node: chess.pgn.GameNode = game
    while node.next() is not None:
        if data.draw(st.integers(0, 9)) == 0:
            other_move = data.draw(st.sampled_from(sorted(node.board().legal_moves, key=str)))
            node.add_line([other_move], comment="a remark", nags=[5])
        node = node.next()
        if data.draw(st.integers(0, 9)) == 0:
            node.comment = "said"
            node.nags.add(3)
    reading = pgn.read(str(game))
    assert (reading.warnings, reading.error) == ((), None)
    game_read = reading.value
    assert_same_moves(game, game_read.turns)
    assert game_read.result == game.headers["Result"]
    assert [position.fen for position in game_read.positions()][-1] == board.fen(en_passant="fen")
    assert pgn.read(pgn.write(game_read)).value == game_read


def assert_same_moves(parent, line):
    for move in line:
        main, *others = parent.variations
        assert (move.uci, move.san, move.comment) == (main.uci(), main.san(), main.comment)
        assert set(move.nags) == main.nags
        assert len(others) == len(move.variations)
        for other, variation in zip(others, move.variations, strict=True):
            assert variation[0].uci == other.uci()
            assert_same_moves(other, variation[1:])
        parent = main
    assert not parent.variations
