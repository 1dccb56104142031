"""What a reply offers to do: values small enough for a button's id, named by who uses them, drawn by shells."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from bot.chat.control import Control as Pressable
from bot.chat.moment import Choice, Moment
from bot.chat.offers.chess import BookPanel, BookPlace
from bot.chat.offers.viewing import (
    TOGETHER,
    CopyMenu,
    CopyOffer,
    LinkedGames,
    NotationMenu,
    ReplayPanel,
    SightPanel,
    TurnOffer,
    Viewer,
)

__all__ = [
    "TOGETHER",
    "BookPanel",
    "BookPlace",
    "Choice",
    "Control",
    "ControlT",
    "CopyMenu",
    "CopyOffer",
    "LinkedGames",
    "Moment",
    "NotationMenu",
    "Offer",
    "ReplayPanel",
    "SightPanel",
    "TurnOffer",
    "Viewer",
]

Offer: TypeAlias = (
    Viewer
    | BookPanel
    | NotationMenu
    | CopyOffer
    | CopyMenu
    | ReplayPanel
    | SightPanel
    | TurnOffer
    | LinkedGames
)
"""Everything that a reply can offer to do, as long as it is no control of its feature."""

Control: TypeAlias = Pressable | Offer
"""Everything that a reply can offer to do."""

ControlT = TypeVar("ControlT", bound=Control)
