"""The channels of the offline demo, and the messages in them when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from bot.chat.preferences import Mode

MANAGER: Final = "alice"
"""The member who may change the server's settings."""
PERSONAS: Final = ("alice", "bob")
"""The members that the visitor can write as. The first is selected when the demo starts."""


@dataclass(frozen=True, slots=True)
class DemoMessage:
    """A message that is in a channel when the demo starts."""

    author: str
    text: str
    attachments: tuple[tuple[str, bytes], ...] = ()
    """The name and the content of each attached file."""


def _load_attachment(name: str) -> tuple[str, bytes]:
    return name, files("bot.demo").joinpath("data", name).read_bytes()


@dataclass(frozen=True, slots=True)
class DemoChannel:
    """A channel of the demo."""

    name: str
    topic: str
    examples: tuple[DemoMessage, ...]
    closing_prompt: DemoMessage
    """The last message, to which Kibitz does not reply. Keep it short, or the page will not open scrolled to the bottom."""
    mode: Mode = Mode.AUTO
    has_daily_puzzles: bool = False
    """Whether the daily puzzles are posted before the other messages."""


_LINK = "https://example.org/sw/#gid=friday20"

CHANNELS: Final = (
    # SimCord quotes the first 100 characters of a message above the reply, so a spoiler must end within that limit.
    DemoChannel(
        "positions",
        "Paste a position, or type / for the commands",
        (
            DemoMessage(
                "alice",
                "My play last night: ||15/15/15/15/15/15/15/3QUOTH7/15/15/15/15/15/15/15 /AE 0/54 0 lm 8D QUOTH;||",
            ),
            DemoMessage(
                "alice",
                "Opening rack, and the other side has just exchanged two tiles. What would you play? "
                "`15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 AELNOQT/ 0/0 0 lex SCOWL80; lm -2;`",
            ),
            DemoMessage(
                "alice",
                "The endgame of the Maven paper. Both racks are known:\n"
                "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/"
                "1N1O1D2N2Y3/1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex CROSSWD;",
            ),
            DemoMessage(
                "bob",
                "Super, 21 × 21: `21/4H16/4a16/3RE5F10/3EM5R10/2MI6E10/2OF2TOMBAL5C3/2O7Ka1NARROWLY/2N8R5A3/"
                "2L2R5D5T3/QUINCE2JOGS4LI3/2T2GLuON6O4/5A1PEST5N4/5T4I5G4/5T4L5E4/5A2OBTURATES4/1KEAS5E2D2T4/"
                "3BONNETED2V7/7SIX3E7/13C7/13T7 DFNNPPR/ 407/563 0 lm 8N NARR.WLY;`",
            ),
            DemoMessage(
                "bob",
                "Behind by 39, but with a blank: "
                "`7L7/7A7/7T7/7I7/7GAPY4/5GOO1AEGIS1/4BAH8/3VELOCE5J/8XI4A/9FEEZED/14E/14D/15/15/15 "
                "LMNSSV?/ 116/155 0 lm O8 JA.ED;` Where is the S?",
            ),
        ),
        DemoMessage(
            "bob",
            "No position here, so no reply. Paste one, or type /.",
        ),
    ),
    DemoChannel(
        "games",
        "Turn URLs continue a game here; a GCG opens the viewer",
        (
            DemoMessage(
                "alice", f"I begin. {_LINK}&v=1&p1n=alice&p2n=bob&bag=en&seed=friday20&tn=1&wl=7.5&wh=KOA"
            ),
            DemoMessage("bob", f"{_LINK}&tn=2&wl=8.6&wh=WIFE"),
            DemoMessage("bob", f"This one was too early: {_LINK}&tn=4&wl=9.4&wv=COOING"),
            DemoMessage("alice", f"Now you have it all: {_LINK}&tn=3&wl=9.4&wh=CENT"),
            DemoMessage(
                "alice",
                "And our game from last night, with my notes. Step through it:",
                (_load_attachment("game.gcg"),),
            ),
        ),
        DemoMessage("bob", "Press ◀ and ▶, or choose a turn. The live game above: /game show."),
    ),
    DemoChannel(
        "chess",
        "FEN, PGN, puzzle files, opening books",
        (
            DemoMessage(
                "bob", "Spot it? `r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4`"
            ),
            DemoMessage("alice", "Three puzzles for the club night:", (_load_attachment("puzzles.txt"),)),
            DemoMessage("bob", "The openings we play:", (_load_attachment("openings.txt"),)),
            DemoMessage("alice", "My shortest game:", (_load_attachment("game.pgn"),)),
        ),
        DemoMessage("bob", "Your turn: paste a FEN or the moves of a game."),
    ),
    DemoChannel(
        "study",
        "Pictures on request: press 🔍 under a message",
        (
            DemoMessage(
                "alice",
                "The bingo, or ZIP and keep the blank? Press 🔍, think, then Analyze and Simulate: "
                "`A5BEGGED3/N4Q1t7/T3VUGH7/L4A1ENJOY3/E4R1R7/RE1D1T1I7/1D1O3S7/1I1WITCH7/EF1N1U9/BY1T1X9/O2IF10/NONMORAL7/"
                "I2EL10/Z3D10/E2PSOAE7 EINPRW?/ 277/293 0 lex CROSSWD; lm 4H .NJOY;`",
            ),
            DemoMessage("bob", "Black to move: `6k1/5ppp/8/8/8/2r5/5PPP/6K1 b - - 0 1`"),
        ),
        DemoMessage("alice", "This channel is set to “on request”. I can change that with /settings server."),
        Mode.ON_REQUEST,
    ),
    DemoChannel(
        "daily",
        "The puzzles of the day: press Answer",
        (),
        DemoMessage(
            "bob", "Press Answer: only you see your tries. /leaderboard and /stats show our results."
        ),
        has_daily_puzzles=True,
    ),
)
