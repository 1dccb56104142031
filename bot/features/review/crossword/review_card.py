"""The answer to "how did I play?": a card with the curve, each player's line, and the turns most worth to look at."""

from __future__ import annotations

from bot.chat.markdown import escape, one_line
from bot.chat.moment import Moment
from bot.chat.page import told
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.position import Position
from bot.features.analysis.crossword.rankings import play_words
from bot.features.review.controls import ReviewGame
from bot.features.review.crossword.classes import Z_95
from bot.features.review.crossword.job import ReviewResult
from bot.features.review.crossword.values import Flag, PlayerReview, Reason, Review, Size, TurnReview
from bot.features.review.crossword.why import why_words
from bot.features.review.curve import curve_words
from bot.features.review.depth import Depth
from bot.features.review.scenes import review_chart
from bot.features.showing.crossword.game_scene import seat_name
from bot.text import Speaker
from bot.text.numbers import written

_AHEAD = 0.005
"""From how much on it is told that a best play is ahead of all others."""


def answer_review(result: ReviewResult, moment: Moment, style: Style) -> Reply:
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
    return Reply(told(blocks, moment), (drawing,), controls=more)


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
