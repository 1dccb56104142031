"""The one list of what the bot can do on Discord: its commands, its listeners and its controls."""

from __future__ import annotations

from typing import Final

from bot.chat.client import Features
from bot.chat.commands.chess import ChessCommands
from bot.chat.commands.games import Games
from bot.chat.commands.positions import Positions
from bot.chat.commands.translator import CatalogueTranslator
from bot.chat.items import FormModal, dynamic_item, view_of
from bot.chat.messages.catch_up import CatchingUp
from bot.chat.messages.listener import Listener
from bot.chat.messages.presses import Presses
from bot.chat.messages.recollection import Recollection
from bot.features.analysis.commands import Analysis, Trying
from bot.features.polls.commands import PollKeeper
from bot.features.puzzles.commands import Boards, Puzzling
from bot.features.puzzles.dailies import DailyPosts
from bot.features.review.commands import Reviewing
from bot.features.settings.about import About, Help, Privacy, Welcome
from bot.features.settings.commands import SettingsCommands

FEATURES: Final = Features(
    cogs=(
        Positions,
        Games,
        SettingsCommands,
        Help,
        About,
        Privacy,
        Analysis,
        Trying,
        Reviewing,
        Puzzling,
        Boards,
        ChessCommands,
        Recollection,
        Listener,
        Presses,
        CatchingUp,
        PollKeeper,
        Welcome,
        DailyPosts,
    ),
    controls=(dynamic_item(),),
    view_of=view_of,
    modal_of=FormModal,
    translator=CatalogueTranslator,
)
