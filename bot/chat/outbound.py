"""From replies to Discord's messages: the only sender."""

from __future__ import annotations

from io import BytesIO

import discord

from bot.answers.plain import code_block
from bot.answers.reply import TEXT_LIMIT, Reply
from bot.chat.ui.notation_menu import NotationSelect
from bot.scenes import ALT_LIMIT
from bot.text import Speaker

MAX_FILES = 10


def files_of(reply: Reply) -> list[discord.File]:
    """Make the files of a reply; each can be sent once only, so they are made for every sending."""
    pictures = [
        discord.File(
            BytesIO(image.picture.data),
            filename=image.name,
            description=image.alt[:ALT_LIMIT],
            spoiler=image.spoiler,
        )
        for image in reply.images
    ]
    texts = [
        discord.File(BytesIO(file.text.encode()), filename=file.name, spoiler=file.spoiler)
        for file in reply.files
    ]
    return (pictures + texts)[:MAX_FILES]


def view_of(reply: Reply, say: Speaker) -> discord.ui.View | None:
    """Make the controls of a reply, or None when it has none."""
    if not reply.menus:
        return None
    view = discord.ui.View(timeout=None)
    for menu in reply.menus:
        view.add_item(NotationSelect.of_menu(menu, say))
    return view


async def answer_message(message: discord.Message, reply: Reply, say: Speaker) -> discord.Message:
    """Send a reply under a message. Nobody is pinged, and a message deleted meanwhile is no fault.

    The nonce makes Discord send it once although the library repeats a request whose answer was lost.

    Raises:
        discord.HTTPException: Discord refused it, or did not take it after the library's retries.

    """
    reference = message.to_reference(fail_if_not_exists=False)
    nonce = str(message.id)
    view = view_of(reply, say)
    if not may_attach(message):
        return await message.channel.send(without_files(reply, say), reference=reference, nonce=nonce)
    if view is None:
        return await message.channel.send(reply.text, files=files_of(reply), reference=reference, nonce=nonce)
    return await message.channel.send(
        reply.text, files=files_of(reply), view=view, reference=reference, nonce=nonce
    )


async def change_answer(message: discord.Message, answer_id: int, reply: Reply, say: Speaker) -> None:
    """Make an answer that was sent say something else.

    Raises:
        discord.HTTPException: Discord refused it, or the answer is gone.

    """
    answer = message.channel.get_partial_message(answer_id)  # type: ignore[union-attr]
    if may_attach(message):
        await answer.edit(content=reply.text, attachments=files_of(reply), view=view_of(reply, say))
    else:
        await answer.edit(content=without_files(reply, say), attachments=[], view=view_of(reply, say))


async def answer_interaction(
    interaction: discord.Interaction, reply: Reply, say: Speaker, *, private: bool
) -> None:
    """Send a reply to an interaction, acknowledged or not."""
    view = view_of(reply, say) or discord.utils.MISSING
    if interaction.response.is_done():
        await interaction.followup.send(reply.text, files=files_of(reply), view=view, ephemeral=private)
    else:
        await interaction.response.send_message(
            reply.text, files=files_of(reply), view=view, ephemeral=private
        )


def may_attach(message: discord.Message) -> bool:
    """Tell whether we may send files where a message stands."""
    if message.guild is None:
        return True
    permissions = message.channel.permissions_for(message.guild.me)
    return permissions.attach_files


def without_files(reply: Reply, say: Speaker) -> str:
    """Say a reply where files may not be sent: with its pictures in words."""
    text = reply.text + "\n" + say("(I may not attach pictures here; an administrator can allow it.)")
    for image in reply.images:
        block = code_block(image.alt)
        if image.spoiler:
            block = f"||{block}||"
        if len(text) + 1 + len(block) <= TEXT_LIMIT:
            text += "\n" + block
    return text[:TEXT_LIMIT]
