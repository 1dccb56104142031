"""Joins posted links to a stored live game; the seats of its players, their card and their control."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Final
from weakref import WeakValueDictionary

from bot.chat.card import Card, fitting
from bot.chat.control import Button, Control, Part, Service, control, number_part
from bot.chat.markdown import escape
from bot.chat.source import Origin
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import (
    Joined,
    LiveGame,
    Post,
    Pressed,
    Seats,
    Table,
    join,
    table_of,
)
from bot.domain.crossword.notations.turn_url.url import TurnUrl
from bot.domain.reading.problems import DomainError
from bot.features.showing.crossword.live import game_words, ranges
from bot.features.showing.findings import Findings, Found, Link, LiveNews
from bot.storage.live_games import DrawsRecord, LiveGameRecord, LiveText
from bot.storage.store import Store
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.live.service import LiveGames


FORMAT = "turn-url"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A game after some links were joined to it."""

    table: Table
    news: LiveNews
    changed: bool
    seats: Seats | None = None
    """The seats after the links; None for links posted outside the game's home channel."""


def stored_table(record: LiveGameRecord) -> Table:
    """Rebuild a game from its stored links. Links that this version cannot read are skipped."""
    posts = []
    for text in record.texts:
        try:
            posts.append(Post(text.author_id, turn_url.read(text.text).value))
        except DomainError:  # only if the reader has become stricter since
            continue
    return table_of(record.game_id, tuple(posts))


def record_of(
    record: LiveGameRecord | None, origin: Origin, game_id: str, table: Table
) -> LiveGameRecord | None:
    """Return the record of a game to store; None when the game is too long."""
    texts = tuple(LiveText(post.author_id, turn_url.write(post.url)) for post in table.posts)
    guild_id = record.guild_id if record else origin.guild_id
    try:
        return LiveGameRecord(origin.channel_id, game_id, guild_id, texts)
    except ValueError:
        return None


def join_links(
    record: LiveGameRecord | None,
    game_id: str,
    links: tuple[Link, ...],
    author_id: int,
    seats: Seats | None,
) -> Outcome:
    """Join links to their stored game. ``seats`` is None outside the game's home channel."""
    table = stored_table(record) if record else Table((), LiveGame(game_id))
    draws, before, turns = table.draws, seats, table.turns
    steps: list[Joined] = []
    for link in links:
        step = join(table, Post(author_id, link.url), seats.holders if seats else None)
        if step.contradictions and link.url.is_history and table.played is not None and table.played.over:
            # The old game is done: its id is used for a new one.
            step = join(Table((), LiveGame(game_id)), Post(author_id, link.url))
            # The new game may have other players, and remarks about the old one do not apply to it.
            same = seats is not None and step.table.draws == draws
            seats = replace(seats, settled=0, disputed=0) if seats is not None and same else None
        if seats is not None:
            last = step.table.turns
            contradicted = any(contradiction.turn == last for contradiction in step.contradictions)
            seats = seats.after(step.table, author_id, contradicted=contradicted)
        steps.append(step)
        table = step.table
    changed = any(step.changed for step in steps)
    newly = seats is not None and before is not None and seats.held != before.held
    news = LiveNews(
        game_id,
        begun=changed and record is None and table.played is not None and not table.played.over,
        last=max(link.url.next_turn - 1 for link in links),
        contradictions=tuple(contradiction for step in steps for contradiction in step.contradictions),
        refusals=tuple(refusal for step in steps for refusal in step.refusals),
        seated=tuple(sorted(seats.holders.items())) if seats is not None and newly else (),
        names=table.played.names[-1] if table.played is not None else (),
        strange=_strange(table, seats, author_id) if changed else 0,
        players=tuple((seat, user, "") for seat, user in sorted(seats.holders.items())) if seats else (),
        turn_of=_turn_of(table, seats) if table.turns > turns else None,
        known=table.turns,
        waiting=table.game.waiting,
        missing=table.game.missing,
    )
    return Outcome(table, news, changed, seats)


def _turn_of(table: Table, seats: Seats | None) -> int | None:
    """Return the user on turn; None when unknown, or the game is over."""
    if seats is None or table.played is None or table.played.over:
        return None
    return seats.held.get(table.seat(table.turns + 1))


def _strange(table: Table, seats: Seats | None, author_id: int) -> int:
    """Return the last turn if its player did not post it, else 0."""
    if seats is None or not table.turns:
        return 0
    holder = seats.held.get(table.seat(table.turns))
    mine = table.tellers()[table.turns].author_id == author_id
    return table.turns if holder is not None and mine and holder != author_id else 0


def item_of(table: Table, news: LiveNews, *, spoiler: bool = False) -> Found | None:
    """Return a game as onlookers see it, as a document; None while its start is not known."""
    history = table.game.history
    if history is None or table.played is None:
        return None
    return Found(FORMAT, turn_url.write(history), table.played.game, spoiler=spoiler, news=news)


def in_place(findings: Findings, links: tuple[Link, ...], outcome: Outcome, *, opened: bool) -> Findings:
    """Replace links by the current state of their game; ``opened`` with its racks, when these are public."""
    texts = {link.text for link in links}
    item = item_of(outcome.table, outcome.news, spoiler=any(link.spoiler for link in links))
    if item is not None and opened:
        item = item.with_racks()
    found: list[Found] = []
    placed = item is None
    for other in findings.found:
        if other.format != FORMAT or other.text not in texts:
            found.append(other)
        elif item is not None and not placed:
            found.append(replace(item, warnings=other.warnings))
            placed = True
    if item is not None and not placed:
        found.append(item)
    refused = tuple(
        refusal for refusal in findings.refused if refusal.format != FORMAT or refusal.text not in texts
    )
    rest = tuple(link for link in findings.links if link.text not in texts)
    waiting = findings.waiting
    if item is None:
        # The content of a hidden link stays hidden; the number of its turn reveals nothing.
        hidden = any(link.spoiler for link in links)
        waiting += (replace(outcome.news, contradictions=()) if hidden else outcome.news,)
    return replace(findings, found=tuple(found), refused=refused, links=rest, waiting=waiting)


def answer_list(records: Sequence[LiveGameRecord], say: Speaker) -> Card:
    """Return the card with the live games of a channel."""
    if not records:
        text = say("There is no live game here. Post a Turn URL to have its game followed.")
        return Card(text, found=False)
    return Card(fitting([f"• {_line(record, say)}" for record in records]), accent="live")


def _line(record: LiveGameRecord, say: Speaker) -> str:
    """Describe a stored game."""
    try:
        table = stored_table(record)
    except DomainError:  # only if the rules have become stricter since
        table = Table((), LiveGame(record.game_id))
    parts, played, missing = [game_words(record.game_id)], table.played, table.game.missing
    if played is not None:
        players = played.game.position_at(len(played.game.turns)).players
        named = zip(played.names[-1], players, strict=True)
        parts.append(" – ".join(f"{escape(name, 30)} {player.score}" for name, player in named))
    over = played is not None and played.over
    parts.append(say("over") if over else say.count("{number} turn", "{number} turns", table.turns))
    if missing:
        words = say.count(
            "turn {turns} is missing", "turns {turns} are missing", len(missing), turns=ranges(missing)
        )
        parts.append(words)
    if record.updated is not None:
        parts.append(f"<t:{int(record.updated.timestamp())}:R>")
    return " · ".join(parts)


def course_digest(history: TurnUrl) -> str:
    """Return a digest of the course of a game: its rules, its seed and its plays."""
    settings = history.settings
    bare = replace(
        history,
        game_id="g",
        turns=tuple(replace(turn, changes=()) for turn in history.turns),
        settings=replace(settings, names=("",) * len(settings.player_names), seed=history.seed),
        changes=(),
        player_id=None,
        base="",
        extra=(),
    )
    return sha256(turn_url.write(bare).encode("utf-8", "surrogatepass")).hexdigest()[:32]


LIVE: Service[LiveGames] = Service("live")

AGREE: Final = "ok"
LEAVE: Final = "out"

_under_way: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()


@control("seat:{draws}:{what}:{mark}")
class Seat(Control):
    """Takes the presser's word about the seats of a game; the mark names who was shown to sit where."""

    draws: Annotated[int, number_part(10)]
    what: Annotated[str, Part(rf"{number_part(2).looks}|ok|out")]
    """The number of a seat, or that all are right, or that the presser leaves."""
    mark: Annotated[str, Part("[0-9a-f]{8}")]
    player: str = ""

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        if self.what == AGREE:
            return Button(say("That is right"), style="success")
        return Button(say("Leave") if self.what == LEAVE else say("I am {player}", player=self.player))

    async def act(self, press: Press) -> None:
        """Change the seats as the presser wants, show who plays now, or explain to the presser why nothing changed."""
        origin, live = press.origin, await press.need(LIVE)
        assert origin is not None  # a control stands in a channel
        await press.defer()
        style = await press.style(private=False)
        moderator = press.guild is not None and press.is_moderator

        def change(seats: Seats, turns: int) -> tuple[Seats, Pressed]:
            if self.what == AGREE:
                return seats.agree(press.user, self.mark, turns, moderator=moderator)
            if self.what == LEAVE:
                return seats.leave(press.user, turns, moderator=moderator)
            return seats.say(press.user, int(self.what), self.mark, turns)

        # Every press counts, and the result of the last one is shown last.
        async with _under_way.setdefault(press.message.id, asyncio.Lock()):
            done = await live.press_seat(origin, self.draws, style, change)
            if done is not None:
                await press.edit(done[0], style.say)
        refused = (
            style.say("This game is no longer stored here.")
            if done is None
            else answer_pressed(done[1], style.say)
        )
        if refused:
            await press.tell(refused)


MAX_TRIES = 20
"""Maximum attempts at a change that others interrupt by changing the same game."""


def home_of(table: Table, origin: Origin) -> DrawsRecord | None:
    """Return a record of a game whose home is the channel of a posted link; None where no game can have its home.

    A direct message is no home: no other player could confirm the seats.
    """
    if table.draws is None or origin.guild_id is None:
        return None
    held: dict[int, int | None] = {0: origin.author_id} if table.players == 1 else {}
    return DrawsRecord(
        table.draws, origin.channel_id, table.game.game_id, origin.guild_id, origin.author_id, held
    )


def is_home(home: DrawsRecord | None, channel_id: int, game_id: str) -> bool:
    """Return whether a channel is the home of a game with an id."""
    return home is not None and (home.channel_id, home.game_id) == (channel_id, game_id)


def seats_of(home: DrawsRecord, players: int) -> Seats:
    """Return who sits where in a game of so many players."""
    held = {seat: user for seat, user in home.held.items() if seat < players}
    asked = {seat: user for seat, user in home.asked.items() if seat < players}
    return Seats(players, home.bringer_id, held, asked, home.settled, home.disputed)


def with_seats(home: DrawsRecord, seats: Seats) -> DrawsRecord:
    """Return the record of a game with these seats."""
    return replace(home, held=seats.held, asked=seats.asked, settled=seats.settled, disputed=seats.disputed)


async def claim_opening(store: Store, draws: int, digest: str, asker_id: int) -> bool:
    """Return whether a finished game without a home may be shown with its racks.

    For each seed of draws this is allowed for one course of the game, the first requested. Otherwise a person who knows
    a game except its end could try endings.
    """
    for _ in range(MAX_TRIES):
        known = await store.live_draws(draws)
        if known is not None and (known.channel_id is not None or known.opened is not None):
            return known.opened == digest
        wanted = replace(known or DrawsRecord(draws, bringer_id=asker_id), opened=digest)
        if await store.keep_live_draws(wanted, known.version if known else 0):
            return True
    return False


async def change_seats(
    store: Store,
    draws: int,
    players: int,
    change: Callable[[Seats], tuple[Seats, Pressed]],
) -> tuple[Seats, Pressed] | None:
    """Change the seats of a game; None when the game no longer has a home.

    Raises:
        RuntimeError: other changes interrupted every attempt.

    """
    for _ in range(MAX_TRIES):
        home = await store.live_draws(draws)
        if home is None or home.channel_id is None:
            return None
        seats, pressed = change(seats_of(home, players))
        following = with_seats(home, seats)
        if following == home or await store.keep_live_draws(following, home.version):
            return seats, pressed
    raise RuntimeError(f"the seats of a live game were changed {MAX_TRIES} times meanwhile")


MAX_NAME = 30


def answer_seats(game_id: str, draws: int, names: Sequence[str], seats: Seats, say: Speaker) -> Card:
    """Return the card of a game's seats, with controls to take them."""
    lines = [say("Who plays game {game}?", game=f"**{escape(game_id[:60])}**")]
    lines += [
        f"{seat + 1}. {escape(name[:MAX_NAME])}: {_who(seats, seat, say)}" for seat, name in enumerate(names)
    ]
    if len(seats.holders) == len(names):
        lines.append(
            say(
                "See your own rack with `/game show my_rack:True`; no one else can. *Leave* frees your "
                "seat. A moderator can free every seat."
            )
        )
    else:
        lines.append(
            say(
                "Press your seat. When every seat is taken, a known player, the person who posted the "
                "game or a moderator presses **That is right**."
            )
        )
    controls = [
        Seat(draws, str(seat), seats.mark, name[:MAX_NAME])
        for seat, name in enumerate(names)
        if seats.is_free(seat)
    ]
    if seats.is_full and seats.asked:
        controls.append(Seat(draws, AGREE, seats.mark))
    if seats.held or seats.asked:
        controls.append(Seat(draws, LEAVE, seats.mark))
    return Card("\n".join(lines), controls=tuple(controls), accent="live")


def _who(seats: Seats, seat: int, say: Speaker) -> str:
    if seat in seats.asked:
        return say("{player}, not confirmed yet", player=f"<@{seats.asked[seat]}>")
    if seat not in seats.held:
        return say("seat still free")
    holder = seats.held[seat]
    return say("seat closed") if holder is None else f"<@{holder}>"


def answer_pressed(pressed: Pressed, say: Speaker) -> str:
    """Return why a press changes no seat; empty when it changes one."""
    match pressed:
        case Pressed.TAKEN:
            return say("Another player has this seat. They can leave it, or a moderator can free it.")
        case Pressed.SEATED:
            return say("You already have a seat in this game. Leave it first.")
        case Pressed.CHANGED:
            return say("The seats have changed. Check them and press again.")
        case Pressed.NOT_YOURS:
            return say("Only a player, the person who posted the game or a moderator can confirm the seats.")
        case Pressed.NOTED | Pressed.AGREED | Pressed.LEFT:
            return ""


def answer_no_seat(say: Speaker) -> Card:
    """Return why a rack cannot be shown yet, and what to do; the same for every person who is not a known player."""
    return Card(
        say(
            "A rack is shown only to its player. Kibitz knows the players once each of them has "
            "played a word and the first has played again. Until then, use `/game seats` in the "
            "server channel where the game's first link was posted, and press your seat."
        ),
        found=False,
    )
