"""``/help`` with its examples, and ``/about``."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from bot.features.settings.about import PERMISSIONS
from bot.features.settings.help import EXAMPLES
from bot.features.showing.reading.documents import detect_text, read_detections

from .actions import click, rows_of, text_of

ROOT = Path(__file__).parents[2]


def controls_in_rows(message):
    return [item for row in rows_of(message) for item in row["components"]]


async def test_help_has_two_pages_with_clickable_commands(world):
    result = await world.alice.slash(world.channel, "help")
    assert result.ephemeral
    content = text_of(result.response)
    assert [line for line in content.splitlines() if line.startswith("##")] == [
        "## See a position",
        "## Find the best play",
        "## Follow a game",
    ]
    assert len(content) < 1000
    ids = {command.name: command.id for command in await world.bot.tree.fetch_commands()}
    assert f"</show:{ids['show']}>" in content
    assert f"</game show:{ids['game']}>" in content
    second_page = await click(world.alice, result.response, custom_id="kibitz:help:manual")
    manual = text_of(second_page.response)
    assert manual.startswith("## Manual")
    assert f"</settings server:{ids['settings']}>" in manual
    assert len(manual) < 2000
    first_page = await click(world.alice, second_page.response, custom_id="kibitz:help:jobs")
    assert text_of(first_page.response) == content

    mentioned_commands = set(re.findall(r"</([a-z ]+):[0-9]+>", content + manual))
    assert mentioned_commands <= {command.qualified_name for command in world.bot.tree.walk_commands()}


async def test_command_ids_survive_a_restart(world):
    ids = dict(world.bot.command_ids)
    assert ids["show"]
    await world.restart()
    assert world.bot.command_ids == ids
    key = f"commands:{world.bot.application_id}"
    stored = await world.bot.store.meta(key)
    assert stored
    # An earlier version stored no ids under this key.
    await world.bot.store.set_meta(key, stored.partition(" ")[0])
    await world.restart()
    assert world.bot.command_ids == ids
    world.bot.command_ids = {}
    assert world.bot.mention("settings me") == "`/settings me`"


@pytest.mark.parametrize("name", EXAMPLES)
async def test_every_example_button_shows_a_picture(world, name):
    help_reply = (await world.alice.slash(world.channel, "help")).response
    result = await click(world.alice, help_reply, custom_id=f"kibitz:example:{name}")
    assert result.ephemeral
    [picture] = result.response.attachments
    assert picture.description


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_examples_are_detected_without_warnings(name):
    _, text = EXAMPLES[name]
    findings = read_detections(text, detect_text(text, on_request=False))
    [document] = findings.documents
    assert document.warnings == ()
    assert document.error is None
    assert findings.unreadable_texts == ()


async def test_a_button_for_an_unknown_example_shows_another_example(world):
    help_reply = (await world.alice.slash(world.channel, "help")).response
    stored = world.env.backend.get_message(world.channel.id, help_reply.id)
    rows_of(stored)[0]["components"][0]["custom_id"] = "kibitz:example:gone"
    result = await click(world.alice, help_reply, custom_id="kibitz:example:gone")
    assert result.response.attachments


async def test_about_shows_version_servers_licence_and_privacy(world):
    result = await world.alice.slash(world.channel, "about")
    assert result.ephemeral
    content = text_of(result.response)
    assert "**Kibitz " in content
    assert "in 1 server" in content
    assert "GNU General Public License" in content
    assert "</privacy show:" in content
    [invitation] = controls_in_rows(result.response)
    assert f"client_id={world.bot.application_id}" in invitation["url"]
    assert f"&permissions={PERMISSIONS.value}" in (ROOT / "README.md").read_text(encoding="utf-8")


async def test_about_shows_the_links_set_by_the_host(world):
    configured_links = {"source": "https://example.org/kibitz", "privacy": "https://example.org/privacy"}
    world.bot.settings = msgspec.structs.replace(
        world.bot.settings, discord=msgspec.structs.replace(world.bot.settings.discord, **configured_links)
    )
    result = await world.alice.slash(world.channel, "about")
    links = {item["label"]: item["url"] for item in controls_in_rows(result.response)}
    assert links["Source code"] == configured_links["source"]
    assert links["Privacy"] == configured_links["privacy"]


async def test_help_and_about_work_in_direct_messages(world):
    assert "See a position" in text_of((await world.alice.user.slash("help")).response)
    assert "**Kibitz " in text_of((await world.alice.user.slash("about")).response)
