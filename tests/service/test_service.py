"""Conversions of sources to cards, without Discord or the command line."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from bot.chat.card import Appearance, ReplyContext
from bot.chat.source import Attachment, Source
from bot.domain.crossword.notations import cgp, json_document
from bot.features.showing import document_service
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import Findings, short_digest
from bot.features.showing.service import Presenter
from render.scene import BoardScene, Layout, Mark, RenderedImage, Square
from tests.positions import EMPTY_BOARD


@pytest.fixture
def service():
    with ThreadPoolExecutor(2) as executor:
        yield Presenter(DocumentService(executor))


def scene(theme: str) -> BoardScene:
    return BoardScene(1, 1, (Square(),), (None,), (Mark.NONE,), ("1",), ("A",), theme=theme)


async def test_a_request_always_gets_a_reply(service):
    for text in ("hello", f"{EMPTY_BOARD}/15 / 0/0 0", "", "```", "\0"):
        reply = await service.show(Source(text), ReplyContext())
        assert not reply.has_result
        assert len(reply.text) <= 2000


NOTED_GAME = "#player1 alice Alice A.\n#player2 bob Bob B.\n>alice: ABDELRW 8D WARBLED +84 84\n#note one\n"
REST_OF_NOTE = "two\n\nthree: a paragraph of its own\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_an_empty_line_ends_a_note_in_a_message_but_not_in_a_file(service, end):
    second = NOTED_GAME.replace("alice", "carol") + REST_OF_NOTE + "\n"
    text = (NOTED_GAME + REST_OF_NOTE + "\n" + second).replace("\n", end)
    notes = [
        [found.document.turns[-1].note for found in (await service.find(source)).documents]
        for source in (Source("", (Attachment("a.gcg", text.encode()),)), Source(text))
    ]
    full_text = "one\ntwo\n\nthree: a paragraph of its own"
    assert notes == [[full_text, full_text], ["one\ntwo", "one\ntwo"]]


async def test_a_game_file_has_warnings_about_other_text(service):
    text = NOTED_GAME.removesuffix("#note one\n") + "\nhm\n"
    [found] = (await service.find(Source("", (Attachment("a.gcg", text.encode()),)))).documents
    assert [warning.code for warning in found.warnings] == ["stray-line"]
    [found] = (
        await service.find(Source("", (Attachment("a.md", ("# Games\n\n" + text).encode()),)))
    ).documents
    assert found.warnings == ()


async def test_an_abandoned_search_is_reported_for_files_and_commands(service):
    text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n" + "so 1. e4 e5 it is said to be\n" * 110
    sentence = "the search stopped here, after too much text that looks like a position or a game but is not one (line "
    file = Source("", (Attachment("a.txt", text.encode()),), on_request=False)
    assert sentence in (await service.show(file, ReplyContext())).text
    assert sentence in (await service.show(Source(text), ReplyContext())).text
    assert sentence not in (await service.show(Source(text, on_request=False), ReplyContext())).text
    assert await service.find(Source(text.partition("\n")[2], on_request=False)) == Findings()


async def test_equal_requests_share_one_drawing(service, monkeypatch):
    drawn = []
    release = threading.Event()

    def draw_slowly(request: BoardScene) -> RenderedImage:
        drawn.append(request)
        release.wait(5)
        return RenderedImage(b"x", 1, 1)

    monkeypatch.setattr(document_service, "draw_board", draw_slowly)
    requests = [asyncio.create_task(service._documents.picture(scene("light"))) for _ in range(20)]
    await asyncio.sleep(0.05)
    requests[0].cancel()  # The other requests still get the picture.
    release.set()
    results = await asyncio.gather(*requests, return_exceptions=True)
    assert len(drawn) == 1
    assert isinstance(results[0], asyncio.CancelledError)
    assert {picture.data for picture in results[1:]} == {b"x"}
    await service._documents.picture(scene("light"))
    assert len(drawn) == 1, "a picture in the cache was drawn again"


async def test_a_failed_drawing_is_not_cached(service, monkeypatch):
    failing_draw = Mock(side_effect=RuntimeError("no ink"))
    monkeypatch.setattr(document_service, "draw_board", failing_draw)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await service._documents.picture(scene("light"))
    assert failing_draw.call_count == 2


async def test_the_picture_cache_is_limited_in_bytes(monkeypatch):
    drawn = []

    def draw(request: BoardScene) -> RenderedImage:
        drawn.append(request.theme)
        return RenderedImage(b"x" * (99 if request.theme == "large" else 10), 1, 1)

    monkeypatch.setattr(document_service, "draw_board", draw)
    with ThreadPoolExecutor(1) as executor:
        service = Presenter(DocumentService(executor, cache_bytes=25))
        for theme in ("a", "b", "a", "c", "a", "b", "large", "large"):
            await service._documents.picture(scene(theme))
    assert drawn == ["a", "b", "c", "b", "large", "large"], (
        "c did not replace b, or a picture larger than the cache was kept"
    )


async def test_files_are_read_after_the_text(service):
    files = (
        Attachment("a.cgp", f"\ufeff{EMPTY_BOARD} A/B 1/2 0".encode()),
        Attachment("b.bin", b"\xff\xfe\x00"),
        Attachment("c.txt", f"{EMPTY_BOARD} C/D 3/4 0".encode(), spoiler=True),
    )
    findings = await service.find(Source(f"{EMPTY_BOARD} E/F 5/6 0", files))
    assert [found.document.players[0].score for found in findings.documents] == [5, 1, 3]
    assert [found.spoiler for found in findings.documents] == [False, False, True]


async def test_a_document_posted_twice_is_shown_once(service):
    text = f"{EMPTY_BOARD} A/B 1/2 0; or, as I said, {EMPTY_BOARD} A/B 1/2 0;"
    assert len((await service.find(Source(text))).documents) == 2
    reply = await service.show(Source(f"{text} ||{EMPTY_BOARD} A/B 1/2 0;||"), ReplyContext())
    [picture] = reply.drawings
    assert picture.spoiler, "a document was not hidden, although one copy of it was"
    assert "isn't shown" not in reply.text


GAME_TEMPLATE = (
    "#player1 alice Alice\n#player2 bob Bob\n{}>alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0{}\n"
)


@pytest.mark.parametrize(
    "text",
    [
        GAME_TEMPLATE.format("||\n", "\n||"),
        f"||{GAME_TEMPLATE.format('', '')}||",
        f"||{EMPTY_BOARD} ZZ/A 44/55 0 lex CSW21;||",
    ],
)
async def test_a_reply_to_hidden_text_is_hidden_completely(service, text):
    reply = await service.show(Source(text), ReplyContext())
    assert [image.spoiler for image in reply.drawings] == [True]
    visible_text = "".join(reply.text.split("||")[::2])
    assert reply.text.count("||") % 2 == 0
    assert not visible_text.strip(), "scores, warnings or the text to copy were visible"


async def test_an_error_in_a_spoiler_is_a_spoiler(service):
    reply = await service.show(Source(f"||{EMPTY_BOARD}/15 SECRET/ 0/0 0||"), ReplyContext())
    assert "16 rows" in reply.text
    assert reply.text.startswith("||")
    assert reply.text.endswith("```||")
    assert reply.text.count("||") == 2, "bars in the quoted text ended the spoiler"


async def test_a_hidden_document_is_converted_to_a_spoiler(service):
    reply = await service.convert(Source(f"||{EMPTY_BOARD} AB/ 0/0 0||"), "cgp", ReplyContext())
    assert reply.text == f"CGP:\n||```\n{EMPTY_BOARD} AB/ 0/0 0\n```||"
    reply = await service.convert(Source(f"||{'/'.join(['21'] * 21)}||"), "json", ReplyContext())
    assert [file.spoiler for file in reply.files] == [True]


async def test_the_error_location_is_shown_even_without_room_for_copies(service):
    long_lexicon = "L" * 600
    broken_game = (
        f"#player1 a A\n#player2 b B\n#lexicon {long_lexicon}\n"
        ">a: AEINRST 8D NASTIER +66 66\n>b: AAAAAAA 15O AAA +3 3\n"
    )
    copies = "\n".join(f"{EMPTY_BOARD} A/B 0/{n} 0 -lex {long_lexicon} -ld english" for n in range(1, 4))
    reply = await service.show(Source(f"{copies}\n```\n{broken_game}```"), ReplyContext())
    assert len(reply.text) <= 2000
    assert reply.files
    assert "Kibitz stopped reading here" in reply.text


async def test_reported_losses_are_bounded(service):
    document = json.loads(json_document.write(cgp.read(f"{EMPTY_BOARD} A/ 0/0 0 zq 1;").value))
    document["extra"] = [[f"Name_{number}*" * 3, "v"] for number in range(60)]
    reply = await service.convert(Source(json.dumps(document)), "text", ReplyContext())
    assert "Not included" in reply.text
    assert len(reply.text) <= 2000


async def test_the_file_of_a_chess_game_is_called_game(service):
    """A name with backticks cannot be shown in a code block, so the game is sent as a file."""
    text = '[White "```"]\n[Result "*"]\n\n1. e4 e5 *\n'
    reply = await service.convert(Source(text), "pgn", ReplyContext())
    assert [file.name for file in reply.files] == ["game.pgn"]


async def test_copies_that_do_not_fit_go_to_a_file(service):
    long_lexicon = "L" * 900
    text = "\n".join(f"{EMPTY_BOARD} A/B 0/{n} 0 -lex {long_lexicon} -ld english" for n in range(1, 5))
    reply = await service.show(Source(text), ReplyContext())
    assert len(reply.text) <= 2000
    [file] = reply.files
    assert file.name == "positions.txt"
    assert file.text.count(f"lex {long_lexicon};\n") == 4


@pytest.mark.parametrize("layout", list(Layout))
async def test_hostile_but_valid_positions_are_drawn(service, layout):
    big = "/".join(["50"] * 50)
    long_lexicon = "x" * 400
    for text in (
        f"{big} / 0/0 0",
        f"{EMPTY_BOARD} {'/'.join(['A'] * 9)} {'/'.join(['-999999'] * 9)} 999 lex {long_lexicon};",
        f"{EMPTY_BOARD} {'AEIOU' * 3}/ 0/0 0",
    ):
        reply = await service.show(Source(text), ReplyContext(Appearance(layout=layout)))
        assert reply.drawings, reply.text
        assert len(reply.drawings[0].alt) <= 1024
        assert len(reply.text) <= 2000


async def test_lone_surrogates_in_input_cause_no_error(service):
    text = f"{EMPTY_BOARD} AEINRST/ 0/0 0 lex X; -- \ud83d\n\n#player1 a A\ud83d\n#player2 b B\n>a: ABC 8H ABC +10 10\n"
    for source in (Source(text), Source("\ud83d"), Source(f"https://example.org/?turn=\ud83d&{text}")):
        await service.show(source, ReplyContext())
        for found in (await service.find(source)).documents:
            assert len(found.digest) == 22
    assert short_digest("gcg\0A\ud83d") != short_digest("gcg\0A\ud83e")
    assert short_digest("cgp\x0015/15") == "CMoTsJcFuoUAdCQVuSTmmQ", (
        "digests in the ids of released buttons have changed"
    )
