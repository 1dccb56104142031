"""Turn URLs, version 1: games of sharewords as links."""

from bot.domain.crossword.notations.turn_url.draws import draws_of
from bot.domain.crossword.notations.turn_url.history import history_of
from bot.domain.crossword.notations.turn_url.live import Contradiction, LiveGame, live_game, merge
from bot.domain.crossword.notations.turn_url.reader import read
from bot.domain.crossword.notations.turn_url.replay import (
    Replayed,
    finished,
    game,
    replay,
    seen_by,
    seen_by_all,
    seen_in_each_way,
)
from bot.domain.crossword.notations.turn_url.span import find
from bot.domain.crossword.notations.turn_url.values import ExchangeTurn, Settings, TurnUrl, UrlTurn, WordTurn
from bot.domain.crossword.notations.turn_url.writer import write

__all__ = [
    "Contradiction",
    "ExchangeTurn",
    "LiveGame",
    "Replayed",
    "Settings",
    "TurnUrl",
    "UrlTurn",
    "WordTurn",
    "draws_of",
    "find",
    "finished",
    "game",
    "history_of",
    "live_game",
    "merge",
    "read",
    "replay",
    "seen_by",
    "seen_by_all",
    "seen_in_each_way",
    "write",
]
