"""The answer to "what should I have played?": a ranking of plays, and one of them on the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.answers.crossword.rankings import (
    RankedPlays,
    Row,
    alike,
    gain_words,
    play_words,
    rank_plays,
    row_words,
    wins_words,
)
from bot.answers.crossword.words import missing_words
from bot.answers.markdown import behind_bars, code_block, escape, one_line
from bot.answers.page import MAX_CHOICES, clipped, told
from bot.answers.reply import Choice, Drawing, Moment, Ranking, Reply
from bot.domain.crossword.position import Position
from bot.engine.simulation.result import SimulationResult
from bot.jobs.analysis import AnalysisResult, Progress, can_be_solved
from bot.scenes.analysis import proposal_scene
from bot.scenes.crossword import alt_text
from bot.scenes.style import Style
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.endgame.solve import EndgameResult

MAX_PHONIES = 5
_BAR = 12
_WORD = 22
"""Characters of a play in the table; with the other columns it stays within a telephone's width."""


def answer_analysis(
    result: AnalysisResult,
    moment: Moment,
    style: Style,
    *,
    shown: int = 0,
    remarks: Sequence[str] = (),
) -> Reply:
    """Tell the best plays, and show one of them, by its rank from 0. ``remarks`` come first below the table."""
    say = style.say
    ranked = rank_plays(result, say)
    position = result.request.position
    shown = min(shown, len(ranked.rows) - 1)
    row = ranked.rows[shown]
    blocks = [_headline(result, row, shown, say), *_missing(result, say), *_made(ranked, position, say)]
    blocks += [code_block(table(ranked, position, say)), *remarks, *ranked.remarks, *_phonies(result, say)]
    choices = [
        _choice(row, rank, position, moment, say) for rank, row in enumerate(ranked.rows[:MAX_CHOICES])
    ]
    return Reply(
        told(blocks, None, moment),
        (_drawing(result, row, moment, style),),
        controls=(
            Ranking(
                moment,
                result.lexicon,
                ranked.method,
                tuple(choices),
                shown,
                can_be_solved=can_be_solved(position),
                lexica=(result.lexicon, *result.others) if result.missing else (),
            ),
        ),
    )


def _headline(result: AnalysisResult, row: Row, shown: int, say: Speaker) -> str:
    words = escape(row_words(row, result.request.position, say))
    rank = say("Best") if shown == 0 else say("No. {rank}", rank=shown + 1)
    return f"**{rank}: {words} {row.score:+d}** · {row.worth} · {escape(result.lexicon)}"


def _missing(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say that another lexicon is used than the one wanted."""
    return [missing_words(result.missing, result.lexicon, say)] if result.missing else []


def _made(ranked: RankedPlays, position: Position, say: Speaker) -> list[str]:
    """Say what was played in the game, and what it cost."""
    made = ranked.made
    if made is None:
        return []
    words = escape(row_words(made, position, say))
    rank = ranked.made_rank
    if rank == 1 and not ranked.loss:
        return [say("Played: {play} {score:+d}, the best.", play=words, score=made.score)]
    if not ranked.loss:
        return [say("Played: {play} {score:+d}.", play=words, score=made.score)]
    if rank is None:
        return [say("Played: {play} {score:+d}, {loss}.", play=words, score=made.score, loss=ranked.loss)]
    return [
        say(
            "Played: {play} {score:+d}, no. {rank}, {loss}.",
            play=words,
            score=made.score,
            rank=rank,
            loss=ranked.loss,
        )
    ]


def table(ranked: RankedPlays, position: Position, say: Speaker) -> str:
    """Lay out a ranking in columns, at most 50 characters wide; the play that was made has a mark."""
    listed = list(enumerate(ranked.rows[:MAX_CHOICES], start=1))
    made = ranked.made
    if made is not None and not any(alike(row.play, made.play) for _, row in listed):
        listed = [*listed[: MAX_CHOICES - 1], (ranked.made_rank or 0, made)]
    lines = [["", say("play"), say("pts"), *ranked.heads]]
    for rank, row in listed:
        mark = "→" if made is not None and alike(row.play, made.play) else ""
        words = clipped(one_line(row_words(row, position, say)), _WORD)
        lines.append([f"{mark}{rank or ''}", words, str(row.score), *row.cells])
    return _columns(lines)


def _columns(rows: list[list[str]]) -> str:
    """Put cells under each other: words to the left, ranks and numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column in (1, 3) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _phonies(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say which words on the board the lexicon lacks."""
    if not result.phonies:
        return []
    names = ", ".join(escape(phony.text, 30) for phony in result.phonies[:MAX_PHONIES])
    if len(result.phonies) > MAX_PHONIES:
        names += ", …"
    return [say("On the board, but not in {lexicon}: {words}.", lexicon=escape(result.lexicon), words=names)]


def answer_interrupted(say: Speaker) -> Reply:
    """Say that an analysis ended before it had anything to tell, because the bot was restarted."""
    text = say("This analysis was interrupted: I was restarted. Ask again, and I begin anew.")
    return Reply(text, found=False)


def progress_bar(share: float) -> str:
    """Draw how much of something is done, from 0 to 1."""
    full = round(_BAR * max(0.0, min(1.0, share)))
    return "▰" * full + "▱" * (_BAR - full)


def answer_progress(
    progress: Progress,
    position: Position,
    seconds_left: float,
    seconds: float,
    say: Speaker,
    *,
    hidden: bool = False,
) -> str:
    """Say in two lines how far an analysis is: a bar, and what it has found by now, until it is clicked if ``hidden``."""
    from bot.engine.endgame.solve import EndgameResult  # noqa: PLC0415 - who has progress has what makes it

    bar = progress_bar(1 - seconds_left / seconds)
    left = max(0, round(seconds_left))
    if isinstance(progress, SimulationResult):
        found = _simulation_progress(progress, position, left, say)
    elif isinstance(progress, EndgameResult):
        found = _endgame_progress(progress, position, left, say)
    else:
        first = progress.plays[0]
        found = say(
            "ahead: {play}, wins {percent} %; {seconds} s left",
            play=escape(play_words(first.play, position, say)),
            percent=wins_words(first),
            seconds=left,
        )
    return f"⏳ {bar}\n{behind_bars(found) if hidden and found else found}".rstrip()


def _simulation_progress(progress: SimulationResult, position: Position, left: int, say: Speaker) -> str:
    best = progress.plays[0]
    if best.iterations < 2:
        return ""
    return say(
        "{rollouts} rollouts; ahead: {play}, wins {percent} ± {error} %; {seconds} s left",
        rollouts=progress.rollouts,
        play=escape(play_words(best.play.play, position, say)),
        percent=f"{100 * best.win:.1f}",
        error=f"{100 * best.win_error:.1f}",
        seconds=left,
    )


def _endgame_progress(endgame: EndgameResult, position: Position, left: int, say: Speaker) -> str:
    first = endgame.line[0]
    return say(
        "{depth} turns deep; ahead: {play}, {worth}; {seconds} s left",
        depth=endgame.depth,
        play=escape(play_words(first.play, position, say)),
        worth=gain_words(endgame.value, say),
        seconds=left,
    )


def _choice(row: Row, rank: int, position: Position, moment: Moment, say: Speaker) -> Choice:
    if moment.spoiler:
        return Choice(str(rank), say("No. {rank}", rank=rank + 1))
    label = f"{rank + 1}. {one_line(row_words(row, position, say))} {row.score:+d}"
    return Choice(str(rank), label if len(label) <= 100 else label[:99] + "…")


def _drawing(result: AnalysisResult, row: Row, moment: Moment, style: Style) -> Drawing:
    say = style.say
    position = result.request.position
    words = one_line(row_words(row, position, say))
    # Where the position names no lexicon, nobody claims that its words are in this one.
    judged = position.rules.lexicon and not result.missing
    squares = [square for phony in result.phonies for square in phony.squares] if judged else []
    scene = proposal_scene(
        position, row.play, row.score, style, phonies=squares, caption=f"{words} {row.score:+d}"
    )
    alt = say("Proposed: {play}, {score} points.", play=words, score=row.score)
    return Drawing(scene, alt_text(position, say, alt), spoiler=moment.spoiler, name="analysis")
