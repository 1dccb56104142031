"""The permissions of the bot in the channel of a message."""

from __future__ import annotations

import discord


def may(message: discord.Message, *names: str) -> bool:
    """Return whether the bot has all these permissions in the channel of a message; True if they are unknown.

    Names are those of :class:`discord.Permissions`. Outside servers all are granted.
    """
    if message.guild is None or isinstance(message.channel, discord.PartialMessageable):
        return True
    try:
        permissions = message.channel.permissions_for(message.guild.me)
    except discord.ClientException:  # a thread whose parent is not known
        return True
    return all(getattr(permissions, name) for name in names)


def sending_permission(message: discord.Message) -> str:
    """Return the permission needed to send in the channel of a message."""
    return "send_messages_in_threads" if isinstance(message.channel, discord.Thread) else "send_messages"


def may_send(message: discord.Message) -> bool:
    """Return whether the bot may send in the channel of a message."""
    return may(message, "view_channel", sending_permission(message))


def may_post(channel: discord.abc.GuildChannel) -> bool:
    """Return whether the bot may send in a channel of a server."""
    permissions = channel.permissions_for(channel.guild.me)
    return permissions.view_channel and permissions.send_messages


def is_moderator(permissions: discord.Permissions) -> bool:
    """Return whether these permissions allow deleting messages of others."""
    return permissions.manage_messages
