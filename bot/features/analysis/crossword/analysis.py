"""The answer to "what should I have played?": a ranking of plays, and one of them on the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.chat.card import Card, Drawing
from bot.chat.markdown import behind_bars, code_block, escape, one_line
from bot.chat.moment import Choice, Moment
from bot.chat.page import MAX_CHOICES, told
from bot.chat.style import Style
from bot.domain.crossword.play import Pass
from bot.domain.crossword.play_text import rack_text
from bot.domain.crossword.position import Position
from bot.engine.analysis import MILLIPOINTS
from bot.engine.simulation.result import SimulationResult
from bot.features.analysis.controls import Analyze, Plays, Try, Ways, ranking_controls
from bot.features.analysis.crossword.challenge import challenge_words
from bot.features.analysis.crossword.pre_endgame import worth_words
from bot.features.analysis.crossword.rankings import (
    RankedPlays,
    Row,
    gain_words,
    play_words,
    rank_plays,
    row_words,
)
from bot.features.analysis.crossword.request import AnalysisResult, Progress, can_be_simulated, can_be_solved
from bot.features.analysis.crossword.scene import proposal_scene
from bot.features.analysis.crossword.table import has_more, table
from bot.features.analysis.crossword.words import missing_words
from bot.features.analysis.question import Way
from bot.features.showing.crossword.board_scene import alt_text
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.endgame.result import EndgameResult

MAX_PHONIES = 5
_BAR = 12
MAX_NAME = 40
"""Characters told of a name."""


@dataclass(frozen=True, slots=True)
class Context:
    """What an analysis is about, beside the position."""

    turn: int = 0
    """Of a game the number of the turn that is judged, from 1; 0 where none is."""
    player: str = ""
    """Who took it."""
    live: bool = False
    """Whether the game may still be going on."""
    turns: tuple[int | None, int | None] = (None, None)
    """The moments before and after this one in which somebody had a rack to play, as numbers of turns taken."""
    remarks: tuple[str, ...] = ()
    """What is to be borne in mind; it comes first below the table."""
    poster: str = ""
    """Whose question it is that is answered to everybody; empty where that is not said."""


def answer_analysis(
    result: AnalysisResult,
    moment: Moment,
    style: Style,
    *,
    shown: int = 0,
    way: Way | None = None,
    context: Context | None = None,
) -> Card:
    """Tell the best plays, and show one of them, by its rank from 0."""
    say, way, context = style.say, way or Way(), context or Context()
    ranked = rank_plays(result, say)
    position = result.request.position
    shown = min(shown, len(ranked.rows) - 1)
    row = ranked.rows[shown]
    laid_out, notes = table(ranked, position, say, whole=way.all)
    blocks = [
        _headline(result, row, shown, say),
        *_missing(result, say),
        *made_words(ranked, position, context, say),
        *challenge_words(result, say),
        code_block(laid_out),
        *context.remarks,
        *notes,
        *ranked.remarks,
        *_phonies(result, say),
    ]
    choices = [
        _choice(row, rank, position, moment, say) for rank, row in enumerate(ranked.rows[:MAX_CHOICES])
    ]
    turns = tuple(turn for turn in context.turns if turn is not None)
    simulated = can_be_simulated(position)
    ranking = ranking_controls(
        Plays(moment, ranked.method, result.lexicon, way, tuple(choices), shown),
        lexica=(result.lexicon, *result.others) if result.missing else (),
        ways=Ways(moment, ranked.method, result.lexicon, way, simulated, turns),
        can_infer=_can_infer(position),
        can_be_solved=can_be_solved(position),
        has_more=has_more(ranked),
        may_be_posted=not context.live,
    )
    drawing = _drawing(result, row, moment, style)
    if not context.poster:
        return Card(told(blocks, moment), (drawing,), controls=ranking)
    asked = say("🔍 **{name}** asked me:", name=escape(context.poster, MAX_NAME))
    # Everybody may ask on, in private; what was posted stays as it is.
    offers = (Analyze(moment), Try(moment))
    return Card(told(blocks, moment, lead=asked), (drawing,), controls=offers)


def _can_infer(position: Position) -> bool:
    """Tell whether the last play may tell something of the opponent's tiles."""
    last = position.last_play
    return (
        can_be_simulated(position)
        and len(position.players) == 2
        and last is not None
        and not isinstance(last.play, Pass)
        and last.player in {None, 1 - position.on_turn}
        and (position.opponent_rack_unknown or not position.players[1 - position.on_turn].rack)
        and position.bag_count > 0
    )


def _headline(result: AnalysisResult, row: Row, shown: int, say: Speaker) -> str:
    words = escape(row_words(row, result.request.position, say))
    rank = say("Best") if shown == 0 else say("No. {rank}", rank=shown + 1)
    score = say.number(row.score, "+d")
    return f"**{rank}: {words} {score}** · {row.worth} · {escape(result.lexicon)}"


def _missing(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say that another lexicon is used than the one wanted."""
    return [missing_words(result.missing, result.lexicon, say)] if result.missing else []


def made_words(ranked: RankedPlays, position: Position, context: Context, say: Speaker) -> list[str]:
    """Say what was played in the game, and what it cost."""
    made = ranked.made
    if made is None:
        return []
    words = f"**{escape(row_words(made, position, say))} {say.number(made.score, '+d')}**"
    judged = judged_words(ranked, say)
    if not context.turn:
        return [say("Played: {play}, {judged}.", play=words, judged=judged)]
    return [
        say(
            "Turn {turn}: {player} played {play}, {judged}.",
            turn=context.turn,
            player=escape(context.player, MAX_NAME),
            play=words,
            judged=judged,
        )
    ]


def judged_words(ranked: RankedPlays, say: Speaker) -> str:
    """Say which of the plays the one that was made is, and what it cost."""
    return ", ".join(part for part in (_rank_words(ranked, say), ranked.loss) if part)


def _rank_words(ranked: RankedPlays, say: Speaker) -> str:
    """Say which of the plays the one that was made is; nothing when it is not ranked."""
    rank = ranked.made_rank
    named = {1: say("the best play"), 2: say("the second best play"), 3: say("the third best play")}
    if rank is None:
        return "" if ranked.loss else say("not ranked")
    if rank == 1 and ranked.loss:
        return ""  # the same letters as the best, with another tile as the blank
    return named.get(rank) or say("no. {rank} of the plays", rank=rank)


def _phonies(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say which words on the board the lexicon lacks."""
    if not result.phonies:
        return []
    names = ", ".join(escape(phony.text, 30) for phony in result.phonies[:MAX_PHONIES])
    if len(result.phonies) > MAX_PHONIES:
        names += ", …"
    return [say("On the board, but not in {lexicon}: {words}.", lexicon=escape(result.lexicon), words=names)]


def answer_interrupted(say: Speaker) -> Card:
    """Say that an analysis ended before it had anything to tell, because the bot was restarted."""
    text = say("This analysis was interrupted: I was restarted. Ask again, and I begin anew.")
    return Card(text, found=False)


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
    from bot.engine.endgame.result import EndgameResult  # noqa: PLC0415 - who has progress has what makes it

    bar = progress_bar(1 - seconds_left / seconds)
    left = max(0, round(seconds_left))
    if isinstance(progress, SimulationResult):
        found = _simulation_progress(progress, position, left, say)
    elif isinstance(progress, EndgameResult):
        found = _endgame_progress(progress, position, left, say)
    else:
        first = progress.plays[0]
        found = say(
            "ahead: {play}, {worth}; {seconds} s left",
            play=escape(play_words(first.play, position, say)),
            worth=worth_words(first, progress.in_bag, say),
            seconds=left,
        )
    return f"⏳ {bar}\n{behind_bars(found) if hidden and found else found}".rstrip()


def _simulation_progress(progress: SimulationResult, position: Position, left: int, say: Speaker) -> str:
    best = progress.plays[0]
    if best.iterations < 2:
        return ""
    return say(
        "{rollouts} rollouts; ahead: {play}, wins {percent:.1f} ± {error:.1f} %; {seconds} s left",
        rollouts=progress.rollouts,
        play=escape(play_words(best.play.play, position, say)),
        percent=100 * best.win,
        error=100 * best.win_error,
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
    label = f"{rank + 1}. {one_line(row_words(row, position, say))} {say.number(row.score, '+d')}"
    return Choice(str(rank), label if len(label) <= 100 else label[:99] + "…")


def _drawing(result: AnalysisResult, row: Row, moment: Moment, style: Style) -> Drawing:
    say = style.say
    position = result.request.position
    words = one_line(row_words(row, position, say))
    # Where the position names no lexicon, nobody claims that its words are in this one.
    judged = position.rules.lexicon and not result.missing
    squares = [square for phony in result.phonies for square in phony.squares] if judged else []
    scene = proposal_scene(
        position, row.play, row.score, style, phonies=squares, caption=_caption(row, words, position, say)
    )
    alt = say("Proposed: {play}, {score} points.", play=words, score=row.score)
    return Drawing(scene, alt_text(position, say, alt), spoiler=moment.spoiler, name="analysis")


def _caption(row: Row, words: str, position: Position, say: Speaker) -> str:
    """Say what the play on the picture is: with the tiles that it keeps, and its equity."""
    parts = [f"{words} {say.number(row.score, '+d')}"]
    if row.leave:
        leave = rack_text(row.leave, position.rules.distribution)
        parts.append(say("leave {tiles}", tiles=leave))
    if row.equity is not None:
        parts.append(say("equity {equity:.1f}", equity=row.equity / MILLIPOINTS))
    return " · ".join(parts)
