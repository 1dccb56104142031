"""Evaluates crossword plays that users try, and creates their cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.chat.card import (
    MAX_CHOICES,
    MAX_LABEL_LENGTH,
    Card,
    Choice,
    Moment,
    ReplyContext,
    moment_card,
    truncate,
)
from bot.chat.markdown import escape, one_line
from bot.domain.crossword.play import Pass, Placement, Play
from bot.domain.crossword.play_text import (
    MAX_PLAY_LENGTH,
    is_typed_play,
    placement_text,
    placements_of_word,
    play_in_other_direction,
    rack_text,
    read_typed_play,
)
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import play_problems, score_placement
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import MILLIPOINTS, AnalysisOptions
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.values import formed_words
from bot.features.analysis.controls import Analyze, SuggestionMenu, TryPlay
from bot.features.analysis.crossword.analyze import analyze_position, choose_lexicon, is_phony
from bot.features.analysis.crossword.card import describe_rank_and_loss
from bot.features.analysis.crossword.challenge import (
    describe_challenge_and_bluff,
    describe_failed_challenge,
    estimate_lost_turn_value,
)
from bot.features.analysis.crossword.rankings import (
    are_same_except_blanks,
    describe_play,
    rank_plays,
)
from bot.features.analysis.crossword.request import (
    AnalysisRequest,
    AnalysisResources,
    AnalysisResult,
    Phony,
    substitution_warning,
)
from bot.features.showing.crossword.board_scene import alt_text, proposal_scene, unseen_text
from bot.jobs.queue import JobControl
from bot.text import Translator

MAX_COMPARED_PLAYS = 100
"""A user's play is compared with at most this many of the best plays."""
MAX_WORDS = 16
"""Maximum number of words to list for a play."""


@dataclass(frozen=True, slots=True)
class TriedPlay:
    """A tried play and its evaluation."""

    position: Position
    play: Play
    score: int
    words: tuple[str, ...]
    phonies: tuple[Phony, ...]
    lexicon: str
    missing_lexicon: str = ""
    problems: tuple[RuleError, ...] = ()
    analysis: AnalysisResult | None = None
    """The best plays and the tried play, or None if the rack is unknown."""
    lost_turn_value: float | None = None
    """Points that a failed challenge costs the opponent. None if unknown, or if no turn is lost."""
    alternatives: tuple[Play, ...] = ()
    """Plays that the user may have meant."""


def try_play(
    position: Position, text: str, context: ReplyContext, lexicon: str, resources: AnalysisResources
) -> TriedPlay:
    """Try a typed play or, for a word, its best placement. Never call this on an event loop.

    Raises:
        DomainError: the text is not a play, the play does not fit on the board, or no suitable lexicon is installed.

    """
    request = AnalysisRequest(
        position,
        lexicon,
        resources.preferred_lexica(lexicon or position.rules.lexicon, context),
        options=AnalysisOptions(MAX_COMPARED_PLAYS, 0.0),
        aliases=context.aliases,
    )
    choice = choose_lexicon(request, resources.lexica)
    loaded_lexicon = resources.lexica.load(choice.lexicon, position.rules.distribution)
    alternatives: tuple[Play, ...] = ()
    if not is_typed_play(text) and (placements := placements_of_word(text, position)):
        alternatives = _sorted_best_first(position, placements, loaded_lexicon)
        play: Play = alternatives[0]
    else:
        play = read_typed_play(text, position)
    problems = play_problems(position, play)
    if problems and (corrected_play := play_in_other_direction(text, position)):
        alternatives = (corrected_play,)
    result = (
        analyze_position(replace(request, made_play=play), resources.lexica, JobControl())
        if position.players[position.on_turn].rack
        else None
    )
    checked_words = [
        ("".join(map(loaded_lexicon.distribution.text, word.tiles)), word.squares, valid)
        for word, valid in formed_words(position.board, play, position.rules, loaded_lexicon.graph)
    ]
    words = tuple(word for word, _, _ in checked_words)
    phonies = tuple(Phony(word, squares) for word, squares, valid in checked_words if not valid)
    is_valid = bool(words) and not phonies and not problems
    lost_turn_value = (
        estimate_lost_turn_value(position, play, loaded_lexicon)
        if result is not None and is_valid and position.rules.challenge_rule == "double"
        else None
    )
    return TriedPlay(
        position,
        play,
        score_of(position, play),
        words,
        phonies,
        loaded_lexicon.name,
        choice.missing_lexicon if result is None else result.missing_lexicon,
        problems,
        result,
        lost_turn_value,
        alternatives,
    )


def _sorted_best_first(
    position: Position, placements: Sequence[Placement], lexicon: Lexicon
) -> tuple[Play, ...]:
    """Sort by equity, or by score if the rack or the bag is unknown. Phonies come last."""
    from bot.engine.plays.equity import rate  # noqa: PLC0415 - as in analyze_position

    has_equity = position.rules.distribution.has_known_bag and bool(position.players[position.on_turn].rack)

    def key(play: Placement) -> tuple[bool, int]:
        value = rate(position, play, lexicon.leaves).equity if has_equity else score_of(position, play)
        return is_phony(position, play, lexicon), -value

    return tuple(sorted(placements, key=key))


def score_of(position: Position, play: Play) -> int:
    return score_placement(position.board, play, position.rules).score if isinstance(play, Placement) else 0


def require_valid_words(position: Position, play: Play, lexicon: Lexicon) -> None:
    """Raise :exc:`RuleError` if a play forms a phony."""
    for word, valid in formed_words(position.board, play, position.rules, lexicon.graph):
        if not valid:
            raise RuleError(
                "puzzle-phony",
                "{word} is not in {lexicon}",
                word="".join(map(lexicon.distribution.text, word.tiles)),
                lexicon=lexicon.name,
            )


def tried_play_card(
    trial: TriedPlay, moment: Moment, context: ReplyContext, *, remarks: tuple[str, ...] = ()
) -> Card:
    translate, position = context.translate, trial.position
    description = describe_play(trial.play, position, translate)
    blocks = [
        _headline(trial, f"**{escape(description)}** {translate.number(trial.score, '+d')}", translate),
        *(
            [substitution_warning(trial.missing_lexicon, trial.lexicon, translate)]
            if trial.missing_lexicon
            else []
        ),
        *(
            translate("⚠ This play isn't possible: {problem}.", problem=escape(translate.problem(problem)))
            for problem in trial.problems
        ),
        *(_other_meanings(trial, translate) if trial.alternatives else []),
        *_word_lines(trial, translate),
        *_challenge_lines(trial, translate),
        *_comparison_lines(trial, translate),
        *remarks,
    ]
    phonies = [square for phony in trial.phonies for square in phony.squares]
    scene = proposal_scene(position, trial.play, trial.score, context, phony_squares=phonies, on_card=True)
    intro = translate.plural(
        "Tried: {play}, {number} point.",
        "Tried: {play}, {number} points.",
        trial.score,
        play=one_line(description),
    )
    position_with_lexicon = replace(position, rules=replace(position.rules, lexicon=trial.lexicon))
    analyze_button = (Analyze(moment),) if trial.analysis is not None else ()
    return moment_card(
        moment,
        blocks,
        scene,
        alt_text(position_with_lexicon, translate, intro),
        name="trial",
        controls=(
            *analyze_button,
            TryPlay(moment),
            *suggestion_menus(trial.alternatives, position, moment, trial.lexicon, translate),
        ),
        note=unseen_text(position, translate),
        accent="analysis",
    )


def suggestion_menus(
    plays: Sequence[Play], position: Position, moment: Moment, lexicon: str, translate: Translator
) -> tuple[SuggestionMenu, ...]:
    choices: list[Choice] = []
    for play in plays:
        if isinstance(play, Placement):
            text = placement_text(play, position.board, position.rules.distribution)
            label = (
                translate("No. {rank}", rank=len(choices) + 1)
                if moment.spoiler
                else f"{one_line(text)} {translate.number(score_of(position, play), '+d')}"
            )
            if len(text) <= MAX_PLAY_LENGTH:
                choices.append(Choice(text, truncate(label, MAX_LABEL_LENGTH)))
    return (SuggestionMenu(moment, lexicon, tuple(choices[:MAX_CHOICES])),) if choices else ()


def _other_meanings(trial: TriedPlay, translate: Translator) -> list[str]:
    if trial.problems:
        play = escape(describe_play(trial.alternatives[0], trial.position, translate))
        return [translate("Did you mean **{play}**?", play=play)]
    return [
        translate.plural(
            "This word fits in {number} place.", "This word fits in {number} places.", len(trial.alternatives)
        )
    ]


def _headline(trial: TriedPlay, play: str, translate: Translator) -> str:
    parts = [play]
    made_play = trial.analysis.made_play if trial.analysis is not None else None
    if made_play is not None:
        if made_play.leave:
            leave = rack_text(made_play.leave, trial.position.rules.distribution)
            parts.append(translate("leave {tiles}", tiles=escape(leave)))
        if trial.position.rules.distribution.has_known_bag and not isinstance(made_play.play, Pass):
            parts.append(translate("equity {equity:.1f}", equity=made_play.equity / MILLIPOINTS))
    return " · ".join((*parts, escape(trial.lexicon)))


def _word_lines(trial: TriedPlay, translate: Translator) -> list[str]:
    if not trial.words:
        return []
    invalid_texts = [phony.text for phony in trial.phonies]
    words = (
        f"{'❌' if text in invalid_texts else '✅'} {escape(text, 40)}" for text in trial.words[:MAX_WORDS]
    )
    lines = [translate("Words: {words}", words=" · ".join(words))]
    if invalid_texts:
        invalid_words = ", ".join(escape(text, 40) for text in invalid_texts[:MAX_WORDS])
        lines.append(
            translate("Not in {lexicon}: {words}.", lexicon=escape(trial.lexicon), words=invalid_words)
        )
    return lines


def _challenge_lines(trial: TriedPlay, translate: Translator) -> list[str]:
    if trial.analysis is None or trial.problems:
        return []
    if trial.words and not trial.phonies:
        return describe_failed_challenge(
            trial.position.rules.challenge_rule, trial.lost_turn_value, translate
        )
    return describe_challenge_and_bluff(replace(trial.analysis, challenge=None), translate)


def _comparison_lines(trial: TriedPlay, translate: Translator) -> list[str]:
    result = trial.analysis
    if result is None:
        return [translate("The rack is unknown, so this play can't be compared with others.")]
    ranking = rank_plays(result, translate)
    best_row = ranking.rows[0]
    best_play = f"**{escape(describe_play(best_row.play, trial.position, translate))}** {translate.number(best_row.score, '+d')}"
    best_play_and_value = " · ".join(filter(None, (best_play, best_row.value_text())))
    if (
        ranking.played_row is None
        or trial.problems
        or result.is_made_play_phony
        or isinstance(ranking.played_row.play, Pass)
    ):
        return [translate("The best play is {play}.", play=best_play_and_value)]
    rank_and_loss = describe_rank_and_loss(ranking, translate)
    if are_same_except_blanks(best_row.play, ranking.played_row.play):
        return [translate("It is {judged}.", judged=rank_and_loss)]
    return [
        translate("It is {judged}. The best play is {play}.", judged=rank_and_loss, play=best_play_and_value)
    ]
