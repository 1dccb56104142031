"""Posted links: the bot opens them if its host has enabled links, and ignores them otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from bot.config import Chess, Links, Settings
from bot.domain.crossword.notations import gcg
from bot.links import fetcher
from tests.links.conftest import sites
from tests.links.sites import GCG_PATH, Page, Sites
from tests.review.games import self_play_game

from .actions import (
    choose,
    click,
    control,
    id_of,
    ids_of,
    post,
    press,
    press_copy,
    replies,
    reply_of,
    rows_of,
    text_of,
)
from .conftest import make_settings
from .test_cards import check_golden

__all__ = ["sites"]

WOOGLES_LINK = "https://woogles.io/game/p6QRjJHG"
LICHESS_LINK = "https://lichess.org/AbCdEf12"
EXPORT = "lichess.org", "/game/export/AbCdEf12?evals=true&clocks=true&opening=true&literate=false"
"""The site and the path from which the bot fetches ``LICHESS_LINK``."""


@pytest.fixture(autouse=True)
def short_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close each connection after its request. Otherwise, SimCord waits until the open connections time out."""
    monkeypatch.setattr(aiohttp, "TCPConnector", partial(aiohttp.TCPConnector, keepalive_timeout=0))


@pytest.fixture
def settings(tmp_path: Path, sites: Sites) -> Settings:
    links = Links(enabled=True, contact="host@example.org", bases=sites.bases, authority=sites.certificate)
    return make_settings(tmp_path, links=links)


async def test_a_woogles_link_opens_the_game_at_its_turn(world, sites: Sites, request):
    [reply] = await post(world, f"look at this <{WOOGLES_LINK}?turn=4>")
    lines = text_of(reply).split("\n")
    # Woogles counts the empty board as turn 1.
    assert lines[1].startswith("Turn 3 of 6: Alice · **7H QI** +20")
    assert f"[Game on woogles.io](<{WOOGLES_LINK}>)" in lines
    assert lines[-2] == "🔎 woogles.io has its own review. Mistake index: alice 2.4 (≈ 1890), bob 3.1."
    check_golden(reply, "card_link", request)
    assert sites.requests[0].headers["User-Agent"].endswith("(+host@example.org)")
    await press(world.bob, reply, "next")
    [reply] = replies(world.channel)
    assert "Turn 4 of 6" in text_of(reply)
    assert f"[Game on woogles.io](<{WOOGLES_LINK}>)" in text_of(reply), (
        "the link to the site disappeared after a step"
    )
    assert "lex SCOWL80;" in text_of(await press_copy(world.bob, reply))
    await world.alice.send(world.channel, WOOGLES_LINK)
    assert len(sites.requests) == 2, "a finished game or its review was fetched again"


async def test_a_cross_tables_game_keeps_its_lexicon(world):
    [reply] = await post(world, "https://www.cross-tables.com/annotated.php?u=34567#3#")
    assert "SCOWL80" in text_of(reply)
    assert "Begoña" in text_of(reply)
    assert "[Game on cross-tables.com](<https://www.cross-tables.com/annotated.php?u=34567>)" in text_of(
        reply
    )


async def test_a_lichess_link_to_blacks_side_flips_the_board(world):
    [reply] = await post(world, f"{LICHESS_LINK}/black#2")
    assert "Turn 2 of 7: **1... e5**" in text_of(reply)
    assert "clock 5:00 · evaluation 0.3" in text_of(reply)
    assert "?color=black>) · [Game on lichess.org](<https://lichess.org/AbCdEf12>)" in text_of(reply)
    assert control(reply, "review"), "the game has evaluations, but no review is offered"


async def test_the_sites_evaluations_are_attributed(world):
    [reply] = await post(world, LICHESS_LINK)
    card = reply_of(await click(world.bob, reply, custom_id=id_of(reply, "review:")))
    assert "based on lichess.org's evaluations" in text_of(card)


async def test_a_woogles_review_is_compared_turn_by_turn(world, sites: Sites, short_reviews):
    game = self_play_game(8)
    text = gcg.write(replace(game, rules=replace(game.rules, lexicon="SCOWL80")))
    sites.pages["woogles.io", GCG_PATH] = Page.of_json(
        {"gcg": text.replace("alice", "carol").replace("bob", "dave")}
    )
    [reply] = await post(world, WOOGLES_LINK)
    card = reply_of(await click(world.bob, reply, custom_id=id_of(reply, "review:")))
    lines = text_of(card).split("\n")
    heading = lines.index("Each turn as judged by Kibitz and, after 🔎, by the site:")
    assert lines[heading - 1].startswith("🔎 woogles.io has its own review. Mistake index: ")
    kibitz, site = lines[heading + 1].partition(": ")[2].split(" 🔎 ")
    assert (len(kibitz), site[:3]) == (len(site), "🟩🔶⬜")
    assert lines[heading + 2].partition(" 🔎 ")[2][:2] == "⬜🔺", (
        "the site's judgement of the fourth event is not under Dave's second turn"
    )
    turn_card = reply_of(await choose(world.bob, card, "judgements", "3"))
    assert (
        "🔎 woogles.io: 🔶 medium mistake, 6.2% win chance lost; best was 10B \\*QUEY\\_ for 48."
        in text_of(turn_card)
    )
    turn_card = reply_of(await choose(world.bob, card, "judgements", "5"))
    assert "🔎" not in text_of(turn_card), (
        "the card quotes the site's review, which says nothing about this turn"
    )


async def test_links_to_study_chapters_rounds_and_puzzles_are_opened(world):
    await world.alice.send(world.channel, "https://lichess.org/study/StUdY123/ChApTe02")
    await world.alice.send(world.channel, "https://lichess.org/broadcast/open/round-1/RoUnD123")
    await world.alice.send(world.channel, "https://lichess.org/training/daily")
    await world.alice.send(world.channel, "https://woogles.io/puzzle/RfqTieg8s6eg4J9TXp5n7R")
    study, broadcast, lichess_puzzle, woogles_puzzle = replies(world.channel)
    labels = [item["label"] for item in control(study, "games")["options"]]
    assert labels == ["1. One", "2. Two", "3. Three"]
    assert "Endings" not in text_of(study)
    assert "Traps\\: Two" in text_of(study)
    assert "The start of the game; 3 turns follow" in text_of(study)
    assert "Look at f7." in text_of(study)
    assert "[Study on lichess.org](<https://lichess.org/study/StUdY123/ChApTe02>)" in text_of(study)
    assert [item["label"] for item in control(broadcast, "games")["options"]] == [
        "1. alice – bob",
        "2. carol – bob",
    ]
    assert "Turn 6 of 6: **3... Nf6** · White to move" in text_of(lichess_puzzle)
    assert "[Puzzle on lichess.org](<https://lichess.org/training/00sHx>)" in text_of(lichess_puzzle)
    assert "Qxf7" not in text_of(lichess_puzzle)
    assert "**bob to move**" in text_of(woogles_puzzle)
    assert "[Puzzle on woogles.io](<https://woogles.io/puzzle/RfqTieg8s6eg4J9TXp5n7R>)" in text_of(
        woogles_puzzle
    )


async def test_a_game_in_a_collection_is_chosen_from_a_menu(world):
    [reply] = await post(world, "https://woogles.io/collections/abcdefgh23456789/chapter/24")
    assert text_of(reply).startswith("**The best of \\*all\\*** · 50 games · [Collection on woogles.io]")
    menu = control(reply, "linked")
    labels = [item["label"] for item in menu["options"]]
    assert (labels[0], labels[1], labels[-2], labels[-1]) == (
        "Earlier…",
        "24. Game no. 24",
        "46. Game no. 46",
        "Later…",
    )
    await choose(world.bob, reply, "linked", "from:46")
    [reply] = replies(world.channel)
    assert control(reply, "linked")["options"][-1]["label"] == "50. Game no. 50"
    await choose(world.bob, reply, "linked", "47:p6QRjJHG")
    [reply] = replies(world.channel)
    assert "[Game on woogles.io]" in text_of(reply)
    await press(world.bob, reply, "previous")
    [reply] = replies(world.channel)
    assert "Turn 5 of 6" in text_of(reply)
    assert control(reply, "linked")["options"][-1]["label"] == "50. Game no. 50", (
        "the menu of games disappeared after a step"
    )
    assert len(rows_of(reply)) == 3
    # The menu of games takes the place of the menu of turns, so a form asks for the turn.
    for turn_text, expected_text in (
        ("2", "Turn 2 of 6"),
        ("0", "The start of the game; 6 turns follow"),
        ("9999", "Turn 6 of 6"),
    ):
        form = await click(world.bob, reply, label="Go to turn")
        await world.bob.submit_modal(form, {"turn": turn_text})
        [reply] = replies(world.channel)
        assert expected_text in text_of(reply)
        assert control(reply, "linked")["options"][-1]["label"] == "50. Game no. 50"
    form = await click(world.bob, reply, label="Go to turn")
    refusal = reply_of(await world.bob.submit_modal(form, {"turn": "e4"}))
    assert text_of(refusal).startswith("Enter a whole number")


async def test_a_broken_game_opened_at_a_turn_shows_the_error(world, sites: Sites):
    body = sites.pages[EXPORT].body.replace(b"Qxf7#", b"Qxf2#")
    sites.pages[EXPORT] = Page(body, "application/x-chess-pgn")
    [reply] = await post(world, f"{LICHESS_LINK}#2")
    assert "Turn 2 of 6" in text_of(reply)
    assert "⛔ Kibitz stopped reading here: Qxf2\\# isn't a legal move" in text_of(reply)


async def test_a_game_in_progress_is_shown_but_not_analyzed(world, sites: Sites):
    body = sites.pages[EXPORT].body.replace(b"1-0", b"*").replace(b"Normal", b"Unterminated")
    sites.pages[EXPORT] = Page(body.replace(b" 4. Qxf7# *", b" *"), "application/x-chess-pgn")
    [reply] = await post(world, LICHESS_LINK)
    assert "Turn 6 of 6" in text_of(reply)
    assert "Analysis board" not in text_of(reply)
    assert not [id_ for id_ in ids_of(reply) if id_.split(":")[1] in ("engine", "review", "analyze", "try")]
    await world.alice.send(world.channel, "https://woogles.io/anno/RfqTieg8s6eg4J9TXp5n7R")
    board = replies(world.channel)[1]
    assert "Turn 6 of 6" in text_of(board)
    assert not [id_ for id_ in ids_of(board) if id_.split(":")[1] in ("analyze", "review", "try")]
    for message in (reply, board):
        result = await world.bob.context_menu(world.channel, "Analyze position", message)
        assert "still in progress" in text_of(reply_of(result))


async def test_links_that_cannot_be_opened_get_an_explanation(world, sites: Sites, monkeypatch):
    monkeypatch.setattr(fetcher, "PAGE_TTL", 0.0)
    error = {"code": "invalid_argument", "message": "please wait until the game is over to download GCG"}
    sites.pages["woogles.io", GCG_PATH] = Page.of_json(error, 400)
    for link in (WOOGLES_LINK, "https://lichess.org/NoSuCh12", "https://www.chess.com/game/live/1234567890"):
        await world.alice.send(world.channel, f"see {link}")
    running, missing, unreadable = replies(world.channel)
    assert text_of(running) == (
        f"Kibitz can't open [Game on woogles.io](<{WOOGLES_LINK}>): "
        "the game is still in progress; woogles.io will share it when it's over."
    )
    assert "lichess.org has nothing at this link" in text_of(missing)
    assert "paste the PGN (Share → PGN)" in text_of(unreadable)
    sites.pages["woogles.io", GCG_PATH] = Page.of_json({"gcg": "hello"})
    await world.alice.send(world.channel, WOOGLES_LINK)
    assert "woogles.io returned something other than a game" in text_of(replies(world.channel)[3])
    sites.pages["woogles.io", GCG_PATH] = Page.of_json({"gcg": "#player1 a a\n>b: ABC 8D ABC +9 9\n"})
    await world.alice.send(world.channel, WOOGLES_LINK)
    assert "⛔ Kibitz stopped reading here: the first play, at 8D," in text_of(replies(world.channel)[4])


async def test_a_hidden_link_stays_hidden(world):
    [reply] = await post(world, f"||{WOOGLES_LINK}||")
    assert reply.attachments[0].filename.startswith("SPOILER_")
    assert "||" in text_of(reply)


async def test_a_command_opens_a_link(world):
    result = await world.alice.slash(world.channel, "show", position=WOOGLES_LINK)
    assert "[Game on woogles.io]" in text_of(reply_of(result))


class TestLinksTurnedOff:
    @pytest.fixture
    def settings(self, tmp_path: Path, sites: Sites) -> Settings:
        return make_settings(tmp_path, chess=Chess(engine=""))

    async def test_posted_links_get_no_reply_and_commands_get_an_explanation(self, world, sites: Sites):
        for link in (WOOGLES_LINK, LICHESS_LINK, "https://www.chess.com/game/live/1234567890"):
            await world.alice.send(world.channel, link)
        assert replies(world.channel) == []
        result = await world.alice.slash(world.channel, "show", position=WOOGLES_LINK)
        assert "links are not opened here; paste the game itself, or attach its file" in text_of(
            reply_of(result)
        )
        assert sites.requests == []
