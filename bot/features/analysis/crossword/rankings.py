"""Ranks the plays of an analysis, and describes them in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, floor

from bot.chat.card import MAX_CHOICES
from bot.chat.columns import Column
from bot.chat.markdown import escape
from bot.domain.crossword.game import board_after
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, Play
from bot.domain.crossword.play_text import placement_text, play_text, rack_text
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import GAMES_WITH_OWN_TILES
from bot.engine.analysis import MILLIPOINTS
from bot.engine.endgame.result import EndgameResult, EndgameTurn, PreEndgamePlay, PreEndgameResult, RankedPlay
from bot.engine.plays.values import RatedPlay, can_move_blanks, replace_blanks
from bot.engine.simulation.result import Ending, SimulatedPlay, SimulationResult
from bot.features.analysis.crossword.request import AnalysisResult, Method
from bot.text import Translator

LEFT_IN_BAG_SYMBOL = "†"
"""Marks a play that leaves tiles in the bag."""
SAMPLED_SYMBOL = "≈"
"""Marks a range that is estimated from a random sample, not proved."""


@dataclass(frozen=True, slots=True)
class Row:
    """A play in a ranking."""

    play: Play
    score: int
    cells: Callable[[], tuple[str, ...]]
    """Returns the cells for :attr:`Ranking.columns`. This is a function, because most rows are not shown and need no cells."""
    value_text: Callable[[], str]
    """Returns the value in words, or an empty string if it is unknown or the play is a pass ranked by equity."""
    value: float | None
    """Its unit depends on the method. None if unknown."""
    bounds: tuple[float, float] | None = None
    """The minimum and maximum possible value if a pre-endgame search left the value undecided, otherwise None."""
    text: str = ""
    """The play as :func:`describe_play` writes it."""
    blank_can_move: bool = False
    """Whether the row also represents plays with another tile as the blank."""
    leave: tuple[int, ...] | None = None
    """The tiles left on the rack, if known."""
    equity: int | None = None
    """In millipoints, or None if it is unknown or the play is a pass."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The plays in a position, ranked by one method."""

    method: Method
    name: str
    """The method in words. Empty for equity, because :attr:`~Row.value_text` already says it."""
    columns: tuple[Column, ...]
    """The columns after the play and the score, without cells. Each row has its own cells."""
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]
    played_row: Row | None = None
    """The play made or tried, without a value if it is not ranked."""
    played_rank: int | None = None
    """Counted from 1, or None if the play made is not in ``rows``."""
    loss: str = ""
    """The loss of the play made, or why it is unknown. Empty for the best play."""


def are_same_except_blanks(first: Play, second: Play) -> bool:
    """Return whether two plays differ at most in which tile is the blank."""
    return replace_blanks(first) == replace_blanks(second)


def rank_plays(result: AnalysisResult, translate: Translator) -> Ranking:
    simulation = result.simulation
    if result.endgame is not None:
        ranking = _rank_by_endgame(result, result.endgame, translate)
    elif result.pre_endgame is not None:
        ranking = _rank_by_pre_endgame(result, result.pre_endgame, translate)
    elif simulation is not None and all(simulated_play.iterations > 1 for simulated_play in simulation.plays):
        ranking = _rank_by_simulation(result, simulation, translate)
    else:
        ranking = _rank_by_equity(result, translate)
    rows = _distinct_rows(result, ranking.rows, translate)
    if result.endgame is not None:
        rows = rows[: result.request.options.plays]
    played_row, played_rank, loss = None, None, ""
    if result.made_play is not None:
        played_row, loss = _played_row(result, ranking, rows[0], result.made_play, translate)
        played_rank = next(
            (rank for rank, row in enumerate(rows, 1) if are_same_except_blanks(row.play, played_row.play)),
            None,
        )
    remarks = ranking.remarks
    if result.opinion is not None or result.no_opinion_reason is not None:
        remarks += (describe_opinion(result, translate),)
    if result.unsolved_reason is not None:
        remarks = (
            translate("Not solved: {problem}.", problem=escape(translate.problem(result.unsolved_reason))),
            *remarks,
        )
    if any(row.blank_can_move for row in rows):
        remarks += (translate("A · precedes a blank that could be on another square of the play."),)
    return replace(
        ranking, rows=rows, played_row=played_row, played_rank=played_rank, loss=loss, remarks=remarks
    )


def _distinct_rows(result: AnalysisResult, rows: Iterable[Row], translate: Translator) -> tuple[Row, ...]:
    """Of plays that differ only in which tile is the blank, keep the best. Add the text, the leave and the equity to its row."""
    position = result.request.position
    rack = position.players[position.on_turn].rack
    rated_plays = {
        rated_play.play: rated_play
        for rated_play in (*result.plays, *([result.made_play] if result.made_play else ()))
    }
    best_rows: dict[Play, Row] = {}
    for row in rows:
        best_rows.setdefault(replace_blanks(row.play), row)
    distinct_rows = []
    for row in best_rows.values():
        play, rated_play = row.play, rated_plays.get(row.play)
        blank_can_move = (
            isinstance(play, Placement) and min(play.tiles) < THROUGH and can_move_blanks(play, rack)
        )
        distinct_rows.append(
            replace(
                row,
                text=describe_play(play, position, translate, blank_can_move=blank_can_move),
                blank_can_move=blank_can_move,
                leave=rated_play and rated_play.leave,
                equity=None if rated_play is None or isinstance(play, Pass) else rated_play.equity,
            )
        )
    return tuple(distinct_rows)


def _played_row(
    result: AnalysisResult, ranking: Ranking, best_row: Row, made_play: RatedPlay, translate: Translator
) -> tuple[Row, str]:
    position = result.request.position
    if ranking.method is Method.EQUITY and not result.is_made_play_phony:
        row = _equity_row(made_play.play, made_play, position, translate)
    else:
        rows = sorted(
            (row for row in ranking.rows if are_same_except_blanks(row.play, made_play.play)),
            key=lambda row: row.play != made_play.play,
        )
        row = (
            rows[0]
            if rows and not result.is_made_play_phony
            else Row(made_play.play, made_play.score, lambda: ("–",), str, None)
        )
    row = replace(row, text=describe_play(row.play, position, translate))
    if result.is_made_play_phony:
        return row, translate("not in {lexicon}, not ranked", lexicon=escape(result.lexicon))
    if row.value is None:
        return row, translate("not among the plays compared")
    return row, _describe_loss(result, ranking.method, best_row, row, translate)


def _describe_loss(
    result: AnalysisResult, method: Method, best_row: Row, row: Row, translate: Translator
) -> str:
    difference = (best_row.value or 0.0) - (row.value or 0.0)
    if row.play == best_row.play or (method is Method.EQUITY and isinstance(row.play, Pass)):
        return ""
    if method is Method.EQUITY:
        return translate("{equity:.1f} less than the best", equity=difference / MILLIPOINTS)
    if result.endgame is not None:
        return translate("{points} less than the best", points=round(difference))
    best_min, best_max = best_row.bounds or (best_row.value or 0.0, best_row.value or 0.0)
    row_min, row_max = row.bounds or (row.value or 0.0, row.value or 0.0)
    losses = (translate.number(max(0.0, loss), ".1f") for loss in (best_min - row_max, best_max - row_min))
    return translate("{percent}% fewer wins than the best", percent="–".join(dict.fromkeys(losses)))


def _equity_row(play: Play, rated_play: RatedPlay, position: Position, translate: Translator) -> Row:
    score = rated_play.score
    leave_text = partial(rack_text, rated_play.leave, position.rules.distribution)
    if not position.rules.distribution.has_known_bag:
        return Row(play, score, lambda: (leave_text(),), lambda: translate("by score"), MILLIPOINTS * score)
    if isinstance(play, Pass):
        return Row(play, score, lambda: ("–", leave_text()), str, rated_play.equity)
    equity = rated_play.equity / MILLIPOINTS
    return Row(
        play,
        score,
        lambda: (translate.number(equity, ".1f"), leave_text()),
        lambda: translate("equity {equity:.1f}", equity=equity),
        rated_play.equity,
    )


def _rank_by_equity(result: AnalysisResult, translate: Translator) -> Ranking:
    position = result.request.position
    rules, by_equity = position.rules, position.rules.distribution.has_known_bag
    plays = [rated_play.play for rated_play in result.plays]
    rows = tuple(
        _equity_row(play, rated_play, position, translate)
        for play, rated_play in zip(plays, result.plays, strict=True)
    )
    remarks = []
    if result.request.method is Method.SIMULATION:
        remarks.append(translate("The simulation stopped before it could compare the plays."))
    elif result.request.method is Method.SOLUTION and result.unsolved_reason is None:
        remarks.append(translate("The search stopped before it found a solution."))
    if not by_equity:
        remarks.append(
            translate(
                "{game} has different tiles in every game, so plays are ranked by score. Each bonus square counts once, as in "
                "its Classic mode; how they count in its Wild mode is unknown.",
                game=GAMES_WITH_OWN_TILES[rules.distribution.name],
            )
        )
    elif not result.leaves_source and position.bag_count:
        remarks.append(translate("This lexicon has no leave values, so plays are ranked by score."))
    leave_column = Column(translate("leave"), (), is_optional=True, is_left_aligned=True)
    columns = (Column(translate("equity"), ()), leave_column) if by_equity else (leave_column,)
    return Ranking(Method.EQUITY, "", columns, rows, tuple(remarks))


def _rank_by_simulation(
    result: AnalysisResult, simulation: SimulationResult, translate: Translator
) -> Ranking:
    columns = (
        Column(translate("win %"), ()),
        Column("±", ()),
        Column(translate("equity"), (), is_optional=True),
    )
    rows = tuple(_simulated_row(simulated_play, translate) for simulated_play in simulation.plays)
    remarks = tuple(_simulation_remarks(result, simulation, translate))
    return Ranking(Method.SIMULATION, translate("simulation"), columns, rows, remarks)


def _simulated_row(simulated_play: SimulatedPlay, translate: Translator) -> Row:
    win, play = 100 * simulated_play.win, simulated_play.play
    values = win, 100 * simulated_play.win_error, simulated_play.equity
    return Row(
        play.play,
        play.score,
        lambda: tuple(translate.number(value, ".1f") for value in values),
        lambda: describe_win(simulated_play, translate),
        win,
    )


def describe_win(simulated_play: SimulatedPlay, translate: Translator) -> str:
    percent, error = 100 * simulated_play.win, 100 * simulated_play.win_error
    return translate("wins {percent:.1f} ± {error:.1f}%", percent=percent, error=error)


def _simulation_remarks(
    result: AnalysisResult, simulation: SimulationResult, translate: Translator
) -> Iterator[str]:
    player_count = len(result.request.position.players)
    turns = (
        translate.plural("{number} turn ahead", "{number} turns ahead", simulation.plies)
        if result.request.position.bag_count
        else translate("to the end of the game")
    )
    rollouts = translate.plural("{number:,} rollout", "{number:,} rollouts", simulation.rollouts)
    ending_text = ""
    if simulation.ending is Ending.DECIDED:
        ending_text = translate("; 99% sure which play is best")
    elif simulation.ending is Ending.CANCELLED:
        ending_text = translate("; stopped early")
    yield f"{rollouts}, {turns}{ending_text}."
    if len(simulation.plays[0].plies) > 1:
        reply = simulation.plays[0].plies[1]
        yield translate(
            "After the best play, the opponent scores {points:.1f} on average and plays a bingo {percent}% of the time."
            if player_count == 2
            else "After the best play, the next player scores {points:.1f} on average and plays a bingo {percent}% of "
            "the time.",
            points=reply.score,
            percent=round(100 * reply.bingo_share),
        )
    if player_count > 2:
        yield translate(
            "Equity is measured against the leading opponent. Win chances with {players} players are estimated "
            "from two-player games.",
            players=player_count,
        )
    if result.inferred_rack_count:
        yield translate("The opponent's tiles are inferred from the last play.")


def _rank_by_endgame(result: AnalysisResult, endgame: EndgameResult, translate: Translator) -> Ranking:
    def row(ranked_play: RankedPlay) -> Row:
        return Row(
            ranked_play.play,
            ranked_play.score,
            lambda: (translate.number(ranked_play.value, "+d"), "" if ranked_play.exact else "?"),
            lambda: describe_gain(ranked_play.value, translate),
            ranked_play.value,
        )

    if endgame.exact:
        remarks = [
            translate.plural(
                "Proved: no play does better ({number:,} position searched).",
                "Proved: no play does better ({number:,} positions searched).",
                endgame.nodes,
            )
        ]
    else:
        remarks = [
            translate.plural(
                "Not proved yet: the best line found is {number} turn deep.",
                "Not proved yet: the best line found is {number} turns deep.",
                endgame.depth,
            )
        ]
        if endgame.lower_bound is not None:
            remarks.append(translate("The gain is at least {points:+d}.", points=endgame.lower_bound))
    remarks.append(
        translate(
            "The gain is how many points the player to move gains on the opponent by the end of the game."
        )
    )
    if not all(ranked_play.exact for ranked_play in endgame.ranking):
        remarks.append(translate("A ? marks an estimated gain."))
    line = describe_line(result.request.position, endgame.line, translate)
    remarks.append(translate("Best line: {plays}", plays=escape(line)))
    columns = (Column(translate("gain"), ()), Column("", (), is_left_aligned=True))
    return Ranking(
        Method.SOLUTION, translate("endgame"), columns, tuple(map(row, endgame.ranking)), tuple(remarks)
    )


def describe_gain(value: int, translate: Translator) -> str:
    if value < 0:
        return translate("loses {points} by the end", points=-value)
    return translate("gains {points:+d} by the end", points=value)


def _rank_by_pre_endgame(
    result: AnalysisResult, solution: PreEndgameResult, translate: Translator
) -> Ranking:
    bag_count = solution.bag_count
    plays = sorted(solution.plays, key=lambda play: -play.cautious_share)

    def row(play: PreEndgamePlay) -> Row:
        return Row(
            play.play,
            play.score,
            lambda: _pre_endgame_cells(play, bag_count, translate),
            lambda: describe_win_share(play, bag_count, translate),
            100 * play.cautious_share,
            bounds=(100 * play.bounds[0], 100 * play.bounds[1]) if play.undecided_weight else None,
        )

    win_titles = (translate("W-T-L"),) if bag_count == 1 else (translate("win %"), translate("range"))
    columns = (*(Column(title, ()) for title in win_titles), Column(translate("gain"), (), is_optional=True))
    listed_plays = plays[: min(MAX_CHOICES, result.request.options.plays or MAX_CHOICES)]
    remarks = tuple(_pre_endgame_remarks(solution, listed_plays, translate))
    return Ranking(Method.SOLUTION, translate("pre-endgame"), columns, tuple(map(row, plays)), remarks)


def describe_win_share(play: PreEndgamePlay, bag_count: int, translate: Translator) -> str:
    if bag_count == 1 or not play.undecided_weight:
        bounds = (translate.number(100 * bound, ".1f") for bound in play.bounds)
        return translate("wins {percent}%", percent="–".join(dict.fromkeys(bounds)))
    percent = 100 * play.cautious_share
    if sampled_range := _sampled_range_text(play, translate):
        return translate(
            "wins about {percent:.0f}% (sampled range {range}%)", percent=percent, range=sampled_range
        )
    if play.undecided_weight == sum((*play.proved_weights, play.undecided_weight)):
        return translate("wins about {percent:.0f}%", percent=percent)
    return translate(
        "wins about {percent:.0f}% (proven range {range}%)",
        percent=percent,
        range=_range_text(play.bounds, translate),
    )


def _pre_endgame_cells(play: PreEndgamePlay, bag_count: int, translate: Translator) -> tuple[str, ...]:
    mark = LEFT_IN_BAG_SYMBOL if play.left_in_bag else ""
    gain = translate.number(play.gain, "+.1f")
    if bag_count == 1:
        wins, ties, losses = play.proved_weights
        counts = (
            f"{wins}–{wins + play.undecided_weight}" if play.undecided_weight else f"{wins}-{ties}-{losses}"
        )
        return counts + mark, gain
    if not play.undecided_weight:
        return translate.number(100 * play.win_share, ".1f") + mark, "=", gain
    sampled_range = _sampled_range_text(play, translate)
    range_text = SAMPLED_SYMBOL + sampled_range if sampled_range else _range_text(play.bounds, translate)
    return translate.number(100 * play.cautious_share, ".0f") + mark, range_text, gain


def _pre_endgame_remarks(
    solution: PreEndgameResult, listed_plays: Sequence[PreEndgamePlay], translate: Translator
) -> Iterator[str]:
    if solution.bag_count == 1:
        yield translate.plural(
            "One tile is in the bag, and only {number} tile is possible. Wins, ties and losses are counted for "
            "this tile.",
            "One tile is in the bag, and it can be any of {number} tiles. Wins, ties and losses are counted over all of them.",
            solution.total_weight,
        )
    else:
        yield translate(
            "{tiles} tiles are in the bag. Wins are counted over all possible draws; a tie is half a win.",
            tiles=solution.bag_count,
        )
    if solution.is_best_proved:
        yield translate("Proved: no play wins more often.")
    elif solution.is_best_emptying_play:
        yield translate("Proved: no play that empties the bag wins more often.")
    else:
        yield translate("Not proved yet.")
    if any(play.undecided_weight for play in listed_plays):
        yield (
            translate("A range such as 2–5 means: 2 tiles win for sure, and 3 more are undecided.")
            if solution.bag_count == 1
            else translate(
                "A range such as 40–60 means: 40% of the draws win for sure, and 20% more are undecided. The "
                "figure before a range is a cautious estimate from some of the draws."
            )
        )
    if any(_sampled_range_text(play, translate) for play in listed_plays):
        yield translate("A range after ≈ is a 99% confidence interval from a random sample of the draws.")
    if any(play.left_in_bag for play in listed_plays):
        yield translate(
            "A † marks a play that leaves tiles in the bag. It is judged as if both players knew these tiles and their order."
        )
    if any(isinstance(play.play, Exchange) for play in listed_plays):
        yield translate("Two exchanges in a row aren't considered.")


def _sampled_range_text(play: PreEndgamePlay, translate: Translator) -> str:
    """Return the sampled range, or an empty string if there is none or if it rounds to the same whole percentages as the proven range."""
    if play.sampled_bounds is None or (
        sampled_range := _range_text(play.sampled_bounds, translate)
    ) == _range_text(play.bounds, translate):
        return ""
    return sampled_range


def _range_text(bounds: tuple[float, float], translate: Translator) -> str:
    low, high = bounds
    return f"{translate.number(floor(100 * low))}–{translate.number(ceil(100 * high))}"


def describe_play(
    play: Play, position: Position, translate: Translator, *, blank_can_move: bool = False
) -> str:
    """Return a placement as ``8D W(O)RD``, and an exchange or pass in words.

    If ``blank_can_move``, a dot precedes the blank: ``8D ACERBE·R``.
    """
    distribution = position.rules.distribution
    match play:
        case Placement():
            return placement_text(play, position.board, distribution, blank_can_move=blank_can_move)
        case Exchange():
            return translate("exchange {tiles}", tiles=play_text(play, distribution)[1:])
        case Pass():
            return translate("pass")


def describe_line(position: Position, line: Sequence[EndgameTurn], translate: Translator) -> str:
    plays = []
    board = position.board
    for turn in line:
        play = describe_play(turn.play, replace(position, board=board), translate)
        plays.append(f"{play} {translate.number(turn.score, '+d')}")
        board = board_after(board, turn.play)
    return ", ".join(plays)


def describe_opinion(result: AnalysisResult, translate: Translator) -> str:
    if result.no_opinion_reason is not None:
        return translate(
            "No second opinion: {problem}.", problem=escape(translate.problem(result.no_opinion_reason))
        )
    opinion = result.opinion
    assert opinion is not None  # because ``no_opinion_reason`` is None
    play = escape(describe_play(opinion.play, result.request.position, translate))
    values: dict[str, object] = {
        "engine": escape(opinion.engine, 40),
        "play": f"**{play} {translate.number(opinion.score, '+d')}**",
    }
    if opinion.win is not None:
        return translate(
            "{engine} plays {play}, win chance {percent:.1f}%.", percent=100 * opinion.win, **values
        )
    if opinion.equity is not None:
        return translate("{engine} plays {play}, equity {equity:.1f}.", equity=opinion.equity, **values)
    return translate("{engine} plays {play}.", **values)
