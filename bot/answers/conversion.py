"""The answer to a wish for another notation."""

from __future__ import annotations

from bot.answers.plain import code_block, escape
from bot.answers.reply import TEXT_LIMIT, Answer, TextFile
from bot.domain.errors import ConversionError
from bot.notations import NOTATIONS, Document
from bot.text import Speaker


def answer_conversion(document: Document, to: str, say: Speaker) -> Answer:
    """Give a document in another notation: as text when it fits into a message, else as a file."""
    notation = NOTATIONS[to]
    try:
        text = notation.write(document)
    except ConversionError as error:
        problem = escape(say.problem(error))
        return Answer(
            say("This cannot be told in {notation}: {problem}.", notation=notation.label, problem=problem),
            found=False,
        )
    block = f"{notation.label}:\n{code_block(text)}"
    if len(block) <= TEXT_LIMIT:
        return Answer(block)
    return Answer(f"{notation.label}:", files=(TextFile(f"position.{notation.suffix}", text),))


def answer_expired(say: Speaker) -> Answer:
    """Say that the document behind a control is no longer kept."""
    return Answer(
        say("This position is no longer kept. Post it again, and the menu works again."), found=False
    )
