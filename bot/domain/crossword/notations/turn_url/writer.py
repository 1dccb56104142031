"""Writing Turn URLs in their canonical form: the order of sharewords, nothing that is the default anyway."""

from __future__ import annotations

from bot.domain.crossword.notations.turn_url.params import join
from bot.domain.crossword.notations.turn_url.settings import SETTING_PARAMS, VERSION
from bot.domain.crossword.notations.turn_url.values import ExchangeTurn, Settings, TurnUrl, UrlTurn
from bot.domain.crossword.play import Direction


def write(turn_url: TurnUrl) -> str:
    """Write a Turn URL; without a base, only its params."""
    params = [("gid", turn_url.game_id)]
    if turn_url.player_id is not None:
        params.append(("pid", str(turn_url.player_id)))
    if turn_url.is_history:
        params += _write_settings(turn_url.settings)
    params += turn_url.extra
    params += [change for change in turn_url.changes if change[0] in SETTING_PARAMS]
    params.append(("tn", str(turn_url.turn_number)))
    params += [change for change in turn_url.changes if change[0] not in SETTING_PARAMS]
    for turn in turn_url.turns:
        params += _write_turn(turn)
    return f"{turn_url.base}#{join(params)}" if turn_url.base else join(params)


def _write_settings(settings: Settings) -> list[tuple[str, str]]:
    values = {
        "v": VERSION,
        "board": settings.board,
        "bingo": settings.bingo_bonus,
        "bag": settings.bag,
        "racksize": settings.rack_size,
        "seed": settings.seed,
        "dt": settings.dictionary_type,
        "ds": settings.dictionary,
    }
    params = [(name, str(values[name])) for name in SETTING_PARAMS if values[name] is not None]
    names = [(f"p{number}n", name) for number, name in enumerate(settings.names, start=1)]
    return [params[0], *names, *params[1:]]


def _write_turn(turn: UrlTurn) -> list[tuple[str, str]]:
    if isinstance(turn, ExchangeTurn):
        return [("ex", ".".join(map(str, turn.positions))), *turn.changes]
    params = [("wl", f"{turn.row}.{turn.column}"), *turn.changes]
    if turn.blanks:
        params.append(("bt", ".".join(map(str, turn.blanks))))
    params.append(("wh" if turn.direction is Direction.ACROSS else "wv", turn.word))
    return params
