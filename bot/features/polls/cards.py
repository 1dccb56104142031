"""The cards of polls in either game: an open poll, the replies to players, and the reveal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, TypeVar

from bot.chat.card import Card, Moment, join_blocks
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import as_spoiler, code_block, escape
from bot.features.polls.controls import TakePart
from bot.storage.polls import Look, Poll, PollPlay
from bot.text import Speaker

MAX_ROWS: Final = 12
"""Maximum number of plays in the table."""
MAX_NAMED: Final = 8
"""Maximum number of people named for one play."""
BEST_LABEL: Final = "★"
"""The label of the engine's best play, in the table and on the board."""
_LOOKED_EMOJI: Final = "👀"
_WINNER_EMOJI: Final = "🏆"


@dataclass(frozen=True, slots=True)
class Proposed:
    """A play, the people who chose it, and its worth."""

    play: Any
    words: str
    """The play in words, not escaped."""
    voters: tuple[PollPlay, ...]
    """Empty for the engine's best play if no player found it."""
    cells: tuple[str, ...] = ()
    """A text for each figure."""
    is_best: bool = False
    """Whether no play is better in the engine's opinion."""
    is_ranked: bool = True
    """Whether its worth is known."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a poll: the plays, best first."""

    proposed: tuple[Proposed, ...]
    figures: tuple[str, ...] = ()
    """The titles of the cells."""
    remarks: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each play in the table and on the board: a number, or a star without voters."""
        labels: list[str] = []
        number = 0
        for proposed in self.proposed:
            number += bool(proposed.voters)
            labels.append(str(number) if proposed.voters else BEST_LABEL)
        return tuple(labels)

    @property
    def winner(self) -> Proposed | None:
        """The best play of a player without a look; None if its worth is unknown."""
        for proposed in self.proposed:
            if any(voter.look is not Look.BEFORE for voter in proposed.voters):
                return proposed if proposed.is_ranked else None
        return None


Play = TypeVar("Play")
Voted: TypeAlias = Sequence[tuple[Play, PollPlay]]
"""Plays, each with the person who would make it."""


def ranked(
    plays: Voted[Play],
    table: Sequence[Proposed],
    words: Callable[[Play], str],
    *,
    is_same: Callable[[Play, Play], bool],
    worth: Callable[[Play], tuple[str, ...]] = lambda _: (),
) -> tuple[Proposed, ...]:
    """Return the plays of a poll, best first, each once with all its voters.

    Args:
        plays: The plays.
        table: The plays whose worth is known, best first, without voters. Its first is listed if no player found a best play.
            Empty without an engine: the order is then by ``worth`` and by voters.
        words: Returns a play in words.
        is_same: Returns whether two plays count as one.
        worth: Returns the cells of a play that is not in the table.

    """
    groups: list[tuple[Play, list[PollPlay]]] = []
    for play, voter in plays:
        voters = next((voters for other, voters in groups if is_same(other, play)), None)
        if voters is None:
            groups.append((play, voters := []))
        voters.append(voter)
    found: list[tuple[int, Proposed]] = []
    for play, voters in groups:
        index = next((at for at, row in enumerate(table) if is_same(row.play, play)), len(table))
        unknown = Proposed(play, "", (), worth(play), is_ranked=False)
        row = table[index] if index < len(table) else unknown
        found.append((index, replace(row, play=play, words=words(play), voters=tuple(voters))))
    if table and not any(proposed.is_best for _, proposed in found):
        found.append((-1, replace(table[0], is_best=True)))
    return tuple(proposed for _, proposed in sorted(found, key=lambda pair: pair[0]))


def moment_of(poll: Poll) -> Moment:
    """Return the moment that a poll is about."""
    return Moment(poll.digest, poll.turn, poll.side, poll.spoiler)


def card(poll: Poll, line: str, plays: tuple[PollPlay, ...], say: Speaker) -> Card:
    """Return the card of an open poll without its picture. ``line`` describes the position."""
    looks = sum(play.look in {Look.BEFORE, Look.AFTER} for play in plays)
    counts = [
        say.count(
            "{number} answer so far", "{number} answers so far", sum(play.play is not None for play in plays)
        ),
        *(
            [
                say.count(
                    "{number} person has seen the analysis", "{number} people have seen the analysis", looks
                )
            ]
            if looks
            else []
        ),
        say("revealed {when} at the latest", when=f"<t:{int(poll.ends.timestamp())}:R>"),
    ]
    lead = say("🙋 <@{user}> asks: **what would you play?**", user=poll.author_id)
    secret = say("Answers are secret until the reveal. You can change yours until then.")
    text = f"{join_blocks([line], moment_of(poll), lead=lead)}\n{' · '.join(counts)}"
    return Card(text, controls=(TakePart("p"), TakePart("r")), note=secret, accent="poll")


def answer_taken(words: str, before: PollPlay | None, moment: Moment, say: Speaker) -> Card:
    """Read a player's answer back. ``before`` is the player's earlier part in the poll."""
    play = f"**{escape(words)}**"
    if moment.spoiler:
        play = as_spoiler(play)
    text = (
        say("✅ Your answer: {play}. You can change it until the reveal.", play=play)
        if before is None or before.play is None
        else say("✅ Your new answer: {play}. You can change it until the reveal.", play=play)
    )
    if before is not None and before.look in {Look.BEFORE, Look.OUTSIDE}:
        text += "\n" + say("👀 You looked at the analysis before you answered. The reveal will show this.")
    return Card(text, accent="poll")


def answer_outcome(author: int, line: str, outcome: Outcome, moment: Moment, say: Speaker) -> Card:
    """Return the card of a result without its picture: all plays with their worth, the winner, and the looks."""
    lead = say("🙋 <@{user}> asked: **what would you play?**", user=author)
    voters = [voter for proposed in outcome.proposed for voter in proposed.voters]
    table = [code_block(_table(outcome, say))] if outcome.proposed else []
    blocks = [line, *table, _people(outcome, say) if voters else say("No answers.")]
    notes = list(outcome.remarks)
    if any(proposed.is_best for proposed in outcome.proposed):
        notes.insert(0, say("★ marks the engine's choice."))
    if any(voter.look is Look.BEFORE for voter in voters):
        notes.append(say("👀 looked at an analysis before answering."))
    note = " ".join(notes)
    note = as_spoiler(note) if moment.spoiler and note else note
    return Card(join_blocks(blocks, moment, lead=lead), note=note, accent="poll")


def _people(outcome: Outcome, say: Speaker) -> str:
    """List the people behind each play, a line each."""
    winner = outcome.winner
    lines: list[str] = []
    left = 0
    for label, proposed in zip(outcome.labels, outcome.proposed, strict=True):
        voters = proposed.voters
        if len(lines) == MAX_ROWS:
            left += len(voters)
        elif voters:
            names = []
            for voter in voters[:MAX_NAMED]:
                looked = voter.look is Look.BEFORE
                prize = f" {_WINNER_EMOJI}" if proposed is winner and not looked else ""
                names.append(f"<@{voter.user_id}>{_LOOKED_EMOJI if looked else ''}{prize}")
            if len(voters) > MAX_NAMED:
                names.append(f"+{len(voters) - MAX_NAMED}")
            lines.append(f"**{label}** " + ", ".join(names))
    if left:
        lines.append(say.count("{number} more", "{number} more", left))
    return "\n".join(lines)


def _table(outcome: Outcome, say: Speaker) -> str:
    listed = list(zip(outcome.labels, outcome.proposed, strict=True))[:MAX_ROWS]
    labels = tuple(
        label + BEST_LABEL if proposed.is_best and proposed.voters else label for label, proposed in listed
    )
    words = tuple(proposed.words for _, proposed in listed)
    columns = [
        Column("", labels, is_left_aligned=True),
        Column(say("play"), words, is_left_aligned=True, short_cells=words),
    ]
    if not outcome.figures:
        columns.append(Column("×", tuple(str(len(proposed.voters)) for _, proposed in listed)))
    for at, figure in enumerate(outcome.figures):
        cells = tuple(proposed.cells[at] if at < len(proposed.cells) else "–" for _, proposed in listed)
        # The last figure decides; the others go where the plays would be unreadable beside them.
        columns.append(Column(figure, cells, drop_before_cutting=at < len(outcome.figures) - 1))
    return lay_out(columns, MAX_WIDTH)
