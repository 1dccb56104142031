"""What a game looks like: the scene of a moment in it, the replay, the chart of the scores, and its turns in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.chat.card import Style
from bot.domain.crossword.game import Game, seen_by
from bot.domain.crossword.play import ORDINARY, Exchange, Pass, Placement, Turn, TurnKind
from bot.domain.crossword.play_text import placement_text, rack_text
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import LetterDistribution
from bot.domain.crossword.summary import is_bingo, spread_after, standing_plays
from bot.features.showing.crossword.board_scene import last_play_text, position_scene
from bot.features.showing.pace import FRAME_MILLISECONDS, LAST_FRAME_MILLISECONDS, LONGER, Pace
from bot.text import Speaker
from bot.text.visible import one_line
from render.chart import MAX_SERIES, MAX_VALUE, MAX_VALUES
from render.scene import BoardScene, ChartScene, Frame, ReplayScene, Section, Series

MAX_FRAMES = 150
"""Positions in a replay."""
MAX_REPLAY_SQUARES = 75_000
"""Squares of all positions in a replay together: what a replay costs goes by them."""


_ABOUT_A_PLAY = ORDINARY | {TurnKind.PHONY_WITHDRAWN, TurnKind.CHALLENGE_BONUS}


def moment_of(game: Game, turn: int, side: int | None) -> Position:
    """Return the position after ``turn`` turns: for the whole table, or as the player at ``side`` saw it."""
    return game.position_at(turn) if side is None else seen_by(game, turn, side)


def moment_scene(
    game: Game, turn: int, side: int | None, style: Style, *, on_card: bool = False
) -> BoardScene:
    """Return the scene of a moment of a game; the player whose side it is stands first. See :func:`position_scene`."""
    return _scene(game, turn, moment_of(game, turn, side), style, side=side, on_card=on_card)


def _scene(
    game: Game, turn: int, position: Position, style: Style, *, side: int | None = None, on_card: bool = False
) -> BoardScene:
    say = style.say
    scene = position_scene(position, style, on_card=on_card)
    rows = list(scene.players)
    if unknown := _unknown_tiles(game, turn, position):
        seat = position.on_turn
        rows[seat] = replace(rows[seat], rack_note=say("+{number} unknown", number=unknown))
    if side is not None:
        rows = rows[side:] + rows[:side]
    return replace(scene, players=tuple(rows), sections=_sections(scene.sections, game, turn, position, say))


def _unknown_tiles(game: Game, turn: int, position: Position) -> int:
    """Return how many tiles the player on turn holds beside those that are shown."""
    coming = game.turns[turn] if turn < len(game.turns) else None
    if coming is None or coming.player != position.on_turn or not coming.rack:
        return 0
    return coming.rack_unknown if position.players[position.on_turn].rack == coming.rack else 0


def _sections(
    sections: Sequence[Section], game: Game, turn: int, position: Position, say: Speaker
) -> tuple[Section, ...]:
    """Say in place of the last play which turn it was."""
    title = say("Turn {turn} of {turns}", turn=turn, turns=len(game.turns))
    others = sections[1:] if position.last_play is not None else sections
    if turn == 0:
        return (Section(title, (say("start"),), strong=False), *others)
    last = game.turns[turn - 1]
    if last.kind in _ABOUT_A_PLAY:
        words = last_play_text(position, say)
    else:
        words = f"{turn_words(last, position, say)} {last.score:+d}"
    return (Section(title, tuple(words.split(" "))), *others)


def turn_words(turn: Turn, position: Position, say: Speaker) -> str:
    """Say what happened in a turn, without the score. ``position`` is the one after it."""
    distribution = position.rules.distribution
    match turn.play:
        case Placement():
            return placement_text(turn.play, position.board, distribution)
        case Exchange(tiles, unknown) if tiles and not unknown:
            return say("exchange of {tiles}", tiles=rack_text(tiles, distribution))
        case Exchange():
            return say.count("exchange of {number} tile", "exchange of {number} tiles", turn.play.count)
        case Pass():
            return say("pass")
        case None:
            return _outcome_words(turn, distribution, say)


def _outcome_words(turn: Turn, distribution: LetterDistribution, say: Speaker) -> str:
    match turn.kind:
        case TurnKind.PHONY_WITHDRAWN:
            return say("challenged off")
        case TurnKind.CHALLENGE_BONUS:
            return say("challenge bonus")
        case TurnKind.TIME_PENALTY:
            return say("time penalty")
        case _:
            return say("tiles left: {tiles}", tiles=rack_text(turn.tiles, distribution))


def replay_scene(game: Game, style: Style, pace: Pace = Pace.USUAL) -> ReplayScene:
    """Return the replay of a game, from the empty board to the end; it is slower where there is more to see.

    Of a long one, or one on a large board, positions are left out, never the first or the last.
    """
    board = game.position_at(0).board
    most = min(MAX_FRAMES, MAX_REPLAY_SQUARES // (board.rows * board.columns))
    wanted = frozenset(_spread(len(game.turns) + 1, most))
    frames = [
        Frame(_scene(game, turn, position, style), pace.stretched(_standing_time(game, turn)))
        for turn, position in enumerate(game.positions())
        if turn in wanted
    ]
    frames[-1] = replace(frames[-1], delay=LAST_FRAME_MILLISECONDS)
    return ReplayScene(tuple(frames))


def _standing_time(game: Game, turn: int) -> int:
    """Return how many milliseconds the position after a turn stands."""
    taken = game.turns[turn - 1] if turn else None
    remarked = taken is not None and (taken.note or taken.comments)
    return FRAME_MILLISECONDS * (LONGER if remarked or (turn and is_bingo(game, turn)) else 1)


def score_chart(game: Game, style: Style) -> ChartScene:
    """Return the chart of a game: of two players who was ahead and by how much, of more all their scores."""
    say = style.say
    if len(game.names) == 2:
        return _spread_chart(game, style)
    scores = [[0] * len(game.names)]
    for turn in game.turns:
        now = list(scores[-1])
        now[turn.player] = max(-MAX_VALUE, min(MAX_VALUE, turn.cumulative))
        scores.append(now)
    shown = [scores[number] for number in _spread(len(scores), MAX_VALUES)]
    names = [seat_name(game, seat, say) for seat in range(len(game.names))]
    series = tuple(
        Series(name, tuple(values[seat] for values in shown)) for seat, name in enumerate(names[:MAX_SERIES])
    )
    return ChartScene(
        say("Scores by turn"), series, style.view.theme, axes=(say("points"), say("turns played"))
    )


def _spread_chart(game: Game, style: Style) -> ChartScene:
    say = style.say
    values = [max(-MAX_VALUE, min(MAX_VALUE, value)) for value in spread_after(game)]
    shown = _spread(len(values), MAX_VALUES)
    bingos = {number for number in standing_plays(game) if is_bingo(game, number)}
    first, second = (say("{player} ahead", player=seat_name(game, seat, say)) for seat in (0, 1))
    return ChartScene(
        say("Who was ahead"),
        (Series("", tuple(values[turn] for turn in shown)),),
        style.view.theme,
        sides=(first, second),
        stars=tuple(place for place, turn in enumerate(shown) if turn in bingos),
        star=say("a bingo"),
        axes=(say("points ahead"), say("turns played")),
    )


def seat_name(game: Game, seat: int, say: Speaker) -> str:
    """Return what a player is called, on one line: by name, nickname, or the seat when neither is known."""
    name = game.names[seat]
    return one_line(name.name) or one_line(name.nick) or say("Player {seat}", seat=seat + 1)


def _spread(count: int, most: int) -> list[int]:
    """Return at most ``most`` of the numbers below ``count``, evenly spread, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return [number * (count - 1) // (most - 1) for number in range(most)]
