"""Merges posted links into the stored live games that they continue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from bot.chat.card import Card, join_fitting_blocks
from bot.chat.markdown import escape
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import (
    LiveGame,
    MergedGame,
    MergeResult,
    Post,
    Seats,
    merge,
    merge_posts,
)
from bot.domain.crossword.notations.turn_url.url import TurnUrl
from bot.domain.reading.problems import DomainError
from bot.features.showing.crossword.live import game_id_text, ranges_text
from bot.features.showing.findings import (
    Findings,
    FoundDocument,
    LiveGameUpdate,
    TurnLink,
    UnreadableText,
)
from bot.storage.live_games import LiveGameRecord
from bot.text import Translator

FORMAT = "turn-url"


@dataclass(frozen=True, slots=True)
class GameMergeResult:
    """The game after links were merged into it, and what changed."""

    merged: MergedGame
    update: LiveGameUpdate
    has_changed: bool
    seats: Seats | None = None
    """Set only if the links' channel is the game's home."""


def rebuild_game(record: LiveGameRecord) -> MergedGame:
    """Rebuild a game from its stored links. Links that this version cannot read are skipped."""
    posts = []
    for posted_url in record.urls:
        try:
            posts.append(Post(posted_url.author_id, turn_url.read(posted_url.url).value))
        except DomainError:  # possible only if the reader has become stricter since the link was stored
            continue
    return merge_posts(record.game_id, tuple(posts))


def merge_links(
    record: LiveGameRecord | None,
    game_id: str,
    links: tuple[TurnLink, ...],
    author_id: int,
    seats: Seats | None,
) -> GameMergeResult:
    """Merge links into their stored game. ``seats`` is None outside the game's home channel."""
    merged = rebuild_game(record) if record else MergedGame((), LiveGame(game_id))
    draws_id_before, seats_before, turn_count_before = merged.draws_id, seats, merged.turn_count
    steps: list[MergeResult] = []
    for link in links:
        step = merge(merged, Post(author_id, link.url), seats.known_occupants if seats else None)
        if (
            step.contradictions
            and link.url.is_history
            and merged.replay_result is not None
            and merged.replay_result.is_over
        ):
            # The old game is over, and the link reuses the id for a new game.
            step = merge(MergedGame((), LiveGame(game_id)), Post(author_id, link.url))
            # The new game may have other players, so it keeps the seats only if the tile draws are the same.
            has_same_draws = step.merged.draws_id == draws_id_before
            seats = (
                replace(seats, settled_turn_count=0, last_disputed_turn=0)
                if seats is not None and has_same_draws
                else None
            )
        if seats is not None:
            last_turn = step.merged.turn_count
            contradicts_last_turn = any(
                contradiction.turn == last_turn for contradiction in step.contradictions
            )
            seats = seats.after_link(step.merged, author_id, contradicts_last_turn=contradicts_last_turn)
        steps.append(step)
        merged = step.merged
    has_changed = any(step.has_changed for step in steps)
    have_seats_changed = (
        seats is not None and seats_before is not None and seats.occupants != seats_before.occupants
    )
    known_occupants = sorted(seats.known_occupants.items()) if seats else []
    update = LiveGameUpdate(
        game_id,
        is_new=has_changed
        and record is None
        and merged.replay_result is not None
        and not merged.replay_result.is_over,
        last_turn=max(link.url.next_turn_number - 1 for link in links),
        contradictions=tuple(contradiction for step in steps for contradiction in step.contradictions),
        refused_turns=tuple(refused_turn for step in steps for refused_turn in step.refused_turns),
        new_seats=tuple(known_occupants) if have_seats_changed else (),
        names=merged.replay_result.names if merged.replay_result is not None else (),
        unconfirmed_turn=_unconfirmed_turn(merged, seats, author_id) if has_changed else 0,
        players=tuple((seat, user, "") for seat, user in known_occupants),
        user_to_move=_user_to_move(merged, seats) if merged.turn_count > turn_count_before else None,
        contiguous_turn_count=merged.turn_count,
        waiting_turns=merged.game.waiting_turns,
        missing_turns=merged.game.missing_turns,
    )
    return GameMergeResult(merged, update, has_changed, seats)


def _user_to_move(merged: MergedGame, seats: Seats | None) -> int | None:
    if seats is None or merged.replay_result is None or merged.replay_result.is_over:
        return None
    return seats.occupants.get(merged.seat_of_turn(merged.turn_count + 1))


def _unconfirmed_turn(merged: MergedGame, seats: Seats | None, author_id: int) -> int:
    """Return the last turn, if ``author_id`` was the first to post it but the turn belongs to another user's seat; otherwise 0."""
    if seats is None or not merged.turn_count:
        return 0
    occupant = seats.occupants.get(merged.seat_of_turn(merged.turn_count))
    is_by_author = merged.first_posts()[merged.turn_count].author_id == author_id
    return merged.turn_count if occupant is not None and is_by_author and occupant != author_id else 0


def game_document(
    merged: MergedGame, update: LiveGameUpdate, *, spoiler: bool = False
) -> FoundDocument | None:
    """Return a game as spectators see it, or None while its start is unknown."""
    history = merged.game.history
    if history is None or merged.replay_result is None:
        return None
    return FoundDocument(
        FORMAT, turn_url.write(history), merged.replay_result.game, spoiler=spoiler, update=update
    )


def replace_links(
    findings: Findings, links: tuple[TurnLink, ...], result: GameMergeResult, *, are_racks_public: bool
) -> Findings:
    """Replace links with the current state of their game. If ``are_racks_public``, add the racks."""
    link_texts = {link.text for link in links}
    is_hidden = any(link.spoiler for link in links)

    def is_replaced(found: FoundDocument | UnreadableText) -> bool:
        return found.format == FORMAT and found.text in link_texts

    other_findings = replace(
        findings,
        documents=tuple(found for found in findings.documents if not is_replaced(found)),
        unreadable_texts=tuple(found for found in findings.unreadable_texts if not is_replaced(found)),
        turn_links=tuple(link for link in findings.turn_links if link.text not in link_texts),
    )
    live_game = game_document(result.merged, result.update, spoiler=is_hidden)
    if live_game is None:
        # The content of a hidden link stays hidden. Its turn number reveals nothing.
        update = replace(result.update, contradictions=()) if is_hidden else result.update
        return replace(other_findings, waiting_games=(*findings.waiting_games, update))
    if are_racks_public:
        live_game = live_game.with_racks()
    # The game takes the place of the first document that it replaces.
    replaced_documents = [found for found in findings.documents if is_replaced(found)]
    index = (
        findings.documents.index(replaced_documents[0])
        if replaced_documents
        else len(other_findings.documents)
    )
    live_game = replace(live_game, warnings=replaced_documents[0].warnings if replaced_documents else ())
    return replace(
        other_findings,
        documents=(*other_findings.documents[:index], live_game, *other_findings.documents[index:]),
    )


def game_list_card(records: Sequence[LiveGameRecord], translate: Translator) -> Card:
    if not records:
        return Card(
            translate("There are no live games here. Post a Turn URL, and Kibitz will follow the game."),
            has_result=False,
        )
    return Card(
        join_fitting_blocks([f"• {_game_line(record, translate)}" for record in records]), accent="live"
    )


def _game_line(record: LiveGameRecord, translate: Translator) -> str:
    try:
        merged = rebuild_game(record)
    except DomainError:  # possible only if the rules have become stricter since the game was stored
        merged = MergedGame((), LiveGame(record.game_id))
    parts = [game_id_text(record.game_id)]
    replay_result, missing_turns = merged.replay_result, merged.game.missing_turns
    if replay_result is not None:
        players = replay_result.game.position_at(len(replay_result.game.turns)).players
        parts.append(
            " – ".join(
                f"{escape(name, 30)} {player.score}"
                for name, player in zip(replay_result.names, players, strict=True)
            )
        )
    parts.append(
        translate("finished")
        if replay_result is not None and replay_result.is_over
        else translate.plural("{number} turn", "{number} turns", merged.turn_count)
    )
    if missing_turns:
        parts.append(
            translate.plural(
                "turn {turns} is missing",
                "turns {turns} are missing",
                len(missing_turns),
                turns=ranges_text(missing_turns),
            )
        )
    if record.updated is not None:
        parts.append(f"<t:{int(record.updated.timestamp())}:R>")
    return " · ".join(parts)


def history_digest(history: TurnUrl) -> str:
    """Return a digest of a game. The players' names and the game's ids do not affect the digest."""
    settings = history.settings
    anonymous_history = replace(
        history,
        game_id="g",
        turns=tuple(replace(turn, changes=()) for turn in history.turns),
        settings=replace(settings, names=("",) * len(settings.player_names), seed=history.seed),
        changes=(),
        player_id=None,
        base="",
        extra=(),
    )
    return sha256(turn_url.write(anonymous_history).encode("utf-8", "surrogatepass")).hexdigest()[:32]
