"""A UCGI engine for tests. The first argument is a behaviour, such as ``normal`` or ``deaf``, or the move to reply with.

The engine finds its plays with Kibitz's engine. It writes the received position to the file named by the second argument.
"""

import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
behaviour = sys.argv[1]
WORKING_BEHAVIOURS = ("normal", "by the draft")


def reply(text):
    print(text, flush=True)


def think(cgp):
    from bot.domain.crossword.notations import cgp as notation  # noqa: PLC0415 - takes a long time
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415
    from bot.engine.plays.generate import find_plays  # noqa: PLC0415

    position = notation.read(cgp).value
    lexica = Lexica()
    lexicon = lexica.load(lexica.find("SCOWL80"), position.rules.distribution)
    return position, find_plays(position, lexicon.graph, lexicon.leaves, top=1)[0]


def move_of(position, rated):
    """Write a play. H8 goes across in the draft of UCGI, and down in CGP."""
    text = position.rules.distribution.text
    tiles = (
        text(tile or position.board.at(*square))
        for square, tile in zip(rated.play.squares(), rated.play.tiles, strict=True)
    )
    start = str(rated.play.start)
    if behaviour == "by the draft":
        digits = "".join(filter(str.isdigit, start))
        letters = "".join(filter(str.isalpha, start))
        start = letters.lower() + digits if start[0].isdigit() else digits + letters.lower()
    return f"{start}.{''.join(tiles)}"


def chat():
    while not stopped.wait(0.01):
        reply("info " + "x" * 1_000)
    reply("bestmove pass")


stopped = threading.Event()
cgp_text = ""
for line in sys.stdin:
    word = line.split()[0]
    if behaviour == "deaf":
        time.sleep(600)
    if word == "ucgi":
        reply("id name Fake 1")
        reply("id author alice")
        reply("ucgiok")
    elif word == "isready":
        reply("readyok")
    elif word == "position":
        cgp_text = line.removeprefix("position cgp ").strip()
        Path(sys.argv[2]).write_text(line, encoding="utf-8")
    elif word == "go":
        if behaviour == "dies":
            sys.exit(3)
        if behaviour == "floods":
            while True:
                reply("info " + "x" * 10_000)
        if behaviour == "endless":
            continue
        if behaviour == "chatty":
            threading.Thread(target=chat).start()
            continue
        if behaviour in WORKING_BEHAVIOURS:
            position, rated = think(cgp_text)
            move = move_of(position, rated)
            reply(f"info depth 1 score eq {rated.equity / 1000:.1f} time 1 nodes 1 nps 1 pv {move}")
            reply(f"bestmove {move}")
        else:
            reply("info depth 2 score wp 61.25 pv pass")
            reply(f"bestmove {behaviour}")
    elif word == "stop" and behaviour == "chatty":
        stopped.set()
    elif word == "stop" and behaviour == "endless":
        reply("bestmove pass")
    elif word == "quit":
        sys.exit(0)
