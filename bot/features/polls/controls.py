"""The controls that start a poll and those of an open poll; their cards in either game; where a poll is offered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

from bot.chat.card import Card, Choice, Moment, NoAnswerError, join_blocks
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.control import USER, Button, Control, Field, Form, OfMoment, Part, Service, control
from bot.chat.limits import Verdict
from bot.chat.markdown import behind_bars, code_block, escape
from bot.domain.chess.documents import BookSource, PuzzleSet
from bot.domain.crossword.game import Game, is_rack_known
from bot.domain.crossword.play_text import MAX_TYPED
from bot.domain.notations import is_chess
from bot.domain.reading.problems import Phrase
from bot.features.analysis.controls import PLAY_EXAMPLES, can_be_played
from bot.features.showing.chess.position import position_of_moment
from bot.features.showing.findings import Found
from bot.storage.polls import Look, Poll, PollPlay
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.card import Style
    from bot.chat.press import Press
    from bot.features.polls.commands import PollKeeper
    from bot.features.polls.service import Polls
    from bot.text import Speaker


POLLS: Service[Polls] = Service("polls", Phrase("This poll is over."))

_BY_HAND: Final = "0"
_TIMES: Final = ("10", "60", "480", "1440")
"""Minutes until a poll is revealed by itself."""


def offers(item: Found, moment: Moment, number: int | None = None, *, analysis: bool) -> tuple[Control, ...]:
    """Offer a poll about a position with a public rack that is not played elsewhere.

    ``analysis`` is True where crossword positions can be analyzed.
    """
    document = item.document
    if number is not None or item.going_on:
        return ()
    if is_chess(document):
        suits = (
            not isinstance(document, PuzzleSet | BookSource)
            and not position_of_moment(document, moment).is_over
        )
        return (Ask(moment),) if suits else ()
    if not analysis or item.format == "turn-url":
        return ()
    if isinstance(document, Game):
        public = moment.turn == len(document.turns) or is_rack_known(document, moment.turn)
        suits = bool(document.turns) and public and can_be_played(document.position_at(moment.turn))
    else:
        suits = can_be_played(item.position)
    return (Ask(moment),) if suits else ()


@control("ask:{moment}")
class Ask(OfMoment):
    """Starts a poll about a moment."""

    def face(self, say: Speaker, *, private: bool) -> Button | None:
        """Return the button; None on a private card."""
        return None if private else Button(say("Ask others"), "\N{HAPPY PERSON RAISING ONE HAND}")

    async def act(self, press: Press) -> None:
        """Open a form for the time of the reveal."""
        say = await press.say()
        _require_server(press, say)
        times = (
            Choice(_BY_HAND, say("When I press Reveal")),
            *(Choice(time, _time_words(int(time), say)) for time in _TIMES),
        )
        when = Field("when", say("Reveal the answers"), _BY_HAND, kind="radio", choices=times)
        await press.ask(Form(say("Ask others for their play"), (when,), self._begin))

    async def _begin(self, press: Press, typed: Mapping[str, str]) -> None:
        """Post the card."""
        minutes = int(typed["when"])
        after = timedelta(minutes=minutes) if minutes else None
        bot, say, channel = press.bot, await press.say(), press.channel
        guild = _require_server(press, say)
        if not press.may_write:
            raise NoAnswerError.saying(say("You can't write in this channel."))
        polls = await press.need(POLLS)
        if (known := await bot.store.poll_of(press.user, channel)) is not None:
            link = f"https://discord.com/channels/{guild}/{channel}/{known.message_id}"
            text = say("Your poll {link} is still open in this channel. Reveal it first.", link=link)
            raise NoAnswerError.saying(text)
        if bot.by_channel.take(channel) is not Verdict.GRANTED:
            raise NoAnswerError.saying(
                say("I've answered a lot in this channel just now. Try again in a minute.")
            )
        await polls.require(self.moment, say)
        await press.interaction.response.defer(thinking=True)
        style = await press.style_of_server()
        card, poll = await polls.begin(self.moment, press.user, after, style)
        await press.send(replace(card, controls=()), style.say, private=False)
        message = await press.interaction.original_response()
        poll = replace(poll, message_id=message.id, channel_id=channel, guild_id=guild)
        if not await bot.store.keep_poll(poll):
            await press.interaction.delete_original_response()
            raise NoAnswerError.saying(say("You have too many open polls. Reveal one first."))
        bot.dispatch("poll_begun", poll)
        # Only a stored poll can take answers.
        await press.edit(card, style.say, answered_id=press.user)


@control("poll:{what}")
class TakePart(Control):
    """Takes a player's answer to the poll of its message, or reveals the poll."""

    what: Annotated[str, Part("[pr]")]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        if self.what == "p":
            return Button(say("My play"), "\N{PENCIL}\ufe0f", "primary")
        return Button(say("Reveal"), "\N{PARTY POPPER}")

    async def act(self, press: Press) -> None:
        """Open a form for a play, or reveal."""
        say = await press.say()
        poll = await press.bot.store.poll(press.message.id)
        if poll is None:
            raise NoAnswerError.saying(over_words(say))
        if self.what == "p":
            play = Field("play", say("Your play"), placeholder=PLAY_EXAMPLES, max_length=MAX_TYPED)
            await press.ask(Form(say("What would you play?"), (play,), partial(_take, poll.message_id)))
            return
        if press.user != poll.asker_id and not press.is_moderator:
            raise NoAnswerError.saying(
                say("Only moderators and the person who started this poll can reveal it.")
            )
        await press.defer()
        if not await _keeper(press).reveal(poll):
            raise NoAnswerError.saying(say("This poll is already being revealed."))


async def _take(message_id: int, press: Press, typed: Mapping[str, str]) -> None:
    """Take a player's answer, and read it back in private."""

    async def take(style: Style) -> Card:
        server = await press.style_of_server()
        polls = await press.need(POLLS)
        card = await polls.play(message_id, press.user, typed["play"], server, style.say)
        _keeper(press).count_soon(message_id)
        return card

    await press.private(take)


@control("look:{poll}")
class LookAnyway(Control):
    """Notes that a player looks at the analysis although a poll is open. It names the poll's message."""

    poll: Annotated[int, USER]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("Look anyway"), "\N{EYES}")

    async def act(self, press: Press) -> None:
        """Note it."""

        async def look(style: Style) -> Card:
            say = style.say
            try:
                await press.bot.store.look_in_poll(self.poll, press.user)
            except KeyError:
                raise NoAnswerError.saying(over_words(say)) from None
            except ValueError:
                raise NoAnswerError.saying(full_words(say)) from None
            _keeper(press).count_soon(self.poll)
            return Card(say("👀 Noted. Press the button of the analysis again to see it."), accent="poll")

        await press.private(look)


def over_words(say: Speaker) -> str:
    """Say that a poll is over."""
    return say("This poll is over.")


def full_words(say: Speaker) -> str:
    """Say that a poll has room for no more people."""
    return say("This poll is full.")


def _time_words(minutes: int, say: Speaker) -> str:
    if minutes < 60:
        return say.count("After {number} minute", "After {number} minutes", minutes)
    return say.count("After {number} hour", "After {number} hours", minutes // 60)


def _keeper(press: Press) -> PollKeeper:
    keeper: PollKeeper = press.cog("PollKeeper")
    return keeper


def _require_server(press: Press, say: Speaker) -> int:
    """Return the server of a press, where the card can be changed later.

    Raises:
        NoAnswerError: the press comes from elsewhere, or from a server without the bot.

    """
    if press.guild is None or press.bot.get_guild(press.guild) is None:
        raise NoAnswerError.saying(say("Polls work only in servers that I have joined."))
    return press.guild


MAX_ROWS: Final = 12
"""Plays in the table."""
MAX_NAMED: Final = 8
"""People named for one play."""
BEST_SIGN: Final = "★"
"""The sign of the engine's best play, in the table and on the board."""
_LOOKED: Final = "👀"
_WINNER: Final = "🏆"


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
    def signs(self) -> tuple[str, ...]:
        """The sign of each play in the table and on the board: a number, or a star without voters."""
        signs: list[str] = []
        number = 0
        for proposed in self.proposed:
            number += bool(proposed.voters)
            signs.append(str(number) if proposed.voters else BEST_SIGN)
        return tuple(signs)

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
        place = next((at for at, row in enumerate(table) if is_same(row.play, play)), len(table))
        unknown = Proposed(play, "", (), worth(play), is_ranked=False)
        row = table[place] if place < len(table) else unknown
        found.append((place, replace(row, play=play, words=words(play), voters=tuple(voters))))
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
        *([say.count("{number} has looked", "{number} have looked", looks)] if looks else []),
        say("revealed {when} at the latest", when=f"<t:{int(poll.ends.timestamp())}:R>"),
    ]
    lead = say("🙋 <@{user}> asks: **what would you play?**", user=poll.asker_id)
    secret = say("Answers are secret until the reveal. You can change yours until then.")
    text = f"{join_blocks([line], moment_of(poll), lead=lead)}\n{' · '.join(counts)}"
    return Card(text, controls=(TakePart("p"), TakePart("r")), note=secret, accent="poll")


def answer_taken(words: str, before: PollPlay | None, moment: Moment, say: Speaker) -> Card:
    """Read a player's answer back. ``before`` is the player's earlier part in the poll."""
    play = f"**{escape(words)}**"
    if moment.spoiler:
        play = behind_bars(play)
    text = (
        say("✅ Your answer: {play}. You can change it until the reveal.", play=play)
        if before is None or before.play is None
        else say("✅ Your new answer: {play}. You can change it until the reveal.", play=play)
    )
    if before is not None and before.look in {Look.BEFORE, Look.APART}:
        text += "\n" + say("👀 You looked at the analysis before you answered. The reveal will show this.")
    return Card(text, accent="poll")


def answer_outcome(asker: int, line: str, outcome: Outcome, moment: Moment, say: Speaker) -> Card:
    """Return the card of a result without its picture: all plays with their worth, the winner, and the looks."""
    lead = say("🙋 <@{user}> asked: **what would you play?**", user=asker)
    voters = [voter for proposed in outcome.proposed for voter in proposed.voters]
    table = [code_block(_table(outcome, say))] if outcome.proposed else []
    blocks = [line, *table, _people(outcome, say) if voters else say("No answers.")]
    notes = list(outcome.remarks)
    if any(proposed.is_best for proposed in outcome.proposed):
        notes.insert(0, say("★ is the engine's best."))
    if any(voter.look is Look.BEFORE for voter in voters):
        notes.append(say("👀 looked at an analysis before answering."))
    note = " ".join(notes)
    note = behind_bars(note) if moment.spoiler and note else note
    return Card(join_blocks(blocks, moment, lead=lead), note=note, accent="poll")


def _people(outcome: Outcome, say: Speaker) -> str:
    """List the people behind each play, a line each."""
    winner = outcome.winner
    lines: list[str] = []
    left = 0
    for sign, proposed in zip(outcome.signs, outcome.proposed, strict=True):
        voters = proposed.voters
        if len(lines) == MAX_ROWS:
            left += len(voters)
        elif voters:
            names = []
            for voter in voters[:MAX_NAMED]:
                looked = voter.look is Look.BEFORE
                prize = f" {_WINNER}" if proposed is winner and not looked else ""
                names.append(f"<@{voter.user_id}>{_LOOKED if looked else ''}{prize}")
            if len(voters) > MAX_NAMED:
                names.append(f"+{len(voters) - MAX_NAMED}")
            lines.append(f"**{sign}** " + ", ".join(names))
    if left:
        lines.append(say.count("{number} more", "{number} more", left))
    return "\n".join(lines)


def _table(outcome: Outcome, say: Speaker) -> str:
    listed = list(zip(outcome.signs, outcome.proposed, strict=True))[:MAX_ROWS]
    signs = tuple(
        sign + BEST_SIGN if proposed.is_best and proposed.voters else sign for sign, proposed in listed
    )
    words = tuple(proposed.words for _, proposed in listed)
    columns = [Column("", signs, to_the_left=True), Column(say("play"), words, to_the_left=True, short=words)]
    if not outcome.figures:
        columns.append(Column("×", tuple(str(len(proposed.voters)) for _, proposed in listed)))
    for at, figure in enumerate(outcome.figures):
        cells = tuple(proposed.cells[at] if at < len(proposed.cells) else "–" for _, proposed in listed)
        columns.append(Column(figure, cells))
    return lay_out(columns, MAX_WIDTH)
