"""Replays the history of a Turn URL, with the draws of its seed, or only with what is public."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from bot.domain.crossword.game import MAX_PLAYERS, Game, public_turn
from bot.domain.crossword.notations.turn_url.draws import CountedRacks, Racks, SeededBag
from bot.domain.crossword.notations.turn_url.reader import read
from bot.domain.crossword.notations.turn_url.run import SOURCE_KEY, Deal, Replayed, Run
from bot.domain.crossword.notations.turn_url.settings import bag_readings
from bot.domain.crossword.notations.turn_url.url import TurnUrl, param_of_seat
from bot.domain.crossword.play import ORDINARY
from bot.domain.reading.problems import ConversionError, DomainError, Reading, RuleError


def replay(history: TurnUrl, seats: Collection[int] | None = None) -> Reading[Replayed]:
    """Replay a history. A turn that the rules forbid ends the replay: the reading has the error and the turns before it.

    Without ``seats``, all plays are checked against the racks, which are shown only if the game is over. With ``seats``, the
    replay is as these players see the game: with their own racks, and assuming that the other players' plays fit.

    Raises:
        ConversionError: the URL is a delta, which lacks the start of the game.
        RuleError: the game has more than :data:`bot.domain.crossword.game.MAX_PLAYERS` players.

    """

    def deal(tiles: tuple[int, ...], players: int, rack_size: int) -> Racks:
        return Racks(SeededBag(tiles, history.seed), players, rack_size, seats)

    return replay_with(history, deal)


def seen_by_all(history: TurnUrl) -> Reading[Replayed]:
    """Replay a history as onlookers can, without the seed.

    A play is checked against the board and the tiles that have not been laid down, never against a rack. When one of two
    players has no tiles left, the other has all remaining tiles. Otherwise no rack is known. The errors are those of
    :func:`replay`.
    """
    return replay_with(history, CountedRacks)


def seen_in_each_way(history: TurnUrl) -> Iterator[Game]:
    """Yield the onlookers' view of a game for each way to read its bag, up to the last playable turn."""
    if not history.is_history or len(history.settings.player_names) > MAX_PLAYERS:
        return
    for bag_reading in bag_readings(history.settings):
        yield Run(history, bag_reading, CountedRacks).result().game


def replay_finished(history: TurnUrl) -> Replayed | None:
    """Return a finished game with every rack, or None if the game is in progress, or its draws do not allow all its turns.

    During a game, it is a secret whether the draws allow a turn. Callers must prevent players from trying out plays this way.
    """
    may_be_over = any(
        Run(history, settings, CountedRacks).is_over for settings in bag_readings(history.settings)
    )
    reading = replay(history) if may_be_over else None
    return reading.value if reading and reading.error is None and reading.value.is_over else None


def replay_with(history: TurnUrl, deal: Deal) -> Reading[Replayed]:
    """Replay a history with the racks that ``deal`` returns. See :func:`replay`."""
    if not history.is_history:
        raise ConversionError(
            "history-needed",
            "this URL starts at turn {turn}; to show the board, paste the URL of the whole game",
            turn=history.turn_number,
        )
    players = len(history.settings.player_names)
    if players > MAX_PLAYERS:
        raise RuleError(
            "too-many-players",
            "the game has {players} players; Kibitz reads games of up to {limit}",
            players=players,
            limit=MAX_PLAYERS,
        ).at(*history.settings.location(param_of_seat(MAX_PLAYERS)))
    best: Run | None = None
    for bag_reading in bag_readings(history.settings):
        run = Run(history, bag_reading, deal)
        if best is None or len(run.turns) > len(best.turns) or (run.error is None and best.error is not None):
            best = run
        if run.error is None:
            break
    assert best is not None
    return Reading(best.result(), tuple(best.warnings), best.error)


def history_of(document: Game) -> TurnUrl:
    """Return the history of a game that came from a Turn URL, up to the game's last turn.

    Raises:
        ConversionError: the game did not come from a Turn URL, or was changed later.

    """
    source = dict(document.extra).get(SOURCE_KEY)
    turns = [turn for turn in document.turns if turn.kind in ORDINARY]
    if source is not None:
        try:
            history = read(source).value
            history = replace(history, turns=history.turns[: len(turns)])
            # A comparison with the draws would reveal some of them.
            if any(_plays(document) == _plays(played) for played in seen_in_each_way(history)):
                return history
        except DomainError:
            pass
    raise ConversionError("no-seed", "a Turn URL can't hold this game: its draws don't come from a seed")


def _plays(game: Game) -> list[object]:
    return [public_turn(turn).play for turn in game.turns if turn.kind in ORDINARY]
