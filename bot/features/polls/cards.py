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
MAX_VOTERS_PER_PLAY: Final = 8
BEST_LABEL: Final = "★"
"""Marks the engine's best play, and plays that are as good."""
_VIEWER_EMOJI: Final = "👀"
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
    """The cells of the first columns (see :attr:`PollResult.column_titles`). The other columns show "–"."""
    is_best: bool = False
    """Whether the engine considers this play the best, or as good as the best."""
    is_ranked: bool = True
    label: str = BEST_LABEL
    """The play's number, or a star if it has no votes."""


@dataclass(frozen=True, slots=True)
class PollResult:
    """The result of a poll: the plays, best first."""

    proposals: tuple[Proposal, ...]
    column_titles: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


PlayT = TypeVar("PlayT")
Votes: TypeAlias = Sequence[tuple[PlayT, PollEntry]]


def rank_proposals(
    votes: Votes[PlayT],
    table: Sequence[Proposal],
    describe_play: Callable[[PlayT], str],
    *,
    key: Callable[[PlayT], object],
    unranked_cells: Callable[[PlayT], tuple[str, ...]] = lambda _: (),
) -> tuple[Proposal, ...]:
    """Return the plays of a poll, best first, each with all its votes. Plays with the same ``key`` count as one.

    ``table`` has the plays whose value is known, best first, without votes. If it is empty, the plays keep the order of
    ``votes``. If no player found a best play, the first play of the table is added.
    """
    groups: dict[object, list[tuple[PlayT, PollEntry]]] = {}
    for play, vote in votes:
        groups.setdefault(key(play), []).append((play, vote))
    rows = {key(row.play): row for row in table}
    # The plays of the table come first. The others follow in the order of their first votes.
    play_keys = [play_key for play_key in dict.fromkeys((*rows, *groups)) if play_key in groups]
    proposals: list[Proposal] = []
    for play_key in play_keys:
        play = groups[play_key][0][0]
        row = rows.get(play_key) or Proposal(play, "", (), unranked_cells(play), is_ranked=False)
        proposals.append(
            replace(
                row,
                play=play,
                text=describe_play(play),
                votes=tuple(vote for _, vote in groups[play_key]),
                label=str(len(proposals) + 1),
            )
        )
    if table and not any(proposal.is_best for proposal in proposals):
        proposals.insert(0, replace(table[0], is_best=True))
    return tuple(proposals)


def poll_moment(poll: Poll) -> Moment:
    return Moment(poll.digest, poll.turn, poll.seat, poll.spoiler)


def open_poll_card(
    poll: Poll, position_line: str, entries: tuple[PollEntry, ...], translate: Translator
) -> Card:
    """Return the card of an open poll, without its picture. ``position_line`` describes the position."""
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
    intro = translate("🙋 <@{user}> asks: **what would you play?**", user=poll.author_id)
    return Card(
        f"{join_blocks([position_line], poll_moment(poll), intro=intro)}\n{' · '.join(counts)}",
        controls=(PollAction("p"), PollAction("r")),
        note=translate("Answers are secret until the reveal. You can change yours until then."),
        accent="poll",
    )


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


def result_card(
    author_id: int, position_line: str, result: PollResult, moment: Moment, translate: Translator
) -> Card:
    """Return the card of a poll's result, without its picture."""
    intro = translate("🙋 <@{user}> asked: **what would you play?**", user=author_id)
    votes = [vote for proposal in result.proposals for vote in proposal.votes]
    table = [code_block(_table(result, translate))] if result.proposals else []
    blocks = [position_line, *table, _voters_text(result, translate) if votes else translate("No answers.")]
    notes = list(result.remarks)
    if any(proposal.is_best for proposal in result.proposals):
        notes.insert(0, translate("★ marks the engine's choice."))
    if any(vote.view is AnalysisView.BEFORE_ANSWER for vote in votes):
        notes.append(translate("👀 marks players who looked at an analysis before answering."))
    note = " ".join(notes)
    return Card(
        join_blocks(blocks, moment, intro=intro),
        note=as_spoiler(note) if moment.spoiler else note,
        accent="poll",
    )


def _voters_text(result: PollResult, translate: Translator) -> str:
    voted_proposals = [proposal for proposal in result.proposals if proposal.votes]
    # The winner is the best play by a player who had not seen an analysis when answering. It gets a trophy only if its
    # value is known.
    winner = next(
        (
            proposal
            for proposal in voted_proposals
            if any(vote.view is not AnalysisView.BEFORE_ANSWER for vote in proposal.votes)
        ),
        None,
    )
    lines: list[str] = []
    for proposal in voted_proposals[:MAX_ROWS]:
        prize = f" {_WINNER_EMOJI}" if proposal is winner and proposal.is_ranked else ""
        names = [
            f"<@{vote.user_id}>{_VIEWER_EMOJI if vote.view is AnalysisView.BEFORE_ANSWER else prize}"
            for vote in proposal.votes[:MAX_VOTERS_PER_PLAY]
        ]
        if len(proposal.votes) > MAX_VOTERS_PER_PLAY:
            names.append(f"+{len(proposal.votes) - MAX_VOTERS_PER_PLAY}")
        lines.append(f"**{proposal.label}** " + ", ".join(names))
    if unlisted_voter_count := sum(len(proposal.votes) for proposal in voted_proposals[MAX_ROWS:]):
        lines.append(translate.plural("{number} more", "{number} more", unlisted_voter_count))
    return "\n".join(lines)


def _table(result: PollResult, translate: Translator) -> str:
    rows = result.proposals[:MAX_ROWS]
    labels = tuple(row.label + BEST_LABEL if row.is_best and row.votes else row.label for row in rows)
    texts = tuple(row.text for row in rows)
    columns = [
        Column("", labels, is_left_aligned=True),
        Column(translate("play"), texts, is_left_aligned=True, short_cells=texts),
    ]
    if not result.column_titles:
        columns.append(Column("×", tuple(str(len(row.votes)) for row in rows)))
    for index, title in enumerate(result.column_titles):
        cells = tuple(row.cells[index] if index < len(row.cells) else "–" for row in rows)
        # Never drop the last column, because the rows are sorted by it.
        columns.append(Column(title, cells, drop_before_cutting=index < len(result.column_titles) - 1))
    return lay_out(columns, MAX_WIDTH)
