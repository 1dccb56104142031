"""The controls to learn from one's mistakes, for one person alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.mistakes import mistake_controls
from bot.chat.failures import answering, apologize
from bot.chat.form import MAX_TITLE
from bot.chat.ids.reviews import LearnId
from bot.chat.markdown import one_line
from bot.chat.offers import LessonPanel, ReviewPanel
from bot.chat.press import answer_in_private, asker_of, change_message
from bot.chat.progress import follow
from bot.chat.reply import Reply
from bot.chat.sending.allowance import grant_press
from bot.chat.style import Style
from bot.chat.styling import speaker_to
from bot.domain.crossword.typed_play import MAX_TYPED
from bot.features.review.question import ReviewQuestion
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

_MAX_LABEL: Final = 80
"""Characters that Discord takes of a button's label."""


class LearnButton(ControlItem[discord.ui.Button[Any], LearnId], of=LearnId):
    """Begins to learn from a review, or goes on; what it does stands in its id."""

    @classmethod
    def of_review(cls, panel: ReviewPanel, say: Speaker) -> Self:
        """Make the button under a review."""
        state = LearnId(panel.moment, panel.depth, panel.lexicon, "w")
        return cls._made(state, say("Learn from my mistakes"), "\N{GRADUATION CAP}")

    @classmethod
    def of_step(
        cls, panel: LessonPanel, what: str, label: str, sign: str | None = None, *, turn: int | None = None
    ) -> Self:
        """Make a button under a lesson; ``turn`` is the one it leads to."""
        moment = panel.moment if turn is None else replace(panel.moment, turn=turn)
        return cls._made(
            LearnId(moment, panel.depth, panel.lexicon, what, panel.marks, panel.own), label, sign
        )

    @classmethod
    def of_player(cls, panel: LessonPanel, seat: int, label: str) -> Self:
        """Make the button that chooses a player."""
        state = LearnId(replace(panel.moment, turn=0, side=seat), panel.depth, panel.lexicon, "c")
        return cls._made(state, one_line(label, _MAX_LABEL), None)

    @classmethod
    def _made(cls, state: LearnId, label: str, sign: str | None) -> Self:
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Show what the button leads to."""
        lessons, state = interaction.client.service.lessons, self.state

        async def changed(style: Style) -> Reply:
            question = question_of(state, style)
            match state.what:
                case "c":
                    reply = await lessons.begin(question)
                case "h":
                    reply = await lessons.hint(question, state.marks)
                case "s":
                    reply = await lessons.solution(question, state.marks)
                case _:
                    reply = await lessons.show(question, state.marks)
            return await _as_set(interaction, state, reply)

        match state.what:
            case "w":
                names = names_of(interaction.user)
                await answer_in_private(
                    interaction, lambda style: lessons.begin(question_of(state, style), names)
                )
            case "a":
                say = await speaker_to(interaction)
                await interaction.response.send_modal(LessonModal(state, say))
            case _:
                await change_message(interaction, changed)


class LessonModal(discord.ui.Modal):
    """Asks for what would have been better."""

    def __init__(self, state: LearnId, say: Speaker) -> None:
        super().__init__(title=say("What is better?")[:MAX_TITLE])
        self._state = state
        self.play: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="play", max_length=MAX_TYPED, placeholder="8H QUIZ, H8 Q.IZ, -ABC, pass, Nf3, e2e4 …"
        )
        self.add_item(discord.ui.Label(text=say("Your play")[:MAX_TITLE], component=self.play))

    async def on_submit(self, interaction: Press, /) -> None:  # type: ignore[override]
        """Judge it in the message."""
        lessons, state = interaction.client.service.lessons, self._state

        async def answer(style: Style) -> Reply:
            question = question_of(state, style)
            found = await lessons.answer(question, state.marks, self.play.value, asker_of(interaction))
            reply = found
            if not isinstance(reply, Reply):
                reply = await follow(interaction, reply, style.say)
                if not reply.found:
                    # The turn gave way to the progress; it comes back.
                    await interaction.followup.send(reply.text, ephemeral=True)
                    reply = await lessons.show(question, state.marks)
            return await _as_set(interaction, state, reply)

        async with answering(interaction):
            await grant_press(interaction)
            again = replace(state, what="p").write()
            await interaction.client.unfinished.keep(interaction, again=again, in_place=True)
            await change_message(interaction, answer)

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


async def _as_set(interaction: Press, state: LearnId, reply: Reply) -> Reply:
    """Return an answer as it is told of a turn that was set as a puzzle, if it was."""
    mistakes = interaction.client.service.mistakes
    if not state.own or mistakes is None:
        return reply
    return await mistakes.told(interaction.user.id, reply)


def question_of(state: LearnId, style: Style) -> ReviewQuestion:
    """Return which review a press is about."""
    return ReviewQuestion(state.moment, style, state.lexicon, state.depth)


def names_of(user: discord.User | discord.Member) -> tuple[str, ...]:
    """Return what somebody is called."""
    return (user.display_name, user.global_name or "", user.name)


CONTROLS = (LearnButton,)
"""To be registered with the client."""


def lesson_controls(panel: LessonPanel, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a turn to learn from, at the end, or where it is asked who learns."""
    if panel.is_open:
        yield LearnButton.of_step(panel, "a", say("Answer"), "\N{PENCIL}\ufe0f")
        if panel.has_hint:
            yield LearnButton.of_step(panel, "h", say("Hint"), "\N{ELECTRIC LIGHT BULB}")
        yield LearnButton.of_step(panel, "s", say("Solution"), "\N{EYES}")
    if panel.previous is not None:
        yield LearnButton.of_step(panel, "p", say("Back"), turn=panel.previous)
    if panel.next is not None:
        label = say("Next") if panel.next else say("End")
        yield LearnButton.of_step(panel, "n", label, turn=panel.next)
    if panel.at_end and panel.moment.side is not None:
        yield LearnButton.of_player(panel, panel.moment.side, say("Once more"))
    if panel.own:
        yield from mistake_controls(say)
    for choice in panel.players:
        yield LearnButton.of_player(panel, int(choice.value), choice.label)
