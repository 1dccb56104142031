"""The ids of reviews, of lessons from them, and of games looked back at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final

from bot.chat.control import Control, Part, control
from bot.chat.offers import GameReview, Moment
from bot.chat.parts import FURTHER_LEXICON, LexiconName, OfMoment, Where, number_part
from bot.features.review.depth import Depth
from bot.features.review.lessons import MAX_LESSONS


@control("review:{moment}:{depth}{lexicon}")
class ReviewId(OfMoment):
    """Reviews a game, by the lexicon that was asked for before."""

    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: Annotated[str, FURTHER_LEXICON] = ""


@dataclass(frozen=True, slots=True)
class _OfReview(Control):
    moment: Where
    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: LexiconName

    @property
    def document(self) -> str | None:
        return self.moment.digest


@control("judged:{moment}:{depth}:{lexicon}:{role}")
class JudgedId(_OfReview):
    """Shows a turn with what a review says of it: a key turn, the one before, or the one after."""

    role: Annotated[str, Part("[kpn]")]


@control("judgements:{moment}:{depth}:{lexicon}")
class JudgedTurnsId(_OfReview):
    """The menu of a review's turns; the moment's turn is the one shown, 0 on the card."""


@control("share:{what}:{moment}:{depth}:{lexicon}")
class ShareId(Control):
    """Posts a review to its channel."""

    what: Annotated[str, Part("squares|card")]
    moment: Where
    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: LexiconName

    @property
    def document(self) -> str | None:
        """The digest of the game."""
        return self.moment.digest


@control("learn:{what}:{moment}:{depth}:{lexicon}:{marks}{own}")
class LearnId(_OfReview):
    """Learns from a review: what the control does, and what became of each turn so far, a sign for one.

    The moment's turn is where the control stands or leads to, 0 at the end; its side is the player.
    """

    what: Annotated[str, Part("[wcahspn]")]
    marks: Annotated[str, Part(rf"[0-4shx]{{0,{MAX_LESSONS}}}")] = ""
    own: Annotated[bool, Part("(?::o)?", bool, lambda own: ":o" if own else "")] = False
    """Whether the turn was set as a puzzle, out of a game of the person's own."""


@control("mistake:{game}")
class MistakeId(Control):
    """Sets the next of one's own mistakes, of one game or of all."""

    game: Annotated[str, Part("crossword|chess|all")]


_Last = Annotated[int, number_part(2)]


@control("reviews:{last}:{lexicon}")
class ReviewsId(Control):
    """The menu of reviewed games: so many of one's own, or 0 for games that were brought; by the lexicon asked for."""

    last: _Last
    lexicon: LexiconName


@control("closer:{last}:{lexicon}")
class CloserId(ReviewsId):
    """Looks closely at all the games in the menu beside it."""


@control("names:{last}:{depth}:{lexicon}")
class NamesId(Control):
    """Asks what one is called in one's own games, before that many of them are reviewed once more."""

    last: _Last
    depth: Annotated[Depth, Part("quick|deep", Depth)]
    lexicon: LexiconName


@control("who:{last}:{depth}:{lexicon}")
class WhoId(NamesId):
    """The menu of the names."""


_REVIEW: Final = re.compile(r"([A-Za-z0-9_-]{22}):(quick|deep):([so]):([A-Za-z0-9._-]{0,32})")


def write_review(review: GameReview) -> str:
    """Write which review of a game an entry of a menu stands for."""
    hidden = "s" if review.moment.spoiler else "o"
    return f"{review.moment.digest}:{review.depth}:{hidden}:{review.lexicon}"


def read_review(value: str) -> GameReview | None:
    """Return which review of a game an entry of a menu stands for; None when it is none of ours."""
    match = _REVIEW.fullmatch(value)
    if match is None:
        return None
    moment = Moment(match[1], 0, spoiler=match[3] == "s")
    return GameReview(moment, Depth(match[2]), match[4])
