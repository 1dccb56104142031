"""The controls under a reply, together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

import discord

from bot.chat.control import Control as Pressable
from bot.chat.controls.chess import book_controls
from bot.chat.controls.linked import LinkedSelect
from bot.chat.controls.notations import NotationSelect
from bot.chat.controls.replay import replay_controls
from bot.chat.controls.sight import sight_buttons
from bot.chat.controls.viewer import OpenButton, copy_control, viewer_controls
from bot.chat.delete import Delete
from bot.chat.items import item_of
from bot.chat.offers import (
    BookPanel,
    CopyMenu,
    CopyOffer,
    LinkedGames,
    NotationMenu,
    Offer,
    ReplayPanel,
    SightPanel,
    TurnOffer,
    Viewer,
)
from bot.chat.reply import Reply
from bot.text import Speaker


def view_of(reply: Reply, say: Speaker, answered_id: int | None) -> discord.ui.View | None:
    """Make the controls of a reply, or None when it has none.

    ``answered_id`` is who may delete a public reply; None leaves the delete button away, as in private.
    """
    private = answered_id is None
    items: list[discord.ui.Item[Any]] = []
    for control in reply.controls:
        if not isinstance(control, Pressable):
            items += _items(control, say, private=private)
        elif (item := item_of(control, say, private=private)) is not None:
            items.append(item)
    if answered_id is not None:
        items += filter(None, [item_of(Delete(answered_id), say, private=False)])
    view = discord.ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    return view if items else None


def _items(control: Offer, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    match control:
        case Viewer():
            yield from viewer_controls(control, say, private=private)
        case BookPanel():
            yield from book_controls(control, say)
        case SightPanel():
            yield from sight_buttons(control, say)
        case CopyOffer() | CopyMenu():
            yield copy_control(control, say)
        case ReplayPanel():
            yield from replay_controls(control, say, private=private)
        case _:
            yield _one(control, say)


def _one(
    offer: NotationMenu | LinkedGames | TurnOffer,
    say: Speaker,
) -> discord.ui.Item[Any]:
    match offer:
        case NotationMenu():
            return NotationSelect.of_menu(offer, say)
        case LinkedGames():
            return LinkedSelect.of_games(offer, say)
        case TurnOffer():
            return OpenButton.of_turn(offer, say)
        case _:
            assert_never(offer)
