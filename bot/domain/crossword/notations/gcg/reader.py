"""GCG, the field's file of a game, as in version 1.3 of ``formats/gcg.txt`` and as programs write it.

The reader plays the game as it goes: scores are computed anew, and what differs is told beside the game. An event
that cannot be played ends the reading; the game up to it is returned with the error.
"""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations.gcg.lines import RACK, Lines, Pragma, Seats, split_lines
from bot.domain.crossword.notations.gcg.settings import Settings, read_settings
from bot.domain.crossword.notations.gcg.turns import TurnReader, read_remarks
from bot.domain.crossword.notations.gcg.writer import write
from bot.domain.crossword.play import ShownRack, Turn, TurnKind
from bot.domain.crossword.position import unseen_tiles
from bot.domain.crossword.rules import OWN_GAMES, EndCount, Rules, load_distribution
from bot.domain.crossword.scoring import rack_points
from bot.domain.reading.encoding import decode, join_accents
from bot.domain.reading.problems import Reading, ReadWarning, RuleError

__all__ = ["decode", "read", "write"]

MIN_WRONG_SCORES = 2
"""From so many scores on that classic tiles and squares do not give, other ones are tried."""

_END = frozenset({TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY})


def read(text: str) -> Reading[Game]:
    """Read a game. ``error`` is set when an event cannot be played; the game ends before it.

    Raises:
        ParseError: the text is too long, or tells of no players and no events, or of too many players.

    """
    joined = join_accents(text.removeprefix("\ufeff"))
    lines = split_lines(joined.text)
    settings = read_settings(lines)
    reading = _read_lines(lines, settings)
    if not settings.names_game and settings.rules.distribution.name == "english":
        reading = _by_scores(joined.text, reading)
    return joined.relocated_reading(reading)


def _by_scores(text: str, classic: Reading[Game]) -> Reading[Game]:
    """Read a game that does not say what it is as the one whose tiles and squares give its scores, classic or not."""
    plays = sum(turn.kind is TurnKind.PLAY for turn in classic.value.turns)
    wrong = len(_wrong_scores(classic)) >= MIN_WRONG_SCORES or classic.error is not None
    if not wrong or plays < MIN_WRONG_SCORES:
        return classic
    for game, name in OWN_GAMES.items():
        lines = split_lines(text)
        reading = _read_lines(lines, read_settings(lines, load_distribution(game)))
        if reading.error is None and not _wrong_scores(reading):
            lines.warnings.add(
                "game-by-scores",
                "nothing says which game this is, and the scores are those of {game}; taken for that",
                lines.events[0].line.offset,
                game=name,
            )
            return replace(reading, warnings=_ordered(lines.warnings.all(), None))
    return classic


def _wrong_scores(reading: Reading[Game]) -> list[ReadWarning]:
    return [warning for warning in reading.warnings if warning.code == "score-differs"]


def _read_lines(lines: Lines, settings: Settings) -> Reading[Game]:
    seats = Seats(lines)
    reader = TurnReader(settings, seats, lines.warnings)
    turns: list[Turn] = []
    error: RuleError | None = None
    try:
        for event, remarks in zip(lines.events, lines.remarks[1:], strict=True):
            turns.append(reader.read(event, remarks))
    except RuleError as found:
        error = found
    shown = _shown_racks(lines, reader, len(turns), len(seats.names))
    finished = reader.replay.course.is_over or any(turn.kind in _END for turn in turns)
    game = _game(lines, settings, seats, turns, shown, finished=finished)
    return Reading(game, _ordered(lines.warnings.all(), error), error)


def _ordered(warnings: tuple[ReadWarning, ...], error: RuleError | None) -> tuple[ReadWarning, ...]:
    """Return warnings from the top of the text down, without those on the line of the error, which says it."""
    kept = (warning for warning in warnings if error is None or warning.line != error.line)
    return tuple(sorted(kept, key=lambda warning: (warning.line, warning.column)))


def _game(
    lines: Lines,
    settings: Settings,
    seats: Seats,
    turns: list[Turn],
    shown: tuple[ShownRack, ...],
    *,
    finished: bool,
) -> Game:
    note, comments = read_remarks(lines.remarks[0])
    # There is no turn yet whose note an empty line could go on with.
    note = "\n".join(line for line in note.split("\n") if line.strip())
    rules = settings.rules
    if any(_counts_once(turn, rules) for turn in turns):
        rules = replace(rules, end_count=EndCount.EACH_WAY)
    return Game(
        rules,
        seats.names,
        tuple(turns),
        title=settings.title,
        description=settings.description,
        authority=settings.authority,
        game_id=settings.game_id,
        shown_racks=shown,
        incomplete=not finished,
        note=note,
        comments=comments,
        extra=settings.extra,
    )


def _counts_once(turn: Turn, rules: Rules) -> bool:
    """Tell whether the points for the tiles left are their sum rather than twice that."""
    if rules.end_count is EndCount.EQUAL_TURNS:
        return False
    if turn.kind is not TurnKind.END_RACK_POINTS or not turn.score:
        return False
    return turn.score == rack_points(turn.tiles, rules.distribution)


def _shown_racks(lines: Lines, reader: TurnReader, turns: int, players: int) -> tuple[ShownRack, ...]:
    """Return the racks of ``#rack1``, ``#rack2`` and so on, and of ``#incomplete`` where none of them overrides it."""
    shown: dict[tuple[int, int], ShownRack] = {}
    overriders: set[tuple[int, int]] = set()
    for pragma in lines.pragmas:
        if pragma.keyword == "incomplete" and pragma.argument.text:
            seat, after, overriding = reader.replay.course.next_seat, len(lines.events), False
        elif match := RACK.fullmatch(pragma.keyword):
            seat, after, overriding = int(match[1]) - 1, pragma.after, True
        else:
            continue
        if seat >= players:
            pragma.line.warn(
                lines.warnings, "rack-without-player", "there is no player {number}", number=seat + 1
            )
        elif after <= turns and (overriding or (after, seat) not in shown):
            rack = _rack_argument(pragma, reader, lines)
            if rack is not None:
                if (after, seat) in overriders and (
                    shown[after, seat].tiles,
                    shown[after, seat].unknown,
                ) != rack:
                    pragma.line.warn(
                        lines.warnings,
                        "repeated-pragma",
                        "{name} is given twice; the later one counts",
                        name=f"#{pragma.keyword}",
                    )
                if overriding:
                    overriders.add((after, seat))
                shown[after, seat] = ShownRack(after, seat, *rack)
    racks = tuple(shown[key] for key in sorted(shown))
    _check_last_racks(lines, reader, [rack.tiles for rack in racks if rack.after == len(lines.events)])
    return racks


def _check_last_racks(lines: Lines, reader: TurnReader, racks: list[tuple[int, ...]]) -> None:
    """Warn when the board and the racks shown last have more of a tile than the set."""
    rules = reader.replay.course.rules
    if not rules.has_known_bag:
        return
    distribution = rules.distribution
    unseen = unseen_tiles(distribution, reader.replay.course.board.squares, racks)
    for tile in unseen.overdrawn:
        has = distribution.counts[tile]
        if not any(tile in rack for rack in racks):
            continue
        lines.pragmas[-1].line.warn(
            lines.warnings,
            "too-many-tiles",
            "the board and the racks show {shown} × {tile}; the {distribution} set has {has}",
            shown=has - unseen.counts[tile],
            tile=distribution.text(tile),
            distribution=distribution.name,
            has=has,
        )


def _rack_argument(pragma: Pragma, reader: TurnReader, lines: Lines) -> tuple[tuple[int, ...], int] | None:
    text = pragma.argument.text.split(maxsplit=1)
    if not text:
        return None
    if len(text) > 1:
        pragma.line.warn(
            lines.warnings,
            "text-after-rack",
            "what follows the rack is passed over: {text!r}",
            text=text[1][:40],
        )
    rack = reader.rack_of(pragma.argument.strip().part(0, len(text[0])))
    return (rack.tiles, rack.unknown) if rack.tiles or rack.unknown else None
