"""What an analysis looks like: a position with a play laid on it that nobody has made yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.chat.style import Style
from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import score_placement
from bot.features.showing.crossword.board_scene import position_scene, tile_face
from render.scene import Badge, BoardScene, Grid, Mark


def proposal_scene(
    position: Position,
    play: Play,
    score: int,
    style: Style,
    *,
    phonies: Iterable[tuple[int, int]] = (),
    caption: str = "",
) -> BoardScene:
    """Return the scene of a position with a proposed play on it; an exchange or a pass shows the position alone.

    ``phonies`` are the squares, by row and column, of words that are in no lexicon.
    """
    scene = position_scene(position, style)
    grid = _marked(scene.grid, phonies)
    badges: tuple[Badge, ...] = ()
    if isinstance(play, Placement):
        grid = _with_ghosts(grid, position, play)
        squares = tuple(play.squares())
        badges = (Badge(*squares[0], f"{score:+d}", end=squares[-1]),)
    return replace(scene, grid=grid, badges=badges, caption=caption)


def _marked(grid: Grid, phonies: Iterable[tuple[int, int]]) -> Grid:
    """Mark phonies, and nothing else: the last play would draw the eye from the proposed one."""
    marks = [Mark.NONE] * len(grid.marks)
    for row, column in phonies:
        marks[row * grid.columns + column] = Mark.PHONY
    return replace(grid, marks=tuple(marks))


def _with_ghosts(grid: Grid, position: Position, play: Placement) -> Grid:
    """Lay the tiles of a play down as ghosts and mark the other words it makes."""
    tiles, marks = list(grid.tiles), list(grid.marks)
    for word in score_placement(position.board, play, position.rules).cross_words:
        for row, column in word.squares:
            place = row * grid.columns + column
            if tiles[place] is not None and marks[place] is Mark.NONE:
                marks[place] = Mark.CROSS
    for (row, column), tile in zip(play.squares(), play.tiles, strict=True):
        if tile != THROUGH:
            place = row * grid.columns + column
            tiles[place] = tile_face(tile, position.rules.distribution)
            marks[place] = Mark.GHOST
    return replace(grid, tiles=tuple(tiles), marks=tuple(marks))


def numbered_scene(position: Position, plays: Sequence[tuple[str, Play]], style: Style) -> BoardScene:
    """Return the scene of a position with several plays on it as ghosts, each with its sign beside it.

    Where two want a square, the first has it; the sign of a play that gets none stands with the one in its way. Tiles
    that lie beside those of another play have the sign of their own.
    """
    scene = position_scene(position, style)
    grid = _marked(scene.grid, ())
    tiles, marks = list(grid.tiles), list(grid.marks)
    owners: dict[tuple[int, int], str] = {}
    tags: dict[str, Badge] = {}
    for sign, play in plays:
        if not isinstance(play, Placement):
            continue
        squares = tuple(play.squares())
        laid = [square for square, tile in zip(squares, play.tiles, strict=True) if tile != THROUGH]
        if all(square in owners for square in laid):
            first = owners[laid[0]]
            tags[first] = replace(tags[first], text=f"{tags[first].text},{sign}")
            continue
        for (row, column), tile in zip(squares, play.tiles, strict=True):
            if tile != THROUGH and (row, column) not in owners:
                place = row * grid.columns + column
                tiles[place] = tile_face(tile, position.rules.distribution)
                marks[place] = Mark.GHOST
                owners[row, column] = sign
        tags[sign] = Badge(*squares[0], sign, end=squares[-1])
    badges = [
        Badge(row, column, sign)
        for (row, column), sign in owners.items()
        if any(
            owners.get((row + down, column + right), sign) != sign
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
        )
    ]
    return replace(
        scene,
        grid=replace(grid, tiles=tuple(tiles), marks=tuple(marks)),
        badges=(*badges, *tags.values()),
        carried="",
    )
