"""Moments of stored games: what the controls under a viewer show."""

from __future__ import annotations

from collections.abc import Callable

from bot.answers.chess.game import answer_chess_replay
from bot.answers.chess.viewer import answer_chess, answer_chess_conversion
from bot.answers.conversion import answer_conversion, answer_expired
from bot.answers.crossword.viewer import (
    answer_chart,
    answer_replay,
    answer_too_large,
    answer_viewer,
    with_reduction,
)
from bot.answers.findings import Found
from bot.answers.reply import Moment, NoAnswerError, Reply
from bot.domain.chess.game import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import NOTATIONS, is_chess
from bot.scenes.style import Style
from bot.service.desk import Desk
from bot.service.offers import Offers
from bot.text import Speaker
from render.animate import ReplayError, draw_replay
from render.scene import RenderedAnimation, ReplayScene


class GameViewing:
    """Shows moments of the games in a store, crossword and chess. Every request names all it wants, so none depends on another.

    All methods raise :class:`NoAnswerError` for a document that is no longer there, or has no such moments.
    """

    def __init__(self, desk: Desk, offers: Offers) -> None:
        self._desk = desk
        self._offers_analysis = offers.analysis is not None
        self._offers_engine = offers.engine is not None

    async def show(self, moment: Moment, style: Style, *, around: int | None = None) -> Reply:
        """Show a moment of a game; ``around`` is the turn around which others are listed."""
        say = style.say

        def answer(item: Found) -> Reply | None:
            game = item.document
            if not isinstance(game, Game):
                return answer_chess(item, moment, style, engine=self._offers_engine, around=around)
            at = _within(moment, game)
            return answer_viewer(item, game, at, style, analysis=self._offers_analysis, around=around)

        return await self._answered(moment, say, answer)

    async def chart(self, moment: Moment, style: Style) -> Reply:
        """Show the scores over the turns of a game."""
        say = style.say

        def answer(item: Found) -> Reply | None:
            game = item.document
            return answer_chart(game, moment, style) if isinstance(game, Game) else None

        return await self._answered(moment, say, answer)

    async def replay(self, moment: Moment, style: Style, *, most_bytes: int) -> Reply:
        """Show a game from the start to the end, in a file of at most so many bytes."""
        say = style.say
        item = await self._desk.document(moment.digest, say)
        answer = await self._desk.run(lambda: _replayed(item, moment, style))
        if answer is None:
            raise NoAnswerError(answer_expired(say))
        [drawing] = answer.drawings
        scene = drawing.scene
        assert isinstance(item.document, Game | ChessGame)
        assert isinstance(scene, ReplayScene)
        key = ("replay", moment.digest, moment.side, style.view, say.locale, most_bytes)
        try:
            # It takes as long as many pictures, and as much memory, which a process gives back.
            picture = await self._desk.picture_apart(key, draw_replay, scene, most_bytes=most_bytes)
        except ReplayError:
            raise NoAnswerError(answer_too_large(say)) from None
        if isinstance(picture, RenderedAnimation):
            answer = with_reduction(answer, picture, len(item.document.turns) + 1, say)
        return answer.drawn((picture,))

    async def convert(self, moment: Moment, to: str, style: Style) -> Reply:
        """Give a game up to a moment, or the position of that moment, in another notation."""
        say = style.say
        if to not in NOTATIONS:
            raise NoAnswerError(answer_expired(say))

        def answer(item: Found) -> Reply | None:
            game = item.document
            if is_chess(game):
                return answer_chess_conversion(game, moment, to, say)
            if not isinstance(game, Game):
                return None
            turn = _within(moment, game).turn
            return answer_conversion(game, to, say, spoiler=moment.spoiler, turn=turn)

        return await self._answered(moment, say, answer)

    async def _answered(self, moment: Moment, say: Speaker, answer: Callable[[Found], Reply | None]) -> Reply:
        """Answer about a document of the store; when it is no longer there, or none to step through, say so."""
        item = await self._desk.document(moment.digest, say)
        answered = await self._desk.run(answer, item)
        if answered is None:
            raise NoAnswerError(answer_expired(say))
        return await self._desk.draw(answered)


def _replayed(item: Found, moment: Moment, style: Style) -> Reply | None:
    """Return the replay of a game; None when it is none."""
    game = item.document
    if isinstance(game, ChessGame):
        return answer_chess_replay(game, moment, style)
    return answer_replay(game, moment, style) if isinstance(game, Game) else None


def _within(moment: Moment, game: Game) -> Moment:
    """Return the moment, or the nearest that the game has: a custom id may come from an older reading of its text."""
    turn = min(moment.turn, len(game.turns))
    side = moment.side if moment.side is not None and moment.side < len(game.names) else None
    return Moment(moment.digest, turn, side, moment.spoiler)
