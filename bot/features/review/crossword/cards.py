"""The cards for a reviewed crossword game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from bot.chat.card import Scene
from bot.chat.markdown import escape, one_line
from bot.domain.crossword.game import is_bingo, tiles_used
from bot.domain.crossword.play import Direction, Exchange, Placement, Play, column_name, tiles_laid
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import Phrase
from bot.features.analysis.crossword.rankings import are_same_except_blanks, describe_play
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.analysis.crossword.trial import try_play
from bot.features.review.cards import (
    MAX_SYMBOLS,
    MISTAKE_LEVEL_SYMBOLS,
    NOT_JUDGED_SYMBOL,
    ReviewCards,
    UnjudgedAnswer,
)
from bot.features.review.crossword.values import (
    Z_95,
    Flag,
    MistakeSize,
    PlayComparisonRequest,
    Reason,
    ReasonKind,
    Review,
    ReviewRequest,
    TurnReview,
    UnjudgedReason,
    is_as_good_as_best,
    seconds_limit,
    severity,
)
from bot.features.review.values import Depth, PlayerReview, ReviewQuery
from bot.features.showing.crossword.board_scene import alt_text, proposal_scene
from bot.features.showing.crossword.game_scene import moment_scene, seat_name, visible_position
from bot.jobs.queue import JobQueue
from bot.links import woogles
from bot.links.values import SiteTurn
from bot.text import Translator
from render.scene import ChartScene

_MIN_LEAD: Final = 0.005
"""Minimum lead of the best play, as a win probability, for a card to mention the lead."""


class CrosswordCards(ReviewCards[TurnReview]):
    """Creates the cards for a reviewed crossword game."""

    review: Review
    mistake_level_phrases = (
        Phrase("no mistake"),
        Phrase("small mistake"),
        Phrase("medium mistake"),
        Phrase("large mistake"),
    )

    def __init__(
        self,
        request: ReviewRequest,
        review: Review,
        query: ReviewQuery,
        resources: AnalysisResources | None = None,
        lesson_jobs: JobQueue[PlayComparisonRequest, float, TurnReview] | None = None,
    ) -> None:
        game, translate = request.game, query.context.translate
        super().__init__(
            game,
            replace(query, depth=review.depth, lexicon=review.lexicon),
            [seat_name(game, seat, translate) for seat in range(len(game.names))],
            review,
            review.turns,
            lesson_jobs=lesson_jobs,
        )
        self.request = request
        self.resources = resources
        self.can_judge_turns = review.lexicon_mismatch is None
        self.can_deepen = self.can_judge_turns and review.depth is Depth.QUICK
        self.deeper_lexicon = review.lexicon if request.lexicon else ""
        self._positions = list(self.game.positions())

    def fraction_done(self) -> float:
        return min(1.0, self.review.seconds / seconds_limit(self.request))

    def progress(self) -> str:
        turns = [
            turn for turn in self.turns if turn.is_judged or turn.unjudged_reason is UnjudgedReason.UNFINISHED
        ]
        return self.translate(
            "{decided} of {turns} turns judged",
            decided=sum(turn.is_judged and not turn.may_be_larger for turn in turns),
            turns=len(turns),
        )

    def headline(self) -> str:
        translate = self.translate
        scores = " – ".join(
            f"{escape(name)} {score}" for name, score in zip(self.names, self.review.scores, strict=True)
        )
        depth = translate("quick review") if self.query.depth is Depth.QUICK else translate("deep review")
        return f"**{scores}** · {depth} · {escape(self.query.lexicon)}"

    def remarks(self) -> list[str]:
        translate, review, lexicon = self.translate, self.review, escape(self.query.lexicon)
        remarks = []
        if review.missing_lexicon:
            remarks.append(
                translate(
                    "⚠ {missing} isn't installed, so this review uses {lexicon}. Some words may differ.",
                    missing=escape(review.missing_lexicon),
                    lexicon=lexicon,
                )
            )
        if review.lexicon_mismatch is not None:
            remarks.append(
                translate(
                    "⚠ {unknown} of {words} words aren't in {lexicon}. It's probably the wrong lexicon, so "
                    "the turns aren't judged.",
                    unknown=review.lexicon_mismatch.unknown_word_count,
                    words=review.lexicon_mismatch.word_count,
                    lexicon=lexicon,
                )
            )
        elif not review.is_complete:
            remarks.append(translate("The review ended early. ≈ marks mistakes that may be larger."))
        return remarks

    def player_lines(self, *, in_words: bool = False) -> list[str]:
        if not self.can_judge_turns:
            return []
        return [*super().player_lines(in_words=in_words), *self._skill_and_luck()]

    def statistics(self, player: PlayerReview, *, in_words: bool) -> list[str]:
        translate, parts = self.translate, []
        if player.mistake_index is not None:
            parts.append(
                translate("mistake index {index}", index=translate.number(player.mistake_index, ".1f"))
            )
        if player.luck is not None:
            parts.append(translate("luck {points}", points=translate.number(player.luck, "+.0f")))
        if in_words:
            sizes = dict(zip(("small", "medium", "large"), player.mistakes, strict=True))
            parts.append(translate("mistakes: {large} large, {medium} medium, {small} small", **sizes))
        else:
            parts.append(self.mistakes_text(*player.mistakes))
        if player.missed_bingos:
            parts.append(
                translate.plural("{number} bingo missed", "{number} bingos missed", player.missed_bingos)
            )
        return parts

    def _skill_and_luck(self) -> list[str]:
        translate, (first, second) = self.translate, self.review.players
        if first.luck is None or second.luck is None:
            return []
        # Positive numbers mean that the first player had the better plays or draws.
        skill, luck = second.points_lost - first.points_lost, first.luck - second.luck
        better_player, luckier_player = (escape(self.names[value < 0]) for value in (skill, luck))
        points, luck_points = round(abs(skill)), translate.number(abs(luck), ".0f")
        if better_player == luckier_player:
            return [
                translate.plural(
                    "{player}'s plays were {number} point better, and the tiles drawn were better too (+{luck}, "
                    "estimated).",
                    "{player}'s plays were {number} points better, and the tiles drawn were better too (+{luck}, "
                    "estimated).",
                    points,
                    player=better_player,
                    luck=luck_points,
                )
            ]
        return [
            translate.plural(
                "{player}'s plays were {number} point better; {other} drew better tiles (+{luck}, estimated).",
                "{player}'s plays were {number} points better; {other} drew better tiles (+{luck}, estimated).",
                points,
                player=better_player,
                other=luckier_player,
                luck=luck_points,
            )
        ]

    def describe_turn(self, turn: TurnReview) -> str:
        translate, position = self.translate, self._positions[turn.turn - 1]
        values: dict[str, object] = {
            "turn": turn.turn,
            "player": escape(self.names[turn.seat]),
            "play": describe_play_and_score(turn.play, turn.score, position, translate),
        }
        if turn.best is None or turn.best == turn.played:
            if turn.certain_lead < _MIN_LEAD:
                return translate("Turn {turn}, {player}: {play}, the best play.", **values)
            return translate(
                "Turn {turn}, {player}: {play}, the best play, {percent}% ahead of any other.",
                percent=translate.number(100 * turn.certain_lead, ".0f"),
                **values,
            )
        values["best"] = describe_play_and_score(turn.best.play, turn.best.score, position, translate)
        values["loss"] = loss_text(turn, translate)
        if turn.mistake_size is MistakeSize.NONE:
            return translate(
                "Turn {turn}, {player}: {play}. {best} may be better, but that isn't certain: {loss}.",
                **values,
            )
        line = translate(
            "Turn {turn}, {player}: {play}, {kind}, {loss}; best was {best}.",
            kind=self._mistake_level_text(turn),
            **values,
        )
        flags = {
            Flag.PHONY_OFF: translate("a phony was challenged off"),
            Flag.MISSED_BINGO: translate("a bingo was missed"),
            Flag.BLOWN_ENDGAME: translate("the endgame was thrown away"),
        }
        reasons = [
            *(text for flag, text in flags.items() if flag in turn.flags),
            *(reason_text(reason, translate) for reason in turn.reasons),
        ]
        reasons_text = "; ".join(reasons) or translate("no single reason stands out")
        return f"{line} {translate('Why: {points}.', points=reasons_text)}"

    def _mistake_level_text(self, turn: TurnReview) -> str:
        name = self.mistake_level_names[turn.mistake_level]
        return f"≈ {name}" if turn.may_be_larger else name

    def menu_entry(self, turn: TurnReview) -> tuple[str, str]:
        play = describe_play(turn.play, self._positions[turn.turn - 1], self.translate)
        loss = "" if turn.mistake_size is MistakeSize.NONE else f", {loss_text(turn, self.translate)}"
        return f"{turn.turn}. {self.names[turn.seat]}: {play}", f"{self._mistake_level_text(turn)}{loss}"

    def best_play(self, turn: TurnReview) -> str:
        if turn.best is None or not turn.is_certain_mistake:
            return ""
        return describe_play_and_score(
            turn.best.play, turn.best.score, self._positions[turn.turn - 1], self.translate
        )

    def win_chances(self) -> tuple[int, ...]:
        return tuple(round(100 * chance) for chance in self.review.curve)

    def chart(self, values: tuple[int, ...], **fields: Any) -> ChartScene:  # noqa: ANN401 - further fields of the scene
        scores = {turn.turn: max(0, turn.score) for turn in self.turns}
        bag_empty_turn = self.review.bag_empty_turn
        return super().chart(
            values,
            bars=tuple(scores.get(turn, 0) for turn in range(1, len(values))),
            divider=None if bag_empty_turn is None else (bag_empty_turn, self.translate("bag empty")),
            **fields,
        )

    def alt_text_remarks(self) -> list[str]:
        bag_empty_turn = self.review.bag_empty_turn
        return (
            []
            if bag_empty_turn is None
            else [self.translate("The bag is empty after turn {turn}.", turn=bag_empty_turn)]
        )

    def turn_explanations(self) -> Iterator[tuple[int, str]]:
        for turn in self.turns:
            if turn.is_certain_mistake:
                yield turn.turn, f"{self.names[turn.seat]}: {self._mistake_level_text(turn)}"
            elif Flag.BINGO in turn.flags and Flag.PHONY_OFF not in turn.flags:
                yield turn.turn, f"{self.names[turn.seat]}: {self.translate('a bingo')}"

    def site_text(self, turn: SiteTurn) -> str:
        translate, size = self.translate, MistakeSize(turn.mistake_size)
        judgement = (
            f"{MISTAKE_LEVEL_SYMBOLS[size.mistake_level]} {self.mistake_level_names[size.mistake_level]}"
        )
        best_play = escape(one_line(turn.best_play))
        if size is not MistakeSize.NONE:
            judgement += f", {amount_lost_text(turn.win_chance_lost, turn.points_lost, translate)}"
        if size is MistakeSize.NONE or not best_play:
            return translate("🔎 {site}: {judged}.", site=woogles.NAME, judged=judgement)
        return translate(
            "🔎 {site}: {judged}; best was {best} for {best_score}.",
            site=woogles.NAME,
            judged=judgement,
            best=best_play,
            best_score=turn.best_score,
        )

    def site_comparison(self, site_turns: Mapping[int, SiteTurn]) -> list[str]:
        lines = [self.translate("Each turn as judged by Kibitz and, after 🔎, by the site:")]
        for seat, name in enumerate(self.names):
            turns = [turn for turn in self.turns if turn.seat == seat][:MAX_SYMBOLS]
            site_symbols = "".join(
                MISTAKE_LEVEL_SYMBOLS[MistakeSize(site_turns[turn.turn].mistake_size).mistake_level]
                if turn.turn in site_turns
                else NOT_JUDGED_SYMBOL
                for turn in turns
            )
            lines.append(f"{escape(name)}: {''.join(map(self.symbol, turns))} 🔎 {site_symbols}")
        return lines

    def board(self) -> tuple[Scene, str]:
        turn_count = len(self.game.turns)
        intro = self.translate("Turn {turn} of {turns}", turn=turn_count, turns=turn_count)
        scene = moment_scene(self.game, turn_count, None, self.context, on_card=True)
        return scene, alt_text(visible_position(self.game, turn_count, None), self.translate, f"{intro}.")

    def severity(self, turn: TurnReview) -> tuple[float, ...] | None:
        return severity(turn) if turn.is_certain_mistake and turn.best is not None else None

    def position_before(self, turn: TurnReview) -> Position:
        position = visible_position(self.game, turn.turn - 1, turn.seat)
        players = tuple(
            replace(player, rack=turn.rack) if seat == turn.seat else player
            for seat, player in enumerate(position.players)
        )
        return replace(position, players=players)

    def lesson_question(self, turn: TurnReview) -> str:
        translate = self.translate
        play = describe_play_and_score(turn.play, turn.score, self.position_before(turn), translate)
        if Flag.PHONY_OFF in turn.flags:
            play += f" ({translate('a phony that was challenged off')})"
        return translate(
            "Played: {play}, {kind}, {loss}. What's better?",
            play=play,
            kind=self._mistake_level_text(turn),
            loss=loss_text(turn, translate),
        )

    def hints(self, turn: TurnReview) -> tuple[str, ...]:
        assert turn.best is not None  # only turns with a better play have lessons
        translate, play = self.translate, turn.best.play
        match play:
            case Placement(start=start):
                return (
                    translate.plural(
                        "It scores {number} point.", "It scores {number} points.", turn.best.score
                    ),
                    translate("It is a bingo.")
                    if is_bingo(play, self.game.rules.rack_size)
                    else translate.plural(
                        "It places {number} tile.", "It places {number} tiles.", len(tiles_used(play))
                    ),
                    translate("It is in row {row}, across.", row=start.row + 1)
                    if start.direction is Direction.ACROSS
                    else translate("It is in column {column}, down.", column=column_name(start.column)),
                    translate("It begins on {square}.", square=str(start)),
                )
            case Exchange():
                return (
                    translate("It places no tiles."),
                    translate.plural(
                        "It exchanges {number} tile.", "It exchanges {number} tiles.", play.size
                    ),
                )
            case _:
                return (translate("It places no tiles."),)

    def picture(self, turn: TurnReview, *, is_solved: bool) -> tuple[Scene, str]:
        translate, position, best = self.translate, self.position_before(turn), turn.best
        if not is_solved or best is None:
            intro = translate("Turn {turn}: what is the best play?", turn=turn.turn)
            scene = moment_scene(self.game, turn.turn - 1, turn.seat, self.context)
        else:
            intro = translate.plural(
                "Best play: {play}, {number} point.",
                "Best play: {play}, {number} points.",
                best.score,
                play=one_line(describe_play(best.play, position, translate)),
            )
            scene = proposal_scene(position, best.play, best.score, self.context)
        return scene, alt_text(position, translate, intro)

    def judge_answer(self, turn: TurnReview, answer: str) -> tuple[str, bool] | UnjudgedAnswer:
        translate, best, position = self.translate, turn.best, self.position_before(turn)
        assert best is not None  # only turns with a better play have lessons
        assert self.resources is not None  # only cards on the command line have no resources
        trial = try_play(position, answer, self.context, self.query.lexicon, self.resources)
        if trial.problems:
            raise trial.problems[0]
        tried_play = describe_play_and_score(trial.play, trial.score, position, translate)
        if _are_same_play(trial.play, best.play):
            return translate("✅ {play} is the best play.", play=tried_play), True
        if _are_same_play(trial.play, turn.play):
            made_play = describe_play_and_score(turn.play, turn.score, position, translate)
            return translate("❌ {play} is the play that was made.", play=made_play), False
        if phonies := ", ".join(escape(phony.text, 40) for phony in trial.phonies):
            not_in_lexicon = translate(
                "Not in {lexicon}: {words}.", lexicon=escape(self.query.lexicon), words=phonies
            )
            return f"❌ {not_in_lexicon}", False
        return UnjudgedAnswer(
            PlayComparisonRequest(self.game, turn.turn, trial.play, best.play, self.query.lexicon),
            lambda judged_turn: (
                _attempt_text(judged_turn, turn, tried_play, translate),
                is_as_good_as_best(judged_turn),
            ),
        )


def describe_play_and_score(play: Play, score: int, position: Position, translate: Translator) -> str:
    text = escape(describe_play(play, position, translate))
    return translate("{play} for {score}", play=text, score=score) if isinstance(play, Placement) else text


def loss_text(turn: TurnReview, translate: Translator) -> str:
    """Return the loss in points if points decide the mistake's size. Otherwise, return it as :func:`amount_lost_text` does."""
    if turn.is_judged_by_points:
        return translate.plural(
            "{number} point lost, result unchanged",
            "{number} points lost, result unchanged",
            round(turn.points_lost),
        )
    return amount_lost_text(
        turn.win_chance_lost, turn.points_lost, translate, error=turn.win_chance_lost_error
    )


def amount_lost_text(
    win_chance_lost: float, points_lost: float, translate: Translator, *, error: float = 0.0
) -> str:
    """Return the loss of win chance or, if it is almost 0, the loss of points. ``error`` is a standard error."""
    if win_chance_lost < 0.001:
        return translate.plural("{number} point lost", "{number} points lost", round(points_lost))
    percent = translate.number(100 * win_chance_lost, ".1f")
    if error:
        percent += f" ± {translate.number(100 * Z_95 * error, '.1f')}"
    return translate("{percent}% win chance lost", percent=percent)


_REASONS: Final[Mapping[ReasonKind, tuple[Phrase, str, int]]] = {
    ReasonKind.POINTS: (Phrase("the best play scores {number} more"), ".0f", 1),
    ReasonKind.LEAVE: (Phrase("the best play keeps tiles worth {best} instead of {played}"), "+.1f", 1),
    ReasonKind.REPLY: (
        Phrase("the best play limits the opponent's reply to {best} points instead of {played}"),
        ".0f",
        1,
    ),
    ReasonKind.REPLY_BINGO: (
        Phrase("after the best play, the opponent bingos {best}% of the time instead of {played}%"),
        ".0f",
        100,
    ),
    ReasonKind.NEXT_BINGO: (
        Phrase("the best play leads to a bingo next turn {best}% of the time instead of {played}%"),
        ".0f",
        100,
    ),
    ReasonKind.TURNOVER: (Phrase("the best play uses {best} tiles instead of {played}"), ".0f", 1),
    ReasonKind.OUT: (Phrase("the best play goes out"), "", 1),
    ReasonKind.SPREAD: (
        Phrase("the best play gains {best} points by the end instead of {played}"),
        "+.0f",
        1,
    ),
    ReasonKind.DRAWS: (
        Phrase(
            "the best play wins with {best} of the {total} tiles that may be in the bag, instead of {played}"
        ),
        "",
        1,
    ),
}
"""For each kind of reason, the phrase, the format of the numbers, and a factor for the numbers."""


def reason_text(reason: Reason, translate: Translator) -> str:
    if reason.kind is ReasonKind.OUTCOME:
        if reason.best_value < 1:
            return translate("the best play ties the game instead of losing it")
        if reason.played_value:
            return translate("the best play wins the game instead of tying it")
        return translate("the best play wins the game instead of losing it")
    phrase, format_spec, factor = _REASONS[reason.kind]
    best, played, difference = (
        translate.number(factor * value, format_spec)
        for value in (reason.best_value, reason.played_value, reason.best_value - reason.played_value)
    )
    return translate(phrase, best=best, played=played, number=difference, total=reason.draw_count)


def _attempt_text(judged_turn: TurnReview, turn: TurnReview, play: str, translate: Translator) -> str:
    if not judged_turn.is_judged:
        return translate("⬜ {play}: there wasn't enough time to judge it.", play=play)
    loss = loss_text(judged_turn, translate)
    if is_as_good_as_best(judged_turn):
        if judged_turn.win_chance_lost > 0 or judged_turn.points_lost > 0:
            return translate("✅ {play}: practically as good as the best ({loss}).", play=play, loss=loss)
        return translate("✅ {play}: as good as the best.", play=play)
    if judged_turn.mistake_level < turn.mistake_level:
        phrase = Phrase("🟡 {play}: better than the play made, but not the best: {loss}.")
        return translate(phrase, play=play, loss=loss)
    return translate("❌ {play}: {loss}.", play=play, loss=loss)


def _are_same_play(play: Play, other: Play) -> bool:
    laid_tiles = tiles_laid(play)
    return are_same_except_blanks(play, other) or (bool(laid_tiles) and laid_tiles == tiles_laid(other))
