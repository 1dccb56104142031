"""``/help`` with its examples, and ``/about``."""

from __future__ import annotations

import pytest

from bot.answers.examples import EXAMPLES
from bot.service import detect_text, read_detections


async def test_help_is_short_and_private(world):
    result = await world.alice.slash(world.channel, "help")
    assert result.ephemeral
    assert "Paste a position, see the board" in result.response.content
    assert len(result.response.content) < 1600


@pytest.mark.parametrize("name", EXAMPLES)
async def test_every_example_can_be_pressed(world, name):
    shown = await world.alice.slash(world.channel, "help")
    result = await world.alice.click(shown.response, custom_id=f"kibitz:example:{name}")
    assert result.ephemeral
    [picture] = result.response.attachments
    assert picture.description


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_found_in_a_paste_and_have_nothing_odd(name):
    _, text = EXAMPLES[name]
    findings = read_detections(text, detect_text(text, asked=False))
    [found] = findings.found
    assert found.warnings == ()
    assert found.error is None
    assert findings.refused == ()


async def test_an_example_of_an_earlier_version_shows_another(world):
    shown = await world.alice.slash(world.channel, "help")
    stored = world.env.backend.get_message(world.channel.id, shown.response.id)
    stored.components[0]["components"][0]["custom_id"] = "kibitz:example:gone"
    result = await world.alice.click(shown.response, custom_id="kibitz:example:gone")
    assert result.response.attachments


async def test_about_tells_version_servers_licence_and_privacy(world):
    result = await world.alice.slash(world.channel, "about")
    assert result.ephemeral
    content = result.response.content
    assert "**Kibitz " in content
    assert "in 1 server" in content
    assert "GNU General Public License" in content
    assert "`/privacy`" in content
    assert "http" not in content


async def test_help_and_about_in_direct_messages(world):
    assert "Paste a position" in (await world.alice.user.slash("help")).response.content
    assert "**Kibitz " in (await world.alice.user.slash("about")).response.content
