"""The card for an analysis: a table of ranked plays, and the board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.chat.card import (
    MAX_CHOICES,
    MAX_LABEL_LENGTH,
    Card,
    Choice,
    Drawing,
    Moment,
    ReplyContext,
    join_blocks,
    truncate,
)
from bot.chat.columns import Column, lay_out
from bot.chat.control import Control
from bot.chat.markdown import as_spoiler, code_block, escape, one_line
from bot.domain.crossword.play import Pass
from bot.domain.crossword.play_text import rack_text
from bot.domain.crossword.position import Position
from bot.engine.endgame.result import EndgameResult
from bot.engine.simulation.result import SimulationResult
from bot.features.analysis.controls import (
    DEEPER_PLIES,
    AnalysisDetails,
    Analyze,
    ChangeTableLength,
    Deepen,
    MoreTime,
    PlayMenu,
    PostRanking,
    SwitchAnalysis,
    TryPlay,
)
from bot.features.analysis.crossword.challenge import describe_challenge_and_bluff
from bot.features.analysis.crossword.rankings import (
    Ranking,
    Row,
    are_same_except_blanks,
    describe_gain,
    describe_play,
    describe_win,
    describe_win_share,
    rank_plays,
)
from bot.features.analysis.crossword.request import (
    AnalysisResult,
    Method,
    PartialResult,
    can_be_simulated,
    can_be_solved,
    substitution_warning,
)
from bot.features.showing.crossword.board_scene import alt_text, proposal_scene, unseen_text
from bot.features.showing.subjects import AnalysisSubject
from bot.text import Translator

SHORT_TABLE_ROWS = 8
MAX_PHONIES = 5
MAX_LEXICON_BUTTONS = 8
MAX_NAME_LENGTH = 40

_NO_PARENTHESES = str.maketrans("", "", "()")


def analysis_card(
    result: AnalysisResult,
    moment: Moment,
    context: ReplyContext,
    *,
    rank: int = 0,
    details: AnalysisDetails | None = None,
    subject: AnalysisSubject | None = None,
    remarks: tuple[str, ...] = (),
    poster: str = "",
) -> Card:
    """Return the card for an analysis. The board shows the play at ``rank``, counted from 0.

    ``subject`` has details about the position and the play made in it. ``poster`` is the name of the user who posts the analysis to
    a channel.
    """
    translate, details = context.translate, details or AnalysisDetails()
    ranking = rank_plays(result, translate)
    position = result.request.position
    subject = subject or AnalysisSubject(position)
    rank = min(rank, len(ranking.rows) - 1)
    headline, drawing = _headline_and_drawing(result, ranking, rank, moment, context)
    table, notes = ranking_table(
        ranking, translate, max_rows=MAX_CHOICES if details.has_long_table else SHORT_TABLE_ROWS
    )
    blocks = [
        headline,
        *(
            [substitution_warning(result.missing_lexicon, result.lexicon, translate)]
            if result.missing_lexicon
            else []
        ),
        *(
            [_describe_made_play(ranking, ranking.played_row, subject, translate)]
            if ranking.played_row
            else []
        ),
        *(describe_challenge_and_bluff(result, translate) if result.challenge or result.bluff else []),
        code_block(table),
        *remarks,
        *([_describe_phonies(result, translate)] if result.phonies else []),
    ]
    note = " · ".join(filter(None, (unseen_text(position, translate), " ".join((*notes, *ranking.remarks)))))
    card = Card(
        join_blocks(blocks, moment, intro=poster_line(poster, translate)),
        (drawing,),
        note=as_spoiler(note) if moment.spoiler else note,
        accent="analysis",
    )
    if poster:
        # Anyone can continue privately. The posted card does not change.
        return replace(card, controls=(Analyze(moment), TryPlay(moment)))
    controls, more_controls = _ranking_controls(
        result, ranking, rank, moment, context, details=details, subject=subject
    )
    return replace(card, controls=controls, more_controls=more_controls)


def poster_line(poster: str, translate: Translator) -> str:
    """Return the line that names the user who posts a card to a channel, or an empty string if ``poster`` is empty."""
    return translate("🔍 **{name}** asked Kibitz:", name=escape(poster, MAX_NAME_LENGTH)) if poster else ""


def _ranking_controls(
    result: AnalysisResult,
    ranking: Ranking,
    rank: int,
    moment: Moment,
    context: ReplyContext,
    *,
    details: AnalysisDetails,
    subject: AnalysisSubject,
) -> tuple[tuple[Control, ...], tuple[Control, ...]]:
    position, method, lexicon = result.request.position, ranking.method, result.lexicon
    controls: list[Control] = []
    more_controls: list[Control] = [TryPlay(moment, lexicon)]
    if method is Method.SIMULATION:
        controls.append(MoreTime(moment, method, lexicon, details))
    elif can_be_simulated(position):
        controls.append(Deepen(moment, Method.SIMULATION, lexicon, replace(details, infer=False)))
    if result.request.method is Method.SOLUTION and result.unsolved_reason is None and not result.is_settled:
        controls.append(MoreTime(moment, Method.SOLUTION, lexicon, details))
    elif can_be_solved(position) and method is not Method.SOLUTION:
        controls.append(Deepen(moment, Method.SOLUTION, lexicon, details))
    if _can_infer(position) and not details.infer:
        more_controls.append(Deepen(moment, Method.SIMULATION, lexicon, replace(details, infer=True)))
    if can_be_simulated(position) and position.bag_count and details.plies != DEEPER_PLIES:
        more_controls.append(
            Deepen(moment, Method.SIMULATION, lexicon, replace(details, plies=DEEPER_PLIES, infer=False))
        )
    if len(ranking.rows) > SHORT_TABLE_ROWS:
        more_controls.append(
            ChangeTableLength(
                moment, method, lexicon, replace(details, has_long_table=not details.has_long_table), rank
            )
        )
    more_controls += (
        SwitchAnalysis(replace(moment, turn=turn), lexicon)
        for turn in subject.known_rack_turns
        if turn is not None
    )
    if not subject.may_be_in_progress:
        controls.append(PostRanking(moment, method, lexicon, details, rank))
        if not moment.spoiler:
            more_controls.append(PostRanking(replace(moment, spoiler=True), method, lexicon, details, rank))
    choices = tuple(_choices(ranking, moment, context.translate))
    controls.append(PlayMenu(moment, method, lexicon, details, choices, rank))
    if result.missing_lexicon:
        lexicon_buttons = (
            SwitchAnalysis(moment, name, names_lexicon=True)
            for name in result.other_lexica[:MAX_LEXICON_BUTTONS]
        )
        more_controls += (button for button in lexicon_buttons if button.has_valid_id())
    return tuple(controls), tuple(more_controls)


def _can_infer(position: Position) -> bool:
    last_play = position.last_play
    return (
        can_be_simulated(position)
        and len(position.players) == 2
        and last_play is not None
        and not isinstance(last_play.play, Pass)
        and last_play.seat in {None, 1 - position.on_turn}
        and (position.ignore_opponent_racks or not position.players[1 - position.on_turn].rack)
        and position.bag_count > 0
    )


def _headline_and_drawing(
    result: AnalysisResult, ranking: Ranking, rank: int, moment: Moment, context: ReplyContext
) -> tuple[str, Drawing]:
    translate, row, position = context.translate, ranking.rows[rank], result.request.position
    play_count = result.placement_count + result.exchange_count + 1  # the pass
    rank_words = (
        translate("no. {rank} of {total:,}", rank=rank + 1, total=play_count)
        if rank
        else translate("best of {total:,}", total=play_count)
    )
    value = ": ".join(filter(None, (ranking.name, row.value_text())))
    facts = [value, escape(result.lexicon)]
    if row.leave and not ranking.name:
        leave = rack_text(row.leave, position.rules.distribution)
        facts.insert(0, translate("leave {tiles}", tiles=escape(leave)))
    headline = (
        f"**{escape(row.text)}** {translate.number(row.score, '+d')} · {rank_words}\n"
        f"{' · '.join(filter(None, facts))}"
    )
    # If the game's lexicon is unknown or not installed, a word that seems to be a phony may be valid, so no word is marked.
    phonies = result.phonies if position.rules.lexicon and not result.missing_lexicon else ()
    squares = [square for phony in phonies for square in phony.squares]
    scene = proposal_scene(position, row.play, row.score, context, phony_squares=squares, on_card=True)
    intro = translate.plural(
        "Proposed: {play}, {number} point.",
        "Proposed: {play}, {number} points.",
        row.score,
        play=one_line(row.text),
    )
    if value:
        intro += f" {value[0].upper()}{value[1:]}."
    position_with_lexicon = replace(position, rules=replace(position.rules, lexicon=result.lexicon))
    return headline, Drawing(
        scene, alt_text(position_with_lexicon, translate, intro), spoiler=moment.spoiler, name="analysis"
    )


def _describe_made_play(
    ranking: Ranking, played_row: Row, subject: AnalysisSubject, translate: Translator
) -> str:
    values = {
        "play": f"**{escape(played_row.text)}** {translate.number(played_row.score, '+d')}",
        "judged": describe_rank_and_loss(ranking, translate),
    }
    if not subject.turn:
        return translate("Played: {play}, {judged}.", **values)
    return translate(
        "Turn {turn}: {player} played {play}, {judged}.",
        turn=subject.turn,
        player=escape(subject.player, MAX_NAME_LENGTH),
        **values,
    )


def describe_rank_and_loss(ranking: Ranking, translate: Translator) -> str:
    match ranking.played_rank:
        case None:
            rank = "" if ranking.loss else translate("not ranked")
        case 1:  # there is a loss if the best play uses a different tile as the blank
            rank = "" if ranking.loss else translate("the best play")
        case 2:
            rank = translate("the second best play")
        case 3:
            rank = translate("the third best play")
        case number:
            rank = translate("ranked no. {rank}", rank=number)
    return ", ".join(filter(None, (rank, ranking.loss)))


def _describe_phonies(result: AnalysisResult, translate: Translator) -> str:
    names = ", ".join(escape(phony.text, 30) for phony in result.phonies[:MAX_PHONIES])
    if len(result.phonies) > MAX_PHONIES:
        names += ", …"
    return translate(
        "On the board, but not in {lexicon}: {words}.", lexicon=escape(result.lexicon), words=names
    )


def _choices(ranking: Ranking, moment: Moment, translate: Translator) -> Iterator[Choice]:
    for rank, row in enumerate(ranking.rows[:MAX_CHOICES]):
        label = (
            translate("No. {rank}", rank=rank + 1)
            if moment.spoiler
            else f"{rank + 1}. {one_line(row.text)} {translate.number(row.score, '+d')}"
        )
        yield Choice(str(rank), truncate(label, MAX_LABEL_LENGTH))


def ranking_table(
    ranking: Ranking, translate: Translator, *, max_rows: int = SHORT_TABLE_ROWS
) -> tuple[str, list[str]]:
    """Lay out the best plays in a table that fits a phone. Also return notes that apply to all rows.

    An arrow marks the play that was made. If this play is not among the best, the last row shows it.
    """
    ranks_and_rows = list(enumerate(ranking.rows[:max_rows], start=1))
    played_row = ranking.played_row
    if played_row is not None and not any(
        are_same_except_blanks(row.play, played_row.play) for _, row in ranks_and_rows
    ):
        ranks_and_rows = [*ranks_and_rows[: max_rows - 1], (ranking.played_rank or 0, played_row)]
    marks = (
        "→" if played_row is not None and are_same_except_blanks(row.play, played_row.play) else ""
        for _, row in ranks_and_rows
    )
    plays = tuple(one_line(row.text) for _, row in ranks_and_rows)
    columns = [
        Column(
            "", tuple(f"{mark}{rank or ''}" for mark, (rank, _) in zip(marks, ranks_and_rows, strict=True))
        ),
        Column(
            translate("play"),
            plays,
            is_left_aligned=True,
            short_cells=tuple(play.translate(_NO_PARENTHESES) for play in plays),
        ),
        Column(
            translate("pts"),
            tuple(translate.number(row.score) for _, row in ranks_and_rows),
            drop_before_cutting=True,
        ),
    ]
    notes, cells_by_row = [], [row.cells() for _, row in ranks_and_rows]
    for index, column in enumerate(ranking.columns):
        cells = tuple(texts[index] if index < len(texts) else "" for texts in cells_by_row)
        values = {cell for cell in cells if cell}
        if column.heading == "±" and len(values) == 1:
            notes.append(translate("Each figure ± {error}.", error=values.pop()))
        else:
            columns.append(replace(column, cells=cells))
    return lay_out(columns), notes


def describe_progress(
    progress: PartialResult, position: Position, translate: Translator, *, is_hidden: bool = False
) -> str:
    if isinstance(progress, SimulationResult):
        best_play = progress.plays[0]
        if best_play.iterations < 2:
            return ""
        play, value_text = best_play.play.play, describe_win(best_play, translate)
    elif isinstance(progress, EndgameResult):
        play, value_text = progress.line[0].play, describe_gain(progress.value, translate)
    else:
        leading_play = max(progress.plays, key=lambda play: play.cautious_share)
        play, value_text = (
            leading_play.play,
            describe_win_share(leading_play, progress.bag_count, translate),
        )
    best_so_far = translate(
        "best so far: {play}, {worth}",
        play=escape(describe_play(play, position, translate)),
        worth=value_text,
    )
    return as_spoiler(best_so_far) if is_hidden else best_so_far
