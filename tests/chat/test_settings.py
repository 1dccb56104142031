"""Settings of a server and of a user."""

from __future__ import annotations

import pytest

from bot.domain.crossword.rules import distribution_of_lexicon
from bot.features.settings.choices import LEXICA, SERVER_SETTINGS
from bot.features.settings.controls import set_daily
from bot.features.showing.controls import PRESENTER
from bot.storage.dailies import DailySettings
from render.scene import Layout
from tests.positions import MAVEN

from .actions import id_of, make_old_message, reply_of, rows_of, text_of
from .test_cards import check_golden


@pytest.fixture
def contexts(world, monkeypatch):
    """Return a list that collects the context of every reply."""
    contexts = []
    show = world.bot.services[PRESENTER].show

    async def observe(source, context, *rest):
        contexts.append(context)
        return await show(source, context, *rest)

    monkeypatch.setattr(world.bot.services[PRESENTER], "show", observe)
    return contexts


async def open_form(person, panel, page):
    return await person.click(panel, custom_id=id_of(panel, "set:", f":{page}"))


async def submit_settings(person, panel, page, **values):
    return await person.submit_modal(await open_form(person, panel, page), values)


async def test_server_settings_apply_to_every_member(world, carol, contexts):
    await world.alice.send(world.channel, MAVEN)
    result = await carol.slash(
        world.channel, "settings server", theme="dark", layout="wide", coordinates="no"
    )
    assert result.ephemeral
    for label in ("- Dark theme", "- Panel beside the board", "- Without coordinates"):
        assert label in text_of(result.response)
    await world.alice.send(world.channel, MAVEN)
    await world.alice.slash(world.channel, "show", position=MAVEN)
    default, posted, command = (context.appearance for context in contexts)
    assert (default.theme, default.layout, default.coordinates) == ("light", Layout.TALL, True)
    assert (posted.theme, posted.layout, posted.coordinates) == ("dark", Layout.WIDE, False)
    assert command == posted


async def test_a_server_may_allow_personal_appearances(world, carol, contexts):
    await world.alice.slash(world.channel, "settings me", theme="contrast", layout="board")
    result = await carol.slash(world.channel, "settings server", theme="dark", looks="yes")
    assert "Replies use the appearance that their recipient has chosen" in text_of(result.response)
    await world.alice.send(world.channel, MAVEN)
    await world.alice.slash(world.channel, "show", position=MAVEN)
    await world.bob.send(world.channel, MAVEN)
    await carol.slash(world.channel, "settings server", looks="no")
    await world.alice.send(world.channel, MAVEN)
    looks = [(context.appearance.theme, context.appearance.layout) for context in contexts]
    assert looks == [
        ("contrast", Layout.BOARD),
        ("contrast", Layout.BOARD),
        ("dark", Layout.TALL),
        ("dark", Layout.TALL),
    ]


async def test_personal_settings_apply_to_private_replies(world, contexts):
    await world.alice.slash(world.channel, "settings me", theme="contrast")
    await world.alice.slash(world.channel, "show", position=MAVEN, private=True)
    await world.alice.send_dm(MAVEN)
    await world.alice.slash(world.channel, "show", position=MAVEN)
    await world.bob.slash(world.channel, "show", position=MAVEN, private=True)
    assert [context.appearance.theme for context in contexts] == ["contrast", "contrast", "light", "light"]


async def test_private_replies_default_to_the_server_settings(world, carol, contexts):
    await carol.slash(world.channel, "settings server", theme="dark")
    await world.alice.slash(world.channel, "show", position=MAVEN, private=True)
    assert contexts[-1].appearance.theme == "dark"


async def test_the_settings_card_matches_the_golden_file(world, carol, request):
    check_golden((await carol.slash(world.channel, "settings server")).response, "settings", request)


async def test_a_form_changes_the_settings_and_the_card(world, carol):
    panel = (await carol.slash(world.channel, "settings server")).response
    assert len(rows_of(panel)) == 1
    assert "- Reply to every position\n" not in text_of(panel)
    answers = {
        "mode": "on_request",
        "questions": "default",
        "live": "default",
        "turns": "no",
        "looks": "default",
    }
    await submit_settings(carol, panel, "answers", **answers)
    assert "- Reply on request: press 🔍 to see the reply" in text_of(panel)
    looks = {"theme": "colourblind", "layout": "default", "coordinates": "default", "language": "fr"}
    await submit_settings(carol, panel, "looks", **looks, lexicon=" ODS9 ")
    assert "- Colour-blind safe theme" in text_of(panel)
    server = await world.bot.store.server_settings(world.guild.id)
    assert (server.mode, server.turns, server.theme, server.lexicon) == (
        "on_request",
        False,
        "colourblind",
        "ODS9",
    )
    await submit_settings(carol, panel, "looks", **{**looks, "theme": "default"}, lexicon="")
    server = await world.bot.store.server_settings(world.guild.id)
    assert (server.mode, server.theme, server.lexicon) == ("on_request", None, None)


async def test_a_form_refuses_an_invalid_lexicon_name(world):
    panel = (await world.alice.slash(world.channel, "settings me")).response
    looks = {"theme": "dark", "layout": "default", "coordinates": "default", "language": "default"}
    refusal = await submit_settings(world.alice, panel, "looks", **looks, lexicon="`@everyone`")
    assert "A lexicon's name can have up to 32" in text_of(reply_of(refusal))
    assert (await world.bot.store.user_settings(world.alice.id)).theme is None


async def choose_in_old_menu(world, person, custom_id, value):
    panel = (await person.slash(world.channel, "settings me")).response
    make_old_message(world, panel, (custom_id, value))
    await person.select(panel, [value], custom_id=custom_id)
    return panel


async def test_menus_of_earlier_versions_change_settings(world, carol):
    for name, value in (("mode", "on_request"), ("theme", "colourblind"), ("theme", "default")):
        panel = await choose_in_old_menu(world, carol, f"kibitz:choose:server:{name}", value)
        assert "**Settings for this server**" in text_of(panel)
    server = await world.bot.store.server_settings(world.guild.id)
    assert (server.mode, server.theme) == ("on_request", None)
    await world.restart()
    await choose_in_old_menu(world, carol, "kibitz:choose:me:theme", "dark")
    assert (await world.bot.store.user_settings(carol.id)).theme == "dark"


async def test_a_daily_is_set_in_a_form_and_stopped_by_leaving_out_the_channel(world, carol):
    panel = (await carol.slash(world.channel, "settings server")).response
    daily = {"hour": "7", "zone": "Europe/Berlin", "games": ["chess"], "level": "hard"}
    await submit_settings(carol, panel, "daily", channel_id=[str(world.channel.id)], **daily)
    assert "at 7:00, Europe\\/Berlin" in text_of(panel)
    chosen = await world.bot.store.daily_settings(world.guild.id)
    assert chosen == DailySettings(world.channel.id, 7, "Europe/Berlin", "chess", "hard")
    for wrong in ({"hour": "24"}, {"hour": "²"}, {"zone": "Mars/Olympus"}):
        values = {"channel_id": [str(world.channel.id)], **daily, **wrong}
        await submit_settings(carol, panel, "daily", **values)
    assert await world.bot.store.daily_settings(world.guild.id) == chosen
    await submit_settings(carol, panel, "daily", channel_id=[], **daily)
    assert "Daily puzzle: none" in text_of(panel)
    assert await world.bot.store.daily_settings(world.guild.id) is None


async def test_the_daily_form_is_acknowledged_before_the_store_is_used(world, carol, monkeypatch):
    acknowledged = []

    async def observe(press, options):
        acknowledged.append(press.interaction.response.is_done())
        return await set_daily(press, options)

    monkeypatch.setattr("bot.features.settings.controls.set_daily", observe)
    panel = (await carol.slash(world.channel, "settings server")).response
    daily = {"hour": "7", "zone": "Europe/Berlin", "games": ["chess"], "level": "hard"}
    await submit_settings(carol, panel, "daily", channel_id=[str(world.channel.id)], **daily)
    assert acknowledged == [True]


async def test_server_settings_require_manage_server_even_in_an_open_form(world, carol):
    result = await world.alice.slash(world.channel, "settings server", mode="off")
    assert result.ephemeral
    assert "requires the Manage Server permission" in text_of(result.response)
    panel = (await carol.slash(world.channel, "settings server")).response
    form = await open_form(carol, panel, "answers")
    world.env.backend.get_guild(world.guild.id).members[carol.id].role_ids.clear()
    await carol.submit_modal(
        form, {"mode": "off", "questions": "no", "live": "thread", "turns": "no", "looks": "no"}
    )
    assert (await world.bot.store.server_settings(world.guild.id)).mode is None


async def test_server_settings_are_refused_in_direct_messages(world):
    result = await world.alice.user.slash("settings server")
    assert "This works only in a server" in text_of(result.response)
    result = await world.alice.user.slash("settings me", theme="dark")
    assert "- Dark theme" in text_of(result.response)


async def test_choosing_a_channel_without_a_mode_asks_for_a_mode(world, carol):
    result = await carol.slash(world.channel, "settings server", channel=world.channel)
    assert f"Also choose a mode for <#{world.channel.id}>." in text_of(result.response)


async def test_lexicon_names_are_suggested_and_invalid_names_refused(world):
    suggestions = await world.alice.autocomplete(world.channel, "settings me", "lexicon", "csw")
    assert [choice["value"] for choice in suggestions] == ["CSW24", "CSW21", "CSW19", "default"]
    result = await world.alice.slash(world.channel, "settings me", lexicon="MyClub_2026")
    assert "Lexicon for positions that don't name one: MyClub\\_2026" in text_of(result.response)
    result = await world.alice.slash(world.channel, "settings me", lexicon="`@everyone`")
    assert "A lexicon's name can have up to 32" in text_of(result.response)
    result = await world.alice.slash(world.channel, "settings me", lexicon="default")
    assert "Lexicon: the one named in the position" in text_of(result.response)


def test_every_suggested_lexicon_has_a_letter_distribution():
    assert [name for name in LEXICA if distribution_of_lexicon(name) is None] == []


async def test_replies_are_in_the_chosen_language(world, carol, contexts):
    await carol.slash(world.channel, "settings server", language="de")
    await world.alice.slash(world.channel, "settings me", language="pl")
    await world.bob.send(world.channel, MAVEN)
    await world.alice.send_dm(MAVEN)
    await world.bob.send_dm(MAVEN)
    assert [context.translate.locale for context in contexts] == ["de", "pl", "en-US"]


async def test_unknown_stored_values_are_ignored(world, contexts):
    store = world.bot.store
    settings = await store.user_settings(world.alice.id)
    await store.change_user_settings(
        world.alice.id, lambda _: type(settings)(theme="mauve", layout="round", language="tlh")
    )
    await world.alice.send_dm(MAVEN)
    assert contexts[-1].appearance.theme == "light"
    result = await world.alice.slash(world.channel, "settings me")
    assert "- Theme: same as the server" in text_of(result.response)


@pytest.mark.parametrize("setting", SERVER_SETTINGS, ids=lambda setting: setting.name)
def test_menus_are_within_discords_limits(setting):
    assert 1 <= len(setting.choices) <= 24
    assert all(len(choice.label) <= 100 for choice in setting.choices)
