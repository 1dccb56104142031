"""What would you play? Crossword plays that people proposed, compared and drawn on one board."""

from __future__ import annotations

from collections.abc import Sequence

from bot.chat.markdown import escape
from bot.chat.offers import CopyOffer, Moment
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import score_placement
from bot.engine.analysis import MILLIPOINTS
from bot.features.analysis.controls import Analyze, Try
from bot.features.analysis.crossword.rankings import Row, alike, play_words, rank_plays
from bot.features.analysis.crossword.scene import numbered_scene
from bot.features.polls.card import Outcome, Proposed, Voter, outcome_text, signed
from bot.features.review.crossword.classes import BY_WIN
from bot.features.showing.crossword.board_scene import alt_text, position_scene
from bot.features.showing.crossword.position import position_line
from bot.features.showing.words import MAX_ALT
from bot.jobs.analysis import AnalysisResult, Method
from bot.text import Speaker

MAX_DRAWN = 6
"""Plays on one board."""


def card_drawing(position: Position, moment: Moment, style: Style) -> Drawing:
    """Return the board that is asked about."""
    say = style.say
    alt = alt_text(position, say, say("What would you play?"))
    return Drawing(position_scene(position, style), alt, moment.spoiler, "poll")


def outcome_of(
    position: Position, plays: Sequence[tuple[Play, Voter]], result: AnalysisResult | None, say: Speaker
) -> tuple[Outcome, tuple[Play, ...]]:
    """Return what a poll came to, with the plays in the order of the outcome.

    ``result`` compares them with the engine's; None where there is none, or it failed.
    """
    groups: list[tuple[Play, list[Voter]]] = []
    for play, voter in plays:
        known = next((voters for other, voters in groups if alike(other, play)), None)
        if known is None:
            groups.append((play, [voter]))
        else:
            known.append(voter)
    if result is None:
        groups.sort(key=lambda group: (-_score(position, group[0]), -len(group[1])))
        proposed = tuple(
            Proposed(
                play_words(play, position, say),
                tuple(voters),
                (say.number(_score(position, play)),),
                is_ranked=False,
            )
            for play, voters in groups
        )
        return Outcome(proposed, (say("pts"),)), tuple(play for play, _ in groups)
    return _compared(position, groups, result, say)


def _compared(
    position: Position, groups: list[tuple[Play, list[Voter]]], result: AnalysisResult, say: Speaker
) -> tuple[Outcome, tuple[Play, ...]]:
    ranked = rank_plays(result, say)
    best = ranked.rows[0]
    found: list[tuple[float, Play, Proposed]] = []
    for play, voters in groups:
        rank, row = next(
            ((at, row) for at, row in enumerate(ranked.rows) if alike(row.play, play)),
            (len(ranked.rows), None),
        )
        words = play_words(play, position, say)
        if row is None:
            cells = (say.number(_score(position, play)),)
            found.append((rank, play, Proposed(words, tuple(voters), cells, is_ranked=False)))
            continue
        good = rank == 0 or _as_good(ranked.method, best, row)
        found.append((rank, play, Proposed(words, tuple(voters), _cells(row, say), is_best=good)))
    if not any(one.is_best for _, _, one in found):
        words = play_words(best.play, position, say)
        found.append((-1, best.play, Proposed(words, (), _cells(best, say), is_best=True)))
    found.sort(key=lambda one: one[0])
    figures = [say("pts"), say("equity")]
    if ranked.method is not Method.EQUITY:
        figures.append(ranked.figures[0].title)
    # What is said of all plays of the analysis is not about those that people made.
    remarks = (escape(result.lexicon), *ranked.remarks[:1])
    return (
        Outcome(tuple(one for _, _, one in found), tuple(figures), remarks),
        tuple(play for _, play, _ in found),
    )


def _as_good(method: Method, best: Row, row: Row) -> bool:
    """Tell whether a play loses less against the best than what a review takes for a loss, where points do not decide."""
    if best.value is None or row.value is None:
        return False
    least = BY_WIN[0]
    if method is not Method.SIMULATION or not least < best.value < 100 - least:
        return best.value == row.value and best.cells == row.cells
    return best.value - row.value < least


def _cells(row: Row, say: Speaker) -> tuple[str, ...]:
    equity = "–" if row.equity is None else say.number(row.equity / MILLIPOINTS, ".1f")
    return (say.number(row.score), equity, row.cells[0])


def _score(position: Position, play: Play) -> int:
    return score_placement(position.board, play, position.rules).score if isinstance(play, Placement) else 0


def answer_outcome(  # noqa: PLR0917 - what is told
    asker: int,
    position: Position,
    outcome: Outcome,
    plays: tuple[Play, ...],
    moment: Moment,
    style: Style,
    *,
    analysis: bool,
) -> Reply:
    """Tell what a poll came to, with its plays as numbered ghosts on one board."""
    say = style.say
    drawn = [(sign, plays[at]) for sign, at in signed(outcome, MAX_DRAWN)]
    scene = numbered_scene(position, drawn, style)
    lead = " ".join(
        [say("Proposed:")]
        + [f"{sign} {outcome.proposed[at].words}." for sign, at in signed(outcome, MAX_DRAWN)]
    )
    drawing = Drawing(scene, alt_text(position, say, lead[: MAX_ALT // 3]), moment.spoiler, "poll")
    text = outcome_text(asker, position_line(position, say), outcome, moment, say)
    offers = (Analyze(moment),) if analysis else ()
    return Reply(text, (drawing,), controls=(*offers, Try(moment), CopyOffer(moment)))
