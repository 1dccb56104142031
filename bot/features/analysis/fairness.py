"""What is not told: what gives the daily away, and what the engine thinks where people are asked what they would play."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final, Protocol

from cachetools import LRUCache

from bot.chat.card import NoAnswerError
from bot.chat.moment import Moment
from bot.chat.style import Audience, Style
from bot.domain.chess.game import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import position_at
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.features.polls.cards import answer_no_spoiler, answer_open
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.crossword.document import Family
from bot.features.puzzles.daily_card import answer_after_solving, answer_not_before_the_end
from bot.features.puzzles.library import Puzzle
from bot.features.puzzles.wanted import Kind
from bot.features.showing.boards import board_of, letters_in, position_of, rack_of, words_on
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.storage.dailies.values import DailyPost
from bot.storage.polls import Look, Poll
from bot.text import Speaker

MAX_BOARDS: Final = 600
"""Positions of a game that are looked at."""
_MAX_KNOWN: Final = 64
"""Puzzles of which it is remembered what gives them away."""


class WordTool(StrEnum):
    """Questions about words."""

    CHECK = "check"
    HOOKS = "hooks"
    ANAGRAM = "anagram"


@dataclass(frozen=True, slots=True)
class Telltale:
    """What would give a puzzle away; nothing of it depends on the answer, or refusing would tell that."""

    boards: frozenset[str]
    """The positions that an engine's opinion would solve."""
    checked: frozenset[str] = frozenset()
    """The words on the board, where one of them is the answer."""
    hooked: frozenset[str] = frozenset()
    """The words on the board, where a hook of one is the answer."""
    rack: str = ""
    """The letters to play with, sorted; a blank is ``?``."""

    def is_told_by(self, tool: WordTool, text: str) -> bool:
        """Tell whether an answer to a question about words would give it away."""
        match tool:
            case WordTool.CHECK:
                return not self.checked.isdisjoint(text.upper().split())
            case WordTool.HOOKS:
                return text.upper().strip() in self.hooked
            case _:
                return bool(self.rack) and letters_in(self.rack, text.upper())


class OpenDailies(Protocol):
    """What is known of the dailies that can still be answered; see :class:`bot.features.puzzles.daily_service.Dailies`."""

    async def open_now(self) -> frozenset[tuple[str, str]]:
        """Return the games and ids of the puzzles that are the daily of any server now."""

    async def open_in(self, guild: int) -> tuple[DailyPost, ...]:
        """Return the dailies of a server that can still be answered."""

    async def plays_dailies(self, user: int) -> bool:
        """Tell whether somebody has ever answered a daily."""

    async def is_over_for(self, user: int, kind: Kind, name: str) -> bool:
        """Tell whether somebody has solved a daily's puzzle, or given it up."""

    async def puzzle_named(self, kind: Kind, name: str, say: Speaker) -> Puzzle:
        """Return a puzzle."""


class OpenPolls(Protocol):
    """Where polls are kept; see :class:`bot.storage.parts.polls.PollStore`."""

    async def polls_about(
        self, boards: tuple[str, ...], user_id: int, guild_id: int | None
    ) -> tuple[tuple[Poll, Look], ...]:
        """Return open polls, and whether somebody has looked at what is asked there."""


class Fairness:
    """Asks before something is told. ``polls`` and ``dailies`` are None where nothing is kept: nobody is asked anything then."""

    def __init__(self, desk: Desk, polls: OpenPolls | None, dailies: OpenDailies | None = None) -> None:
        self._desk = desk
        self._polls = polls
        self._dailies = dailies
        self._telltales: LRUCache[tuple[str, str], Telltale] = LRUCache(_MAX_KNOWN)

    async def require(self, item: Found, moment: Moment, style: Style) -> None:
        """Check that who sees an answer in this style may be told about the position of a moment.

        Raises:
            NoAnswerError: it is that of a daily which the person has not solved; or people are being asked about it:
                nothing is told to everybody, and to one person only who is willing to be shown as somebody who has looked.

        """
        if style.audience is not None:
            board = await self._desk.run(lambda: board_of(position_of(item, moment)))
            await self._require((board,), style.audience, style.say)

    async def require_game(self, item: Found, style: Style) -> None:
        """Check the same for all positions of a game.

        Raises:
            NoAnswerError: as :meth:`require` does.

        """
        if style.audience is not None:
            boards = await self._desk.run(_boards_of, item)
            await self._require(boards, style.audience, style.say)

    async def require_words(self, tool: WordTool, text: str, style: Style) -> None:
        """Check that who sees an answer in this style may be told what a question about words comes to.

        Raises:
            NoAnswerError: it would tell who has not solved a daily what is asked there.

        """
        audience = style.audience
        if audience is None:
            return
        for kind, name in await self._dailies_before(audience):
            if (await self._telltale(kind, name, style.say)).is_told_by(tool, text):
                await self._refuse(kind, name, audience, style.say)

    async def _require(self, boards: Collection[str], audience: Audience, say: Speaker) -> None:
        for kind, name in await self._dailies_before(audience):
            if not (await self._telltale(kind, name, say)).boards.isdisjoint(boards):
                await self._refuse(kind, name, audience, say)
        if self._polls is None:
            return
        for poll, look in await self._polls.polls_about(tuple(boards), audience.user_id, audience.guild_id):
            link = f"https://discord.com/channels/{poll.guild_id}/{poll.channel_id}/{poll.message_id}"
            if audience.public:
                raise NoAnswerError(answer_no_spoiler(link, say))
            if look is Look.NONE:
                raise NoAnswerError(answer_open(poll.message_id, link, say))

    async def _dailies_before(self, audience: Audience) -> tuple[tuple[Kind, str], ...]:
        """Return the games and ids of the dailies about which an audience may not be helped.

        Where a server has dailies these are its own, for everybody; elsewhere those of any server, for who plays dailies.
        """
        if self._dailies is None:
            return ()
        opened = await self._dailies.open_now()
        if not opened:
            return ()
        here = await self._dailies.open_in(audience.guild_id) if audience.guild_id is not None else ()
        own = {(post.key.game, post.puzzle) for post in here}
        if not opened <= own and await self._dailies.plays_dailies(audience.user_id):
            own |= opened
        return tuple((Kind(game), name) for game, name in sorted(own))

    async def _refuse(self, kind: Kind, name: str, audience: Audience, say: Speaker) -> None:
        """Refuse unless the person has the daily behind, and nobody else sees the answer.

        Raises:
            NoAnswerError: as it says.

        """
        assert self._dailies is not None  # it was asked
        if not await self._dailies.is_over_for(audience.user_id, kind, name):
            raise NoAnswerError(answer_after_solving(say))
        if audience.public:
            raise NoAnswerError(answer_not_before_the_end(say))

    async def _telltale(self, kind: Kind, name: str, say: Speaker) -> Telltale:
        assert self._dailies is not None  # it was asked
        known = self._telltales.get((kind, name))
        if known is None:
            try:
                puzzle = await self._dailies.puzzle_named(kind, name, say)
            except NoAnswerError:  # it is not there any more
                return Telltale(frozenset())
            known = self._telltales[kind, name] = await self._desk.run(_telltale_of, puzzle)
        return known


def _telltale_of(puzzle: Puzzle) -> Telltale:
    if isinstance(puzzle, ChessPuzzle):
        line = puzzle.line
        steps = (line.start, *(position_at(line, done) for done in range(line.answers)))
        return Telltale(frozenset(map(board_of, steps)))
    position = puzzle.position
    words = words_on(position)
    return Telltale(
        frozenset((board_of(position),)),
        words if puzzle.family is Family.PHONY else frozenset(),
        words if puzzle.family is Family.HOOK else frozenset(),
        rack_of(position),
    )


def _distinct(positions: Iterable[Position | ChessPosition]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(board_of, islice(positions, MAX_BOARDS))))


def _boards_of(item: Found) -> tuple[str, ...]:
    document = item.document
    if isinstance(document, Game):
        return _distinct(document.positions())
    if isinstance(document, ChessGame):
        return _distinct(document.positions())
    return (board_of(position_of(item, Moment(item.digest, 0))),)
