"""A crossword position or game as plain data for programs."""

from __future__ import annotations

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play_text import rack_text, turn_text
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import ConversionError
from bot.features.showing.findings import Found


def crossword_facts(found: Found) -> dict[str, object]:
    """Return what a document is, for ``inspect --json``."""
    position = found.position
    item: dict[str, object] = {
        "kind": "position",
        "cgp": _cgp(position),
        "scores": [player.score for player in position.players],
        "racks": [rack_text(player.rack, position.rules.distribution) for player in position.players],
    }
    if any(player.name for player in position.players):
        item["names"] = [player.name for player in position.players]
    if isinstance(found.document, Game):
        game = found.document
        item["kind"] = "game"
        players = _players(found.format, game)
        item["players"] = players
        item["names"] = [name.name for name in game.names]
        item["turns"] = [_turn(game, number, players) for number in range(1, len(game.turns) + 1)]
    return item


def _players(format_name: str, game: Game) -> list[str]:
    """Return how the text calls the players: GCG by nicknames, the others by names."""
    return [name.nick if format_name == "gcg" else name.name or name.nick for name in game.names]


def _turn(game: Game, number: int, players: list[str]) -> dict[str, object]:
    turn, distribution = game.turns[number - 1], game.rules.distribution
    return {
        "number": number,
        "player": players[turn.player],
        "kind": turn.kind.value,
        "rack": rack_text(turn.rack, distribution, unknown=turn.rack_unknown),
        "play": turn_text(turn, distribution),
        "score": turn.score,
        "cumulative": turn.cumulative,
        "note": turn.note,
    }


def _cgp(position: Position) -> str | None:
    try:
        return cgp.write(position)
    except ConversionError:
        return None
