"""Positions and games as JSON: everything they hold, for programs. ``docs/json.md`` explains each member.

The text is an object with ``format`` ("kibitz"), ``version`` and ``kind`` ("position" or "game"). A tile is its
written form, a blank that stands for a tile has ``?`` before it, and a square without a tile is an empty string.

>>> from bot.domain.crossword.notations import cgp
>>> position = cgp.read("/".join(["15"] * 15)).value
>>> document = write(position)
>>> read(document).value == position
True
>>> list(find(document)) == [(0, len(document) - 1, "json")]
True
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations.json_document.reader import read
from bot.domain.crossword.play import THROUGH, Comment, Exchange, Pass, Placement, Play, ShownRack, Turn
from bot.domain.crossword.position import EMPTY, LastPlay, Player, Position
from bot.domain.crossword.rules import (
    BLANK_TEXT,
    BoardLayout,
    LetterDistribution,
    Rules,
    distribution_names,
    layout_names,
    load_distribution,
    load_layout,
    usual_rules,
)
from bot.domain.reading.json_document import Members, find, lay_out
from bot.domain.reading.problems import ConversionError

__all__ = ["find", "read", "write"]


def _set(members: Mapping[str, object]) -> Members:
    """Leave out what is empty."""
    return {
        name: value
        for name, value in members.items()
        if value not in (None, "", [], {}) and value is not False
    }


def write(document: Position | Game) -> str:
    """Write a position or a game.

    Raises:
        ConversionError: the set has tiles that are written alike.

    """
    kind = "game" if isinstance(document, Game) else "position"
    members = _game_members(document) if isinstance(document, Game) else _position_members(document)
    return lay_out(kind, members)


def _position_members(position: Position) -> Members:
    """Return the members of a position."""
    rules = position.rules
    distribution, board = rules.distribution, position.board
    rows = [[_square_text(tile, distribution) for tile in board.row(row)] for row in range(board.rows)]
    last = position.last_play
    return {
        "rules": rules_members(rules),
        "board": rows,
        "players": [_player_members(player, distribution) for player in position.players],
        "on_turn": position.on_turn,
        **_set(
            {
                "scoreless_turns": position.scoreless_turns or None,
                "turns_left": position.turns_left,
                "last_play": _last_play_members(last, distribution) if last else None,
                "opponent_rack_unknown": position.opponent_rack_unknown,
                "game_id": position.game_id,
                "extra": [list(pair) for pair in position.extra],
            }
        ),
    }


def _bingo_times(rules: Rules) -> Members:
    """Return how often a bingo's main word counts, where that is not as usual for the tiles."""
    usual = usual_rules(rules.distribution, rules.layout).bingo_times
    return {} if rules.bingo_times == usual else {"bingo_times": rules.bingo_times}


def rules_members(rules: Rules) -> Members:
    """Return the members of rules: the tiles and the board by name where Kibitz knows them by that name."""
    return {
        "tiles": _tiles_members(rules.distribution),
        "board": _layout_members(rules.layout),
        "rack_size": rules.rack_size,
        "bingo_bonus": rules.bingo_bonus,
        "exchange_limit": rules.exchange_limit,
        "scoreless_limit": rules.scoreless_limit,
        "end_count": rules.end_count.value,
        "variant": rules.variant,
        **_set({"lexicon": rules.lexicon, "challenge_rule": rules.challenge_rule}),
        **_bingo_times(rules),
        **{
            name: value
            for name, value in (
                ("time_increment", rules.time_increment),
                ("max_overtime", rules.max_overtime),
            )
            if value is not None
        },
    }


def _tiles_members(distribution: LetterDistribution) -> object:
    if distribution.name in distribution_names() and load_distribution(distribution.name) == distribution:
        return distribution.name
    texts = [letter.text for letter in distribution.letters[1:]]
    written = {*texts, *(BLANK_TEXT + text for text in texts), "", BLANK_TEXT}
    if len(written) != 2 * len(texts) + 2:
        raise ConversionError("tile-not-writable", "this set has tiles that are written the same way")
    letters = [
        {"tile": letter.text, "blank": letter.blank_text, "count": letter.count, "points": letter.points}
        | ({"vowel": True} if letter.vowel else {})
        for letter in distribution.letters
    ]
    return {"name": distribution.name, "letters": letters}


def _layout_members(layout: BoardLayout) -> object:
    if layout.name in layout_names() and load_layout(layout.name) == layout:
        return layout.name
    starts = range(0, len(layout.squares), layout.columns)
    rows = [layout.squares[start : start + layout.columns] for start in starts]
    return {"name": layout.name, "rows": rows, "start": list(layout.start)}


def _square_text(tile: int, distribution: LetterDistribution) -> str:
    if tile == EMPTY:
        return ""
    text = distribution.letters[abs(tile)].text
    return text if tile > 0 else BLANK_TEXT + text


def _rack_texts(rack: tuple[int, ...], distribution: LetterDistribution) -> list[str]:
    return [distribution.letters[tile].text for tile in rack]


def _player_members(player: Player, distribution: LetterDistribution) -> Members:
    clock = {} if player.clock is None else {"clock": player.clock}
    return (
        _set({"name": player.name, "rack": _rack_texts(player.rack, distribution)})
        | {"score": player.score}
        | clock
    )


def _last_play_members(last: LastPlay, distribution: LetterDistribution) -> Members:
    numbers = {"challenge_bonus": last.challenge_bonus, "score": last.score, "player": last.player}
    return (
        {"play": play_members(last.play, distribution)}
        | _set({"withdrawn": last.withdrawn})
        | {name: number for name, number in numbers.items() if number is not None}
    )


def play_members(play: Play, distribution: LetterDistribution) -> Members:
    """Return the members of a play."""
    if isinstance(play, Pass):
        return {"type": "pass"}
    if isinstance(play, Exchange):
        exchanged = {"tiles": _rack_texts(play.tiles, distribution), "unknown": play.unknown or None}
        return {"type": "exchange"} | _set(exchanged)
    return _placement_members(play, distribution)


def _placement_members(play: Placement, distribution: LetterDistribution) -> Members:
    tiles = ["" if tile == THROUGH else _square_text(tile, distribution) for tile in play.tiles]
    return {"type": "placement", "coordinate": str(play.start), "tiles": tiles}


def _game_members(game: Game) -> Members:
    """Return the members of a game."""
    distribution = game.rules.distribution
    return {
        "rules": rules_members(game.rules),
        "players": [{"nick": name.nick, "name": name.name} for name in game.names],
        "turns": [_turn_members(turn, distribution) for turn in game.turns],
        **_set(
            {
                "title": game.title,
                "description": game.description,
                "authority": game.authority,
                "game_id": game.game_id,
                "shown_racks": [_shown_rack_members(rack, distribution) for rack in game.shown_racks],
                "incomplete": game.incomplete,
                "note": game.note,
                "comments": [_comment_members(comment) for comment in game.comments],
                "extra": [list(pair) for pair in game.extra],
            }
        ),
    }


def _turn_members(turn: Turn, distribution: LetterDistribution) -> Members:
    return {
        "player": turn.player,
        "kind": turn.kind.value,
        **_set(
            {
                "rack": _rack_texts(turn.rack, distribution),
                "rack_unknown": turn.rack_unknown or None,
                "play": play_members(turn.play, distribution) if turn.play else None,
                "tiles": _rack_texts(turn.tiles, distribution),
            }
        ),
        "score": turn.score,
        "cumulative": turn.cumulative,
        **_set({"note": turn.note, "comments": [_comment_members(comment) for comment in turn.comments]}),
    }


def _shown_rack_members(rack: ShownRack, distribution: LetterDistribution) -> Members:
    return {
        "after": rack.after,
        "player": rack.player,
        "tiles": _rack_texts(rack.tiles, distribution),
    } | _set({"unknown": rack.unknown or None})


def _comment_members(comment: Comment) -> Members:
    return {"text": comment.text} | _set({"author": comment.author, "date": comment.date})
