"""Two games that differ only in hidden racks get the same replies, whatever the user posts and presses.

The games have different seeds, which deal different racks. Both have the same plays, which fit the racks of both. The user
posts invented games, in which some plays fit the racks of only one of the two games.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from bot.chat.card import Card, RefusalError, ReplyContext
from bot.chat.source import Source
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.draws import SeededBag
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, UrlTurn, WordTurn
from bot.domain.crossword.play import Direction
from bot.engine.lexicon.lexica import Lexica
from bot.features.analysis.controls import ANALYSES, TRIALS, AnalysisQuery
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.live.seats import LIVE_GAMES
from bot.features.showing.controls import PRESENTER
from bot.features.showing.document_service import DocumentService
from bot.jobs.account import Requester
from bot.jobs.local import LocalJobQueue
from bot.storage.store import Store
from tests.domain.crossword.notations.live_links import drawn_racks, game_link, turn_link
from tests.service.memory_store import create_all_services
from tests.storage.migrated import DATABASE_NAME, put_database

ALICE, BOB, CAROL, DAVE = 1, 2, 3, 4
HOME, OTHER, GUILD = 20, 21, 30
LETTERS = "ABC"
BAGS = {"early": "A-9-1.B-8-2.C-7-3", "late": "A-3-1.B-3-2.C-3-3"}


def new_game(bag: str, seed: int) -> TurnUrl:
    return turn_url.read(
        f"https://example.org/sw/#gid=g7&v=1&p1n=alice&p2n=bob&bag={BAGS[bag]}&racksize=3&seed={seed}&tn=1"
    ).value


def downward_turn(column: int, first: str, tiles: str) -> WordTurn:
    return WordTurn(7, column, Direction.DOWN, first + tiles)


def fits_draws(game: TurnUrl) -> bool:
    return turn_url.replay(game).error is None


def rack_letters(rack: tuple[int, ...]) -> str:
    return "".join(LETTERS[tile - 1] for tile in rack)


def twin_games(bag: str, rng: random.Random, *, known_seat: int | None) -> tuple[TurnUrl, TurnUrl]:
    """Return two games with different seeds and the same three plays.

    If ``known_seat`` is not None, the player in this seat has the same racks in both games. The racks of other players differ
    after the third play.
    """
    for _ in range(100):
        first = new_game(bag, rng.randrange(10**6, 10**7))
        dealt_letters = rack_letters(drawn_racks(first)[0])
        first = replace(first, turns=(WordTurn(7, 5, Direction.ACROSS, dealt_letters),))
        for column, seat in ((5, 1), (7, 0)):
            tile = rack_letters(drawn_racks(first)[seat])[0]
            first = replace(
                first, turns=(*first.turns, downward_turn(column, dealt_letters[column - 5], tile))
            )
        hidden_seats = [seat for seat in (0, 1) if seat != known_seat]
        for _ in range(400):
            other = replace(new_game(bag, rng.randrange(10**6, 10**7)), turns=first.turns)
            if not fits_draws(other):
                continue
            racks_of_first, racks_of_other = (
                [
                    [sorted(drawn_racks(replace(game, turns=game.turns[:turn]))[seat]) for turn in range(4)]
                    for seat in (0, 1)
                ]
                for game in (first, other)
            )
            is_known_rack_equal = known_seat is None or (
                drawn_racks(first)[known_seat] == drawn_racks(other)[known_seat]
                and racks_of_first[known_seat] == racks_of_other[known_seat]
            )
            if is_known_rack_equal and all(
                racks_of_first[seat][-1] != racks_of_other[seat][-1] for seat in hidden_seats
            ):
                return first, other
    raise AssertionError("no pair of games differs only in hidden racks")


def invent_games(game: TurnUrl, rng: random.Random) -> list[TurnUrl]:
    """Return games that end with one or two invented turns, each under the game's id or another id."""
    first_word = game.turns[0].word
    plays: list[UrlTurn] = [
        downward_turn(6, first_word[1], "".join(rng.choices(LETTERS, k=rng.randint(1, 3)))) for _ in range(4)
    ]
    plays += [ExchangeTurn(), ExchangeTurn((0, 2))]
    games = [
        replace(game, turns=(*game.turns[:length], *rng.sample(plays, rng.randint(1, 2))))
        for length in (3, 3, 3, 2)
    ]
    return [replace(invented, game_id=rng.choice(("g7", "g7", "copy"))) for invented in games]


def revealing_games(first: TurnUrl, other: TurnUrl, rng: random.Random) -> list[TurnUrl]:
    """Return invented games. At least one fits the draws of only one of the games ``first`` and ``other``."""
    for _ in range(200):
        invented_games = invent_games(first, rng)
        if any(
            fits_draws(attempt) != fits_draws(replace(attempt, settings=other.settings))
            for attempt in invented_games
        ):
            return invented_games
    raise AssertionError("no invented game distinguishes the two games")


def without_seed(reply: object, game: TurnUrl) -> str:
    """Return a reply as text, without the seed and the values that depend on it. Users know these values from the game's URL."""
    text = repr(reply).replace(game.seed, "SEED").replace(str(turn_url.draws_id_of(game.seed)), "DRAWS")
    return re.sub(r"(digest|mark)='[^']*'", r"\1", text)


LEXICA = Lexica()


async def outcome_of(work: Awaitable[Card]) -> Card:
    try:
        return await work
    except RefusalError as refusal:
        return refusal.card


async def collect_replies(
    game: TurnUrl, user_id: int, invented_games: list[TurnUrl], path: Path
) -> list[str]:
    """Post a game as its players. Then, as ``user_id``, post the invented games, and use the buttons and commands for them."""
    collected_replies: list[object] = []
    with ThreadPoolExecutor(1) as executor:
        await asyncio.to_thread(path.mkdir)
        put_database(path)
        async with Store.open(f"sqlite:///{path}/{DATABASE_NAME}") as store:
            jobs: LocalJobQueue = LocalJobQueue(
                lambda request, control: analyze_position(request, LEXICA, control)
            )
            services = create_all_services(
                DocumentService(executor, store), store, jobs={"analysis": jobs}, lexica=LEXICA
            )
            service, live, analyses = services[PRESENTER], services[LIVE_GAMES], services[ANALYSES]

            async def try_plays(source: Source) -> None:
                moment = await services[TRIALS].store_position_to_try(source, ReplyContext())
                turns = (moment, replace(moment, turn=max(0, moment.turn - 1)))
                collected_replies.extend(
                    [
                        await outcome_of(
                            services[TRIALS].try_play(
                                tried_moment, play, ReplyContext(), Requester(user_id), public=public
                            )
                        )
                        for tried_moment, play, public in product(
                            turns, ("8F ABC", "A6 CAB", "exch AB", "pass", "F8 .C"), (False, True)
                        )
                    ]
                )
                collected_replies.append(
                    await outcome_of(analyses.make_ranking_card(AnalysisQuery(moment, ReplyContext())))
                )
                query = AnalysisQuery(turns[1], ReplyContext(), poster="mallory")
                collected_replies.append(await outcome_of(analyses.make_ranking_card(query)))

            async def post(
                text: str, author: int, channel: int, *, public: bool = True, guild: int | None = GUILD
            ) -> Source:
                requester = Requester(author, guild, channel, public=public, name=f"player {author}")
                source = Source(text, requester=requester)
                findings = await service.find(source)
                # The update contains the players' names and the player to move, whom the bot may mention.
                collected_replies.append([found.update for found in findings.documents])
                collected_replies.append(await service.show(source, ReplyContext(), findings))
                return source

            async def look_at_games(channel: int) -> None:
                requester = Requester(user_id, GUILD, channel, public=False)
                for game_id in ("g7", "copy"):
                    collected_replies.append(await outcome_of(live.show(requester, game_id, ReplyContext())))
                    collected_replies.append(
                        await outcome_of(live.show(requester, game_id, ReplyContext(), with_own_rack=True))
                    )
                    collected_replies.append(
                        await outcome_of(live.show_seats(requester, game_id, ReplyContext()))
                    )
                collected_replies.append(await live.list_game_ids(channel))
                collected_replies.append(await live.show(requester, None, ReplyContext()))

            for number in (1, 2, 3):
                await post(turn_link(game, number), ALICE if number % 2 else BOB, HOME)
            await look_at_games(HOME)
            for invented_game in invented_games:
                link = game_link(
                    replace(invented_game, settings=replace(invented_game.settings, seed=game.seed))
                )
                source = await post(link, user_id, HOME, public=False)
                collected_replies.extend(
                    [
                        await service.convert(source, notation, ReplyContext())
                        for notation in ("cgp", "gcg", "json", "text", "turn-url")
                    ]
                )
                collected_replies.append(await service.offer_conversions(source, ReplyContext()))
                await try_plays(source)
                collected_replies.append(
                    await service.open(source, ReplyContext(), await service.find(source))
                )
                await post(link, user_id, OTHER)
                await post(link, user_id, 99, guild=None)
                await post(link, user_id, HOME)
                await look_at_games(HOME)
                await look_at_games(OTHER)
    return [without_seed(reply, game) for reply in collected_replies]


@pytest.mark.slow
@pytest.mark.parametrize("case", [0, *(pytest.param(case, marks=pytest.mark.long) for case in range(1, 12))])
@pytest.mark.parametrize(
    ("bag", "user_id", "known_seat"),
    # Alice is a player, and invents turns for her opponent. She has no late case, because nothing is hidden from her once the bag
    # is empty.
    [("early", CAROL, None), pytest.param("late", CAROL, None, marks=pytest.mark.long), ("early", ALICE, 0)],
)
async def test_equally_possible_racks_give_equal_replies(bag, user_id, known_seat, case, tmp_path):
    rng = random.Random(f"{bag} {case} {user_id}")
    first, other = twin_games(bag, rng, known_seat=known_seat)
    invented_games = revealing_games(first, other, rng)
    replies_in_first = await collect_replies(first, user_id, invented_games, tmp_path / "first")
    replies_in_other = await collect_replies(other, user_id, invented_games, tmp_path / "other")
    assert len(replies_in_first) == len(replies_in_other)
    for number, (left, right) in enumerate(zip(replies_in_first, replies_in_other, strict=True)):
        assert left == right, number


async def test_replying_to_an_onlooker_deals_no_racks_from_the_seed(tmp_path, monkeypatch):
    """Dealing takes time, so not even the time of a reply may depend on the seed."""
    rng = random.Random("time")
    game, other = twin_games("early", rng, known_seat=None)
    invented_games = revealing_games(game, other, rng)
    seeds: list[str] = []
    deal = SeededBag.__init__

    def record_seed(bag: SeededBag, tiles, seed: str) -> None:
        seeds.append(seed)
        deal(bag, tiles, seed)

    monkeypatch.setattr(SeededBag, "__init__", record_seed)
    assert await collect_replies(game, CAROL, invented_games, tmp_path / "asked")
    assert seeds == []
    turn_url.replay(game)
    assert seeds == [game.seed], "a deal was not recorded"
