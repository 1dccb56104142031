"""The help: three jobs with examples to press, and behind a button the manual."""

from __future__ import annotations

from typing import Any, Final, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.example import ExampleButton
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import HelpId
from bot.chat.mentions import CommandMentions
from bot.chat.styling import speaker_to
from bot.text import Speaker

JOBS: Final = "jobs"
MANUAL: Final = "manual"


class HelpButton(ControlItem[discord.ui.Button[Any], HelpId], of=HelpId):
    """Turns the page."""

    is_free = True

    @classmethod
    def to_page(cls, page: str, label: str) -> Self:
        """Make the button that leads to a page."""
        state = HelpId(page)
        return cls(state, discord.ui.Button(label=label, custom_id=state.write(), row=2))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Show the page in the place of the other."""
        say = await speaker_to(interaction)
        bot = interaction.client
        text, view = help_page(self.state.page, bot.mention, say, links=bot.service.links.are_opened)
        await interaction.response.edit_message(content=text, view=view)


def help_page(
    page: str, mention: CommandMentions, say: Speaker, *, links: bool
) -> tuple[str, discord.ui.View]:
    """Return a page of the help with its controls; ``links`` tells whether links to games are opened."""
    view = discord.ui.View(timeout=None)
    if page == MANUAL:
        view.add_item(HelpButton.to_page(JOBS, say("Back")))
        return _manual(mention, say, links=links), view
    for button in ExampleButton.all(say):
        view.add_item(button)
    view.add_item(HelpButton.to_page(MANUAL, say("Manual")))
    return _jobs(mention, say), view


def _jobs(mention: CommandMentions, say: Speaker) -> str:
    """Say what people come for."""
    return "\n".join(
        [
            "## " + say("See a position"),
            say(
                "Post a position or a game in any notation, as text or as a file: I answer with the board."
                " {show} shows it to you alone if you like, {convert} gives it in another notation.",
                show=mention("show"),
                convert=mention("convert"),
            ),
            "## " + say("Find the best play"),
            say(
                "Press **Analyze** under a board, or use {analyze}. **What if …** and {attempt} show what another play would"
                " come to. {check} tells whether words are valid.",
                analyze=mention("analyze"),
                attempt=mention("try"),
                check=mention("check"),
            ),
            "## " + say("Follow a game"),
            say(
                "Post each Turn URL of your game in one channel, and the board goes on there; {game} shows it again."
                " A finished game (GCG, PGN) opens with buttons to step through it.",
                game=mention("game show"),
            ),
            "\n" + say("**Try one:**"),
        ]
    )


def _manual(mention: CommandMentions, say: Speaker, *, links: bool) -> str:
    """Say what else there is, shortly."""
    opened = say("Links to games on woogles, cross-tables and lichess open here, at the turn that they name.")
    lines = [
        *([opened] if links else []),
        say("Edit or delete your message, and my answer follows. 🗑 takes it away."),
        say("Behind `||spoiler bars||` the picture is hidden, too."),
        say("❓ under a message: something in it is broken. Press it, and I say what and where."),
        say(
            "Somebody else's position: reply to it and mention me; with the word *analyze*, I tell the best plays."
        ),
        say(
            "In every server and conversation, also without me in it: the message menu **Apps** has"
            " **Show position**, **Convert position**, **Open game** and **Analyze position**."
        ),
        say(
            "Games: {open} opens one for you alone. Of live games, {list} names those of a channel, {seats} says who"
            " plays.",
            open=mention("game open"),
            list=mention("game list"),
            seats=mention("game seats"),
        ),
        say(
            "Words: {check}, {hooks} and {anagram}. Chess openings: {book}.",
            check=mention("check"),
            hooks=mention("hooks"),
            anagram=mention("anagram"),
            book=mention("book"),
        ),
        say("**Ask others** under a board: everybody says in secret what to play, then all is revealed."),
        say("{puzzle} sets a puzzle about as hard as you are strong.", puzzle=mention("puzzle")),
        say(
            "The daily puzzle: {daily} gives a server one, {board} ranks who solves it, {stats} tells how you do.",
            daily=mention("settings daily"),
            board=mention("leaderboard"),
            stats=mention("stats"),
        ),
        say(
            "{me} for your own look and language, {server} for everybody's.",
            me=mention("settings me"),
            server=mention("settings server"),
        ),
        say(
            "{privacy} for what I keep of you, and {delete} to have it deleted; {about} for the rest.",
            privacy=mention("privacy show"),
            delete=mention("privacy delete"),
            about=mention("about"),
        ),
    ]
    return "\n".join(["## " + say("Manual"), *(f"- {line}" for line in lines)])
