"""Turn URLs, version 1: links that contain games, in the format used by sharewords.

>>> link = "https://example.org/#gid=abc&v=1&bag=en&seed=s&tn=1&wl=7.6&wh=CAT"
>>> url = read(link).value
>>> url.turns[0].word
'CAT'
>>> write(url) == link
True
>>> list(find(f"here: {link}"))
[(6, 71, 'turn-url')]
"""

from bot.domain.crossword.notations.turn_url.draws import djb2 as draws_id_of
from bot.domain.crossword.notations.turn_url.live import Contradiction, LiveGame
from bot.domain.crossword.notations.turn_url.reader import find, read
from bot.domain.crossword.notations.turn_url.replay import (
    ReplayedGame,
    history_of,
    replay,
    replay_finished,
    replay_for_onlookers,
)
from bot.domain.crossword.notations.turn_url.url import (
    ExchangeTurn,
    GameSettings,
    TurnUrl,
    UrlTurn,
    WordTurn,
    write,
)

__all__ = [
    "Contradiction",
    "ExchangeTurn",
    "GameSettings",
    "LiveGame",
    "ReplayedGame",
    "TurnUrl",
    "UrlTurn",
    "WordTurn",
    "draws_id_of",
    "find",
    "history_of",
    "read",
    "replay",
    "replay_finished",
    "replay_for_onlookers",
    "write",
]
