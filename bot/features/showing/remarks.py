"""Remarks on a text that was read: where reading stopped and what the reader forgave, with the places."""

from __future__ import annotations

from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.features.showing.controls import Seen
from bot.features.showing.findings import Found, Sight
from bot.text import Speaker

MAX_ODDITIES = 3
"""Warnings told about one position."""


def place_text(problem: DomainError | ReadWarning, source: str, say: Speaker) -> str:
    """Say where a problem is: the column in a text of one line, else line and column."""
    if problem.line == 1 and "\n" not in source.strip():
        return say("(column {column})", column=problem.column)
    return say("(line {line}, column {column})", line=problem.line, column=problem.column)


def stopped_at(item: Found, say: Speaker) -> str:
    """Say where reading stopped, with the place in the source; nothing when it did not."""
    if item.error is None:
        return ""
    return "⛔ " + say(
        "Read up to here: {problem} {place}",
        problem=escape(say.problem(item.error)),
        place=place_text(item.error, item.text, say),
    )


def sight_remarks(sight: Sight, say: Speaker) -> tuple[str, ...]:
    """Say that a position was read from a picture, and what in it to check."""
    lines = [_first_remark(sight, say)]
    if sight.rack_doubtful:
        lines.append("👁 " + say("Please check the rack, too."))
    if sight.scores_doubtful:
        lines.append("👁 " + say("Please check the scores, too."))
    if not sight.sides:
        lines.append("👁 " + say("It is not clear from which side the board is seen."))
    if not sight.turn:
        lines.append("👁 " + say("The picture does not tell whose turn it is."))
    if sight.highlighted:
        lines.append("👁 " + say("The highlighted player is taken to be to move."))
    if sight.odd_squares:
        lines.append("👁 " + say("I do not know a board with these bonus squares; the usual ones are shown."))
    if sight.odd_tiles:
        told = say(
            "It shows more of a letter than the usual tiles have; those of another language are taken."
        )
        lines.append("👁 " + told)
    if sight.board_alone:
        lines.append("👁 " + say("Only the board is read, no racks and no scores."))
    elif sight.rack and not sight.scores:
        lines.append("👁 " + say("The board and a rack are read, no scores."))
    elif sight.scores and not sight.rack:
        lines.append("👁 " + say("The board and the scores are read, no racks."))
    return tuple(lines)


def _first_remark(sight: Sight, say: Speaker) -> str:
    """Say that a position was read, and which of its squares to check."""
    if sight.confident:
        return "👁 " + say("Read from a picture.")
    if sight.doubtful:
        return "👁 " + say.count(
            "Read from a picture. Please check {number} square: {squares}.",
            "Read from a picture. Please check {number} squares: {squares}.",
            len(sight.doubtful),
            squares=", ".join(sight.doubtful),
        )
    if sight.rack_doubtful or sight.scores_doubtful:
        return "👁 " + say("Read from a picture.")
    return "👁 " + say("Read from a picture. Please check it.")


def doubted(item: Found) -> tuple[str, ...] | None:
    """Return the squares to check of a position that is not stated; None where it is."""
    return None if item.sight is None or item.sight.confident else item.sight.doubtful


def sight_controls(item: Found, moment: Moment) -> tuple[Seen, ...]:
    """Let people say what is right about a position that was read from a picture."""
    if item.sight is None:
        return ()
    correct = Seen(moment, "c")
    return (correct,) if item.sight.confident else (Seen(moment, "r"), correct)


def remarks(item: Found, say: Speaker) -> tuple[str, ...]:
    """Say where reading stopped and what the reader forgave, with the places in the source."""
    lines = [stop] if (stop := stopped_at(item, say)) else []
    lines += sight_remarks(item.sight, say) if item.sight is not None else ()
    lines += [
        f"⚠ {escape(say.problem(warning))} {place_text(warning, item.text, say)}"
        for warning in item.warnings[:MAX_ODDITIES]
    ]
    more = len(item.warnings) - MAX_ODDITIES
    if more > 0:
        lines.append("⚠ " + say.count("{number} more", "{number} more", more))
    return tuple(lines)
