"""The look of a position: its scene, alone or with plays on it, and the same in words for readers who cannot see it.

Only this module uses both the values of the rules and those of drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from bot.chat.card import MAX_ALT, Style
from bot.chat.markdown import escape
from bot.domain.crossword.game import turns_left
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, Play, column_name, tiles_laid
from bot.domain.crossword.play_text import placement_text, rack_text
from bot.domain.crossword.position import EMPTY, Position
from bot.domain.crossword.rules import (
    BLANK,
    LETTER_MULTIPLIER,
    MISSING,
    WORD_MULTIPLIER,
    BoardLayout,
    LetterDistribution,
)
from bot.domain.crossword.scoring import score_placement
from bot.features.showing.pace import clock_text
from bot.text import Speaker
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

_MAX_SCORELESS = 100
"""Maximum number of scoreless turns that end a game; a higher limit in the rules means that none do."""
_LETTER_KINDS = {2: SquareKind.LETTER_2, 3: SquareKind.LETTER_3, 4: SquareKind.LETTER_4}
_WORD_KINDS = {2: SquareKind.WORD_2, 3: SquareKind.WORD_3, 4: SquareKind.WORD_4}


def position_scene(
    position: Position, style: Style, *, doubtful: tuple[str, ...] | None = None, on_card: bool = False
) -> BoardScene:
    """Return the scene of a position.

    ``doubtful`` lists squares to check, such as ``E4``, of a board that may be wrong. Its picture contains no embedded text.
    ``on_card`` leaves out the content of a card's small print: the lexicon and the unseen tiles.
    """
    say, embedded_text = style.say, ""
    if doubtful is None:
        visible = position
        if style.view.layout is Layout.BOARD:  # no room for the racks
            visible = replace(
                position, players=tuple(replace(player, rack=()) for player in position.players)
            )
        text = cgp.write_or_none(visible)
        embedded_text = f"cgp {text}" if text else ""
    board, distribution = position.board, position.rules.distribution
    squares, rows, columns = _empty_board(position.rules.layout)
    return BoardScene(
        board.rows,
        board.columns,
        squares,
        tuple([None if tile == EMPTY else tile_face(tile, distribution) for tile in board.squares]),
        _marks(position),
        rows,
        columns,
        tuple(_player_row(position, seat, say) for seat in range(len(position.players))),
        tuple(_sections(position, say, on_card=on_card)),
        style.view.layout,
        style.view.theme,
        coordinates=style.view.coordinates,
        doubts=tuple(_square_index(square, position.board.columns) for square in doubtful or ()),
        embedded_text=embedded_text,
    )


def _square_index(square: str, columns: int) -> int:
    """Return the place of a square by its name, such as ``E4``."""
    return (int(square[1:]) - 1) * columns + ord(square[0]) - ord("A")


@lru_cache(maxsize=1024)
def tile_face(machine_letter: int, distribution: LetterDistribution) -> TileFace:
    """Return the face of a tile. A blank shows the letter it stands for, and its points unless they are zero."""
    if machine_letter > BLANK:
        return TileFace(distribution.text(machine_letter), distribution.points(machine_letter))
    letter = distribution.text(-machine_letter) if machine_letter else ""
    return TileFace(letter, distribution.points(BLANK) or None, blank=True)


def square_of(symbol: str, *, start: bool) -> Square:
    """Return how a square of a layout is drawn."""
    if symbol == MISSING:
        return Square(SquareKind.MISSING)
    if multiplier := LETTER_MULTIPLIER.get(symbol):
        return Square(_LETTER_KINDS[multiplier], f"{multiplier}L", start)
    if multiplier := WORD_MULTIPLIER.get(symbol):
        return Square(_WORD_KINDS[multiplier], f"{multiplier}W", start)
    return Square(start=start)


def _marks(position: Position) -> tuple[Mark, ...]:
    """Return the marks of a board's squares: those of the last play."""
    board = position.board
    marks = [Mark.NONE] * len(board.squares)
    last = position.last_play
    if last is not None and not last.withdrawn and isinstance(last.play, Placement):
        for (row, column), tile in zip(last.play.squares(), last.play.tiles, strict=True):
            if tile != THROUGH and board.at(row, column) == tile:  # the tile is still on the board
                marks[row * board.columns + column] = Mark.LAST
    return tuple(marks)


@lru_cache(maxsize=64)
def _empty_board(layout: BoardLayout) -> tuple[tuple[Square, ...], tuple[str, ...], tuple[str, ...]]:
    """Return a layout's squares and its labels of rows and columns, the same objects for each picture.

    The renderer knows its empty board by them.
    """
    start = layout.start[0] * layout.columns + layout.start[1]
    squares = tuple(square_of(symbol, start=index == start) for index, symbol in enumerate(layout.squares))
    rows = tuple(str(row + 1) for row in range(layout.rows))
    return squares, rows, tuple(map(column_name, range(layout.columns)))


def proposal_scene(
    position: Position,
    play: Play,
    score: int,
    style: Style,
    *,
    phonies: Iterable[tuple[int, int]] = (),
    on_card: bool = False,
) -> BoardScene:
    """Return the scene of a position with a proposed play on it. An exchange or a pass shows the position alone.

    ``phonies`` are the squares of invalid words, by row and column. For ``on_card`` see :func:`position_scene`.
    """
    scene = _phonies_only(position_scene(position, style, on_card=on_card), phonies)
    if isinstance(play, Placement):
        marks = list(scene.marks)
        for word in score_placement(position.board, play, position.rules).cross_words:
            for row, column in word.squares:
                index = row * scene.columns + column
                if scene.tiles[index] is not None and marks[index] is Mark.NONE:
                    marks[index] = Mark.CROSS
        squares = tuple(play.squares())
        badges = (Badge(*squares[0], f"{score:+d}", end=squares[-1]),)
        scene = replace(scene, marks=tuple(marks), badges=badges)
        scene = _with_ghosts(scene, position, tiles_laid(play), Mark.GHOST)
    return scene


def _phonies_only(scene: BoardScene, phonies: Iterable[tuple[int, int]] = ()) -> BoardScene:
    """Return a scene that marks only phonies: the last play would distract from the proposed play."""
    marks = [Mark.NONE] * len(scene.marks)
    for row, column in phonies:
        marks[row * scene.columns + column] = Mark.PHONY
    return replace(scene, marks=tuple(marks))


def _with_ghosts(
    scene: BoardScene, position: Position, laid: Iterable[tuple[int, int, int]], mark: Mark
) -> BoardScene:
    """Return a scene with tiles, given as row, column and tile, as ghosts."""
    tiles, marks = list(scene.tiles), list(scene.marks)
    for row, column, tile in laid:
        index = row * scene.columns + column
        tiles[index] = tile_face(tile, position.rules.distribution)
        marks[index] = mark
    return replace(scene, tiles=tuple(tiles), marks=tuple(marks))


def numbered_scene(position: Position, plays: Sequence[tuple[str, Play]], style: Style) -> BoardScene:
    """Return the scene of a position with several plays as ghosts, each with its label and in its own tint.

    The first play that wants a square gets it. The label of a play without squares joins the label of the play in its way.
    Tiles next to those of another play carry the label of their own.
    """
    scene = _phonies_only(position_scene(position, style))
    owners: dict[tuple[int, int], str] = {}
    tags: dict[str, Badge] = {}
    for label, play in plays:
        if not isinstance(play, Placement):
            continue
        squares = tuple(play.squares())
        laid = sorted(tiles_laid(play))
        free = [(row, column, tile) for row, column, tile in laid if (row, column) not in owners]
        if not free:
            first = owners[laid[0][0], laid[0][1]]
            tags[first] = replace(tags[first], text=f"{tags[first].text},{label}")
            continue
        scene = _with_ghosts(scene, position, free, GHOSTS[len(tags) % len(GHOSTS)])
        owners |= {(row, column): label for row, column, _ in free}
        tags[label] = Badge(*squares[0], label, end=squares[-1])
    badges = [
        Badge(row, column, label)
        for (row, column), label in owners.items()
        if any(
            owners.get((row + down, column + right), label) != label
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
        )
    ]
    return replace(scene, badges=(*badges, *tags.values()), embedded_text="")


def player_name(position: Position, seat: int, say: Speaker) -> str:
    """Return a player's name, or the seat when it is not known."""
    return one_line(position.players[seat].name) or say("Player {seat}", seat=seat + 1)


def scores_words(position: Position, say: Speaker) -> str:
    """Write the scores of the players."""
    scores = [player.score for player in position.players]
    if any(player.name for player in position.players):
        return " – ".join(
            f"{escape(player_name(position, seat, say), 40)} {player.score}"
            for seat, player in enumerate(position.players[:8])
        )
    if len(scores) == 2:
        own, other = scores[position.on_turn], scores[1 - position.on_turn]
        return say("{mine}–{theirs} ({spread:+d})", mine=own, theirs=other, spread=own - other)
    return "–".join(str(score) for score in scores[:8])


def _player_row(position: Position, seat: int, say: Speaker) -> PlayerRow:
    player = position.players[seat]
    to_move = seat == position.on_turn and not position.is_over
    notes = [say("to move")] if to_move else []
    distribution = position.rules.distribution
    if player.clock is not None:
        notes.append(clock_text(player.clock))
    return PlayerRow(
        player_name(position, seat, say),
        str(player.score),
        to_move,
        " · ".join(notes),
        tuple(tile_face(tile, distribution) for tile in player.rack) or None,
        say("left over") if player.rack and position.is_over else "",
    )


def _sections(position: Position, say: Speaker, *, on_card: bool) -> list[Section]:
    sections = []
    if position.last_play is not None:
        sections.append(Section(say("Last play"), tuple(last_play_text(position, say).split(" "))))
    unseen = position.unseen.total
    if on_card:
        pass  # its small print says the rest
    elif not position.rules.distribution.has_known_bag:
        sections.append(Section(say("Unseen"), ("?",), strong=False))
    elif unseen:
        title = say("Unseen {unseen} (bag {bag})", unseen=unseen, bag=position.bag_count)
        sections.append(Section(title, unseen_groups(position)))
    elif position.board.tile_count:
        sections.append(Section(say("Unseen"), (say("none"),), strong=False))
    if position.rules.lexicon and not on_card:
        sections.append(Section(say("Lexicon"), tuple(position.rules.lexicon.split(" "))))
    left = turns_left(position)
    if left is not None and left.sure and not position.is_over:
        sections.append(Section(say("Turns left"), (str(left.turns),)))
    if number := position.scoreless_turns:
        limit = position.rules.scoreless_limit
        words = f"{number}/{limit}" if limit <= _MAX_SCORELESS else str(number)
        sections.append(Section(say("Scoreless turns"), (words,)))
    return sections


def unseen_words(position: Position, say: Speaker) -> str:
    """Return the unseen tiles as small print of a card; empty if there are none, or the bag is unknown."""
    unseen = position.unseen.total if position.rules.distribution.has_known_bag else 0
    if not unseen:
        return ""
    title = say("Unseen {unseen} (bag {bag})", unseen=unseen, bag=position.bag_count)
    return f"{title}: {escape(' '.join(unseen_groups(position)))}"


def unseen_groups(position: Position) -> tuple[str, ...]:
    """Return the unseen tiles by kind (``EEEE``; long runs as ``E×12``), the blanks last."""
    distribution = position.rules.distribution
    counts = position.unseen.counts
    groups = []
    for letter in (*range(1, len(counts)), BLANK):
        if counts[letter] > 0:
            text = distribution.text(letter)
            count = counts[letter]
            repeated = count == 1 or (len(text) == 1 and count <= 12)
            groups.append(text * count if repeated else f"{text}×{count}")
    return tuple(groups)


def last_play_text(position: Position, say: Speaker) -> str:
    """Return the last play in standard notation, with its score and whether it was challenged or withdrawn."""
    last = position.last_play
    if last is None:
        return ""
    text = play_words(last.play, position, say)
    if last.score is not None:
        text += f" {last.score:+d}"
    if last.challenge_bonus:
        text += f" {last.challenge_bonus:+d}"
    if last.withdrawn:
        text = say("{play}, challenged off", play=text)
    return text


def play_words(play: Play, position: Position, say: Speaker) -> str:
    """Describe a play: ``8D W(O)RD`` with the tiles played through in parentheses. ``position`` is the position after it."""
    distribution = position.rules.distribution
    match play:
        case Placement():
            return placement_text(play, position.board, distribution)
        case Exchange(tiles, unknown) if tiles and not unknown:
            return say("exchange of {tiles}", tiles=rack_text(tiles, distribution))
        case Exchange():
            return say.count("exchange of {number} tile", "exchange of {number} tiles", play.count)
        case Pass():
            return say("pass")


def alt_text(position: Position, say: Speaker, lead: str = "") -> str:
    """Describe a position in at most :data:`~bot.chat.card.MAX_ALT` characters, so that it can be followed without sight.

    ``lead`` comes first: which moment, or what this is.
    """
    parts = [lead] if lead else []
    parts.append(_players_text(position, say))
    if position.last_play is not None:
        parts.append(say("Last play: {play}.", play=last_play_text(position, say)))
    if position.rules.lexicon:
        parts.append(say("Lexicon {lexicon}.", lexicon=position.rules.lexicon[:60]))
    if position.rules.distribution.has_known_bag:
        unseen = position.unseen.total
        parts.append(say("Unseen {unseen}, bag {bag}.", unseen=unseen, bag=position.bag_count))
    left = turns_left(position)
    if left is not None and left.sure and not position.is_over:
        parts.append(say.count("{number} turn left.", "{number} turns left.", left.turns))
    text = " ".join(parts)[: MAX_ALT // 2] + " " + say("Rows:")
    lines, left_out = board_lines(position, say), say("(more rows)")
    for number, line in enumerate(lines, start=1):
        needed = 0 if number == len(lines) else len(left_out) + 1
        if len(text) + 1 + len(line) + needed > MAX_ALT:
            return f"{text} {left_out}"
        text += f" {line}"
    return text


def _players_text(position: Position, say: Speaker) -> str:
    sentences = []
    for seat, player in enumerate(position.players[:8]):
        words = [f"{player_name(position, seat, say)[:40]} {player.score}"]
        if seat == position.on_turn and not position.is_over:
            words.append(say("to move"))
        if player.rack:
            tiles = "".join(position.rules.distribution.written[tile] for tile in player.rack)
            words.append(say("rack {tiles}", tiles=tiles))
        sentences.append(", ".join(words) + ".")
    if position.is_over:
        sentences.append(say("The game is over."))
    return " ".join(sentences)


def board_lines(position: Position, say: Speaker) -> list[str]:
    """Return the rows of the board that have tiles: ``7 ..QAID...``. Blanks are lower-case letters."""
    distribution = position.rules.distribution
    lines = []
    for number in range(position.board.rows):
        row = position.board.row(number)
        if any(row):
            squares = ("." if square == EMPTY else distribution.written[square] for square in row)
            lines.append(f"{number + 1} {''.join(squares)}")
    return lines or [say("The board is empty.")]
