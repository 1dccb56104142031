"""The answer with a moment of a game: the picture, the turn in words, and what to step to from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.chat.card import (
    MAX_ALT,
    MAX_LABEL,
    Card,
    Choice,
    Drawing,
    Moment,
    Style,
    clipped,
    join_blocks,
    window,
)
from bot.chat.markdown import behind_bars, escape, name
from bot.domain.crossword.game import MAX_TURNS, Game
from bot.domain.crossword.position import Position
from bot.domain.notations import CrosswordDocument
from bot.features.showing.controls import Offers, looks_at, replay_controls, turns_menu, viewer
from bot.features.showing.conversion import answer_conversion
from bot.features.showing.crossword.board_scene import alt_text
from bot.features.showing.crossword.ending import chart_words, ending_blocks, ending_drawing, is_finished
from bot.features.showing.crossword.game_scene import (
    moment_of,
    moment_scene,
    replay_scene,
    score_chart,
    seat_name,
    turn_words,
)
from bot.features.showing.crossword.live import player_words
from bot.features.showing.crossword.position import (
    answer_position,
    crossword_remarks,
    position_line,
    position_note,
    standing_line,
)
from bot.features.showing.findings import Found
from bot.features.showing.links import source_link
from bot.features.showing.pace import Pace
from bot.text import Speaker
from render.scene import Layout, RenderedImage

MAX_NOTE = 600
"""Characters told of the notes on a turn."""


def answer_posted_game(found: tuple[Found, ...], unread: int, style: Style, offers: Offers) -> Card | None:
    """Show a game that was found alone at its end, or a position; None where there is more."""
    if len(found) > 1 or unread:
        return None
    game, at = found[0].document, found[0].at
    moment = Moment(found[0].digest, MAX_TURNS if at is None else at, spoiler=found[0].spoiler)
    if not isinstance(game, Game) or not game.turns:
        return answer_moment(found[0], moment, style, offers)
    who = player_words(found[0].news) if found[0].news is not None else None
    moment = _within(moment, game)
    return answer_viewer(found[0], game, moment, style, offers, who=who)


def answer_moment(
    item: Found, moment: Moment, style: Style, offers: Offers, *, around: int | None = None
) -> Card | None:
    """Show a moment of a stored document; a position has one."""
    game = item.document
    if not isinstance(game, Game) or not game.turns:
        return answer_position(item, replace(moment, turn=0, side=None), style, offers)
    at = _within(moment, game)
    return answer_viewer(item, game, at, style, offers, around=around)


def answer_game_conversion(document: CrosswordDocument, moment: Moment, to: str, say: Speaker) -> Card | None:
    """Give a game up to a moment, or the position of that moment, in another notation."""
    turn = _within(moment, document).turn if isinstance(document, Game) else None
    return answer_conversion(document, to, say, spoiler=moment.spoiler, turn=turn)


def _within(moment: Moment, game: Game) -> Moment:
    """Return the moment, or the nearest that the game has: a custom id may come from an older reading of its text."""
    turn = min(moment.turn, len(game.turns))
    side = moment.side if moment.side is not None and moment.side < len(game.names) else None
    return moment if (turn, side) == (moment.turn, moment.side) else replace(moment, turn=turn, side=side)


def answer_viewer(
    item: Found,
    game: Game,
    moment: Moment,
    style: Style,
    offers: Offers,
    *,
    remarks: tuple[str, ...] | None = None,
    around: int | None = None,
    who: Mapping[int, str] | None = None,
) -> Card:
    """Show a moment of a game with the controls to step on.

    ``remarks`` are said below the line about the turn as far as there is room; when None, what was odd in the text.
    ``who`` are players, by their seats, who are called otherwise than in the game.
    ``around`` is the turn around which turns are listed when there are too many for one list, the one shown when None.
    """
    say = style.say
    if remarks is None:
        remarks = _remarks(item, game, moment.turn, say)
    over = moment.turn == len(game.turns) and is_finished(game)
    position = moment_of(game, moment.turn, moment.side)
    if over and style.view.layout is not Layout.BOARD:
        blocks, note = ending_blocks(game, style), ""
        drawing = ending_drawing(game, moment, style)
    else:
        blocks = [f"{standing_line(position, say, who=who)}\n{_turn_line(game, moment.turn, say, who)}"]
        note = position_note(position, say, spoiler=moment.spoiler)
        scene = moment_scene(game, moment.turn, moment.side, style, on_card=True)
        drawing = Drawing(scene, _alt(game, moment.turn, position, say), spoiler=moment.spoiler)
    blocks += remarks
    if comment := _notes(game, moment.turn):
        blocks.append(f"📝 {comment}")
    if source := source_link(game, say):
        blocks.append(source)
    numbers, earlier, later = window(len(game.turns) + 1, moment.turn if around is None else around)
    choices = _choices(game, numbers, moment, say)
    controls, more = viewer(
        moment,
        last=len(game.turns),
        turns=turns_menu(moment, say("Go to turn"), choices, say, earlier=earlier, later=later),
        looks=looks_at(moment, say, chart=True, sides=_sides(game, moment, say)),
        offers=offers(item, moment),
        at_end=over,
    )
    return Card(
        join_blocks(blocks, moment), (drawing,), controls=controls, more=more, note=note, accent="board"
    )


def _remarks(item: Found, game: Game, turn: int, say: Speaker) -> tuple[str, ...]:
    """Say what was odd in a turn, at the end what was odd at all; places are those in the game's own text."""
    if turn == len(game.turns):
        return crossword_remarks(item, say)
    line = game.turns[turn - 1].line if turn else 0
    about = tuple(warning for warning in item.warnings if line and warning.line == line)
    return crossword_remarks(replace(item, warnings=about, error=None), say)


def answer_replay(game: CrosswordDocument, moment: Moment, pace: Pace, style: Style) -> Card | None:
    """Show a game from the start to the end, with controls for how fast; None when it is none."""
    if not isinstance(game, Game):
        return None
    say = style.say
    end = game.position_at(len(game.turns))
    text = position_line(end, say, len(game.turns))
    lead = say.count("A replay of {number} turn.", "A replay of {number} turns.", len(game.turns))
    drawing = Drawing(
        replay_scene(game, style, pace), alt_text(end, say, lead), spoiler=moment.spoiler, name="replay"
    )
    return Card(
        behind_bars(text) if moment.spoiler else text,
        (drawing,),
        controls=replay_controls(moment, pace),
        accent="board",
    )


def with_reduction(answer: Card, animation: RenderedImage, positions: int, say: Speaker) -> Card:
    """Say below a replay of so many positions what it took to make it small enough; nothing if it took nothing."""
    told = []
    if animation.cell < animation.full_cell:
        told.append(say("Drawn smaller so that it can be sent here."))
    if left_out := positions - animation.frames:
        told.append(
            say.count(
                "{number} position in between is left out.",
                "{number} positions in between are left out.",
                left_out,
            )
        )
    return replace(answer, text="\n".join([answer.text, f"-# {' '.join(told)}"])) if told else answer


def answer_chart(game: CrosswordDocument, moment: Moment, style: Style) -> Card | None:
    """Show the scores of a game over its turns; None when it is none."""
    if not isinstance(game, Game):
        return None
    text = position_line(game.position_at(len(game.turns)), style.say, len(game.turns))
    scene = score_chart(game, style)
    alt = clipped(f"{scene.title}. {chart_words(scene, style.say)}", MAX_ALT)
    drawing = Drawing(scene, alt, spoiler=moment.spoiler, name="scores")
    return Card(behind_bars(text) if moment.spoiler else text, (drawing,), accent="board")


def answer_too_large(say: Speaker) -> Card:
    """Say that a replay cannot be made small enough to be sent."""
    return Card(say("This game is too long for a replay that I can send here."), found=False)


def _turn_line(game: Game, turn: int, say: Speaker, who: Mapping[int, str] | None = None) -> str:
    """Say in one line which turn it is and what happened in it."""
    if turn == 0:
        return say.count(
            "The start, before {number} turn", "The start, before {number} turns", len(game.turns)
        )
    taken = game.turns[turn - 1]
    return say(
        "Turn {turn} of {turns}: {player} · {play} {score:+d} → {cumulative}",
        turn=turn,
        turns=len(game.turns),
        player=(who or {}).get(taken.player) or escape(seat_name(game, taken.player, say), 40),
        play=f"**{escape(turn_words(taken, game.position_at(turn), say), 120)}**",
        score=taken.score,
        cumulative=taken.cumulative,
    )


def _notes(game: Game, turn: int) -> str:
    """Return what was remarked on a turn, before the first one on the game."""
    if turn:
        taken = game.turns[turn - 1]
        parts = [taken.note, *(comment.text for comment in taken.comments)]
    else:
        parts = [game.title, game.description, game.note, *(comment.text for comment in game.comments)]
    text = " / ".join(line.strip() for part in parts for line in part.split("\n") if line.strip())
    return escape(clipped(text, MAX_NOTE))


def _alt(game: Game, turn: int, position: Position, say: Speaker) -> str:
    where = say("Turn {turn} of {turns}", turn=turn, turns=len(game.turns))
    return alt_text(position, say, f"{where}.")


def _choices(game: Game, turns: range, moment: Moment, say: Speaker) -> tuple[Choice, ...]:
    """List turns with what happened in them; of a hidden game with their numbers alone."""
    choices = []
    for turn, position in enumerate(game.positions()):
        if turn >= turns.stop:
            break
        if turn in turns:
            choices.append(_choice(game, turn, position, moment, say))
    return tuple(choices)


def _choice(game: Game, turn: int, position: Position, moment: Moment, say: Speaker) -> Choice:
    if turn == 0:
        return Choice("0", say("The start"))
    if moment.spoiler:
        return Choice(str(turn), say("Turn {turn}", turn=turn))
    taken = game.turns[turn - 1]
    words = turn_words(taken, position, say)
    label = f"{turn}. {name(seat_name(game, taken.player, say), 30)}: {words} {taken.score:+d}"
    detail = say("{cumulative} in all", cumulative=taken.cumulative)
    if taken.note or taken.comments:
        detail += " 📝"
    return Choice(str(turn), label[:MAX_LABEL], detail)


def _sides(game: Game, moment: Moment, say: Speaker) -> tuple[Choice, ...]:
    """List the sides from which the game looks different: those of the players whose racks it tells."""
    told = sorted({turn.player for turn in game.turns if turn.rack and not turn.rack_unknown})
    names = [
        say("Player {seat}", seat=seat + 1) if moment.spoiler else name(seat_name(game, seat, say), 60)
        for seat in told
    ]
    return tuple(
        Choice(str(seat), say("As {player} saw it", player=player))
        for seat, player in zip(told, names, strict=True)
    )
