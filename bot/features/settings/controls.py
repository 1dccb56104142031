"""The cards of the settings, of the help and of the first word to a server, with their controls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from bot.chat.card import Card, NoAnswerError
from bot.chat.control import USER, Button, Control, Menu, Part, control
from bot.chat.markdown import escape
from bot.chat.moment import Choice
from bot.chat.preferences import Mode, ServerChoices
from bot.chat.source import Source
from bot.features.puzzles.controls import DAILIES
from bot.features.settings.choices import (
    BY_OPTION,
    BY_OPTION_FOR_PERSON,
    DEFAULT,
    FOR_PERSON,
    FOR_SERVER,
    MODE,
    Question,
    Settings,
    chosen_value,
    label_of,
    with_choice,
    with_choices,
)
from bot.features.settings.help import EXAMPLES, JOBS, MANUAL, help_text
from bot.features.showing.controls import SHOWING
from bot.text import speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot
    from bot.chat.press import Press
    from bot.chat.style import Style
    from bot.storage.dailies import DailySettings
    from bot.storage.settings import ServerSettings
    from bot.text import Speaker

MAX_CHANNELS_NAMED = 25


@control("choose:{whose}:{name}")
class Choose(Control):
    """A menu of the settings panel. It stands in a private message, so the presser opened it."""

    is_free = True

    whose: Annotated[str, Part("server|me")]
    name: Annotated[str, Part("mode|theme|layout|coordinates|language|turns")]
    chosen: str | None = None

    def face(self, say: Speaker, *, private: bool) -> Menu:
        """Return the menu, which shows what is chosen."""
        server = self.whose == "server"
        [question] = [one for one in (FOR_SERVER if server else FOR_PERSON) if one.name == self.name]
        values = [choice.value for choice in question.choices]
        if question is not MODE:
            values.append(DEFAULT)
        choices = tuple(Choice(value, label_of(question, value, say, server=server)) for value in values)
        return Menu("", choices, self.chosen or (values[0] if question is MODE else DEFAULT))

    async def act(self, press: Press) -> None:
        """Choose what was picked, and show the panel anew."""
        if self.whose == "server":
            await require_manager(press)
        await press.defer()  # the database may take longer than Discord waits for a sign
        await choose(press, {self.name: press.value}, server=self.whose == "server")
        card = await (server_panel(press) if self.whose == "server" else user_panel(press))
        await press.edit(card)


async def require_manager(press: Press) -> None:
    """Let a person change the server's settings here.

    Raises:
        NoAnswerError: that person may not, or there is no server.

    """
    say = await press.say()
    if press.guild is None:
        problem = say("There is no server here. `/settings me` is for you alone, everywhere.")
    elif press.bot.get_guild(press.guild) is None:
        problem = say("I am not a member of this server. `/settings me` is for you alone, everywhere.")
    elif not press.interaction.permissions.manage_guild:
        problem = say("Only who may manage this server can change its settings. Yours are in `/settings me`.")
    else:
        return
    raise NoAnswerError.saying(problem)


async def choose(press: Press, chosen: dict[str, str], *, server: bool) -> None:
    """Change several choices of the presser, or of the server; names are those of the settings.

    Raises:
        ValueError: a value cannot be chosen.

    """
    preferences = press.bot.preferences
    if server:
        assert press.guild is not None  # looked at before
        await preferences.choose_for_server(press.guild, lambda settings: with_choices(settings, chosen))
    else:
        await preferences.choose_for_user(press.user, lambda settings: with_choices(settings, chosen))


async def user_panel(press: Press) -> Card:
    """Return the panel of a person's settings: the menus show what is chosen, the text what they cannot show."""
    settings, say = await press.bot.preferences.user(press.user), await press.say()
    lines = [
        say("**Your settings**, for what only you see and for direct messages:"),
        _lexicon(settings, say),
        *_by_option(BY_OPTION_FOR_PERSON, settings, say, server=False),
    ]
    return Card("\n".join(lines), controls=_menus(FOR_PERSON, settings, "me"))


async def server_panel(press: Press) -> Card:
    """Return the panel of the server's settings, as :func:`user_panel`."""
    assert press.guild is not None  # looked at before
    choices, say = await press.bot.preferences.server(press.guild), await press.say()
    dailies = press.find(DAILIES)
    daily = await dailies.store.daily_settings(press.guild) if dailies is not None else None
    lines = [
        say("**This server's settings**, for what everybody sees:"),
        _lexicon(choices.settings, say),
        *_aliases(choices.settings, say),
        *_by_option(BY_OPTION, choices.settings, say, server=True),
        *_channel_lines(choices, say),
        f"- {daily_words(daily, say)} ({press.bot.mention('settings daily')})",
    ]
    return Card("\n".join(lines), controls=_menus(FOR_SERVER, choices.settings, "server"))


def _menus(questions: tuple[Question, ...], settings: Settings, whose: str) -> tuple[Choose, ...]:
    return tuple(
        Choose(whose, question.name, chosen_value(settings, question.name)) for question in questions
    )


def daily_words(chosen: DailySettings | None, say: Speaker) -> str:
    """Say where and when a server gets its daily."""
    if chosen is None:
        return say("Daily puzzle: none")
    return say(
        "Daily puzzle: in {channel}, at {hour}, {zone}",
        channel=f"<#{chosen.channel_id}>",
        hour=f"{chosen.hour}:00",
        zone=escape(chosen.zone),
    )


def _lexicon(settings: Settings, say: Speaker) -> str:
    if settings.lexicon is None:
        return "- " + say("Lexicon: only what a position names (choose one with the option `lexicon`)")
    return "- " + say("Lexicon where a position names none: {lexicon}", lexicon=escape(settings.lexicon))


def _aliases(settings: ServerSettings, say: Speaker) -> list[str]:
    if settings.aliases is None:
        return []
    return ["- " + say("For lexica that are not here: {aliases}", aliases=escape(settings.aliases, 1_000))]


def _by_option(
    questions: tuple[Question, ...], settings: Settings, say: Speaker, *, server: bool
) -> list[str]:
    """Say what is chosen that has no menu."""
    return [
        "- "
        + label_of(question, chosen_value(settings, question.name), say, server=server)
        + f" (`{question.name}`)"
        for question in questions
    ]


def _channel_lines(choices: ServerChoices, say: Speaker) -> list[str]:
    """Name the channels with a mode of their own."""
    named = choices.modes[:MAX_CHANNELS_NAMED]
    lines = [f"- <#{channel_id}>: {label_of(MODE, mode, say, server=True)}" for channel_id, mode in named]
    if more := len(choices.modes) - len(named):
        lines.append("- " + say.count("{number} more channel", "{number} more channels", more))
    if not lines:
        return ["- " + say("Every channel alike (give the options `mode` and `channel` for one channel)")]
    return lines


@control("example:{name}")
class Example(Control):
    """Shows one of the examples under the help; one of an earlier version may be gone."""

    name: Annotated[str, Part("[a-z-]{1,20}")]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say(EXAMPLES[self.name][0]))

    async def act(self, press: Press) -> None:
        """Show what the example looks like, and what to paste for it."""
        await press.grant()
        _, text = EXAMPLES.get(self.name, EXAMPLES["cgp"])

        async def answer(style: Style) -> Card:
            reply = await press.bot.service[SHOWING].show(Source(text), style)
            assert reply is not None  # a source that asks is always answered
            return reply

        await press.private(answer)


@control("help:{page}")
class HelpPage(Control):
    """Turns the help to a page."""

    is_free = True

    page: Annotated[str, Part("jobs|manual")]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("Back") if self.page == JOBS else say("Manual"))

    async def act(self, press: Press) -> None:
        """Show the page in the place of the other."""
        await press.defer()
        await press.edit(help_card(self.page, press.bot, await press.say()))


def help_card(page: str, bot: KibitzBot, say: Speaker) -> Card:
    """Return a page of the help with its controls."""
    text = help_text(page, bot.mention, say, links=bot.service[SHOWING].links.are_opened)
    if page == MANUAL:
        return Card(text, controls=(HelpPage(JOBS),))
    return Card(text, controls=(*map(Example, EXAMPLES), HelpPage(MANUAL)))


@control("meet:{guild}:{mode}")
class Meet(Control):
    """Chooses how positions are met in a server, under the first word to it; it may stand in a direct message."""

    is_free = True

    guild: Annotated[int, USER]
    mode: Annotated[str, Part("auto|on_request")]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(
            say("Only on request (🔍)") if self.mode == Mode.ON_REQUEST else say("Answer every position")
        )

    async def act(self, press: Press) -> None:
        """Choose the mode, and say so in the message."""
        guild, mode = press.bot.get_guild(self.guild), Mode(self.mode)
        await press.defer()
        if guild is None or not await press.may_manage(guild):
            say = await press.say()
            raise NoAnswerError.saying(
                say("Only who may manage this server can change its settings. Yours are in `/settings me`.")
            )
        await press.bot.preferences.choose_for_server(
            self.guild, lambda settings: with_choice(settings, "mode", mode.value)
        )
        say = speaker(guild.preferred_locale.value)
        await press.edit(welcome_card(press.bot, self.guild, guild.name, mode, say), say)


def welcome_card(bot: KibitzBot, guild: int, name: str, mode: Mode, say: Speaker) -> Card:
    """Return the first word to a server, with the button that changes from its mode to the other."""
    heard = (
        say(
            "In **{server}**, paste a position or a game as text or as a file, and I answer with the board.",
            server=escape(name, 100),
        )
        if bot.settings.discord.message_content
        else say(
            "In **{server}**, mention me with a position or a game, as text or as a file, and I answer with the board.",
            server=escape(name, 100),
        )
    )
    where = (
        say(
            "I answer in every channel where I may write; {settings} changes that, for one channel, too.",
            settings=bot.mention("settings server"),
        )
        if mode is Mode.AUTO
        else say(
            "I put a 🔍 under positions and answer when it is pressed; {settings} changes that, for one channel, too.",
            settings=bot.mention("settings server"),
        )
    )
    lines = [
        say(
            "Hello, I am Kibitz: I show positions and games of crossword games and chess, and find the best plays."
        ),
        "- " + heard + " " + say("I read CGP, GCG, Turn URLs, FEN, PGN and more."),
        "- " + say("{help} has examples to press, and tells what else I can do.", help=bot.mention("help")),
        "- " + where,
    ]
    other = Mode.ON_REQUEST if mode is Mode.AUTO else Mode.AUTO
    return Card("\n".join(lines), controls=(Meet(guild, other.value),))


@control("forget:{user}")
class Forget(Control):
    """Deletes everything that is stored about the person in its id, who alone can press it."""

    is_free = True

    user: Annotated[int, USER]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("Delete everything"), style="danger")

    async def act(self, press: Press) -> None:
        """Forget everything, and say so."""
        if press.user != self.user:
            # The button stands in a private message; only a forged request comes here.
            say = await press.say()
            await press.tell(say("This is not about you."))
            return
        await press.defer()  # the database may take longer than Discord waits for a sign
        await press.bot.preferences.forget_user(self.user)
        say = await press.say()
        text = say("Done: I keep nothing of you any more. What you post from now on is kept anew.")
        await press.edit(Card(text))
