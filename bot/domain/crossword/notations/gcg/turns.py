"""Reads the events of a GCG as turns, and plays them."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.notations.gcg.lines import Event, Remark, SeatOrder, parse_score, read_entities
from bot.domain.crossword.notations.gcg.settings import HeaderSettings
from bot.domain.crossword.notations.gcg.tiles import (
    UNKNOWN_RACK,
    UNKNOWN_TILE,
    NotATileError,
    place_word,
)
from bot.domain.crossword.play import (
    ORDINARY_KINDS,
    Comment,
    Exchange,
    Pass,
    Placement,
    Play,
    Turn,
    TurnKind,
    read_coordinate,
)
from bot.domain.crossword.position import Board
from bot.domain.crossword.replay import Replay
from bot.domain.crossword.scoring import extend_to_whole_word, rack_points, score_placement
from bot.domain.reading.problems import RuleError, TextPiece, Warnings

# Text between the closing quote and the semicolon belongs to the value: author="John Chew <mail">;
_COMMENT_FIELD = re.compile(
    r'\s*(date|author|text)[ \t]*=\s*"((?:[^"\\]|\\.)*)"([^";]*)(?:;|\Z)', re.DOTALL | re.IGNORECASE
)
MAX_RACK_TILES = 100

_WORD_SEPARATOR = re.compile(r"[\s,;]+")
_ESCAPE = re.compile(r'\\([n"\\])')


class RackTiles(NamedTuple):
    """The known tiles on a rack, and the number of unknown tiles."""

    tiles: tuple[int, ...] = ()
    unknown_count: int = 0


class TurnReader:
    """Reads events one after the other and plays them."""

    def __init__(self, settings: HeaderSettings, seats: SeatOrder, warnings: Warnings) -> None:
        self._settings = settings
        self._seats = seats
        self._warnings = warnings
        self.replay = Replay(settings.rules, len(seats.names))

    def read(self, event: Event, remarks: list[Remark]) -> Turn:
        """Read and play an event.

        Raises:
            RuleError: the line is not a valid event, or the event cannot be played. In both cases, ``replay`` is unchanged.

        """
        if event.kind is None:
            raise event.rest.rule_error(
                "malformed-event",
                "{text!r} is not an event: no play, exchange, pass or score found",
                text=event.rest.text[:40],
            )
        seat = self._seats.seat_of(event, self.replay.state)
        board_before = self.replay.state.board
        try:
            turn = self._read_turn(event, seat, remarks)
            faults = self.replay.play(turn)
        except RuleError as error:
            if error.column > 1:  # already located, because nothing in an event starts in column 1
                raise
            raise error.at(*(event.coordinate or event.tiles or event.rest).location) from None
        pieces = {
            "nick": event.nick,
            "rack": event.rack or event.tiles,
            "play": event.coordinate or event.tiles,
            "score": event.score,
            "cumulative": event.cumulative,
        }
        for part_name, fault in faults:
            (pieces[part_name] or event.rest).warn(
                self._warnings, fault.code, fault.template, **dict(fault.values)
            )
        if event.trailing_text is not None:
            self._check_trailing_text(event.trailing_text, turn.play, board_before)
        return turn

    def _check_trailing_text(self, piece: TextPiece, play: Play | None, board: Board) -> None:
        made_words: set[str] = set()
        if isinstance(play, Placement):
            placement_score = score_placement(board, play, self._settings.rules)
            write_tile = self._settings.rules.distribution.text
            made_words = {
                "".join(map(write_tile, word.tiles)).casefold()
                for word in (placement_score.word, *placement_score.cross_words)
            }
        words = (word.strip(",;.()[]|").casefold() for word in _WORD_SEPARATOR.split(piece.text))
        if any(word and word not in made_words for word in words):
            piece.warn(
                self._warnings,
                "text-after-scores",
                "text after the scores is ignored: {text!r}",
                text=piece.text[:40],
            )

    def _read_turn(self, event: Event, seat: int, remarks: list[Remark]) -> Turn:
        play = self._read_play(event)
        rack = self._drop_placeholder_rack(self._read_event_rack(event), event, play, seat)
        counted_tiles = event.tiles if event.kind is TurnKind.END_RACK_POINTS else None
        tiles = self.read_rack(counted_tiles).tiles if counted_tiles else ()
        score = parse_score(event.score) if event.score else self._compute_missing_score(event, play, tiles)
        kind = event.kind
        assert kind is not None
        if kind is TurnKind.END_RACK_POINTS and (score < 0 or (score == 0 and event.rack is not None)):
            kind = TurnKind.END_RACK_PENALTY
            rack = rack if rack.tiles else RackTiles(tiles)
        score_before = self.replay.state.scores[seat]
        notes, comments = read_remarks(remarks)
        return Turn(
            seat,
            kind,
            rack=rack.tiles,
            rack_unknown_count=rack.unknown_count,
            play=play,
            counted_tiles=tiles,
            score=score,
            cumulative=parse_score(event.cumulative) if event.cumulative else score_before + score,
            note=notes,
            comments=comments,
            line=event.line.location[0],
        )

    def _read_event_rack(self, event: Event) -> RackTiles:
        if event.rack is None:
            return RackTiles()
        if event.rack.text == UNKNOWN_RACK:
            # UNKNOWN may be a real rack if the play or exchange uses no other letters.
            played_tiles = event.tiles if event.kind is not TurnKind.END_RACK_POINTS else None
            if played_tiles is None or any(
                letter.upper() not in f"{UNKNOWN_RACK}.()" for letter in played_tiles.text
            ):
                return RackTiles()
        return self.read_rack(event.rack)

    def _drop_placeholder_rack(
        self, rack: RackTiles, event: Event, play: Play | None, seat: int
    ) -> RackTiles:
        """Drop a placeholder rack, whose only known tiles are the tiles played. Kibitz writes one if no rack was shown."""
        state = self.replay.state
        if not rack.unknown_count:
            return rack
        used_tiles, size = tiles_used(play), state.rack_sizes[seat]
        if event.kind is TurnKind.PHONY_WITHDRAWN and state.challengeable_play is not None:
            # ``rack_sizes`` includes the tiles drawn after the phony, so it does not apply to this rack.
            used_tiles, size = tiles_used(state.challengeable_play), len(rack.tiles) + rack.unknown_count
        elif event.kind not in (*ORDINARY_KINDS, TurnKind.PHONY_WITHDRAWN):
            return rack
        shows_only_played = (
            sorted(rack.tiles) == sorted(used_tiles) and len(rack.tiles) + rack.unknown_count == size
        )
        return RackTiles() if shows_only_played else rack

    def read_rack(self, piece: TextPiece) -> RackTiles:
        """Read a rack. If a part of it is not a tile, or it has over :data:`MAX_RACK_TILES` tiles, warn and return an empty rack."""
        try:
            tiles_with_offsets = self._settings.alphabet.read_rack(piece.text)
        except NotATileError as error:
            piece.part(error.offset).warn(
                self._warnings,
                "malformed-rack",
                "{piece!r} is not a tile of the {distribution!r} set; the rack is ignored",
                piece=error.piece,
                distribution=self._settings.rules.distribution.name,
            )
            return RackTiles()
        if len(tiles_with_offsets) > MAX_RACK_TILES:
            piece.warn(
                self._warnings,
                "malformed-rack",
                "a rack of more than {limit} tiles is ignored",
                limit=MAX_RACK_TILES,
            )
            return RackTiles()
        lowercase_offsets = [
            offset for number, offset in tiles_with_offsets if number is not None and number < 0
        ]
        if lowercase_offsets:
            piece.part(lowercase_offsets[0]).warn(
                self._warnings, "small-letter-on-rack", "tiles on a rack should be capital letters"
            )
        dot_offsets = [offset for _, offset in tiles_with_offsets if piece.text[offset] == "."]
        if dot_offsets:
            piece.part(dot_offsets[0]).warn(
                self._warnings, "dot-on-rack", 'a blank on a rack should be written as "?"'
            )
        tiles = tuple(abs(number) for number, _ in tiles_with_offsets if number is not None)
        return RackTiles(tiles, len(tiles_with_offsets) - len(tiles))

    def _read_play(self, event: Event) -> Play | None:
        if event.kind is TurnKind.PLAY:
            return self._read_placement(event)
        if event.kind is TurnKind.EXCHANGE:
            assert event.tiles is not None
            return self._read_exchange(event.tiles)
        return Pass() if event.kind is TurnKind.PASS else None

    def _read_exchange(self, piece: TextPiece) -> Exchange:
        text = str(len(piece.text)) if set(piece.text) == {UNKNOWN_TILE} else piece.text
        if text.isascii() and text.isdigit():
            text = text.lstrip("0")[:10] or "0"
            count = int(text)
            if not 0 < count <= self._settings.rules.distribution.total:
                raise piece.rule_error(
                    "exchange-count",
                    "{tiles} tiles can't be exchanged; a rack has {limit}",
                    tiles=text,
                    limit=self._settings.rules.rack_size,
                )
            return Exchange(unknown_count=count)
        rack = self.read_rack(piece)
        return Exchange(*rack) if any(rack) else Exchange(unknown_count=1)

    def _read_placement(self, event: Event) -> Placement:
        assert event.coordinate is not None
        assert event.tiles is not None
        start = read_coordinate(event.coordinate.text)
        if start is None:
            raise event.coordinate.rule_error(
                "malformed-coordinate",
                "{coordinate} is not a square of the board",
                coordinate=event.coordinate.text,
            )
        if self._settings.has_lettered_rows:
            start = start.transposed
        try:
            word = self._settings.alphabet.read_word(event.tiles.text)
        except NotATileError as error:
            raise event.tiles.part(error.offset).rule_error(
                "unknown-tile",
                "{piece!r} is not a tile of the {distribution!r} set",
                piece=error.piece,
                distribution=self._settings.rules.distribution.name,
            ) from error
        board = self.replay.state.board
        try:
            placement = place_word(start, word, board, self._settings.rules.distribution)
        except RuleError as error:
            if error.code == "off-board":
                raise
            raise error.at(*event.tiles.part(error.column - 1).location) from None
        whole_placement = extend_to_whole_word(board, placement)
        if whole_placement is not placement:
            event.coordinate.warn(
                self._warnings,
                "word-goes-on",
                "with the tiles on the board, the word is longer; it starts at {coordinate}",
                coordinate=str(whole_placement.start),
            )
        return whole_placement

    def _compute_missing_score(self, event: Event, play: Play | None, tiles: tuple[int, ...]) -> int:
        state = self.replay.state
        score = 0
        if isinstance(play, Placement):
            score = score_placement(state.board, play, self._settings.rules).score
        elif event.kind is TurnKind.PHONY_WITHDRAWN and state.last_play is not None:
            score = -(state.last_play.score or 0)
        elif event.kind is TurnKind.END_RACK_POINTS:
            points = rack_points(tiles, self._settings.rules.distribution)
            score = -points if event.rack else 2 * points
        event.line.warn(
            self._warnings, "missing-score", "the score is missing; computed as {score}", score=score
        )
        return score


def read_remarks(remarks: list[Remark]) -> tuple[str, tuple[Comment, ...]]:
    """Return the text of all notes, and the comments."""
    texts = [(keyword, "\n".join(lines)) for keyword, lines in remarks]
    notes = "\n".join(text for keyword, text in texts if keyword == "note")
    return (
        read_entities(notes).strip(),
        tuple(_read_comment(text) for keyword, text in texts if keyword == "comment"),
    )


def _read_comment(text: str) -> Comment:
    fields: dict[str, str] = {}
    offset = 0
    while match := _COMMENT_FIELD.match(text, offset):
        name, offset = match[1].lower(), match.end()
        if name in fields:
            return Comment(text)
        value = _ESCAPE.sub(lambda escape: "\n" if escape[1] == "n" else escape[1], match[2])
        fields[name] = value + match[3].rstrip()
    if not fields or text[offset:].strip():
        return Comment(text)
    return Comment(fields.get("text", ""), fields.get("author", ""), fields.get("date", ""))
