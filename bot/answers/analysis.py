"""The answer to "what should I have played?": a ranking of plays, and one of them on the board."""

from __future__ import annotations

from collections.abc import Sequence

from bot.analysis_scenes import proposal_scene
from bot.answers.plain import behind_bars, code_block, escape, one_line
from bot.answers.reply import TEXT_LIMIT, Answer, Choice, Drawing, Moment, Ranking
from bot.domain.notation_text import placement_text, play_text, rack_text
from bot.domain.play import Exchange, Pass, Placement, Play
from bot.domain.position import Position
from bot.engine.rated import RatedPlay
from bot.engine.simulation_result import Ending, SimulatedPlay, SimulationResult
from bot.jobs.analysis import AnalysisResult
from bot.scenes import ALT_LIMIT, View, alt_text
from bot.text import Speaker

MAX_ROWS = 15
"""Plays in the table; a menu has room for more, a telephone has not."""

MAX_PHONIES = 5
MILLIPOINTS = 1000
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
            _is_simulated(result),
            tuple(_choice(result, rank, say, moment) for rank in range(min(len(ranked), MAX_ROWS))),
            shown,
        ),
    )


def _ranked(result: AnalysisResult) -> tuple[RatedPlay, ...]:
    if _is_simulated(result):
        assert result.simulation is not None
        return tuple(simulated.play for simulated in result.simulation.plays)
    return result.plays


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
    if result.simulation is not None and _is_simulated(result):
        told.append(simulation_words(result.simulation, say))
    elif result.simulation is not None:
        told.append(say("The time was over before the plays could be compared by playing on."))
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


def answer_progress(result: SimulationResult, position: Position, seconds_left: float, say: Speaker) -> str:
    """Say in one line how far a simulation is."""
    best = result.plays[0]
    return say(
        "⏳ {rollouts} rollouts; ahead: {play}, wins {percent} ± {error} %; {seconds} s left",
        rollouts=result.rollouts,
        play=escape(one_line(play_words(best.play.play, position, say))),
        percent=f"{100 * best.win:.1f}",
        error=f"{100 * best.win_error:.1f}",
        seconds=max(0, round(seconds_left)),
    )


def _choice(result: AnalysisResult, rank: int, say: Speaker, moment: Moment) -> Choice:
    if moment.spoiler:
        return Choice(str(rank), say("No. {rank}", rank=rank + 1))
    play = _ranked(result)[rank]
    label = f"{rank + 1}. {one_line(play_words(play.play, result.request.position, say))} {play.score:+d}"
    return Choice(str(rank), label if len(label) <= 100 else label[:99] + "…")


def _drawing(result: AnalysisResult, play: RatedPlay, moment: Moment, view: View, say: Speaker) -> Drawing:
    position = result.request.position
    words = one_line(play_words(play.play, position, say))
    # Without a lexicon that somebody named, nobody claims that these words are none.
    named = result.request.lexicon or position.rules.lexicon
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
