"""The table of players over several games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.cli.columns import columns
from bot.features.review.together import PlayerGames


def player_lines(players: Sequence[PlayerGames]) -> Iterator[str]:
    """Lay out players; columns in which nobody has anything are left out."""
    rows = [
        {
            "player": player.player,
            "games": str(player.games),
            "judged": str(player.judged) if player.judged < player.games else "",
            "won": f"{player.won:g}",
            "index": _number(player.mistake_index, ".2f"),
            "accuracy": _number(player.accuracy, ".1f"),
            "bingos": _number(player.bingos, "d"),
            "missed": _number(player.missed_bingos, "d"),
            "luck": _number(player.luck, "+.1f"),
            "centipawns": _number(player.centipawns_lost, ".0f"),
            "blunders": _number(player.blunders, "d"),
        }
        for player in players
    ]
    heads = [head for head in rows[0] if any(row[head] for row in rows)]
    yield from columns([heads, *([row[head] for head in heads] for row in rows)], {"player"})


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
