"""The rules of a JSON document: tiles and boards by name or square by square."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.distributions import BLANK_TEXT, Letter, LetterDistribution, find_distribution
from bot.domain.crossword.layouts import MAX_SIDE, BoardLayout, find_layout
from bot.domain.crossword.rules import CLASSIC, EndCount, Rules, usual_rules
from bot.domain.reading.json_document import Node
from bot.domain.reading.problems import Phrase

MAX_LETTERS = 500
MAX_TILES = 10_000
MAX_TILE_TEXT = 32
MAX_NAME = 1_000
MAX_NUMBER = 10**9
MAX_BINGO_TIMES = 100


def read_rules(node: Node) -> Rules:
    """Read the rules; what is not given is as usual for the tiles.

    Raises:
        ParseError: a value is not what the schema says.

    """
    members = node.members(
        "tiles",
        "board",
        "lexicon",
        "variant",
        "rack_size",
        "bingo_bonus",
        "bingo_times",
        "exchange_limit",
        "scoreless_limit",
        "end_count",
        "challenge_rule",
        "time_increment",
        "max_overtime",
    )
    usual = usual_rules(
        _distribution(node.require(members, "tiles")), _layout(node.require(members, "board"))
    )

    def number(name: str, default: int) -> int:
        return members[name].integer(0, MAX_NUMBER) if name in members else default

    def optional(name: str) -> int | None:
        return members[name].integer(0, MAX_NUMBER) if name in members else None

    def text(name: str, default: str) -> str:
        return members[name].string(MAX_NAME) if name in members else default

    end = (
        members["end_count"].choice(*(count.value for count in EndCount)) if "end_count" in members else None
    )
    return replace(
        usual,
        lexicon=text("lexicon", ""),
        variant=text("variant", CLASSIC),
        rack_size=number("rack_size", usual.rack_size),
        bingo_bonus=number("bingo_bonus", usual.bingo_bonus),
        bingo_times=members["bingo_times"].integer(1, MAX_BINGO_TIMES)
        if "bingo_times" in members
        else usual.bingo_times,
        exchange_limit=number("exchange_limit", usual.exchange_limit),
        scoreless_limit=number("scoreless_limit", usual.scoreless_limit),
        end_count=usual.end_count if end is None else EndCount(end),
        challenge_rule=text("challenge_rule", ""),
        time_increment=optional("time_increment"),
        max_overtime=optional("max_overtime"),
    )


def _distribution(node: Node) -> LetterDistribution:
    if isinstance(node.value, str):
        distribution = find_distribution(node.string(MAX_NAME))
        if distribution is None:
            raise node.fail("unknown-distribution", "{where} is no known letter distribution")
        return distribution
    members = node.members("name", "letters")
    letters_node = node.require(members, "letters")
    letters = tuple(_letter(letter) for letter in letters_node.items(MAX_LETTERS))
    texts = [letter.text for letter in letters]
    blanks = {BLANK_TEXT + text for text in texts[1:]}
    shown = [*texts, *(letter.blank_text for letter in letters[1:])]
    if (
        len(letters) < 2
        or texts[0] != BLANK_TEXT
        or len({*texts, *blanks}) != len(texts) + len(blanks)
        or len(set(shown)) != len(shown)
    ):
        raise letters_node.wrong(Phrase("a list of different letters, the blank ? first"))
    return LetterDistribution(members["name"].string(MAX_NAME) if "name" in members else "", letters)


def _letter(node: Node) -> Letter:
    members = node.members("tile", "blank", "count", "points", "vowel")
    text = node.require(members, "tile").string(MAX_TILE_TEXT)
    if not text:
        raise members["tile"].wrong(Phrase("the written form of a tile"))
    return Letter(
        text,
        members["blank"].string(MAX_TILE_TEXT)
        if "blank" in members and members["blank"].value
        else text.lower(),
        node.require(members, "count").integer(0, MAX_TILES),
        node.require(members, "points").integer(-MAX_TILES, MAX_TILES),
        "vowel" in members and members["vowel"].boolean(),
    )


def _layout(node: Node) -> BoardLayout:
    if isinstance(node.value, str):
        layout = find_layout(node.string(MAX_NAME))
        if layout is None:
            raise node.fail("unknown-layout", "{where} is no known board")
        return layout
    members = node.members("name", "rows", "start")
    rows_node = node.require(members, "rows")
    rows = [row.string(MAX_SIDE) for row in rows_node.items(MAX_SIDE)]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise rows_node.wrong(Phrase("a list of rows of one length"))
    limits = (len(rows) - 1, len(rows[0]) - 1)
    start = (len(rows) // 2, len(rows[0]) // 2)
    if "start" in members:
        told = tuple(item.integer(0, limits[index]) for index, item in enumerate(members["start"].items(2)))
        if len(told) != 2:
            raise members["start"].wrong(Phrase("a row and a column"))
        start = (told[0], told[1])
    name = members["name"].string(MAX_NAME) if "name" in members else ""
    try:
        return BoardLayout(name, len(rows), len(rows[0]), "".join(rows), start)
    except ValueError:
        raise rows_node.wrong(Phrase("a list of rows of the symbols . ' \" ^ - = ~ #")) from None
