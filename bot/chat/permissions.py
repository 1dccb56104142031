"""What we may do where a message stands, as far as Discord has sent it."""

from __future__ import annotations

import discord


def may(message: discord.Message, *names: str) -> bool:
    """Tell whether we have all these permissions where a message stands; what we cannot know is tried.

    Names are those of :class:`discord.Permissions`. Outside servers nothing is withheld.
    """
    if message.guild is None or isinstance(message.channel, discord.PartialMessageable):
        return True
    try:
        permissions = message.channel.permissions_for(message.guild.me)
    except discord.ClientException:  # a thread whose parent is not known
        return True
    return all(getattr(permissions, name) for name in names)


def sending_permission(message: discord.Message) -> str:
    """Return the permission that sending where a message stands needs."""
    return "send_messages_in_threads" if isinstance(message.channel, discord.Thread) else "send_messages"


def may_send(message: discord.Message) -> bool:
    """Tell whether we may answer where a message stands."""
    return may(message, "view_channel", sending_permission(message))


def is_moderator(permissions: discord.Permissions) -> bool:
    """Tell whether somebody with these permissions may take away what others posted."""
    return permissions.manage_messages
