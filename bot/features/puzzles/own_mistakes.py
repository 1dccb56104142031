"""A user's own mistakes in reviewed games, as puzzles.

The store contains only the user's result and a digest of the turn.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import Card, RefusalError, ReplyContext
from bot.chat.control import Button, Control, IdPart, ServiceKey, control
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.selection import PuzzleKind, derived_id
from bot.features.puzzles.service import leave_unchanged
from bot.features.review.controls import LessonButton, require_user_games_service
from bot.features.review.lessons import SOLVED_ALONE_MARK, SOLVED_WITH_HELP_MARK, LessonService
from bot.features.review.own_games import UserGameService
from bot.features.review.values import Depth, ReviewQuery, UserGamesRequest
from bot.storage.store import Store
from bot.storage.user_games import MAX_USER_GAMES

if TYPE_CHECKING:
    from bot.chat.press import Press

MISTAKES: ServiceKey[UserMistakes] = ServiceKey("mistakes", Phrase("Puzzles aren't available here."))

ALL_KINDS: Final = "all"


@control("mistake:{kind}")
class NextMistake(Control):
    """Shows the user's next mistake as a puzzle."""

    kind: Annotated[str, IdPart("crossword|chess|all")] = ALL_KINDS

    button = Button(Phrase("Next puzzle"), "\N{JIGSAW PUZZLE PIECE}")

    async def act(self, press: Press) -> None:
        await press.reply_privately(lambda context: show_next_mistake(press, self.kind, context))


async def show_next_mistake(press: Press, kind: str, context: ReplyContext) -> Card:
    await require_user_games_service(press)
    mistakes = await press.require_service(MISTAKES)
    request = UserGamesRequest(press.user_id, press.guild_id or 0, MAX_USER_GAMES, context)
    return await mistakes.show_next(request, None if kind == ALL_KINDS else PuzzleKind(kind))


class UserMistakes:
    """Turns users' own mistakes into puzzles."""

    def __init__(self, games: UserGameService, lessons: LessonService, store: Store) -> None:
        self._games = games
        self._lessons = lessons
        lessons.make_puzzle_card = self.make_puzzle_card
        self._store = store

    async def show_next(self, request: UserGamesRequest, only_kind: PuzzleKind | None = None) -> Card:
        """Return the card of a mistake in the user's latest games. Unseen mistakes come first, then unsolved mistakes.

        Raises:
            RefusalError: no known mistake is left to solve.

        """
        answers = {kind: await self._store.puzzle_answers(request.user_id, kind) for kind in PuzzleKind}
        unsolved_mistake: tuple[ReviewQuery, str] | None = None
        has_mistakes = False
        async for query, kind in self._find_mistakes(request, only_kind):
            has_mistakes = True
            progress = answers[PuzzleKind(kind)].get(_puzzle_id(query))
            if progress is None:
                return await self._show_mistake(query, kind, request.user_id)
            if not progress.solved:
                unsolved_mistake = unsolved_mistake or (query, kind)
        if unsolved_mistake is not None:
            return await self._show_mistake(*unsolved_mistake, request.user_id)
        translate = request.context.translate
        raise RefusalError.with_text(
            translate("You have solved all your known mistakes. New games bring new puzzles.")
            if has_mistakes
            else translate(
                "None of your games here has a known mistake. `/review last:10` reviews your games and "
                "asks which player you are."
            )
        )

    async def make_puzzle_card(self, user_id: int, lesson_card: Card) -> Card:
        """Put the controls of a mistake puzzle on a lesson's card. If the puzzle is over, store the result."""
        lesson_buttons = [control for control in lesson_card.controls if isinstance(control, LessonButton)]
        next_control = next((control for control in lesson_buttons if control.action == "n"), None)
        is_over = all(control.action != "s" for control in lesson_buttons)  # no button offers the solution
        if next_control is not None and next_control.marks and is_over:
            await self._store_result(
                user_id,
                next_control,
                is_solved=next_control.marks[-1] in {SOLVED_ALONE_MARK, SOLVED_WITH_HELP_MARK},
            )
        answer_controls = [
            replace(control, is_own_puzzle=True) for control in lesson_buttons if control.action in "ahs"
        ]
        player_controls = [control for control in lesson_buttons if control.action == "c"]
        return replace(lesson_card, controls=(*answer_controls, NextMistake(), *player_controls))

    async def _find_mistakes(
        self, request: UserGamesRequest, only_kind: PuzzleKind | None
    ) -> AsyncIterator[tuple[ReviewQuery, str]]:
        for query, seat in await self._games.games_with_seat(request):
            for depth in (Depth.DEEP, Depth.QUICK):
                query_at_depth = replace(query, depth=depth, moment=replace(query.moment, seat=seat))
                try:
                    kind, turns = await self._lessons.load_kind_and_turns(query_at_depth)
                except RefusalError:
                    continue  # the game has no stored review at this depth
                if only_kind is None or kind == only_kind:
                    for turn in turns:
                        yield (
                            replace(query_at_depth, moment=replace(query_at_depth.moment, turn=turn)),
                            kind,
                        )
                break

    async def _show_mistake(self, query: ReviewQuery, kind: str, user_id: int) -> Card:
        await self._store.change_progress(user_id, kind, _puzzle_id(query), leave_unchanged)
        return await self.make_puzzle_card(user_id, await self._lessons.show(query, ""))

    async def _store_result(self, user_id: int, control: LessonButton, *, is_solved: bool) -> None:
        query = ReviewQuery(
            replace(control.moment, turn=control.shown_turn), lexicon=control.lexicon, depth=control.depth
        )
        kind, _ = await self._lessons.load_kind_and_turns(query)
        await self._store.change_progress(
            user_id,
            kind,
            _puzzle_id(query),
            lambda progress, rating: (
                replace(progress, solved=progress.solved or is_solved, given_up=not is_solved),
                rating,
            ),
        )


def _puzzle_id(query: ReviewQuery) -> str:
    return derived_id(f"{query.moment.digest}:{query.moment.turn}")
