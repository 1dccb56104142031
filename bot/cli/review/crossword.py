"""What people read of a review of a crossword game."""

from __future__ import annotations

from collections.abc import Iterator

from bot.cli.columns import columns
from bot.domain.crossword.board import Board
from bot.domain.crossword.game import Game
from bot.domain.crossword.notation_text import rack_text, spelled_play_text
from bot.features.review.crossword.values import PlayerReview, Review, Size, TurnReview
from bot.jobs.review import ReviewResult

_HEAD = ("turn", "player", "rack", "play", "score", "class", "lost %", "±", "points", "luck", "best", "")
_LEFT = {"player", "rack", "play", "class", "best", ""}


def review_lines(result: ReviewResult) -> Iterator[str]:
    """Tell a review turn by turn."""
    yield from summary_lines(result)
    found, game = result.review, result.request.game
    names = [player.name for player in found.players]
    boards = [position.board for position in game.positions()]
    rows = [_row(turn, names, boards[turn.turn - 1], game) for turn in found.turns]
    yield from columns([_HEAD, *rows], _LEFT)


def summary_lines(result: ReviewResult) -> Iterator[str]:
    """Tell a review in a few lines: the score, and a line for each player."""
    found = result.review
    names = [player.name for player in found.players]
    scores = [f"{name} {score}" for name, score in zip(names, found.scores, strict=True)]
    unfinished = "" if found.complete else ", not to the end"
    yield f"{' - '.join(scores)} ({found.lexicon}, {found.depth}{unfinished})"
    if found.mismatch is not None:
        yield (
            f"{found.mismatch.unknown} of {found.mismatch.words} words are not in {found.lexicon}: "
            "it seems to be the wrong lexicon, so nothing is graded"
        )
    for player in found.players:
        yield _player_line(player)
    if found.net_luck is not None:
        yield _sentence(found, names)


def _player_line(player: PlayerReview) -> str:
    parts = [f"{player.large} large, {player.medium} medium, {player.small} small"]
    if player.accuracy is not None and player.mistake_index is not None:
        parts = [f"accuracy {player.accuracy:.0f}", *parts, f"index {player.mistake_index:.1f}"]
    if player.elo is not None:
        parts.append(f"plays like {player.elo[0]} to {player.elo[1]} in this game")
    if player.luck is not None:
        parts.append(f"luck {player.luck:+.0f}")
    parts.append(
        f"{player.bingos} {'bingo' if player.bingos == 1 else 'bingos'}, {player.missed_bingos} missed"
    )
    if player.judged < player.turns:
        parts.append(f"{player.judged} of {player.turns} turns judged")
    return f"{player.name}: {' · '.join(parts)}"


def _sentence(found: Review, names: list[str]) -> str:
    """Say who played and who drew better; estimates both."""
    skill, luck = found.net_skill, found.net_luck or 0.0
    joint = " and" if (skill < 0) == (luck < 0) else f", {names[luck < 0]}"
    return (
        f"{names[skill < 0]} played {abs(skill):.0f} points better{joint} drew {abs(luck):.0f} points better "
        "tiles (estimate)"
    )


def _row(turn: TurnReview, names: list[str], board: Board, game: Game) -> tuple[str, ...]:
    distribution = game.rules.distribution
    grade = ("≈" if turn.approximate else "") + turn.size if turn.size else "-"
    lost = turn.size not in (None, Size.BEST)
    reason = [turn.reason.value] if turn.reason and turn.reason.value not in turn.flags else []
    return (
        str(turn.turn),
        names[turn.seat],
        rack_text(turn.rack, distribution, unknown=turn.rack_unknown),
        spelled_play_text(turn.play, board, distribution),
        str(turn.score),
        grade,
        f"{100 * turn.loss_win:.1f}" if lost else "",
        f"{100 * turn.loss_win_error:.1f}" if lost and turn.loss_win_error else "",
        f"{turn.loss_points:.1f}" if lost else "",
        "" if turn.luck is None else f"{turn.luck:+.0f}",
        spelled_play_text(turn.best.play, board, distribution) if lost and turn.best else "",
        ", ".join([*reason, *turn.flags]),
    )
