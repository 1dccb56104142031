"""Moments of stored games: the cards of the controls under a viewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.chat.card import Card, Moment, NoAnswerError, Style
from bot.domain.notations import NOTATIONS, Document, offered
from bot.features.showing.controls import Offers, notations_menu
from bot.features.showing.conversion import answer_expired
from bot.features.showing.crossword.viewer import answer_too_large, with_reduction
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.pace import Pace
from bot.features.showing.posted import answer_together, answers_of
from bot.text import Speaker
from render.animate import MAX_BYTES, ReplayError, draw_replay
from render.scene import ReplayScene


class GameViewing:
    """Shows moments of the games in a store, crossword and chess. Every request is complete, so none depends on another.

    All methods raise :class:`NoAnswerError` for a document that has expired, or has no such moments.
    """

    def __init__(self, desk: Desk, offers: Offers) -> None:
        self._desk = desk
        self._offers = offers

    async def show(self, moment: Moment, style: Style, *, around: int | None = None) -> Card:
        """Show a moment of a game; ``around`` is the turn around which others are listed."""
        return await self._answer(
            moment,
            style.say,
            lambda item: answers_of(item.document).show(item, moment, style, self._offers, around=around),
        )

    async def chart(self, moment: Moment, style: Style) -> Card:
        """Show the scores over the turns of a game."""
        return await self._answer(
            moment, style.say, lambda item: answers_of(item.document).chart(item.document, moment, style)
        )

    async def together(self, digests: Sequence[str], style: Style, *, spoiler: bool) -> Card:
        """Show all of several documents in one picture, hidden where one of them was."""
        found = [await self._desk.document(digest, style.say) for digest in digests]
        shown = tuple(replace(item, spoiler=spoiler) for item in found)
        return await self._desk.answer(answer_together, shown, style, self._offers)

    async def copy(self, moment: Moment, style: Style) -> Card:
        """Give what is shown at a moment as a text to copy, with a menu of the other notations."""
        item = await self._desk.document(moment.digest, style.say)
        given = await self.convert(moment, answers_of(item.document).copied, style)
        writable = await self._desk.run(_writable, item.document, moment, style.say)
        return replace(given, controls=(notations_menu(moment, writable, style.say),), found=True)

    async def replay(self, moment: Moment, pace: Pace, style: Style, *, most_bytes: int) -> Card:
        """Show a game from the start to the end, in a file of at most so many bytes."""
        say = style.say
        item = await self._desk.document(moment.digest, say)
        about = answers_of(item.document)
        answer = await self._desk.run(about.replay, item.document, moment, pace, style)
        if answer is None:
            raise NoAnswerError(answer_expired(say))
        [drawing] = answer.drawings
        most_bytes = min(MAX_BYTES, most_bytes)
        scene = drawing.scene
        assert isinstance(scene, ReplayScene)
        key = ("replay", moment.digest, moment.side, pace, style.view, say.locale, most_bytes)
        try:
            # It takes as long as many pictures, and as much memory, which a process gives back.
            picture = await self._desk.picture_apart(key, draw_replay, scene, most_bytes=most_bytes)
        except ReplayError:
            raise NoAnswerError(answer_too_large(say)) from None
        answer = with_reduction(answer, picture, about.turns(item.document) + 1, say)
        return answer.drawn((picture,))

    async def convert(self, moment: Moment, to: str, style: Style) -> Card:
        """Give a game up to a moment, or the position of that moment, in another notation."""
        say = style.say
        if to not in NOTATIONS:
            raise NoAnswerError(answer_expired(say))

        return await self._answer(
            moment, say, lambda item: answers_of(item.document).convert(item.document, moment, to, say)
        )

    async def _answer(self, moment: Moment, say: Speaker, answer: Callable[[Found], Card | None]) -> Card:
        """Answer about a stored document."""
        item = await self._desk.document(moment.digest, say)
        reply = await self._desk.run(answer, item)
        if reply is None:
            raise NoAnswerError(answer_expired(say))
        return await self._desk.draw(reply)


def _writable(document: Document, moment: Moment, say: Speaker) -> tuple[str, ...]:
    """Return the notations in which a moment can be written."""
    about = answers_of(document)
    told = ((name, about.convert(document, moment, name, say)) for name in offered(document))
    return tuple(name for name, reply in told if reply is not None and reply.found)
