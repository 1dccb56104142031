"""The controls under a reply, together."""

from __future__ import annotations

import discord

from bot.answers.reply import Reply
from bot.chat.controls.analysis import AnalyzeButton, ranking_controls
from bot.chat.controls.chess import panel_controls
from bot.chat.controls.delete import DeleteButton
from bot.chat.controls.game import OpenButton, controls_of
from bot.chat.controls.notations import NotationSelect
from bot.chat.controls.seats import seat_buttons
from bot.text import Speaker


def view_of(reply: Reply, say: Speaker, answered_id: int | None) -> discord.ui.View | None:
    """Make the controls of a reply, or None when it has none.

    ``answered_id`` is who may delete a public reply; None leaves the delete button away, as in private.
    """
    view = discord.ui.View(timeout=None)
    if reply.viewer is not None:
        for control in controls_of(reply.viewer, say, private=answered_id is None):
            view.add_item(control)
    if reply.panel is not None:
        for item in panel_controls(reply.panel, say, private=answered_id is None):
            view.add_item(item)
    for button in seat_buttons(reply.seats, say):
        view.add_item(button)
    for menu in reply.menus:
        view.add_item(NotationSelect.of_menu(menu, say))
    for offer in reply.offers:
        view.add_item(OpenButton.of_offer(offer, say))
    if reply.ranking is not None:
        for control in ranking_controls(reply.ranking, say):
            view.add_item(control)
    if answered_id is not None:
        view.add_item(DeleteButton.of_author(answered_id))
    if reply.analyze is not None:
        view.add_item(AnalyzeButton.of_offer(reply.analyze, say))
    return view if view.children else None
