"""Converts between the notations of crossword games. ``docs/conversions.md`` lists the losses.

Losses are found by reading the written text back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias, TypeVar

from bot.domain.crossword.game import Game, public_turn, tiles_used, turns_left
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.crossword.notations.cgp import reader as cgp_reader
from bot.domain.crossword.notations.cgp_ascii import EARLIER_PLAYS_KEY
from bot.domain.crossword.notations.fields import MIN_ROWS
from bot.domain.crossword.notations.gcg import reader as gcg_reader
from bot.domain.crossword.notations.turn_url import reader as turn_url_reader
from bot.domain.crossword.play import ORDINARY_KINDS, Exchange, Placement, Play, ShownRack, Turn, TurnKind
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import LetterDistribution, Rules
from bot.domain.reading.notation import Conversion, ConversionLoss, GameKind, Notation
from bot.domain.reading.problems import ConversionError, DomainError, Phrase, Reading

LOSS_PHRASES = {
    "history": Phrase("the turns before the position ({turns})"),
    "remarks": Phrase("notes, comments, title and description"),
    "tiles": Phrase("the number and the points of each tile: other programs assume the {distribution} set"),
    "letters": Phrase(
        "the letter distribution: other programs don't know it, and none of their distributions has these letters"
    ),
    "board-layout": Phrase("the bonus squares of the board"),
    "rule": Phrase("a rule of the game: {rule}"),
    "lexicon": Phrase("the lexicon"),
    "names": Phrase("the names of the players"),
    "nicks": Phrase("the short names of the players"),
    "players": Phrase("the players: the notation is for a different number of players"),
    "scores": Phrase("the scores"),
    "racks": Phrase("tiles on racks"),
    "clocks": Phrase("the clocks"),
    "last-play": Phrase("the last play"),
    "last-play-details": Phrase("the score, the player or the challenge of the last play"),
    "scoreless-turns": Phrase("the number of scoreless turns"),
    "turns-left": Phrase("how many turns are left"),
    "opponent-rack-unknown": Phrase("that the opponents' racks count as unknown"),
    "game-id": Phrase("the identifier of the game"),
    "turns": Phrase("turns of the game: {lost} of {turns}"),
    "plays": Phrase("the plays of some turns"),
    "shown-racks": Phrase("racks shown between two turns"),
    "incomplete": Phrase("that the game is not finished"),
    "extra": Phrase("fields of another notation: {names}"),
}

_RULE_PHRASES = {
    "variant": Phrase("the variant"),
    "rack_size": Phrase("the size of a rack"),
    "bingo_bonus": Phrase("the bingo bonus"),
    "bingo_multiplier": Phrase("how many times the main word of a bingo counts"),
    "min_bag_for_exchange": Phrase("how many tiles the bag must hold for an exchange"),
    "scoreless_limit": Phrase("how many scoreless turns end the game"),
    "end_scoring": Phrase("how the tiles left on racks are counted"),
    "challenge_rule": Phrase("the challenge rule"),
    "increment_ms": Phrase("the time added after each turn"),
    "max_overtime_ms": Phrase("the overtime that ends the game"),
}


Document: TypeAlias = Position | Game
DocumentT = TypeVar("DocumentT")


def loss(code: str, **values: object) -> ConversionLoss:
    return ConversionLoss(code, LOSS_PHRASES[code], values=tuple(values.items()))


# Each function returns the values of one part of a document. A part is lost if a value is not empty and
# differs after the conversion. A number that may be 0 is put into a tuple, which is never empty. Tiles are compared as
# text, because two distributions may number the same tiles differently.

_POSITION_PARTS: dict[str, Callable[[Position], list[object]]] = {
    "letters": lambda position: [_square_texts(position.board.squares, position.rules)],
    "players": lambda position: [len(position.players)],
    "names": lambda position: [player.name for player in position.players],
    "scores": lambda position: [(player.score,) for player in position.players],
    "racks": lambda position: [_rack_texts(player.rack, position.rules) for player in position.players],
    "clocks": lambda position: [
        player.clock_ms is not None and (player.clock_ms,) for player in position.players
    ],
    "last-play": lambda position: [
        position.last_play and _comparable_play(position.last_play.play, position.rules)
    ],
    "last-play-details": lambda position: [_play_details(position)],
    "scoreless-turns": lambda position: [(position.scoreless_turns,)],
    "opponent-rack-unknown": lambda position: [position.ignore_opponent_racks],
    "game-id": lambda position: [position.game_id],
}
_GAME_PARTS: dict[str, Callable[[Game], list[object]]] = {
    "players": lambda game: [len(game.names)],
    "names": lambda game: [name.name for name in game.names],
    "nicks": lambda game: [name.nick for name in game.names],
    "plays": lambda game: [
        (turn.seat, turn.kind, _comparable_play(turn.play, game.rules)) for turn in game.turns
    ],
    "scores": lambda game: [(turn.score, turn.cumulative) for turn in game.turns],
    "racks": lambda game: [
        tiles
        for turn in game.turns
        for tiles in (_visible_tiles(turn, game.rules), sorted(_rack_texts(turn.counted_tiles, game.rules)))
    ],
    "remarks": lambda game: [_remarks(game)],
    "game-id": lambda game: [game.game_id and (game.game_id, game.authority)],
    "incomplete": lambda game: [game.incomplete],
}
_INCLUDED_IN = {"last-play-details": "last-play", "nicks": "names"}
"""Maps a part to the part that includes it. If both are lost, only the larger part is reported."""


def _part_losses(
    parts: dict[str, Callable[[DocumentT], list[object]]], before: DocumentT, after: DocumentT
) -> Iterator[ConversionLoss]:
    lost_codes = [
        code
        for code, values in parts.items()
        if any(
            value and value != value_after
            for value, value_after in zip(values(before), values(after), strict=False)
        )
    ]
    yield from (loss(code) for code in lost_codes if _INCLUDED_IN.get(code) not in lost_codes)


def position_losses(before: Position, after: Position) -> Iterator[ConversionLoss]:
    """Yield what ``after`` lacks. In both positions, the player to move must be in seat 0."""
    yield from _rules_losses(before.rules, after.rules)
    yield from _part_losses(_POSITION_PARTS, before, after)
    turns_before, turns_after = turns_left(before), turns_left(after)
    if before.turns_left is not None and (turns_before and turns_before.count) != (
        turns_after and turns_after.count
    ):
        yield loss("turns-left")
    yield from _extra_losses(before.extra, after.extra)


def _rules_losses(before: Rules, after: Rules) -> Iterator[ConversionLoss]:
    if _kinds_of_tiles(before.distribution) != _kinds_of_tiles(after.distribution):
        yield loss("tiles", distribution=after.distribution.name)
    if (before.layout.squares, before.layout.start) != (after.layout.squares, after.layout.start):
        yield loss("board-layout")
    if before.lexicon and before.lexicon != after.lexicon:
        yield loss("lexicon")
    for field, name in _RULE_PHRASES.items():
        if getattr(before, field) != getattr(after, field):
            yield loss("rule", rule=name)


def _kinds_of_tiles(distribution: LetterDistribution) -> frozenset[tuple[str, int, int]]:
    return frozenset(
        (letter.text, letter.count, letter.points) for letter in distribution.letters if letter.count
    )


def _square_texts(tiles: tuple[int, ...], rules: Rules) -> list[tuple[str, bool]]:
    return [(rules.distribution.letters[abs(tile)].text if tile else "", tile < 0) for tile in tiles]


def _rack_texts(tiles: tuple[int, ...], rules: Rules) -> list[str]:
    return [rules.distribution.letters[tile].text for tile in tiles]


def _comparable_play(play: Play | None, rules: Rules) -> object:
    match play:
        case Placement(start, tiles):
            return start, _square_texts(tiles, rules)
        case Exchange(tiles, unknown_count):
            return unknown_count, _rack_texts(tiles, rules)
    return type(play)


def _play_details(position: Position) -> object:
    last_play = position.last_play
    if last_play is None:
        return None
    # If no player is stated, the last play was made by the player in the previous seat.
    player = (position.on_turn - 1) % len(position.players) if last_play.seat is None else last_play.seat
    return last_play.score, player, last_play.withdrawn, last_play.challenge_bonus


def _extra_losses(
    before: tuple[tuple[str, str], ...], after: tuple[tuple[str, str], ...]
) -> Iterator[ConversionLoss]:
    lost_names = [name for name, text in before if (name, text) not in after]
    if lost_names:
        yield loss("extra", names=", ".join(dict.fromkeys(lost_names)))


def game_losses(before: Game, after: Game) -> Iterator[ConversionLoss]:
    yield from _rules_losses(before.rules, after.rules)
    lost_count = len(before.turns) - len(after.turns)
    if lost_count:
        yield loss("turns", lost=max(lost_count, 0), turns=len(before.turns))
    yield from _part_losses(_GAME_PARTS, before, after)
    if not _shown_racks(before) <= _shown_racks(after):
        yield loss("shown-racks")
    yield from _extra_losses(before.extra, after.extra)


def _shown_racks(game: Game) -> set[tuple[int, int, tuple[str, ...], int]]:
    return {
        (rack.moment, rack.seat, tuple(_rack_texts(rack.tiles, game.rules)), rack.unknown_count)
        for rack in game.shown_racks
    }


def _remarks(game: Game) -> tuple[object, ...]:
    return (
        game.title,
        _nonempty_lines(game.description),
        _nonempty_lines(game.note),
        game.comments,
        *((_nonempty_lines(turn.note), turn.comments) for turn in game.turns),
    )


def _nonempty_lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _visible_tiles(turn: Turn, rules: Rules) -> list[str]:
    """Return the tiles on a rack, with ``_`` for unknown tiles. If only the played tiles are known, the list is empty."""
    if turn.rack_unknown_count and sorted(turn.rack) == sorted(tiles_used(turn.play)):
        return []
    return sorted(_rack_texts(turn.rack, rules)) + ["_"] * turn.rack_unknown_count


_POSITION_NOTATIONS: dict[str, tuple[Callable[[Position], str], Callable[[str], Reading[Position]]]] = {
    "cgp": (cgp.write, cgp.read),
    "cgp-ascii": (cgp_ascii.write, cgp_ascii.read),
    "text": (board_text.write, board_text.read),
}
_LABEL_OF_GAME_NOTATION = {"gcg": "GCG", "turn-url": "Turn URL"}


def convert(document: Document, target: str, turn: int) -> Conversion:
    """Convert a document, as described in :func:`bot.domain.notations.convert`."""
    if isinstance(document, Position):
        return _convert_position(document, target)
    if target in _POSITION_NOTATIONS:
        conversion = _convert_position(document.position_at(turn), target)
        return replace(conversion, losses=(*_history_losses(document, turn), *conversion.losses))
    game = _game_up_to(document, turn)
    if target == "json":
        return Conversion(json_document.write(game))
    if target == "turn-url":
        text = turn_url.write(turn_url.history_of(game))
        # A seed in the link determines all racks. If racks were compared, the losses would reveal the racks of a game in progress.
        losses = game_losses(_without_racks(game), _without_racks(_read_turn_url(text).value))
        return Conversion(text, tuple(losses))
    return _conversion(gcg.write(game), gcg.read, lambda after: game_losses(game, after))


def _conversion(
    text: str,
    read: Callable[[str], Reading[DocumentT]],
    losses: Callable[[DocumentT], Iterator[ConversionLoss]],
) -> Conversion:
    try:
        reading = read(text)
    except DomainError:
        return Conversion(text, (loss("letters"),))
    letter_losses = () if reading.error is None else (loss("letters"),)
    return Conversion(text, (*letter_losses, *losses(reading.value)))


def _convert_position(position: Position, target: str) -> Conversion:
    if target == "json":
        return Conversion(json_document.write(position))
    if target in _LABEL_OF_GAME_NOTATION:
        raise ConversionError(
            "no-history",
            "{notation} needs the turns of a game; this is a single position",
            notation=_LABEL_OF_GAME_NOTATION[target],
        )
    write, read = _POSITION_NOTATIONS[target]
    # Among these notations, only ``cgp-ascii`` can hold the plays before the last play.
    extra = tuple(pair for pair in position.extra if target == "cgp-ascii" or pair[0] != EARLIER_PLAYS_KEY)
    text = write(replace(position, extra=extra))
    return _conversion(text, read, lambda after: position_losses(position.mover_first(), after.mover_first()))


def _without_racks(game: Game) -> Game:
    """Return what onlookers know about a game.

    If there are three or more players, onlookers do not know whose tiles were counted at the end.
    """
    turns = [
        replace(public_turn(turn), rack_unknown_count=0) if turn.kind in ORDINARY_KINDS else turn
        for turn in game.turns
        if len(game.names) <= 2 or turn.kind not in (TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY)
    ]
    return replace(game, turns=tuple(turns), shown_racks=(), incomplete=False)


def _history_losses(game: Game, turn: int) -> Iterator[ConversionLoss]:
    if turn:
        yield loss("history", turns=turn)
    has_turn_remarks = any(earlier_turn.note or earlier_turn.comments for earlier_turn in game.turns[:turn])
    if has_turn_remarks or game.title or game.description or game.note or game.comments:
        yield loss("remarks")


def _game_up_to(game: Game, turn: int) -> Game:
    if turn == len(game.turns):
        return game
    racks = tuple(rack for rack in game.shown_racks if rack.moment <= turn)
    position = game.position_at(turn)
    rack = position.players[position.on_turn].rack
    if rack and (turn, position.on_turn) not in {
        (shown_rack.moment, shown_rack.seat) for shown_rack in racks
    }:
        racks = (*racks, ShownRack(turn, position.on_turn, rack))
    return replace(game, turns=game.turns[:turn], shown_racks=racks, incomplete=not position.is_over)


def _read_turn_url(text: str) -> Reading[Game]:
    link = turn_url.read(text)
    replay = turn_url.replay_for_onlookers(link.value)
    return Reading(replay.value.game, link.warnings + replay.warnings, link.error or replay.error)


CROSSWORD: GameKind[Document] = GameKind(
    "crossword",
    excluded_notations_by_class={Position: frozenset(("gcg", "turn-url")), Game: frozenset()},
    notations=(
        Notation("cgp", "CGP", "cgp", cgp.read),
        Notation("gcg", "GCG", "gcg", gcg.read),
        Notation("turn-url", "Turn URL", "txt", _read_turn_url),
        Notation("text", Phrase("Text"), "txt", board_text.read),
        Notation("json", "JSON", "json", json_document.read),
        Notation("cgp-ascii", Phrase("CGP (ASCII draft)"), "txt", cgp_ascii.read),
    ),
    finders=(
        ("", 1, gcg.find),
        ("gid=", 1, turn_url.find),
        ("\n", MIN_ROWS, board_text.find),
        ("/", MIN_ROWS - 1, cgp.find),
        ("|", MIN_ROWS - 1, cgp_ascii.find),
    ),
    sniffers=(
        ("gcg", gcg_reader.sniff),
        ("turn-url", turn_url_reader.sniff),
        ("cgp", cgp_reader.sniff),
    ),
    lenient_finders=(
        (">", 1, gcg_reader.find_leniently),
        ("=", 1, turn_url_reader.find_leniently),
        ("/", MIN_ROWS - 1, cgp_reader.find_leniently),
    ),
    convert=convert,
    refusal=Phrase("this is a crossword game, and {notation} is a chess notation"),
)
