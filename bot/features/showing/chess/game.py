"""The answer with a moment of a chess game: the move, what was said about it, and what else could have been played."""

from __future__ import annotations

from bot.chat.card import MAX_LABEL, Card, Choice, Drawing, Moment, Style, clipped, join_blocks, window
from bot.chat.markdown import behind_bars, escape, name
from bot.domain.chess.documents import ChessDocument, ChessGame, ChessMove
from bot.domain.chess.eco import opening_at
from bot.domain.chess.position import VARIANTS, ChessPosition
from bot.features.showing.chess.board_scene import chess_replay, game_scene
from bot.features.showing.chess.page import (
    MAX_TURN,
    Page,
    is_white_below,
    lichess_link,
    turned,
)
from bot.features.showing.chess.words import chess_alt_text, drawn_text, player_name, state_text, to_move_text
from bot.features.showing.controls import looks_at, replay_controls, turns_menu, viewer
from bot.features.showing.findings import Found
from bot.features.showing.links import source_link
from bot.features.showing.pace import Pace, clock_text
from bot.text import Speaker

MAX_NOTE = 600
"""Characters told of the comment on a move."""
MAX_FACT = 90
"""Characters told of a tag or an opening's name."""
_MOVES = 12
"""Half-moves of the list of moves."""
MAX_VARIATIONS = 4
MAX_VARIATION = 160
"""Characters told of one variation."""


def answer_chess_moment(game: ChessGame, page: Page) -> Card:
    """Show a moment of a game: the move, the clock, what was said about it, and what else could have been played."""
    moment, say = page.moment, page.style.say
    turn = moment.turn
    position = game.position_at(turn)
    white_below = is_white_below(moment)
    blocks = ["\n".join([_players(game, turn, say), _turn_line(game, turn, position, say)]), *page.remarks]
    blocks += _comments(game, turn)
    if lines := _variations(game, turn, say):
        blocks.append(lines)
    if game.turns:
        blocks.append(_moves(game, turn))
    links = [] if page.going_on else [lichess_link(position, say, white_below=white_below)]
    if source := source_link(game, say):
        links.append(source)
    scene = game_scene(game, turn, page.style, white_below=white_below)
    numbers, earlier, later = window(min(len(game.turns), MAX_TURN) + 1, page.around)
    choices = tuple(_turn_choice(game, number, moment, say) for number in numbers)
    controls, more = viewer(
        moment,
        last=min(len(game.turns), MAX_TURN),
        turns=turns_menu(moment, say("Go to move"), choices, say, earlier=earlier, later=later),
        flipped=turned(moment, white_below=white_below),
        looks=looks_at(moment, say) if game.turns else (),
        offers=page.offers,
        at_end=turn == len(game.turns) and (game.result != "*" or position.is_over),
    )
    lead = f"{_moment_words(game, turn, say)} {drawn_text(game, turn, say)}".rstrip()
    drawing = Drawing(scene, chess_alt_text(position, say, lead), spoiler=moment.spoiler)
    note = " · ".join(links)
    return Card(
        join_blocks(blocks, moment),
        (drawing,),
        controls=controls,
        more=more,
        note=behind_bars(note) if moment.spoiler and note else note,
        accent="board",
    )


def _moment_words(game: ChessGame, turn: int, say: Speaker) -> str:
    """Say who plays, and which moment it is."""
    return say(
        "{white} against {black}, after turn {turn} of {turns}.",
        white=player_name(game, say, white=True),
        black=player_name(game, say, white=False),
        turn=turn,
        turns=len(game.turns),
    )


def _players(game: ChessGame, turn: int, say: Speaker) -> str:
    """Say in one line who plays, where and when; the result at the end only."""
    white, black = (escape(player_name(game, say, white=white)) for white in (True, False))
    parts = [say("**{white} – {black}**", white=white, black=black)]
    if game.result != "*" and turn == len(game.turns):
        parts.append(escape(game.result.replace("1/2-1/2", "½–½").replace("-", "–")))
    return " · ".join([*parts, *game_facts(game, turn)])


def game_facts(game: ChessGame, turn: int) -> list[str]:
    """Return what is known of a game up to a turn, as far as it is: event, opening, date."""
    opening = game.tag("Opening") or str(opening_at(game, turn) or game.tag("ECO"))
    variant = VARIANTS[game.start.variant].name if game.start.variant else ""
    facts = [variant, game.tag("Event"), opening, game.tag("Date").replace(".??", "")]
    return [escape(text, MAX_FACT) for text in facts if text]


def _moves(game: ChessGame, turn: int) -> str:
    """Write the moves around the one shown, which stands out: some two lines on a phone."""
    # A line begins with a move of White, so that the numbers do not jump about from turn to turn.
    first = max(1, turn - _MOVES // 2)
    first = max(1, first - (game.number(first).endswith("...")))
    last = min(len(game.turns), first + _MOVES - 1)
    # The first sign keeps "1." from being the number of a list.
    words = ["♟", *(["…"] if first > 1 else [])]
    for number in range(first, last + 1):
        label = game.number(number)
        if number == first or not label.endswith("..."):
            words.append(label)
        move = escape(game.turns[number - 1].san)
        words.append(f"**{move}**" if number == turn else move)
    return " ".join([*words, *(["…"] if last < len(game.turns) else [])])


def _turn_line(game: ChessGame, turn: int, position: ChessPosition, say: Speaker) -> str:
    """Say in one line which move it is, what it came to, and the clock after it."""
    if not turn:
        before = say.count(
            "The start, before {number} turn", "The start, before {number} turns", len(game.turns)
        )
        return " · ".join([before, to_move_text(position, say)])
    taken = game.turns[turn - 1]
    parts = [
        say(
            "Turn {turn} of {turns}: {move}",
            turn=turn,
            turns=len(game.turns),
            move=f"**{game.number(turn)} {escape(taken.san)}{taken.glyph}**",
        )
    ]
    if state := state_text(position, say):
        parts.append(state)
    elif turn < len(game.turns) or game.result == "*":
        parts.append(to_move_text(position, say))
    if taken.clock is not None:
        parts.append(say("clock {time}", time=clock_text(taken.clock)))
    if taken.evaluation:
        parts.append(say("evaluation {worth}", worth=escape(taken.evaluation)))
    return " · ".join(parts)


def _comments(game: ChessGame, turn: int) -> list[str]:
    """Return what was remarked on a turn, before the first one on the game."""
    remark = game.turns[turn - 1].remark if turn else game.remark
    return [f"📝 {escape(clipped(remark, MAX_NOTE))}"] if remark else []


def _variations(game: ChessGame, turn: int, say: Speaker) -> str:
    """List what could have been played instead of the move shown, a line each."""
    variations = game.turns[turn - 1].variations if turn else ()
    lines = [
        f"↳ {escape(clipped(variation_text(game, turn, moves), MAX_VARIATION))}"
        for moves in variations[:MAX_VARIATIONS]
    ]
    if len(variations) > MAX_VARIATIONS:
        more = len(variations) - MAX_VARIATIONS
        lines.append(say.count("↳ {number} more variation", "↳ {number} more variations", more))
    return "\n".join(lines)


def variation_text(game: ChessGame, turn: int, moves: tuple[ChessMove, ...]) -> str:
    """Write a variation as in PGN; ``turn`` is the number of the turn that it replaces. Variations in it are left out."""
    words: list[str] = []
    numbered = True
    for number, move in enumerate(moves, start=turn):
        label = game.number(number)
        if numbered or not label.endswith("..."):
            words.append(label)
        words.append(move.san + move.glyph)
        if move.remark:
            words.append(f"({move.remark})")
        numbered = bool(move.remark)
        if sum(map(len, words)) > MAX_VARIATION:
            break
    before = f"{moves[0].before} " if moves and moves[0].before else ""
    return before + " ".join(words)


def _turn_choice(game: ChessGame, turn: int, moment: Moment, say: Speaker) -> Choice:
    if not turn:
        return Choice("0", say("The start"))
    if moment.spoiler:
        return Choice(str(turn), say("Turn {turn}", turn=turn))
    taken = game.turns[turn - 1]
    label = f"{game.number(turn)} {taken.san}{taken.glyph}"
    marks = ("📝 " if taken.remark else "") + "↳ " * min(len(taken.variations), MAX_VARIATIONS)
    detail = [marks.strip(), clock_text(taken.clock) if taken.clock is not None else ""]
    return Choice(str(turn), label[:MAX_LABEL], " · ".join(text for text in detail if text))


def answer_chess_replay(game: ChessDocument, moment: Moment, pace: Pace, style: Style) -> Card | None:
    """Show a game from the start to the end, from the side of the moment, with controls; None when it is none."""
    if not isinstance(game, ChessGame):
        return None
    say = style.say
    turns = len(game.turns)
    text = _players(game, turns, say)
    lead = say.count("A replay of {number} turn.", "A replay of {number} turns.", turns)
    alt = chess_alt_text(game.position_at(turns), say, f"{lead} {_moment_words(game, turns, say)}")
    scene = chess_replay(game, style, white_below=is_white_below(moment), pace=pace)
    drawing = Drawing(scene, alt, spoiler=moment.spoiler, name="replay")
    return Card(
        behind_bars(text) if moment.spoiler else text,
        (drawing,),
        controls=replay_controls(moment, pace),
        accent="board",
    )


def listed_game(item: Found, number: int, say: Speaker) -> Choice:
    """Return a game's entry in a list: the chapter of a study or who plays, the result, where and when.

    Of a hidden game it is its number alone.
    """
    game = item.document
    if item.spoiler or not isinstance(game, ChessGame):
        return Choice(item.digest, say("Game {number}", number=number))
    white, black = (player_name(game, say, white=white) for white in (True, False))
    title = name(game.tag("ChapterName"), MAX_FACT) or f"{name(white)} – {name(black)}"
    label = f"{number}. {title}"
    facts = [
        game.result if game.result != "*" else "",
        game.tag("Event"),
        game.tag("Date").replace(".??", ""),
    ]
    return Choice(item.digest, label[:MAX_LABEL], " · ".join(text for text in facts if text)[:MAX_LABEL])
