"""Hostile names, titles and notes have no effect in cards."""

from __future__ import annotations

import re

import pytest
from simcord.components import walk_components

from bot.features.puzzles.crossword import document
from tests.replies.test_hostile import TEXTS, WORD, assert_inert_text, assert_plain_label

from .actions import (
    choose_option,
    click,
    id_of,
    labels_of,
    last_reply,
    post_and_get_reply,
    raw_components,
    reply_of,
)
from .test_lessons import ANNOTATED, answer_lesson, request_private_review
from .test_looking_back import look_back, opt_in
from .test_polls import BOARD, enter_play, open_poll
from .test_posted_puzzles import PGN
from .test_puzzles import DEFAULT_MEMBERS, crossword_file

GCG = (
    "#character-encoding UTF-8\n#player1 a {0}\n#player2 b {0}\n#title {0}\n#lexicon SCOWL80\n>a: AABCDEG -AB +0 0\n#note {0}\n"
    ">b: AEINRST 8D NASTIER +66 66\n>a: AEIQU 7H QI +25 25\n#note {0}\n>b: EE (time) -10 56\n#note b resigns {0}\n"
)
EPD = '6k1/R7/8/8/8/8/8/1R4K1 w - - bm Rb8#; id "{0}"; c0 "{0}";\n6k1/1R6/8/8/8/8/8/R5K1 w - - bm Ra8#; id "{0} two";\n'
WRITTEN_BY_BOT = re.compile(r"<@\d{15,}>|<t:\d{9,}:R>")
"""Mentions of members (a card never pings them) and timestamps. The bot writes both on purpose."""


def formatted_and_plain_texts(message):
    """Return the parts of a message that Discord formats, and its other parts: labels, alt texts, file names."""
    texts, plain_texts = [], []
    for part in walk_components(raw_components(message)):
        if part["type"] == 10:
            texts.append(part["content"])
        options = [
            value
            for option in part.get("options", ())
            for value in (option["label"], option.get("description"))
        ]
        plain_texts += [value for value in (part.get("label"), part.get("placeholder"), *options) if value]
    for file in message.attachments:
        plain_texts += [file.filename, *([file.description] if file.description else [])]
    return texts, plain_texts


def check_harmless(message):
    """Assert that no text from users has an effect. Return whether the message contains the hostile word."""
    texts, plain_texts = formatted_and_plain_texts(message)
    assert sum(map(len, texts)) <= 4_000
    assert sum(1 for _ in walk_components(raw_components(message))) <= 40
    for text in texts:
        user_text = WRITTEN_BY_BOT.sub("x", text)
        assert_inert_text("\n".join(line.removeprefix("-# ") for line in user_text.split("\n")))
    for text in plain_texts:
        assert_plain_label(text, 1024)
    return any(WORD in text for text in (*texts, *plain_texts))


def annotated_game_of(text):
    """Return the annotated game with a hostile text in both players' names."""
    value = text.replace("\\", "\\\\").replace('"', '\\"')
    return ANNOTATED.replace('"alice"', f'"A {value}"').replace('"bob"', f'"B {value}"')


@pytest.fixture
def hostile_text(request):
    """Return a hostile text, joined into one line."""
    return TEXTS[request.param].replace("\n", " ")


USUAL_TEXTS = (1, 4, 6)
"""The indices of the texts that every run tries. ``-m long`` tries the others."""
every_hostile_text = pytest.mark.parametrize(
    "hostile_text",
    [
        pytest.param(number, marks=() if number in USUAL_TEXTS else pytest.mark.long)
        for number in range(len(TEXTS))
    ],
    indirect=True,
)


@every_hostile_text
async def test_hostile_names_have_no_effect_in_reviews_and_lessons(world, hostile_text):
    await opt_in(world, world.bob)
    games = (annotated_game_of(hostile_text), GCG.replace("{0}", hostile_text))
    cards = [await request_private_review(world.bob, world, game) for game in games]
    has_word = [check_harmless(card) for card in cards]
    lesson = reply_of(await click(world.bob, cards[0], label="Learn"))
    has_word.append(check_harmless(lesson))
    lesson = reply_of(await click(world.bob, lesson, label=labels_of(lesson)[-1]))
    has_word.append(check_harmless(lesson))
    await answer_lesson(world.bob, lesson, "Qe7")
    check_harmless(lesson)
    await click(world.bob, lesson, label="End")
    has_word.append(check_harmless(lesson))
    await world.bob.send(world.channel, annotated_game_of(hostile_text))
    has_word.append(check_harmless(last_reply(world)))
    chooser = await look_back(world, world.bob)
    has_word.append(check_harmless(chooser))
    await choose_option(world.bob, chooser, "who", 0)
    check_harmless(last_reply(world))
    # If a name looks like a spoiler, the lesson refers to the players by number.
    assert sum(has_word) >= 6, has_word


@every_hostile_text
async def test_hostile_texts_have_no_effect_in_posted_puzzles(world, hostile_text):
    row = {**DEFAULT_MEMBERS, "family": "endgame", "position": "", "lexicon": hostile_text}
    files = {
        "a.epd": EPD.replace("{0}", hostile_text.replace('"', "'")),
        "a.pgn": PGN.replace("Mate in two", hostile_text.replace("\\", "\\\\")).replace(
            "the box", hostile_text
        ),
        "a.json": crossword_file(row)
        + f'\n{{"format": "{document.FORMAT}{hostile_text.encode("unicode_escape").decode()}"}}',
    }
    has_word = []
    for name, text in files.items():
        card = await post_and_get_reply(world, files=[(name, text.encode())])
        has_word.append(check_harmless(card))
        results = [
            await click(world.bob, card, label=label)
            for label in ("Hint", "Solution")
            if label in labels_of(card)
        ]
        has_word += [check_harmless(reply_of(result)) for result in results]
    assert any(has_word), has_word


@every_hostile_text
async def test_hostile_user_names_have_no_effect_in_polls_and_leaderboards(world, hostile_text):
    mallory = world.add_member(hostile_text[:32])
    card = await open_poll(world, mallory, BOARD)
    check_harmless(card)
    check_harmless(await enter_play(mallory, card, hostile_text[:60]))
    check_harmless(await enter_play(mallory, card, "pass"))
    await click(mallory, card, custom_id=id_of(card, "poll:r"))
    check_harmless(last_reply(world))
    check_harmless(reply_of(await mallory.slash(world.channel, "leaderboard", time="all")))
