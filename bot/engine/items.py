"""How compiled code reads and writes the items of the engine's arrays: no index counts from the end of one.

numba looks at each index whether it is negative, which took a fifth of the time of finding plays. Arrays of other modules,
and of more dimensions, are compiled as ever.
"""

from __future__ import annotations

import operator
from typing import Any, cast

from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin


def _usual_items() -> Any:  # noqa: ANN401
    """Return how numba reads and writes items, which takes 4 MB; what is kept on disk needs none of it."""
    from numba.np import arrayobj  # noqa: PLC0415

    return cast(Any, arrayobj)


def _get_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401 - numba's own interface
    if not _counts_from_the_start(context, signature):
        return _usual_items().getitem_arraynd_intp(context, builder, signature, args)
    array, pointer = item_of(context, builder, signature, args)
    return context.unpack_value(builder, array.dtype, pointer, align=None if array.aligned else 1)


def _set_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
    if not _counts_from_the_start(context, signature):
        return _usual_items().setitem_array(context, builder, signature, args)
    array, pointer = item_of(context, builder, signature, args)
    value = context.cast(builder, args[2], signature.args[2], array.dtype)
    return context.pack_value(builder, array.dtype, value, pointer, align=None if array.aligned else 1)


def _counts_from_the_start(context: Any, signature: Any) -> bool:  # noqa: ANN401
    """Return whether an index is one of the engine's, of an array of one dimension; others are compiled as ever."""
    return bool(signature.args[0].ndim == 1 and context.fndesc.modname.startswith(f"{__package__}."))


def item_of(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return the type of an array of one dimension and the pointer to an item."""
    array, index = signature.args[:2]
    items = context.make_array(array)(context, builder, args[0])
    place = context.cast(builder, args[1], index, types.intp)
    checked = context.enable_boundscheck
    return array, cast(Any, cgutils).get_item_pointer(
        context, builder, array, items, [place], boundscheck=checked
    )


_lowered = cast(Any, lower_builtin)
_lowered(operator.getitem, types.Array, types.Integer)(_get_item)
_lowered(operator.setitem, types.Array, types.Integer, types.Any)(_set_item)
