"""The address by which somebody invites Kibitz to a server."""

from __future__ import annotations

from typing import Final

import discord

PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    attach_files=True,
    read_message_history=True,
    add_reactions=True,
)
"""What Kibitz needs to do all it does; it does with less, and says what is missing."""


def invitation(application_id: int) -> str:
    """Return the address for an application."""
    return discord.utils.oauth_url(
        application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )
