"""Every card is within Discord's limits, and the most common cards match their golden files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from discord import ComponentType
from hypothesis import given, strategies as st
from simcord.components import COMPONENTS_V2_FLAG, validate_message_state, walk_components

from bot.chat.card import Card, Choice, Drawing, Moment, TextFile
from bot.chat.control import Button, Control, LinkButton, Menu, MoreMenu
from bot.chat.layout import COLOURS, lay_out
from bot.chat.press import StopWork
from bot.features.showing.controls import StepButton
from bot.text import LANGUAGES, translator
from render.scene import ChartScene, RenderedImage, Series
from tests.positions import MAVEN

from .actions import (
    click,
    control,
    go_to,
    ids_of,
    labels_of,
    last_reply,
    make_old_message,
    only_reply,
    post,
    post_and_get_reply,
    press,
    raw_components,
    replies,
    reply_of,
    text_of,
)

SCENE = ChartScene("Scores", (Series("", (0, 1)),), "light")
GOLDEN_FOLDER = Path(__file__).parent / "golden"
GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n#lexicon CSW21\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +26 92\n"
)
LONG_WORD = "W" * 200
ALICE_ID = 1456074443980800021


@dataclass(frozen=True)
class NumberedControl(Control):
    number: int
    fixed_face: Button | Menu | None

    def face(self, translate, *, private):
        return self.fixed_face

    def to_id(self):
        return f"kibitz:pressed:{self.number}"


WORDS = st.sampled_from(["", "a word", LONG_WORD])
BUTTONS = st.builds(Button, WORDS, st.just("🔍"), name=WORDS)
CHOICES = st.lists(st.builds(Choice, WORDS.filter(bool), WORDS.filter(bool), WORDS), min_size=1, max_size=40)
MENUS = st.builds(
    lambda placeholder, choices: Menu(
        placeholder,
        tuple(Choice(str(n), choice.label, choice.description) for n, choice in enumerate(choices)),
    ),
    WORDS,
    CHOICES,
)
# BUTTONS is listed twice, which makes buttons more frequent than menus.
CONTROLS = st.builds(NumberedControl, st.integers(0, 60), st.none() | BUTTONS | BUTTONS | MENUS)
BUTTON_CONTROLS = st.builds(NumberedControl, st.integers(0, 60), st.none() | BUTTONS)
TEXTS = st.sampled_from(["", "**A line**", "x" * 1000, "y" * 2000, "z" * 9000])
DRAWINGS = st.lists(st.tuples(WORDS | st.just("a" * 1024), st.booleans()), max_size=12).map(
    lambda alts_and_spoilers: tuple(
        Drawing(SCENE, alt, spoiler, f"position-{number}.png", RenderedImage(b"", 1, 1))
        for number, (alt, spoiler) in enumerate(alts_and_spoilers)
    )
)
FILES = st.integers(0, 12).map(lambda count: tuple(TextFile(f"{n}.gcg", "#") for n in range(count)))
CARDS = st.builds(
    Card,
    TEXTS.filter(bool),
    files=FILES,
    controls=st.lists(
        CONTROLS | st.builds(LinkButton, WORDS.filter(bool), st.just("https://a.example")), max_size=40
    ).map(tuple),
    has_result=st.booleans(),
    drawings=DRAWINGS,
    sections=st.lists(st.tuples(TEXTS.filter(bool), BUTTON_CONTROLS), max_size=8).map(tuple),
    note=TEXTS,
    more_controls=st.lists(BUTTON_CONTROLS, max_size=30).map(tuple),
    accent=st.sampled_from(["plain", "board", "problem"]),
)


@given(CARDS, st.sampled_from(sorted(LANGUAGES)), st.none() | st.just(ALICE_ID), st.booleans())
def test_every_card_is_within_discords_limits(card, language, owner_id, attach):
    view, files = lay_out(card, translator(language), owner_id, attach=attach)
    components = view.to_components()
    validate_message_state(components, flags=COMPONENTS_V2_FLAG, content=None, embeds=[])
    all_components = list(walk_components(components))
    assert len(all_components) <= 40
    texts = [item for item in all_components if item["type"] == ComponentType.text_display.value]
    assert sum(len(item["content"]) for item in texts) <= 4000
    assert len(files) <= (10 if attach else 0)
    galleries = [item for item in all_components if item["type"] == ComponentType.media_gallery.value]
    referenced_urls = [item["media"]["url"] for gallery in galleries for item in gallery["items"]]
    referenced_urls += [
        item["file"]["url"] for item in all_components if item["type"] == ComponentType.file.value
    ]
    assert referenced_urls == [file.uri for file in files], (
        "Discord would hide a file, because no component refers to it"
    )


def layout_tree(message):
    """Return the layout of a message, without ids and URLs that differ from run to run."""

    def copy_without_varying_parts(component):
        attributes = {
            key: value for key, value in component.items() if key not in {"id", "accent_color"} and value
        }
        if colour := component.get("accent_color"):
            attributes["accent"] = next(name for name, value in COLOURS.items() if value == colour)
        for key in ("components", "items", "options"):
            if key in attributes:
                attributes[key] = [copy_without_varying_parts(item) for item in attributes[key]]
        for key in ("media", "file"):
            if key in attributes:
                attributes[key] = attributes[key]["url"].rpartition("/")[2].partition("?")[0]
        if "accessory" in attributes:
            attributes["accessory"] = copy_without_varying_parts(attributes["accessory"])
        return attributes

    return [copy_without_varying_parts(component) for component in raw_components(message)]


def check_golden(message, name, request):
    path = GOLDEN_FOLDER / f"{name}.json"
    text = json.dumps(layout_tree(message), ensure_ascii=False, indent=1) + "\n"
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), (
        f"the layout differs from {path.name}; if that is right, replace the file with --update-golden"
    )


def test_a_card_with_every_element_matches_the_golden_file(request):
    buttons = [NumberedControl(number, Button(f"Button {number}")) for number in range(9)]
    card = Card(
        "**What it is**\nand more",
        files=(TextFile("game.gcg", "#", spoiler=True),),
        controls=(*buttons[:4], NumberedControl(9, Menu("Choose", (Choice("1", "One", "the first"),), "1"))),
        drawings=(
            Drawing(SCENE, "A board.", spoiler=True, name="position.png", picture=RenderedImage(b"", 1, 1)),
        ),
        sections=(("a turn", buttons[4]),),
        note="CGP · SCOWL80",
        more_controls=(buttons[5], NumberedControl(10, Button(emoji="🔍", name="Look"))),
        accent="board",
    )
    check_golden(lay_out(card, translator("en"), ALICE_ID)[0], "every_element", request)
    check_golden(
        lay_out(card, translator("en"), None, attach=False)[0], "every_element_without_files", request
    )


async def test_replies_to_pasted_text_match_the_golden_files(world, request):
    await world.alice.send(world.channel, MAVEN)
    check_golden(replies(world.channel)[0], "position", request)
    await world.alice.send(world.channel, GAME)
    check_golden(replies(world.channel)[1], "game", request)
    check_golden(
        (await world.alice.slash(world.channel, "show", position="nothing")).response, "problem", request
    )


async def create_old_reply(world):
    """Post a game, and give the reply the layout of version 0.2.0: text, picture and rows of controls.

    Return the reply and the ids of its buttons.
    """
    reply = await post_and_get_reply(world, GAME)
    digest = control(reply, "turns")["custom_id"].split(":")[2]
    ids = [f"kibitz:view:{digest}:0:wo:f", f"kibitz:copy:{digest}:3:wo", f"kibitz:delete:{world.alice.id}"]
    make_old_message(world, reply, *((id_, None) for id_ in ids), (f"kibitz:turns:{digest}:3:wo", "0"))
    return last_reply(world), ids


async def test_pressing_an_old_control_converts_its_message_to_a_card(world):
    reply, ids = await create_old_reply(world)
    assert not reply.flags.components_v2
    await click(world.bob, reply, custom_id=ids[0])
    changed_reply = only_reply(world)
    assert changed_reply.id == reply.id
    assert changed_reply.flags.components_v2
    assert changed_reply.content == ""
    assert "The start of the game; 3 turns follow" in text_of(changed_reply)
    assert len(changed_reply.attachments) == 1
    assert f"kibitz:delete:{world.alice.id}" in ids_of(changed_reply)
    await press(world.bob, changed_reply, "last")
    assert "Turn 3 of 3" in text_of(replies(world.channel)[0])


async def test_menus_under_messages_of_version_0_2_work(world):
    reply, _ = await create_old_reply(world)
    await go_to(world.bob, reply, "0")
    assert "The start of the game; 3 turns follow" in text_of(replies(world.channel)[0])


async def test_a_private_reply_to_an_old_control_leaves_the_message_unchanged(world):
    reply, ids = await create_old_reply(world)
    private_result = await click(world.bob, reply, custom_id=ids[1])
    assert reply_of(private_result).ephemeral
    assert "CGP" in text_of(reply_of(private_result))
    assert not replies(world.channel)[0].flags.components_v2, (
        "a press with a private reply changed the public message"
    )
    await click(world.alice, reply, custom_id=ids[2])
    assert replies(world.channel) == []


async def test_choosing_a_button_in_the_extra_menu_acts_like_pressing_it(world):
    [reply] = await post(world, GAME)
    [digest] = {control(reply, "turns")["custom_id"].split(":")[2]}
    more_controls = (StepButton(Moment(digest, 0), "f"), StepButton(Moment(digest, 3), "l"))
    view, _ = lay_out(Card("rare", more_controls=more_controls), translator("en"), world.alice.id)
    await world.bot.get_channel(world.channel.id).send(view=view)
    sent_message = last_reply(world)
    assert labels_of(sent_message) == ["⏮️", "⏭️", "Delete"]
    refusal = await click(world.bob, sent_message, custom_id=f"kibitz:delete:{world.alice.id}")
    assert "Only moderators and the person Kibitz replied to" in text_of(reply_of(refusal))
    await click(world.bob, sent_message, custom_id=more_controls[0].to_id())  # an entry of the menu
    changed_reply = last_reply(world)
    assert changed_reply.id == sent_message.id
    assert "The start of the game; 3 turns follow" in text_of(changed_reply)
    assert f"kibitz:delete:{world.alice.id}" in ids_of(changed_reply)


async def test_an_unknown_entry_of_the_extra_menu_does_nothing():
    controls_run = []

    async def run(chosen_control):
        controls_run.append(chosen_control)

    for value in (StopWork(1).to_id(), "kibitz:nothing"):
        menu_press: Any = SimpleNamespace(value=value, run=run)
        await MoreMenu().act(menu_press)
    assert controls_run == [StopWork(1)]
