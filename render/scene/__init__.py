"""What can be drawn: plain frozen values, complete in themselves.

A scene holds finished texts (already in the reader's language) and finished faces. Equal scenes give equal
bytes, so a scene is also a cache key. The maker of a scene knows the rules of a game; nothing here does.
"""

from render.scene.board import Badge, BoardScene
from render.scene.chart import ChartScene, Series
from render.scene.chess import MAX_ARROWS, Arrow, ChessScene, Circle, Stroke
from render.scene.image import RenderedAnimation, RenderedImage
from render.scene.pieces import Piece, PieceKind
from render.scene.several import END_DELAY, TURN_DELAY, Frame, MosaicScene, Part, ReplayScene, replay_of
from render.scene.sides import Layout, PlayerRow, Section
from render.scene.squares import Grid, Mark, Square, SquareKind, TileFace

__all__ = [
    "END_DELAY",
    "MAX_ARROWS",
    "TURN_DELAY",
    "Arrow",
    "Badge",
    "BoardScene",
    "ChartScene",
    "ChessScene",
    "Circle",
    "Frame",
    "Grid",
    "Layout",
    "Mark",
    "MosaicScene",
    "Part",
    "Piece",
    "PieceKind",
    "PlayerRow",
    "RenderedAnimation",
    "RenderedImage",
    "ReplayScene",
    "Section",
    "Series",
    "Square",
    "SquareKind",
    "Stroke",
    "TileFace",
    "replay_of",
]
