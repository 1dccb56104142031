"""The answer to "what should I have played?": a ranking of plays, and one of them on the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.analysis_scenes import proposal_scene
from bot.answers.plain import behind_bars, code_block, escape, one_line
from bot.answers.reply import TEXT_LIMIT, Answer, Choice, Drawing, Moment, Ranking
from bot.domain.board import Board
from bot.domain.notation_text import placement_text, play_text, rack_text
from bot.domain.play import THROUGH, Exchange, Pass, Placement, Play
from bot.domain.position import Position
from bot.engine.rated import RatedPlay
from bot.engine.simulation_result import Ending, SimulatedPlay, SimulationResult
from bot.jobs.analysis import AnalysisResult, Method, Progress
from bot.scenes import ALT_LIMIT, View, alt_text
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.endgame import EndgameResult, EndgameTurn, RankedPlay

MAX_ROWS = 15
"""Plays in the table; a menu has room for more, a telephone has not."""

MAX_PHONIES = 5
MILLIPOINTS = 1000
_BAR = 12
_WORD = 22
"""Characters of a play in the table; with the other columns it stays within a telephone's width."""


def answer_analysis(
    result: AnalysisResult,
    moment: Moment,
    view: View,
    say: Speaker,
    *,
    shown: int = 0,
    remarks: Sequence[str] = (),
) -> Answer:
    """Tell the best plays, and show one of them, by its rank from 0. ``remarks`` come last."""
    ranked = _ranked(result)
    shown = min(shown, len(ranked) - 1)
    play = ranked[shown]
    blocks = [_headline(result, play, shown, say), *_made(result, say), code_block(table(result, say))]
    blocks += [*_told_apart(result, say), *remarks]
    hide = behind_bars if moment.spoiler else str
    return Answer(
        _as_fits([hide(block) for block in blocks]),
        (_drawing(result, play, moment, view, say),),
        ranking=Ranking(
            moment,
            result.lexicon,
            ranked_by(result),
            tuple(_choice(result, rank, say, moment) for rank in range(min(len(ranked), MAX_ROWS))),
            shown,
            can_be_solved=is_endgame(result.request.position),
        ),
    )


def is_endgame(position: Position) -> bool:
    """Tell whether the bag is empty in a game of two, so that the best play can be proved."""
    return len(position.players) == 2 and position.bag_count == 0


def _ranked(result: AnalysisResult) -> tuple[RatedPlay, ...]:
    if result.endgame is not None:
        return tuple(_rated(ranked) for ranked in _solved(result.endgame))
    if _is_simulated(result):
        assert result.simulation is not None
        return tuple(simulated.play for simulated in result.simulation.plays)
    return result.plays


def _solved(endgame: EndgameResult) -> tuple[RankedPlay, ...]:
    """Return the plays whose values are known; at least the first of the best line."""
    from bot.engine.endgame import RankedPlay  # noqa: PLC0415 - who has a solution has what solves

    return endgame.ranking or (RankedPlay(endgame.line, endgame.value, endgame.exact),)


def _rated(ranked: RankedPlay) -> RatedPlay:
    """Return a solved play as one whose equity is what it gains until the end."""
    return RatedPlay(ranked.play, ranked.score, (), ranked.value * MILLIPOINTS)


def ranked_by(result: AnalysisResult) -> Method:
    """Return how the plays of a result are ranked."""
    if result.endgame is not None:
        return Method.SOLUTION
    return Method.SIMULATION if _is_simulated(result) else Method.EQUITY


def _is_simulated(result: AnalysisResult) -> bool:
    """Tell whether a simulation has come far enough to rank plays."""
    simulation = result.simulation
    return simulation is not None and all(simulated.iterations > 1 for simulated in simulation.plays)


def play_words(play: Play, position: Position, say: Speaker) -> str:
    """Say a play in the field's notation: ``8D W(O)RD``, an exchange and a pass in words."""
    distribution = position.rules.distribution
    match play:
        case Placement():
            return placement_text(play, position.board, distribution)
        case Exchange():
            return say("exchange {tiles}", tiles=play_text(play, distribution)[1:])
        case Pass():
            return say("pass")


def points(millipoints: int) -> str:
    """Write an equity in points, with one decimal."""
    return f"{millipoints / MILLIPOINTS:.1f}"


def _headline(result: AnalysisResult, play: RatedPlay, shown: int, say: Speaker) -> str:
    words = escape(one_line(play_words(play.play, result.request.position, say)))
    rank = say("Best") if shown == 0 else say("No. {rank}", rank=shown + 1)
    parts = [f"**{rank}: {words} {play.score:+d}**"]
    simulated = _simulated(result, play)
    if simulated is not None:
        parts.append(
            say(
                "wins {percent} ± {error} %",
                percent=f"{100 * simulated.win:.1f}",
                error=f"{100 * simulated.win_error:.1f}",
            )
        )
    elif result.endgame is not None:
        parts.append(say("gains {points:+d} to the end", points=play.equity // MILLIPOINTS))
    else:
        parts.append(say("equity {equity}", equity=points(play.equity)))
    parts.append(escape(result.lexicon))
    return " · ".join(parts)


def _simulated(result: AnalysisResult, play: RatedPlay) -> SimulatedPlay | None:
    plays = result.simulation.plays if result.simulation and _is_simulated(result) else ()
    return next((simulated for simulated in plays if simulated.play.play == play.play), None)


def _made(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say what was played in the game, and what it cost."""
    made = result.made
    if made is None:
        return []
    ranked = _ranked(result)
    words = escape(one_line(play_words(made.play, result.request.position, say)))
    rank = next((rank for rank, play in enumerate(ranked, start=1) if play.play == made.play), None)
    if rank == 1:
        return [say("Played: {play} {score:+d}, the best.", play=words, score=made.score)]
    best = ranked[0]
    ours, theirs = _simulated(result, made), _simulated(result, best)
    if result.endgame is not None:
        made = next((play for play in ranked if play.play == made.play), None)
        if made is None:
            return [say("Played: {play}.", play=words)]
    if ours is not None and theirs is not None:
        loss = say("{percent} % of wins less than the best", percent=f"{100 * (theirs.win - ours.win):.1f}")
    else:
        loss = say("{equity} less than the best", equity=points(max(0, best.equity - made.equity)))
    if rank is None:
        return [say("Played: {play} {score:+d}, {loss}.", play=words, score=made.score, loss=loss)]
    return [
        say(
            "Played: {play} {score:+d}, no. {rank}, {loss}.",
            play=words,
            score=made.score,
            rank=rank,
            loss=loss,
        )
    ]


def table(result: AnalysisResult, say: Speaker) -> str:
    """Lay out the ranking in columns, at most 50 characters wide; the play that was made has a mark."""
    position = result.request.position
    ranked = _ranked(result)
    made = result.made.play if result.made else None
    simulated = _is_simulated(result)
    head = [
        "",
        say("play"),
        say("pts"),
        *((say("win %"), "±") if simulated else (say("leave"), say("equity"))),
    ]
    rows = [head]
    listed = list(enumerate(ranked[:MAX_ROWS], start=1))
    if result.made and all(play.play != made for _, play in listed):
        rank = next((rank for rank, play in enumerate(ranked, start=1) if play.play == made), None)
        listed = [*listed[: MAX_ROWS - 1], (rank or 0, result.made)]
    for rank, play in listed:
        mark = "→" if play.play == made else ""
        number = f"{mark}{rank}" if rank else mark
        rows.append(
            [number, _clipped(play_words(play.play, position, say)), str(play.score), *_worth(result, play)]
        )
    return _columns(rows, left={1} if simulated else {1, 3})


def _worth(result: AnalysisResult, play: RatedPlay) -> tuple[str, str]:
    if result.endgame is not None:
        known = any(solved.play == play.play for solved in _ranked(result))
        return f"{play.equity // MILLIPOINTS:+d}" if known else "?", ""
    if _is_simulated(result):
        simulated = _simulated(result, play)
        if simulated is None:
            return "", ""
        return f"{100 * simulated.win:.1f}", f"{100 * simulated.win_error:.1f}"
    leave = rack_text(play.leave, result.request.position.rules.distribution)
    return leave if len(leave) <= 9 else leave[:8] + "…", points(play.equity)


def _clipped(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _WORD else text[: _WORD - 1] + "…"


def _columns(rows: list[list[str]], left: set[int]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _told_apart(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say what is to be known beside the ranking: how it came about, phonies, what the lexicon lacks."""
    told = []
    if result.endgame is not None:
        told += _solution_words(result, result.endgame, say)
    elif result.simulation is not None and _is_simulated(result):
        if result.inferred:
            told.append(say("The opponent's tiles are guessed from the last play."))
        told.append(simulation_words(result.simulation, say))
    elif result.simulation is not None:
        told.append(say("The time was over before the plays could be compared by playing on."))
    if result.request.method is Method.SOLUTION and result.endgame is None:
        told.append(say("Stopped before there was a solution."))
    if not result.leaves_of and result.request.position.bag_count:
        told.append(
            say("There are no values of leaves for this lexicon, so plays are ranked by what they score.")
        )
    if result.phonies:
        names = ", ".join(escape(one_line(phony.text[:30])) for phony in result.phonies[:MAX_PHONIES])
        if len(result.phonies) > MAX_PHONIES:
            names += ", …"
        told.append(
            say("On the board, but not in {lexicon}: {words}.", lexicon=escape(result.lexicon), words=names)
        )
    return told


def _solution_words(result: AnalysisResult, endgame: EndgameResult, say: Speaker) -> list[str]:
    """Say how sure a solution is, and how the game goes on."""
    if endgame.exact:
        told = [say("Proved: nobody can do better. {nodes} positions searched.", nodes=endgame.nodes)]
    else:
        told = [say("Not proved in the time: the best line found, {depth} turns deep.", depth=endgame.depth)]
        if endgame.bound is not None:
            told.append(say("At least {points:+d} is proved.", points=endgame.bound))
    line = line_words(result.request.position, endgame.line, say)
    told.append(say("The line: {plays}", plays=escape(one_line(line))))
    return told


def line_words(position: Position, line: Sequence[EndgameTurn], say: Speaker) -> str:
    """Say the plays of a line in turn, each with its score."""
    said = []
    board = position.board
    for turn in line:
        words = play_words(turn.play, replace(position, board=board), say)
        said.append(f"{words} {turn.score:+d}")
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


def progress_bar(share: float) -> str:
    """Draw how much of something is done, from 0 to 1."""
    full = round(_BAR * max(0.0, min(1.0, share)))
    return "▰" * full + "▱" * (_BAR - full)


def _solution_progress(endgame: EndgameResult, position: Position, seconds_left: float, say: Speaker) -> str:
    """Say in one line how far a solution is."""
    first = endgame.line[0]
    return say(
        "{depth} turns deep; ahead: {play}, gains {points:+d}; {seconds} s left",
        depth=endgame.depth,
        play=escape(one_line(play_words(first.play, position, say))),
        points=endgame.value,
        seconds=max(0, round(seconds_left)),
    )


def simulation_words(simulation: SimulationResult, say: Speaker) -> str:
    """Say how many rollouts there were, and why they ended."""
    turns = say.count("{number} turn ahead", "{number} turns ahead", simulation.plies)
    rollouts = say.count("{number} rollout", "{number} rollouts", simulation.rollouts)
    ending = ""
    if simulation.ending is Ending.DECIDED:
        ending = say("; the best is the best with 99 % confidence")
    elif simulation.ending is Ending.CANCELLED:
        ending = say("; stopped early")
    return f"{rollouts}, {turns}{ending}."


def answer_progress(
    progress: Progress, position: Position, seconds_left: float, seconds: float, say: Speaker
) -> str:
    """Say in two lines how far an analysis is: a bar, and what it has found by now."""
    bar = progress_bar(1 - seconds_left / seconds)
    if not isinstance(progress, SimulationResult):
        return f"⏳ {bar}\n{_solution_progress(progress, position, seconds_left, say)}"
    best = progress.plays[0]
    if best.iterations < 2:
        return f"⏳ {bar}"
    found = say(
        "{rollouts} rollouts; ahead: {play}, wins {percent} ± {error} %; {seconds} s left",
        rollouts=progress.rollouts,
        play=escape(one_line(play_words(best.play.play, position, say))),
        percent=f"{100 * best.win:.1f}",
        error=f"{100 * best.win_error:.1f}",
        seconds=max(0, round(seconds_left)),
    )
    return f"⏳ {bar}\n{found}"


def _choice(result: AnalysisResult, rank: int, say: Speaker, moment: Moment) -> Choice:
    if moment.spoiler:
        return Choice(str(rank), say("No. {rank}", rank=rank + 1))
    play = _ranked(result)[rank]
    label = f"{rank + 1}. {one_line(play_words(play.play, result.request.position, say))} {play.score:+d}"
    return Choice(str(rank), label if len(label) <= 100 else label[:99] + "…")


def _drawing(result: AnalysisResult, play: RatedPlay, moment: Moment, view: View, say: Speaker) -> Drawing:
    position = result.request.position
    words = one_line(play_words(play.play, position, say))
    # Where the position names no lexicon, nobody claims that its words are in this one.
    named = position.rules.lexicon
    squares = [square for phony in result.phonies for square in phony.squares] if named else []
    caption = f"{words} {play.score:+d}"
    scene = proposal_scene(position, play.play, play.score, view, say, phonies=squares, caption=caption)
    alt = say("Proposed: {play}, {score} points.", play=words, score=play.score)
    return Drawing(
        scene, f"{alt} {alt_text(position, say)}"[:ALT_LIMIT], spoiler=moment.spoiler, name="analysis"
    )


def _as_fits(blocks: list[str]) -> str:
    text = blocks[0]
    for block in blocks[1:]:
        if len(text) + 1 + len(block) <= TEXT_LIMIT:
            text += "\n" + block
    return text
