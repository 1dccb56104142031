"""Choosing how answers look: for the server, for oneself; by options and by the panel."""

from __future__ import annotations

import discord
import pytest

from bot.domain.crossword.rules import distribution_of_lexicon
from bot.features.settings.choices import FOR_SERVER, LEXICA
from bot.features.showing.controls import SHOWING
from render.scene import Layout
from tests.positions import MAVEN

from .viewer import components_of, rows_of, text_of


@pytest.fixture
def carol(world):
    """Somebody who may manage the server."""
    role = world.guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
    return world.guild.add_member(world.env.create_user("carol"), roles=[role])


@pytest.fixture
def styles(world, monkeypatch):
    """Return the styles that answers were made for, as they come."""
    seen = []
    show = world.bot.service[SHOWING].show

    async def observed(source, style, *rest):
        seen.append(style)
        return await show(source, style, *rest)

    monkeypatch.setattr(world.bot.service[SHOWING], "show", observed)
    return seen


def menu(panel, name):
    [found] = [one for one in components_of(panel) if one["custom_id"].endswith(f":{name}")]
    return found


def chosen(panel, name):
    return [option["value"] for option in menu(panel, name)["options"] if option.get("default")]


async def test_what_a_server_chose_applies_to_everybody(world, carol, styles):
    await world.alice.send(world.channel, MAVEN)
    result = await carol.slash(
        world.channel, "settings server", theme="dark", layout="wide", coordinates="no"
    )
    assert result.ephemeral
    assert chosen(result.response, "theme") == ["dark"]
    assert chosen(result.response, "layout") == ["wide"]
    assert chosen(result.response, "coordinates") == ["no"]
    await world.alice.send(world.channel, MAVEN)
    await world.alice.slash(world.channel, "show", position=MAVEN)
    before, passive, command = (style.view for style in styles)
    assert (before.theme, before.layout, before.coordinates) == ("light", Layout.TALL, True)
    assert (passive.theme, passive.layout, passive.coordinates) == ("dark", Layout.WIDE, False)
    assert command == passive


async def test_a_server_may_let_each_answer_look_as_the_one_answered_chose(world, carol, styles):
    await world.alice.slash(world.channel, "settings me", theme="contrast", layout="board")
    result = await carol.slash(world.channel, "settings server", theme="dark", looks="yes")
    assert "Each answer looks as the one I answer chose (`looks`)" in text_of(result.response)
    await world.alice.send(world.channel, MAVEN)
    await world.alice.slash(world.channel, "show", position=MAVEN)
    await world.bob.send(world.channel, MAVEN)
    await carol.slash(world.channel, "settings server", looks="no")
    await world.alice.send(world.channel, MAVEN)
    looks = [(style.view.theme, style.view.layout) for style in styles]
    assert looks == [
        ("contrast", Layout.BOARD),
        ("contrast", Layout.BOARD),
        ("dark", Layout.TALL),
        ("dark", Layout.TALL),
    ]


async def test_what_a_person_chose_applies_to_what_only_they_see(world, styles):
    await world.alice.slash(world.channel, "settings me", theme="contrast")
    await world.alice.slash(world.channel, "show", position=MAVEN, private=True)
    await world.alice.send_dm(MAVEN)
    await world.alice.slash(world.channel, "show", position=MAVEN)
    await world.bob.slash(world.channel, "show", position=MAVEN, private=True)
    assert [style.view.theme for style in styles] == ["contrast", "contrast", "light", "light"]


async def test_who_chose_nothing_sees_in_private_what_the_server_chose(world, carol, styles):
    await carol.slash(world.channel, "settings server", theme="dark")
    await world.alice.slash(world.channel, "show", position=MAVEN, private=True)
    assert styles[-1].view.theme == "dark"


async def test_the_panel_changes_itself(world, carol):
    panel = (await carol.slash(world.channel, "settings server")).response
    assert chosen(panel, "mode") == ["auto"]
    assert len(rows_of(panel)) == 5
    await carol.select(panel, ["on_request"], custom_id="kibitz:choose:server:mode")
    await carol.select(panel, ["colourblind"], custom_id="kibitz:choose:server:theme")
    assert chosen(panel, "mode") == ["on_request"]
    assert chosen(panel, "theme") == ["colourblind"]
    await carol.select(panel, ["default"], custom_id="kibitz:choose:server:theme")
    assert chosen(panel, "theme") == ["default"]
    server = await world.bot.store.server_settings(world.guild.id)
    assert (server.mode, server.theme) == ("on_request", None)


async def test_the_panel_works_after_a_restart(world):
    panel = (await world.alice.slash(world.channel, "settings me", layout="tall")).response
    await world.restart()
    await world.alice.select(panel, ["dark"], custom_id="kibitz:choose:me:theme")
    assert chosen(panel, "theme") == ["dark"]
    assert chosen(panel, "layout") == ["tall"]


async def test_only_who_may_manage_the_server_changes_it(world, carol):
    result = await world.alice.slash(world.channel, "settings server", mode="off")
    assert result.ephemeral
    assert "Only who may manage this server" in text_of(result.response)
    panel = (await carol.slash(world.channel, "settings server")).response
    world.env.backend.get_guild(world.guild.id).members[carol.id].role_ids.clear()
    await carol.select(panel, ["off"], custom_id="kibitz:choose:server:mode")
    assert (await world.bot.store.server_settings(world.guild.id)).mode is None


async def test_there_is_no_server_in_direct_messages(world):
    result = await world.alice.user.slash("settings server")
    assert "There is no server here" in text_of(result.response)
    result = await world.alice.user.slash("settings me", theme="dark")
    assert chosen(result.response, "theme") == ["dark"]


async def test_a_channel_alone_is_asked_for_its_mode(world, carol):
    result = await carol.slash(world.channel, "settings server", channel=world.channel)
    assert f"Choose a mode for <#{world.channel.id}>, too." in text_of(result.response)


async def test_lexica_are_offered_and_any_name_is_taken_but_no_nonsense(world):
    offered = await world.alice.autocomplete(world.channel, "settings me", "lexicon", "csw")
    assert [choice["value"] for choice in offered] == ["CSW24", "CSW21", "CSW19", "default"]
    result = await world.alice.slash(world.channel, "settings me", lexicon="MyClub_2026")
    assert "Lexicon where a position names none: MyClub\\_2026" in text_of(result.response)
    result = await world.alice.slash(world.channel, "settings me", lexicon="`@everyone`")
    assert "A lexicon's name has up to 31" in text_of(result.response)
    result = await world.alice.slash(world.channel, "settings me", lexicon="default")
    assert "Lexicon: only what a position names" in text_of(result.response)


def test_lexica_that_are_offered_are_known():
    assert [name for name in LEXICA if distribution_of_lexicon(name) is None] == []


async def test_the_language_chosen_is_spoken(world, carol, styles):
    await carol.slash(world.channel, "settings server", language="de")
    await world.alice.slash(world.channel, "settings me", language="pl")
    await world.bob.send(world.channel, MAVEN)
    await world.alice.send_dm(MAVEN)
    await world.bob.send_dm(MAVEN)
    assert [style.say.locale for style in styles] == ["de", "pl", "en-US"]


async def test_choices_that_are_known_no_more_are_not_chosen(world, styles):
    store = world.bot.store
    settings = await store.user_settings(world.alice.id)
    await store.set_user_settings(
        world.alice.id, type(settings)(theme="mauve", layout="round", language="tlh")
    )
    await world.alice.send_dm(MAVEN)
    assert styles[-1].view.theme == "light"
    result = await world.alice.slash(world.channel, "settings me")
    assert chosen(result.response, "theme") == ["default"]
    assert menu(result.response, "theme")["options"][-1]["label"] == "Theme: as in the server"


@pytest.mark.parametrize("question", FOR_SERVER, ids=lambda question: question.name)
def test_menus_are_within_discords_limits(question):
    assert 1 <= len(question.choices) <= 24
    assert all(len(choice.label) <= 100 for choice in question.choices)
