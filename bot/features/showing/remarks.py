"""Remarks on documents, and cards that explain why there is nothing to show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bot.chat.card import Card
from bot.chat.markdown import as_spoiler, code_block, escape, escape_line, one_line
from bot.domain.notations import NOTATIONS
from bot.domain.reading.notation import hide_spoilers
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.features.showing.crossword.live import remarks_on_update
from bot.features.showing.findings import (
    UNREADABLE_PICTURE,
    FoundDocument,
    PictureConfidence,
    UnreadableText,
)
from bot.jobs.queue import BusyError
from bot.text import Translator

MAX_WARNINGS = 3


def location_text(problem: DomainError | ReadWarning, source: str, translate: Translator) -> str:
    """Return a problem's line and column, or only the column if the source has one line."""
    if problem.line == 1 and "\n" not in source.strip():
        return translate("(column {column})", column=problem.column)
    return translate("(line {line}, column {column})", line=problem.line, column=problem.column)


def stop_text(error: DomainError, source: str, translate: Translator) -> str:
    return "⛔ " + translate(
        "Kibitz stopped reading here: {problem} {place}",
        problem=escape(translate.problem(error)),
        place=location_text(error, source, translate),
    )


def confidence_remarks(confidence: PictureConfidence, translate: Translator) -> tuple[str, ...]:
    lines = (
        (True, _first_remark(confidence, translate)),
        (confidence.is_rack_doubtful, translate("Please check the rack.")),
        (confidence.are_scores_doubtful, translate("Please check the scores.")),
        (
            not confidence.is_orientation_certain,
            translate("The picture doesn't show which side is at the bottom."),
        ),
        (not confidence.is_turn_certain, translate("The picture doesn't show whose turn it is.")),
        (
            confidence.is_mover_highlighted,
            translate("Kibitz assumes that it is the highlighted player's turn."),
        ),
        (
            confidence.has_odd_squares,
            translate(
                "These bonus squares don't match any board that Kibitz knows, so it shows the standard ones."
            ),
        ),
        (
            confidence.has_odd_tiles,
            translate(
                "One letter occurs more often than the standard tiles allow, so Kibitz uses another language's tiles."
            ),
        ),
        (confidence.is_board_alone, translate("Kibitz read only the board: no racks and no scores.")),
        (
            confidence.has_rack and not confidence.has_scores,
            translate("Kibitz read the board and a rack, but no scores."),
        ),
        (
            confidence.has_scores and not confidence.has_rack,
            translate("Kibitz read the board and the scores, but no racks."),
        ),
    )
    return tuple(f"👁 {line}" for applies, line in lines if applies)


def _first_remark(confidence: PictureConfidence, translate: Translator) -> str:
    if confidence.doubtful_squares and not confidence.is_confident:
        return translate.plural(
            "Read from a picture. Please check {number} square: {squares}.",
            "Read from a picture. Please check {number} squares: {squares}.",
            len(confidence.doubtful_squares),
            squares=", ".join(confidence.doubtful_squares),
        )
    if confidence.is_confident or confidence.is_rack_doubtful or confidence.are_scores_doubtful:
        return translate("Read from a picture.")
    return translate("Read from a picture. Please check it.")


def unconfirmed_squares(found: FoundDocument) -> tuple[str, ...] | None:
    """Return the doubtful squares if a user must confirm the position, otherwise None."""
    return (
        None
        if found.picture_confidence is None or found.picture_confidence.is_confident
        else found.picture_confidence.doubtful_squares
    )


def remarks(found: FoundDocument, translate: Translator) -> tuple[str, ...]:
    lines = [] if found.error is None else [stop_text(found.error, found.text, translate)]
    lines += (
        confidence_remarks(found.picture_confidence, translate)
        if found.picture_confidence is not None
        else ()
    )
    lines += [
        f"⚠ {escape(translate.problem(warning))} {location_text(warning, found.text, translate)}"
        for warning in found.warnings[:MAX_WARNINGS]
    ]
    further_count = len(found.warnings) - MAX_WARNINGS
    if further_count > 0:
        lines.append("⚠ " + translate.plural("{number} more", "{number} more", further_count))
    return (*lines, *(remarks_on_update(found.update, translate) if found.update is not None else ()))


EXAMPLE = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 0/10 0 lex NWL23;"
_CONTEXT_LENGTH = 20


def unreadable_card(unreadable_texts: tuple[UnreadableText, ...], translate: Translator) -> Card:
    first = unreadable_texts[0]
    error = first.error
    problem = escape(translate.problem(error))
    if first.format == UNREADABLE_PICTURE:
        text = translate("This picture can't be read: {problem}.", problem=problem)
    elif not first.source_text:
        text = translate("This file can't be read: {problem}.", problem=problem)
    else:
        text = translate(
            "This {notation} can't be read: {problem} {place}.",
            notation=NOTATIONS[first.format].label,
            problem=problem,
            place=location_text(error, first.source_text, translate),
        )
        # Hide spoilers in other parts of the line.
        source = first.source_text if first.spoiler else hide_spoilers(first.source_text)
        text += "\n" + code_block(error_excerpt(error, source))
    return Card(as_spoiler(text) if first.spoiler else text, has_result=False)


def error_excerpt(error: DomainError, source: str) -> str:
    """Return the text around the error and, on a second line, a mark below the error."""
    lines = source.split("\n")
    line = lines[min(error.line, len(lines)) - 1]
    column = min(error.column, len(line) + 1) - 1
    start, end = max(0, column - _CONTEXT_LENGTH), column + _CONTEXT_LENGTH * 2
    text_before = ("…" if start else "") + one_line(line[start:column])
    text_after = one_line(line[column:end]) + ("…" if end < len(line) else "")
    return f"{text_before}{text_after}\n{' ' * len(text_before)}▲"


def unread_file_card(name: str, max_bytes: int, translate: Translator) -> Card:
    return Card(
        translate(
            "{name} wasn't read: it is empty, larger than {limit:,} bytes, or a sound, video or unsupported picture file.",
            name=escape_line(name, 100),
            limit=max_bytes,
        ),
        has_result=False,
    )


def stopped_card(names: Sequence[str], translate: Translator) -> Card:
    """Return a card that names the files that Kibitz stopped reading. An empty name means the text of the source itself."""
    sentences = [
        translate(
            "Kibitz stopped reading {name} because it took too much time or memory.", name=escape(name, 100)
        )
        if name
        else translate("Kibitz stopped reading this text because it took too much time or memory.")
        for name in names
    ]
    return Card("\n".join(sentences), has_result=False)


def busy_card(busy: BusyError, translate: Translator, *, can_stop: bool) -> Card:
    """Return a card that explains why no analysis can start. ``can_stop`` means that the running analysis has a Stop button."""
    if busy.reason == "spent":
        text = translate.plural(
            "The time limit for analyses has been reached. Ask again in {number} minute.",
            "The time limit for analyses has been reached. Ask again in {number} minutes.",
            math.ceil(busy.wait_seconds / 60),
        )
    elif busy.reason == "full" and busy.wait_seconds:
        text = translate.plural(
            "Too many analyses are waiting: yours would start in about {number} minute. Try again later.",
            "Too many analyses are waiting: yours would start in about {number} minutes. Try again later.",
            math.ceil(busy.wait_seconds / 60),
        )
    elif busy.reason == "full":
        text = translate("Too many analyses are waiting. Try again in a minute.")
    elif can_stop:
        text = translate("One analysis at a time: yours is still running. Stop it, or let it finish.")
    else:
        text = translate("One analysis at a time: yours is still running.")
    return Card(text, has_result=False)


def nothing_found_card(translate: Translator) -> Card:
    return Card(
        translate("Kibitz found no position in this text. A position looks like this:")
        + "\n"
        + code_block(EXAMPLE),
        has_result=False,
    )


def expired_card(translate: Translator) -> Card:
    return Card(translate("This document has expired. Post it again to see it."), has_result=False)
