"""An oracle: of two games that differ only in racks hidden from the user, all answers are the same.

The games have seeds that deal other racks, and plays that fit the racks of both. The user makes up racks that fit
only one of the games.
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

from bot.chat.card import Card, NoAnswerError, Style
from bot.chat.source import Source
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.draws import SeededBag
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, UrlTurn, WordTurn
from bot.domain.crossword.play import Direction
from bot.engine.lexicon.lexica import Lexica
from bot.features.analysis.controls import ANALYSES, TRIALS, AnalysisQuestion
from bot.features.analysis.crossword.perform import perform
from bot.features.live.seats import LIVE
from bot.features.showing.controls import SHOWING
from bot.features.showing.document_service import DocumentService
from bot.jobs.account import Requester
from bot.jobs.local import LocalJobs
from bot.storage.store import Store
from tests.domain.crossword.notations.live_links import delta, whole
from tests.service.stored import opened
from tests.storage.migrated import NAME, put_database

ALICE, BOB, CAROL, DAVE = 1, 2, 3, 4
HOME, OTHER, GUILD = 20, 21, 30
LETTERS = "ABC"
BAGS = {"early": "A-9-1.B-8-2.C-7-3", "late": "A-3-1.B-3-2.C-3-3"}


def start(bag: str, seed: int) -> TurnUrl:
    return turn_url.read(
        f"https://example.org/sw/#gid=g7&v=1&p1n=alice&p2n=bob&bag={BAGS[bag]}&racksize=3&seed={seed}&tn=1"
    ).value


def down(column: int, first: str, tiles: str) -> WordTurn:
    return WordTurn(7, column, Direction.DOWN, first + tiles)


def racks(history: TurnUrl) -> tuple[tuple[int, ...], ...]:
    return turn_url.replay(history).value.racks[-1]


def fits(history: TurnUrl) -> bool:
    return turn_url.replay(history).error is None


def letters(rack: tuple[int, ...]) -> str:
    return "".join(LETTERS[tile - 1] for tile in rack)


def twins(bag: str, luck: random.Random, *, known: int | None) -> tuple[TurnUrl, TurnUrl]:
    """Return two games of three turns: other seeds, the same plays, other racks but for the seat that is known."""
    for _ in range(100):
        first = start(bag, luck.randrange(10**6, 10**7))
        dealt = letters(racks(first)[0])
        first = replace(first, turns=(WordTurn(7, 5, Direction.ACROSS, dealt),))
        for column, seat in ((5, 1), (7, 0)):
            tile = letters(racks(first)[seat])[0]
            first = replace(first, turns=(*first.turns, down(column, dealt[column - 5], tile)))
        hidden = [seat for seat in (0, 1) if seat != known]
        for _ in range(400):
            other = replace(start(bag, luck.randrange(10**6, 10**7)), turns=first.turns)
            if not fits(other):
                continue
            racks_of_first, racks_of_other = (
                [
                    [sorted(racks(replace(game, turns=game.turns[:turn]))[seat]) for turn in range(4)]
                    for seat in (0, 1)
                ]
                for game in (first, other)
            )
            same = known is None or (
                racks(first)[known] == racks(other)[known] and racks_of_first[known] == racks_of_other[known]
            )
            if same and all(racks_of_first[seat][-1] != racks_of_other[seat][-1] for seat in hidden):
                return first, other
    raise AssertionError("no two such games")


def tried(game: TurnUrl, luck: random.Random) -> list[TurnUrl]:
    """Return racks that a user may make up for a game: other ends of it, other turns within it, all under any name."""
    first = game.turns[0].word
    plays: list[UrlTurn] = [
        down(6, first[1], "".join(luck.choices(LETTERS, k=luck.randint(1, 3)))) for _ in range(4)
    ]
    plays += [ExchangeTurn(), ExchangeTurn((0, 2))]
    made = [
        replace(game, turns=(*game.turns[:length], *luck.sample(plays, luck.randint(1, 2))))
        for length in (3, 3, 3, 2)
    ]
    return [replace(item, game_id=luck.choice(("g7", "g7", "copy"))) for item in made]


def telling(first: TurnUrl, other: TurnUrl, luck: random.Random) -> list[TurnUrl]:
    """Return made-up racks that partly fit one game and not the other."""
    for _ in range(200):
        tries = tried(first, luck)
        if any(fits(attempt) != fits(replace(attempt, settings=other.settings)) for attempt in tries):
            return tries
    raise AssertionError("nothing tells the games apart")


def plain(answer: object, game: TurnUrl) -> str:
    """Return an answer without the seed, which the user has, and the names of documents that follow from it."""
    text = repr(answer).replace(game.seed, "SEED").replace(str(turn_url.draws_of(game.seed)), "DRAWS")
    return re.sub(r"(digest|mark)='[^']*'", r"\1", text)


LEXICA = Lexica()


async def outcome_of(work: Awaitable[Card]) -> Card:
    """Return an answer, or the no in its place."""
    try:
        return await work
    except NoAnswerError as no:
        return no.reply


async def answers(game: TurnUrl, requester: int, tries: list[TurnUrl], path: Path) -> list[str]:
    """Play a game as its players do, have a user press and post everything, and return all answers."""
    got: list[object] = []
    with ThreadPoolExecutor(1) as executor:
        await asyncio.to_thread(path.mkdir)
        put_database(path)
        async with Store.open(f"sqlite:///{path}/{NAME}") as store:
            jobs: LocalJobs = LocalJobs(lambda request, control: perform(request, LEXICA, control))
            services = opened(DocumentService(executor, store), store, jobs={"analysis": jobs}, lexica=LEXICA)
            service, live, analyses = services[SHOWING], services[LIVE], services[ANALYSES]

            async def tried_out(source: Source) -> None:
                """Have plays tried and the best one asked for, for oneself and for everybody."""
                moment = await services[TRIALS].find_moment_to_try(source, Style())
                turns = (moment, replace(moment, turn=max(0, moment.turn - 1)))
                got.extend(
                    [
                        await outcome_of(
                            services[TRIALS].try_play(at, play, Style(), Requester(requester), public=public)
                        )
                        for at, play, public in product(
                            turns, ("8F ABC", "A6 CAB", "exch AB", "pass", "F8 .C"), (False, True)
                        )
                    ]
                )
                got.append(await outcome_of(analyses.rank_plays(AnalysisQuestion(moment, Style()))))
                poster = AnalysisQuestion(turns[1], Style(), poster="mallory")
                got.append(await outcome_of(analyses.rank_plays(poster)))

            async def posted(
                text: str, author: int, channel: int, *, public: bool = True, guild: int | None = GUILD
            ) -> Source:
                requester = Requester(author, guild, channel, public=public, name=f"player {author}")
                source = Source(text, requester=requester)
                findings = await service.find(source)
                # The names of the players and the player to move, from which a shell makes mentions.
                got.append([item.news for item in findings.found])
                got.append(await service.show(source, Style(), findings))
                return source

            async def looked(channel: int) -> None:
                account = Requester(requester, GUILD, channel, public=False)
                for game_id in ("g7", "copy"):
                    got.append(await outcome_of(live.show(account, game_id, Style())))
                    got.append(await outcome_of(live.show(account, game_id, Style(), own_rack=True)))
                    got.append(await outcome_of(live.show_seats(account, game_id, Style())))
                got.append(await live.game_ids(channel))
                got.append(await live.show(account, None, Style()))

            for number in (1, 2, 3):
                await posted(delta(game, number), ALICE if number % 2 else BOB, HOME)
            await looked(HOME)
            for item in tries:
                link = whole(replace(item, settings=replace(item.settings, seed=game.seed)))
                source = await posted(link, requester, HOME, public=False)
                got.extend(
                    [
                        await service.convert(source, to, Style())
                        for to in ("cgp", "gcg", "json", "text", "turn-url")
                    ]
                )
                got.append(await service.offer(source, Style()))
                await tried_out(source)
                got.append(await service.open(source, Style()))
                await posted(link, requester, OTHER)
                await posted(link, requester, 99, guild=None)
                await posted(link, requester, HOME)
                await looked(HOME)
                await looked(OTHER)
    return [plain(entry, game) for entry in got]


@pytest.mark.slow
@pytest.mark.parametrize("case", [0, *(pytest.param(case, marks=pytest.mark.long) for case in range(1, 12))])
@pytest.mark.parametrize(
    ("bag", "requester", "known"),
    # A player makes up turns of the other side. When the bag is empty there is nothing left to find out.
    [("early", CAROL, None), pytest.param("late", CAROL, None, marks=pytest.mark.long), ("early", ALICE, 0)],
)
async def test_equally_possible_racks_give_equal_answers(bag, requester, known, case, tmp_path):
    luck = random.Random(f"{bag} {case} {requester}")
    first, other = twins(bag, luck, known=known)
    tries = telling(first, other, luck)
    expected = await answers(first, requester, tries, tmp_path / "one")
    again = await answers(other, requester, tries, tmp_path / "other")
    assert len(expected) == len(again)
    for number, (left, right) in enumerate(zip(expected, again, strict=True)):
        assert left == right, number


async def test_an_onlookers_questions_deal_no_racks_from_the_seed(tmp_path, monkeypatch):
    """Nothing can be learnt from how long an answer takes: what depends on the seed is not computed."""
    luck = random.Random("time")
    game, other = twins("early", luck, known=None)
    tries = telling(game, other, luck)
    dealt: list[str] = []
    deal = SeededBag.__init__

    def noted(bag: SeededBag, tiles, seed: str) -> None:
        dealt.append(seed)
        deal(bag, tiles, seed)

    monkeypatch.setattr(SeededBag, "__init__", noted)
    assert await answers(game, CAROL, tries, tmp_path / "asked")
    assert dealt == []
    turn_url.replay(game)
    assert dealt == [game.seed], "what deals from a seed is seen"
