"""Texts and cards about live games."""

from __future__ import annotations

from collections.abc import Sequence

from bot.chat.card import MAX_TEXT_LENGTH, Card
from bot.chat.markdown import escape, one_line
from bot.domain.crossword.notations.turn_url.live import Contradiction, RefusedTurn
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, GameSettings, UrlTurn
from bot.domain.crossword.play import Coordinate
from bot.features.showing.findings import LiveGameUpdate
from bot.text import Translator

MAX_REMARKS = 3
"""Maximum number of contradictions to mention. The same limit applies to refused turns and to deleted games."""

_MAX_RANGES = 8


def remarks_on_update(update: LiveGameUpdate, translate: Translator) -> tuple[str, ...]:
    remarks = [
        _contradiction_text(contradiction, translate) for contradiction in update.contradictions[:MAX_REMARKS]
    ]
    if update.contradictions:
        remarks.append(translate("Kibitz keeps the first version. `/game forget` lets you start over."))
    remarks += [
        _refused_turn_text(refused_turn, translate) for refused_turn in update.refused_turns[:MAX_REMARKS]
    ]
    if update.waiting_turns:
        remarks.append(_waiting_text(update, translate))
    elif 0 < update.last_turn < update.contiguous_turn_count and not update.refused_turns:
        remarks.append(
            translate(
                "The game has continued since that link. This is turn {turn}.",
                turn=update.contiguous_turn_count,
            )
        )
    if update.unconfirmed_turn:
        remarks.append(
            translate(
                "Turn {turn} wasn't posted by its player. A link from that player would replace it.",
                turn=update.unconfirmed_turn,
            )
        )
    if update.new_seats:
        names = dict(enumerate(update.names))
        players = ", ".join(
            f"<@{user}> ({escape(names.get(seat, '')[:30])})" for seat, user in update.new_seats
        )
        remarks.append(
            translate(
                "Kibitz assumes that the players are {players}. Each of them sees their own rack with `/game show "
                "my_rack:True`. If that is wrong, use `/game seats`.",
                players=players,
            )
        )
    if update.deleted_game_ids:
        remarks.append(
            "⚠ "
            + translate.plural(
                "Kibitz keeps up to {limit} games for each person, so it deleted your oldest one: {games}.",
                "Kibitz keeps up to {limit} games for each person, so it deleted your oldest ones: {games}.",
                len(update.deleted_game_ids),
                limit=update.max_games,
                games=", ".join(game_id_text(game_id) for game_id in update.deleted_game_ids[:MAX_REMARKS]),
            )
        )
    if not update.is_stored:
        remarks.append(
            "⚠ " + translate("This game is too long to store. Kibitz has kept the earlier version.")
        )
    if update.is_new:
        remarks.append(
            translate(
                "Kibitz is now following game {game}. Post the next link here to update the board.",
                game=game_id_text(update.game_id),
            )
        )
    return tuple(remarks)


def _refused_turn_text(refused_turn: RefusedTurn, translate: Translator) -> str:
    return "⛔ " + translate(
        "Turn {turn} can't be played and is left out: {problem}.",
        turn=refused_turn.turn,
        problem=escape(translate.problem(refused_turn.error)),
    )


def player_labels(update: LiveGameUpdate) -> dict[int, str]:
    """Return a label for each known player's seat: the player's name in the server, or a mention that notifies no one."""
    return {seat: escape(one_line(name)[:30]) or f"<@{user}>" for seat, user, name in update.players}


def waiting_card(waiting_games: Sequence[LiveGameUpdate], translate: Translator) -> Card:
    lines = []
    for update in waiting_games:
        known = translate.plural(
            "Kibitz knows turn {turns} of game {game}, but not its start.",
            "Kibitz knows turns {turns} of game {game}, but not its start.",
            len(update.waiting_turns),
            game=game_id_text(update.game_id),
            turns=ranges_text(update.waiting_turns),
        )
        lines.append("⏳ " + known + " " + translate("Post the link with the whole game to see the board."))
        lines += (
            _contradiction_text(contradiction, translate)
            for contradiction in update.contradictions[:MAX_REMARKS]
        )
    return Card("\n".join(lines)[:MAX_TEXT_LENGTH], has_result=False)


def ranges_text(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [str(first) if first == last else f"{first}–{last}" for first, last in runs[:_MAX_RANGES]]
    return ", ".join([*parts, "…"] if len(runs) > _MAX_RANGES else parts)


def game_id_text(game_id: str) -> str:
    return f"**{escape(game_id, 60)}**"


def _waiting_text(update: LiveGameUpdate, translate: Translator) -> str:
    missing = tuple(turn for turn in update.missing_turns if turn < update.waiting_turns[-1])
    return "⏳ " + translate.plural(
        "Turn {turns} is waiting for {wanted}.",
        "Turns {turns} are waiting for {wanted}.",
        len(update.waiting_turns),
        turns=ranges_text(update.waiting_turns),
        wanted=translate.plural("turn {turns}", "turns {turns}", len(missing), turns=ranges_text(missing)),
    )


def _contradiction_text(contradiction: Contradiction, translate: Translator) -> str:
    accepted, rejected = contradiction.accepted, contradiction.rejected
    if isinstance(accepted, GameSettings) or isinstance(rejected, GameSettings):
        return "⚠ " + translate("The game settings in this link differ from those in an earlier link.")
    if (
        isinstance(accepted, ExchangeTurn)
        and isinstance(rejected, ExchangeTurn)
        and len(accepted.positions) == len(rejected.positions)
    ):
        return "⚠ " + translate(
            "In an earlier link, turn {turn} exchanged different tiles.", turn=contradiction.turn
        )
    return "⚠ " + translate(
        "Turn {turn} is {given} in this link, but was {kept} in an earlier link.",
        turn=contradiction.turn,
        given=_turn_text(rejected, translate),
        kept=_turn_text(accepted, translate),
    )


def _turn_text(turn: UrlTurn, translate: Translator) -> str:
    if isinstance(turn, ExchangeTurn):
        if not turn.positions:
            return translate("a pass")
        return translate.plural(
            "an exchange of {number} tile", "an exchange of {number} tiles", len(turn.positions)
        )
    start = Coordinate(turn.row, turn.column, turn.direction)
    return f"**{start} {escape(turn.word.replace('.', ''), 40)}**"
