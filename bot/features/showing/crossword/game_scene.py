"""The scenes and texts of crossword games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from bot.chat.card import MAX_ALT_LENGTH, ReplyContext, truncate
from bot.chat.markdown import escape
from bot.domain.crossword.game import Game, is_bingo, position_seen_by
from bot.domain.crossword.play import ORDINARY_KINDS, Placement, Turn, TurnKind
from bot.domain.crossword.play_text import rack_text
from bot.domain.crossword.position import Position
from bot.domain.crossword.summary import (
    PlayerSummary,
    Summary,
    spreads,
    summarize,
    surviving_turns,
)
from bot.features.showing.crossword.board_scene import (
    board_lines,
    describe_play,
    last_play_text,
    position_scene,
    scores_text,
)
from bot.features.showing.pace import (
    FRAME_MILLISECONDS,
    LAST_FRAME_MILLISECONDS,
    MAX_FRAMES,
    REMARK_FACTOR,
    Pace,
)
from bot.text import Translator
from bot.text.visible import one_line
from render.chart import MAX_ABSOLUTE_VALUE, MAX_SERIES, MAX_VALUES_PER_SERIES
from render.scene import (
    BoardScene,
    ChartScene,
    Frame,
    Layout,
    MosaicPart,
    MosaicScene,
    PlayerRow,
    ReplayScene,
    Section,
    Series,
    evenly_spaced_indexes,
)

MAX_REPLAY_SQUARES = 75_000
"""Maximum total number of squares in the frames of a replay. This limit keeps drawing fast."""

_LAST_PLAY_KINDS = ORDINARY_KINDS | {TurnKind.PHONY_WITHDRAWN, TurnKind.CHALLENGE_BONUS}
"""Kinds of turns that :func:`last_play_text` describes."""


def visible_position(game: Game, turn: int, seat: int | None) -> Position:
    """Return the position as the player at ``seat`` saw it. If ``seat`` is None, include all known racks."""
    return game.position_at(turn) if seat is None else position_seen_by(game, turn, seat)


def moment_scene(
    game: Game,
    turn: int,
    seat: int | None,
    context: ReplyContext,
    *,
    position: Position | None = None,
    on_card: bool = False,
) -> BoardScene:
    """Return the scene of a moment of a game. The player at ``seat`` is listed first.

    ``position`` is the position after ``turn`` turns, if the caller already has it. For ``on_card``, see :func:`position_scene`.
    """
    translate = context.translate
    position = position or visible_position(game, turn, seat)
    scene = position_scene(position, context, on_card=on_card)
    rows = list(scene.players)
    if unknown_count := _unknown_tile_count(game, turn, position):
        mover = position.on_turn
        rows[mover] = replace(rows[mover], rack_note=translate("+{number} unknown", number=unknown_count))
    if seat is not None:
        rows = rows[seat:] + rows[:seat]
    return replace(
        scene,
        players=tuple(rows),
        sections=_replace_last_play(scene.sections, game, turn, position, translate),
    )


def _unknown_tile_count(game: Game, turn: int, position: Position) -> int:
    next_turn = game.turns[turn] if turn < len(game.turns) else None
    if next_turn is None or next_turn.seat != position.on_turn or not next_turn.rack:
        return 0
    return next_turn.rack_unknown_count if position.players[position.on_turn].rack == next_turn.rack else 0


def _replace_last_play(
    sections: Sequence[Section], game: Game, turn: int, position: Position, translate: Translator
) -> tuple[Section, ...]:
    title = translate("Turn {turn} of {turns}", turn=turn, turns=len(game.turns))
    others = sections[1:] if position.last_play is not None else sections
    if turn == 0:
        return (Section(title, (translate("start"),), is_strong=False), *others)
    last = game.turns[turn - 1]
    text = (
        last_play_text(position, translate)
        if last.kind in _LAST_PLAY_KINDS
        else f"{describe_turn(last, position, translate)} {last.score:+d}"
    )
    return (Section(title, tuple(text.split(" "))), *others)


def describe_turn(turn: Turn, position: Position, translate: Translator) -> str:
    """Describe a turn without its score. ``position`` is the position after the turn."""
    if turn.play is not None:
        return describe_play(turn.play, position, translate)
    match turn.kind:
        case TurnKind.PHONY_WITHDRAWN:
            return translate("challenged off")
        case TurnKind.CHALLENGE_BONUS:
            return translate("challenge bonus")
        case TurnKind.TIME_PENALTY:
            return translate("time penalty")
        case _:
            return translate(
                "tiles left: {tiles}", tiles=rack_text(turn.counted_tiles, position.rules.distribution)
            )


def replay_scene(game: Game, context: ReplyContext, pace: Pace = Pace.NORMAL) -> ReplayScene:
    """Return the replay of a game. Bingos and turns with a remark stay on screen longer. A long replay skips some positions."""
    board = game.position_at(0).board
    max_frames = min(MAX_FRAMES, MAX_REPLAY_SQUARES // (board.rows * board.columns))
    shown_turns = frozenset(evenly_spaced_indexes(len(game.turns) + 1, max_frames))
    frames = [
        Frame(
            moment_scene(game, turn, None, context, position=position),
            pace.duration(_frame_duration(game, turn)),
        )
        for turn, position in enumerate(game.positions())
        if turn in shown_turns
    ]
    frames[-1] = replace(frames[-1], delay=LAST_FRAME_MILLISECONDS)
    return ReplayScene(tuple(frames))


def _frame_duration(game: Game, turn: int) -> int:
    played_turn = game.turns[turn - 1] if turn else None
    is_special = played_turn is not None and (
        played_turn.note or played_turn.comments or is_bingo(played_turn.play, game.rules.rack_size)
    )
    return FRAME_MILLISECONDS * (REMARK_FACTOR if is_special else 1)


def score_chart(game: Game, context: ReplyContext) -> ChartScene:
    translate = context.translate
    if len(game.names) == 2:
        return _spread_chart(game, context)
    scores = [[0] * len(game.names)]
    for turn in game.turns:
        latest_scores = list(scores[-1])
        latest_scores[turn.seat] = max(-MAX_ABSOLUTE_VALUE, min(MAX_ABSOLUTE_VALUE, turn.cumulative))
        scores.append(latest_scores)
    shown_scores = [scores[number] for number in evenly_spaced_indexes(len(scores), MAX_VALUES_PER_SERIES)]
    series = tuple(
        Series(seat_name(game, seat, translate), tuple(values[seat] for values in shown_scores))
        for seat in range(len(game.names))[:MAX_SERIES]
    )
    return ChartScene(
        translate("Scores by turn"),
        series,
        context.appearance.theme,
        axis_names=(translate("points"), translate("turns played")),
    )


def _spread_chart(game: Game, context: ReplyContext) -> ChartScene:
    translate = context.translate
    values = [max(-MAX_ABSOLUTE_VALUE, min(MAX_ABSOLUTE_VALUE, value)) for value in spreads(game)]
    turns = evenly_spaced_indexes(len(values), MAX_VALUES_PER_SERIES)
    bingos = {
        number
        for number in surviving_turns(game)
        if is_bingo(game.turns[number - 1].play, game.rules.rack_size)
    }
    first, second = (translate("{player} ahead", player=seat_name(game, seat, translate)) for seat in (0, 1))
    return ChartScene(
        translate("Who was ahead"),
        (Series("", tuple(values[turn] for turn in turns)),),
        context.appearance.theme,
        side_names=(first, second),
        stars=tuple(index for index, turn in enumerate(turns) if turn in bingos),
        star_name=translate("a bingo"),
        axis_names=(translate("points ahead"), translate("turns played")),
    )


def seat_name(game: Game, seat: int, translate: Translator) -> str:
    name = game.names[seat]
    return one_line(name.name) or one_line(name.nick) or translate("Player {seat}", seat=seat + 1)


_MIN_ROWS, _MIN_COLUMNS = 7, 9
"""A key turn's picture shows at least this many rows and columns, unless the board is smaller."""


def is_finished_match(game: Game) -> bool:
    return len(game.names) > 1 and not game.incomplete and game.position_at(len(game.turns)).is_over


def ending_scene(game: Game, context: ReplyContext) -> MosaicScene:
    translate = context.translate
    summary, last = summarize(game), len(game.turns)
    shown_turns = (*summary.key_turns, last)
    positions = {
        turn: position
        for turn, position in enumerate(islice(game.positions(), last + 1))
        if turn in shown_turns
    }
    board = replace(position_scene(positions[last], context), layout=Layout.BOARD, players=(), sections=())
    rows: list[tuple[MosaicPart, ...]] = [
        (MosaicPart(board),),
        (MosaicPart(replace(score_chart(game, context), title="")),),
    ]
    if summary.key_turns:
        rows.append(_key_turn_pictures(game, summary, positions, context))
    players = tuple(
        PlayerRow(
            seat_name(game, seat, translate),
            str(player.score),
            summary.winners == (seat,),
            statistics_text(player, translate),
        )
        for seat, player in enumerate(summary.players[:MAX_SERIES])
    )
    return MosaicScene(tuple(rows), players, context.appearance.layout, context.appearance.theme)


def outcome_text(game: Game, summary: Summary, translate: Translator) -> str:
    if len(summary.winners) > 1:
        return translate("A draw at {score}", score=summary.players[summary.winners[0]].score)
    return translate(
        "{player} wins by {points}",
        player=seat_name(game, summary.winners[0], translate),
        points=summary.margin,
    )


def statistics_text(player: PlayerSummary, translate: Translator) -> str:
    bingos = translate.plural("{number} bingo", "{number} bingos", len(player.bingo_turns))
    average = translate("{points} a turn", points=translate.number(player.average_score, ".1f"))
    return f"{bingos} · {average}"


def _key_turn_pictures(
    game: Game, summary: Summary, positions: dict[int, Position], context: ReplyContext
) -> tuple[MosaicPart, ...]:
    """Return a picture of the board around each key turn. All pictures have the same number of squares."""
    boards = [
        replace(
            position_scene(positions[turn], context),
            layout=Layout.BOARD,
            players=(),
            sections=(),
            coordinates=False,
        )
        for turn in summary.key_turns
    ]
    spans = [_play_span(game, turn) for turn in summary.key_turns]
    rows = min(boards[0].rows, max(_MIN_ROWS, *(bottom - top + 1 for top, _, bottom, _ in spans)))
    columns = min(boards[0].columns, max(_MIN_COLUMNS, *(right - left + 1 for _, left, _, right in spans)))
    parts = []
    for turn, board, (top, left, bottom, right) in zip(summary.key_turns, boards, spans, strict=True):
        row = _start_around(top, bottom, rows, board.rows)
        column = _start_around(left, right, columns, board.columns)
        played_turn = game.turns[turn - 1]
        title = f"{turn}. {seat_name(game, played_turn.seat, context.translate)} {played_turn.score:+d}"
        parts.append(MosaicPart(board.crop(row, column, rows, columns), title))
    return tuple(parts)


def _play_span(game: Game, turn: int) -> tuple[int, int, int, int]:
    """Return the top row, left column, bottom row and right column of a play."""
    play = game.turns[turn - 1].play
    assert isinstance(play, Placement)  # a key turn is always a placement
    squares = tuple(play.squares())
    return *squares[0], *squares[-1]


def _start_around(first: int, last: int, size: int, board_size: int) -> int:
    """Return the start of a range of ``size`` rows or columns of the board, with ``first`` to ``last`` in its middle if possible."""
    return max(0, min((first + last + 1 - size) // 2, board_size - size))


_MAX_NAME_LENGTH = 40


def ending_text(game: Game, context: ReplyContext) -> str:
    translate, summary = context.translate, summarize(game)
    heading = [
        f"**{escape(outcome_text(game, summary, translate), 80)}**",
        scores_text(game.position_at(len(game.turns)), translate),
        translate.plural("{number} turn", "{number} turns", len(game.turns)),
    ]
    if game.rules.lexicon:
        heading.append(escape(game.rules.lexicon, 60))
    lines = [
        " · ".join(heading),
        *(f"{escape(name)}: {text}" for name, text in _player_statistics(game, summary, translate)),
    ]
    if summary.best_turn is not None:
        best_play = _turn_texts(game, (summary.best_turn,), translate)[summary.best_turn]
        lines.append(translate("Best play: {play}", play=f"**{escape(best_play, 120)}**"))
    return "\n".join(lines)


def chart_text(scene: ChartScene, translate: Translator) -> str:
    if scene.side_names is None:
        return " ".join(
            f"{series.name[:_MAX_NAME_LENGTH]}: {', '.join(map(str, series.values))}."
            for series in scene.series
        )
    first, second = (side[:_MAX_NAME_LENGTH] for side in scene.side_names)
    values = ", ".join(f"{value:+d}" if value else "0" for value in scene.series[0].values)
    text = translate("{first}: +, {second}: -. {values}.", first=first, second=second, values=values)
    if scene.stars:
        text += " " + translate.plural(
            "Bingo on turn {turns}.",
            "Bingos on turns {turns}.",
            len(scene.stars),
            turns=", ".join(map(str, scene.stars)),
        )
    return text


def _player_statistics(game: Game, summary: Summary, translate: Translator) -> list[tuple[str, str]]:
    return [
        (seat_name(game, seat, translate)[:_MAX_NAME_LENGTH], statistics_text(player, translate))
        for seat, player in enumerate(summary.players)
    ]


def _turn_texts(game: Game, turns: tuple[int, ...], translate: Translator) -> dict[int, str]:
    texts = {}
    for turn, position in enumerate(islice(game.positions(), max(turns, default=0) + 1)):
        if turn in turns:
            played_turn = game.turns[turn - 1]
            player = seat_name(game, played_turn.seat, translate)[:_MAX_NAME_LENGTH]
            texts[turn] = (
                f"{turn}. {player} {describe_turn(played_turn, position, translate)} {played_turn.score:+d}"
            )
    return texts


def ending_alt_text(game: Game, translate: Translator) -> str:
    summary, end = summarize(game), game.position_at(len(game.turns))
    scores = ", ".join(
        f"{seat_name(game, seat, translate)[:_MAX_NAME_LENGTH]} {player.score}"
        for seat, player in enumerate(summary.players)
    )
    parts = [f"{outcome_text(game, summary, translate)}: {scores}."]
    parts += [f"{name}: {text}." for name, text in _player_statistics(game, summary, translate)]
    if key_turns := _turn_texts(game, summary.key_turns, translate):
        parts.append(translate("Key turns: {plays}.", plays="; ".join(key_turns.values())))
    parts.append(translate("Rows:") + " " + " ".join(board_lines(end, translate)))
    return truncate(" ".join(parts), MAX_ALT_LENGTH)
