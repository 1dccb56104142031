"""The pages of the sites are parsed with as much suspicion as a user's text."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.features.showing.reading.links import MAX_GAMES, read_link
from bot.links import woogles
from bot.links.sites import SITES, link_to, source_target, target_in
from bot.links.values import LinkError, LinkTarget, Pages, TargetKind
from tests.links import sites as samples

WOOGLES, TABLES, LICHESS, CHESS = "woogles.io", "cross-tables.com", "lichess.org", "chess.com"


def target_of(link: str) -> LinkTarget:
    target = target_in(link)
    assert target is not None
    return target


def read_pages(link: str, *pages: bytes | None):
    """Read the pages behind a link. None means a page that failed to load."""
    return read_link(target_of(link), pages)


def game_page(text: str) -> bytes:
    return json.dumps({"gcg": text}).encode()


@pytest.mark.parametrize(
    ("query", "linked_turn"),
    [("", None), ("?turn=1", 0), ("?turn=2", 1), ("?turn=6", 5), ("?turn=7", 6), ("?turn=99", 6)],
)
def test_a_woogles_game_is_opened_at_the_linked_turn(query: str, linked_turn: int | None):
    opened, findings = read_pages(
        f"https://woogles.io/game/p6QRjJHG{query}",
        game_page(samples.GAME_TEXT),
        json.dumps(samples.REVIEW).encode(),
    )
    [found] = findings.documents
    assert isinstance(found.document, Game)
    assert (len(found.document.turns), found.linked_turn, found.is_in_progress) == (6, linked_turn, False)
    assert opened.review is not None
    assert [(player.name, player.mistake_index, player.elo) for player in opened.review.players] == [
        ("alice", 2.4, 1890),
        ("bob", 3.1, 0),
    ]
    assert [
        (turn.event_number, turn.mistake_size, turn.win_chance_lost, turn.best_play, turn.best_score)
        for turn in opened.review.turns
    ] == [
        (1, "best", 0.0, "8D NASTIER", 66),
        (3, "medium", 0.062, "10B *QUEY_", 48),
        (4, "large", 0.0, "", 0),
    ]
    source = source_target(found.document)
    assert source is not None
    assert link_to(source) == "https://woogles.io/game/p6QRjJHG"


def test_turns_are_numbered_like_the_events_of_the_site():
    """Pragmas between the turns are not events."""
    text = samples.GAME_TEXT.replace(">alice: EIQUOYN", "#note a remark\n\n>alice: EIQUOYN")
    _, findings = read_pages("https://woogles.io/game/p6QRjJHG?turn=4", game_page(text), None)
    assert findings.documents[0].linked_turn == 3


def test_an_annotated_game_may_be_unfinished():
    link = "https://woogles.io/anno/RfqTieg8s6eg4J9TXp5n7R"
    _, findings = read_pages(link, game_page(samples.GAME_TEXT), None)
    assert findings.documents[0].is_in_progress
    assert findings.documents[0].stored_form[0] == "gcg+going-on"


def test_the_refusal_of_a_game_in_progress_is_recognized():
    response = json.dumps(
        {"code": "invalid_argument", "message": "please wait until the game is over to download GCG"}
    )
    refusal = SITES[WOOGLES].refusal_error(response.encode())
    assert refusal is not None
    assert refusal.code == "link-going-on"
    assert SITES[WOOGLES].refusal_error(b'{"code":"not_found","message":"no such game"}') is None
    assert SITES[WOOGLES].refusal_error(b"<html>") is None


def test_a_woogles_puzzle_is_read_up_to_its_position():
    _, findings = read_pages(
        "https://woogles.io/puzzle/RfqTieg8s6eg4J9TXp5n7R", json.dumps({"history": samples.HISTORY}).encode()
    )
    [found] = findings.documents
    game = found.document
    assert isinstance(game, Game)
    assert not found.warnings
    position = game.position_at(len(game.turns))
    assert (len(game.turns), position.on_turn, position.rules.lexicon) == (3, 1, "SCOWL80")
    assert [len(player.rack) for player in position.players] == [0, 7]
    source = source_target(game)
    assert source is not None
    assert source.kind is TargetKind.PUZZLE
    assert link_to(source) == "https://woogles.io/puzzle/RfqTieg8s6eg4J9TXp5n7R"


@pytest.mark.parametrize(
    "change",
    [
        {"players": []},
        {"players": "x"},
        {"players": [{"nickname": "a"}, {"nickname": 5}]},
        {"lexicon": "A\n>alice: X"},
        {"events": [{"playerIndex": 7}]},
        {"events": [{"playerIndex": 0, "position": "8D", "playedTiles": "A B", "score": 1}]},
        {"events": [{"playerIndex": 0, "position": "8D\n", "playedTiles": "AB", "score": 1}]},
        {"events": [{"playerIndex": 0, "position": "8D", "playedTiles": "AB", "score": 1e9}]},
        {"events": [{"playerIndex": 0, "type": "RESIGNED"}]},
        {"lastKnownRacks": ["A\nB", ""], "events": []},
    ],
)
def test_an_invalid_woogles_puzzle_raises_a_link_error(change: dict[str, object]):
    page = json.dumps({"history": samples.HISTORY | change}).encode()
    with pytest.raises(LinkError, match="something other than a game"):
        read_pages("https://woogles.io/puzzle/RfqTieg8s6eg4J9TXp5n7R", page)


def test_a_collection_lists_its_games():
    page = {
        "collection": {
            "title": "Best",
            "games": [{"gameId": "p6QRjJHG", "chapterTitle": "One"}, {"gameId": "../x"}],
        }
    }
    opened, findings = read_pages(
        "https://woogles.io/collections/abcdefgh23456789", json.dumps(page).encode()
    )
    assert findings.documents == ()
    assert [(game.id, title) for game, title in opened.games] == [("p6QRjJHG", "One")]
    with pytest.raises(LinkError, match="it contains no games"):
        read_pages("https://woogles.io/collections/abcdefgh23456789", b'{"collection":{"games":[]}}')


@pytest.mark.parametrize(
    "review", [{}, {"found": False}, {"result": []}, {"result": {"playerSummaries": [{"mistakeIndex": "x"}]}}]
)
def test_an_invalid_review_by_the_site_is_ignored(review: object):
    assert woogles.read_review(json.dumps(review).encode()) is None


def test_an_old_cross_tables_game_gets_its_lexicon_and_its_id():
    text = samples.GAME_TEXT.partition("#lexicon SCOWL80\n")[2].replace("bob", "Begoña").encode("latin-1")
    _, findings = read_pages(
        "https://www.cross-tables.com/annotated.php?u=34567#2#",
        text,
        b'1,a,b,,,,,OTHER,\n"34567",1,2,,,77,x,TWL98,9\n',
    )
    [found] = findings.documents
    assert isinstance(found.document, Game)
    assert (found.document.rules.lexicon, found.document.names[1].name, found.linked_turn) == (
        "TWL98",
        "Begoña",
        2,
    )
    source = source_target(found.document)
    assert source is not None
    assert link_to(source) == "https://www.cross-tables.com/annotated.php?u=34567"


@pytest.mark.parametrize(
    "line", [b"34567," + b"1" * 200_000 + b",2,,,77,x,TWL98,9", b"34567,1,2,,,77,x,A\x00B,9", b'34567,"']
)
def test_an_invalid_list_of_games_gives_no_lexicon(line: bytes):
    _, findings = read_link(
        target_of("https://www.cross-tables.com/annotated.php?u=34567"),
        (samples.GAME_TEXT.partition("#lexicon SCOWL80\n")[2].encode(), line),
    )
    [found] = findings.documents
    assert isinstance(found.document, Game)
    assert found.document.rules.lexicon == ""


def test_the_lexicon_is_requested_only_if_the_game_lacks_it():
    game = target_of("https://www.cross-tables.com/annotated.php?u=34567")
    site = SITES[TABLES]
    assert site.next_request(game, (b"#player1 a a\n",)) is not None
    assert site.next_request(game, (b"#player1 a a\n#lexicon NWL23\n",)) is None
    _, findings = read_link(game, (samples.GAME_TEXT.encode(), None))
    assert findings.documents


def test_the_chapter_in_a_link_is_shown():
    _, findings = read_pages("https://lichess.org/study/StUdY123/ChApTe02", samples.STUDY_TEXT.encode())
    assert [(found.is_link_target, found.linked_turn) for found in findings.documents] == [
        (False, 0),
        (True, 0),
        (False, 0),
    ]
    _, findings = read_pages("https://lichess.org/study/StUdY123/ChApTe02#1", samples.STUDY_TEXT.encode())
    assert [found.linked_turn for found in findings.documents] == [0, 1, 0]


def test_only_chapters_near_the_linked_one_are_read_from_a_long_study():
    chapter = samples.STUDY_TEXT.split("\n\n[Event")[0]
    text = "\n\n".join(chapter.replace("ChApTe01", f"ChApTe{number:02}") for number in range(60))
    _, findings = read_pages("https://lichess.org/study/StUdY123/ChApTe50", text.encode())
    assert (len(findings.documents), findings.left_out_count) == (MAX_GAMES, 60 - MAX_GAMES)
    assert sum(found.is_link_target for found in findings.documents) == 1


def test_a_broadcast_round_lists_its_games_and_which_are_in_progress():
    link = "https://lichess.org/broadcast/open/round-1/RoUnD123/GaMe0002"
    _, findings = read_pages(link, samples.BROADCAST_TEXT.encode())
    assert [(found.is_link_target, found.is_in_progress) for found in findings.documents] == [
        (False, False),
        (True, True),
    ]


def test_a_lichess_puzzle_is_read_without_its_solution():
    _, findings = read_pages(
        "https://lichess.org/training/00sHx", json.dumps(samples.LICHESS_PUZZLE).encode()
    )
    [found] = findings.documents
    game = found.document
    assert isinstance(game, ChessGame)
    assert [turn.san for turn in game.turns] == ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6"]
    assert (game.tag("White"), game.is_black_at_bottom) == ("alice", False)
    assert "h5f7" not in found.text


@pytest.mark.parametrize(
    "change",
    [
        {"game": {"pgn": ""}},
        {"game": {"pgn": 'e4"] x'}},
        {"puzzle": {"id": "../xx", "initialPly": 5}},
        {"puzzle": {"id": "00sHx"}},
        {"puzzle": {"id": "00sHx", "initialPly": "many"}},
        {"puzzle": {"id": "00sHx", "initialPly": 10**30}},
    ],
)
def test_an_invalid_lichess_puzzle_raises_a_link_error(change: dict[str, object]):
    with pytest.raises(LinkError, match="something other than a game"):
        read_pages("https://lichess.org/training/00sHx", json.dumps(samples.LICHESS_PUZZLE | change).encode())


def test_chess_com_offers_no_games_by_link():
    game = target_of("https://www.chess.com/game/live/1234567890")
    assert SITES[CHESS].next_request(game, ()) is None
    with pytest.raises(LinkError, match="paste the PGN"):
        read_link(game, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["gcg", "history", "collection", "games", "gameId", "game", "puzzle", "pgn", "id", "initialPly", "players",
             "events", "type", "result", "playerSummaries", "turns", "nickname", "title"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip
LINKS = [
    "https://woogles.io/game/p6QRjJHG?turn=3",
    "https://woogles.io/puzzle/RfqTieg8s6eg4J9TXp5n7R",
    "https://woogles.io/collections/abcdefgh23456789",
    "https://www.cross-tables.com/annotated.php?u=34567",
    "https://lichess.org/AbCdEf12#3",
    "https://lichess.org/study/StUdY123/ChApTe02",
    "https://lichess.org/training/00sHx",
    "https://lichess.org/broadcast/a/b/RoUnD123",
]


@given(
    st.sampled_from(LINKS),
    st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()),
    st.none() | st.binary(max_size=50),
)
def test_any_page_is_read_or_raises_a_link_error(link: str, page: bytes, other: bytes | None):
    pages: Pages = (page, other)
    with suppress(LinkError):
        opened, findings = read_link(target_of(link), pages)
        assert opened.games or findings.documents or findings.unreadable_texts


def test_deeply_nested_json_is_rejected():
    with pytest.raises(LinkError):
        read_pages("https://lichess.org/training/00sHx", b"[" * 2_000_000)
