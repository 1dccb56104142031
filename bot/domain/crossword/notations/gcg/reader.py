"""Finds GCGs in free text, and reads them.

The reader accepts version 1.3 of poslfit.com's specification, and the variants that programs write.

A block of lines is a GCG if it has two ``#player`` lines, a ``#player`` line and an event, or two lines that are certainly
events. Any other lines between them belong to notes. At the end of the block, a note continues up to an empty line.

The reader replays the game, and warns about scores that differ from the computed scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations.gcg.lines import (
    KNOWN_PRAGMAS,
    RACK_KEYWORD,
    GcgLines,
    Pragma,
    SeatOrder,
    split_lines,
)
from bot.domain.crossword.notations.gcg.settings import HeaderSettings, read_settings
from bot.domain.crossword.notations.gcg.turns import RackTiles, TurnReader, read_remarks
from bot.domain.crossword.play import ShownRack, Turn, TurnKind
from bot.domain.crossword.position import unseen_tiles
from bot.domain.crossword.rules import GAMES_WITH_OWN_TILES, EndScoring, load_distribution
from bot.domain.crossword.scoring import rack_points
from bot.domain.reading.encoding import read_with_joined_accents
from bot.domain.reading.notation import Span, are_mostly_valid
from bot.domain.reading.problems import Reading, ReadWarning, RuleError

_QUOTE = re.compile(r"(?:>>> |> )(?=[^\S\n]*[`|#>])")
LINE = re.compile(r"[^\r\n]+")  # a carriage return alone also ends a line
_SURROUNDING_CHARACTERS = " \t`|\ufeff\u200b"
"""Characters around a line: spaces, tabs, backticks, vertical bars, a byte order mark and zero-width spaces."""
_LINE_START = r"(?:>>> |> )?[\s`|\ufeff\u200b]*+"
_PRAGMA = re.compile(rf"{_LINE_START}#(?P<keyword>[a-z][a-z0-9-]{{1,30}})(?=\s|$)", re.IGNORECASE)
_PLAYER = re.compile(rf"{_LINE_START}#player[1-9]\s+\S", re.IGNORECASE)
_LATER_PRAGMA = re.compile(r"note|comment|rack[1-9]|incomplete", re.IGNORECASE)
_REMARK_START = re.compile(rf"{_LINE_START}#(?:note|comment)(?=\s|$)", re.IGNORECASE)
_EVENT_START = r"(?:>>> |> )?[\s`|]*+>[^\s:>][^:]{0,80}+:"
_EVENT_LIKE = re.compile(_EVENT_START)
_EVENT_SCORES = r"[+-]{1,2}+\d{1,5}\s++-?\d{1,6}\b"
_EVENT = re.compile(
    rf"{_EVENT_START}\s*+"
    r"(?:(?:(?<=\s)|[^\s()]{1,60}+\s++)(?:[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})\s++\S{1,120}+"
    r"|[^\s()]{0,60}\s*+(?:-\S{0,60}+|\((?:challenge|time)\)|\([^()\s]{1,60}+\)))\s++" + _EVENT_SCORES
)


LineKind = Literal["event", "player", "setting", "other"]
"""The kinds of lines in a GCG. A line of the kind ``other`` is a remark, a rack, ``#incomplete``, or possibly an event.

All remaining pragmas are settings, even unknown pragmas.
"""


def kind_of_line(line: str) -> LineKind | None:
    if "#" in line and (pragma := _PRAGMA.match(line)):
        if _PLAYER.match(line):
            return "player"
        return "other" if _LATER_PRAGMA.fullmatch(pragma["keyword"]) else "setting"
    if ">" not in line:
        return None
    if _EVENT.match(line):
        return "event"
    return "other" if _EVENT_LIKE.match(line) else None


def find(text: str) -> Iterator[Span]:
    if ">" not in text and not ("#" in text and "#player" in text.lower()):
        return
    block, next_block = _Block(), _Block()
    remark_line: re.Match[str] | None = None
    for line in LINE.finditer(text):
        kind = kind_of_line(line[0])
        remark_line = _remark_line(text, line, kind, remark_line)
        if block.player_count > 1 and block.event_count and kind in {"player", "setting"}:
            # Settings after the events belong to another game if a ``#player`` line follows them.
            next_block.add(line, kind)
            if kind == "player":
                yield from block.spans()
                block, next_block = next_block, _Block()
        elif kind is not None:
            block.add(line, kind)
            next_block = _Block()
        elif remark_line is not None:
            (block if next_block.start < 0 else next_block).extend(line)
        if line[0].rstrip().endswith("```"):  # a code block starts or ends
            yield from block.spans(next_block)
            block, next_block, remark_line = _Block(), _Block(), None
    yield from block.spans(next_block)


def _remark_line(
    text: str, line: re.Match[str], kind: LineKind | None, previous_remark_line: re.Match[str] | None
) -> re.Match[str] | None:
    """Return the line if it starts or continues a note or comment."""
    if kind is not None:
        # Like any unknown pragma, a hashtag after a note ("#findingsad") continues the note.
        is_continuation = (
            previous_remark_line is not None
            and kind == "setting"
            and not _KNOWN_PRAGMA.match(line[0].lstrip())
        )
        return line if is_continuation or _REMARK_START.match(line[0]) else None
    if previous_remark_line is None or not line[0].strip(_SURROUNDING_CHARACTERS):
        return None
    text_between = text[previous_remark_line.end() : line.start()]
    has_same_quote = previous_remark_line[0].startswith("> ") == line[0].startswith("> ")
    is_next = max(text_between.count("\n"), text_between.count("\r")) == 1
    return line if is_next and has_same_quote else None


class _Block:
    """Lines that may be a GCG."""

    def __init__(self) -> None:
        self.start = -1
        self.end = -1
        self.player_count = 0
        self.event_count = 0

    def add(self, line: re.Match[str], kind: LineKind) -> None:
        text = line[0]
        if self.start < 0:
            if kind == "other" and not _PRAGMA.match(text):
                return
            quote = _QUOTE.match(text)
            inner_text = text[quote.end() :] if quote else text
            self.start = line.end() - len(inner_text.lstrip(_SURROUNDING_CHARACTERS))
        self.end = line.start() + len(text.rstrip(" \t`|"))
        self.event_count += kind == "event"
        self.player_count += kind == "player"

    def extend(self, line: re.Match[str]) -> None:
        if self.start >= 0:
            self.end = line.start() + len(line[0].rstrip(" \t`|"))

    def spans(self, later_settings: _Block | None = None) -> Iterator[Span]:
        if self.player_count + self.event_count > 1:
            yield self.start, max(self.end, later_settings.end if later_settings else -1), "gcg"


def sniff(text: str) -> bool:
    """Return whether the first line with text looks like a known pragma or an event."""
    first_line = LINE.search(text.lstrip("\ufeff \t\r\n"))
    return first_line is not None and bool(
        _EVENT_LIKE.match(first_line[0]) or _KNOWN_PRAGMA.match(first_line[0])
    )


_KNOWN_PRAGMA = re.compile(rf"#(?:player[1-9]|rack[1-9]|{'|'.join(sorted(KNOWN_PRAGMAS))})\b", re.IGNORECASE)


_MIN_KNOWN_LINES: Final = 3
"""Minimum number of lines in a likely GCG that look like pragmas or events."""


def find_leniently(text: str) -> Iterator[Span]:
    """Yield the span of a likely GCG.

    At least four fifths of its lines look like pragmas or events, and at least one is a complete event.
    """
    lines = [
        (line.start(), line.end(), kind_of_line(line[0])) for line in LINE.finditer(text) if line[0].strip()
    ]
    known_lines = [index for index, (_, _, kind) in enumerate(lines) if kind is not None]
    if len(known_lines) < _MIN_KNOWN_LINES or not any(kind == "event" for _, _, kind in lines):
        return
    first_index, last_index = known_lines[0], known_lines[-1]
    if are_mostly_valid(len(known_lines), last_index - first_index + 1):
        yield lines[first_index][0], lines[last_index][1], "gcg"


MIN_WRONG_SCORES = 2
"""If at least this many scores do not match the classic tiles and squares, the file is also read with those of each game in
:data:`GAMES_WITH_OWN_TILES`.

An error has the same effect. A file with fewer plays than this number is read only with the classic tiles and squares.
"""

_END_KINDS = frozenset({TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY})


def read(text: str) -> Reading[Game]:
    """Read a game. If an event cannot be read or played, ``error`` is set, and the game ends before that event.

    Raises:
        ParseError: the text is too long, has too many lines or players, or has neither players nor events.

    """
    return read_with_joined_accents(text.removeprefix("\ufeff"), _read)


def _read(text: str) -> Reading[Game]:
    lines = split_lines(text)
    settings = read_settings(lines)
    classic_reading = _read_lines(lines, settings)
    if settings.declares_game or settings.rules.distribution.name != "english":
        return classic_reading
    play_count = sum(turn.kind is TurnKind.PLAY for turn in classic_reading.value.turns)
    has_wrong_scores = (
        _count_wrong_scores(classic_reading) >= MIN_WRONG_SCORES or classic_reading.error is not None
    )
    for set_name, game in (
        GAMES_WITH_OWN_TILES.items() if has_wrong_scores and play_count >= MIN_WRONG_SCORES else ()
    ):
        lines = split_lines(text)
        reading = _read_lines(lines, read_settings(lines, load_distribution(set_name)))
        if reading.error is None and not _count_wrong_scores(reading):
            lines.warnings.add(
                "game-by-scores",
                "the file doesn't name its game; assuming {game}, whose tiles and squares match these scores",
                lines.events[0].line.offset,
                game=game,
            )
            return replace(reading, warnings=_sort_warnings(lines.warnings.all(), None))
    return classic_reading


def _count_wrong_scores(reading: Reading[Game]) -> int:
    return sum(warning.code == "score-differs" for warning in reading.warnings)


def _read_lines(lines: GcgLines, settings: HeaderSettings) -> Reading[Game]:
    seats = SeatOrder(lines)
    reader = TurnReader(settings, seats, lines.warnings)
    turns: list[Turn] = []
    error: RuleError | None = None
    try:
        for event, remarks in zip(lines.events, lines.remarks[1:], strict=True):
            turns.append(reader.read(event, remarks))
    except RuleError as rule_error:
        error = rule_error
    note, comments = read_remarks(lines.remarks[0])
    rules = settings.rules
    if rules.end_scoring is not EndScoring.EQUAL_TURNS and any(
        turn.kind is TurnKind.END_RACK_POINTS
        and turn.score
        and turn.score == rack_points(turn.counted_tiles, rules.distribution)
        for turn in turns
    ):
        # The player who went out gained the points of the tiles once, not twice.
        rules = replace(rules, end_scoring=EndScoring.EACH_WAY)
    game = Game(
        rules,
        seats.names,
        tuple(turns),
        title=settings.title,
        description=settings.description,
        authority=settings.authority,
        game_id=settings.game_id,
        shown_racks=_read_shown_racks(lines, reader, len(turns), len(seats.names)),
        incomplete=not (reader.replay.state.is_over or any(turn.kind in _END_KINDS for turn in turns)),
        # The writer leaves out empty lines in a note before the first event, so they are left out here as well.
        note="\n".join(line for line in note.split("\n") if line.strip()),
        comments=comments,
        extra=settings.extra,
    )
    return Reading(game, _sort_warnings(lines.warnings.all(), error), error)


def _sort_warnings(warnings: tuple[ReadWarning, ...], error: RuleError | None) -> tuple[ReadWarning, ...]:
    """Sort the warnings by location. Leave out the warnings on the error's line."""
    other_warnings = (warning for warning in warnings if error is None or warning.line != error.line)
    return tuple(sorted(other_warnings, key=lambda warning: (warning.line, warning.column)))


def _read_shown_racks(
    lines: GcgLines, reader: TurnReader, turn_count: int, player_count: int
) -> tuple[ShownRack, ...]:
    """Return the racks in ``#rack1``, ``#rack2`` … and ``#incomplete``. A ``#rack`` line overrides ``#incomplete``."""
    by_moment: dict[tuple[int, int], ShownRack] = {}
    rack_line_keys: set[tuple[int, int]] = set()
    for pragma in lines.pragmas:
        if pragma.keyword == "incomplete" and pragma.argument.text:
            seat, moment, is_rack_pragma = reader.replay.state.next_seat, len(lines.events), False
        elif match := RACK_KEYWORD.fullmatch(pragma.keyword):
            seat, moment, is_rack_pragma = int(match[1]) - 1, pragma.event_count_before, True
        else:
            continue
        if seat >= player_count:
            pragma.line.warn(
                lines.warnings, "rack-without-player", "there is no player {number}", number=seat + 1
            )
        elif moment <= turn_count and (is_rack_pragma or (moment, seat) not in by_moment):
            rack = _read_rack_argument(pragma, reader, lines)
            if rack is not None:
                shown_rack = ShownRack(moment, seat, *rack)
                if (moment, seat) in rack_line_keys and by_moment[moment, seat] != shown_rack:
                    pragma.line.warn(
                        lines.warnings,
                        "repeated-pragma",
                        "{name} is given twice; the later one counts",
                        name=f"#{pragma.keyword}",
                    )
                if is_rack_pragma:
                    rack_line_keys.add((moment, seat))
                by_moment[moment, seat] = shown_rack
    racks = tuple(by_moment[key] for key in sorted(by_moment))
    _check_last_racks(lines, reader, [rack.tiles for rack in racks if rack.moment == len(lines.events)])
    return racks


def _check_last_racks(lines: GcgLines, reader: TurnReader, racks: list[tuple[int, ...]]) -> None:
    distribution = reader.replay.state.rules.distribution
    if not distribution.has_known_bag:
        return
    unseen = unseen_tiles(distribution, reader.replay.state.board.squares, racks)
    for tile in unseen.overdrawn_letters:
        if any(tile in rack for rack in racks):
            lines.pragmas[-1].line.warn(
                lines.warnings,
                "too-many-tiles",
                "the board and racks have {shown} × {tile}; the {distribution!r} set has {has}",
                shown=distribution.counts[tile] - unseen.counts[tile],
                tile=distribution.text(tile),
                distribution=distribution.name,
                has=distribution.counts[tile],
            )


def _read_rack_argument(pragma: Pragma, reader: TurnReader, lines: GcgLines) -> RackTiles | None:
    words = pragma.argument.text.split(maxsplit=1)
    if not words:
        return None
    if len(words) > 1:
        pragma.line.warn(
            lines.warnings,
            "text-after-rack",
            "text after the rack is ignored: {text!r}",
            text=words[1][:40],
        )
    rack = reader.read_rack(pragma.argument.strip().part(0, len(words[0])))
    return rack if rack.tiles or rack.unknown_count else None
