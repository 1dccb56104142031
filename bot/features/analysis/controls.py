"""The controls of analyses and of tried plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bot.chat.control import Button, Service, control
from bot.chat.form import Field, Form
from bot.chat.parts import LexiconName, OfMoment
from bot.domain.crossword.typed_play import MAX_TYPED

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.analysis.trials import Trials
    from bot.text import Speaker

TRIALS: Service[Trials] = Service("trials")


@control("try:{moment}:{lexicon}")
class Try(OfMoment):
    """Asks for a play, or a move of chess, and shows what it would come to, to the presser alone."""

    lexicon: LexiconName = ""

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        del private
        return Button(say("What if …"), "\N{THINKING FACE}")

    async def act(self, press: Press) -> None:
        """Open the form."""
        say = await press.say()
        field = Field(
            "play",
            say("Your play"),
            placeholder="8H QUIZ, H8 Q.IZ, -ABC, pass, Nf3, e2e4 …",
            max_length=MAX_TYPED,
        )
        await press.ask(Form(say("What would you play?"), (field,), self._submit))

    async def _submit(self, press: Press, typed: Mapping[str, str]) -> None:
        trials, play = await press.need(TRIALS), typed["play"]
        await press.keep(self)
        await press.private(
            lambda style: trials.try_play(self.moment, play, style, press.asker, lexicon=self.lexicon)
        )
