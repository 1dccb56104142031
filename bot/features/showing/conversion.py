"""The card that shows a document in another notation."""

from __future__ import annotations

from bot.chat.card import MAX_TEXT_LENGTH, Card, RefusalError, TextFile, truncate
from bot.chat.markdown import as_spoiler, code_block, escape
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import NOTATIONS, Document, convert
from bot.domain.reading.notation import ConversionLoss
from bot.domain.reading.problems import ConversionError
from bot.features.showing.remarks import expired_card
from bot.text import Translator

MAX_LOSSES = 6
MAX_LOSS_LENGTH = 120
"""Maximum length of each listed loss, which may contain long names from the document."""


def conversion_card(
    document: Document, target: str, translate: Translator, *, spoiler: bool = False, turn: int | None = None
) -> Card:
    """Return a card with a document in another notation, and a list of what that notation cannot hold.

    ``turn`` is the last turn to convert, by default the last turn of the game.

    Raises:
        RefusalError: the notation no longer exists.

    """
    if target not in NOTATIONS:
        raise RefusalError(expired_card(translate))
    notation = NOTATIONS[target]
    try:
        conversion = convert(document, target, turn=turn)
    except ConversionError as error:
        text = translate(
            "{notation} can't hold this: {problem}.",
            notation=notation.label,
            problem=escape(translate.problem(error)),
        )
        return Card(as_spoiler(text) if spoiler else text, has_result=False)
    losses = losses_text(conversion.losses, translate)
    if spoiler and losses:
        losses = "\n" + as_spoiler(losses.strip())
    language = target if target == "json" else ""
    converted = conversion.text.rstrip("\n")
    block = code_block(converted, language)
    text = f"{translate.name(notation.label)}:\n{as_spoiler(block) if spoiler else block}{losses}"
    # A code block changes backticks, and a spoiler changes vertical bars. Send a file instead, because users copy the text.
    is_altered = block != f"```{language}\n{converted}\n```" or (spoiler and "||" in converted)
    if len(text) <= MAX_TEXT_LENGTH and not is_altered:
        return Card(text)
    is_game = isinstance(document, Game | ChessGame) and target in ("gcg", "turn-url", "json", "pgn", "uci")
    kind = "game" if is_game else "position"
    return Card(
        f"{translate.name(notation.label)}:{losses}",
        files=(TextFile(f"{kind}.{notation.suffix}", conversion.text, spoiler=spoiler),),
    )


def losses_text(losses: tuple[ConversionLoss, ...], translate: Translator) -> str:
    if not losses:
        return ""
    loss_texts = [
        truncate(translate(loss.template, **dict(loss.values)), MAX_LOSS_LENGTH)
        for loss in losses[:MAX_LOSSES]
    ]
    if len(losses) > MAX_LOSSES:
        loss_texts.append("…")
    return "\n" + translate("Not included: {losses}.", losses=escape("; ".join(loss_texts)))
