"""The answer to "what if?": a play on the board, its words, its score, and how it compares with the best."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.chat.card import Card, Drawing
from bot.chat.markdown import escape, one_line
from bot.chat.moment import Moment
from bot.chat.page import told
from bot.chat.style import Style
from bot.domain.crossword.play import Play
from bot.domain.crossword.play_text import rack_text
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import MILLIPOINTS
from bot.features.analysis.controls import Analyze, Try
from bot.features.analysis.crossword.analysis import judged_words
from bot.features.analysis.crossword.challenge import challenge_words, vain_words
from bot.features.analysis.crossword.rankings import alike, play_words, rank_plays
from bot.features.analysis.crossword.request import AnalysisResult
from bot.features.analysis.crossword.scene import proposal_scene
from bot.features.analysis.crossword.words import missing_words
from bot.features.showing.crossword.board_scene import alt_text
from bot.text import Speaker

MAX_WORDS = 16
"""Words of a play that are told; no board has room for more than a few."""


@dataclass(frozen=True, slots=True)
class TriedWord:
    """A word that a play makes."""

    text: str
    squares: tuple[tuple[int, int], ...]
    """The row and column of each tile, from 0."""
    valid: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """A play that somebody tries, and what is known of it."""

    position: Position
    play: Play
    score: int
    words: tuple[TriedWord, ...]
    lexicon: str
    """The lexicon that judged them."""
    missing: str = ""
    """The one that was wanted and is not installed."""
    problems: tuple[RuleError, ...] = ()
    """Why it cannot be made from the rack or on the board."""
    ranking: AnalysisResult | None = None
    """The best plays, with this one among those that were made; None when the rack is not known."""
    turn: float | None = None
    """The points of the opponent's turn after it, where a challenge in vain costs that; None when they are not known."""


def answer_trial(trial: Trial, moment: Moment, style: Style, *, remarks: tuple[str, ...] = ()) -> Card:
    """Show a play that somebody tries; ``remarks`` are to be borne in mind."""
    say = style.say
    words = play_words(trial.play, trial.position, say)
    blocks = [_headline(trial, words, say)]
    if trial.missing:
        blocks.append(missing_words(trial.missing, trial.lexicon, say))
    blocks += [
        say("⚠ It cannot be made: {problem}.", problem=escape(say.problem(problem)))
        for problem in trial.problems
    ]
    blocks += [*_words(trial, say), *_challenged(trial, say), *_comparison(trial, say), *remarks]
    invalid = [square for word in trial.words if not word.valid for square in word.squares]
    score = say.number(trial.score, "+d")
    scene = proposal_scene(
        trial.position, trial.play, trial.score, style, phonies=invalid, caption=f"{one_line(words)} {score}"
    )
    lead = say("Tried: {play}, {score} points.", play=one_line(words), score=trial.score)
    drawing = Drawing(scene, alt_text(trial.position, say, lead), moment.spoiler, "trial")
    offers = (Analyze(moment),) if trial.ranking is not None else ()
    return Card(told(blocks, moment), (drawing,), controls=(*offers, Try(moment)))


def _headline(trial: Trial, words: str, say: Speaker) -> str:
    parts = [f"**{escape(words)} {say.number(trial.score, '+d')}**"]
    made = trial.ranking.made if trial.ranking is not None else None
    if made is not None:
        if made.leave:
            leave = rack_text(made.leave, trial.position.rules.distribution)
            parts.append(say("leave {tiles}", tiles=escape(leave)))
        if trial.position.rules.has_known_bag:
            parts.append(say("equity {equity:.1f}", equity=made.equity / MILLIPOINTS))
    parts.append(escape(trial.lexicon))
    return " · ".join(parts)


def _words(trial: Trial, say: Speaker) -> list[str]:
    """Say which words it makes, and which of them are none."""
    if not trial.words:
        return []
    told_words = [
        f"{'✅' if word.valid else '❌'} {escape(word.text, 40)}" for word in trial.words[:MAX_WORDS]
    ]
    lines = [say("Words: {words}", words=" · ".join(told_words))]
    if invalid := [word.text for word in trial.words if not word.valid]:
        names = ", ".join(escape(text, 40) for text in invalid[:MAX_WORDS])
        lines.append(say("Not in {lexicon}: {words}.", lexicon=escape(trial.lexicon), words=names))
    return lines


def _challenged(trial: Trial, say: Speaker) -> list[str]:
    """Say what comes of a challenge."""
    if trial.ranking is None or trial.problems:
        return []
    if trial.words and all(word.valid for word in trial.words):
        return vain_words(trial.position.rules.challenge_rule, trial.turn, say)
    return challenge_words(replace(trial.ranking, challenge=None), say)


def _comparison(trial: Trial, say: Speaker) -> list[str]:
    """Say where it stands among the best plays."""
    result = trial.ranking
    if result is None:
        return [say("The rack is not known, so it is not compared with other plays.")]
    ranked = rank_plays(result, say)
    best = ranked.rows[0]
    score = say.number(best.score, "+d")
    best_words = f"**{escape(play_words(best.play, trial.position, say))} {score}** · {best.worth}"
    if ranked.made is None or trial.problems or result.made_phony:
        return [say("The best: {play}.", play=best_words)]
    judged = judged_words(ranked, say)
    if alike(best.play, ranked.made.play):
        return [say("It is {judged}.", judged=judged)]
    return [say("It is {judged}. The best: {play}.", judged=judged, play=best_words)]
