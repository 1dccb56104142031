"""What people say about positions that were read from pictures: that they are right, or what they should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.chat.card import Card, NoAnswerError
from bot.chat.control import Field
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.domain.reading.problems import DomainError
from bot.features.showing.conversion import answer_expired
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.form import MAX_ROWS, filled_names
from bot.features.showing.kinds import answers_of
from bot.features.showing.reading import read_document
from bot.features.showing.viewing import GameViewing
from bot.text import Speaker


class Sighting:
    """Takes people's word about positions that were read from pictures.

    All methods raise :class:`NoAnswerError` for a document that is no longer there.
    """

    def __init__(self, desk: Desk, viewing: GameViewing) -> None:
        self._desk = desk
        self._viewing = viewing

    async def form(self, moment: Moment, say: Speaker) -> tuple[Field, ...]:
        """Return what can be corrected of a position, as it was read."""
        item = await self._position(moment, say)
        return await self._desk.run(answers_of(item.document).form, item.document, say)

    async def confirm(self, moment: Moment, style: Style, author: int | None) -> Card:
        """Show a position that is right as it was read."""
        item = await self._position(moment, style.say)
        return await self._show(replace(item, sight=None), moment, style, author)

    async def correct(
        self, moment: Moment, filled: Mapping[str, str], style: Style, author: int | None
    ) -> Card:
        """Show a position as somebody filled it in.

        Raises:
            NoAnswerError: it is none.

        """
        say = style.say
        about = answers_of((await self._position(moment, say)).document)

        def read() -> Found:
            return read_document(about.copied, about.filled(filled)).naming(filled_names(filled))

        try:
            item = await self._desk.read(MAX_ROWS, read)
        except DomainError as error:
            raise NoAnswerError.saying(_refusal(error, about.filled(filled), say)) from None
        return await self._show(item, moment, style, author)

    async def _position(self, moment: Moment, say: Speaker) -> Found:
        item = await self._desk.document(moment.digest, say)
        if item.sight is None:
            raise NoAnswerError(answer_expired(say))
        return item

    async def _show(self, item: Found, moment: Moment, style: Style, author: int | None) -> Card:
        await self._desk.documents.keep((item,), author)
        return await self._viewing.show(replace(moment, digest=item.digest), style)


def _refusal(error: DomainError, text: str, say: Speaker) -> str:
    """Say what is wrong with what somebody filled in, and in which row of the board."""
    problem = escape(say.problem(error))
    rows, before = text.partition(" ")[0], text[: error.column - 1]
    if len(before) >= len(rows):
        return say("This cannot be read: {problem}.", problem=problem)
    return say("This cannot be read: {problem} (row {row}).", problem=problem, row=before.count("/") + 1)
