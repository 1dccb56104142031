"""The cards of polls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, TypeVar

from bot.chat.card import Card, Moment, join_blocks
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import as_spoiler, code_block, escape
from bot.features.polls.controls import PollAction
from bot.storage.polls import AnalysisView, Poll, PollEntry
from bot.text import Translator

MAX_ROWS: Final = 12
MAX_VOTERS: Final = 8
BEST_LABEL: Final = "★"
"""Labels the engine's best play."""
_LOOKED_EMOJI: Final = "👀"
_WINNER_EMOJI: Final = "🏆"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A play, the votes for it, and its value."""

    play: Any
    text: str
    """The play as shown on the card, but not escaped."""
    votes: tuple[PollEntry, ...]
    """Empty for the engine's best play if no player found it."""
    cells: tuple[str, ...] = ()
    """The cells of the first columns (see :attr:`Outcome.column_titles`). The other columns show –."""
    is_best: bool = False
    """Whether the engine considers this play the best, or as good as the best."""
    is_ranked: bool = True
    label: str = BEST_LABEL
    """The play's number, or a star if it has no votes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a poll: the plays, best first."""

    proposals: tuple[Proposal, ...]
    column_titles: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def winner(self) -> Proposal | None:
        """The best play by a player who had not seen an analysis when answering.

        None if there is no such play, or if its value is unknown.
        """
        for proposal in self.proposals:
            if any(vote.view is not AnalysisView.BEFORE_ANSWER for vote in proposal.votes):
                return proposal if proposal.is_ranked else None
        return None


PlayT = TypeVar("PlayT")
Votes: TypeAlias = Sequence[tuple[PlayT, PollEntry]]


def rank_proposals(
    votes: Votes[PlayT],
    table: Sequence[Proposal],
    describe_play: Callable[[PlayT], str],
    *,
    is_same: Callable[[PlayT, PlayT], bool],
    unranked_cells: Callable[[PlayT], tuple[str, ...]] = lambda _: (),
) -> tuple[Proposal, ...]:
    """Return the plays of a poll, best first, each with all its votes.

    ``table`` has the plays whose value is known, best first, without votes. Without an engine,
    the table is empty, and the plays keep their order. If no player found a best play, the first play of the table is added.
    """
    groups: list[tuple[PlayT, list[PollEntry]]] = []
    for play, vote in votes:
        own_votes = next((own_votes for other, own_votes in groups if is_same(other, play)), None)
        if own_votes is None:
            own_votes = []
            groups.append((play, own_votes))
        own_votes.append(vote)
    ranked_proposals: list[tuple[int, Proposal]] = []
    for play, own_votes in groups:
        index = next((index for index, row in enumerate(table) if is_same(row.play, play)), len(table))
        unranked_proposal = Proposal(play, "", (), unranked_cells(play), is_ranked=False)
        row = table[index] if index < len(table) else unranked_proposal
        ranked_proposals.append(
            (index, replace(row, play=play, text=describe_play(play), votes=tuple(own_votes)))
        )
    ranked_proposals.sort(key=lambda pair: pair[0])
    proposals = [
        replace(proposal, label=str(number)) for number, (_, proposal) in enumerate(ranked_proposals, 1)
    ]
    if table and not any(proposal.is_best for proposal in proposals):
        proposals.insert(0, replace(table[0], is_best=True))
    return tuple(proposals)


def poll_moment(poll: Poll) -> Moment:
    return Moment(poll.digest, poll.turn, poll.side, poll.spoiler)


def open_poll_card(poll: Poll, line: str, entries: tuple[PollEntry, ...], translate: Translator) -> Card:
    """Return the card of an open poll, without its picture. ``line`` describes the position."""
    answer_count = sum(entry.play is not None for entry in entries)
    counts = [translate.plural("{number} answer so far", "{number} answers so far", answer_count)]
    if viewer_count := sum(
        entry.view in {AnalysisView.BEFORE_ANSWER, AnalysisView.AFTER_ANSWER} for entry in entries
    ):
        counts.append(
            translate.plural(
                "{number} person has seen the analysis",
                "{number} people have seen the analysis",
                viewer_count,
            )
        )
    counts.append(translate("revealed {when} at the latest", when=f"<t:{int(poll.ends.timestamp())}:R>"))
    lead = translate("🙋 <@{user}> asks: **what would you play?**", user=poll.author_id)
    note = translate("Answers are secret until the reveal. You can change yours until then.")
    text = f"{join_blocks([line], poll_moment(poll), lead=lead)}\n{' · '.join(counts)}"
    return Card(text, controls=(PollAction("p"), PollAction("r")), note=note, accent="poll")


def accepted_answer_card(
    written_play: str, earlier_entry: PollEntry | None, moment: Moment, translate: Translator
) -> Card:
    """Return the card that confirms a player's answer.

    ``earlier_entry`` is set if the player had already answered or looked at an analysis.
    """
    play = f"**{escape(written_play)}**"
    if moment.spoiler:
        play = as_spoiler(play)
    text = (
        translate("✅ Your answer: {play}. You can change it until the reveal.", play=play)
        if earlier_entry is None or earlier_entry.play is None
        else translate("✅ Your new answer: {play}. You can change it until the reveal.", play=play)
    )
    if earlier_entry is not None and earlier_entry.view in {
        AnalysisView.BEFORE_ANSWER,
        AnalysisView.OUTSIDE,
    }:
        text += "\n" + translate(
            "👀 You looked at the analysis before you answered. The reveal will show this."
        )
    return Card(text, accent="poll")


def result_card(author_id: int, line: str, outcome: Outcome, moment: Moment, translate: Translator) -> Card:
    """Return the card of a poll's result, without its picture."""
    lead = translate("🙋 <@{user}> asked: **what would you play?**", user=author_id)
    votes = [vote for proposal in outcome.proposals for vote in proposal.votes]
    table = [code_block(_table(outcome, translate))] if outcome.proposals else []
    blocks = [line, *table, _voters_text(outcome, translate) if votes else translate("No answers.")]
    notes = list(outcome.remarks)
    if any(proposal.is_best for proposal in outcome.proposals):
        notes.insert(0, translate("★ marks the engine's choice."))
    if any(vote.view is AnalysisView.BEFORE_ANSWER for vote in votes):
        notes.append(translate("👀 looked at an analysis before answering."))
    note = " ".join(notes)
    note = as_spoiler(note) if moment.spoiler and note else note
    return Card(join_blocks(blocks, moment, lead=lead), note=note, accent="poll")


def _voters_text(outcome: Outcome, translate: Translator) -> str:
    winner = outcome.winner
    lines: list[str] = []
    unlisted_voter_count = 0
    for proposal in outcome.proposals:
        votes = proposal.votes
        if len(lines) == MAX_ROWS:
            unlisted_voter_count += len(votes)
        elif votes:
            names = []
            for vote in votes[:MAX_VOTERS]:
                has_looked = vote.view is AnalysisView.BEFORE_ANSWER
                prize = f" {_WINNER_EMOJI}" if proposal is winner and not has_looked else ""
                names.append(f"<@{vote.user_id}>{_LOOKED_EMOJI if has_looked else ''}{prize}")
            if len(votes) > MAX_VOTERS:
                names.append(f"+{len(votes) - MAX_VOTERS}")
            lines.append(f"**{proposal.label}** " + ", ".join(names))
    if unlisted_voter_count:
        lines.append(translate.plural("{number} more", "{number} more", unlisted_voter_count))
    return "\n".join(lines)


def _table(outcome: Outcome, translate: Translator) -> str:
    rows = outcome.proposals[:MAX_ROWS]
    labels = tuple(row.label + BEST_LABEL if row.is_best and row.votes else row.label for row in rows)
    texts = tuple(row.text for row in rows)
    columns = [
        Column("", labels, is_left_aligned=True),
        Column(translate("play"), texts, is_left_aligned=True, short_cells=texts),
    ]
    if not outcome.column_titles:
        columns.append(Column("×", tuple(str(len(row.votes)) for row in rows)))
    for index, title in enumerate(outcome.column_titles):
        cells = tuple(row.cells[index] if index < len(row.cells) else "–" for row in rows)
        # Never drop the last column, because the rows are sorted by it.
        columns.append(Column(title, cells, drop_before_cutting=index < len(outcome.column_titles) - 1))
    return lay_out(columns, MAX_WIDTH)
