"""Writes GCGs for the strictest known readers.

These readers require the encoding on the first line, a rack on every play, pass and exchange, and dots for tiles played
through. After the first event, they accept only events, notes and ``#rack`` lines. ``docs/conversions.md`` lists what they still reject.

``#incomplete`` is not written: the specification calls it deprecated, and one reader rejects it. The events show whether a game
is finished.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from bot.domain.crossword.game import Game, ReplayState, tiles_used
from bot.domain.crossword.notations.gcg.lines import write_entities
from bot.domain.crossword.notations.gcg.settings import NO_AUTHORITY
from bot.domain.crossword.notations.gcg.tiles import (
    DOT,
    UNKNOWN_RACK,
    UNKNOWN_TILE,
    alphabet_of,
    check_tiles,
    tiles_to_declare,
)
from bot.domain.crossword.play import (
    ORDINARY_KINDS,
    THROUGH,
    Comment,
    Exchange,
    Pass,
    Placement,
    PlayerName,
    Turn,
    TurnKind,
)
from bot.domain.crossword.rules import (
    CLASSIC_VARIANT,
    GAMES_WITH_OWN_TILES,
    Rules,
    distribution_of_layout,
    distribution_of_lexicon,
    load_distribution,
)

_LINE_END = re.compile("\r\n|[\r\n]")
_QUOTE_OR_BACKSLASH = re.compile(r'(["\\])')


def write(game: Game) -> str:
    """Write a game.

    A rack that is not fully known is written as its known tiles, which include the tiles played, and ``_`` for each
    unknown tile.

    Raises:
        ConversionError: a tile contains characters that the format reserves.

    """
    check_tiles(game.rules.distribution)
    writer = _Writer(game)
    return "\n".join((*writer.header_lines(), *writer.event_lines(), ""))


class _Writer:
    def __init__(self, game: Game) -> None:
        self._game = game
        self._distribution = game.rules.distribution
        self._declared_tiles = tuple(
            (self._tile_text(number), self._tile_text(-number))
            for number in tiles_to_declare(self._distribution)
        )
        self._alphabet = alphabet_of(self._distribution, self._declared_tiles)
        self._nicks = _unique_nicks(game.names)
        self._shown_racks = {(rack.moment, rack.seat): rack for rack in game.shown_racks}

    def header_lines(self) -> Iterator[str]:
        game = self._game
        yield "#character-encoding UTF-8"
        for number, (nick, name) in enumerate(zip(self._nicks, game.names, strict=True), start=1):
            yield f"#player{number} {nick} {_join_lines(name.name) or nick}"
        if title := _join_lines(game.title):
            yield f"#title {title}"
        # Readers require some text in every description line.
        description_lines = map(str.strip, _lines(write_entities(game.description)))
        yield from (f"#description {text}" for text in description_lines if text)
        if game.game_id:
            yield f"#id {_join_words(game.authority) or NO_AUTHORITY} {_join_words(game.game_id)}"
        yield from self._rule_lines()
        yield from (
            f"#{_join_words(keyword)} {_join_lines(argument)}".rstrip()
            for keyword, argument in game.extra
            if keyword != "turn-url"  # Kibitz's own entry, which strict readers would reject
        )
        # Some readers reject empty lines in a note before the first event, so these are left out.
        yield from _remark_lines("\n".join(line for line in _lines(game.note) if line.strip()), game.comments)
        yield from self._shown_rack_lines(0)

    def _rule_lines(self) -> Iterator[str]:
        rules = self._game.rules
        if lexicon := _join_lines(rules.lexicon):
            yield f"#lexicon {lexicon}"
        if rules.variant != CLASSIC_VARIANT:
            yield f"#game-type {_join_words(rules.variant)}"
        if rules.layout.name and (
            rules.layout.name != "CrosswordGame" or rules.distribution.name in GAMES_WITH_OWN_TILES
        ):
            yield f"#board-layout {_join_lines(rules.layout.name)}"
        if not _is_set_implied(rules):
            yield f"#tile-distribution {_join_words(self._distribution.name)}"
        yield from (f"#tile {capital} {lowercase}" for capital, lowercase in self._declared_tiles)

    def event_lines(self) -> Iterator[str]:
        for number, turn in enumerate(self._game.turns):
            rack, action = self._rack_text(number), self._action_text(turn)
            score = "-0" if turn.score == 0 and turn.kind in _NEGATIVE_KINDS else f"{turn.score:+d}"
            yield f">{self._nicks[turn.seat]}: {rack} {action} {score} {turn.cumulative}"
            yield from _remark_lines(turn.note, turn.comments)
            yield from self._shown_rack_lines(number + 1)

    def _action_text(self, turn: Turn) -> str:
        match turn.play:
            case Placement(start, tiles):
                word = self._alphabet.join(
                    DOT if tile == THROUGH else self._tile_text(tile) for tile in tiles
                )
                return f"{start} {word}"
            case Exchange(tiles, unknown_count):
                return f"-{self._tiles_text(tiles, unknown_count) if tiles else turn.play.size}"
            case Pass():
                return "-"
        return ACTION_TEXTS.get(turn.kind) or f"({self._tiles_text(turn.counted_tiles)})"

    def _tile_text(self, tile: int) -> str:
        text = self._distribution.text(tile)
        # Other programs write the multi-letter Spanish tiles in brackets: ``[CH]`` with ``#tile [CH] [ch]``.
        return f"[{text}]" if len(text) > 1 and self._distribution.name == "spanish" else text

    def _tiles_text(self, tiles: Iterable[int], unknown_count: int = 0) -> str:
        return self._alphabet.join((*map(self._tile_text, tiles), *UNKNOWN_TILE * unknown_count))

    def _rack_text(self, number: int) -> str:
        turn = self._game.turns[number]
        tiles, unknown_count = turn.rack, turn.rack_unknown_count
        if turn.kind is TurnKind.END_RACK_PENALTY and not tiles:
            tiles = turn.counted_tiles
        if not tiles and not unknown_count and turn.kind not in _KINDS_AFTER_GAME:
            tiles, unknown_count = self._known_rack(number)
            if turn.kind is TurnKind.CHALLENGE_BONUS and unknown_count:
                return UNKNOWN_RACK
        text = self._tiles_text(tiles, unknown_count)
        # Bars distinguish a rack that happens to spell UNKNOWN.
        return f"|{'|'.join(map(self._tile_text, tiles))}|" if text == UNKNOWN_RACK else text

    def _known_rack(self, number: int) -> tuple[tuple[int, ...], int]:
        """Return the known tiles on a turn's rack, and the number of other tiles."""
        turn = self._game.turns[number]
        if isinstance(turn.play, Placement):
            tiles = tiles_used(turn.play)
        elif isinstance(turn.play, Exchange):
            tiles = turn.play.tiles
        elif turn.kind is TurnKind.PHONY_WITHDRAWN:
            return self._rack_before_phony(number)
        elif tiles := self._next_rack(number):
            return tiles, 0
        return tiles, max(0, self._rack_sizes[number] - len(tiles))

    def _rack_before_phony(self, number: int) -> tuple[tuple[int, ...], int]:
        turns = self._game.turns
        for earlier_number in range(number - 1, -1, -1):
            turn = turns[earlier_number]
            if turn.seat == turns[number].seat and isinstance(turn.play, Placement):
                has_rack = turn.rack or turn.rack_unknown_count
                return (turn.rack, turn.rack_unknown_count) if has_rack else self._known_rack(earlier_number)
        return (), self._rack_sizes[number]

    def _next_rack(self, number: int) -> tuple[int, ...]:
        """Return the next rack shown for a turn's player, or no tiles if the rack is missing or has unknown tiles.

        The turn must be a pass or a challenge, because these do not change the rack.
        """
        game, seat = self._game, self._game.turns[number].seat
        for later_number in range(number + 1, len(game.turns) + 1):
            if rack := self._shown_racks.get((later_number, seat)):
                return () if rack.unknown_count else rack.tiles
            turn = game.turns[later_number] if later_number < len(game.turns) else None
            if turn is not None and turn.seat == seat:
                if turn.kind is TurnKind.END_RACK_PENALTY:
                    return turn.counted_tiles
                has_rack = turn.rack or turn.rack_unknown_count
                if turn.kind in ORDINARY_KINDS and (has_rack or turn.kind is not TurnKind.PASS):
                    return () if turn.rack_unknown_count else turn.rack
        return ()

    @cached_property
    def _rack_sizes(self) -> list[int]:
        """Number of tiles on the rack before each turn."""
        state = ReplayState(self._game.rules, len(self._game.names))
        sizes = []
        for turn in self._game.turns:
            sizes.append(state.rack_sizes[turn.seat])
            state.apply(turn)
        return sizes

    def _shown_rack_lines(self, moment: int) -> Iterator[str]:
        for rack in self._game.shown_racks:
            if rack.moment == moment:
                yield f"#rack{rack.seat + 1} {self._tiles_text(rack.tiles, rack.unknown_count)}"


ACTION_TEXTS = {
    TurnKind.PHONY_WITHDRAWN: "--",
    TurnKind.CHALLENGE_BONUS: "(challenge)",
    TurnKind.TIME_PENALTY: "(time)",
}
_NEGATIVE_KINDS = frozenset({TurnKind.PHONY_WITHDRAWN, TurnKind.END_RACK_PENALTY, TurnKind.TIME_PENALTY})
_KINDS_AFTER_GAME = frozenset({TurnKind.TIME_PENALTY, TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY})


def _is_set_implied(rules: Rules) -> bool:
    """Return whether readers choose the right set of tiles without its name.

    Some readers choose the lexicon's set. Others always choose the English set.
    """
    english = load_distribution("english")
    implied_set = distribution_of_lexicon(rules.lexicon) if rules.lexicon else english
    return (
        rules.distribution == english == implied_set
        and rules.layout.rows < 21
        and distribution_of_layout(rules.layout) is None
    )


def _remark_lines(note: str, comments: Iterable[Comment]) -> Iterator[str]:
    """Yield the ``#note`` and ``#comment`` lines.

    A note must not start with an empty line, because some readers would add that line to the previous note.
    """
    for line in _lines(write_entities(note.strip())):
        yield f"#note {line.strip() or ' '}"
    for comment in comments:
        fields = (("date", comment.date), ("author", comment.author), ("text", comment.text))
        yield "#comment " + "; ".join(
            f'{key}="{_escape(value)}"' for key, value in fields if value or key == "text"
        )


def _lines(text: str) -> list[str]:
    return _LINE_END.split(text) if text else []


def _escape(text: str) -> str:
    return _QUOTE_OR_BACKSLASH.sub(r"\\\1", text).replace("\r", "").replace("\n", r"\n")


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _join_words(text: str) -> str:
    return "_".join(text.split())


def _unique_nicks(names: Iterable[PlayerName]) -> list[str]:
    nicks: list[str] = []
    for number, name in enumerate(names, start=1):
        nick = _join_words(name.nick) or _join_words(name.name) or f"player{number}"
        while nick.casefold() in {other.casefold() for other in nicks}:
            nick += "_"
        nicks.append(nick)
    return nicks
