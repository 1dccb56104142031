"""A word graph, leave values and positions from the folder ``shared`` beside the project."""

import gzip
from functools import cache

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange, Pass
from bot.domain.crossword.position import Position
from bot.engine.lexicon.leaves import LeaveValues, read_klv
from bot.engine.lexicon.word_graph import WordGraph, read_kwg
from bot.engine.plays.values import RatedPlay
from tests.domain.shared import SHARED


@cache
def enable1_graph() -> WordGraph:
    return read_kwg((SHARED / "lexica" / "enable1.kwg").read_bytes())


@cache
def enable1_leaves() -> LeaveValues:
    return read_klv((SHARED / "lexica" / "enable1.klv2").read_bytes())


@cache
def analyzed_positions() -> tuple[tuple[Position, tuple[tuple[str, int, int], ...]], ...]:
    """Return each position with its plays, best first: text, score, and equity in millipoints."""
    found: list[tuple[Position, list[tuple[str, int, int]]]] = []
    with gzip.open(SHARED / "corpus" / "engine" / "plays.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields[0].startswith("#"):
                found.append((cgp.read(fields[1]).value, []))
            else:
                found[-1][1].append((fields[0], int(fields[1]), round(float(fields[2]) * 1000)))
    return tuple((position, tuple(plays)) for position, plays in found)


def entry_of_play(position: Position, rated: RatedPlay) -> tuple[str, int, int]:
    """Return a play in the form of :func:`analyzed_positions`."""
    play, distribution = rated.play, position.rules.distribution
    if isinstance(play, Pass):
        text = "pass"
    elif isinstance(play, Exchange):
        text = "ex " + "".join(distribution.text(tile) for tile in play.tiles)
    else:
        tiles = (
            tile or position.board.at(*square)
            for square, tile in zip(play.squares(), play.tiles, strict=True)
        )
        text = f"{play.start} ".lower() + "".join(distribution.text(tile) for tile in tiles)
    return text, rated.score, rated.equity
