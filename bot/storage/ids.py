"""Discord's ids, as every table keeps them."""

from __future__ import annotations


def check_ids(*ids: int | None) -> None:
    """Raise :exc:`ValueError` for a number that Discord cannot have given; None stands for "in no guild" and passes.

    Ids have 64 bits of which the first is never set, https://discord.com/developers/docs/reference#snowflakes
    """
    for id_ in ids:
        if id_ is not None and not 0 <= id_ < 1 << 63:
            raise ValueError(f"{id_} cannot be a Discord id")
