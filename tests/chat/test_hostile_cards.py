"""Hostile names, titles and sources in cards of reviews, lessons, games looked back at, puzzles, polls and leaderboards."""

from __future__ import annotations

import re

import pytest
from simcord.components import walk_components

from bot.features.puzzles.crossword import document
from tests.answers.test_hostile import TEXTS, WORD, judge_text, shows_as_it_is

from .test_lessons import ANNOTATED, answered, reviewed
from .test_looking_back import look_back, opt_in
from .test_polls import control as control_id
from .test_polls import open_poll, played
from .test_posted_puzzles import PGN, USUAL, crossword
from .viewer import answer_of, click, components_of, control, raw_components, replies

GCG = (
    "#character-encoding UTF-8\n#player1 a {0}\n#player2 b {0}\n#title {0}\n#lexicon SCOWL80\n>a: AABCDEG -AB +0 0\n#note {0}\n"
    ">b: AEINRST 8D NASTIER +66 66\n>a: AEIQU 7H QI +25 25\n#note {0}\n>b: EE (time) -10 56\n#note b resigns {0}\n"
)
EPD = '6k1/8/8/8/8/8/R7/1R4K1 w - - bm Rb8#; id "{0}"; c0 "{0}";\n6k1/8/8/8/8/8/R7/1R4K1 w - - bm Ra8#; id "{0} two";\n'
OURS = re.compile(r"<@\d{15,}>|<t:\d{9,}:R>")
"""Mentions of members, which a card shows without pinging them, and times."""


def texts_of(message):
    """Return the texts of a message that Discord formats, and the plain ones: labels, alt texts, file names."""
    texts, plain = [], []
    for part in walk_components(raw_components(message)):
        if part["type"] == 10:
            texts.append(part["content"])
        options = [
            value
            for option in part.get("options", ())
            for value in (option["label"], option.get("description"))
        ]
        plain += [value for value in (part.get("label"), part.get("placeholder"), *options) if value]
    for file in message.attachments:
        plain += [file.filename, *([file.description] if file.description else [])]
    return texts, plain


def judge(message):
    """Assert that nothing foreign in a message does anything; return whether hostile words are in it."""
    texts, plain = texts_of(message)
    assert sum(map(len, texts)) <= 4_000
    assert sum(1 for _ in walk_components(raw_components(message))) <= 40
    for text in texts:
        ours_left_out = OURS.sub("x", text)
        judge_text("\n".join(line.removeprefix("-# ") for line in ours_left_out.split("\n")))
    for text in plain:
        shows_as_it_is(text, 1024)
    return any(WORD in text for text in (*texts, *plain))


def named(text):
    """Return the annotated game between two hostile names."""
    value = text.replace("\\", "\\\\").replace('"', '\\"')
    return ANNOTATED.replace('"alice"', f'"A {value}"').replace('"bob"', f'"B {value}"')


@pytest.fixture
def hostile(request):
    """Return a hostile text that is on one line."""
    return TEXTS[request.param].replace("\n", " ")


FEW = (1, 4, 6)
every = pytest.mark.parametrize(
    "hostile",
    [pytest.param(number, marks=() if number in FEW else pytest.mark.long) for number in range(len(TEXTS))],
    indirect=True,
)


@every
async def test_reviews_lessons_and_games_looked_back_at(world, hostile):
    await opt_in(world, world.bob)
    cards = [await reviewed(world.bob, world, text) for text in (named(hostile), GCG.replace("{0}", hostile))]
    found = [judge(card) for card in cards]
    lesson = answer_of(await click(world.bob, cards[0], label="Learn"))
    found.append(judge(lesson))
    black = components_of(lesson)[-1]["label"]
    lesson = answer_of(await click(world.bob, lesson, label=black))
    found.append(judge(lesson))
    await answered(world.bob, lesson, "Qe7")
    judge(lesson)
    await click(world.bob, lesson, label="End")
    found.append(judge(lesson))
    await world.bob.send(world.channel, named(hostile))
    found.append(judge(replies(world.channel)[-1]))
    chooser = await look_back(world, world.bob)
    found.append(judge(chooser))
    menu = control(chooser, "who")
    await world.bob.select(chooser, [menu["options"][0]["value"]], custom_id=menu["custom_id"])
    judge(replies(world.channel)[-1])
    # Between bars a text is a spoiler: the lesson then names the players by number.
    assert sum(found) >= 6, found


@every
async def test_puzzles_and_their_solutions(world, hostile):
    row = {**USUAL, "family": "endgame", "position": "", "lexicon": hostile}
    files = {
        "a.epd": EPD.replace("{0}", hostile.replace('"', "'")),
        "a.pgn": PGN.replace("Mate in two", hostile.replace("\\", "\\\\")).replace("the box", hostile),
        "a.json": crossword(row)
        + f'\n{{"format": "{document.FORMAT}{hostile.encode("unicode_escape").decode()}"}}',
    }
    found = []
    for name, text in files.items():
        await world.alice.send(world.channel, "", attachments=[(name, text.encode())])
        card = replies(world.channel)[-1]
        found.append(judge(card))
        labels = [part.get("label") for part in walk_components(raw_components(card))]
        pressed = [
            await click(world.bob, card, label=label) for label in ("Hint", "Solution") if label in labels
        ]
        found += [judge(answer_of(answer)) for answer in pressed]
    assert any(found), found


@every
async def test_polls_and_leader_boards_of_people_with_hostile_names(world, hostile):
    mallory = world.guild.add_member(world.env.create_user(hostile[:32]))
    board = "15/15/15/15/15/15/15/6THE6/15/15/15/15/15/15/15 QUIZAB?/ 20/12 0 lex SCOWL80;"
    card = await open_poll(world, mallory, board)
    judge(card)
    judge(await played(mallory, card, hostile[:60]))
    judge(await played(mallory, card, "pass"))
    await click(mallory, card, custom_id=control_id(card, "poll:r"))
    judge(replies(world.channel)[-1])
    judge(answer_of(await mallory.slash(world.channel, "leaderboard", time="all")))
