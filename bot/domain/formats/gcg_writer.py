"""Writing a GCG so that the strictest known readers accept it.

Those want the encoding in the first line, a rack on every play, pass and exchange, dots for tiles played through, and
nothing after the event lines but notes and racks. Tiles of more than one letter are declared as the format says,
which programs that have no such sets do not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.domain.distributions import distribution_of_lexicon, load_distribution, super_distribution
from bot.domain.formats.gcg_settings import NO_AUTHORITY
from bot.domain.formats.gcg_tiles import PLAYED_THROUGH, UNKNOWN_TILE, alphabet_of, check_tiles
from bot.domain.game import Game
from bot.domain.play import THROUGH, Exchange, Pass, Placement
from bot.domain.rules import CLASSIC, Rules
from bot.domain.turn import Comment, PlayerName, Turn, TurnKind

_FOREIGN = frozenset({"turn-url"})
"""What another notation keeps in a game. Strict readers refuse pragmas that they do not know."""


def write(game: Game) -> str:
    """Write a game. Racks that nobody showed are written as the tiles that the turn tells of.

    Raises:
        ConversionError: a tile is written with characters that the format needs itself.

    """
    check_tiles(game.rules.distribution)
    writer = _Writer(game)
    return "\n".join((*writer.header(), *writer.events(), ""))


class _Writer:
    def __init__(self, game: Game) -> None:
        self._game = game
        self._distribution = game.rules.distribution
        self._alphabet = alphabet_of(self._distribution)
        self._nicks = _nicks(game.names)

    def header(self) -> Iterator[str]:
        game = self._game
        yield "#character-encoding UTF-8"
        for number, (nick, name) in enumerate(zip(self._nicks, game.names, strict=True), start=1):
            yield f"#player{number} {nick} {_one_line(name.name) or nick}"
        if title := _one_line(game.title):
            yield f"#title {title}"
        if game.description:
            yield from (f"#description {line.strip()}".rstrip() for line in game.description.split("\n"))
        if game.game_id:
            authority = _word(game.authority) or NO_AUTHORITY
            yield f"#id {authority} {_word(game.game_id)}"
        yield from self._rules()
        yield from (
            f"#{_word(keyword)} {_one_line(argument)}".rstrip()
            for keyword, argument in game.extra
            if keyword not in _FOREIGN
        )
        if game.incomplete:
            yield "#incomplete"
        yield from _remarks(game.note, game.comments)
        yield from self._racks(0)

    def _rules(self) -> Iterator[str]:
        rules = self._game.rules
        if lexicon := _one_line(rules.lexicon):
            yield f"#lexicon {lexicon}"
        if rules.variant != CLASSIC:
            yield f"#game-type {_word(rules.variant)}"
        if rules.layout.name and rules.layout.name != "CrosswordGame":
            yield f"#board-layout {_one_line(rules.layout.name)}"
        if not _is_implied(rules):
            yield f"#tile-distribution {_word(self._distribution.name)}"
        for letter in self._distribution.letters:
            if max(len(letter.text), len(letter.blank_text)) > 1:
                yield f"#tile {letter.text} {letter.blank_text}"

    def events(self) -> Iterator[str]:
        for number, turn in enumerate(self._game.turns):
            rack = self._rack(number)
            score = f"{turn.score:+d}"
            if turn.score == 0 and turn.kind in _LOSSES:
                score = "-0"
            yield f">{self._nicks[turn.player]}: {rack} {self._action(turn)}{score} {turn.cumulative}"
            yield from _remarks(turn.note, turn.comments)
            yield from self._racks(number + 1)

    def _action(self, turn: Turn) -> str:
        match turn.play:
            case Placement():
                return f"{turn.play.start} {self._word(turn.play)} "
            case Exchange(tiles, unknown):
                known = self._tiles(tiles)
                return f"-{known + UNKNOWN_TILE * unknown if known else turn.play.count} "
            case Pass():
                return "- "
        return _OUTCOMES.get(turn.kind) or f"({self._tiles(turn.tiles)}) "

    def _word(self, placement: Placement) -> str:
        text = self._distribution.text
        return self._alphabet.write(
            PLAYED_THROUGH if tile == THROUGH else text(tile) for tile in placement.tiles
        )

    def _tiles(self, tiles: Iterable[int]) -> str:
        return self._alphabet.write(self._distribution.text(tile) for tile in tiles)

    def _rack(self, number: int) -> str:
        """Return the rack of a turn; where it was not shown, the tiles that are known to have been on it."""
        turn = self._game.turns[number]
        tiles, unknown = turn.rack, turn.rack_unknown
        if not tiles and not unknown and turn.kind not in _NEEDS_NO_RACK:
            tiles, unknown = self._told(number)
        if turn.kind is TurnKind.END_RACK_PENALTY and not tiles:
            tiles = turn.tiles
        if unknown:
            return self._alphabet.write(
                (*(self._distribution.text(tile) for tile in tiles), *UNKNOWN_TILE * unknown)
            )
        return self._tiles(tiles)

    def _told(self, number: int) -> tuple[tuple[int, ...], int]:
        """Return what the turns tell of a rack that was not shown."""
        turns = self._game.turns
        turn = turns[number]
        if isinstance(turn.play, Placement):
            return tuple(max(tile, 0) for tile in turn.play.tiles if tile != THROUGH), 0
        if isinstance(turn.play, Exchange):
            return turn.play.tiles, turn.play.unknown
        if turn.kind is TurnKind.PHONY_WITHDRAWN:
            for earlier in range(number - 1, -1, -1):
                if turns[earlier].player == turn.player and isinstance(turns[earlier].play, Placement):
                    return (
                        (turns[earlier].rack, turns[earlier].rack_unknown)
                        if turns[earlier].rack
                        else self._told(earlier)
                    )
        for later in turns[number + 1 :]:
            if later.player == turn.player and later.rack:
                # A pass changes no rack, so it is the one of the player's next turn.
                return later.rack, later.rack_unknown
        return (), self._game.rules.rack_size

    def _racks(self, after: int) -> Iterator[str]:
        for rack in self._game.shown_racks:
            if rack.after == after:
                texts = (
                    *(self._distribution.text(tile) for tile in rack.tiles),
                    *UNKNOWN_TILE * rack.unknown,
                )
                yield f"#rack{rack.player + 1} {self._alphabet.write(texts)}"


_OUTCOMES = {
    TurnKind.PHONY_WITHDRAWN: "-- ",
    TurnKind.CHALLENGE_BONUS: "(challenge) ",
    TurnKind.TIME_PENALTY: "(time) ",
}
_LOSSES = frozenset({TurnKind.PHONY_WITHDRAWN, TurnKind.END_RACK_PENALTY, TurnKind.TIME_PENALTY})
_NEEDS_NO_RACK = frozenset(
    {TurnKind.CHALLENGE_BONUS, TurnKind.TIME_PENALTY, TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY}
)


def _is_implied(rules: Rules) -> bool:
    """Tell whether a reader finds the set of tiles without its being named."""
    implied = distribution_of_lexicon(rules.lexicon) if rules.lexicon else None
    implied = implied or load_distribution("english")
    if rules.layout.rows == 21:
        implied = super_distribution(implied)
    return rules.distribution == implied


def _remarks(note: str, comments: Iterable[Comment]) -> Iterator[str]:
    """Yield a line for each line of the notes, which every reader takes; an empty one keeps its space."""
    if note:
        for line in re.split("\r\n|[\r\n]", note):
            yield f"#note {line.strip() or ' '}"
    for comment in comments:
        fields = (("date", comment.date), ("author", comment.author), ("text", comment.text))
        yield "#comment " + "; ".join(
            f'{key}="{_escaped(value)}"' for key, value in fields if value or key == "text"
        )


def _escaped(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", text).replace("\r", "").replace("\n", r"\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _word(text: str) -> str:
    return "_".join(text.split())


def _nicks(names: Iterable[PlayerName]) -> list[str]:
    """Return a nick without spaces for each player, no two alike."""
    nicks: list[str] = []
    for number, name in enumerate(names, start=1):
        nick = _word(name.nick) or _word(name.name) or f"player{number}"
        while nick.casefold() in {other.casefold() for other in nicks}:
            nick += "_"
        nicks.append(nick)
    return nicks
