"""Chess found in free text that may also contain crossword games."""

import random

import pytest

from bot.domain.notations import detect, detect_whole
from tests.domain.chatter import GRAMMARS, chess_moves, chess_position, generated_messages
from tests.domain.growth import find_superlinear_growth
from tests.domain.test_false_positives import find_false_alarms
from tests.positions import EMPTY_BOARD

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BOARD = "4k3/8/8/8/8/8/4P3/4K3"


def detected(text):
    return [(detection.format, detection.text) for detection in detect(text)]


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", START, ""),
        ("what now? `", START, "`"),
        ("look: ", START, " is where it starts"),
        ("||", START, "||"),
        ("(", START, ")."),
        ("", BOARD, ""),
        ("mate ", BOARD + " w - -", ", how?"),
        ("", BOARD + " w", " what now"),
        ("", BOARD + " b - - 5", " was it"),
        ("> ", BOARD + " w - - 5 39", "\nnice"),
        ('the tag [FEN "', BOARD + " w - - 5 39", '"] holds it'),
        ("", "8/8/8/8/8/8/8/8 w - - 0 1", ""),
        ("", "4k3/8/8/8/8/8/4P4/4K3 w - - 5 39", " has nine squares in a rank"),
    ],
)
def test_a_fen_in_a_message_is_found(before, text, after):
    assert detected(before + text + after) == [("fen", text)]


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", BOARD + ' w - - bm e4; id "x; y";', ""),
        ("", BOARD + " w - - 5 39 bm e4;", " easy"),
        ("see ", BOARD + ' w - - c0 "a";', " what now; I wonder"),
        ("", BOARD + " w - - foo 1; bm e4; bar;", "\nand more"),
    ],
)
def test_an_epd_in_a_message_is_found(before, text, after):
    assert detected(before + text + after) == [("epd", text)]


def test_words_after_a_fen_are_not_operations():
    for words in ("what now; I ask", "am I winning", "mate in 2", "what now"):
        assert detected(f"{BOARD} w - - {words}") == [("fen", BOARD + " w - -")]
    assert detected(f"see {BOARD} w - - nice; one 1;") == [("fen", BOARD + " w - -")]


GAME = '[Event "x"]\n[White "alice"]\n\n1. e4 {good} e5 (1... c5) 2. Nf3 $1 Nc6 1-0'


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", GAME, ""),
        ("```\n", GAME, "\n```"),
        ("my game:\n", GAME, "\nwhat do you think?"),
        ("", "1. e4 e5", ""),
        ("I like ", "1. e4 e5 2. Nf3 Nc6", " most"),
        ("A game of mine from the club last night: ", "1. f3 e5 2. g4 Qh4#", " ouch"),
        ("<@1234> **", "1. e4 e5", "**"),
        ("*", "1. e4 e5", "*"),
        ("", "1. e4 e5*", ""),
        ("He won in a joke of a game ", "1. e4 e5 1-0", " and laughed"),
        ("What went wrong?\n", "1. e4 e5", "\nI do not know any more, it was late"),
        ("What about ", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", " for Black then?"),
        ("(", "1.d4 d5 2.c4", ")"),
        ("", "1. e4 e5 2. Nf3 Nc6 3. Nf7", " is that a move?"),
        ("", "1. e4 1... e5 2. Nf3", ", you know"),
        ("||", "1. e4 e5 2. Qh5", "||"),
        ("`", "1. Nf3 d5 2. g3 c6 3. Bg2 Nf6 4. O-O", "`"),
        ("", '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"]\n1. e4 Ke7', "\nis a draw"),
        ("", '[Event "x"]\n[Site "y"]\n[Date "2024.01.01"]', "\nhello"),
        ("", "1. e4 e5 ; the usual\n2. Nf3", "\nthen?"),
    ],
)
def test_a_game_in_a_message_is_found(before, text, after):
    assert detected(before + text + after) == [("pgn", text)]


def test_games_with_several_tags_are_found_separately():
    first, second = GAME, '[White "carol"]\n[Black "dave"]\n\n1. d4 d5 1/2-1/2'
    third = '[White "alice"]\n[Black "dave"]\n[Result "*"]\n\n1. c4'
    assert detected(f"{first}\n\n{second}\n\n{third}") == [("pgn", first), ("pgn", second), ("pgn", third)]


def test_several_games_are_found_separately():
    first, second = '[Event "a"]\n[White "x"]\n\n1. e4 e5 1-0', '[Event "b"]\n\n1. d4 d5 1/2-1/2'
    assert detected(f"{first}\n\n{second}\n") == [("pgn", first), ("pgn", second)]
    assert detected("1. e4 e5 1-0\n1. d4 d5 0-1") == [("pgn", "1. e4 e5 1-0"), ("pgn", "1. d4 d5 0-1")]
    assert detected("1. e4 e5 or 1. d4 d5") == [("pgn", "1. e4 e5"), ("pgn", "1. d4 d5")]


PUZZLES = f"// set\n[D](c) alice\n[D]Mate\n[S]1. e4\n{BOARD} w - - 0 1\n\n[D]next\n{BOARD} w - - 0 2"


@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("my set\nof two:\n```\n", "\n```\nfun"), ("", "\n")]
)
def test_a_puzzle_file_in_a_message_is_found(before, after):
    assert detected(before + PUZZLES + after) == [("puzzles", PUZZLES)]


def test_an_unknown_line_belongs_to_the_puzzle_file():
    text = f"[D]a\n{BOARD} w - - 0 1\n[D]b\nmate in two\n{BOARD} w - - 0 1"
    assert detected(text) == [("puzzles", text)]


@pytest.mark.parametrize(
    "text",
    [
        "// Alekhine\n1. e4 Nf6 2. e5 Nd5",
        "1. e4 e5\n1. d4 d5\n2. c4 e6",
        "1. e4 e5\n1. e4 c5",
        '1. e4 e5 // open\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"]\n1. e4 Ke7',
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"]\n1. e4\n1. e4 e5',
    ],
)
@pytest.mark.parametrize(("before", "after"), [("", ""), ("my book:\n", "\nmore to come")])
def test_a_book_in_a_message_is_found(before, text, after):
    assert detected(before + text + after) == [("book", text)]


def test_chess_and_crossword_boards_are_distinguished():
    assert detected("8/8/8/8/8/8/8/8 w - - 0 1") == [("fen", "8/8/8/8/8/8/8/8 w - - 0 1")]
    small_cgp = "8/8/8/2QP4/8/8/8/8 ABC/DEF 12/30 0"
    assert detected(small_cgp) == [("cgp", small_cgp)]
    assert detected(f"{EMPTY_BOARD} AB/ 0/0 0 and {START}") == [
        ("cgp", f"{EMPTY_BOARD} AB/ 0/0 0"),
        ("fen", START),
    ]
    assert detected("8/8/8/8/8/8/8/8") == []
    cgp_with_kings = "4K2k/8/8/8/8/8/8/8 K/B 1/2 0 lex CSW24;"
    assert detected(cgp_with_kings) == [("cgp", cgp_with_kings)]


@pytest.mark.parametrize(
    "text", ["1. e4 h6 2. Kh8", "1. e4 e5 2. Nf6 what?", "1. a4 b5 2. c8 d3", "1. e4 {yes} e5 $1 2. Nf3 Kh8"]
)
def test_moves_that_soon_become_impossible_are_a_game_only_in_a_command(text):
    assert detected(text) == []
    detection = detect_whole("   " * 10 + text)
    assert detection is not None
    assert detection.format == "pgn"


@pytest.mark.parametrize(
    "chat",
    [
        "hello",
        "1. eggs 2. milk 3. bread",
        "1. a4 paper\n2. b5 envelopes",
        "1. e4\n2. d4\n3. c4",
        "1. e4 is best 2. e5 is second",
        "section 1.4 and 1.5, e4 e5",
        "v1. e4 e5",
        "8/8/8/8/8/8/8/8 is my workout, 12/11/2024 b",
        "he scored 1/2-1/2 and then 1-0",
        "/usr/b/n/r/k/q/p/b/n w - - 0 1",
        '[Event "party"] on Friday',
        '[link "x"] [other "y"] [more "z"]',
        "[D] is a letter, [S] too",
        "[S]omething\n[D]ifferent",
        "// a comment\nint main() { return 1.0; }",
        "https://example.org/8/8/8/8/8/8/8/8",
        "B4 we go: 1. Bb4 2. c5",
        "1. d4 damage, 2. d6 damage, roll 1. d20 d8",
        "What we play against 1. e4 e5:",
        "either 1. e4 e5 or 1. d4 d5, he said",
        "1. e4 e5 is my favourite opening",
        "What about 1. e4 e5?",
        "What about **1. e4 e5**, then *1. d4 d5* in the next one?",
        "Who plays 1. e4 e5 2. f4 nowadays? Better 1. d4 d5 2. c4 for you and me.",
        "Remember: in such openings as 1. e4 c5 2. Nf3 one attacks",
    ],
)
def test_prose_is_not_read_as_chess(chat):
    assert detected(chat) == []


@pytest.mark.parametrize(
    "grammar",
    [item for item in GRAMMARS if item not in (chess_position, chess_moves)],
    ids=lambda item: item.__name__,
)
def test_traps_cause_no_false_alarms(grammar):
    rng = random.Random(7)
    assert find_false_alarms(grammar(rng) for _ in range(300)) == []


def test_chatter_does_not_hide_a_position():
    lines = [line for line in generated_messages(3_000, seed=5) if "/" not in line or "8" not in line]
    pages = ["\n".join(lines[start : start + 8]) for start in range(0, len(lines), 8)]
    for page in pages[:100]:
        assert ("fen", START) in detected(f"{page}\n\n{START}\n\n{page}")


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("4k3/8/8/8/8/8/4P3 w - - 0 1", "fen"),
        ("fen: 4k3/8/x7/8/8/8/4P3/4K3 w - - 0 1", "fen"),
        ("1. e5 e4", "pgn"),
        ('[Event "x"]', "pgn"),
        ("[D]no position", "puzzles"),
        ("// book\n1. e5", "book"),
        ("position startpos moves e2e4", "uci"),
        ("e2e4 e7e5", "uci"),
        ("3/1A1/3 AB/C 0/1 0", "cgp"),
    ],
)
def test_a_command_accepts_documents_that_chat_ignores(text, notation):
    assert detect(text) == ()
    detection = detect_whole(text)
    assert detection is not None
    assert detection.format == notation


@pytest.mark.parametrize("text", ["", "hello", "one: buy milk", "and/or", "w - - 0 1"])
def test_a_command_rejects_a_text_without_a_document(text):
    assert detect_whole(text) is None


HOSTILE = (
    "1. e4 e5 ", "1. ", "(" , "{", "[D]\n", "8/8/8/8/8/8/8/8 ", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ", '[Event "x"]\n',
    '["', "//\n", "1.e4\n", ";", "4k3/8/8/8/8/8/8/4K3 w - - bm ", "1. e4 (", "*\n", "> ", "1. e4 e5 1-0 ", "k/", "1. e4 e5 a b ",
)  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_take_linear_time(unit):
    assert not find_superlinear_growth(detect, lambda size: unit * (size // len(unit)), 20_000)
