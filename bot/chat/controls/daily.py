"""The controls of dailies: answering, the board, telling everybody how one did, and letting oneself be named."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self, TypeAlias

import discord
from cachetools import TTLCache

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.puzzles import answer_buttons
from bot.chat.ids.puzzles import DailyId
from bot.chat.offers import DailyOffer, DailyPanel, PuzzlePanel
from bot.chat.press import answer_in_private
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.style import Style
from bot.chat.styling import speaker_to
from bot.features.puzzles.daily_card import Ranked, board, on_board
from bot.features.puzzles.daily_service import Dailies, Span
from bot.features.puzzles.wanted import Kind, Wanted
from bot.storage.dailies.values import DailyKey
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

NAMING_SECONDS = 5.0
"""How long a board waits for names."""


_called: TTLCache[tuple[int, int], str] = TTLCache(5_000, ttl=600.0)
"""Names that Discord told lately, by server and person: many look at a board at the same time."""


def dailies_of(bot: KibitzBot, say: Speaker) -> Dailies:
    """Return where dailies are.

    Raises:
        NoAnswerError: nowhere.

    """
    if bot.service.dailies is None:
        raise NoAnswerError.saying(say("There are no puzzles here."))
    return bot.service.dailies


class DailyButton(ControlItem[discord.ui.Button[Any], DailyId], of=DailyId):
    """Does what its id says."""

    @classmethod
    def of_state(cls, state: DailyId, label: str, sign: str) -> Self:
        """Make the button."""
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Do it."""
        match self.state.what:
            case "b":
                kind = Kind(self.state.game)
                await answer_in_private(
                    interaction, lambda style: board_reply(interaction, kind, Span.WEEK, style, private=True)
                )
            case "s":
                await self._share(interaction)
            case _:
                await self._name(interaction)

    async def _share(self, interaction: Press) -> None:
        """Tell everybody in the channel, in the server's language."""
        say = await speaker_to(interaction)
        guild = interaction.guild_id
        if guild is None:
            raise NoAnswerError.saying(say("There is no server here."))
        await interaction.response.defer()
        style = await interaction.client.preferences.public(guild, interaction.locale.value)
        key = DailyKey(guild, self.state.number, self.state.game)
        text = await dailies_of(interaction.client, say).share(interaction.user.id, key, style.say)
        await interaction.followup.send(f"{interaction.user.mention}: {text}")

    async def _name(self, interaction: Press) -> None:
        """Let the presser be named from now on."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.client.preferences.choose_for_user(
            interaction.user.id, lambda chosen: replace(chosen, named=True)
        )
        say = await speaker_to(interaction)
        text = say(
            "From now on you are named on boards and among those who solved a daily. `/settings me` takes it back."
        )
        await interaction.followup.send(text, ephemeral=True)


CONTROLS = (DailyButton,)
"""To be registered with the client."""


def daily_controls(control: DailyPanel | DailyOffer, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a daily, or for who solved it."""
    state = DailyId(control.game, control.number, "b")
    match control:
        case DailyPanel():
            if control.is_open:
                panel = PuzzlePanel(Wanted(Kind(control.game), control.name))
                yield from answer_buttons(panel, say)
            yield DailyButton.of_state(state, say("Leader board"), "\N{TROPHY}")
        case DailyOffer():
            share, name = replace(state, what="s"), replace(state, what="m")
            yield DailyButton.of_state(share, say("Share"), "\N{PUBLIC ADDRESS LOUDSPEAKER}")
            yield DailyButton.of_state(name, say("Name me"), "\N{NAME BADGE}")


async def board_reply(
    interaction: Press, kind: Kind | None, span: Span, style: Style, *, private: bool
) -> Reply:
    """Return the board of the server where somebody asks for it.

    Raises:
        NoAnswerError: there is no server.

    """
    say, guild = style.say, interaction.guild
    if guild is None:
        raise NoAnswerError.saying(say("There is no server here."))
    ranks = await dailies_of(interaction.client, say).ranks(guild.id, kind, span)
    names = await _names(guild, on_board(ranks))
    asker = interaction.user.id if private else None
    return board(board_title(kind, span, say), ranks, names, asker, say)


def board_title(kind: Kind | None, span: Span, say: Speaker) -> str:
    """Say what a board is about."""
    when = {
        Span.WEEK: say("this week"),
        Span.MONTH: say("this month"),
        Span.ALL: say("all time"),
    }[span]
    what = {
        Kind.CROSSWORD: say("crossword games"),
        Kind.CHESS: say("chess"),
        None: say("all games"),
    }[kind]
    return say("**Leader board of the dailies** · {what} · {when}", what=what, when=when)


async def _names(guild: discord.Guild, ranks: Sequence[Ranked]) -> dict[int, str]:
    """Ask Discord for the names of those on a board who want to be named: the store keeps none."""

    async def named(user_id: int) -> tuple[int, str] | None:
        known = _called.get((guild.id, user_id))
        if known is None:
            try:
                member = guild.get_member(user_id) or await guild.fetch_member(user_id)
            except discord.HTTPException:
                return None  # gone, or not told now
            _called[guild.id, user_id] = known = member.display_name
        return user_id, known

    wanted = [one.leader.user_id for one in ranks if one.leader.named]
    try:
        async with asyncio.timeout(NAMING_SECONDS):
            found = await asyncio.gather(*map(named, wanted))
    except TimeoutError:
        return {}
    return dict(pair for pair in found if pair is not None)
