"""Hostile text in any field of any notation has no effect in any kind of reply."""

from __future__ import annotations

import itertools
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import quote

import discord
import pytest

from bot.chat.card import Moment, RefusalError, ReplyContext
from bot.chat.layout import lay_out
from bot.chat.source import Attachment, Source
from bot.domain.chess.documents import NOTATION_LABELS as CHESS
from bot.domain.crossword.notations import gcg, json_document, turn_url
from bot.domain.crossword.play import Comment, PlayerName
from bot.domain.notations import CROSSWORD, is_chess, target_notations
from bot.features.analysis.crossword.card import analysis_card
from bot.features.analysis.crossword.request import Phony
from bot.features.analysis.words import WordCards
from bot.features.live.merging import game_list_card
from bot.features.settings import controls as settings
from bot.features.showing.chess.books import KnownMoveMenu
from bot.features.showing.controls import CopyPosition, OtherView, StepButton
from bot.features.showing.crossword.live import game_id_text, remarks_on_update, waiting_card
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import LiveGameUpdate
from bot.features.showing.pace import Pace
from bot.features.showing.posted import count_turns, viewer_of
from bot.features.showing.remarks import unread_file_card
from bot.features.showing.service import Presenter
from bot.jobs.account import Requester
from bot.storage.live_games import LiveGameRecord, PostedUrl
from bot.storage.settings import ServerSettings
from bot.text import translator
from bot.text.visible import one_line
from render.scene import RenderedImage
from tests.positions import OPENING, one_row_board
from tests.replies import discord_markdown as markdown
from tests.replies.test_rankings import LEXICA, analyze_text
from tests.service.memory_store import MemoryStore

WORD = "EVIL"
"""The word in every hostile text."""
SNIPPETS = (
    "**EVIL**", "__EVIL__", "~~EVIL~~", "||EVIL||", "|||EVIL|||", "`EVIL`", "```EVIL```", "`````EVIL`````", "*EVIL*",
    "[EVIL](https://evil.example)", "https://evil.example/EVIL", "discord.gg/EVIL", "<https://EVIL.example>",
    "<@1>EVIL", "<@&1>EVIL", "<#1>EVIL", "@everyoneEVIL", ":EVIL:", "<:EVIL:1>", "<t:1:R>EVIL", "</EVIL:1>", "\\EVIL\\",
    "\u202eEVIL=\u2066", "\u200bEVIL=\u200d", "\u2068EVIL=", "שלוםEVIL",
)  # fmt: skip
# Texts with spaces, and texts that have an effect only at the start of a line.
LINES = (
    "# EVIL",
    "> EVIL",
    ">>> EVIL",
    "- EVIL",
    "-# EVIL",
    "1. EVIL",
    "* EVIL",
    "```\nEVIL\n```",
    "| EVIL |",
)
# Three texts together are about as long as a name may be.
TEXTS = [
    " ".join((*SNIPPETS, *LINES)[start : start + 3]) for start in range(0, len(SNIPPETS) + len(LINES), 3)
]
OWN_KINDS = {markdown.TEXT, markdown.EMPHASIS, markdown.INLINE_CODE, markdown.CODE_BLOCK, markdown.SPOILER}
"""The kinds of Markdown that the bot itself uses."""
OWN_LINK = re.compile(
    r"\[Analysis board on lichess\]\(<https://lichess\.org/analysis/standard/[A-Za-z0-9/_-]+(?:\?color=black)?>\)"
)
"""The only masked link in the replies that these tests request. It contains only a legal position."""

_BOARD = one_row_board(8, "7CAT5")
_GCG = (
    "#player1 a {0}\n#player2 b {0}\n#title {0}\n#description {0}\n#lexicon {0}\n#id {0} {0}\n#mood {0}\n#note {0}\n"
    ">a: AEINRST 8D NASTIER +66 66\n#note {0}\n>b: ABCDEFG -AB +0 0\n#note {0}\n>a: EIQU 7H QI +25 91\n"
)
_TAGS = "".join(
    f'[{name} "{{0}}"]\n' for name in ("White", "Black", "Event", "Opening", "ECO", "Date", "Site")
)
TEMPLATES = {
    "cgp": f"cgp {_BOARD} AEINRST/ 0/10 0 lex {{0}}; gid {{0}}; var {{0}}; ld {{0}}; bdn {{0}}; lp {{0}}; mood {{0}};",
    "cgp-ascii": "~~/|" * 14 + "~~/ | 0|0 0 lex {0}; mood {0};",
    "gcg": _GCG,
    "gcg, impossible": _GCG.replace("8D NASTIER", "8D NASTIEX") + ">b: {0} 1A {0} +1 1\n",
    "turn-url": "https://example.org/#gid={1}&v=1&bag=en&tn=1&wl=6.7&wv=EAI&p1n={1}&p2n={1}&dic={1}&mood={1}",
    "epd": 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - id "{0}"; c0 "{0}"; mood {0};',
    "pgn": _TAGS + '[Mood "{0}"]\n\n{{{0}}} 1. e4 {{{0}}} e5 (1... c5 {{{0}}}) 2. Nf3 {{[%eval {0}] {0}}} *\n',
    "puzzles": "// {0}\n[D]{0}\n[D]{0}\n[S]{0}\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\n\n[D]{0}\n[S]1. Rd8# {0}\n"
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\n",
    "book": "// {0}\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3\n\n// {0} two\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6\n",
}  # fmt: skip
"""A template in each notation. ``{0}`` stands for a hostile text, ``{1}`` for the same text, percent-encoded, and ``{{`` and ``}}``
for braces."""

NOTATIONS = [*TEMPLATES, "json"]


def fill(template: str, text: str) -> str:
    return (
        template.replace("{0}", text)
        .replace("{1}", quote(text, safe=""))
        .replace("{{", "{")
        .replace("}}", "}")
    )


def json_game(text: str) -> str:
    game = gcg.read(fill(TEMPLATES["gcg"], "x")).value
    turns = tuple(replace(turn, note=text, comments=(Comment(text),)) for turn in game.turns)
    names = (PlayerName("a", text), PlayerName("b", text))
    return json_document.write(
        replace(game, turns=turns, names=names, title=text, description=text, note=text)
    )


@pytest.fixture
def service():
    with ThreadPoolExecutor(1) as executor:
        yield Presenter(DocumentService(executor, MemoryStore()))  # type: ignore[arg-type]  # has the methods that documents need


def assert_inert_text(text: str) -> None:
    assert len(text) <= 2000
    for node in markdown.walk(OWN_LINK.sub("", text)):
        is_own = node.kind in OWN_KINDS or (node.kind == markdown.SUBTEXT and WORD not in node.unmarked_text)
        assert is_own, (node, text)
        # If a node contains only the word, the marks around the word had an effect.
        assert node.kind == markdown.TEXT or node.unmarked_text.strip() != WORD, (node, text)


def assert_plain_label(text: str, max_length: int) -> None:
    assert 0 < len(text) <= max_length
    assert one_line(text) == text


def assert_inert(reply, *, hidden: bool = False) -> None:
    """Assert that hostile text has no effect and, if ``hidden`` is set, that spoilers hide it."""
    translate = translator("en")
    view, files = lay_out(reply, translate, 1)
    view_without_files, _ = lay_out(reply, translate, 1, attach=False)
    texts = [
        item.content
        for item in (*view.walk_children(), *view_without_files.walk_children())
        if isinstance(item, discord.ui.TextDisplay)
    ]
    for text in texts:
        # The bot writes the mark for subtext, but the note after it may contain hostile text.
        assert_inert_text(text.removeprefix("-# ") if text == f"-# {reply.note}" else text)
    for file in files:
        assert_plain_label(file.filename, 60)
        if file.description is not None:
            assert_plain_label(file.description, 1024)
    labels = []
    for item in view.walk_children():
        for option in getattr(item, "options", ()):
            labels += [text for text in (option.label, option.description) if text]
        labels += [text for name in ("label", "placeholder") if (text := getattr(item, name, None))]
    for label in labels:
        assert_plain_label(label, 150)
    if hidden:
        for visible_text in (*map(markdown.text_before_clicks, texts), *labels):
            assert WORD not in visible_text, visible_text
        assert all(image.spoiler for image in reply.drawings)
        assert all(file.spoiler or WORD not in file.text for file in reply.files)


async def offer_conversions(service, source):
    try:
        return await service.offer_conversions(source, ReplyContext())
    except RefusalError as refusal:
        return refusal.card


async def replies(service, source):
    """Yield every kind of reply to a source."""
    requester = Requester(2, None, 1, public=False)
    source = replace(source, requester=requester)
    findings = await service.find(source)
    reply = await service.show(source, ReplyContext(), findings)
    yield reply
    yield await offer_conversions(service, source)
    if not findings.documents:
        return
    document = findings.documents[0].document
    for name in CHESS if is_chess(document) else [notation.name for notation in CROSSWORD.notations]:
        yield await service.convert(source, name, ReplyContext())
    copy_control = reply.find_control(CopyPosition)
    if copy_control is not None:
        moment = copy_control.moment
        last = max(
            (control.moment.turn for control in reply.controls if isinstance(control, StepButton)), default=0
        )
        for turn in range(last + 1):
            yield await service.show_moment(replace(moment, turn=turn), ReplyContext())
        for name in target_notations(document):
            yield await service.convert_moment(moment, name, ReplyContext())
        yield await service.copy(moment, ReplyContext())
        yield await service.show_together([moment.digest] * 2, ReplyContext(), spoiler=moment.spoiler)
        if any(isinstance(item, OtherView) and item.view == "chart" for item in reply.more_controls):
            yield await service.show_chart(moment, ReplyContext())
        if count_turns(document):
            replay = viewer_of(document).replay_card(document, moment, Pace.NORMAL, ReplyContext())
            # The replay is not drawn, because that would take as long as drawing all other replies.
            yield replay.with_pictures((RenderedImage(b"", 1, 1),))
    if book := reply.find_control(KnownMoveMenu):
        yield await service.books.play_or_take_back(book, book.choices[0].value, 2, ReplyContext())


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in (1, 2))])
@pytest.mark.parametrize("notation", NOTATIONS)
async def test_hostile_text_is_inert_in_every_reply(service, notation, part):
    appearances = 0
    # The long tests add the other two thirds of the texts.
    for hostile in TEXTS[(NOTATIONS.index(notation) + part) % 3 :: 3]:
        text = (
            json_game(hostile)
            if notation == "json"
            else fill(TEMPLATES[notation], hostile.replace("\n", " "))
        )
        # The text is in a file, because in a message its spoiler bars would end the spoiler around it.
        attachment = Attachment("EVIL.txt", text.encode())
        for hidden in (False, True):
            source = Source("", (replace(attachment, spoiler=hidden),), on_request=True)
            async for reply in replies(service, source):
                assert_inert(reply, hidden=hidden)
                appearances += WORD in reply.text
    # The reader of CGP's ASCII draft stops before an operand that isn't a single word.
    assert appearances or notation == "cgp-ascii", "no reply contains the word, so the test proves nothing"


@pytest.mark.parametrize("notation", NOTATIONS)
async def test_error_messages_keep_quoted_text_inert(service, notation):
    valid_text = json_game("x") if notation == "json" else fill(TEMPLATES[notation], "x")
    appearances = 0
    for snippet, offset in itertools.product(
        SNIPPETS[::2], range(0, len(valid_text), max(1, len(valid_text) // 4))
    ):
        text = valid_text[:offset] + snippet + valid_text[offset:]
        reply = await offer_conversions(service, Source(text))
        assert_inert(reply)
        appearances += WORD in reply.text
        if "|" not in text:
            assert_inert(await offer_conversions(service, Source(f"||{text}||")), hidden=True)
    assert appearances or notation in ("pgn", "book"), (
        "no reply contains the word, so the test proves nothing"
    )


SPOILERS_BESIDE_ERRORS = (
    "||EVIL|| cgp 15/15/XX/15 A/B 0/0 0",
    "cgp 15/15/XX/15 A/B 0/0 0 ||EVIL||",
    "cgp 15/15/`||`/15 A/B 0/0 0 ||EVIL||",
    "|||||x||EVIL|| cgp 15/15/XX/15 A/B 0/0 0",
    "||two\nEVIL|| cgp 15/15/XX/15 A/B 0/0 0",
    '{"kibitz": ||EVIL|| 1}',
    "rnbqkbnr/pppppppp/8/8/9/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ||EVIL||",
)  # fmt: skip


@pytest.mark.parametrize("text", SPOILERS_BESIDE_ERRORS)
async def test_spoilers_beside_an_error_stay_hidden(service, text):
    reply = await offer_conversions(service, Source(text))
    assert not reply.has_result
    assert WORD not in markdown.text_before_clicks(reply.text), reply.text


async def test_error_locations_reveal_no_spoiler(service):
    position = f"{_BOARD.replace('CAT', 'CAX')} AEINRST/ 0/10 zero lex NWL23;"
    for text in (f"cgp {position} ||EVIL||", f"||EVIL|| {position}", f"||EVIL {position}||"):
        for reply in (
            await service.show(Source(text), ReplyContext()),
            await offer_conversions(service, Source(text)),
        ):
            assert WORD not in markdown.text_before_clicks(reply.text), reply.text


@pytest.mark.parametrize("snippet", [*SNIPPETS, *LINES])
def test_hostile_text_is_inert_in_cards_for_words_files_and_live_games(snippet):
    translate = translator("en")
    update = LiveGameUpdate(snippet, is_new=True, waiting_turns=(3,), missing_turns=(2,))
    link = turn_url.read(
        "https://example.org/#gid=g1&v=1&bag=en&seed=g1&tn=1&wl=6.7&wv=EAI&wl=7.7&wh=AEETEBI"
    ).value
    hostile_link = replace(link, settings=replace(link.settings, names=(snippet, snippet)))
    records = [
        LiveGameRecord(1, snippet, None, (PostedUrl(1, turn_url.write(link)),)),
        LiveGameRecord(1, "g1", None, (PostedUrl(1, turn_url.write(hostile_link)),)),
    ]
    cards = WordCards(replace(LEXICA.load(LEXICA.find("SCOWL80")), name=snippet), snippet, translate)
    texts = [
        cards.check([snippet, "CAT", "ZZZ"] * 20, lambda words, _: {key: [snippet] for key in words}).text,
        cards.hooks("CAT").text,
        cards.anagrams("CATER").text,
        cards.anagrams("ZZZ").text,
        unread_file_card(snippet, 1000, translate).text,
        waiting_card((update,), translate).text,
        "\n".join(remarks_on_update(update, translate)),
        game_list_card(records * 30, translate).text,
        translate("There is no game {game} in this channel.", game=game_id_text(snippet)),
        *settings._lexicon_lines(
            ServerSettings(lexicon=snippet if snippet.isprintable() else "EVIL", aliases=snippet), translate
        ),
    ]
    for text in texts:
        assert_inert_text(text)
        assert WORD in text


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_is_inert_in_analyses(text):
    result = analyze_text(OPENING, plays=8)
    plain_position = result.request.position
    plain_distribution = plain_position.rules.distribution
    hostile_letter = replace(plain_distribution.letters[1], text=text[:30], blank_text=f"{text[:30]}?")
    distribution = replace(
        plain_distribution,
        letters=(plain_distribution.letters[0], hostile_letter, *plain_distribution.letters[2:]),
    )
    position = replace(plain_position, rules=replace(plain_position.rules, distribution=distribution))
    hostile_result = replace(
        result,
        request=replace(result.request, position=position),
        missing_lexicon=text,
        phonies=(Phony(text, ((7, 7),)),),
    )
    for hidden in (False, True):
        assert_inert(
            analysis_card(hostile_result, Moment("x" * 22, 0, spoiler=hidden), ReplyContext()), hidden=hidden
        )


async def test_lone_surrogates_are_replaced_and_sent(service):
    text = json_game("EVIL").replace("EVIL", "\\ud800EVIL")
    assert json.loads(text)
    async for reply in replies(service, Source("", (Attachment("a.json", text.encode()),))):
        for file in lay_out(reply, translator("en"), None)[1]:
            file.close()
        for sent_text in (reply.text, *(image.alt for image in reply.drawings)):
            one_line(sent_text).encode()
        reply.text.encode()
