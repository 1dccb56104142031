"""Playing the history of a Turn URL through: with all that follows from its seed, or with what somebody may know of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bot.domain.crossword.game import MAX_PLAYERS, Game
from bot.domain.crossword.notations.turn_url.draws import CountedRacks, OnesRacks, Racks, SeededBag
from bot.domain.crossword.notations.turn_url.names import param_of_seat
from bot.domain.crossword.notations.turn_url.rules import candidates
from bot.domain.crossword.notations.turn_url.run import SOURCE_KEY, Deal, Replayed, Run
from bot.domain.crossword.notations.turn_url.values import TurnUrl
from bot.domain.reading.problems import ConversionError, Reading, RuleError

__all__ = [
    "SOURCE_KEY",
    "Replayed",
    "finished",
    "game",
    "replay",
    "seen_by",
    "seen_by_all",
    "seen_in_each_way",
]


def game(history: TurnUrl, *, reveal: Collection[int] = ()) -> Reading[Game]:
    """Play a history through and return the game; see :func:`replay`."""
    reading = replay(history, reveal=reveal)
    return Reading(reading.value.game, reading.warnings, reading.error)


def replay(history: TurnUrl, *, reveal: Collection[int] = ()) -> Reading[Replayed]:
    """Play a history through.

    ``reveal`` names the seats whose racks may be shown though the game is still on. A turn that the rules forbid
    ends the replay: what came before it is the value, and the reading has the error.

    Raises:
        ConversionError: it is a delta, which does not tell the game from the start.
        RuleError: it has more than :data:`bot.domain.crossword.game.MAX_PLAYERS` players.

    """
    return replay_with(history, _seeded(history), reveal)


def seen_by_all(history: TurnUrl) -> Reading[Replayed]:
    """Play a history through as onlookers can: nothing of it depends on the seed.

    A play is held against the board and against the tiles that were not laid down before, never against a rack. When
    of two players one is out, the other has what is left; no other rack is known, and ``racks`` has only how many tiles
    each holds. Errors are those of :func:`replay`.
    """
    return replay_with(history, CountedRacks, ())


def seen_in_each_way(history: TurnUrl) -> Iterator[Game]:
    """Yield what onlookers see of a game with each way to read its bag, as far as it can be played."""
    if not history.is_history or len(history.settings.player_names) > MAX_PLAYERS:
        return
    for candidate in candidates(history.settings):
        yield Run(history, candidate, CountedRacks).result(()).game


def seen_by(history: TurnUrl, seats: Collection[int]) -> Reading[Replayed]:
    """Play a history through as some of its players can: with their racks, and the others' plays taken at their word.

    A play that does not fit a rack of theirs ends the replay. Errors are those of :func:`replay`.
    """

    def deal(tiles: tuple[int, ...], players: int, rack_size: int) -> Racks:
        return OnesRacks(SeededBag(tiles, history.seed), players, rack_size, seats)

    return replay_with(history, deal, seats)


def finished(history: TurnUrl) -> Replayed | None:
    """Return a game that is over, with every rack; None when it goes on, or when its draws allow not all of it.

    Whether they do is a secret as long as the game goes on: whoever asks must be known not to try plays out.

    """
    could_be = any(Run(history, one, CountedRacks).over for one in candidates(history.settings))
    reading = replay(history) if could_be else None
    return reading.value if reading and reading.error is None and reading.value.over else None


def _seeded(history: TurnUrl) -> Deal:
    return lambda tiles, players, rack_size: Racks(SeededBag(tiles, history.seed), players, rack_size)


def replay_with(history: TurnUrl, deal: Deal, reveal: Collection[int]) -> Reading[Replayed]:
    """Play a history through with the racks that ``deal`` deals; see :func:`replay`."""
    if not history.is_history:
        raise ConversionError(
            "history-needed",
            "this URL tells the game only from turn {turn} on; the board needs the URL of the whole game",
            turn=history.turn_number,
        )
    players = len(history.settings.player_names)
    if players > MAX_PLAYERS:
        raise RuleError(
            "too-many-players",
            "the game has {players} players; Kibitz plays through games of up to {limit}",
            players=players,
            limit=MAX_PLAYERS,
        ).at(*history.settings.place(param_of_seat(MAX_PLAYERS)))
    best: Run | None = None
    for candidate in candidates(history.settings):
        run = Run(history, candidate, deal)
        if (
            best is None
            or len(run.records) > len(best.records)
            or (run.error is None and best.error is not None)
        ):
            best = run
        if run.error is None:
            break
    assert best is not None
    return Reading(best.result(reveal), tuple(best.warnings), best.error)
