"""What is said of dailies: the card, the day after, what can be shared, and the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.chat.card import Card, Drawing
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import code_block, one_line
from bot.features.puzzles.cards import Question, stars_text
from bot.features.puzzles.controls import daily_controls
from bot.features.puzzles.rating import Progress
from bot.features.puzzles.wanted import Kind
from bot.storage.dailies.values import DailyCounts, DailyPost, Leader, Solver
from bot.text import Speaker

MAX_NAMED = 20
"""People whom the day after names."""
MAX_ROWS = 10
"""Ranks of a board; who shares the last one stands there, too, up to as many again."""

_SIGNS = {Kind.CROSSWORD: "", Kind.CHESS: " ♟"}


def daily_line(number: int, streak: int, say: Speaker) -> str:
    """Say which daily it is, and how long the streak, if there is one."""
    head = say("Daily {number}", number=str(number))
    return f"{head} · {say('streak {days}', days=streak)}" if streak else head


def card_text(post: DailyPost, asked: Question, counts: DailyCounts, say: Speaker) -> str:
    """Say which daily it is, what is asked, and how many have answered."""
    head = say("**Daily {number}** · {lexicon}", number=str(post.key.number), lexicon=asked.source)
    answering = say("Answers are private until the next one comes.")
    return f"{head}\n{asked.text}\n-# {answering}\n{_counts_line(counts, say)}"


def _counts_line(counts: DailyCounts, say: Speaker) -> str:
    if not counts.tried:
        return say("Nobody has tried it yet.")
    return say(
        "Tried: {tried} · solved: {solved} · at the first try: {first}",
        tried=counts.tried,
        solved=counts.solved,
        first=counts.first,
    )


def card(post: DailyPost, text: str, drawing: Drawing) -> Card:
    """Return a daily as it is posted."""
    controls = daily_controls(post.key.game, post.key.number, post.puzzle)
    return Card(text, (drawing,), controls=controls)


def closed_text(post: DailyPost, counts: DailyCounts, say: Speaker) -> str:
    """Say under a daily that it is over."""
    over = say("Daily {number} is over; its solution is below.", number=str(post.key.number))
    return f"{over}\n{_counts_line(counts, say)}"


def solution(
    post: DailyPost,
    answer: tuple[str, Drawing],
    counts: DailyCounts,
    solvers: Sequence[Solver],
    say: Speaker,
) -> Card:
    """Return what is posted the day after: the answer, and who found it."""
    text, drawing = answer
    head = say("**Daily {number}**", number=str(post.key.number))
    blocks = [f"{head} · {_counts_line(counts, say)}", text]
    if counts.solved:
        blocks.append(_solvers_line(counts, solvers, say))
    controls = daily_controls(post.key.game, post.key.number)
    return Card("\n".join(blocks), (drawing,), controls=controls)


def _solvers_line(counts: DailyCounts, solvers: Sequence[Solver], say: Speaker) -> str:
    named = [
        f"<@{one.user_id}>" + (f" 🔥{one.streak}" if one.streak > 1 else "") for one in solvers[:MAX_NAMED]
    ]
    more = counts.solved - len(named)
    if not named:
        return say("Who wants to be named says so with `/settings me`, `named`.")
    if more > 0:
        named.append(say.count("{number} more", "{number} more", more))
    return say("Solved by: {names}", names=", ".join(named))


def share_text(number: int, kind: Kind, progress: Progress, streak: int, say: Speaker) -> str:
    """Say how somebody did, with nothing of the answer."""
    parts = [
        f"{say('Kibitz daily {number}', number=str(number))}{_SIGNS[kind]} {stars_text(progress)}",
        say.count("{number} try", "{number} tries", progress.tries + 1),
    ]
    if progress.hints:
        parts.append(say.count("{number} hint", "{number} hints", progress.hints))
    if streak:
        parts.append(say("streak {days}", days=streak))
    return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Somebody's place on a board."""

    rank: int
    leader: Leader


def ranked(leaders: Sequence[Leader]) -> tuple[Ranked, ...]:
    """Rank people who stand in order; those who are equal in stars and in what they solved share a rank."""
    ranks: list[Ranked] = []
    for place, leader in enumerate(leaders, start=1):
        last = ranks[-1] if ranks else None
        same = last is not None and _worth(last.leader) == _worth(leader)
        ranks.append(Ranked(last.rank if last is not None and same else place, leader))
    return tuple(ranks)


def _worth(leader: Leader) -> tuple[int, int]:
    return leader.stars, leader.solved


def on_board(ranks: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return the ranks that a board shows."""
    return tuple(one for one in ranks if one.rank <= MAX_ROWS)[: 2 * MAX_ROWS]


def board(
    title: str, ranks: Sequence[Ranked], names: Mapping[int, str], asker: int | None, say: Speaker
) -> Card:
    """Return a board.

    Args:
        title: What it is about.
        ranks: Everybody who solved something.
        names: What those are called who want to be named and are known; nobody else is named.
        asker: Who alone sees it, and is told the own rank; None when everybody sees it.
        say: The speaker.

    """
    if not ranks:
        return Card(f"{title}\n{say('Nobody has solved a daily here in this time.')}", found=False)
    shown = on_board(ranks)
    nobody = say("somebody")
    called = tuple(one_line(names.get(one.leader.user_id, nobody), MAX_WIDTH) for one in shown)
    table = lay_out(
        [
            Column("", tuple(str(one.rank) for one in shown)),
            Column(say("name"), called, to_the_left=True, short=called),
            Column(say("stars"), tuple(str(one.leader.stars) for one in shown)),
            Column(say("solved"), tuple(str(one.leader.solved) for one in shown), optional=True),
        ]
    )
    blocks = [title, code_block(table)]
    own = next((one for one in ranks if one.leader.user_id == asker), None)
    if own is not None:
        blocks.append(say("You: rank {rank} of {all}.", rank=own.rank, all=len(ranks)))
    if not all(one.leader.named for one in shown):
        blocks.append("-# " + say("Who wants to be named says so with `/settings me`, `named`."))
    return Card("\n".join(blocks))


def answer_after_solving(say: Speaker) -> Card:
    """Tell somebody that what was asked would give a daily away."""
    text = say(
        "🗓 That would give today's daily away. I tell you after you solved it, or looked at its solution."
    )
    return Card(text, found=False)


def answer_not_before_the_end(say: Speaker) -> Card:
    """Tell somebody who has solved a daily that others have not."""
    text = say("🗓 That would give today's daily away to the others. I tell it to you alone.")
    return Card(text, found=False)
