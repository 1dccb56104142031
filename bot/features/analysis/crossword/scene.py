"""Pictures of positions with proposed plays on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.chat.card import Style
from bot.domain.crossword.play import Placement, Play, tiles_laid
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import score_placement
from bot.features.showing.crossword.board_scene import position_scene, tile_face
from render.scene import GHOSTS, Badge, BoardScene, Grid, Mark, Section


def proposal_scene(
    position: Position,
    play: Play,
    score: int,
    style: Style,
    *,
    phonies: Iterable[tuple[int, int]] = (),
    caption: str = "",
    lexicon: str = "",
) -> BoardScene:
    """Return the scene of a position with a proposed play on it. An exchange or a pass shows the position alone.

    ``phonies`` are the squares of invalid words, by row and column; ``lexicon`` is the lexicon that judged them.
    """
    scene = position_scene(position, style)
    grid = _unmarked(scene.grid, phonies)
    badges: tuple[Badge, ...] = ()
    if isinstance(play, Placement):
        marks = list(grid.marks)
        for word in score_placement(position.board, play, position.rules).cross_words:
            for row, column in word.squares:
                place = row * grid.columns + column
                if grid.tiles[place] is not None and marks[place] is Mark.NONE:
                    marks[place] = Mark.CROSS
        squares = tuple(play.squares())
        laid = tiles_laid(play)
        grid = _with_ghosts(replace(grid, marks=tuple(marks)), position, laid, Mark.GHOST)
        badges = (Badge(*squares[0], f"{score:+d}", end=squares[-1]),)
    sections = scene.sections
    if lexicon and lexicon != position.rules.lexicon:
        named = Section(style.say("Lexicon"), (lexicon,))
        sections = tuple(named if section.title == named.title else section for section in sections)
        sections += () if named in sections else (named,)
    return replace(scene, grid=grid, badges=badges, caption=caption, sections=sections)


def _unmarked(grid: Grid, phonies: Iterable[tuple[int, int]] = ()) -> Grid:
    """Return a grid that marks phonies and nothing else: the last play would distract from the proposed play."""
    marks = [Mark.NONE] * len(grid.marks)
    for row, column in phonies:
        marks[row * grid.columns + column] = Mark.PHONY
    return replace(grid, marks=tuple(marks))


def _with_ghosts(grid: Grid, position: Position, laid: Iterable[tuple[int, int, int]], mark: Mark) -> Grid:
    """Return a grid with tiles, given as row, column and tile, as ghosts."""
    tiles, marks = list(grid.tiles), list(grid.marks)
    for row, column, tile in laid:
        place = row * grid.columns + column
        tiles[place] = tile_face(tile, position.rules.distribution)
        marks[place] = mark
    return replace(grid, tiles=tuple(tiles), marks=tuple(marks))


def numbered_scene(position: Position, plays: Sequence[tuple[str, Play]], style: Style) -> BoardScene:
    """Return the scene of a position with several plays as ghosts, each with its sign and in its own tint.

    The first play that wants a square gets it. The sign of a play without squares joins the sign of the play in its way.
    Tiles next to those of another play carry the sign of their own.
    """
    scene = position_scene(position, style)
    grid = _unmarked(scene.grid)
    owners: dict[tuple[int, int], str] = {}
    tags: dict[str, Badge] = {}
    for sign, play in plays:
        if not isinstance(play, Placement):
            continue
        squares = tuple(play.squares())
        laid = sorted(tiles_laid(play))
        free = [(row, column, tile) for row, column, tile in laid if (row, column) not in owners]
        if not free:
            first = owners[laid[0][0], laid[0][1]]
            tags[first] = replace(tags[first], text=f"{tags[first].text},{sign}")
            continue
        grid = _with_ghosts(grid, position, free, GHOSTS[len(tags) % len(GHOSTS)])
        owners |= {(row, column): sign for row, column, _ in free}
        tags[sign] = Badge(*squares[0], sign, end=squares[-1])
    badges = [
        Badge(row, column, sign)
        for (row, column), sign in owners.items()
        if any(
            owners.get((row + down, column + right), sign) != sign
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
        )
    ]
    return replace(scene, grid=grid, badges=(*badges, *tags.values()), carried="")
