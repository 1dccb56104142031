"""Cards for chess positions, games and puzzles."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.card import (
    MAX_CHOICES,
    MAX_LABEL_LENGTH,
    Card,
    Choice,
    Drawing,
    Moment,
    RefusalError,
    ReplyContext,
    menu_window,
    moment_card,
    truncate,
    with_paging,
)
from bot.chat.control import MAX_TURN, Control
from bot.chat.markdown import as_spoiler, escape, escape_line, isolated_name
from bot.domain.chess.documents import ChessDocument, ChessGame, ChessMove, Puzzle, PuzzleSet
from bot.domain.chess.notations import epd
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.board_scene import book_scene, chess_scene, game_scene, replay_scene
from bot.features.showing.chess.books import book_card
from bot.features.showing.chess.position import (
    bold_side_to_move,
    book_size_text,
    compiled_book,
    flipped_moment,
    is_white_at_bottom,
    lichess_link,
    nearest_moment,
    position_line,
)
from bot.features.showing.chess.texts import (
    MAX_FACT_LENGTH,
    annotations_text,
    chess_alt_text,
    game_facts,
    moment_text,
    numbered_moves,
    player_name,
    player_texts,
    side_to_move_text,
    status_text,
)
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
from bot.features.showing.findings import FoundDocument
from bot.features.showing.links import source_link
from bot.features.showing.pace import Pace, clock_text
from bot.features.showing.remarks import expired_card, remarks, unconfirmed_squares
from bot.text import Translator

COPIED_NOTATION = "fen"
"""The *Copy* button gives FEN even for a game, because users copy positions more often than games."""


def card_at(
    found: FoundDocument,
    moment: Moment,
    context: ReplyContext,
    controls_for: ControlProvider,
    *,
    centre: int | None = None,
) -> Card:
    document = found.chess_document
    moment = nearest_moment(moment, document)
    lines = _remarks(found, moment, context.translate)
    # Other features offer nothing for a position from a picture until a user has confirmed it.
    feature_controls = controls_for(found, moment) if unconfirmed_squares(found) is None else ()
    match document:
        case ChessGame():
            return _game_card(
                found,
                document,
                moment,
                context,
                remarks=lines,
                centre=centre,
                feature_controls=feature_controls,
            )
        case PuzzleSet():
            return _puzzle_card(
                document, moment, context, remarks=lines, centre=centre, feature_controls=feature_controls
            )
        case ChessPosition():
            return _position_card(
                found, document, moment, context, remarks=lines, feature_controls=feature_controls
            )
        case _:
            return book_card(document, moment, context, lines)


def document_line(found: FoundDocument, translate: Translator) -> str:
    document = found.chess_document
    match document:
        case ChessPosition():
            return position_line(document, translate)
        case ChessGame():
            return _game_line(document, translate)
        case PuzzleSet():
            return _puzzles_line(document, translate)
        case _:
            return " · ".join((translate("**Opening book**"), book_size_text(document, translate)))


def _game_line(game: ChessGame, translate: Translator) -> str:
    turn = len(game.turns)
    position = game.position_at(turn)
    parts = player_texts(game, turn, translate)
    parts.append(translate.plural("{number} turn", "{number} turns", turn))
    if turn:
        parts.append(f"{game.move_number(turn)} {escape(game.turns[-1].san)}")
    if status := status_text(position, translate):
        parts.append(status)
    elif game.result == "*":
        parts.append(bold_side_to_move(position, translate))
    parts += game_facts(game, turn)
    return " · ".join(parts)


def _puzzles_line(document: PuzzleSet, translate: Translator) -> str:
    first = document.puzzles[0]
    parts = [
        translate.plural("**{number} puzzle**", "**{number} puzzles**", len(document.puzzles)),
        bold_side_to_move(first.position, translate),
        *(escape(text) for text in first.description if text),
    ]
    line = " · ".join(parts)
    if first.solution_text.strip():
        line += "\n" + translate("Solution: {solution}", solution=as_spoiler(escape(first.solution_text)))
    return line


def document_label(found: FoundDocument, translate: Translator) -> str:
    document = found.chess_document
    match document:
        case ChessPosition():
            return side_to_move_text(document, translate)
        case ChessGame():
            return " – ".join(player_name(document, translate, white=white) for white in (True, False))
        case _:
            return ""


def game_choices(documents: tuple[FoundDocument, ...], translate: Translator) -> tuple[Choice, ...]:
    if len(documents) == 1:
        return ()
    return tuple(
        game_choice(found, number, translate) for number, found in enumerate(documents[:MAX_CHOICES], start=1)
    )


def convert_moment(document: ChessDocument, moment: Moment, target: str, translate: Translator) -> Card:
    """Convert a document. A game is converted up to the moment, and the FEN of a puzzle set contains only the displayed puzzle."""
    moment = nearest_moment(moment, document)
    turn = moment.turn if isinstance(document, ChessGame) else None
    if isinstance(document, PuzzleSet) and target == "fen":
        document = document.puzzles[moment.turn].position
    return conversion_card(document, target, translate, spoiler=moment.spoiler, turn=turn)


def _remarks(found: FoundDocument, moment: Moment, translate: Translator) -> tuple[str, ...]:
    """Return the remarks to show at a moment.

    A game shows its remarks at the last turn and at the turn in its link. In a set of puzzles, the first puzzle shows all remarks,
    and each later puzzle shows only the remarks about its own part of the file. The last puzzle also shows where parsing stopped.
    """
    document = found.document
    if isinstance(document, ChessGame) and moment.turn not in (len(document.turns), found.linked_turn):
        return ()
    if isinstance(document, PuzzleSet) and moment.turn:
        start = document.puzzles[moment.turn].line_number
        later_puzzles = document.puzzles[moment.turn + 1 :]
        end = later_puzzles[0].line_number if later_puzzles else float("inf")
        warnings_here = tuple(warning for warning in found.warnings if start <= warning.line < end)
        return remarks(
            replace(found, warnings=warnings_here, error=found.error if not later_puzzles else None),
            translate,
        )
    return remarks(found, translate)


def _position_card(
    found: FoundDocument,
    position: ChessPosition,
    moment: Moment,
    context: ReplyContext,
    *,
    remarks: tuple[str, ...],
    feature_controls: tuple[Control, ...],
) -> Card:
    translate = context.translate
    white_at_bottom = is_white_at_bottom(moment)
    blocks = [position_line(position, translate), *remarks]
    scene = chess_scene(
        position, context, white_at_bottom=white_at_bottom, doubtful_squares=unconfirmed_squares(found)
    )
    alt = chess_alt_text(position, translate)
    check_controls = (
        confirmation_controls(found.picture_confidence, moment) if found.picture_confidence else ()
    )
    if unconfirmed_squares(found) is not None:
        return moment_card(moment, blocks, scene, alt, controls=check_controls)
    controls, more_controls = viewer_controls(
        moment,
        flipped_moment=flipped_moment(moment, white_at_bottom=white_at_bottom),
        feature_controls=feature_controls,
        public=context.public,
    )
    return moment_card(
        moment,
        blocks,
        scene,
        alt,
        controls=controls,
        more_controls=(*check_controls, *more_controls),
        note=lichess_link(position, translate, white_at_bottom=white_at_bottom),
    )


def _puzzle_card(
    puzzle_set: PuzzleSet,
    moment: Moment,
    context: ReplyContext,
    *,
    remarks: tuple[str, ...],
    centre: int | None,
    feature_controls: tuple[Control, ...],
) -> Card:
    translate = context.translate
    puzzle = puzzle_set.puzzles[moment.turn]
    position = puzzle.position
    count = len(puzzle_set.puzzles)
    white_at_bottom = is_white_at_bottom(moment, default=position.white_to_move)
    heading = translate("**Puzzle {number} of {puzzles}**", number=moment.turn + 1, puzzles=count)
    lines = [
        f"{heading} · {position_line(position, translate)}",
        *map(escape_line, filter(None, puzzle.description)),
    ]
    blocks = ["\n".join(lines), *remarks]
    if puzzle.solution_text.strip():
        # If the set is a spoiler, spoiler bars inside the text would end the spoiler.
        solution = escape(puzzle.solution_text)
        solution_text = solution if moment.spoiler else as_spoiler(solution)
        blocks.append(translate("Solution: {solution}", solution=solution_text))
    indices, earlier, later = menu_window(count, moment.turn if centre is None else centre)
    choices = tuple(_puzzle_choice(puzzle_set.puzzles[index], index, moment, translate) for index in indices)
    # If the puzzle has a solution, the last three feature controls are for solving it. Put them first, because only one control fits
    # next to the step buttons. Without a solution, there are at most three controls, so the order does not change.
    feature_controls = (*feature_controls[-3:], *feature_controls[:-3])
    controls, more_controls = viewer_controls(
        moment,
        last_turn=count - 1,
        turn_menu=TurnMenu(
            moment,
            translate("Go to puzzle"),
            with_paging(choices, AROUND_PREFIX, earlier, later, translate),
            are_turns=False,
        ),
        flipped_moment=flipped_moment(moment, white_at_bottom=white_at_bottom),
        feature_controls=feature_controls,
        public=context.public,
    )
    intro = translate("Puzzle {number} of {puzzles}.", number=moment.turn + 1, puzzles=count)
    return moment_card(
        moment,
        blocks,
        chess_scene(position, context, white_at_bottom=white_at_bottom),
        chess_alt_text(position, translate, intro),
        controls=controls,
        more_controls=more_controls,
    )


def _puzzle_choice(puzzle: Puzzle, index: int, moment: Moment, translate: Translator) -> Choice:
    label = translate("Puzzle {number}", number=index + 1)
    if moment.spoiler:
        return Choice(str(index), label)
    description = " · ".join(text for text in puzzle.description if text)
    return Choice(
        str(index), label, (description or side_to_move_text(puzzle.position, translate))[:MAX_LABEL_LENGTH]
    )


MAX_NOTE_LENGTH = 600
_LISTED_PLIES = 12
MAX_VARIATIONS = 4
MAX_VARIATION_LENGTH = 160


def _game_card(
    found: FoundDocument,
    game: ChessGame,
    moment: Moment,
    context: ReplyContext,
    *,
    remarks: tuple[str, ...],
    centre: int | None,
    feature_controls: tuple[Control, ...],
) -> Card:
    translate = context.translate
    turn = moment.turn
    position = game.position_at(turn)
    white_at_bottom = is_white_at_bottom(moment)
    blocks = [
        "\n".join([_heading_text(game, turn, translate), _turn_line(game, turn, position, translate)]),
        *remarks,
    ]
    if remark := game.turns[turn - 1].remark if turn else game.remark:
        blocks.append(f"📝 {escape(truncate(remark, MAX_NOTE_LENGTH))}")
    if variations := _variations_text(game, turn, translate):
        blocks.append(variations)
    if game.turns:
        blocks.append(_moves_text(game, turn))
    links = (
        [] if found.is_in_progress else [lichess_link(position, translate, white_at_bottom=white_at_bottom)]
    )
    if source := source_link(game, translate):
        links.append(source)
    numbers, earlier, later = menu_window(
        min(len(game.turns), MAX_TURN) + 1, moment.turn if centre is None else centre
    )
    choices = tuple(_turn_choice(game, number, moment, translate) for number in numbers)
    controls, more_controls = viewer_controls(
        moment,
        last_turn=min(len(game.turns), MAX_TURN),
        turn_menu=TurnMenu(
            moment, translate("Go to move"), with_paging(choices, AROUND_PREFIX, earlier, later, translate)
        ),
        flipped_moment=flipped_moment(moment, white_at_bottom=white_at_bottom),
        views=view_controls(moment, translate) if game.turns else (),
        feature_controls=feature_controls,
        is_at_end=turn == len(game.turns) and (game.result != "*" or position.is_over),
        public=context.public,
    )
    scene = game_scene(game, turn, context, white_at_bottom=white_at_bottom, position=position)
    intro = f"{moment_text(game, turn, translate)} {annotations_text(game, turn, translate)}".rstrip()
    alt = chess_alt_text(position, translate, intro)
    return moment_card(
        moment, blocks, scene, alt, controls=controls, more_controls=more_controls, note=" · ".join(links)
    )


def _heading_text(game: ChessGame, turn: int, translate: Translator) -> str:
    return " · ".join([*player_texts(game, turn, translate), *game_facts(game, turn)])


def _moves_text(game: ChessGame, turn: int) -> str:
    # Begin with a move by White, unless Black starts the game. The list then shifts only at every second step.
    first = max(1, turn - _LISTED_PLIES // 2)
    first = max(1, first - (game.move_number(first).endswith("...")))
    last = min(len(game.turns), first + _LISTED_PLIES - 1)
    moves = [escape(move.san) for move in game.turns[first - 1 : last]]
    if turn:
        moves[turn - first] = f"**{moves[turn - first]}**"
    words = [*(["…"] if first > 1 else []), *numbered_moves(game, moves, first)]
    # Without the pawn, Markdown would turn "1." into a numbered list.
    return " ".join(["♟", *words, *(["…"] if last < len(game.turns) else [])])


def _turn_line(game: ChessGame, turn: int, position: ChessPosition, translate: Translator) -> str:
    if not turn:
        start_text = translate.plural(
            "The start of the game; {number} turn follows",
            "The start of the game; {number} turns follow",
            len(game.turns),
        )
        return " · ".join([start_text, side_to_move_text(position, translate)])
    move = game.turns[turn - 1]
    parts = [
        translate(
            "Turn {turn} of {turns}: {move}",
            turn=turn,
            turns=len(game.turns),
            move=f"**{game.move_number(turn)} {escape(move.san)}{move.glyph}**",
        )
    ]
    if status := status_text(position, translate):
        parts.append(status)
    elif turn < len(game.turns) or game.result == "*":
        parts.append(side_to_move_text(position, translate))
    if move.clock_ms is not None:
        parts.append(translate("clock {time}", time=clock_text(move.clock_ms)))
    if move.evaluation:
        parts.append(translate("evaluation {worth}", worth=escape(move.evaluation)))
    return " · ".join(parts)


def _variations_text(game: ChessGame, turn: int, translate: Translator) -> str:
    variations = game.turns[turn - 1].variations if turn else ()
    lines = [
        f"↳ {escape(truncate(variation_text(game, turn, moves), MAX_VARIATION_LENGTH))}"
        for moves in variations[:MAX_VARIATIONS]
    ]
    if (more_count := len(variations) - MAX_VARIATIONS) > 0:
        lines.append(translate.plural("↳ {number} more variation", "↳ {number} more variations", more_count))
    return "\n".join(lines)


def variation_text(game: ChessGame, turn: int, moves: tuple[ChessMove, ...]) -> str:
    """Format a variation as in PGN, without nested variations. ``turn`` is the first turn that the variation replaces."""
    words = [moves[0].comment_before] if moves and moves[0].comment_before else []
    needs_number = True
    # Any further moves would be cut off.
    for number, move in enumerate(moves[:MAX_VARIATION_LENGTH], start=turn):
        label = game.move_number(number)
        if needs_number or not label.endswith("..."):
            words.append(label)
        words.append(move.san + move.glyph)
        if move.remark:
            words.append(f"({move.remark})")
        needs_number = bool(move.remark)
    return " ".join(words)


def _turn_choice(game: ChessGame, turn: int, moment: Moment, translate: Translator) -> Choice:
    if not turn:
        return Choice("0", translate("The start"))
    if moment.spoiler:
        return Choice(str(turn), translate("Turn {turn}", turn=turn))
    move = game.turns[turn - 1]
    label = f"{game.move_number(turn)} {move.san}{move.glyph}"
    marks = ("📝 " if move.remark else "") + "↳ " * min(len(move.variations), MAX_VARIATIONS)
    details = [marks.strip(), clock_text(move.clock_ms) if move.clock_ms is not None else ""]
    return Choice(str(turn), label[:MAX_LABEL_LENGTH], " · ".join(text for text in details if text))


def replay_card(game: ChessDocument, moment: Moment, pace: Pace, context: ReplyContext) -> Card:
    translate = context.translate
    if not isinstance(game, ChessGame):
        raise RefusalError(expired_card(translate))
    turn_count = len(game.turns)
    intro = translate.plural("A replay of {number} turn.", "A replay of {number} turns.", turn_count)
    alt = chess_alt_text(
        game.position_at(turn_count), translate, f"{intro} {moment_text(game, turn_count, translate)}"
    )
    scene = replay_scene(game, context, white_at_bottom=is_white_at_bottom(moment), pace=pace)
    blocks, controls = [_heading_text(game, turn_count, translate)], replay_controls(moment, pace)
    return moment_card(moment, blocks, scene, alt, name="replay", controls=controls)


def game_choice(found: FoundDocument, number: int, translate: Translator) -> Choice:
    game = found.document
    if found.spoiler or not isinstance(game, ChessGame):
        return Choice(found.digest, translate("Game {number}", number=number))
    white, black = (player_name(game, translate, white=white) for white in (True, False))
    chapter = isolated_name(game.tag("ChapterName"), MAX_FACT_LENGTH)
    label = f"{number}. {chapter or f'{isolated_name(white)} – {isolated_name(black)}'}"
    facts = (game.result.removeprefix("*"), game.tag("Event"), game.tag("Date").replace(".??", ""))
    return Choice(
        found.digest, label[:MAX_LABEL_LENGTH], " · ".join(text for text in facts if text)[:MAX_LABEL_LENGTH]
    )


def document_drawing(found: FoundDocument, context: ReplyContext) -> Drawing:
    """Return a document's picture: the end of a game, the first puzzle, or a book's starting position."""
    document, translate, intro = found.chess_document, context.translate, ""
    match document:
        case ChessPosition():
            position = document
            scene = chess_scene(document, context, doubtful_squares=unconfirmed_squares(found))
        case ChessGame():
            turn = len(document.turns)
            position, scene = document.position_at(turn), game_scene(document, turn, context)
            intro = moment_text(document, turn, translate)
        case PuzzleSet():
            position = document.puzzles[0].position
            intro = translate("Puzzle 1 of {puzzles}.", puzzles=len(document.puzzles))
            scene = chess_scene(position, context, white_at_bottom=position.white_to_move)
        case _:
            position, intro = document.lines[0].start, translate("Opening book.")
            scene = book_scene(position, compiled_book(document).continuations(position), context)
    return Drawing(scene, chess_alt_text(position, translate, intro), found.spoiler)


def canonical_text(found: FoundDocument) -> str | None:
    match found.document:
        case ChessPosition() as position:
            canonical = epd.write(position) if position.operations else position.fen
        case ChessGame() as game:
            canonical = game.position_at(len(game.turns)).fen
        case PuzzleSet() as puzzle_set:
            canonical = puzzle_set.puzzles[0].position.fen
        case _:
            return None
    return None if " ".join(found.text.split()) == canonical else canonical
