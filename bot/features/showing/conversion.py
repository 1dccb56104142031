"""The answer to a conversion."""

from __future__ import annotations

from bot.chat.card import MAX_TEXT, Card, TextFile, clip
from bot.chat.markdown import as_spoiler, code_block, escape
from bot.domain.crossword.game import Game
from bot.domain.notations import NOTATIONS, Document, convert
from bot.domain.reading.notation import Loss
from bot.domain.reading.problems import ConversionError
from bot.text import Speaker

MAX_LOSSES = 6
MAX_LOSS = 120
"""Maximum length of one loss, in characters, which may list names from the document."""


def answer_conversion(
    document: Document, to: str, say: Speaker, *, spoiler: bool = False, turn: int | None = None
) -> Card:
    """Give a document in another notation, as text or as a file if it does not fit into a message, with its losses.

    A spoiler stays behind bars. For a game, ``turn`` is the moment to stop at, by default the end.
    """
    notation = NOTATIONS[to]
    try:
        conversion = convert(document, to, turn=turn)
    except ConversionError as error:
        problem = escape(say.problem(error))
        text = say("{notation} can't hold this: {problem}.", notation=notation.label, problem=problem)
        return Card(as_spoiler(text) if spoiler else text, found=False)
    lost = losses_text(conversion.losses, say)
    if spoiler and lost:
        # It may list names from the document.
        lost = "\n" + as_spoiler(lost.strip())
    language = to if to == "json" else ""
    converted = conversion.text.rstrip("\n")
    copy = code_block(converted, language)
    block = f"{say.name(notation.label)}:\n{as_spoiler(copy) if spoiler else copy}{lost}"
    # A code block changes backticks, and bars change bars; a text to copy must stay unchanged.
    changed = copy != f"```{language}\n{converted}\n```" or (spoiler and "||" in converted)
    if len(block) <= MAX_TEXT and not changed:
        return Card(block)
    kind = "game" if isinstance(document, Game) and to in ("gcg", "turn-url", "json") else "position"
    file = TextFile(f"{kind}.{notation.suffix}", conversion.text, spoiler=spoiler)
    return Card(f"{say.name(notation.label)}:{lost}", files=(file,))


def losses_text(losses: tuple[Loss, ...], say: Speaker) -> str:
    """Write a line about the losses of a conversion; empty without losses."""
    if not losses:
        return ""
    named = [clip(say(loss.template, **dict(loss.values)), MAX_LOSS) for loss in losses[:MAX_LOSSES]]
    if len(losses) > MAX_LOSSES:
        named.append("…")
    return "\n" + say("Not in it: {losses}.", losses=escape("; ".join(named)))
