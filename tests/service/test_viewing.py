"""The card of a game at a turn."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest.mock import Mock

import pytest

from bot.chat.card import MAX_TEXT_LENGTH, Appearance, Card, Moment, RefusalError, ReplyContext
from bot.chat.source import Attachment, Source
from bot.domain.crossword.notations import gcg, json_document
from bot.domain.crossword.play import Comment, PlayerName
from bot.features.analysis.controls import Analyze
from bot.features.live.seats import LIVE_GAMES
from bot.features.showing import service as showing
from bot.features.showing.controls import PRESENTER, CopyPosition, TurnMenu
from bot.features.showing.crossword.viewer import add_size_limit_notes
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import short_digest
from bot.features.showing.pace import Pace
from bot.features.showing.service import Presenter
from bot.jobs.account import Requester
from bot.storage.store import Store
from bot.text import translator
from render.animate import ReplayError
from render.scene import Layout, RenderedImage
from tests.domain.crossword.notations.live_links import game_link, history
from tests.domain.shared import SHARED, needs_corpus
from tests.positions import EMPTY_BOARD
from tests.service.memory_store import MemoryStore, create_all_services
from tests.storage.migrated import DATABASE_NAME, put_database

GAME = (
    "#player1 alice Alice\n#player2 bob Bob\n>alice: AEINRST 8D NASTIER +66 66\n#note well\n"
    ">bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +25 91"
)
MOMENT = Moment(short_digest(f"gcg\0{GAME}"), 3)


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def service(store):
    with ThreadPoolExecutor(2) as executor:
        yield Presenter(DocumentService(executor, store))


async def show_text(service, text, **changes):
    return await service.show(Source(text, **changes), ReplyContext())


async def test_a_stored_game_has_controls(service, store):
    reply = await show_text(service, GAME, requester=Requester(77, None, 1))
    assert reply.find_control(CopyPosition).moment == MOMENT
    assert store.authors == {MOMENT.digest: 77}
    with ThreadPoolExecutor(1) as executor:
        reply = await show_text(Presenter(DocumentService(executor)), GAME)
    assert reply.find_control(CopyPosition) is None
    assert reply.drawings


async def test_warnings_are_shown_at_their_turn_and_at_the_end(service):
    reply = await show_text(service, GAME)
    assert "⚠ the score is 26, not 25 (line 6, column 20)" in reply.text
    for turn, expected in ((0, False), (1, False), (3, True)):
        reply = await service.show_moment(replace(MOMENT, turn=turn), ReplyContext())
        assert ("the score is 26" in reply.text) is expected


async def test_the_read_error_is_shown_at_the_end(service):
    broken_game = GAME + "\n>bob: CDEFGHI 15O DEF +20 20"
    moment = Moment(short_digest(f"gcg\0{broken_game}"), 3)
    await show_text(service, broken_game)
    assert "⛔ Kibitz stopped reading here" in (await service.show_moment(moment, ReplyContext())).text
    assert "⛔" not in (await service.show_moment(replace(moment, turn=2), ReplyContext())).text


async def test_a_moment_outside_the_game_shows_the_nearest_turn(service):
    await show_text(service, GAME)
    reply = await service.show_moment(replace(MOMENT, turn=9999, seat=7), ReplyContext())
    assert "Turn 3 of 3" in reply.text
    assert reply.find_control(CopyPosition).moment == MOMENT


async def test_a_position_has_one_moment(service):
    text = EMPTY_BOARD
    posted_card = await show_text(service, text)
    moment = Moment(short_digest(f"cgp\0{text}"), 7, seat=1)
    reply = await service.show_moment(moment, ReplyContext())
    assert (reply.text, reply.drawings) == (posted_card.text, posted_card.drawings)
    assert reply.find_control(CopyPosition).moment == replace(moment, turn=0, seat=None)
    for request in (
        service.show_chart(moment, ReplyContext()),
        service.show_replay(moment, Pace.NORMAL, ReplyContext(), max_bytes=9),
    ):
        with pytest.raises(RefusalError):
            await request


async def test_equal_requests_share_one_replay(service, monkeypatch):
    byte_limits = []

    def draw(scene, max_bytes):
        byte_limits.append(max_bytes)
        return RenderedImage(b"gif", 1, 1, "image/gif")

    monkeypatch.setattr(showing, "draw_replay", draw)
    await show_text(service, GAME)
    requests = [
        service.show_replay(MOMENT, Pace.NORMAL, ReplyContext(), max_bytes=limit)
        for limit in (1000, 1000, 2000)
    ]
    replies = await asyncio.gather(*requests)
    assert sorted(byte_limits) == [1000, 2000]
    assert {reply.drawings[0].name for reply in replies} == {"replay.gif"}


async def test_a_replay_that_cannot_be_sent_is_reported(service, monkeypatch):
    monkeypatch.setattr(showing, "draw_replay", Mock(side_effect=ReplayError("too many bytes")))
    await show_text(service, GAME)
    with pytest.raises(RefusalError, match="too long for a replay"):
        await service.show_replay(MOMENT, Pace.NORMAL, ReplyContext(), max_bytes=10)


async def test_a_reduced_replay_is_reported(service):
    await show_text(service, GAME)
    [full_drawing] = (
        reply := await service.show_replay(MOMENT, Pace.NORMAL, ReplyContext(), max_bytes=10**6)
    ).drawings
    assert "Drawn smaller" not in reply.text
    max_bytes = len(full_drawing.picture.data) - 1
    [reduced_drawing] = (
        reply := await service.show_replay(MOMENT, Pace.NORMAL, ReplyContext(), max_bytes=max_bytes)
    ).drawings
    assert "-# Drawn smaller" in reply.text
    assert "left out" not in reply.text
    assert len(reduced_drawing.picture.data) <= max_bytes
    assert reduced_drawing.picture.width < full_drawing.picture.width


@pytest.mark.parametrize(
    ("cell_size", "position_count", "words"),
    [
        (45, 3, "x"),
        (45, 4, "1 intermediate position is"),
        (45, 9, "6 intermediate positions"),
        (16, 9, "smaller so that"),
    ],
)
def test_turns_omitted_from_a_replay_are_counted(cell_size, position_count, words):
    animation = RenderedImage(b"", 1, 1, "image/gif", cell_size=cell_size, normal_cell_size=45, frame_count=3)
    text = add_size_limit_notes(Card("x"), animation, position_count, translator("en")).text
    assert text.startswith("x\n-# ") != (words == "x")
    assert words in text


async def test_text_from_a_game_stays_escaped(service):
    game = gcg.read(GAME).value
    hostile_text = "**x** `\n||\u202e@everyone <@1> https://evil.example "
    turns = tuple(
        replace(turn, note=hostile_text * 40, comments=(Comment(hostile_text * 9),)) for turn in game.turns
    )
    names = (PlayerName("a", hostile_text * 5), PlayerName("b", hostile_text))
    text = json_document.write(
        replace(
            game,
            turns=turns,
            names=names,
            title=hostile_text * 30,
            description=hostile_text * 30,
            note=hostile_text,
        )
    )
    for source in (text, f"||{text}||"):
        reply = await show_text(service, "", attachments=(Attachment("a.json", source.encode()),))
        for turn in range(4):
            moment = replace(reply.find_control(CopyPosition).moment, turn=turn)
            card = await service.show_moment(moment, ReplyContext())
            assert len(card.text) <= MAX_TEXT_LENGTH
            assert not set(card.text) & {"\u202e"}
            assert "@everyone" not in card.text.replace("\\@", "")
            assert "://" not in card.text
            assert card.text.count("||") % 2 == 0
            for choice in card.find_control(TurnMenu).choices:
                assert 0 < len(choice.label) <= 100
                assert len(choice.description) <= 100
                assert not set(choice.label) & set("\n\u202e")


FILES = sorted((SHARED / "corpus" / "gcg").glob("*.gcg"))[::12] if SHARED.exists() else []


@needs_corpus
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_every_moment_of_real_games_can_be_shown(service, path):
    findings = await service.find(Source("", (Attachment(path.name, path.read_bytes()),)))
    if not findings.documents:
        pytest.skip("this corpus file deliberately contains no game")
    reply = await service.show(Source(""), ReplyContext(), findings)
    if reply.find_control(CopyPosition) is None:
        return
    for turn in range(0, reply.find_control(CopyPosition).moment.turn + 1, 5):
        for seat in (None, 0):
            moment = replace(reply.find_control(CopyPosition).moment, turn=turn, seat=seat)
            card = await service.show_moment(moment, ReplyContext(Appearance(layout=Layout.TALL)))
            assert card.find_control(CopyPosition).moment == moment
            assert len(card.text) <= MAX_TEXT_LENGTH
            assert card.drawings
            assert str(turn) in [choice.value for choice in card.find_control(TurnMenu).choices]
    chart = await service.show_chart(reply.find_control(CopyPosition).moment, ReplyContext())
    assert chart.drawings


@pytest.mark.parametrize("count", [3, 4])
async def test_several_boards_have_the_same_size_in_every_layout(service, count):
    text = "\n\n".join(f"{EMPTY_BOARD} ABC/ {score}/0 0" for score in range(count))
    pictures = [
        (await service.show(Source(text), ReplyContext(Appearance(layout=layout)))).drawings[0].picture
        for layout in (Layout.TALL, Layout.WIDE)
    ]
    assert pictures[0].data == pictures[1].data


@pytest.mark.parametrize("installed", [False, True])
async def test_analysis_is_offered_only_where_it_is_installed(tmp_path, installed):
    """No card of a posted, opened or live document offers an analysis that is not installed."""
    requester = Requester(77, 3, 1)
    with ThreadPoolExecutor(1) as executor:
        put_database(tmp_path)
        async with Store.open(f"sqlite:///{tmp_path}/{DATABASE_NAME}") as store:
            resources = {"jobs": {"analysis": Mock()}, "lexica": Mock()} if installed else {}
            services = create_all_services(DocumentService(executor, store), store, **resources)
            service = services[PRESENTER]
            replies = [
                await show_text(service, f"{'/'.join(['15'] * 15)} ABC/ 0/0 0"),
                await show_text(service, GAME),
                await show_text(service, game_link(history("g7", 2)), requester=requester),
                await service.show_moment(replace(MOMENT, turn=0), ReplyContext()),
                await services[LIVE_GAMES].show(requester, "g7", ReplyContext()),
            ]
    assert all(reply.has_result for reply in replies)
    offers_analysis = [reply.find_control(Analyze) is not None for reply in replies]
    assert any(offers_analysis) if installed else not any(offers_analysis)
