"""Controls of polls, which ask what others would play."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.moment import Moment


@dataclass(frozen=True, slots=True)
class PollOffer:
    """Offers to ask the others what they would play at a moment, where its player's tiles are no secret."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class PollPanel:
    """Controls of an open poll."""


@dataclass(frozen=True, slots=True)
class LookPanel:
    """Offers to look at what the engine thinks although a poll is open, which is told."""

    poll: int
    """The message that shows the poll."""
