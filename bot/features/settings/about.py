"""``/help``, ``/about`` and ``/privacy``, the welcome message, and the checks of the bot's Discord account."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from typing import Final

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot import __version__
from bot.chat.card import Card
from bot.chat.client import KibitzBot
from bot.chat.control import LinkButton
from bot.chat.failures import replying
from bot.chat.layout import send_card
from bot.chat.reply_context import private_translator
from bot.chat.sending import SEND_PERMISSIONS, bot_has_permissions_in, reply_to_interaction
from bot.features.settings.help import FIRST_PAGE, DeleteData, help_card, welcome_card
from bot.features.showing.controls import PRESENTER
from bot.features.showing.document_service import DOCUMENT_LIFETIME
from bot.storage.errors import StoreError
from bot.text import Translator, translator

log = logging.getLogger(__name__)

MAX_AUDIT_ENTRIES: Final = 10
"""Maximum number of audit log entries searched for the user who added Kibitz."""

PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    attach_files=True,
    read_message_history=True,
    add_reactions=True,
)
"""The permissions that the invitation asks for. Kibitz also works with fewer, and reports a missing permission when a feature needs it."""


def invitation_url(application_id: int) -> str:
    return discord.utils.oauth_url(
        application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )


MAX_GUILDS: Final = 200
"""Maximum number of servers that ``kibitz doctor`` checks."""


async def check_account(token: str, *, requires_message_content: bool) -> AsyncIterator[tuple[bool, str]]:
    """Check the bot's Discord account. For each check, yield whether it succeeded, and a sentence about the result.

    No sentence contains the token.
    """
    async with discord.Client(intents=discord.Intents.none()) as client:
        try:
            await client.login(token)
            application = await client.application_info()
            guilds = await client.http.get_guilds(MAX_GUILDS, with_counts=False)
        except discord.LoginFailure:
            yield (
                False,
                "Discord rejects the token. Copy it again from the developer portal (Bot → Reset Token).",
            )
            return
        except (discord.HTTPException, OSError) as error:
            yield False, f"Discord can't be reached: {error}. Check the network, and try again."
            return
    yield True, f"The token belongs to {application.name}."
    flags = application.flags
    if requires_message_content and not (
        flags.gateway_message_content or flags.gateway_message_content_limited
    ):
        yield (
            False,
            "The message-content intent is off. Turn it on in the portal, or set message_content = false.",
        )
    elif requires_message_content:
        yield True, "The message-content intent is on."
    if not guilds:
        yield False, f"The bot isn't in any server. Invite it: {invitation_url(application.id)}"
    for guild in guilds:
        # Discord's list of servers contains the bot's permissions in each server.
        granted_permissions = discord.Permissions(int(guild["permissions"]))
        missing_permissions = [
            name
            for name, is_required in PERMISSIONS
            if is_required and not getattr(granted_permissions, name)
        ]
        if missing_permissions and not granted_permissions.administrator:
            missing_names = ", ".join(missing_permissions).replace("_", " ")
            yield False, f"In {guild['name']!r} the bot lacks: {missing_names}. Grant them to its role."
        else:
            yield True, f"In {guild['name']!r} the bot has all permissions that it needs."


class About(commands.Cog):
    """``/help``, ``/about`` and the welcome message."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("help"), description=locale_str("What Kibitz can do, with examples to try")
    )
    async def help(self, interaction: discord.Interaction[KibitzBot]) -> None:
        translate = await private_translator(interaction)
        await reply_to_interaction(interaction, help_card(FIRST_PAGE, self.bot, translate), translate, None)

    @app_commands.command(
        name=locale_str("about"), description=locale_str("Version, licence and source code")
    )
    async def about(self, interaction: discord.Interaction[KibitzBot]) -> None:
        translate, settings = await private_translator(interaction), self.bot.settings.discord
        lines = [
            translate(
                "**Kibitz {version}** shows, converts and analyzes crossword and chess positions.",
                version=__version__,
            ),
            translate(
                "Started {when} · {servers}",
                when=discord.utils.format_dt(self.bot.started_at, "R"),
                servers=translate.plural("in {number} server", "in {number} servers", len(self.bot.guilds)),
            ),
            translate(
                "Free software under the GNU General Public License, version 3 or later, without warranty."
            ),
            translate(
                "Messages aren't stored. Positions are stored for {days} days, so that the buttons work: see "
                "{privacy}.",
                days=DOCUMENT_LIFETIME.days,
                privacy=self.bot.mention("privacy show"),
            ),
        ]
        assert self.bot.application_id is not None  # the bot is logged in
        addresses = {
            translate("Invite Kibitz"): invitation_url(self.bot.application_id),
            translate("Source code"): settings.source,
            translate("Privacy"): settings.privacy,
        }
        card = Card(
            "\n".join(lines),
            controls=tuple(LinkButton(label, address) for label, address in addresses.items() if address),
            accent="settings",
        )
        await reply_to_interaction(interaction, card, translate, None)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        if not self.bot.settings.discord.welcome:
            return
        with self.bot.delay_closing():
            destinations = await _find_welcome_destinations(guild)
            try:
                if not destinations or not await self.bot.store.claim_notice(f"welcome:{guild.id}"):
                    return
                mode = (await self.bot.preferences.servers.get(guild.id)).mode
            except StoreError as error:
                # Kibitz may already have sent a welcome message, and a second one is worse than none.
                log.warning("the welcome message was not sent to server %d: %s", guild.id, error)
                return
            translate = translator(guild.preferred_locale.value)
            card = welcome_card(self.bot, guild.id, guild.name, mode, translate)
            for destination in destinations:
                try:
                    await send_card(destination.send, card, translate, None)
                except discord.HTTPException as error:
                    log.info(
                        "the welcome message for server %d was not sent to %r: %s",
                        guild.id,
                        destination,
                        error,
                    )
                else:
                    return


class Privacy(
    commands.GroupCog,
    name=locale_str("privacy"),
    description=locale_str("Your stored data"),
):
    """``/privacy show`` and ``/privacy delete``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(name=locale_str("show"), description=locale_str("See your stored data"))
    async def show(self, interaction: discord.Interaction[KibitzBot]) -> None:
        async with replying(interaction):
            text, translate = await self._defer_and_list_data(interaction)
            if self.bot.services[PRESENTER].links.are_enabled:
                text += "\n\n" + translate(
                    "When you post a link to a game, Kibitz requests the game from its site. The site doesn't "
                    "learn who posted the link. The game is stored like a pasted game."
                )
            await reply_to_interaction(interaction, Card(text, accent="settings"), translate, None)

    @app_commands.command(name=locale_str("delete"), description=locale_str("Delete all your stored data"))
    async def delete(self, interaction: discord.Interaction[KibitzBot]) -> None:
        async with replying(interaction):
            text, translate = await self._defer_and_list_data(interaction)
            text += "\n\n" + translate(
                "Deleting can't be undone. Replies stay in their channels, but their buttons stop working, and "
                "they no longer follow your edits."
            )
            card = Card(text, controls=(DeleteData(interaction.user.id),), accent="settings")
            await reply_to_interaction(interaction, card, translate, None)

    async def _defer_and_list_data(
        self, interaction: discord.Interaction[KibitzBot]
    ) -> tuple[str, Translator]:
        # The database may take longer than Discord waits for an acknowledgement.
        await interaction.response.defer(ephemeral=True, thinking=True)
        translate = await private_translator(interaction)
        return data_text(await self.bot.store.count_user_data(interaction.user.id), translate), translate


def data_text(counts: Mapping[str, int], translate: Translator) -> str:
    descriptions = {
        "replies": translate.plural(
            "{number} message that Kibitz replied to: its id, not its text",
            "{number} messages that Kibitz replied to: their ids, not their text",
            counts["replies"],
        ),
        "documents": translate.plural(
            "{number} position or game that you posted, kept so that its buttons work",
            "{number} positions or games that you posted, kept so that their buttons work",
            counts["documents"],
        ),
        "live_texts": translate.plural(
            "{number} link to a live game that you posted",
            "{number} links to live games that you posted",
            counts["live_texts"],
        ),
        "live_seats": translate.plural(
            "{number} seat in live games", "{number} seats in live games", counts["live_seats"]
        ),
        "puzzles": translate.plural(
            "{number} puzzle that you saw, with your answers and rating",
            "{number} puzzles that you saw, with your answers and ratings",
            counts["puzzles"],
        ),
        "dailies": translate.plural(
            "{number} daily puzzle that you answered, with your streaks",
            "{number} daily puzzles that you answered, with your streaks",
            counts["dailies"],
        ),
        "polls": translate.plural(
            "{number} poll or poll answer, kept until the reveal",
            "{number} polls or poll answers, kept until the reveal",
            counts["polls"],
        ),
        "user_games": translate.plural(
            "{number} finished game for `/review last`",
            "{number} finished games for `/review last`",
            counts["user_games"],
        ),
        "player_names": translate.plural(
            "{number} player name that you marked as yours or not yours, stored as a hash, not as text",
            "{number} player names that you marked as yours or not yours, stored as hashes, not as text",
            counts["player_names"],
        ),
        "settings": translate.plural("{number} setting", "{number} settings", counts["settings"]),
    }
    lines = [f"- {text}" for kind, text in descriptions.items() if counts[kind]]
    return (
        "\n".join([translate("Stored about you:"), *lines])
        if lines
        else translate("Nothing is stored about you.")
    )


async def _find_welcome_destinations(guild: discord.Guild) -> list[discord.abc.Messageable]:
    """Return the user who added the bot, if known, and then the first channel in which the bot may write."""
    channels = [*([guild.system_channel] if guild.system_channel else []), *guild.text_channels]
    writable_channel = next(
        (channel for channel in channels if bot_has_permissions_in(channel, *SEND_PERMISSIONS)), None
    )
    return [channel for channel in (await _find_inviter(guild), writable_channel) if channel is not None]


async def _find_inviter(guild: discord.Guild) -> discord.User | discord.Member | None:
    if not guild.me.guild_permissions.view_audit_log:
        return None
    try:
        async for entry in guild.audit_logs(action=discord.AuditLogAction.bot_add, limit=MAX_AUDIT_ENTRIES):
            if getattr(entry.target, "id", None) == guild.me.id:
                return entry.user
    except discord.HTTPException as error:
        log.info(
            "can't read the audit log of server %d, so the user who added Kibitz gets no welcome message: %s",
            guild.id,
            error,
        )
    return None
