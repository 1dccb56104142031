"""What all controls share: nothing that goes wrong leaves a dead button."""

from __future__ import annotations

import logging
import re
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

import discord

from bot.chat.client import KibitzBot
from bot.chat.control import Control
from bot.chat.failures import answering, guard
from bot.chat.sending import grant_press

log = logging.getLogger(__name__)


ItemT_co = TypeVar("ItemT_co", bound="discord.ui.Item[Any]", covariant=True)
StateT = TypeVar("StateT", bound=Control)


class ControlItem(discord.ui.DynamicItem[ItemT_co], Generic[ItemT_co, StateT], template="(?!)"):
    """A control with its state in its ``custom_id``, whose work is guarded and waited for when the bot closes.

    A subclass names the ids that are its own: ``class Open(ControlItem[Button[Any], OpenId], of=OpenId)``. The library only
    logs what its items raise, and the person would wait for ever.
    """

    is_free: ClassVar[bool] = False
    """Whether presses do not count: what takes something away or stops it must work for those who used up theirs."""

    _of: ClassVar[type[Control]]

    def __init_subclass__(cls, *, of: type[Control]) -> None:
        super().__init_subclass__(template=of.template)
        cls._of = of

    def __init__(self, state: StateT, item: discord.ui.Item[Any]) -> None:
        self.state = state
        super().__init__(cast(ItemT_co, item))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the control up again from a message, also after a restart."""
        del interaction
        return cls(cast(StateT, cls._of.of(match)), item)

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Do what the control is for. Anything may be raised."""
        raise NotImplementedError

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Do the work; a fault is logged and answered."""
        async with answering(interaction):
            await guard(interaction, self._act_if_granted(interaction))

    async def _act_if_granted(self, interaction: discord.Interaction[KibitzBot]) -> None:
        if not self.is_free:
            await grant_press(interaction)
        await self.act(interaction)
