"""The cards of crossword positions and games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from bot.chat.card import (
    MAX_ALT_LENGTH,
    MAX_LABEL_LENGTH,
    Card,
    Choice,
    Drawing,
    Moment,
    RefusalError,
    ReplyContext,
    Scene,
    menu_window,
    moment_card,
    truncate,
    with_paging,
)
from bot.chat.markdown import escape, isolated_name
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import CLASSIC_VARIANT, GAMES_WITH_OWN_TILES
from bot.domain.notations import CrosswordDocument, Document
from bot.features.showing.controls import (
    AROUND_PREFIX,
    ControlProvider,
    TurnMenu,
    replay_controls,
    view_controls,
    viewer_controls,
)
from bot.features.showing.conversion import conversion_card
from bot.features.showing.correction import confirmation_controls
from bot.features.showing.crossword.board_scene import (
    alt_text,
    player_name,
    position_scene,
    scores_text,
    unseen_text,
)
from bot.features.showing.crossword.game_scene import (
    chart_text,
    describe_turn,
    ending_alt_text,
    ending_scene,
    ending_text,
    is_finished_match,
    moment_scene,
    replay_scene,
    score_chart,
    seat_name,
    visible_position,
)
from bot.features.showing.crossword.live import player_labels
from bot.features.showing.findings import FoundDocument
from bot.features.showing.links import source_link
from bot.features.showing.pace import Pace
from bot.features.showing.remarks import expired_card, remarks, unconfirmed_squares
from bot.text import Translator
from render.scene import Layout, RenderedImage

MAX_NOTE_LENGTH = 600

COPIED_NOTATION = "cgp"
"""The *Copy* button writes CGP even for a game, because users copy positions more often than games."""


def convert_moment(document: CrosswordDocument, moment: Moment, target: str, translate: Translator) -> Card:
    turn = _nearest_moment(moment, document).turn if isinstance(document, Game) else None
    return conversion_card(document, target, translate, spoiler=moment.spoiler, turn=turn)


def _nearest_moment(moment: Moment, game: Game) -> Moment:
    """Return the moment of the game nearest to ``moment``.

    ``moment`` may lie outside the game if an earlier version of Kibitz read different turns in the same text.
    """
    turn = min(moment.turn, len(game.turns))
    seat = moment.seat if moment.seat is not None and moment.seat < len(game.names) else None
    return moment if (turn, seat) == (moment.turn, moment.seat) else replace(moment, turn=turn, seat=seat)


def card_at(
    found: FoundDocument,
    moment: Moment,
    context: ReplyContext,
    controls_for: ControlProvider,
    *,
    centre: int | None = None,
) -> Card:
    game, translate = found.document, context.translate
    if not isinstance(game, Game) or not game.turns:
        return position_card(found, replace(moment, turn=0, seat=None), context, controls_for)
    moment = _nearest_moment(moment, game)
    names = player_labels(found.update) if found.update is not None else {}
    is_at_end = moment.turn == len(game.turns) and is_finished_match(game)
    position = visible_position(game, moment.turn, moment.seat)
    scene: Scene
    if is_at_end and context.appearance.layout is not Layout.BOARD:
        blocks, note, picture_name = [ending_text(game, context)], "", "game"
        scene, alt = ending_scene(game, context), ending_alt_text(game, translate)
    else:
        blocks = [
            f"{status_line(position, translate, names=names)}\n{_turn_line(game, moment.turn, translate, names)}"
        ]
        note, picture_name = position_note(position, translate), "position"
        scene = moment_scene(game, moment.turn, moment.seat, context, position=position, on_card=True)
        turn_text = translate("Turn {turn} of {turns}", turn=moment.turn, turns=len(game.turns))
        alt = alt_text(position, translate, f"{turn_text}.")
    blocks += _remarks(found, game, moment.turn, translate)
    if comment := _notes_text(game, moment.turn):
        blocks.append(f"📝 {comment}")
    if source := source_link(game, translate):
        blocks.append(source)
    numbers, earlier, later = menu_window(len(game.turns) + 1, moment.turn if centre is None else centre)
    choices = tuple(
        _turn_choice(game, turn, position, moment, translate)
        for turn, position in enumerate(islice(game.positions(), numbers.stop))
        if turn in numbers
    )
    controls, more_controls = viewer_controls(
        moment,
        last_turn=len(game.turns),
        turn_menu=TurnMenu(
            moment, translate("Go to turn"), with_paging(choices, AROUND_PREFIX, earlier, later, translate)
        ),
        views=view_controls(moment, translate, has_chart=True, sides=_side_choices(game, moment, translate)),
        feature_controls=controls_for(found, moment),
        is_at_end=is_at_end,
        public=context.public,
    )
    return moment_card(
        moment,
        blocks,
        scene,
        alt,
        name=picture_name,
        controls=controls,
        more_controls=more_controls,
        note=note,
    )


def _remarks(found: FoundDocument, game: Game, turn: int, translate: Translator) -> tuple[str, ...]:
    if turn == len(game.turns):
        return remarks(found, translate)
    line = game.turns[turn - 1].line if turn else 0
    warnings_here = tuple(warning for warning in found.warnings if line and warning.line == line)
    return remarks(replace(found, warnings=warnings_here, error=None), translate)


def replay_card(game: CrosswordDocument, moment: Moment, pace: Pace, context: ReplyContext) -> Card:
    translate = context.translate
    if not isinstance(game, Game):
        raise RefusalError(expired_card(translate))
    end = game.position_at(len(game.turns))
    intro = translate.plural("A replay of {number} turn.", "A replay of {number} turns.", len(game.turns))
    return moment_card(
        moment,
        [position_line(end, translate, len(game.turns))],
        replay_scene(game, context, pace),
        alt_text(end, translate, intro),
        name="replay",
        controls=replay_controls(moment, pace),
    )


def add_size_limit_notes(
    card: Card, animation: RenderedImage, position_count: int, translate: Translator
) -> Card:
    remarks = []
    if animation.cell_size < animation.normal_cell_size:
        remarks.append(translate("Drawn smaller so that it can be sent here."))
    if left_out := position_count - animation.frame_count:
        remarks.append(
            translate.plural(
                "{number} intermediate position is left out.",
                "{number} intermediate positions are left out.",
                left_out,
            )
        )
    return replace(card, text="\n".join([card.text, f"-# {' '.join(remarks)}"])) if remarks else card


def chart_card(game: Document, moment: Moment, context: ReplyContext) -> Card:
    if not isinstance(game, Game):
        raise RefusalError(expired_card(context.translate))
    text = position_line(game.position_at(len(game.turns)), context.translate, len(game.turns))
    scene = score_chart(game, context)
    alt = truncate(f"{scene.title}. {chart_text(scene, context.translate)}", MAX_ALT_LENGTH)
    return moment_card(moment, [text], scene, alt, name="scores")


def _turn_line(game: Game, turn: int, translate: Translator, names: Mapping[int, str]) -> str:
    if turn == 0:
        return translate.plural(
            "The start of the game; {number} turn follows",
            "The start of the game; {number} turns follow",
            len(game.turns),
        )
    played_turn = game.turns[turn - 1]
    return translate(
        "Turn {turn} of {turns}: {player} · {play} {score:+d} → {cumulative}",
        turn=turn,
        turns=len(game.turns),
        player=names.get(played_turn.seat) or escape(seat_name(game, played_turn.seat, translate), 40),
        play=f"**{escape(describe_turn(played_turn, game.position_at(turn), translate), 120)}**",
        score=played_turn.score,
        cumulative=played_turn.cumulative,
    )


def _notes_text(game: Game, turn: int) -> str:
    if turn:
        played_turn = game.turns[turn - 1]
        parts = [played_turn.note, *(comment.text for comment in played_turn.comments)]
    else:
        parts = [game.title, game.description, game.note, *(comment.text for comment in game.comments)]
    text = " / ".join(line.strip() for part in parts for line in part.split("\n") if line.strip())
    return escape(truncate(text, MAX_NOTE_LENGTH))


def _turn_choice(game: Game, turn: int, position: Position, moment: Moment, translate: Translator) -> Choice:
    if turn == 0:
        return Choice("0", translate("The start"))
    if moment.spoiler:
        return Choice(str(turn), translate("Turn {turn}", turn=turn))
    played_turn = game.turns[turn - 1]
    play = describe_turn(played_turn, position, translate)
    label = f"{turn}. {isolated_name(seat_name(game, played_turn.seat, translate), 30)}: {play} {played_turn.score:+d}"
    description = translate("{cumulative} in all", cumulative=played_turn.cumulative)
    if played_turn.note or played_turn.comments:
        description += " 📝"
    return Choice(str(turn), label[:MAX_LABEL_LENGTH], description)


def _side_choices(game: Game, moment: Moment, translate: Translator) -> tuple[Choice, ...]:
    seats = sorted({turn.seat for turn in game.turns if turn.rack and not turn.rack_unknown_count})
    seat_names = (
        (
            seat,
            translate("Player {seat}", seat=seat + 1)
            if moment.spoiler
            else isolated_name(seat_name(game, seat, translate), 60),
        )
        for seat in seats
    )
    return tuple(
        Choice(str(seat), translate("As {player} saw it", player=player)) for seat, player in seat_names
    )


_COMMON_DISTRIBUTION_NAMES = {"english_super": "english", "turn-url-en": "english", "turn-url-es": "spanish"}


def position_card(
    found: FoundDocument, moment: Moment, context: ReplyContext, controls_for: ControlProvider
) -> Card:
    translate, position = context.translate, found.position
    scene = position_scene(position, context, doubtful_squares=unconfirmed_squares(found), on_card=True)
    check_controls = (
        confirmation_controls(found.picture_confidence, moment) if found.picture_confidence else ()
    )
    if unconfirmed_squares(found) is None:
        controls, more_controls = viewer_controls(
            moment, feature_controls=controls_for(found, moment), public=context.public
        )
        more_controls = (*check_controls, *more_controls)
    else:
        controls, more_controls = check_controls, ()
    return moment_card(
        moment,
        ["\n".join([status_line(position, translate), *remarks(found, translate)])],
        scene,
        alt_text(position, translate),
        controls=controls,
        more_controls=more_controls,
        note=position_note(position, translate),
    )


def document_label(found: FoundDocument, translate: Translator) -> str:
    position = found.position
    has_names = any(player.name for player in position.players)
    parts = (
        f"{player_name(position, seat, translate)} {player.score}" if has_names else str(player.score)
        for seat, player in enumerate(position.players[:3])
    )
    return " – ".join(parts)


def document_drawing(found: FoundDocument, context: ReplyContext) -> Drawing:
    scene = position_scene(found.position, context, doubtful_squares=unconfirmed_squares(found))
    return Drawing(scene, alt_text(found.position, context.translate), spoiler=found.spoiler)


def document_line(found: FoundDocument, translate: Translator) -> str:
    turn_count = len(found.document.turns) if isinstance(found.document, Game) else None
    return position_line(found.position, translate, turn_count)


def position_line(position: Position, translate: Translator, turn_count: int | None = None) -> str:
    facts = _facts(position, translate)
    if position.rules.distribution.has_known_bag:
        facts.append(translate.plural("{number} tile unseen", "{number} tiles unseen", position.unseen.total))
    return " · ".join([status_line(position, translate, turn_count), *facts])


def status_line(
    position: Position,
    translate: Translator,
    turn_count: int | None = None,
    names: Mapping[int, str] | None = None,
) -> str:
    """Return the player to move, the scores and the number of turns. ``names`` (by seat) overrides the name of the player to move."""
    if position.is_over:
        parts = [translate("**The game is over**")]
    else:
        mover = escape(player_name(position, position.on_turn, translate), 40)
        parts = [translate("**{player} to move**", player=(names or {}).get(position.on_turn) or mover)]
    parts.append(scores_text(position, translate))
    if turn_count is not None:
        parts.append(translate.plural("{number} turn", "{number} turns", turn_count))
    return " · ".join(parts)


def position_note(position: Position, translate: Translator) -> str:
    return " · ".join(filter(None, (*_facts(position, translate), unseen_text(position, translate))))


def _facts(position: Position, translate: Translator) -> list[str]:
    rules = position.rules
    facts = [escape(rules.lexicon, 60)] if rules.lexicon else []
    if game := GAMES_WITH_OWN_TILES.get(rules.distribution.name):
        facts.append(game)
    elif (
        name := _COMMON_DISTRIBUTION_NAMES.get(rules.distribution.name, rules.distribution.name)
    ) != "english":
        facts.append(translate("{distribution} tiles", distribution=escape(name.replace("_", " "), 40)))
    if rules.variant != CLASSIC_VARIANT:
        facts.append(escape(rules.variant, 40))
    return facts


def _without_decoration(text: str) -> str:
    """Remove the parts of a CGP that have no meaning: a prefix, repeated spaces and a final semicolon."""
    words = text.split()
    while words and words[0].lower() in ("load", "cgp", "cgp:"):
        del words[0]
    return " ".join(words).rstrip(";")


def canonical_text(found: FoundDocument) -> str | None:
    canonical = cgp.write_or_none(found.position)
    return (
        None if canonical and _without_decoration(canonical) == _without_decoration(found.text) else canonical
    )
