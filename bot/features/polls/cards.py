"""What would you play? The card of an open poll, what is answered to who takes part, and what is revealed, in either game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.chat.card import Card
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import behind_bars, code_block, escape
from bot.chat.moment import Moment
from bot.chat.page import told
from bot.features.polls.controls import Look, TakePart
from bot.text import Speaker

MAX_ROWS = 12
"""Plays in the table."""
MAX_NAMED = 8
"""People named for one play."""
BEST_SIGN = "★"
"""Stands for the engine's best play, in the table and on the board."""
_LOOKED = "👀"
_WINNER = "🏆"


@dataclass(frozen=True, slots=True)
class Voter:
    """Somebody who played."""

    user_id: int
    looked: bool
    """Whether the person had looked at the engine's opinion before."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A play, who would make it, and what it is worth."""

    words: str
    """As people write it, not escaped."""
    voters: tuple[Voter, ...]
    """Nobody for the engine's best, where nobody found it."""
    cells: tuple[str, ...] = ()
    """What is known of it, a figure each."""
    is_best: bool = False
    """Whether it is as good as anything the engine found."""
    is_ranked: bool = True
    """Whether it is known how good it is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that a poll came to: the plays, the best first."""

    proposed: tuple[Proposed, ...]
    figures: tuple[str, ...] = ()
    """What the cells are."""
    remarks: tuple[str, ...] = ()
    """What is to be known beside them."""

    @property
    def signs(self) -> tuple[str, ...]:
        """What stands for each play in the table and on the board: numbers, and a star for what nobody found."""
        signs: list[str] = []
        number = 0
        for one in self.proposed:
            number += bool(one.voters)
            signs.append(str(number) if one.voters else BEST_SIGN)
        return tuple(signs)

    @property
    def winner(self) -> Proposed | None:
        """The best play of those who had not looked; None where nobody knows what the plays are worth."""
        fair = (one for one in self.proposed if any(not voter.looked for voter in one.voters))
        first = next(fair, None)
        return first if first is not None and first.is_ranked else None


def card_text(  # noqa: PLR0917 - what a card tells
    asker: int, line: str, players: int, looked: int, ends: datetime, moment: Moment, say: Speaker
) -> str:
    """Say who asks what about which position, how many have answered, and until when."""
    counts = [say.count("{number} answer so far", "{number} answers so far", players)]
    if looked:
        counts.append(say.count("{number} has looked", "{number} have looked", looked))
    until = say("revealed {when} at the latest", when=f"<t:{int(ends.timestamp())}:R>")
    lead = say("🙋 <@{user}> asks: **what would you play?**", user=asker)
    secret = say("Answers are secret until then, and can be changed.")
    return told([line], moment, lead=lead) + f"\n{' · '.join([*counts, until])}\n-# {secret}"


def card(text: str) -> Card:
    """Return the card without its picture."""
    return Card(text, controls=(TakePart("p"), TakePart("r")))


def answer_taken(words: str, changed: bool, looked: bool, moment: Moment, say: Speaker) -> Card:  # noqa: FBT001 - three facts
    """Tell somebody that a play is taken."""
    play = f"**{escape(words)}**"
    if moment.spoiler:
        play = behind_bars(play)
    text = (
        say("✅ {play} it is now. Nobody sees it before all are revealed.", play=play)
        if changed
        else say("✅ {play} is taken. Nobody sees it before all are revealed; you can change it.", play=play)
    )
    if looked:
        text += "\n" + say("👀 It will be shown that you had looked.")
    return Card(text)


def answer_stands(say: Speaker) -> Card:
    """Tell somebody that a play cannot be changed any more."""
    return Card(
        say("You have looked at the analysis since you answered, so your answer stays as it is."), found=False
    )


def answer_refused(problem: str, say: Speaker) -> Card:
    """Tell somebody why a play is not taken."""
    return Card(
        say("❔ {problem}. Nothing is taken; try another play.", problem=escape(problem)), found=False
    )


def answer_open(poll: int, link: str, say: Speaker) -> Card:
    """Tell somebody who wants to know what the engine thinks that a poll about it is open."""
    text = say(
        "🙋 What people would play here is being asked: {link}. Who looks at an analysis before answering is shown with 👀"
        " when it is revealed, and who has answered cannot change it any more.",
        link=link,
    )
    return Card(text, controls=(Look(poll),), found=False)


def answer_no_spoiler(link: str, say: Speaker) -> Card:
    """Tell somebody that nothing is told to everybody while a poll is open."""
    text = say(
        "🙋 What people would play here is being asked: {link}. Until it is revealed I tell nothing about it to everybody.",
        link=link,
    )
    return Card(text, found=False)


def outcome_text(asker: int, line: str, outcome: Outcome, moment: Moment, say: Speaker) -> str:
    """Say what everybody would play and what it is worth, who won, and who had looked."""
    lead = say("🙋 <@{user}> asked: **what would you play?**", user=asker)
    if not any(one.voters for one in outcome.proposed):
        blocks = [line, say("Nobody answered.")]
    else:
        blocks = [line, _people(outcome, say)]
    if outcome.proposed:
        blocks.insert(1, code_block(_table(outcome, say)))
    notes = list(outcome.remarks)
    if any(one.is_best for one in outcome.proposed):
        notes.insert(0, say("★ is the engine's best."))
    if any(voter.looked for one in outcome.proposed for voter in one.voters):
        notes.append(say("👀 had looked at an analysis."))
    if notes:
        blocks.append("-# " + " ".join(notes))
    return told(blocks, moment, lead=lead)


def _people(outcome: Outcome, say: Speaker) -> str:
    """Say who would make which play, a line each."""
    winner = outcome.winner
    lines: list[str] = []
    left = 0
    for sign, one in zip(outcome.signs, outcome.proposed, strict=True):
        if not one.voters:
            continue
        if len(lines) == MAX_ROWS:
            left += len(one.voters)
            continue
        names = [
            f"<@{voter.user_id}>"
            + (_LOOKED if voter.looked else "")
            + (f" {_WINNER}" if one is winner and not voter.looked else "")
            for voter in one.voters[:MAX_NAMED]
        ]
        if more := len(one.voters) - MAX_NAMED:
            names += [f"+{more}"] if more > 0 else []
        lines.append(f"**{sign}** " + ", ".join(names))
    if left:
        lines.append(say.count("{number} more", "{number} more", left))
    return "\n".join(lines)


def _table(outcome: Outcome, say: Speaker) -> str:
    listed = list(zip(outcome.signs, outcome.proposed, strict=True))
    shown = listed[:MAX_ROWS]
    signs = tuple(sign + BEST_SIGN if one.is_best and one.voters else sign for sign, one in shown)
    words = tuple(one.words for _, one in shown)
    columns = [Column("", signs, to_the_left=True), Column(say("play"), words, to_the_left=True, short=words)]
    if not outcome.figures:
        columns.append(Column("×", tuple(str(len(one.voters)) for _, one in shown)))
    for at, figure in enumerate(outcome.figures):
        cells = tuple(one.cells[at] if at < len(one.cells) else "–" for _, one in shown)
        columns.append(Column(figure, cells))
    return lay_out(columns, MAX_WIDTH)


def signed(outcome: Outcome, most: int) -> Sequence[tuple[str, int]]:
    """Return what is drawn of an outcome: signs, each with the place of its play; the best first."""
    return [(sign, at) for at, sign in enumerate(outcome.signs)][:most]
