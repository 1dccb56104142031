"""The control that starts a poll, and the controls of an open poll."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import (
    Card,
    Choice,
    Moment,
    RefusalError,
    ReplyContext,
)
from bot.chat.control import (
    SNOWFLAKE,
    Button,
    Control,
    Field,
    Form,
    IdPart,
    MomentControl,
    ServiceKey,
    control,
)
from bot.chat.limits import LimitDecision
from bot.domain.chess.documents import BookSource, PuzzleSet
from bot.domain.crossword.game import Game, is_rack_known
from bot.domain.notations import is_chess
from bot.domain.reading.problems import Phrase
from bot.features.analysis.controls import can_be_analyzed, play_form
from bot.features.showing.chess.position import position_of_moment
from bot.features.showing.findings import FoundDocument

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.polls.commands import PollKeeper
    from bot.features.polls.service import PollService
    from bot.text import Translator

POLL_IS_OVER: Final = Phrase("This poll is over.")
POLL_IS_FULL: Final = Phrase("This poll is full.")
POLLS: ServiceKey[PollService] = ServiceKey("polls", POLL_IS_OVER)

_MANUAL_REVEAL: Final = "0"
_MINUTE_VALUES: Final = ("10", "60", "480", "1440")
"""Minutes after which a poll can be revealed automatically."""


def poll_controls(
    found: FoundDocument, moment: Moment, number: int | None = None, *, has_lexica: bool
) -> tuple[Control, ...]:
    document = found.document
    if number is not None or found.is_in_progress:
        return ()
    if is_chess(document):
        can_start_poll = (
            not isinstance(document, PuzzleSet | BookSource)
            and not position_of_moment(document, moment).is_over
        )
    elif not has_lexica or found.format == "turn-url":
        can_start_poll = False
    elif isinstance(document, Game):
        has_known_rack = moment.turn == len(document.turns) or is_rack_known(document, moment.turn)
        can_start_poll = (
            bool(document.turns) and has_known_rack and can_be_analyzed(document.position_at(moment.turn))
        )
    else:
        can_start_poll = can_be_analyzed(found.position)
    return (StartPoll(moment),) if can_start_poll else ()


@control("ask:{moment}")
class StartPoll(MomentControl):
    """Starts a poll about the position at a moment."""

    button = Button(Phrase("Ask others"), "\N{HAPPY PERSON RAISING ONE HAND}")
    is_private = False

    async def act(self, press: Press) -> None:
        translate = await press.translator()
        _require_server(press, translate)
        choices = (
            Choice(_MANUAL_REVEAL, translate("When I press Reveal")),
            *(Choice(minutes, _time_text(int(minutes), translate)) for minutes in _MINUTE_VALUES),
        )
        reveal_field = Field(
            "when", translate("Reveal the answers"), _MANUAL_REVEAL, kind="radio", choices=choices
        )
        await press.open_form(
            Form(translate("Ask others what they would play"), (reveal_field,), self._begin)
        )

    async def _begin(self, press: Press, values: Mapping[str, str]) -> None:
        bot, translate, channel_id = press.bot, await press.translator(), press.channel_id
        guild_id = _require_server(press, translate)
        if not press.may_write:
            raise RefusalError.with_text(translate("You can't write in this channel."))
        polls = await press.require_service(POLLS)
        if (open_poll := await bot.store.poll_of_author(press.user_id, channel_id)) is not None:
            link = f"https://discord.com/channels/{guild_id}/{channel_id}/{open_poll.message_id}"
            raise RefusalError.with_text(
                translate("Your poll {link} is still open in this channel. Reveal it first.", link=link)
            )
        if bot.channel_allowance.try_to_spend(channel_id) is not LimitDecision.GRANTED:
            raise RefusalError.with_text(
                translate("Kibitz has just posted a lot of replies in this channel. Try again in a minute.")
            )
        await polls.check_no_spoilers(self.moment, await press.context(private=False))
        await press.interaction.response.defer(thinking=True)
        context = await press.server_context()
        card, poll = await polls.make_poll(
            self.moment, press.user_id, timedelta(minutes=int(values["when"])), context
        )
        await press.send(replace(card, controls=()), context.translate, private=False)
        message = await press.interaction.original_response()
        poll = replace(poll, message_id=message.id, channel_id=channel_id, guild_id=guild_id)
        if not await bot.store.save_poll(poll):
            await press.interaction.delete_original_response()
            raise RefusalError.with_text(translate("You have too many open polls. Reveal one first."))
        bot.dispatch("poll_begun", poll)
        # Only a stored poll can take answers, so the controls are added last.
        await press.edit(card, context.translate, owner_id=press.user_id)


@control("poll:{action}")
class PollAction(Control):
    """Takes a player's answer, or reveals the poll."""

    action: Annotated[str, IdPart("[pr]")]
    """``p`` to enter a play, ``r`` to reveal the poll."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        if self.action == "p":
            return Button(translate("My play"), "\N{PENCIL}\ufe0f", "primary")
        return Button(translate("Reveal"), "\N{PARTY POPPER}")

    async def act(self, press: Press) -> None:
        translate = await press.translator()
        poll = await press.bot.store.poll(press.message.id)
        if poll is None:
            raise RefusalError.with_text(translate(POLL_IS_OVER))
        if self.action == "p":
            submit = partial(_submit_answer, poll.message_id)
            await press.open_form(play_form(translate("What would you play?"), submit, translate))
            return
        if press.user_id != poll.author_id and not press.is_moderator:
            raise RefusalError.with_text(
                translate("Only moderators and the person who started this poll can reveal it.")
            )
        await press.defer()
        if not await _poll_keeper(press).reveal(poll):
            raise RefusalError.with_text(translate("This poll is already being revealed."))


async def _submit_answer(message_id: int, press: Press, values: Mapping[str, str]) -> None:

    async def save_answer(context: ReplyContext) -> Card:
        polls = await press.require_service(POLLS)
        card = await polls.save_answer(
            message_id, press.user_id, values["play"], await press.server_context(), context
        )
        _poll_keeper(press).request_update(message_id)
        return card

    await press.reply_privately(save_answer)


@control("look:{message_id}")
class LookAnyway(Control):
    """Records that a player will look at an analysis of an open poll's position."""

    message_id: Annotated[int, SNOWFLAKE]

    button = Button(Phrase("Look anyway"), "\N{EYES}")

    async def act(self, press: Press) -> None:

        async def record_look(context: ReplyContext) -> Card:
            translate = context.translate
            try:
                await press.bot.store.record_analysis_view(self.message_id, press.user_id)
            except KeyError:
                raise RefusalError.with_text(translate(POLL_IS_OVER)) from None
            except ValueError:
                raise RefusalError.with_text(translate(POLL_IS_FULL)) from None
            _poll_keeper(press).request_update(self.message_id)
            return Card(
                translate(
                    "👀 The reveal will show that you looked. Press the analysis button again to see the "
                    "analysis."
                ),
                accent="poll",
            )

        await press.reply_privately(record_look)


def _time_text(minutes: int, translate: Translator) -> str:
    if minutes < 60:
        return translate.plural("After {number} minute", "After {number} minutes", minutes)
    return translate.plural("After {number} hour", "After {number} hours", minutes // 60)


def _poll_keeper(press: Press) -> PollKeeper:
    keeper: PollKeeper = press.cog("PollKeeper")
    return keeper


def _require_server(press: Press, translate: Translator) -> int:
    """Return the server's id.

    Raises:
        RefusalError: there is no server, or the bot is not a member and could not edit the poll's card later.

    """
    if press.guild_id is None or press.bot.get_guild(press.guild_id) is None:
        raise RefusalError.with_text(translate("Polls work only in servers that Kibitz has joined."))
    return press.guild_id
