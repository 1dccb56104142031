"""Examples of what can be pasted, each of which can be shown."""

from __future__ import annotations

from typing import Final

from bot.domain.reading.problems import Phrase

_CGP = (
    "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/1N1O1D2N2Y3/"
    "1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex OSPD1;"
)
_GCG = """#player1 alice Alice
#player2 bob Bob
#lexicon CSW21
>alice: AEINRST 8D NASTIER +66 66
#note The only bingo that leaves no floater.
>bob: ABEGIOU 9C BOGIE +22 22
>alice: DEILOQU 7J QI +22 88
>bob: AAEIOUU -AIUU +0 22
>alice: ADELOTU 10B DOTAL +28 116
"""
_TURN_URL = "https://example.org/#gid=g1&v=1&bag=en&seed=g1&tn=1&wl=6.7&wv=EAI&wl=7.7&wh=AEETEBI"
_BOARD = """   A B C D E F G H I J K L M N O
 1 . . . . . . . . . . . . . . .
 2 . . . . . . . . . . . . . . .
 3 . . . . . . . . . . . . . . .
 4 . . . . . . . . . . . . . . .
 5 . . . . . . . . . . . . . . .
 6 . . . . . . . . . . . . . . .
 7 . . . . . . . . . Q I . . . .
 8 . . . N A S T I E R . . . . .
 9 . . B O G I E . . . . . . . .
10 . . . . . . . . . . . . . . .
11 . . . . . . . . . . . . . . .
12 . . . . . . . . . . . . . . .
13 . . . . . . . . . . . . . . .
14 . . . . . . . . . . . . . . .
15 . . . . . . . . . . . . . . .
"""

_FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
_PGN = """[White "Alice"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 {Aims at f7.} Nf6 4. Qxf7# 1-0
"""

EXAMPLES: Final[dict[str, tuple[str, str]]] = {
    "cgp": (Phrase("Position (CGP)"), _CGP),
    "gcg": (Phrase("Game (GCG)"), _GCG),
    "link": (Phrase("Game link (Turn URL)"), _TURN_URL),
    "board": (Phrase("Drawn board"), _BOARD),
    "fen": (Phrase("Chess position (FEN)"), _FEN),
    "pgn": (Phrase("Chess game (PGN)"), _PGN),
}
"""By a short name: what it is called, and the text to paste."""
