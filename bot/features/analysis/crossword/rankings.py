"""How the plays of an analysis compare, by each method: rows for a table, and what is to be said beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.chat.markdown import escape
from bot.chat.page import MAX_CHOICES
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, Play
from bot.domain.crossword.play_text import placement_text, play_text, rack_text
from bot.domain.crossword.position import Board, Position
from bot.domain.crossword.rules import OWN_GAMES
from bot.engine.analysis import MILLIPOINTS
from bot.engine.plays.values import RatedPlay, letters_of, ways_to_lay
from bot.engine.simulation.result import SimulatedPlay, SimulationResult
from bot.features.analysis.crossword import pre_endgame
from bot.features.analysis.crossword.request import AnalysisResult, Method
from bot.features.analysis.crossword.simulated import simulation_remarks
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.endgame.pre_endgame import PreEndgameResult
    from bot.engine.endgame.result import EndgameResult, EndgameTurn


@dataclass(frozen=True, slots=True)
class Figure:
    """What a column of the table tells beside play and score."""

    title: str
    optional: bool = False
    """Whether it is told only where there is room."""
    to_the_left: bool = False
    once: str = ""
    """How it is said, with a place for the figure, where it is the same for all; empty where each play has its own."""


@dataclass(frozen=True, slots=True)
class Row:
    """A play in a ranking."""

    play: Play
    score: int
    cells: tuple[str, ...]
    """What the table says of it beside the score, a cell a figure."""
    worth: str
    """What it is worth, in words."""
    value: float | None
    """What ranks it, in the ranking's own unit; None when it is not known."""
    any_blank: bool = False
    """Whether it stands for other plays, too, that differ only in which tile is the blank."""
    bounds: tuple[float, float] | None = None
    """The least and the greatest that its value may be; None when it is what it is."""
    leave: tuple[int, ...] | None = None
    """The tiles that it keeps; None where a play of all tiles, or nobody, tells."""
    equity: int | None = None
    """Its equity in millipoints, without playing on; None when it is not known."""


@dataclass(frozen=True, slots=True)
class RankedPlays:
    """The plays of a position, best first, as one method ranks them."""

    method: Method
    figures: tuple[Figure, ...]
    """What the cells of the rows are."""
    rows: tuple[Row, ...]
    made: Row | None
    """The play that was made in the game; one without a value when it is not ranked."""
    loss: str
    """What it cost against the best, or why that is not known; empty when it is the best or nothing was played."""
    remarks: tuple[str, ...]
    """What is to be known beside the ranking."""

    @property
    def made_rank(self) -> int | None:
        """The rank of the play that was made, from 1; None when it is not among the rows."""
        made = self.made
        if made is None:
            return None
        return next((rank for rank, row in enumerate(self.rows, start=1) if alike(row.play, made.play)), None)


def alike(first: Play, second: Play) -> bool:
    """Tell whether two plays are the same, but perhaps for which tile is the blank."""
    return letters_of(first) == letters_of(second)


def rank_plays(result: AnalysisResult, say: Speaker) -> RankedPlays:
    """Rank the plays of a result by the best that is known of them."""
    simulation = result.simulation
    if result.endgame is not None:
        ranked = _by_endgame(result, result.endgame, say)
    elif result.pre_endgame is not None:
        ranked = _by_pre_endgame(result, result.pre_endgame, say)
    elif simulation is not None and all(simulated.iterations > 1 for simulated in simulation.plays):
        ranked = _by_simulation(result, simulation, say)
    else:
        ranked = _by_equity(result, say)
    known = {rated.play: rated for rated in (*result.plays, *([result.made] if result.made else ()))}
    rows = tuple(_with_static(row, known) for row in ranked.rows)
    ranked = replace(ranked, rows=rows)
    remarks = (*ranked.remarks, *opinion_words(result, say))
    if result.unsolved is not None:
        remarks = (say("Not solved: {problem}.", problem=escape(say.problem(result.unsolved))), *remarks)
    if any(row.any_blank for row in ranked.rows):
        remarks += (
            say("· stands before the letter of a blank where another tile may as well be the blank."),
        )
    return replace(ranked, remarks=remarks)


def _with_static(row: Row, known: Mapping[Play, RatedPlay]) -> Row:
    """Return a row with what is known of its play without playing on."""
    rated = known.get(row.play)
    return row if rated is None else replace(row, leave=rated.leave, equity=rated.equity)


def _distinct(result: AnalysisResult, rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return one row for all plays of the same letters, the best; it tells whether another tile may be the blank."""
    position = result.request.position
    rack = position.players[position.on_turn].rack
    found: dict[Play, Row] = {}
    for row in rows:
        blank = isinstance(row.play, Placement) and min(row.play.tiles) < THROUGH
        found.setdefault(
            letters_of(row.play), replace(row, any_blank=blank and ways_to_lay(row.play, rack) > 1)
        )
    return tuple(found.values())


def _by_equity(result: AnalysisResult, say: Speaker) -> RankedPlays:
    rules = result.request.position.rules

    def row(rated: RatedPlay) -> Row:
        leave = rack_text(rated.leave, rules.distribution)
        if not rules.has_known_bag:
            return Row(rated.play, rated.score, (leave,), say("by score"), MILLIPOINTS * rated.score)
        equity = rated.equity / MILLIPOINTS
        worth = say("equity {equity:.1f}", equity=equity)
        return Row(rated.play, rated.score, (say.number(equity, ".1f"), leave), worth, rated.equity)

    rows = _distinct(result, map(row, result.plays))
    made, loss = _made_among(result, (row(result.made),) if result.made else (), say)
    if made is not None and made.value is not None and made.play != rows[0].play:
        equity = ((rows[0].value or 0) - made.value) / MILLIPOINTS
        loss = say("{equity:.1f} less than the best", equity=equity)
    remarks = []
    if result.request.method is Method.SIMULATION:
        remarks.append(say("Time ran out before the plays could be simulated."))
    elif result.request.method is Method.SOLUTION and result.unsolved is None:
        remarks.append(say("Stopped before there was a solution."))
    if not rules.has_known_bag:
        remarks.append(
            say(
                "{game} fills its bag anew for every game, so plays are ranked by what they score: each bonus square once, "
                "as in its Classic mode. How its Wild mode counts is not established.",
                game=OWN_GAMES[rules.distribution.name],
            )
        )
    elif not result.leaves_of and result.request.position.bag_count:
        remarks.append(
            say("There are no values of leaves for this lexicon, so plays are ranked by what they score.")
        )
    leave = Figure(say("leave"), optional=True, to_the_left=True)
    figures = (Figure(say("equity")), leave) if rules.has_known_bag else (leave,)
    return RankedPlays(Method.EQUITY, figures, rows, made, loss, tuple(remarks))


def _by_simulation(result: AnalysisResult, simulation: SimulationResult, say: Speaker) -> RankedPlays:
    def row(simulated: SimulatedPlay) -> Row:
        win, error = 100 * simulated.win, 100 * simulated.win_error
        worth = say("wins {percent:.1f} ± {error:.1f} %", percent=win, error=error)
        worth += " · " + say(
            "equity {equity:.1f} ± {error:.1f}", equity=simulated.equity, error=simulated.equity_error
        )
        cells = tuple(say.number(value, ".1f") for value in (win, error, simulated.equity))
        return Row(simulated.play.play, simulated.play.score, cells, worth, win)

    simulated = tuple(map(row, simulation.plays))
    rows = _distinct(result, simulated)
    made, loss = _made_among(result, simulated, say)
    loss = loss or _wins_lost(rows[0], made, say)
    figures = (
        Figure(say("win %")),
        Figure("±", once=say("Each figure ± {error}.", error="{}")),
        Figure(say("equity"), optional=True),
    )
    remarks = simulation_remarks(simulation, len(result.request.position.players), say)
    if result.inferred:
        remarks.append(say("The opponent's tiles are guessed from the last play."))
    return RankedPlays(Method.SIMULATION, figures, rows, made, loss, tuple(remarks))


def _by_endgame(result: AnalysisResult, endgame: EndgameResult, say: Speaker) -> RankedPlays:
    def row(play: Play, score: int, value: int, *, exact: bool) -> Row:
        cells = (say.number(value, "+d"), "" if exact else "?")
        return Row(play, score, cells, gain_words(value, say), value)

    ranking = tuple(
        row(ranked.play, ranked.score, ranked.value, exact=ranked.exact) for ranked in endgame.ranking
    ) or (row(endgame.line[0].play, endgame.line[0].score, endgame.value, exact=endgame.exact),)
    rows = _distinct(result, ranking)[: result.request.options.plays]
    made, loss = _made_among(result, ranking, say)
    if made is not None and made.value is not None and made.play != rows[0].play:
        loss = say("{points} less than the best", points=round((rows[0].value or 0) - made.value))
    if endgame.exact:
        remarks = [
            say.count(
                "Proved: nobody can do better ({number} position searched).",
                "Proved: nobody can do better ({number} positions searched).",
                endgame.nodes,
            )
        ]
    else:
        remarks = [
            say.count(
                "Not proved in the time: the best line found, {number} turn deep.",
                "Not proved in the time: the best line found, {number} turns deep.",
                endgame.depth,
            )
        ]
        if endgame.bound is not None:
            remarks.append(say("At least {points:+d} is proved.", points=endgame.bound))
    remarks.append(
        say(
            "The gain is by how many points the player on turn does better than the opponent from here to the end."
        )
    )
    if not all(ranked.exact for ranked in endgame.ranking) or not endgame.exact:
        remarks.append(say("A ? marks a gain that is not proved."))
    line = line_words(result.request.position, endgame.line, say)
    remarks.append(say("The line: {plays}", plays=escape(line)))
    figures = (Figure(say("gain")), Figure("", to_the_left=True))
    return RankedPlays(Method.SOLUTION, figures, rows, made, loss, tuple(remarks))


def _by_pre_endgame(result: AnalysisResult, solved: PreEndgameResult, say: Speaker) -> RankedPlays:
    in_bag = solved.in_bag
    ranking = tuple(
        Row(
            play.play,
            play.score,
            pre_endgame.cells(play, in_bag, say),
            pre_endgame.worth_words(play, in_bag, say),
            100 * play.points,
            bounds=None if not play.undecided else (100 * play.bounds[0], 100 * play.bounds[1]),
        )
        for play in solved.plays
    )
    rows = _distinct(result, ranking)
    made, loss = _made_among(result, ranking, say)
    loss = loss or _wins_lost(rows[0], made, say)
    shown = solved.plays[: min(MAX_CHOICES, result.request.options.plays or MAX_CHOICES)]
    wins = (Figure(say("W-T-L")),) if in_bag == 1 else (Figure(say("win %")), Figure(say("range")))
    figures = (*wins, Figure(say("gain"), optional=True))
    remarks = tuple(pre_endgame.remarks(solved, shown, say))
    return RankedPlays(Method.SOLUTION, figures, rows, made, loss, remarks)


def gain_words(value: int, say: Speaker) -> str:
    """Say what a player gains on the opponent to the end of the game."""
    if value < 0:
        return say("loses {points} to the end", points=-value)
    return say("gains {points:+d} to the end", points=value)


def _wins_lost(best: Row, made: Row | None, say: Speaker) -> str:
    """Say what a play costs against the best in wins, as far as both are known."""
    if made is None or made.value is None or made.play == best.play:
        return ""
    low, high = best.bounds or (best.value or 0.0, best.value or 0.0)
    least, most = made.bounds or (made.value, made.value)
    between = (say.number(max(0.0, lost), ".1f") for lost in (low - most, high - least))
    return say("{percent} % of wins less than the best", percent="–".join(dict.fromkeys(between)))


def _made_among(result: AnalysisResult, rows: Sequence[Row], say: Speaker) -> tuple[Row | None, str]:
    """Return the row of the play that was made; one without a value, and why, when it is not among them."""
    made = result.made
    if made is None:
        return None, ""
    unknown = Row(made.play, made.score, ("–",), "", None)
    if result.made_phony:
        return unknown, say("not in {lexicon}, not ranked", lexicon=escape(result.lexicon))
    same = [row for row in rows if row.play == made.play] or [
        row for row in rows if alike(row.play, made.play)
    ]
    return (same[0], "") if same else (unknown, say("not among the plays that were compared"))


def play_words(play: Play, position: Position, say: Speaker, *, any_blank: bool = False) -> str:
    """Say a play in the field's notation: ``8D W(O)RD``, an exchange and a pass in words.

    With ``any_blank`` it stands for all plays of the same letters: ``8D ACERBE·R``.
    """
    distribution = position.rules.distribution
    match play:
        case Placement():
            return placement_text(play, position.board, distribution, any_blank=any_blank)
        case Exchange():
            return say("exchange {tiles}", tiles=play_text(play, distribution)[1:])
        case Pass():
            return say("pass")


def row_words(row: Row, position: Position, say: Speaker) -> str:
    """Say the play of a row, and of all that it stands for."""
    return play_words(row.play, position, say, any_blank=row.any_blank)


def line_words(position: Position, line: Sequence[EndgameTurn], say: Speaker) -> str:
    """Say the plays of a line in turn, each with its score."""
    said = []
    board = position.board
    for turn in line:
        words = play_words(turn.play, replace(position, board=board), say)
        said.append(f"{words} {say.number(turn.score, '+d')}")
        board = board_after(board, turn.play)
    return ", ".join(said)


def board_after(board: Board, play: Play) -> Board:
    """Return a board with the tiles of a play on it."""
    if not isinstance(play, Placement):
        return board
    squares = zip(play.squares(), play.tiles, strict=True)
    return board.with_tiles(
        (row * board.columns + column, tile) for (row, column), tile in squares if tile != THROUGH
    )


def opinion_words(result: AnalysisResult, say: Speaker) -> tuple[str, ...]:
    """Say what the host's other engine would play, or why it said nothing; nothing where it was not asked."""
    if result.unheard is not None:
        return (say("The other engine: {problem}.", problem=escape(say.problem(result.unheard))),)
    opinion = result.opinion
    if opinion is None:
        return ()
    words = escape(play_words(opinion.play, result.request.position, say))
    values = {
        "engine": escape(opinion.engine, 40),
        "play": f"**{words} {say.number(opinion.score, '+d')}**",
    }
    if opinion.win is not None:
        return (
            say(
                "{engine} plays {play} and expects to win {percent:.1f} %.",
                percent=100 * opinion.win,
                **values,
            ),
        )
    if opinion.equity is not None:
        return (say("{engine} plays {play}, equity {equity:.1f}.", equity=opinion.equity, **values),)
    return (say("{engine} plays {play}.", **values),)
