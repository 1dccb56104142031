"""The cards of a reviewed crossword game: the game with its curve and players, a turn, and squares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bot.chat.card import Card, Drawing
from bot.chat.control import Control
from bot.chat.markdown import escape, one_line
from bot.chat.moment import Choice, Moment
from bot.chat.page import told
from bot.chat.style import Style
from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.position import Position
from bot.features.analysis.crossword.rankings import play_words
from bot.features.review.cards import MAX_SQUARES, MISSING, NOTHING_LOST, SQUARES, answer_squares
from bot.features.review.controls import ReviewGame, review_controls
from bot.features.review.crossword.classes import Z_95
from bot.features.review.crossword.job import ReviewResult
from bot.features.review.crossword.values import (
    Flag,
    PlayerReview,
    Reason,
    Review,
    Size,
    TurnReview,
    Why,
    WhyKind,
)
from bot.features.review.scenes import curve_words, review_chart
from bot.features.review.values import Depth
from bot.features.showing.crossword.game_scene import seat_name
from bot.links.values import TheirTurn
from bot.text import Speaker, written


def why_words(reasons: Iterable[Why], say: Speaker) -> list[str]:
    """Say each thing in which the best play is better."""
    return [_WORDS[why.kind](why, say, _numbers(why, say)) for why in reasons]


_PERCENT = 100
_FORMS: dict[WhyKind, tuple[str, int]] = {
    WhyKind.LEAVE: ("+.1f", 1),
    WhyKind.REPLY_BINGO: (".0f", _PERCENT),
    WhyKind.NEXT_BINGO: (".0f", _PERCENT),
    WhyKind.SPREAD: ("+.0f", 1),
    WhyKind.DRAWS: ("", 1),
}
"""How the two numbers are written, and by what they are multiplied; whole where nothing else is said."""


def _numbers(why: Why, say: Speaker) -> dict[str, str]:
    form, scale = _FORMS.get(why.kind, (".0f", 1))
    return {
        name: written(scale * value, form, say.locale)
        for name, value in (("best", why.best), ("played", why.played))
    }


def _outcome(why: Why, say: Speaker, _: dict[str, str]) -> str:
    if why.best < 1:
        return say("it ties the game instead of losing it")
    if why.played:
        return say("it wins the game instead of tying it")
    return say("it wins the game instead of losing it")


_WORDS: dict[WhyKind, Callable[[Why, Speaker, dict[str, str]], str]] = {
    WhyKind.POINTS: lambda why, say, _: say(
        "the best play scores {number} more", number=written(why.best - why.played, ".0f", say.locale)
    ),
    WhyKind.LEAVE: lambda _, say, numbers: say("it keeps tiles worth {best} instead of {played}", **numbers),
    WhyKind.REPLY: lambda _, say, numbers: say(
        "it holds the reply to {best} points instead of {played}", **numbers
    ),
    WhyKind.REPLY_BINGO: lambda _, say, numbers: say(
        "a bingo in reply {best} % of the time instead of {played} %", **numbers
    ),
    WhyKind.NEXT_BINGO: lambda _, say, numbers: say(
        "a bingo next turn {best} % of the time instead of {played} %", **numbers
    ),
    WhyKind.TURNOVER: lambda _, say, numbers: say(
        "it turns over {best} tiles instead of {played}", **numbers
    ),
    WhyKind.OUT: lambda _, say, __: say("it goes out"),
    WhyKind.SPREAD: lambda _, say, numbers: say(
        "it gains {best} points to the end instead of {played}", **numbers
    ),
    WhyKind.DRAWS: lambda why, say, numbers: say(
        "it wins with {best} of {total} tiles that may be in the bag instead of {played}",
        total=why.of,
        **numbers,
    ),
    WhyKind.OUTCOME: _outcome,
}


_AHEAD = 0.005
"""From how much on it is told that a best play is ahead of all others."""


def answer_review(result: ReviewResult, moment: Moment, style: Style) -> Card:
    """Tell a review in one message; the key turns open the viewer before the play was made."""
    review, game, say = result.review, result.request.game, style.say
    names = [seat_name(game, seat, say) for seat in range(len(game.names))]
    positions = list(game.positions())
    blocks = [headline(review, names, say), *_remarks(result, say)]
    players: list[str] = []
    if review.mismatch is None:
        players = [
            _player_line(player, name, say) for player, name in zip(review.players, names, strict=True)
        ]
        players += _sentence(review, names, say)
        blocks += players
        shown = [turn for turn in review.turns if turn.turn in review.key_turns]
        blocks += [f"- {turn_line(turn, names, positions[turn.turn - 1], say)}" for turn in shown]
    drawing = Drawing(
        review_chart(review, game, style),
        _alt(result, names, players, say),
        spoiler=moment.spoiler,
        name="review",
    )
    deeper = review.depth is Depth.QUICK and review.mismatch is None
    offer = ReviewGame(
        Moment(moment.digest, 0, spoiler=moment.spoiler),
        Depth.DEEP,
        review.lexicon if result.request.lexicon else "",
    )
    more = (offer,) if deeper else ()
    return Card(told(blocks, moment), (drawing,), controls=more)


def answer_review_progress(result: ReviewResult, say: Speaker) -> str:
    """Say how far a review is: how many turns have a class."""
    turns = [turn for turn in result.review.turns if turn.judged or turn.reason is Reason.UNFINISHED]
    decided = sum(turn.judged and not turn.approximate for turn in turns)
    return say("{decided} of {turns} turns are decided", decided=decided, turns=len(turns))


def headline(review: Review, names: list[str], say: Speaker) -> str:
    """Say in a line who won, how closely was looked at it, and by which lexicon."""
    scores = " – ".join(
        f"{escape(one_line(name))} {score}" for name, score in zip(names, review.scores, strict=True)
    )
    depth = say("quick review") if review.depth is Depth.QUICK else say("deep review")
    return f"**{scores}** · {depth} · {escape(review.lexicon)}"


def _remarks(result: ReviewResult, say: Speaker) -> list[str]:
    review = result.review
    remarks = []
    if result.missing:
        remarks.append(
            say(
                "⚠ {missing} is not installed; this review goes by {lexicon}.",
                missing=escape(result.missing),
                lexicon=escape(review.lexicon),
            )
        )
    if review.mismatch is not None:
        remarks.append(
            say(
                "⚠ {unknown} of {words} words are not in {lexicon}. It seems to be the wrong lexicon, so nothing is graded.",
                unknown=review.mismatch.unknown,
                words=review.mismatch.words,
                lexicon=escape(review.lexicon),
            )
        )
    elif not review.complete:
        remarks.append(say("This is as far as I came; ≈ stands where the class may be higher."))
    return remarks


def _player_line(player: PlayerReview, name: str, say: Speaker) -> str:
    parts = []
    if player.accuracy is not None:
        parts.append(say("accuracy {accuracy}", accuracy=written(player.accuracy, ".0f", say.locale)))
    parts.append(
        say(
            "mistakes: {large} large, {medium} medium, {small} small",
            large=player.large,
            medium=player.medium,
            small=player.small,
        )
    )
    if player.mistake_index is not None:
        parts.append(say("index {index}", index=written(player.mistake_index, ".1f", say.locale)))
    if player.luck is not None:
        parts.append(say("luck {points}", points=written(player.luck, "+.0f", say.locale)))
    if player.missed_bingos:
        parts.append(say.count("{number} bingo missed", "{number} bingos missed", player.missed_bingos))
    if player.judged < player.turns:
        parts.append(say("{judged} of {turns} turns judged", judged=player.judged, turns=player.turns))
    return f"{escape(one_line(name))}: {' · '.join(parts)}"


def _sentence(review: Review, names: list[str], say: Speaker) -> list[str]:
    """Say who played and who drew better, of a game in which both are known."""
    if review.net_luck is None:
        return []
    skill, luck = review.net_skill, review.net_luck
    better, luckier = (escape(one_line(names[value < 0])) for value in (skill, luck))
    values = {"points": written(abs(skill), ".0f", say.locale), "luck": written(abs(luck), ".0f", say.locale)}
    if better == luckier:
        return [
            say(
                "{player} played {points} points better and drew {luck} points better tiles (an estimate).",
                player=better,
                **values,
            )
        ]
    return [
        say(
            "{player} played {points} points better, {other} drew {luck} points better tiles (an estimate).",
            player=better,
            other=luckier,
            **values,
        )
    ]


def turn_line(turn: TurnReview, names: list[str], position: Position, say: Speaker) -> str:
    """Tell a turn in one line, everything in words."""
    values: dict[str, object] = {
        "turn": turn.turn,
        "player": escape(one_line(names[turn.seat])),
        "play": made_words(turn.play, turn.score, position, say),
    }
    if turn.best is None or turn.best == turn.played:
        return _best_line(turn, values, say)
    values["best"] = made_words(turn.best.play, turn.best.score, position, say)
    if turn.size is Size.BEST:
        return say(
            "Turn {turn}, {player}: {play}. Whether {best} is better is not established: {loss}.",
            loss=loss_words(turn, say),
            **values,
        )
    line = say(
        "Turn {turn}, {player}: {play}, {kind}, {loss}; best was {best}.",
        kind=kind_words(turn, say),
        loss=loss_words(turn, say),
        **values,
    )
    points = [*flag_words(turn, say), *why_words(turn.why, say)]
    return f"{line} {say('Why: {points}.', points='; '.join(points or [say('no single reason is established')]))}"


def made_words(play: Play, score: int, position: Position, say: Speaker) -> str:
    """Say a play and, where it lays something down, what it scores."""
    words = escape(play_words(play, position, say))
    return say("{play} for {score}", play=words, score=score) if isinstance(play, Placement) else words


def _best_line(turn: TurnReview, values: dict[str, object], say: Speaker) -> str:
    """Tell a turn in which the best play was made, and by how much it is ahead as far as that is established."""
    if turn.ahead < _AHEAD:
        return say("Turn {turn}, {player}: {play}, the best play.", **values)
    return say(
        "Turn {turn}, {player}: {play}, the best play, {percent} % ahead of all others.",
        percent=written(100 * turn.ahead, ".0f", say.locale),
        **values,
    )


def kind_words(turn: TurnReview, say: Speaker) -> str:
    """Say how large a mistake is, and whether it may be larger."""
    words = size_words(turn.size or Size.BEST, say)
    return f"≈ {words}" if turn.approximate else words


def size_words(size: Size, say: Speaker) -> str:
    """Say how large a mistake is."""
    kinds = {
        Size.BEST: lambda: say("the best play"),
        Size.SMALL: lambda: say("small mistake"),
        Size.MEDIUM: lambda: say("medium mistake"),
        Size.LARGE: lambda: say("large mistake"),
    }
    return kinds[size]()


def loss_words(turn: TurnReview, say: Speaker) -> str:
    """Say what a turn lost, and how sure that is."""
    return lost_words(turn.loss_win, turn.loss_points, say, error=turn.loss_win_error)


def lost_words(win: float, points: float, say: Speaker, *, error: float = 0.0) -> str:
    """Say what a turn lost: of a win, with the standard ``error`` of that, or points where the game was decided."""
    if win >= 0.001:
        percent = written(100 * win, ".1f", say.locale)
        if error:
            percent += f" ± {written(100 * Z_95 * error, '.1f', say.locale)}"
        return say("{percent} % of a win lost", percent=percent)
    return say("{points} points lost", points=written(points, ".0f", say.locale))


def flag_words(turn: TurnReview, say: Speaker) -> list[str]:
    """Say what is remarkable about a turn."""
    words = {
        Flag.PHONY_OFF: lambda: say("a phony that was challenged off"),
        Flag.MISSED_BINGO: lambda: say("a bingo was missed"),
        Flag.BLOWN_ENDGAME: lambda: say("the endgame was given away"),
    }
    return [words[flag]() for flag in turn.flags if flag in words]


def _alt(result: ReviewResult, names: list[str], players: list[str], say: Speaker) -> str:
    """Tell who won, how well each played, and the curve with what turned it."""
    review = result.review
    lead = [headline(review, names, say), *players]
    if review.bag_empty is not None:
        lead.append(say("The bag is empty after turn {turn}.", turn=review.bag_empty))
    causes = {}
    for turn in review.turns:
        name = one_line(names[turn.seat])
        if turn.established:
            causes[turn.turn] = f"{name}: {kind_words(turn, say)}"
        elif Flag.BINGO in turn.flags and Flag.PHONY_OFF not in turn.flags:
            causes[turn.turn] = f"{name}: {say('a bingo')}"
    chances = [round(100 * chance) for chance in review.curve]
    return curve_words(lead, one_line(names[0]), chances, causes, say)


_SQUARES = {Size.BEST: NOTHING_LOST, **dict(zip((Size.SMALL, Size.MEDIUM, Size.LARGE), SQUARES, strict=True))}


def controls_of(
    result: ReviewResult, moment: Moment, say: Speaker, around: int | None = None
) -> tuple[Control, ...]:
    """Return the controls of a review; the moment's turn is the one shown, 0 on the card."""
    review, game = result.review, result.request.game
    positions = list(game.positions())

    def choice(turn: TurnReview) -> Choice:
        if moment.spoiler:
            return Choice(str(turn.turn), say("Turn {turn}", turn=turn.turn))
        play = play_words(turn.play, positions[turn.turn - 1], say)
        label = f"{turn.turn}. {seat_name(game, turn.seat, say)}: {play}"
        if not turn.judged:
            return Choice(str(turn.turn), label, say("not judged"))
        lost = "" if turn.size is Size.BEST else f", {loss_words(turn, say)}"
        return Choice(str(turn.turn), label, f"{_square(turn)} {kind_words(turn, say)}{lost}")

    choices = tuple(choice(turn) for turn in review.turns)
    return review_controls(
        moment,
        review.depth,
        review.lexicon,
        choices,
        sorted(review.key_turns),
        teaches=any(turn.established for turn in review.turns),
        around=around,
    )


def judged_turn_words(result: ReviewResult, number: int, say: Speaker) -> str:
    """Say of a turn its class, what it lost, the best play, and why."""
    review, game = result.review, result.request.game
    turn = next((turn for turn in review.turns if turn.turn == number), None)
    if turn is None or not turn.judged:
        return say("This turn is not judged.")
    names = [seat_name(game, seat, say) for seat in range(len(game.names))]
    return f"{_square(turn)} {turn_line(turn, names, list(game.positions())[number - 1], say)}"


def their_turn_words(theirs: TheirTurn, site: str, say: Speaker) -> str:
    """Say what a site's own review finds about a turn, as the site's."""
    size = Size(theirs.size)
    words = f"{_SQUARES[size]} {size_words(size, say)}"
    if size is not Size.BEST:
        words += f", {lost_words(theirs.win_lost, theirs.points_lost, say)}"
    best = escape(one_line(theirs.best))
    if size is Size.BEST or not best:
        return say("🔎 {site}: {judged}.", site=site, judged=words)
    return say(
        "🔎 {site}: {judged}; best was {best} for {best_score}.",
        site=site,
        judged=words,
        best=best,
        best_score=theirs.best_score,
    )


def beside_words(result: ReviewResult, theirs: Mapping[int, TheirTurn], say: Speaker) -> list[str]:
    """Show a square for each turn of each player, and behind them those of a site's own review."""
    review, game = result.review, result.request.game
    lines = []
    for seat in range(len(game.names)):
        turns = [turn for turn in review.turns if turn.seat == seat][:MAX_SQUARES]
        ours = "".join(map(_square, turns))
        other = (theirs.get(turn.turn) for turn in turns)
        found = "".join(MISSING if turn is None else _SQUARES[Size(turn.size)] for turn in other)
        lines.append(f"{escape(one_line(seat_name(game, seat, say)))}: {ours} 🔎 {found}")
    return [say("Turn by turn, mine 🔎 theirs:"), *lines]


def answer_review_squares(result: ReviewResult, moment: Moment, style: Style) -> Card:
    """Show a square for each turn of each player, which gives no play away."""
    review, game, say = result.review, result.request.game, style.say
    names = [seat_name(game, seat, say) for seat in range(len(game.names))]
    rows = [
        (name, [_square(turn) for turn in review.turns if turn.seat == seat])
        for seat, name in enumerate(names)
    ]
    legend = (
        (NOTHING_LOST, say("the best play")),
        *zip(SQUARES, (say("small mistake"), say("medium mistake"), say("large mistake")), strict=True),
        (MISSING, say("not judged")),
    )
    return answer_squares(headline(review, names, say), rows, legend, moment)


def _square(turn: TurnReview) -> str:
    return MISSING if turn.size is None else _SQUARES[turn.size]
