"""``inspect`` on long files that repeat a piece of text: the time grows linearly."""

from __future__ import annotations

import json

import pytest

from bot.chat.source import Attachment, Source
from bot.cli.documents import MAX_DOCUMENTS
from bot.features.showing.inspection import inspection
from bot.features.showing.reading.documents import read_source
from tests.domain.growth import find_superlinear_growth

BOARD = "   A B C D E F G\n" + "".join(f"{row:2} . . . . . . .\n" for row in range(1, 8)) + "\n"
FEN = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\n"
ROSTER = '[Event "x"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n'

REPEATED_TEXTS = {
    "puzzles": f"[D] A puzzle\n[S] 1.Rd8#\n{FEN}",
    "puzzles, position first": f"{FEN}[D] Mate\n[S] Rd8#\n\n",
    "puzzles, descriptions only": "[D] x\n",
    "puzzles, short": "[D]\n8/8/8/8/8/8/8/K1k5 w\n",
    "book": "// Spanish\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6\n",
    "book, short": "1. e4 e5\n",
    "book, comments": "// a\n",
    "book, variations": "1. e4 (1. d4) (1. c4) e5\n",
    "book, from positions": '[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]\n1. Ka2 Kc2\n',
    "games": f"{ROSTER}1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n\n",
    "games without tags": "1. e4 e5 1-0 ",
    "games in prose": "and then\n1. e4 e5 2. Nf3 Nc6\n",
    "tags": '[Event "x"]\n',
    "tags in a row": '[Event "x"]',
    "tags that do not end": '[Event "x ',
    "a game": "1. Nf3 Nf6 2. Ng1 Ng8 ",
    "variations": "1. e4 (1. d4 d5) e5 ",
    "broken variations": "1. e4 (1. Zz9) (e5 e5 e5) ",
    "variations that do not end": "1. e4 (",
    "comments": "{a} ",
    "comments that do not end": "{",
    "line comments": "; a\n",
    "numbers": "1. ",
    "FEN": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
    "FEN, short": "k7/8/8/8/8/8/8/K7 w ",
    "EPD": 'k7/8/8/8/8/8/8/K7 w - - id "x"; bm Ka2;\n',
    "EPD in a row": "k7/8/8/8/8/8/8/K7 w - - ce 1;",
    "operations": 'id "x";',
    "UCI": "e2e4 e7e5 ",
    "CGP": "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 9/0 0 lex NWL23;\n",
    "CGP, boards": "7/7/7/7/7/7/7 ",
    "CGP, small": "7/7/7/7/7/7/7 / 0/0 0\n",
    "CGP, rows": "15/",
    "CGP, brackets": "[[a]]/",
    "CGP, open brackets": "[",
    "CGP for ASCII": "~9|~9|~9|~9|~9|~9|~9|~9|~9 A|B 0|0 0 ",
    "GCG": "#player1 a A\n#player2 b B\n>a: CAT 8G CAT +10 10\n>b: DOG 9G DOG +10 10\n\n",
    "GCG, events": ">a: CAT 8G CAT +10 10\n",
    "GCG, notes": "#note x\n",
    "GCG, players": "#player1 a A\n#player2 b B\n",
    "Turn URLs": "https://x.org/#gid=g&v=1&p1n=A&p2n=B&bag=en&tn=1&wl=8.8&wh=CAT&tn=2\n",
    "Turn URLs, short": "gid=a&tn=1 ",
    "a Turn URL": "&tn=1&gid=a",
    "params": "&wl=8.8&wh=CAT",
    "boards in text": BOARD,
    "headers of boards": "   A B C D E F G\n",
    "words": "a b c\n",
    "JSON": '{"format":"kibitz","version":1,"kind":"position"}\n',
    "JSON that does not end": '{"format":"kibitz","x":[',
    "spoilers": "||a||",
    "quotes": "> ",
    **{
        character: character
        for character in ("`", "|", "a", " ", "\n", ".", "(", '"', "#", "=", "&", "/", ">", "-", "1")
    },
}


def inspect(text: str) -> None:
    """Do what ``inspect --json`` does with a file."""
    source = Source("", (Attachment("file.txt", text.encode()),), max_documents=MAX_DOCUMENTS)
    json.dumps(inspection("file.txt", read_source(source)))


def _superlinear_growth(unit: str, size: int) -> str:
    return find_superlinear_growth(inspect, lambda length: (unit * length)[:length], size)


@pytest.mark.parametrize("name", REPEATED_TEXTS)
def test_inspecting_a_file_takes_linear_time(name):
    assert not _superlinear_growth(REPEATED_TEXTS[name], 8_000)


@pytest.mark.long
@pytest.mark.parametrize("size", [125_000, 250_000])
@pytest.mark.parametrize("name", REPEATED_TEXTS)
def test_inspecting_a_long_file_takes_linear_time(name, size):
    assert not _superlinear_growth(REPEATED_TEXTS[name], size)
