"""The JSON Schema of a crossword review. Programs may rely on it."""

from bot.features.review.crossword.values import Flag, MistakeSize, Phase, UnjudgedReason
from bot.features.review.values import Depth


def _object(**members):
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


def _enum(enumeration):
    return {"enum": [item.value for item in enumeration]}


COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"type": "number"}
TEXT = {"type": "string"}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
PLAY = _object(play=TEXT, win=SHARE, equity=NUMBER)

PLAYER = _object(
    name=TEXT,
    turns=COUNT,
    judged=COUNT,
    accuracy=_or_null({"type": "number", "minimum": 0, "maximum": 100}),
    mistake_index=_or_null({"type": "number", "minimum": 0}),
    small=COUNT,
    medium=COUNT,
    large=COUNT,
    luck=_or_null(NUMBER),
    bingos=COUNT,
    missed_bingos=COUNT,
)

_GRADES = {"loss_win": SHARE, "loss_win_error": {"type": "number", "minimum": 0}, "loss_points": NUMBER}
_NONE = {"type": "null"}

TURN = {
    **_object(
        turn={"type": "integer", "minimum": 1},
        player={"enum": [0, 1]},
        rack=TEXT,
        play=TEXT,
        score={"type": "integer"},
        judged={"type": "boolean"},
        reason=_or_null(_enum(UnjudgedReason)),
        phase=_enum(Phase),
        static=_or_null(_object(best=TEXT, best_equity=NUMBER, played_equity=NUMBER)),
        best=_or_null(PLAY),
        played=_or_null(PLAY),
        loss_win=_or_null(NUMBER),
        loss_win_error=_or_null(NUMBER),
        loss_points=_or_null({"type": "number", "minimum": 0}),
        approximate={"type": "boolean"},
        flags={"type": "array", "items": _enum(Flag), "uniqueItems": True},
        luck=_or_null(NUMBER),
        **{"class": _or_null(_enum(MistakeSize))},
    ),
    "if": {"properties": {"judged": {"const": True}}},
    "then": {
        "properties": {**_GRADES, "reason": _NONE, "class": _enum(MistakeSize), "best": PLAY, "played": PLAY}
    },
    "else": {
        "properties": {**dict.fromkeys([*_GRADES, "class", "best"], _NONE), "reason": _enum(UnjudgedReason)}
    },
}

SCHEMA = _object(
    file=TEXT,
    lexicon=TEXT,
    depth=_enum(Depth),
    players={"type": "array", "items": PLAYER, "minItems": 2, "maxItems": 2},
    turns={"type": "array", "items": TURN},
)
