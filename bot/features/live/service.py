"""Follows live games. Their Turn URLs (links that contain turns) may be posted in any order.

Each game is identified by the random seed of its tile draws. A game's home is the server channel in which its first link was
posted. Links from players with a seat belong to the home, wherever they are posted. If people without a seat post links in
another channel, these links form a separate copy of the game there. The copy shows the racks only if a game with exactly
these turns has already revealed its racks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final
from weakref import WeakValueDictionary

from cachetools import LRUCache

from bot.chat.card import Card, Moment, RefusalError, ReplyContext
from bot.chat.source import Source
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import MergedGame, SeatOutcome, Seats
from bot.domain.reading.problems import ConversionError, DomainError
from bot.features.live.merging import (
    FORMAT,
    GameMergeResult,
    game_document,
    game_list_card,
    history_digest,
    merge_links,
    rebuild_game,
    replace_links,
)
from bot.features.live.seats import (
    MAX_ATTEMPTS,
    claim_reveal,
    is_home,
    no_seat_card,
    save_seat_change,
    seats_card,
    seats_of,
    with_seats,
)
from bot.features.showing.controls import ControlProvider
from bot.features.showing.crossword.live import game_id_text, waiting_card
from bot.features.showing.crossword.viewer import card_at
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import Findings, FoundDocument, LiveGameUpdate, TurnLink
from bot.features.showing.posted import posted_card
from bot.jobs.account import Requester
from bot.storage.errors import StoreError
from bot.storage.live_games import (
    MAX_GAME_ID_LENGTH,
    MAX_LIVE_GAMES,
    GameHome,
    LiveGameRecord,
    PostedUrl,
)
from bot.storage.store import Store
from bot.text import Translator

log = logging.getLogger(__name__)

MAX_CACHED_NAMES: Final = 10_000


class LiveGameService:
    """The live games of all channels."""

    def __init__(self, documents: DocumentService, store: Store, controls_for: ControlProvider) -> None:
        self._documents = documents
        self._store = store
        self._controls_for = controls_for
        self._names: LRUCache[tuple[int | None, int], str] = LRUCache(MAX_CACHED_NAMES)
        """Display names by server id and user id."""
        self._locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()
        """Locks by channel and game id. A lock is held while links are merged into the game."""

    async def continue_games(self, source: Source, findings: Findings) -> Findings:
        """Merge a source's links into their games, and replace the links with the current state of the games.

        Links in private sources are merged for the reply, but not stored.
        """
        if source.requester is None or not findings.turn_links:
            return findings
        if name := source.requester.name:
            self._names[source.requester.server_id, source.requester.user_id] = name
        links_by_game: dict[str, list[TurnLink]] = {}
        for link in findings.turn_links:
            links_by_game.setdefault(link.url.game_id, []).append(link)
        for game_id, links in links_by_game.items():
            try:
                result = await self._merge_into_game(source.requester, game_id, tuple(links))
                are_racks_public = await self._reveal_racks_if_over(
                    source.requester, result.merged, result.seats
                )
            except DomainError:
                continue  # the error is reported when the link itself is read
            except StoreError as error:
                log.warning("can't continue a live game, so its links are shown on their own: %s", error)
                return findings
            findings = await self._documents.run(
                partial(replace_links, findings, tuple(links), result, are_racks_public=are_racks_public)
            )
        return findings

    async def list_game_ids(self, channel_id: int) -> tuple[str, ...]:
        return tuple(record.game_id for record in await self._store.live_games(channel_id))

    async def list_games(self, channel_id: int, context: ReplyContext) -> Card:
        return await self._documents.run(
            game_list_card, await self._store.live_games(channel_id), context.translate
        )

    async def show(
        self, requester: Requester, game_id: str | None, context: ReplyContext, *, with_own_rack: bool = False
    ) -> Card:
        """Show a game or, without a ``game_id``, the latest game in the channel. ``with_own_rack`` adds the user's own rack."""
        translate = context.translate
        game_id = game_id or next(iter(await self.list_game_ids(requester.channel_id)), None)
        if game_id is None:
            return game_list_card([], translate)
        merged, home = await self._find_game(requester, game_id, translate)
        if with_own_rack:
            return await self._show_own_rack(requester, home, context)
        update = LiveGameUpdate(
            game_id,
            contiguous_turn_count=merged.turn_count,
            waiting_turns=merged.game.waiting_turns,
            missing_turns=merged.game.missing_turns,
        )
        found = await self._documents.run(lambda: game_document(merged, update))
        if found is None:
            return waiting_card((update,), translate)
        seats = (
            seats_of(home, merged.player_count)
            if home and is_home(home, requester.channel_id, game_id)
            else None
        )
        if await self._reveal_racks_if_over(requester, merged, seats):
            found = await self._documents.run(found.with_racks)
        await self._documents.save((found,), requester.user_id)
        return await self._documents.run_and_draw(
            partial(posted_card, (found,), context, self._controls_for, are_stored=True)
        )

    async def show_seats(self, requester: Requester, game_id: str, context: ReplyContext) -> Card:
        translate = context.translate
        merged, home = await self._find_game(requester, game_id, translate)
        if home is None or merged.replay_result is None or not is_home(home, requester.channel_id, game_id):
            return Card(
                translate("Take seats in the server channel where the game's first link was posted."),
                has_result=False,
            )
        seats = seats_of(home, merged.player_count)
        return seats_card(game_id, home.draws_id, merged.replay_result.names, seats, translate)

    async def change_seats(
        self,
        requester: Requester,
        draws_id: int,
        context: ReplyContext,
        change: Callable[[Seats, int], tuple[Seats, SeatOutcome]],
    ) -> tuple[Card, SeatOutcome] | None:
        """Change the seats of a game in its home channel. ``change`` takes the seats and the number of known turns.

        Return the seats card and the outcome of the change, or None if the channel is no longer the game's home or no
        longer stores the game.
        """
        home = await self._store.game_home(draws_id)
        if home is None or home.game_id is None or home.channel_id != requester.channel_id:
            return None
        record = await self._store.live_game(home.channel_id, home.game_id)
        merged = await self._documents.run(lambda: rebuild_game(record)) if record else None
        if merged is None or merged.replay_result is None or merged.draws_id != draws_id:
            return None
        names, turn_count, player_count = merged.replay_result.names, merged.turn_count, merged.player_count
        seats_and_outcome = await save_seat_change(
            self._store, draws_id, player_count, lambda seats: change(seats, turn_count)
        )
        if seats_and_outcome is None:
            return None
        seats, outcome = seats_and_outcome
        return seats_card(home.game_id, draws_id, names, seats, context.translate), outcome

    async def forget(
        self, requester: Requester, game_id: str, context: ReplyContext, *, is_moderator: bool
    ) -> Card:
        """Delete a game if the user is a moderator or a player. While no player is known, the authors of its links may also delete it.

        The seats are deleted only if the user is a moderator or, while every seat is free, the first poster. If players could
        delete seats, any player could free another player's seat.
        """
        translate = context.translate
        record = await self._store.live_game(requester.channel_id, game_id)
        if record is None:
            raise _unknown_game_error(game_id, translate)
        merged = await self._documents.run(lambda: rebuild_game(record))
        home = await self._home_in_channel(requester.channel_id, game_id, merged.draws_id)
        players = frozenset(home.occupants.values()) - {None} if home else frozenset()
        if not is_moderator and requester.user_id not in (players or record.author_ids):
            return Card(
                translate("Only moderators and the players of this game can delete it.")
                if players
                else translate("Only moderators and the people who posted its links can delete this game."),
                has_result=False,
            )
        await self._store.forget_live_game(requester.channel_id, game_id)
        if home and (is_moderator or (not home.occupants and home.first_poster_id == requester.user_id)):
            await self._store.forget_game_home(home.draws_id)
        return Card(
            translate(
                "Game {game} has been deleted. To start it again, post a link with the whole game.",
                game=game_id_text(game_id),
            ),
            accent="live",
        )

    async def _find_game(
        self, requester: Requester, game_id: str, translate: Translator
    ) -> tuple[MergedGame, GameHome | None]:
        """Return a game and its home. Search the channel, then the games that the user plays in other channels."""
        record = await self._store.live_game(requester.channel_id, game_id)
        if record is None:
            home = await self._store.game_home_of(requester.user_id, game_id)
            if home is not None and home.channel_id is not None:
                record = await self._store.live_game(home.channel_id, game_id)
        if record is None:
            raise _unknown_game_error(game_id, translate)
        merged = await self._documents.run(rebuild_game, record)
        return merged, await self._store.game_home(merged.draws_id) if merged.draws_id is not None else None

    async def _home_in_channel(self, channel_id: int, game_id: str, draws_id: int | None) -> GameHome | None:
        home = await self._store.game_home(draws_id) if draws_id is not None else None
        return home if is_home(home, channel_id, game_id) else None

    async def _show_own_rack(
        self, requester: Requester, home: GameHome | None, context: ReplyContext
    ) -> Card:
        """Show a game with the user's own rack. Only the turns stored for its home channel count."""
        translate = context.translate
        if home is None or home.channel_id is None or home.game_id is None:
            return no_seat_card(translate)
        record = await self._store.live_game(home.channel_id, home.game_id)
        own_seat = next((seat for seat, user in home.occupants.items() if user == requester.user_id), None)
        if record is None or own_seat is None:
            return no_seat_card(translate)

        def make_card() -> Card:
            merged = rebuild_game(record)
            history = merged.game.history
            if history is None or merged.draws_id != home.draws_id or own_seat >= merged.player_count:
                return no_seat_card(translate)
            # The turns determine which tiles are drawn, so untrusted turns do not count.
            trusted_turn = seats_of(home, merged.player_count).last_trusted_turn(merged)
            history = replace(history, turns=history.turns[:trusted_turn])
            reading = turn_url.replay(history, {own_seat})
            if reading.error is not None:
                return Card(
                    translate(
                        "Your turn {turn} doesn't fit your tiles, so your rack is unknown. Use `/game forget`, "
                        "then post the game again.",
                        turn=len(reading.value.game.turns) + 1,
                    ),
                    has_result=False,
                )
            game = reading.value.game
            found = FoundDocument(FORMAT, turn_url.write(history), game)
            moment = Moment(found.digest, len(game.turns), seat=own_seat)
            # The card is for one person and one moment, so it has no controls.
            card = replace(card_at(found, moment, context, lambda *_: ()), controls=(), more_controls=())
            if trusted_turn < merged.turn_count:
                remark = translate(
                    "Turn {turn} wasn't posted by its player, so your rack comes from the turns before it.",
                    turn=trusted_turn + 1,
                )
                card = replace(card, text=f"{card.text}\n{remark}")
            return card

        return await self._documents.run_and_draw(make_card)

    async def _merge_into_game(
        self, requester: Requester, game_id: str, links: tuple[TurnLink, ...]
    ) -> GameMergeResult:
        """Merge links into their game, and store the game unless the request is private."""
        if len(game_id) > MAX_GAME_ID_LENGTH:
            raise ConversionError(
                "long-game-id",
                "the id of a live game has at most {limit} characters",
                limit=MAX_GAME_ID_LENGTH,
            )
        home_requester = await self._requester_at_home(requester, game_id, links)
        async with self._locks.setdefault((home_requester.channel_id, game_id), asyncio.Lock()):
            for _ in range(MAX_ATTEMPTS):
                result = await self._try_to_merge(home_requester, game_id, links)
                if result is not None:
                    return self._name_players(result, home_requester, poster=requester)
        raise RuntimeError(
            f"a live game was changed {MAX_ATTEMPTS} times while a link was being merged into it"
        )

    def _name_players(
        self, result: GameMergeResult, home_requester: Requester, poster: Requester
    ) -> GameMergeResult:
        """Give players their display names in the home channel's server.

        Mention the player to move only if the links were posted publicly in that channel.
        """
        update = result.update
        players = tuple(
            (seat, user, self._names.get((home_requester.server_id, user), name))
            for seat, user, name in update.players
        )
        is_at_home = home_requester.channel_id == poster.channel_id and poster.public
        return replace(
            result,
            update=replace(update, players=players, user_to_move=update.user_to_move if is_at_home else None),
        )

    async def _requester_at_home(
        self, requester: Requester, game_id: str, links: tuple[TurnLink, ...]
    ) -> Requester:
        """Return the requester with the channel that the links belong to.

        A player's links belong to the game's home channel. However, if the requester's channel has a game with the same id,
        links that do not start with the first turn continue that game.
        """
        draws_id = next((turn_url.draws_id_of(link.url.seed) for link in links if link.url.is_history), None)
        if draws_id is not None:
            home = await self._store.game_home(draws_id)
        elif await self._store.live_game(requester.channel_id, game_id) is None:
            home = await self._store.game_home_of(requester.user_id, game_id)
        else:
            return requester
        if (
            home is None
            or home.channel_id is None
            or home.game_id != game_id
            or requester.user_id not in home.occupants.values()
        ):
            return requester
        return replace(requester, channel_id=home.channel_id, server_id=home.guild_id)

    async def _try_to_merge(
        self, requester: Requester, game_id: str, links: tuple[TurnLink, ...]
    ) -> GameMergeResult | None:
        """Merge links into a game and, unless the request is private, store the game and its seats.

        Return None if another request changed the game or its seats meanwhile.
        """
        record = await self._store.live_game(requester.channel_id, game_id)
        merged_before = await self._documents.run(lambda: rebuild_game(record)) if record else None
        draws_id = merged_before.draws_id if merged_before else None
        home = await self._home_in_channel(requester.channel_id, game_id, draws_id)
        seats = seats_of(home, merged_before.player_count) if home and merged_before else None
        result = await self._documents.run(
            partial(merge_links, record, game_id, links, requester.user_id, seats)
        )
        if not requester.public:
            return replace(
                result, update=replace(result.update, is_new=False, new_seats=(), unconfirmed_turn=0)
            )
        if result.seats is None and result.merged.draws_id is not None:
            result = await self._claim_home(requester, game_id, result)
        if result.has_changed:
            urls = tuple(PostedUrl(post.author_id, turn_url.write(post.url)) for post in result.merged.posts)
            guild_id = record.guild_id if record else requester.server_id
            try:
                changed_record = LiveGameRecord(requester.channel_id, game_id, guild_id, urls)
            except ValueError:  # the game is too long
                return replace(
                    result, update=replace(result.update, is_stored=False, is_new=False, new_seats=())
                )
            if not await self._store.save_live_game(changed_record, record.version if record else 0):
                return None
        # Store the seats after the turns that confirm them, so that a failure cannot leave seats without their turns.
        seats_after = result.seats
        if (
            home is not None
            and seats_after is not None
            and (result.has_changed or seats_after != seats)
            and not await self._store.save_game_home(with_seats(home, seats_after), home.version)
        ):
            return None
        if (
            record is None
            and result.has_changed
            and (deleted_game_ids := await self._store.delete_surplus_live_games(requester.user_id))
        ):
            return replace(
                result,
                update=replace(result.update, deleted_game_ids=deleted_game_ids, max_games=MAX_LIVE_GAMES),
            )
        return result

    async def _claim_home(
        self, requester: Requester, game_id: str, result: GameMergeResult
    ) -> GameMergeResult:
        """Make the requester's channel the home of a game, unless the game has a different home.

        If the channel already is the home, the game was deleted or replaced there, so ``settled_turn_count`` starts again at 0.
        """
        merged = result.merged
        # In a direct message, no other player could confirm the seats.
        if merged.draws_id is None or requester.server_id is None:
            return result
        stored_home = await self._store.game_home(merged.draws_id)
        if stored_home is None or stored_home.channel_id is None:
            home = GameHome(
                merged.draws_id,
                requester.channel_id,
                game_id,
                requester.server_id,
                requester.user_id,
                occupants={0: requester.user_id} if merged.player_count == 1 else {},
                revealed_digest=stored_home.revealed_digest if stored_home else None,
            )
        elif is_home(stored_home, requester.channel_id, game_id):
            home = replace(stored_home, settled_turn_count=0)
        else:
            return result
        await self._store.save_game_home(home, stored_home.version if stored_home else 0)
        claimed_home = await self._home_in_channel(requester.channel_id, game_id, merged.draws_id)
        return replace(result, seats=seats_of(claimed_home, merged.player_count)) if claimed_home else result

    async def _reveal_racks_if_over(
        self, requester: Requester, merged: MergedGame, seats: Seats | None
    ) -> bool:
        """Return whether all racks may be shown because the game is over. If so, record that this version's racks have been revealed.

        An ending that the poster may have invented to see the racks does not count.
        """
        if merged.replay_result is None or not merged.replay_result.is_over or merged.draws_id is None:
            return False
        history = merged.game.history
        assert history is not None  # because ``replay_result`` is set
        digest = history_digest(history)
        if seats is None or not requester.public:
            return await claim_reveal(self._store, merged.draws_id, digest, requester.user_id)
        if not seats.is_end_trusted(merged):
            return False
        home = await self._store.game_home(merged.draws_id)
        if home is not None and home.revealed_digest != digest:
            await self._store.save_game_home(replace(home, revealed_digest=digest), home.version)
        return True


def _unknown_game_error(game_id: str, translate: Translator) -> RefusalError:
    return RefusalError.with_text(
        translate("There is no game {game} in this channel.", game=game_id_text(game_id))
    )
