"""The common part of the two strictest readers of GCG, which are reimplemented from their source code.

macondo (gcgio/gcg.go) and MAGPIE (src/impl/gcg.c, gameplay.c and validated_move.c) stop at the first line or event that they
reject. The tests cannot run these programs. The code uses Kibitz's letter distributions and board layouts, but not its reader
or replay. If versions of a program differ, the stricter rule applies, unless the program's own test files show that the rule
was dropped.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from bot.domain.crossword.rules import (
    BoardLayout,
    LetterDistribution,
    distribution_of_lexicon,
    find_distribution,
    find_layout,
)
from tests.domain.crossword.naive_scoring import Square, score_of_words

RACK_SIZE = 7
SCORELESS_LIMIT = 6
BINGO_BONUS = 50

PLAY, EXCHANGE, PASS, PHONY = "play", "exchange", "pass", "phony"
CHALLENGE, POINTS, PENALTY, TIME = "challenge", "points", "penalty", "time"
TURNS = frozenset({PLAY, EXCHANGE, PASS})
EVENTS = TURNS | {PHONY, CHALLENGE, POINTS, PENALTY, TIME}
RACKS = frozenset({"rack1", "rack2"})


class RefusalError(Exception):
    """The program rejects the file. ``reason`` is the program's own name for the fault, or a similar name."""

    def __init__(self, reason: str, line: str = "") -> None:
        super().__init__(f"{reason}: {line}")
        self.reason = reason


@dataclass
class Event:
    kind: str
    line: str
    player: int
    rack: str = ""
    position: str = ""
    tiles: str = ""
    score: int = 0
    cumulative: int = 0


@dataclass
class Player:
    nick: str
    name: str


class TileReader:
    """Splits racks and words into tiles of a set. With ``brackets``, a multi-letter tile is written ``[CH]``."""

    def __init__(self, distribution: LetterDistribution, *, brackets: bool) -> None:
        self.distribution = distribution
        self.tiles_by_text: dict[str, tuple[int, bool]] = {}
        for number, letter in enumerate(distribution.letters):
            for text, blank in ((letter.text, False), (letter.blank_text, True)):
                bare_text = text.strip("[]")
                written_text = f"[{bare_text}]" if brackets and len(bare_text) > 1 else text
                self.tiles_by_text.setdefault(written_text, (number, blank and number > 0))
        self.tiles_by_text["?"] = (0, False)
        texts_longest_first = sorted(self.tiles_by_text, key=len, reverse=True)
        self.pattern = re.compile("|".join(map(re.escape, texts_longest_first)))

    def split(self, text: str) -> list[tuple[int, bool]] | None:
        """Return each tile's number, and whether it is a blank. Return None if part of the text is not a tile."""
        matches = list(self.pattern.finditer(text))
        if "".join(match[0] for match in matches) != text:
            return None
        return [self.tiles_by_text[match[0]] for match in matches]

    def count_rack(self, text: str) -> Counter[int] | None:
        """Count the tiles of a rack. Return None if the text contains anything but uppercase letters and ``?``."""
        tiles = self.split(text)
        if tiles is None or any(blank for _, blank in tiles):
            return None
        return Counter(number for number, _ in tiles)


@dataclass
class State:
    tiles: TileReader
    layout: BoardLayout
    board: dict[Square, tuple[int, bool]] = field(default_factory=dict)
    scores: list[int] = field(default_factory=lambda: [0, 0])
    scoreless_turns: int = 0
    on_turn: int = 0
    is_over: bool = False
    ignores_case: bool = False
    """Whether a play may write a blank on the board in uppercase, and any other tile on the board in lowercase."""

    def unseen(self) -> Counter[int]:
        counts = Counter(dict(enumerate(self.tiles.distribution.counts)))
        counts.subtract(0 if blank else number for number, blank in self.board.values())
        return counts

    def points(self, tile: tuple[int, bool]) -> int:
        number, blank = tile
        return self.tiles.distribution.letters[0 if blank else number].points

    def value(self, rack: Counter[int]) -> int:
        return sum(self.tiles.distribution.letters[number].points * count for number, count in rack.items())

    def tiles_laid(self, event: Event) -> dict[Square, tuple[int, bool]]:
        """Return the tiles that a play lays down, by square."""
        match = re.fullmatch(r"(\d+)([A-Za-z])|([A-Za-z])(\d+)", event.position)
        if match is None:
            raise RefusalError("move_validation_error", event.line)
        is_across = match[1] is not None
        row = int(match[1] or match[4]) - 1
        column = ord((match[2] or match[3]).upper()) - ord("A")
        step = (0, 1) if is_across else (1, 0)
        laid_tiles: dict[Square, tuple[int, bool]] = {}
        for part in re.findall(r"\.|[^.]+", event.tiles):
            pieces = [None] if part == "." else self.tiles.split(part)
            if pieces is None:
                raise RefusalError("move_validation_error", event.line)
            for piece in pieces:
                if not (0 <= row < self.layout.rows and 0 <= column < self.layout.columns):
                    raise RefusalError("move_validation_error", event.line)
                tile_on_square = self.board.get((row, column))
                if (piece is None and tile_on_square is None) or (
                    piece and tile_on_square and not self._is_same(piece, tile_on_square)
                ):
                    raise RefusalError("move_validation_error", event.line)
                if tile_on_square is None:
                    laid_tiles[row, column] = piece
                row, column = row + step[0], column + step[1]
        return laid_tiles

    def _is_same(self, piece: tuple[int, bool], tile_on_square: tuple[int, bool]) -> bool:
        return piece == tile_on_square or (self.ignores_case and piece[0] == tile_on_square[0])

    def is_connected(self, laid_tiles: dict[Square, tuple[int, bool]]) -> bool:
        if not self.board:
            return self.layout.start in laid_tiles
        steps = ((-1, 0), (1, 0), (0, -1), (0, 1))
        return any(
            (row + down, column + right) in self.board for row, column in laid_tiles for down, right in steps
        )

    def score(self, laid_tiles: dict[Square, tuple[int, bool]]) -> int:
        bonus = BINGO_BONUS if len(laid_tiles) == RACK_SIZE else 0
        return score_of_words(self.board, laid_tiles, self.layout, self.points) + bonus


def used_tiles(laid_tiles: dict[Square, tuple[int, bool]]) -> Counter[int]:
    return Counter(0 if blank else number for number, blank in laid_tiles.values())


def is_within(needed_counts: Counter[int], available_counts: Counter[int]) -> bool:
    return all(count <= available_counts[tile] for tile, count in needed_counts.items())


def matcher(rules: dict[str, str]):
    """Return a function that finds the first rule that matches a line. It returns the rule's name and the match, or None."""
    compiled_rules = [(name, re.compile(pattern)) for name, pattern in rules.items()]

    def find(line: str) -> tuple[str, re.Match[str]] | None:
        return next(((name, match) for name, rule in compiled_rules if (match := rule.search(line))), None)

    return find


def event_of(kind: str, match: re.Match[str], line: str, nicks: list[str]) -> Event:
    parts = match.groupdict()
    if parts["nick"] not in nicks:
        raise RefusalError("player_does_not_exist", line)
    return Event(
        kind,
        line,
        nicks.index(parts["nick"]),
        parts.get("rack") or "",
        parts.get("position") or "",
        parts.get("tiles") or "",
        int(parts.get("score") or 0),
        int(parts["cumulative"]),
    )


def distribution_of(name: str, lexicon: str) -> LetterDistribution:
    """Return the named distribution or, if the name is empty, the distribution that the lexicon's name implies."""
    distribution = find_distribution(name) if name else distribution_of_lexicon(lexicon)
    if distribution is None or distribution.name.startswith("turn-url"):
        raise RefusalError("config_load_error", name or lexicon)
    return distribution


def layout_of(name: str, known_names: frozenset[str]) -> BoardLayout:
    layout = find_layout(name or "CrosswordGame")
    if layout is None or layout.name not in known_names:
        raise RefusalError("config_load_error", name)
    return layout
