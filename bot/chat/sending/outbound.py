"""From replies to Discord's messages: the only sender."""

from __future__ import annotations

from io import BytesIO

import discord

from bot.chat.client import KibitzBot
from bot.chat.counts import counting_to
from bot.chat.delete import Delete
from bot.chat.ids import ids_under
from bot.chat.markdown import behind_bars, code_block, one_line
from bot.chat.permissions import may
from bot.chat.reply import MAX_TEXT, Reply
from bot.features.showing.words import MAX_ALT
from bot.text import Speaker
from bot.text.visible import sendable

MAX_FILES = 10


def files_of(reply: Reply) -> list[discord.File]:
    """Make the files of a reply; each can be sent once only, so they are made for every sending."""
    pictures = [
        discord.File(
            BytesIO(image.picture.data),
            filename=image.name,
            # Names in it must not turn the direction in which the rest is read, nor be what cannot be sent.
            description=one_line(image.alt, MAX_ALT),
            spoiler=image.spoiler,
        )
        for image in reply.images
    ]
    texts = [
        discord.File(BytesIO(sendable(file.text).encode()), filename=file.name, spoiler=file.spoiler)
        for file in reply.files
    ]
    return (pictures + texts)[:MAX_FILES]


async def answer_message(
    bot: KibitzBot, message: discord.Message, reply: Reply, say: Speaker, *, ping: int | None = None
) -> discord.Message:
    """Send a reply under a message. Nobody is pinged but ``ping``, and a message deleted meanwhile is no fault.

    The nonce makes Discord send it once although the library repeats a request whose answer was lost.

    Raises:
        discord.HTTPException: Discord refused it, or did not take it after the library's retries.

    """
    attach = may(message, "attach_files")
    view = bot.view_of(reply, say, message.author.id)
    assert view is not None  # the delete button is in it
    return await message.channel.send(
        reply.text if attach else without_files(reply, say),
        files=files_of(reply) if attach else [],
        view=view,
        reference=reference_to(message),  # type: ignore[arg-type]  # None is taken, too
        nonce=str(message.id),
        allowed_mentions=discord.AllowedMentions.none() if ping is None else _alone(ping),
    )


def _alone(user_id: int) -> discord.AllowedMentions:
    """Allow the mention of one account and of nobody else."""
    user = discord.Object(user_id)
    return discord.AllowedMentions(everyone=False, users=[user], roles=False, replied_user=False)


def reference_to(message: discord.Message) -> discord.MessageReference | None:
    """Return what makes a message a reply to this one; None where Discord would refuse it."""
    if not may(message, "read_message_history"):
        return None
    return message.to_reference(fail_if_not_exists=False)


async def change_answer(
    bot: KibitzBot, message: discord.Message, answer_id: int, reply: Reply, say: Speaker
) -> None:
    """Make an answer that was sent say something else.

    Raises:
        discord.HTTPException: Discord refused it, or the answer is gone.

    """
    answer = message.channel.get_partial_message(answer_id)  # type: ignore[union-attr]
    attach = may(message, "attach_files")
    await answer.edit(
        content=reply.text if attach else without_files(reply, say),
        attachments=files_of(reply) if attach else [],
        view=bot.view_of(reply, say, message.author.id),
    )


async def change_pressed(interaction: discord.Interaction[KibitzBot], reply: Reply, say: Speaker) -> None:
    """Make the message whose control was pressed, and which is acknowledged, say something else.

    Raises:
        discord.HTTPException: Discord refused it, or the message is gone.

    """
    message = interaction.message
    assert message is not None  # a control stands under a message
    attach = interaction.app_permissions.attach_files or interaction.guild_id is None
    with counting_to(interaction):
        await interaction.edit_original_response(
            content=reply.text if attach else without_files(reply, say),
            attachments=files_of(reply) if attach else [],
            view=interaction.client.view_of(reply, say, answered_of(message)),
        )


async def change_progress(
    interaction: discord.Interaction[KibitzBot], reply: Reply, say: Speaker, *, private: bool
) -> None:
    """Replace the progress in a message by a reply; in words where files may not be sent.

    Raises:
        discord.HTTPException: Discord refused it, or the message is gone.

    """
    view = interaction.client.view_of(reply, say, None if private else interaction.user.id)
    with counting_to(interaction):
        try:
            await interaction.edit_original_response(
                content=reply.text, attachments=files_of(reply), view=view
            )
        except discord.Forbidden:
            if not (reply.images or reply.files):
                raise
            await interaction.edit_original_response(
                content=without_files(reply, say), attachments=[], view=view
            )


def answered_of(message: discord.Message) -> int | None:
    """Return who may delete a message of ours, as its delete button names them; None when it has none."""
    return next((state.author for state, _ in ids_under(message) if isinstance(state, Delete)), None)


async def answer_interaction(
    interaction: discord.Interaction[KibitzBot], reply: Reply, say: Speaker, *, private: bool
) -> None:
    """Send a reply to an interaction, acknowledged or not; in words where files may not be sent."""
    with counting_to(interaction):
        try:
            await _send(interaction, reply.text, files_of(reply), reply, say, private=private)
        except discord.Forbidden:
            if not (reply.images or reply.files):
                raise
            await _send(interaction, without_files(reply, say), [], reply, say, private=private)


async def _send(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    files: list[discord.File],
    reply: Reply,
    say: Speaker,
    *,
    private: bool,
) -> None:
    view = interaction.client.view_of(reply, say, None if private else interaction.user.id)
    if interaction.response.is_done():
        await interaction.followup.send(
            text, files=files, view=view or discord.utils.MISSING, ephemeral=private
        )
    else:
        await interaction.response.send_message(
            text, files=files, view=view or discord.utils.MISSING, ephemeral=private
        )


def without_files(reply: Reply, say: Speaker) -> str:
    """Say a reply where files may not be sent: its pictures in words, its files as far as they fit."""
    text = reply.text
    rest = say("(The rest does not fit into a message without files.)")
    blocks = [(image.alt, image.spoiler) for image in reply.images]
    blocks += [(file.text.rstrip("\n"), file.spoiler) for file in reply.files]
    for number, (content, spoiler) in enumerate(blocks, start=1):
        block = behind_bars(code_block(content)) if spoiler else code_block(content)
        room = MAX_TEXT - (0 if number == len(blocks) else len(rest) + 1)
        if len(text) + 1 + len(block) > room:
            return f"{text}\n{rest}" if len(text) + 1 + len(rest) <= MAX_TEXT else text
        text += "\n" + block
    return text
