"""The help, the welcome message, and the button that deletes a user's data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import Card
from bot.chat.control import SNOWFLAKE, Button, Control, IdPart, control
from bot.chat.markdown import escape
from bot.chat.preferences import Mode
from bot.chat.source import Source
from bot.domain.reading.problems import Phrase
from bot.features.settings.choices import with_choices
from bot.features.showing.controls import PRESENTER
from bot.text import Translator, translator

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot
    from bot.chat.press import Press

FIRST_PAGE: Final = "jobs"
MANUAL: Final = "manual"

EXAMPLES: Final[dict[str, tuple[str, str]]] = {
    "cgp": (
        Phrase("Position (CGP)"),
        (
            "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/1N1O1D2N2Y3/"
            "1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex OSPD1;"
        ),
    ),
    "gcg": (
        Phrase("Game (GCG)"),
        """#player1 alice Alice
#player2 bob Bob
#lexicon CSW21
>alice: AEINRST 8D NASTIER +66 66
#note RETAINS scores the same.
>bob: ABEGIOU 9C BOGIE +22 22
>alice: DEILOQU 10B QI +35 101
>bob: AAEIOUU -AIUU +0 22
>alice: ADELOTU B10 .UOTED +32 133
""",
    ),
    "link": (
        Phrase("Game link (Turn URL)"),
        "https://example.org/#gid=g1&v=1&bag=en&seed=g1&tn=1&wl=6.7&wv=EAI&wl=7.7&wh=AEETEBI",
    ),
    "board": (
        Phrase("Board as text"),
        """   A B C D E F G H I J K L M N O
 1 . . . . . . . . . . . . . . .
 2 . . . . . . . . . . . . . . .
 3 . . . . . . . . . . . . . . .
 4 . . . . . . . . . . . . . . .
 5 . . . . . . . . . . . . . . .
 6 . . . . . . . . . . . . . . .
 7 . . . . . . . . . . . . . . .
 8 . . . N A S T I E R . . . . .
 9 . . B O G I E . . . . . . . .
10 . Q I . . . . . . . . . . . .
11 . . . . . . . . . . . . . . .
12 . . . . . . . . . . . . . . .
13 . . . . . . . . . . . . . . .
14 . . . . . . . . . . . . . . .
15 . . . . . . . . . . . . . . .
""",
    ),
    "fen": (
        Phrase("Chess position (FEN)"),
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    ),
    "pgn": (
        Phrase("Chess game (PGN)"),
        """[White "Alice"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 {Aims at f7.} Nf6 4. Qxf7# 1-0
""",
    ),
}
"""Titles and texts, by the name in the control's id."""


def _first_page(mention: Callable[[str], str], translate: Translator) -> str:
    return "\n".join(
        [
            "## " + translate("See a position"),
            translate(
                "Post a position or a game in any notation, as text or as a file. Kibitz replies with the board. "
                "{show} can show it to you privately, and {convert} writes it in another notation.",
                show=mention("show"),
                convert=mention("convert"),
            ),
            "## " + translate("Find the best play"),
            translate(
                "Press **Analyze** under a board, or use {analyze}. **What if …** and {attempt} evaluate another "
                "play. {check} looks up words.",
                analyze=mention("analyze"),
                attempt=mention("try"),
                check=mention("check"),
            ),
            "## " + translate("Follow a game"),
            translate(
                "Post each Turn URL of your game in one channel, and the board is updated with each link. {game} "
                "shows it again. A finished game (GCG, PGN) opens with buttons to step through it.",
                game=mention("game show"),
            ),
            "\n" + translate("**Try an example:**"),
        ]
    )


def _manual_page(mention: Callable[[str], str], translate: Translator, *, are_links_enabled: bool) -> str:
    links_line = translate(
        "Links to games on woogles, cross-tables and lichess open at the turn in the link."
    )
    lines = [
        *([links_line] if are_links_enabled else []),
        translate(
            "If you edit or delete your message, the reply is updated or deleted too. *Delete* under *More* "
            "deletes only the reply."
        ),
        translate("Put a position behind `||spoiler bars||` to hide the picture as well."),
        translate(
            "A ❓ under a message marks a position that can't be read. Press it to see what is wrong, and where."
        ),
        translate(
            "To show another person's position, reply to it and mention Kibitz. Add the word "
            "*analyze* for the best plays."
        ),
        translate(
            "In any server or conversation, even where Kibitz isn't a member, the message menu **Apps** has **Show "
            "position**, **Convert position**, **Open game** and **Analyze position**."
        ),
        translate(
            "Games: {open} opens a game that only you see. {list} lists the live games of a channel, and {seats} "
            "lets players take their seats.",
            open=mention("game open"),
            list=mention("game list"),
            seats=mention("game seats"),
        ),
        translate(
            "Words: {check}, {hooks} and {anagram}. Chess openings: {book}.",
            check=mention("check"),
            hooks=mention("hooks"),
            anagram=mention("anagram"),
            book=mention("book"),
        ),
        translate("**Ask others** under a board collects secret plays and reveals them all at once."),
        translate("{puzzle} gives you a puzzle near your rating.", puzzle=mention("puzzle")),
        translate(
            "Daily puzzle: {daily} sets it up, {board} shows the leaderboard, and {stats} shows your results.",
            daily=mention("settings daily"),
            board=mention("leaderboard"),
            stats=mention("stats"),
        ),
        translate(
            "{me} sets the appearance and language of private replies to you. {server} sets those of public replies.",
            me=mention("settings me"),
            server=mention("settings server"),
        ),
        translate(
            "{privacy} shows your stored data, and {delete} deletes it. {about} shows the version and source code.",
            privacy=mention("privacy show"),
            delete=mention("privacy delete"),
            about=mention("about"),
        ),
    ]
    return "\n".join(["## " + translate("Manual"), *(f"- {line}" for line in lines)])


@control("example:{name}")
class ShowExample(Control):
    """Shows an example from the help. An example in an old message may no longer exist."""

    name: Annotated[str, IdPart("[a-z-]{1,20}")]

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(translate(EXAMPLES[self.name][0]))

    async def act(self, press: Press) -> None:
        await press.count_request()
        _, text = EXAMPLES.get(self.name, EXAMPLES["cgp"])
        presenter = press.bot.services[PRESENTER]
        await press.reply_privately(lambda context: presenter.show(Source(text), context))


@control("help:{page}")
class HelpPage(Control):
    """Shows another page of the help."""

    is_unlimited = True

    page: Annotated[str, IdPart("jobs|manual")]

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(translate("Back") if self.page == FIRST_PAGE else translate("Manual"))

    async def act(self, press: Press) -> None:
        await press.defer()
        await press.edit(help_card(self.page, press.bot, await press.translator()))


def help_card(page: str, bot: KibitzBot, translate: Translator) -> Card:
    if page == MANUAL:
        return Card(
            _manual_page(bot.mention, translate, are_links_enabled=bot.services[PRESENTER].links.are_enabled),
            controls=(HelpPage(FIRST_PAGE),),
            accent="settings",
        )
    return Card(
        _first_page(bot.mention, translate),
        controls=(*map(ShowExample, EXAMPLES), HelpPage(MANUAL)),
        accent="settings",
    )


@control("meet:{guild_id}:{mode}")
class ChooseWelcomeMode(Control):
    """Changes the server's mode. The button's id contains the server's id, because the welcome message may be a direct message."""

    is_unlimited = True

    guild_id: Annotated[int, SNOWFLAKE]
    mode: Annotated[str, IdPart("auto|on_request")]

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(
            translate("Only on request (🔍)")
            if self.mode == Mode.ON_REQUEST
            else translate("Reply to every position")
        )

    async def act(self, press: Press) -> None:
        guild, mode = press.bot.get_guild(self.guild_id), Mode(self.mode)
        await press.defer()
        if guild is None or not await press.may_manage(guild):
            raise await press.refusal(
                Phrase(
                    "Changing a server's settings requires the Manage Server permission. Your own settings are in "
                    "`/settings me`."
                )
            )
        await press.bot.preferences.change_server_settings(
            self.guild_id, lambda settings: with_choices(settings, {"mode": mode.value})
        )
        translate = translator(guild.preferred_locale.value)
        await press.edit(welcome_card(press.bot, self.guild_id, guild.name, mode, translate), translate)


def welcome_card(bot: KibitzBot, guild_id: int, guild_name: str, mode: Mode, translate: Translator) -> Card:
    how_to_post = (
        translate(
            "In **{server}**, paste a position or a game as text or as a file. Kibitz replies with the board.",
            server=escape(guild_name, 100),
        )
        if bot.settings.discord.message_content
        else translate(
            "In **{server}**, mention Kibitz with a position or a game, as text or as a file. It replies with the "
            "board.",
            server=escape(guild_name, 100),
        )
    )
    settings = bot.mention("settings server")
    if mode is Mode.AUTO:
        mode_line = translate(
            "Kibitz replies in every channel that it can write in. {settings} changes that for the server or for a "
            "single channel.",
            settings=settings,
        )
    elif mode is Mode.ON_REQUEST:
        mode_line = translate(
            "Kibitz puts a 🔍 under positions, and replies when you press it. {settings} changes that for the "
            "server or for a single channel.",
            settings=settings,
        )
    else:
        mode_line = translate("{settings} controls where and when Kibitz replies.", settings=settings)
    lines = [
        translate("Hello! Kibitz shows crossword and chess positions and games, and finds the best plays."),
        "- " + how_to_post + " " + translate("It reads CGP, GCG, Turn URLs, FEN, PGN and more."),
        "- " + translate("{help} has examples to try, and the manual.", help=bot.mention("help")),
        "- " + mode_line,
    ]
    other_mode = Mode.ON_REQUEST if mode is Mode.AUTO else Mode.AUTO
    return Card(
        "\n".join(lines), controls=(ChooseWelcomeMode(guild_id, other_mode.value),), accent="settings"
    )


@control("forget:{owner_id}")
class DeleteData(Control):
    """Deletes everything that is stored about a user. Only this user may press it."""

    is_unlimited = True

    owner_id: Annotated[int, SNOWFLAKE]

    button = Button(Phrase("Delete everything"), style="danger")

    async def act(self, press: Press) -> None:
        if press.user_id != self.owner_id:
            # Only this user sees the button, in a private message. Another user's press is a forged request.
            translate = await press.translator()
            await press.send_text(translate("This button belongs to another person."))
            return
        await press.defer()  # the database may take longer than Discord waits for an acknowledgement
        await press.bot.preferences.forget_user(self.owner_id)
        translate = await press.translator()
        await press.edit(
            Card(
                translate(
                    "Done: all your stored data is deleted. Positions and games that you post from now on will be "
                    "stored."
                ),
                accent="settings",
            )
        )
