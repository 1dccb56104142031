"""The controls of reviews and lessons."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import (
    Card,
    Choice,
    Moment,
    RefusalError,
    ReplyContext,
    menu_window,
    with_paging,
)
from bot.chat.control import (
    OPTIONAL_LEXICON,
    Button,
    Control,
    IdPart,
    LexiconName,
    Menu,
    MomentControl,
    ServiceKey,
    control,
    number_part,
)
from bot.chat.layout import MAX_BUTTON_LABEL_LENGTH
from bot.chat.markdown import one_line
from bot.features.analysis.controls import play_form
from bot.features.review.values import MAX_LESSON_TURNS, Depth, ReviewQuery, UserGamesRequest
from bot.features.showing.controls import AROUND_PREFIX
from bot.storage.user_games import MAX_USER_GAMES

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.chat.sending import Responder
    from bot.features.review.lessons import LessonService
    from bot.features.review.own_games import UserGameService
    from bot.features.review.service import ReviewService
    from bot.text import Translator

REVIEWS: ServiceKey[ReviewService] = ServiceKey("reviews")
LESSONS: ServiceKey[LessonService] = ServiceKey("lessons")
USER_GAMES: ServiceKey[UserGameService] = ServiceKey("user_games")

_CURVE_EMOJI: Final = "\N{CHART WITH UPWARDS TREND}"
_NONE: Final = "none"

_Depth = Annotated[Depth, IdPart("quick|deep", Depth)]
_DEEP_BY_DEFAULT: Final = IdPart(
    "(?::quick)?",
    lambda text: Depth(text[1:] or Depth.DEEP),
    lambda depth: "" if depth is Depth.DEEP else f":{depth}",
)
"""Ids leave out the default depth, which is deep."""


@control("review:{moment}:{depth}{lexicon}")
class ReviewGame(MomentControl):
    """Reviews a game."""

    depth: _Depth = Depth.QUICK
    lexicon: Annotated[str, OPTIONAL_LEXICON] = ""
    """If empty, the game's lexicon or a preferred lexicon is used."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(translate("Deeper") if self.depth is Depth.DEEP else translate("Review"), _CURVE_EMOJI)

    async def act(self, press: Press) -> None:
        query = ReviewQuery(self.moment, await press.context(private=True), self.lexicon, self.depth)
        await review_publicly_if_own(press, press.responder(private=False), query)


async def review_publicly_if_own(press: Press, responder: Responder, query: ReviewQuery) -> None:
    """Review a game.

    The review is public if public replies are allowed here, and the user posted the game, played in it, or had the bot show
    it.
    """

    async def claim_public_reply_if_own() -> bool:
        is_poster = press.user_id in {press.message.author.id, press.owner_id}
        if is_poster or await press.bot.services[REVIEWS].seat_of(query, press.names) is not None:
            return press.claim_public_reply()
        return False

    if await responder.await_or_acknowledge(claim_public_reply_if_own()):
        query = replace(query, context=await press.context(private=False))
    else:
        responder = responder.in_private()
    await send_review(press, responder, query)


async def send_review(press: Press, responder: Responder, query: ReviewQuery) -> None:
    reviews = press.bot.services[REVIEWS]
    if saved_review := await responder.await_or_acknowledge(reviews.find_review(query)):
        await responder.send(await reviews.draw(saved_review))
        return
    work = await reviews.start(query, press.requester)
    await responder.watch(
        press.await_long_task(work, query.context.translate),
        restart=ReviewGame(query.moment, query.depth, query.lexicon),
    )


async def send_reviews(
    press: Press, responder: Responder, queries: Sequence[ReviewQuery], left_out_document_count: int = 0
) -> None:
    work = press.bot.services[REVIEWS].start_all(
        queries, press.requester, left_out_document_count=left_out_document_count
    )
    await responder.watch(press.await_long_task(work, queries[0].context.translate))


@dataclass(frozen=True, slots=True)
class _ReviewControl(MomentControl):
    depth: _Depth
    lexicon: LexiconName
    """Empty for chess."""

    def query(self, context: ReplyContext) -> ReviewQuery:
        return ReviewQuery(self.moment, context, self.lexicon, self.depth)


@control("judged:{moment}:{depth}:{lexicon}:{target}")
class JudgedTurnButton(_ReviewControl):
    """Shows a reviewed turn: a key turn privately, other turns in the same message."""

    target: Annotated[str, IdPart("[kpn]")]
    """``k``: a key turn; ``p``: the previous turn; ``n``: the next turn."""
    disabled: bool = False

    def face(self, translate: Translator, *, private: bool) -> Button:
        if self.target == "k":
            return Button(translate("Turn {turn}", turn=self.moment.turn))
        arrow = (
            "\N{BLACK LEFT-POINTING TRIANGLE}" if self.target == "p" else "\N{BLACK RIGHT-POINTING TRIANGLE}"
        )
        return Button(emoji=f"{arrow}\ufe0f", disabled=self.disabled)

    async def act(self, press: Press) -> None:
        send = press.reply_privately if self.target == "k" else press.replace_card
        await send(lambda context: press.bot.services[REVIEWS].make_turn_card(self.query(context)))


@control("judgements:{moment}:{depth}:{lexicon}")
class JudgedTurnMenu(_ReviewControl):
    """The menu of a review's turns. On the whole game's card, the moment's turn is 0."""

    choices: tuple[Choice, ...] = ()
    """The choices in order, with the turn numbers as values."""
    centre_turn: int = 0

    def face(self, translate: Translator, *, private: bool) -> Menu:
        numbers = [int(choice.value) for choice in self.choices]
        indices, earlier, later = menu_window(len(numbers), bisect_left(numbers, self.centre_turn))
        earlier_turn, later_turn = (
            None if index is None else numbers[min(index, len(numbers) - 1)] for index in (earlier, later)
        )
        choices = tuple(self.choices[index] for index in indices)
        choices = with_paging(choices, AROUND_PREFIX, earlier_turn, later_turn, translate)
        return Menu(translate("All turns"), choices, str(self.moment.turn))

    async def act(self, press: Press) -> None:
        reviews, turn = press.bot.services[REVIEWS], self.moment.turn
        if press.value.startswith(AROUND_PREFIX):
            centre_turn = int(press.value.removeprefix(AROUND_PREFIX))
            show = reviews.make_turn_card if turn else reviews.card
            await press.replace_card(lambda context: show(self.query(context), centre_turn=centre_turn))
            return
        moment = replace(self.moment, turn=int(press.value))
        send = press.replace_card if turn else press.reply_privately
        await send(lambda context: reviews.make_turn_card(replace(self.query(context), moment=moment)))


@control("share:{content}:{moment}:{depth}:{lexicon}")
class ShareReview(_ReviewControl):
    """Posts a review to the channel, as a card or as one emoji for each turn."""

    content: Annotated[str, IdPart("squares|card")]

    def face(self, translate: Translator, *, private: bool) -> Button | None:
        if self.content == "squares":
            return Button(translate("Share"), "\N{LARGE GREEN SQUARE}")
        return Button(translate("Post to channel"), "\N{PUBLIC ADDRESS LOUDSPEAKER}") if private else None

    async def act(self, press: Press) -> None:
        reviews = press.bot.services[REVIEWS]
        show = reviews.make_symbols_card if self.content == "squares" else reviews.card
        await press.post(
            lambda context: show(replace(self.query(context), poster=press.display_name)),
            lambda other: isinstance(other, ShareReview) and other.content == self.content,
            variant=self.content,
        )


@control("learn:{action}:{moment}:{depth}:{lexicon}:{marks}{is_own_puzzle}")
class LessonButton(_ReviewControl):
    """Starts or continues a lesson.

    ``moment`` holds the learner's seat, if known, and the turn that the control leads to. The turn is 0 for the summary and when
    ``action`` is ``w`` or ``c``.
    """

    action: Annotated[str, IdPart("[wcahspn]")]
    """``w``: start; ``c``: choose the player; ``a``, ``h``, ``s``: answer, hint, solution; ``p``, ``n``: previous, next turn."""
    marks: Annotated[str, IdPart(rf"[0-4shx]{{0,{MAX_LESSON_TURNS}}}")] = ""
    """The marks of the lesson's turns (see :mod:`bot.features.review.lessons`), without trailing zeros."""
    is_own_puzzle: Annotated[bool, IdPart("(?::o)?", bool, lambda is_own: ":o" if is_own else "")] = False
    """Whether the turn is a puzzle from one of the user's own games."""
    player: str = ""
    """The label of a ``c`` button: a player's name and number of mistakes, or empty for *Start over*."""
    shown_turn: int = 0
    """The turn shown above the control."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        labels_and_emojis = {
            "w": (translate("Learn"), "\N{GRADUATION CAP}"),
            "a": (translate("Answer"), "\N{PENCIL}\ufe0f"),
            "h": (translate("Hint"), "\N{ELECTRIC LIGHT BULB}"),
            "s": (translate("Solution"), "\N{EYES}"),
            "p": (translate("Back"), ""),
            "n": (translate("Next") if self.moment.turn else translate("End"), ""),
            "c": (one_line(self.player or translate("Start over"), MAX_BUTTON_LABEL_LENGTH), ""),
        }
        return Button(*labels_and_emojis[self.action])

    async def act(self, press: Press) -> None:
        match self.action:
            case "w":
                await press.reply_privately(
                    lambda context: press.bot.services[LESSONS].show_first_turn(
                        self.query(context), press.names
                    )
                )
            case "a":
                translate = await press.translator()
                examples = "8H QUIZ, H8 Q.IZ, -ABC, pass, Nf3, e2e4 …"
                await press.open_form(
                    play_form(translate("What is better?"), self._submit, translate, examples)
                )
            case _:
                await press.replace_card(lambda context: self._make_step_card(press, context))

    async def _make_step_card(self, press: Press, context: ReplyContext) -> Card:
        lessons, query = press.bot.services[LESSONS], self.query(context)
        if self.action == "c":
            card = await lessons.show_first_turn(query)
        else:
            card = await lessons.show(query, self.marks, self.action if self.action in "hs" else "")
        return await self._make_puzzle_card_if_own(press, card)

    async def _submit(self, press: Press, values: Mapping[str, str]) -> None:
        lessons = press.bot.services[LESSONS]

        async def make_card(context: ReplyContext) -> Card:
            query = self.query(context)
            reply = await lessons.answer(query, self.marks, values["play"], press.requester)
            if not isinstance(reply, Card):
                reply = await press.await_long_task(reply, context.translate)
                if not reply.has_result:
                    # The progress bar has replaced the turn in the message, so show the turn again.
                    await press.send_text(reply.text)
                    reply = await lessons.show(query, self.marks)
            return await self._make_puzzle_card_if_own(press, reply)

        # If the bot restarts, *Ask again* shows the turn again.
        await press.save_unfinished(replace(self, action="p"), in_place=True)
        await press.replace_card(make_card)

    async def _make_puzzle_card_if_own(self, press: Press, reply: Card) -> Card:
        make_puzzle_card = press.bot.services[LESSONS].make_puzzle_card
        if not self.is_own_puzzle or make_puzzle_card is None:
            return reply
        return await make_puzzle_card(press.user_id, reply)


def encode_query(query: ReviewQuery) -> str:
    visibility = "s" if query.moment.spoiler else "o"
    return f"{query.moment.digest}:{query.depth}:{visibility}:{query.lexicon}"


def decode_query(value: str, context: ReplyContext) -> ReviewQuery:
    digest, depth, visibility, lexicon = value.split(":")
    return ReviewQuery(Moment(digest, 0, spoiler=visibility == "s"), context, lexicon, Depth(depth))


@dataclass(frozen=True, slots=True)
class _GamesControl(Control):
    max_own_games: Annotated[int, number_part(2)]
    """Maximum number of the user's latest games, or 0 for games from a message or file."""
    lexicon: LexiconName
    """If empty, each game's lexicon or a preferred lexicon is used."""


@control("reviews:{max_own_games}:{lexicon}")
class GameMenu(_GamesControl):
    """The menu of reviewed games. The chosen game is shown privately."""

    games: tuple[Choice, ...] = ()

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(translate("Choose a game"), self.games)

    async def act(self, press: Press) -> None:
        query = decode_query(press.value, await press.context(private=True))
        await send_review(press, press.responder(private=True), query)


@control("closer:{max_own_games}:{lexicon}{depth}")
class ReviewGamesAgain(_GamesControl):
    """Reviews the games in a table again: the user's own games, or the games in the table's menu."""

    depth: Annotated[Depth, _DEEP_BY_DEFAULT] = Depth.DEEP
    """Quick if the button restarts interrupted quick reviews of the user's own games."""
    minutes: int = 0
    """Estimated CPU minutes. If 0, the button is hidden."""

    def face(self, translate: Translator, *, private: bool) -> Button | None:
        if not self.minutes:
            return None
        return Button(translate("Deeper (up to {minutes} min)", minutes=self.minutes), _CURVE_EMOJI)

    async def act(self, press: Press) -> None:
        if self.max_own_games:
            await review_own_games(press, self.max_own_games, self.lexicon, self.depth)
            return
        public = press.owner_id == press.user_id and press.claim_public_reply()
        context = await press.context(private=not public)
        queries = [
            replace(decode_query(choice.value, context), lexicon=self.lexicon, depth=Depth.DEEP)
            for other, choices in press.controls()
            if isinstance(other, GameMenu)
            for choice in choices
        ]
        await send_reviews(press, press.responder(private=not public), queries)


@control("names:{max_own_games}:{depth}:{lexicon}")
class ChangePlayerNames(_GamesControl):
    """Asks for the user's player names again, then reviews the user's games."""

    depth: _Depth = Depth.QUICK

    def face(self, translate: Translator, *, private: bool) -> Button | None:
        return Button(translate("Change my player names"), "\N{NAME BADGE}") if self.max_own_games else None

    async def act(self, press: Press) -> None:
        await review_own_games(press, self.max_own_games, self.lexicon, self.depth, ask_again=True)


@control("who:{max_own_games}:{depth}:{lexicon}")
class PlayerNameMenu(_GamesControl):
    """The menu in which users choose their player names."""

    depth: _Depth
    choices: tuple[Choice, ...] = ()
    chosen_values: tuple[str, ...] = ()

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(
            translate("Select your player names"),
            (*self.choices, Choice(_NONE, translate("None of these"))),
            chosen_values=self.chosen_values,
        )

    async def act(self, press: Press) -> None:
        user_games = press.bot.services[USER_GAMES]
        answers = {
            choice.value: choice.value in press.values
            for other, choices in press.controls()
            if isinstance(other, PlayerNameMenu)
            for choice in choices
            if choice.value != _NONE
        }

        async def make_card(context: ReplyContext) -> Card:
            request = UserGamesRequest(
                press.user_id, press.guild_id or 0, self.max_own_games, context, self.lexicon, self.depth
            )
            await press.bot.store.save_player_names(request.guild_id, request.user_id, answers)
            reply = await user_games.review(request, press.requester)
            return reply if isinstance(reply, Card) else await press.await_long_task(reply, context.translate)

        await press.save_unfinished(None, in_place=True)
        await press.replace_card(make_card)


async def review_own_games(
    press: Press, max_own_games: int, lexicon: str, depth: Depth, *, ask_again: bool = False
) -> None:
    """Review the user's latest games in this server. If ``ask_again``, first ask for the player names even if they are known."""
    responder, context = press.responder(private=True), await press.context(private=True)
    user_games = await responder.await_or_acknowledge(require_user_games_service(press))
    request = UserGamesRequest(press.user_id, press.guild_id or 0, max_own_games, context, lexicon, depth)
    reply = await responder.await_or_acknowledge(
        user_games.review(request, press.requester, ask_again=ask_again)
    )
    if isinstance(reply, Card):
        await responder.send(reply)
    else:
        await responder.watch(
            press.await_long_task(reply, context.translate),
            restart=ReviewGamesAgain(max_own_games, lexicon, depth),
        )


async def require_user_games_service(press: Press) -> UserGameService:
    """Return the service that reviews users' own games.

    Raises:
        RefusalError: the user is not in a server, or has not opted in.

    """
    user_games, translate = press.bot.services[USER_GAMES], await press.translator()
    if press.guild_id is None:
        raise RefusalError.with_text(
            translate("Your games are saved separately for each server. Use this command in a server.")
        )
    if not (await press.interaction.client.preferences.users.get(press.user_id)).games:
        raise RefusalError.with_text(
            translate(
                "Your games aren't saved. To look back at them, turn on `/settings me games:`. From then "
                "on, finished games that you post in a server are saved for a year, up to {number} per "
                "server.",
                number=MAX_USER_GAMES,
            )
        )
    return user_games
