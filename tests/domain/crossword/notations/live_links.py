"""Builds Turn URLs of live games. The games follow the rules, but their words need not exist."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url import LiveGame
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, UrlTurn, WordTurn
from bot.domain.crossword.play import Direction
from bot.domain.crossword.play_text import rack_text
from bot.domain.crossword.rules import BLANK
from bot.domain.reading.problems import DomainError

BASE = "https://example.org/sw/"


def history(game_id: str, turn_count: int, names: tuple[str, ...] = ("alice", "bob")) -> TurnUrl:
    name_params = "".join(f"&p{number}n={name}" for number, name in enumerate(names, start=1))
    url = turn_url.read(f"{BASE}#gid={game_id}&v=1{name_params}&bag=en&tn=1").value
    for number in range(turn_count):
        url = replace(url, turns=(*url.turns, _next_turn(url, number)))
    return url


def drawn_racks(url: TurnUrl) -> tuple[tuple[int, ...], ...]:
    """Return each player's rack after the URL's last turn, with its tiles in the order drawn."""
    seats = range(len(url.settings.player_names))
    return tuple(rack.tiles for rack in turn_url.replay(url, seats).value.game.shown_racks)


def _next_turn(url: TurnUrl, number: int) -> UrlTurn:
    """Return a word across for the first turn, or a word down through one of its letters for a later turn. If no word fits, return an exchange of no tiles, which is a pass."""
    distribution, racks = turn_url.replay(url).value.game.rules.distribution, drawn_racks(url)
    rack = [distribution.text(tile) for tile in racks[number % len(racks)] if tile != BLANK]
    if number == 0:
        candidates = [WordTurn(7, 5, Direction.ACROSS, "".join(rack[:5]))]
    else:
        first = url.turns[0]
        assert isinstance(first, WordTurn)
        candidates = [
            WordTurn(7, 5 + index, Direction.DOWN, first.word[index] + "".join(rack[:2]))
            for index in range(0, len(first.word), 2)
        ]
    for turn in candidates:
        try:
            reading = turn_url.replay(replace(url, turns=(*url.turns, turn)))
        except DomainError:
            continue
        if reading.error is None:
            return turn
    return ExchangeTurn()


def first_turns_of(url: TurnUrl, turn_count: int) -> TurnUrl:
    return replace(url, turns=url.turns[:turn_count])


def names_by_turn(url: TurnUrl) -> list[tuple[str, ...]]:
    """Return the players' names at the start of the game and after each turn."""
    return [turn_url.replay(first_turns_of(url, count)).value.names for count in range(len(url.turns) + 1)]


def racks_after(url: TurnUrl, turn_count: int) -> list[str]:
    shortened_url = first_turns_of(url, turn_count)
    distribution = turn_url.replay(shortened_url).value.game.rules.distribution
    return [rack_text(rack, distribution) for rack in drawn_racks(shortened_url)]


def game_link(url: TurnUrl) -> str:
    return turn_url.write(url)


def turn_link(url: TurnUrl, number: int) -> str:
    """Return the link that a player sends after turn ``number``. The link contains only that turn."""
    if number == 1:
        return turn_url.write(replace(url, turns=url.turns[:1]))
    return single_turn_link(url.game_id, number, url.turns[number - 1])


def single_turn_link(game_id: str, number: int, turn: UrlTurn) -> str:
    """Return a link with one turn, which need not be legal."""
    return turn_url.write(TurnUrl(game_id, number, (turn,), base=BASE))


def merge(first: TurnUrl, *others: TurnUrl) -> LiveGame:
    game = LiveGame(first.game_id)
    for url in (first, *others):
        game = game.with_url(url)
    return game
