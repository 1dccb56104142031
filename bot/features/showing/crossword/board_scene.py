"""The scenes and alt texts of crossword positions. Converts types of ``bot.domain`` to types of ``render``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from bot.chat.card import MAX_ALT_LENGTH, ReplyContext
from bot.chat.markdown import escape
from bot.domain.crossword.game import turns_left
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, Play, column_name, tiles_laid
from bot.domain.crossword.play_text import placement_text, rack_text
from bot.domain.crossword.position import EMPTY, Position
from bot.domain.crossword.rules import (
    BLANK,
    LETTER_MULTIPLIER,
    MISSING_SQUARE,
    WORD_MULTIPLIER,
    BoardLayout,
    LetterDistribution,
)
from bot.domain.crossword.scoring import score_placement
from bot.features.showing.pace import clock_text
from bot.text import Translator
from bot.text.visible import one_line
from render.scene import (
    GHOSTS,
    Badge,
    BoardScene,
    Layout,
    Mark,
    PlayerRow,
    Section,
    Square,
    SquareKind,
    TileFace,
)

_MAX_SHOWN_SCORELESS_LIMIT = 100
"""The highest limit on scoreless turns that is shown, as in ``2/6``. A higher limit never ends a game in practice."""


def position_scene(
    position: Position,
    context: ReplyContext,
    *,
    doubtful_squares: tuple[str, ...] | None = None,
    on_card: bool = False,
) -> BoardScene:
    """Return the scene of a position.

    ``doubtful_squares`` lists the squares to check, such as ``E4``, on an unconfirmed board from a picture, and is None for other
    boards. The scene of an unconfirmed board has no embedded text.
    If ``on_card``, leave out the lexicon and the unseen tiles, because the card's note contains them.
    """
    translate, embedded_text = context.translate, ""
    if doubtful_squares is None:
        embedded_position = position
        if context.appearance.layout is Layout.BOARD:  # this layout has no room for racks
            embedded_position = replace(
                position, players=tuple(replace(player, rack=()) for player in position.players)
            )
        text = cgp.write_or_none(embedded_position)
        embedded_text = f"cgp {text}" if text else ""
    board, distribution = position.board, position.rules.distribution
    squares, row_labels, column_labels = _empty_board(position.rules.layout)
    return BoardScene(
        board.rows,
        board.columns,
        squares,
        tuple([None if tile == EMPTY else tile_face(tile, distribution) for tile in board.squares]),
        _last_play_marks(position),
        row_labels,
        column_labels,
        players=tuple(_player_row(position, seat, translate) for seat in range(len(position.players))),
        sections=tuple(_sections(position, translate, on_card=on_card)),
        layout=context.appearance.layout,
        theme=context.appearance.theme,
        coordinates=context.appearance.coordinates,
        doubtful_squares=tuple(
            (int(square[1:]) - 1) * board.columns + ord(square[0]) - ord("A")
            for square in doubtful_squares or ()
        ),
        embedded_text=embedded_text,
    )


@lru_cache(maxsize=1024)
def tile_face(machine_letter: int, distribution: LetterDistribution) -> TileFace:
    """Return a tile's face. A blank on the board shows its letter, and its points unless they are zero."""
    if machine_letter > BLANK:
        return TileFace(distribution.text(machine_letter), distribution.points(machine_letter))
    letter = distribution.text(-machine_letter) if machine_letter else ""
    return TileFace(letter, distribution.points(BLANK) or None, is_blank=True)


def square_of(symbol: str, *, is_start: bool) -> Square:
    if symbol == MISSING_SQUARE:
        return Square(SquareKind.MISSING)
    if multiplier := LETTER_MULTIPLIER.get(symbol):
        return Square(SquareKind(f"letter-{multiplier}"), f"{multiplier}L", is_start)
    if multiplier := WORD_MULTIPLIER.get(symbol):
        return Square(SquareKind(f"word-{multiplier}"), f"{multiplier}W", is_start)
    return Square(is_start=is_start)


def _last_play_marks(position: Position) -> tuple[Mark, ...]:
    board = position.board
    marks = [Mark.NONE] * len(board.squares)
    last = position.last_play
    if last is not None and not last.withdrawn and isinstance(last.play, Placement):
        for (row, column), tile in zip(last.play.squares(), last.play.tiles, strict=True):
            if tile != THROUGH and board.at(row, column) == tile:  # only tiles that are still on the board
                marks[row * board.columns + column] = Mark.LAST
    return tuple(marks)


@lru_cache(maxsize=64)
def _empty_board(layout: BoardLayout) -> tuple[tuple[Square, ...], tuple[str, ...], tuple[str, ...]]:
    """Return a layout's squares, row labels and column labels.

    The result must be cached: the renderer recognizes an empty board by the identity of these objects.
    """
    start = layout.start[0] * layout.columns + layout.start[1]
    squares = tuple(square_of(symbol, is_start=index == start) for index, symbol in enumerate(layout.squares))
    row_labels = tuple(str(row + 1) for row in range(layout.rows))
    return squares, row_labels, tuple(map(column_name, range(layout.columns)))


def proposal_scene(
    position: Position,
    play: Play,
    score: int,
    context: ReplyContext,
    *,
    phony_squares: Iterable[tuple[int, int]] = (),
    on_card: bool = False,
) -> BoardScene:
    """Return the scene of a position with a proposed play on it. For an exchange or a pass, the scene shows only the position."""
    scene = _mark_only_phonies(position_scene(position, context, on_card=on_card), phony_squares)
    if isinstance(play, Placement):
        marks = list(scene.marks)
        for word in score_placement(position.board, play, position.rules).cross_words:
            for row, column in word.squares:
                index = row * scene.columns + column
                if scene.tiles[index] is not None and marks[index] is Mark.NONE:
                    marks[index] = Mark.CROSS
        squares = tuple(play.squares())
        badge = Badge(*squares[0], f"{score:+d}", word_end=squares[-1])
        scene = replace(scene, marks=tuple(marks), badges=(badge,))
        scene = _add_ghosts(scene, position, tiles_laid(play), Mark.GHOST)
    return scene


def _mark_only_phonies(scene: BoardScene, phony_squares: Iterable[tuple[int, int]] = ()) -> BoardScene:
    """Replace all marks with marks for the phonies, because the marks of the last play distract from the proposed play."""
    marks = [Mark.NONE] * len(scene.marks)
    for row, column in phony_squares:
        marks[row * scene.columns + column] = Mark.PHONY
    return replace(scene, marks=tuple(marks))


def _add_ghosts(
    scene: BoardScene, position: Position, laid_tiles: Iterable[tuple[int, int, int]], mark: Mark
) -> BoardScene:
    tiles, marks = list(scene.tiles), list(scene.marks)
    for row, column, tile in laid_tiles:
        index = row * scene.columns + column
        tiles[index] = tile_face(tile, position.rules.distribution)
        marks[index] = mark
    return replace(scene, tiles=tuple(tiles), marks=tuple(marks))


def numbered_scene(
    position: Position, plays: Sequence[tuple[str, Play]], context: ReplyContext
) -> BoardScene:
    """Return the scene of a position with several proposed plays. Each placement is drawn as ghost tiles with a label and a tint.

    A square that several plays use shows the first of these plays. A play whose tiles are all covered by earlier plays shares a
    label with the play that covers its first tile. A tile next to another play's tile also gets a label.
    """
    scene = _mark_only_phonies(position_scene(position, context))
    owners: dict[tuple[int, int], str] = {}
    badges_by_label: dict[str, Badge] = {}
    for label, play in plays:
        if not isinstance(play, Placement):
            continue
        squares = tuple(play.squares())
        laid_tiles = sorted(tiles_laid(play))
        free_tiles = [(row, column, tile) for row, column, tile in laid_tiles if (row, column) not in owners]
        if not free_tiles:
            owner = owners[laid_tiles[0][0], laid_tiles[0][1]]
            badges_by_label[owner] = replace(
                badges_by_label[owner], text=f"{badges_by_label[owner].text},{label}"
            )
            continue
        scene = _add_ghosts(scene, position, free_tiles, GHOSTS[len(badges_by_label) % len(GHOSTS)])
        owners |= {(row, column): label for row, column, _ in free_tiles}
        badges_by_label[label] = Badge(*squares[0], label, word_end=squares[-1])
    badges = [
        Badge(row, column, label)
        for (row, column), label in owners.items()
        if any(
            owners.get((row + down, column + right), label) != label
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
        )
    ]
    return replace(scene, badges=(*badges, *badges_by_label.values()), embedded_text="")


def player_name(position: Position, seat: int, translate: Translator) -> str:
    return one_line(position.players[seat].name) or translate("Player {seat}", seat=seat + 1)


def scores_text(position: Position, translate: Translator) -> str:
    scores = [player.score for player in position.players]
    if any(player.name for player in position.players):
        return " – ".join(
            f"{escape(player_name(position, seat, translate), 40)} {player.score}"
            for seat, player in enumerate(position.players[:8])
        )
    if len(scores) == 2:
        own, other = scores[position.on_turn], scores[1 - position.on_turn]
        return translate("{mine}–{theirs} ({spread:+d})", mine=own, theirs=other, spread=own - other)
    return "–".join(str(score) for score in scores[:8])


def _player_row(position: Position, seat: int, translate: Translator) -> PlayerRow:
    player = position.players[seat]
    to_move = seat == position.on_turn and not position.is_over
    notes = (
        translate("to move") if to_move else "",
        clock_text(player.clock_ms) if player.clock_ms is not None else "",
    )
    return PlayerRow(
        player_name(position, seat, translate),
        str(player.score),
        to_move,
        " · ".join(filter(None, notes)),
        tuple(tile_face(tile, position.rules.distribution) for tile in player.rack) or None,
        translate("left over") if player.rack and position.is_over else "",
    )


def _sections(position: Position, translate: Translator, *, on_card: bool) -> list[Section]:
    sections = []
    if position.last_play is not None:
        sections.append(
            Section(translate("Last play"), tuple(last_play_text(position, translate).split(" ")))
        )
    unseen = position.unseen.total
    if on_card:
        pass  # the card's note contains the unseen tiles
    elif not position.rules.distribution.has_known_bag:
        sections.append(Section(translate("Unseen"), ("?",), is_strong=False))
    elif unseen:
        title = translate("Unseen {unseen} (bag {bag})", unseen=unseen, bag=position.bag_count)
        sections.append(Section(title, unseen_groups(position)))
    elif position.board.tile_count:
        sections.append(Section(translate("Unseen"), (translate("none"),), is_strong=False))
    if position.rules.lexicon and not on_card:
        sections.append(Section(translate("Lexicon"), tuple(position.rules.lexicon.split(" "))))
    remaining = turns_left(position)
    if remaining is not None and remaining.is_certain and not position.is_over:
        sections.append(Section(translate("Turns left"), (str(remaining.count),)))
    if count := position.scoreless_turns:
        limit = position.rules.scoreless_limit
        text = f"{count}/{limit}" if limit <= _MAX_SHOWN_SCORELESS_LIMIT else str(count)
        sections.append(Section(translate("Scoreless turns"), (text,)))
    return sections


def unseen_text(position: Position, translate: Translator) -> str:
    unseen = position.unseen.total if position.rules.distribution.has_known_bag else 0
    if not unseen:
        return ""
    title = translate("Unseen {unseen} (bag {bag})", unseen=unseen, bag=position.bag_count)
    return f"{title}: {escape(' '.join(unseen_groups(position)))}"


def unseen_groups(position: Position) -> tuple[str, ...]:
    """Group the unseen tiles by letter, as in ``EEEE`` or ``E×13``. The blanks come last."""
    distribution = position.rules.distribution
    counts = position.unseen.counts
    groups = []
    for letter in (*range(1, len(counts)), BLANK):
        if counts[letter] > 0:
            text = distribution.text(letter)
            count = counts[letter]
            is_spelled_out = count == 1 or (len(text) == 1 and count <= 12)
            groups.append(text * count if is_spelled_out else f"{text}×{count}")
    return tuple(groups)


def last_play_text(position: Position, translate: Translator) -> str:
    last = position.last_play
    if last is None:
        return ""
    text = describe_play(last.play, position, translate)
    if last.score is not None:
        text += f" {last.score:+d}"
    if last.challenge_bonus:
        text += f" {last.challenge_bonus:+d}"
    if last.withdrawn:
        text = translate("{play}, challenged off", play=text)
    return text


def describe_play(play: Play, position: Position, translate: Translator) -> str:
    """Describe a play, such as ``8D W(O)RD``. ``position`` is the position after the play."""
    distribution = position.rules.distribution
    match play:
        case Placement():
            return placement_text(play, position.board, distribution)
        case Exchange(tiles, unknown_count) if tiles and not unknown_count:
            return translate("exchange of {tiles}", tiles=rack_text(tiles, distribution))
        case Exchange():
            return translate.plural("exchange of {number} tile", "exchange of {number} tiles", play.size)
        case Pass():
            return translate("pass")


def alt_text(position: Position, translate: Translator, intro: str = "") -> str:
    parts = [intro] if intro else []
    parts.append(_players_text(position, translate))
    if position.last_play is not None:
        parts.append(translate("Last play: {play}.", play=last_play_text(position, translate)))
    if position.rules.lexicon:
        parts.append(translate("Lexicon {lexicon}.", lexicon=position.rules.lexicon[:60]))
    if position.rules.distribution.has_known_bag:
        parts.append(
            translate("Unseen {unseen}, bag {bag}.", unseen=position.unseen.total, bag=position.bag_count)
        )
    remaining = turns_left(position)
    if remaining is not None and remaining.is_certain and not position.is_over:
        parts.append(translate.plural("{number} turn left.", "{number} turns left.", remaining.count))
    text = " ".join(parts)[: MAX_ALT_LENGTH // 2] + " " + translate("Rows:")
    lines, more_rows = board_lines(position, translate), translate("(more rows)")
    for number, line in enumerate(lines, start=1):
        reserved_length = 0 if number == len(lines) else len(more_rows) + 1
        if len(text) + 1 + len(line) + reserved_length > MAX_ALT_LENGTH:
            return f"{text} {more_rows}"
        text += f" {line}"
    return text


def _players_text(position: Position, translate: Translator) -> str:
    sentences = []
    for seat, player in enumerate(position.players[:8]):
        parts = [f"{player_name(position, seat, translate)[:40]} {player.score}"]
        if seat == position.on_turn and not position.is_over:
            parts.append(translate("to move"))
        if player.rack:
            tiles = "".join(position.rules.distribution.bracketed_texts[tile] for tile in player.rack)
            parts.append(translate("rack {tiles}", tiles=tiles))
        sentences.append(", ".join(parts) + ".")
    if position.is_over:
        sentences.append(translate("The game is over."))
    return " ".join(sentences)


def board_lines(position: Position, translate: Translator) -> list[str]:
    """Return the rows that have tiles, such as ``7 ..QAID...``, or a sentence for an empty board. Blanks are lower-case letters."""
    texts = position.rules.distribution.bracketed_texts
    rows = map(position.board.row, range(position.board.rows))
    lines = [
        f"{number} {''.join('.' if square == EMPTY else texts[square] for square in row)}"
        for number, row in enumerate(rows, start=1)
        if any(row)
    ]
    return lines or [translate("The board is empty.")]
