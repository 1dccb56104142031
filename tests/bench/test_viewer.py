"""Times the replies when users press the controls below a game, and the continuation of a live game."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from bot.chat.card import Appearance, Moment, ReplyContext
from bot.chat.source import Attachment, Source
from bot.features.live.service import LiveGameService
from bot.features.showing.controls import ShareReply
from bot.features.showing.document_service import DocumentService
from bot.features.showing.pace import Pace
from bot.features.showing.service import Presenter
from bot.jobs.account import Requester
from tests.domain.crossword.notations.live_links import history, turn_link
from tests.domain.shared import SHARED, needs_corpus
from tests.service.memory_store import MemoryStore

pytestmark = [pytest.mark.bench, needs_corpus]

GAME = SHARED / "corpus" / "gcg" / "macondo__noah_vs_peter.gcg"


@pytest.fixture
def viewer():
    with ThreadPoolExecutor(2) as executor, asyncio.Runner() as runner:
        presenter = Presenter(DocumentService(executor, MemoryStore()))  # type: ignore[arg-type]  # has the methods that documents need
        source = Source("", (Attachment("game", GAME.read_bytes()),))
        reply = runner.run(presenter.show(source, ReplyContext()))
        assert reply is not None
        assert reply.find_control(ShareReply) is not None
        yield runner.run, presenter, reply.find_control(ShareReply).moment


def test_stepping_to_a_turn_for_the_first_time(benchmark, viewer):
    run, presenter, moment = viewer
    turns = count()

    def next_turn() -> tuple[tuple[Moment, ReplyContext], dict[str, object]]:
        number = next(turns)
        # Each turn has a different picture in each theme.
        context = ReplyContext(Appearance(theme=("light", "dark")[number // 46 % 2]))
        return (replace(moment, turn=number % 46), context), {}

    benchmark.pedantic(
        lambda turn_moment, context: run(presenter.show_moment(turn_moment, context)),
        setup=next_turn,
        rounds=90,
    )


def test_stepping_to_a_turn_again(benchmark, viewer):
    run, presenter, moment = viewer
    reply = benchmark(lambda: run(presenter.show_moment(moment, ReplyContext())))
    assert reply.drawings


def test_drawing_the_replay_of_a_game(benchmark, viewer):
    run, presenter, moment = viewer
    limits = count(8_000_000)  # A new limit prevents a cached file from being used.
    benchmark.pedantic(
        lambda: run(presenter.show_replay(moment, Pace.NORMAL, ReplyContext(), max_bytes=next(limits))),
        rounds=5,
    )


def test_drawing_the_chart_of_a_game(benchmark, viewer):
    run, presenter, moment = viewer
    assert benchmark(lambda: run(presenter.show_chart(moment, ReplyContext()))).drawings


def test_continuing_a_live_game(benchmark):
    class StoreWithoutGames(MemoryStore):
        async def live_game(self, channel_id: int, game_id: str) -> None:
            return None

        async def game_home(self, draws_id: int) -> None:
            return None

        async def save_game_home(self, home: object, expected_version: int) -> bool:
            return True

        async def save_live_game(self, record: object, expected_version: int) -> bool:
            return True

        async def delete_surplus_live_games(self, owner_id: int) -> tuple[str, ...]:
            return ()

    url = history("bench", 5)
    text = "\n".join(turn_link(url, number) for number in range(1, 6))
    with ThreadPoolExecutor(2) as executor, asyncio.Runner() as runner:
        store = StoreWithoutGames()
        live = LiveGameService(DocumentService(executor, store), store, lambda *_: ())  # type: ignore[arg-type]
        source = Source(text, requester=Requester(2, None, 1))
        findings = runner.run(DocumentService(executor).find(source))
        found = benchmark(lambda: runner.run(live.continue_games(source, findings)))
    assert len(found.documents) == 1
