"""Moments of stored games: what the controls under a viewer show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import TypeVar

from bot.answers.conversion import answer_conversion, answer_expired
from bot.answers.found import Found
from bot.answers.reply import Answer, Moment, Reply
from bot.answers.viewer import answer_chart, answer_replay, answer_too_large, answer_viewer
from bot.domain.game import Game
from bot.notations import NOTATIONS
from bot.scenes import View
from bot.service.documents import Documents
from bot.service.drawing import Artist
from bot.text import speaker
from render.animate import ReplayError, draw_replay
from render.scene import RenderedImage, ReplayScene

Value = TypeVar("Value")


class GameViewing:
    """Shows moments of the games in a store. Every request names all it wants, so none depends on another."""

    def __init__(self, executor: Executor, artist: Artist, documents: Documents) -> None:
        self._executor = executor
        self._artist = artist
        self._documents = documents
        # A replay takes long; at most one at a time leaves workers for everybody else.
        self._replaying = asyncio.Semaphore(1)
        self.offers_analysis = False
        """Whether the moments shown can be analyzed."""

    async def show(self, moment: Moment, locale: str, view: View, *, around: int | None = None) -> Reply:
        """Show a moment of a game; ``around`` is the turn around which others are listed."""
        say = speaker(locale)

        def answer(item: Found, game: Game) -> Answer:
            shown = answer_viewer(item, game, _within(moment, game), view, say, around=around)
            return shown if self.offers_analysis else replace(shown, analyze=None)

        return await self._answered(moment, locale, answer)

    async def chart(self, moment: Moment, locale: str, view: View) -> Reply:
        """Show the scores over the turns of a game."""
        say = speaker(locale)
        return await self._answered(moment, locale, lambda _, game: answer_chart(game, moment, view, say))

    async def replay(self, moment: Moment, locale: str, view: View, *, most_bytes: int) -> Reply:
        """Show a game from the start to the end, in a file of at most so many bytes."""
        say = speaker(locale)
        opened = await self._opened(moment.digest)
        if opened is None:
            return answer_expired(say).undrawn()
        _, game = opened
        async with self._replaying:
            answer = await self._off_loop(lambda: answer_replay(game, moment, view, say))
            [drawing] = answer.drawings
            scene = drawing.scene
            assert isinstance(scene, ReplayScene)
            key = ("replay", moment.digest, view, say.locale, most_bytes)
            try:
                picture = await self._artist.shared(key, lambda: _animated(scene, most_bytes))
            except ReplayError:
                return answer_too_large(say).undrawn()
        return answer.drawn((picture,))

    async def convert(self, moment: Moment, to: str, locale: str) -> Reply:
        """Give a game up to a moment, or the position of that moment, in another notation."""
        say = speaker(locale)
        if to not in NOTATIONS:
            return answer_expired(say).undrawn()

        def answer(_: Found, game: Game) -> Answer:
            turn = _within(moment, game).turn
            return answer_conversion(game, to, say, spoiler=moment.spoiler, turn=turn)

        return await self._answered(moment, locale, answer)

    async def _answered(self, moment: Moment, locale: str, answer: Callable[[Found, Game], Answer]) -> Reply:
        opened = await self._opened(moment.digest)
        if opened is None:
            return answer_expired(speaker(locale)).undrawn()
        return await self._artist.drawn(await self._off_loop(lambda: answer(*opened)))

    async def _opened(self, digest: str) -> tuple[Found, Game] | None:
        """Read a game from the store; None when it is no longer there."""
        item = await self._documents.open(digest)
        return (item, item.document) if item is not None and isinstance(item.document, Game) else None

    async def _off_loop(self, work: Callable[[], Value]) -> Value:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


def _within(moment: Moment, game: Game) -> Moment:
    """Return the moment, or the nearest that the game has: a custom id may come from an older reading of its text."""
    turn = min(moment.turn, len(game.turns))
    side = moment.side if moment.side is not None and moment.side < len(game.names) else None
    return Moment(moment.digest, turn, side, moment.spoiler)


def _animated(scene: ReplayScene, most_bytes: int) -> RenderedImage:
    return draw_replay(scene, most_bytes=most_bytes)
