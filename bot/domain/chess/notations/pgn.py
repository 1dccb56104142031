"""PGN: chess games with comments, annotations and variations.

>>> game = read("1. e4 e5 2. Nf3 *").value
>>> game.turns[2].uci
'g1f3'
>>> print(write(game).splitlines()[-1])
1. e4 e5 2. Nf3 *

python-chess plays the moves, but does not parse the text, because its parser reports no locations and skips unknown text.
"""

from __future__ import annotations

import re
from itertools import islice, takewhile

from bot.domain.chess import board_link
from bot.domain.chess.documents import RESULTS, ROSTER, UNKNOWN_RESULT, ChessGame, ChessMove
from bot.domain.chess.notations import fen
from bot.domain.chess.notations.movetext import SPECIAL_TAGS, LineReader, Token, read_tag, tokens
from bot.domain.chess.position import (
    START_POSITION,
    VARIANTS,
    ChessPosition,
    plain_variant_name,
    position_of,
    variant_key,
)
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import (
    DomainError,
    Reading,
    RuleError,
    TextPiece,
    Warnings,
    require_max_length,
)

MAX_LENGTH = 1_000_000
MAX_TAGS = 100
MAX_TOKENS = 60_000
"""Enough for a game of :data:`~bot.domain.chess.notations.movetext.MAX_MOVES` moves with remarks."""

_RESULT_SPELLINGS = {"½-½": "1/2-1/2", "1/2": "1/2-1/2", "½": "1/2-1/2", "1:0": "1-0", "0:1": "0-1"}
_STANDARD_VARIANT_NAMES = frozenset({"", "standard", "chess", "normal", "classical", "fromposition"})
_UNSUPPORTED_VARIANTS = frozenset(
    {"giveaway", "suicide", "losers", "bughouse", "capablanca", "duck", "seirawan", "knightmate", "extinction", "placement", "shatranj", "makruk", "xiangqi", "shogi", "noking", "whitekingonly",
     "blackkingonly", "alice", "twokings", "kriegspiel", "berolina", "gothic", "grand"}
)  # fmt: skip
"""Names in the form that :func:`plain_variant_name` returns."""


def read(text: str) -> Reading[ChessGame]:
    """Read the first game in text, up to its first fault, which becomes the ``error``.

    Raises:
        ParseError: the text is too long or contains no game, or the starting position is not a FEN.
        RuleError: the starting position is impossible, the variant is not supported, or there are no tags and
            no move before the first fault.

    """
    require_max_length(text, MAX_LENGTH)
    text = board_link.moves_in(text) or text
    warnings = Warnings(text)
    game_tokens = list(islice(tokens(text, int(text.startswith("\ufeff"))), MAX_TOKENS))
    tags_end = _end_of_tags(game_tokens)
    tags = _read_tags([token for token in game_tokens[:tags_end] if token.kind == "tag"], warnings)
    end = _end_of_game(game_tokens, tags_end)
    if end < len(game_tokens) or len(game_tokens) == MAX_TOKENS:
        warnings.add("pgn-more", "the text from here on is ignored", game_tokens[end - 1].source.end)
    start = _read_start(tags, warnings)
    reader = LineReader(start.board(), warnings)
    error: RuleError | None = None
    try:
        for token in game_tokens[tags_end:end]:
            reader.take(token)
        reader.warn_about_open_variations()
    except DomainError as problem:
        error = as_rule_error(problem)
    moves = reader.moves()
    has_result = any(token.kind == "result" for token in game_tokens[tags_end:end])
    if not (tags or moves):
        if error is not None:
            raise error
        if not (reader.comment or has_result):
            raise TextPiece.of(text).parse_error("pgn-empty", "no chess game found in this text")
    game = ChessGame(
        start,
        moves,
        _tags_to_store(tags, start),
        reader.comment,
        _read_result(tags, game_tokens[tags_end:end], warnings),
    )
    return Reading(game, warnings.all(), error)


def _end_of_tags(game_tokens: list[Token]) -> int:
    head = takewhile(lambda token: token.kind in ("tag", "line", "book"), game_tokens)
    return max((index for index, token in enumerate(head, start=1) if token.kind == "tag"), default=0)


def _end_of_game(game_tokens: list[Token], start: int) -> int:
    """Return the index after the game's last token. A game ends after a result, before a tag, or with the text."""
    depth = 0
    for index in range(start, len(game_tokens)):
        kind = game_tokens[index].kind
        depth += (kind == "begin") - (kind == "end" and depth > 0)
        if kind == "tag":
            return index
        if kind == "result" and not depth:
            return index + 1
    return len(game_tokens)


def _read_tags(tag_tokens: list[Token], warnings: Warnings) -> dict[str, TextPiece]:
    tags: dict[str, TextPiece] = {}
    for token in tag_tokens:
        tag = read_tag(token.source)
        if tag is None:
            warnings.add("pgn-tag", "a tag is a name followed by text in quotes", token.source.offset)
            continue
        tag.warn_about_quotes(warnings)
        name = tag.name
        if name in tags:
            warnings.add(
                "pgn-tag-twice",
                "the tag {tag} is given twice; the first one counts",
                token.source.offset,
                tag=name[:40],
            )
        elif len(tags) == MAX_TAGS:
            warnings.add(
                "pgn-tags", "only the first {limit} tags are read", token.source.offset, limit=MAX_TAGS
            )
            break
        else:
            tags[name] = tag.value
    return tags


def _tags_to_store(tags: dict[str, TextPiece], start: ChessPosition) -> tuple[tuple[str, str], ...]:
    """Return the roster tags whose values are known, and then the other tags.

    The tags for the starting position and the result are left out.
    """
    omitted_names = SPECIAL_TAGS | {"Variant"} if start.variant else SPECIAL_TAGS
    roster_names = [
        name for name in ROSTER if name in tags and tags[name].text.strip() not in ("", ROSTER[name])
    ]
    other_names = [name for name in tags if name not in ROSTER and name not in omitted_names]
    return tuple((name, tags[name].text) for name in (*roster_names, *other_names))


def _read_start(tags: dict[str, TextPiece], warnings: Warnings) -> ChessPosition:
    variant_tag = tags.get("Variant", TextPiece.of(""))
    variant, name = variant_key(variant_tag.text), plain_variant_name(variant_tag.text)
    if not variant and name in _UNSUPPORTED_VARIANTS:
        raise variant_tag.rule_error(
            "pgn-variant", "Kibitz doesn't know the variant {variant}", variant=variant_tag.text[:40]
        )
    if not variant and name not in _STANDARD_VARIANT_NAMES:
        warnings.add(
            "pgn-variant",
            "Kibitz doesn't know the variant {variant}; the game is read as standard chess",
            variant_tag.offset,
            variant=variant_tag.text[:40],
        )
    if "FEN" not in tags:
        return position_of(VARIANTS[variant].board()) if variant else START_POSITION
    return read_embedded_fen(tags["FEN"], warnings, variant)


def read_embedded_fen(value: TextPiece, warnings: Warnings, variant: str = "") -> ChessPosition:
    """Read a FEN inside a larger text. Warnings and errors are located in the larger text.

    Raises:
        DomainError: the value is not a FEN, or the position is impossible.

    """
    try:
        reading = fen.read(value.text, variant)
    except DomainError as error:
        raise error.within(*value.location) from None
    for warning in reading.warnings:
        offset = value.offset + warning.column - 1
        warnings.add(warning.code, warning.template, offset, **dict(warning.values))
    return reading.value


def as_rule_error(error: DomainError) -> RuleError:
    """Convert an error to a rule error, because a :class:`Reading` holds no other kind."""
    return RuleError(error.code, error.template, (error.line, error.column), **error.values)


def _read_result(tags: dict[str, TextPiece], game_tokens: list[Token], warnings: Warnings) -> str:
    """Return the result after the moves. If it is missing or ``*``, return the result in the tag."""
    result_in_tag = tags["Result"].text.strip() if "Result" in tags else ""
    result_in_tag = _RESULT_SPELLINGS.get(result_in_tag, result_in_tag)
    if result_in_tag not in RESULTS and result_in_tag.strip("?"):
        warnings.add(
            "pgn-result-tag",
            "{result!r} is not the result of a game",
            tags["Result"].offset,
            result=result_in_tag[:20],
        )
    result_token = game_tokens[-1] if game_tokens and game_tokens[-1].kind == "result" else None
    result_after_moves = (
        "" if result_token is None else _RESULT_SPELLINGS.get(result_token.text, result_token.text)
    )
    if (
        result_token
        and result_in_tag in RESULTS
        and UNKNOWN_RESULT not in (result_after_moves, result_in_tag)
        and result_after_moves != result_in_tag
    ):
        warnings.add(
            "pgn-result",
            "the game ends with {written}, but its tag says {tagged}",
            result_token.source.offset,
            written=result_after_moves,
            tagged=result_in_tag,
        )
    if result_after_moves and result_after_moves != UNKNOWN_RESULT:
        return result_after_moves
    return result_in_tag if result_in_tag in RESULTS else UNKNOWN_RESULT


_LINE_BREAKS = re.compile(r"[\r\n]+")


def write(game: ChessGame) -> str:
    """Write a game. Braces in comments become parentheses, because a closing brace would end the comment."""
    tags = {**ROSTER, **dict(game.tags), "Result": game.result}
    variant = VARIANTS[game.start.variant] if game.start.variant else None
    default_fen = position_of(variant.board()).fen if variant else START_POSITION.fen
    start = {"SetUp": "1", "FEN": game.start.fen} if game.start.fen != default_fen else {}
    if variant is not None:
        start["Variant"] = variant.name
    # python-chess takes the rules from the Variant tag, and raises an error for an unknown variant.
    root = chess.pgn.Game({"Result": game.result} | start)
    root.comment = _without_braces(game.comment)
    _add_line(root, game.turns)
    tag_lines = [f'[{name} "{_escape(value)}"]' for name, value in (tags | start).items()]
    return "\n".join([*tag_lines, "", root.accept(chess.pgn.StringExporter(headers=False))]) + "\n"


def _escape(value: str) -> str:
    return _LINE_BREAKS.sub(" ", value).replace("\\", "\\\\").replace('"', '\\"')


def _without_braces(text: str) -> str:
    return " ".join(text.replace("{", "(").replace("}", ")").split())


def _add_line(parent: chess.pgn.GameNode, moves: tuple[ChessMove, ...]) -> None:
    for move in moves:  # the recursion is bounded, because the reader limits the depth of variations
        node = parent.add_variation(
            chess.Move.from_uci(move.uci),
            comment=_without_braces(move.comment),
            starting_comment=_without_braces(move.comment_before),
            nags=move.nags,
        )
        for variation in move.variations:
            _add_line(parent, variation)
        parent = node
