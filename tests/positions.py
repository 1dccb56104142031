"""CGP positions shared by the tests in several packages."""

import re

EMPTY_BOARD = "/".join(["15"] * 15)

OPENING = f"{EMPTY_BOARD} AEINRST/ 0/0 0"
"""An empty board, and a rack with many bingos."""

MAVEN = (
    "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/1N1O1D2N2Y3/"
    "1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex OSPD1;"
)

ONE_IN_BAG = (
    MAVEN.replace("1INDOW1U7", "1INDOW9")
    .replace("1GNU2C", "1GN3C")
    .replace("IKLMTZ/AEINRU?", "IKLMTUZ/")
    .removesuffix(" lex OSPD1;")
)
"""The endgame from the Maven paper with two tiles removed from the board. One is on the rack, and the other is in the bag."""


LATE_BOARD = (
    "15/15/15/15/15/3OUZO2PANTO1/5I1CHID4/5NTH2OFTER/2I2SOAK6/2N4MAY5/2CROWDS7/2L12/EQUALIsE7/2D12/PREYING8"
)
"""Late in a game, with room for many plays."""


EIGHT_UNSEEN = (
    "10FOULS/2N2C7A1/2AL1O2VIRgIN1/2BI1N7A1/3M1T4RANT1/3BYE3TO2E1/2VIA3HADAL2/4PITIED1TOOK/4P7U2/"
    "4EQUINES1I2/3OD4FAZED1/3G6T2OR/3L9MU/3E6GREES/9JOE2H ACEENS?/ 290/207 0"
)
"""A position with 4,077 plays. The bag contains one of eight unseen tiles."""


def one_row_board(number: int, tiles: str) -> str:
    """Return a board with a single non-empty row. Rows are counted from 1: ``one_row_board(8, "7CAT5")``."""
    return "/".join(["15"] * (number - 1) + [tiles] + ["15"] * (15 - number))


FOUR_IN_BAG = (
    "7BURROWER/5FIAT3H2/3C6ABY2/3ED5KA3/3NO5ES3/3OE1I2ZEIN2/3T2XU3o3/3EQUIPS1AN3/6A1TADS3/8OHM3V/7EN1IF2I/"
    "7ME1TOT1R/7OY2GO1O/5JUT4R1I/7EnDEARED LIAGSEV/ 343/354 0"
)


def transposed(cgp: str) -> str:
    board, rest = cgp.split(" ", 1)
    rows = [re.sub(r"\d+", lambda match: " " * int(match[0]), row) for row in board.split("/")]
    columns = ("".join(column) for column in zip(*rows, strict=True))
    return f"{'/'.join(re.sub(' +', lambda match: str(len(match[0])), column) for column in columns)} {rest}"
