"""The answer to posted positions and games: picture, a line about it, the CGP to copy, the other notations."""

from __future__ import annotations

from collections.abc import Callable

from bot.answers.chess.position import chess_drawing, chess_line, chess_to_copy
from bot.answers.crossword.live import news_remarks
from bot.answers.findings import Found
from bot.answers.markdown import behind_bars, code_block, escape, inline_code
from bot.answers.place import place_text
from bot.answers.reply import (
    TEXT_LIMIT,
    AnalysisOffer,
    Drawing,
    GameOffer,
    Moment,
    NotationMenu,
    Reply,
    TextFile,
)
from bot.domain.chess.game import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import CLASSIC
from bot.domain.notations import offered
from bot.domain.reading.problems import ConversionError
from bot.scenes.crossword import alt_text, player_name, position_scene
from bot.scenes.style import Style
from bot.text import Speaker

MAX_SHOWN = 4
"""Positions shown for one message; more are counted and named.

Each is a picture of its own: Discord lays up to four out as a grid, in which each can be opened at its full size, is
described by an alt text of its own, and stays hidden if it was hidden. One joined picture would have none of this.
"""

MAX_ODDITIES = 3
"""Warnings told about one position."""


def answer_positions(
    found: tuple[Found, ...], style: Style, *, menus: bool, analysis: bool, unread: int = 0
) -> Reply:
    """Answer a source with positions in it.

    ``menus`` tells whether the documents are kept for menus, ``analysis`` whether they can be analyzed, ``unread`` how many more there are than were found.
    """
    say = style.say
    shown, left_out = found[:MAX_SHOWN], found[MAX_SHOWN:]
    last = [_left_out(left_out, unread, len(shown), say)] if left_out or unread else []
    files: tuple[TextFile, ...] = ()
    text = "\n".join(
        [
            line if copy is None else f"{line}\n{copy}"
            for line, copy in zip(_lines(shown, oddities, say), map(_copy, shown), strict=True)
        ]
        + last
    )
    if len(text) > TEXT_LIMIT:
        files = (_copies_file(shown),)
        text = "\n".join([*_lines(shown, oddities, say), *last])
    if len(text) > TEXT_LIMIT:
        text = fitting([*_lines(shown, stopped_at, say), *last])
    return Reply(
        text,
        tuple(_drawing(item, style) for item in shown),
        files,
        (*_menus(shown), *_offers(shown), *(_analyses_of(shown) if analysis else ())) if menus else (),
    )


def analysis_offers(position: Position, moment: Moment) -> tuple[AnalysisOffer, ...]:
    """Offer to analyze a position if somebody has something to play in it."""
    return () if position.is_over or not position.players[position.on_turn].rack else (AnalysisOffer(moment),)


def _analyses_of(shown: tuple[Found, ...]) -> tuple[AnalysisOffer, ...]:
    """Offer to analyze the position that is shown, if it is one alone."""
    if len(shown) != 1 or not isinstance(shown[0].document, Position):
        return ()
    return analysis_offers(shown[0].document, Moment(shown[0].digest, 0, spoiler=shown[0].spoiler))


def _drawing(item: Found, style: Style) -> Drawing:
    if not isinstance(item.document, Position | Game):
        return chess_drawing(item.document, style, spoiler=item.spoiler)
    return Drawing(
        position_scene(item.position, style), alt_text(item.position, style.say), spoiler=item.spoiler
    )


def answer_offer(found: tuple[Found, ...], say: Speaker) -> Reply:
    """Offer documents in other notations, without pictures."""
    return Reply(fitting(_lines(found, stopped_at, say)), controls=_menus(found))


def _lines(found: tuple[Found, ...], remark: Callable[[Found, Speaker], str], say: Speaker) -> list[str]:
    """Say a line about each document and a remark, hidden where the document is."""
    several = len(found) > 1
    lines = []
    for number, item in enumerate(found, start=1):
        line = document_line(item, say) + remark(item, say)
        lines.append((f"**{number}.** " if several else "") + (behind_bars(line) if item.spoiler else line))
    return lines


def fitting(blocks: list[str]) -> str:
    """Join as many blocks as fit into a message, each whole: half of one could lose its spoiler bars."""
    text = ""
    for block in blocks:
        if len(text) + 1 + len(block) > TEXT_LIMIT:
            break
        text += "\n" + block if text else block
    return text


def _menus(found: tuple[Found, ...]) -> tuple[NotationMenu, ...]:
    several = len(found) > 1
    return tuple(
        NotationMenu(item.digest, number if several else None, offered(item.document))
        for number, item in enumerate(found, start=1)
    )


def _offers(found: tuple[Found, ...]) -> tuple[GameOffer, ...]:
    """Offer to open the games, each from its start."""
    return tuple(
        GameOffer(Moment(item.digest, 0, spoiler=item.spoiler), number)
        for number, item in enumerate(found, start=1)
        if isinstance(item.document, Game | ChessGame) and item.document.turns
    )


def document_line(item: Found, say: Speaker) -> str:
    """Say in one line who is to move, the scores, the lexicon and what is unseen; of a game also how long it was."""
    if not isinstance(item.document, Position | Game):
        return chess_line(item.document, say)
    turns = len(item.document.turns) if isinstance(item.document, Game) else None
    return position_line(item.position, say, turns)


def position_line(position: Position, say: Speaker, turns: int | None = None) -> str:
    """Say in one line what a position is; ``turns`` is how many its game has, None when it stands alone."""
    if position.is_over:
        parts = [say("**The game is over**")]
    else:
        parts = [say("**{player} to move**", player=escape(player_name(position, position.on_turn, say), 40))]
    parts.append(_scores(position, say))
    if turns is not None:
        parts.append(say.count("{number} turn", "{number} turns", turns))
    if position.rules.lexicon:
        parts.append(escape(position.rules.lexicon, 60))
    if distribution := _other_tiles(position.rules.distribution.name):
        parts.append(say("{distribution} tiles", distribution=escape(distribution, 40)))
    if position.rules.variant != CLASSIC:
        parts.append(escape(position.rules.variant, 40))
    parts.append(say.count("{number} tile unseen", "{number} tiles unseen", position.unseen.total))
    return " · ".join(parts)


def _other_tiles(name: str) -> str:
    """Return what a set of tiles is called, or nothing for the one that people take for granted."""
    plain = {"english_super": "english", "turn-url-en": "english", "turn-url-es": "spanish"}.get(name, name)
    return "" if plain == "english" else plain


def _scores(position: Position, say: Speaker) -> str:
    scores = [player.score for player in position.players]
    if any(player.name for player in position.players):
        return " – ".join(
            f"{escape(player_name(position, seat, say), 40)} {player.score}"
            for seat, player in enumerate(position.players[:8])
        )
    if len(scores) == 2:
        mine, theirs = scores[position.on_turn], scores[1 - position.on_turn]
        return say("{mine}–{theirs} ({spread:+d})", mine=mine, theirs=theirs, spread=mine - theirs)
    return "–".join(str(score) for score in scores[:8])


def stopped_at(item: Found, say: Speaker) -> str:
    """Say where reading stopped, with the place in the source; nothing when it did not."""
    if item.error is None:
        return ""
    return "\n⛔ " + say(
        "Read up to here: {problem} {place}",
        problem=escape(say.problem(item.error)),
        place=place_text(item.error, item.text, say),
    )


def oddities(item: Found, say: Speaker) -> str:
    """Say on lines of their own what :func:`remarks` has to say."""
    return "".join(f"\n{remark}" for remark in remarks(item, say))


def remarks(item: Found, say: Speaker) -> tuple[str, ...]:
    """Say where reading stopped and what the reader forgave, with the places in the source."""
    lines = [stop.strip()] if (stop := stopped_at(item, say)) else []
    lines += [
        f"⚠ {escape(say.problem(warning))} {place_text(warning, item.text, say)}"
        for warning in item.warnings[:MAX_ODDITIES]
    ]
    more = len(item.warnings) - MAX_ODDITIES
    if more > 0:
        lines.append("⚠ " + say.count("{number} more", "{number} more", more))
    if item.news is not None:
        lines += news_remarks(item.news, say)
    return tuple(lines)


def canonical_to_copy(item: Found) -> str | None:
    """Return the canonical CGP when it says something else than the text that was posted."""
    if not isinstance(item.document, Position | Game):
        return chess_to_copy(item.document, item.text)
    try:
        canonical = cgp.write(item.position)
    except ConversionError:
        return None
    return None if _folded(canonical) == _folded(item.text) else canonical


def _folded(text: str) -> str:
    """Leave out what makes no difference to a reader: the prefix, spaces, a last semicolon."""
    words = text.split()
    while words and words[0].lower() in ("load", "cgp", "cgp:"):
        del words[0]
    return " ".join(words).rstrip(";")


def _left_out(left_out: tuple[Found, ...], unread: int, shown: int, say: Speaker) -> str:
    names = ", ".join(inline_code(_beginning(item)) for item in left_out[:8])
    if len(left_out) + unread > 8:
        names += ", …" if names else "…"
    return say.count(
        "{number} more position is not shown (at most {shown} in a message): {names}",
        "{number} more positions are not shown (at most {shown} in a message): {names}",
        len(left_out) + unread,
        shown=shown,
        names=names,
    )


def _beginning(item: Found) -> str:
    if item.spoiler:
        return "▒▒▒"
    return item.text[:24] + "…"


def _copy(item: Found) -> str | None:
    """Return the canonical CGP as a block to copy, hidden where the document is."""
    canonical = canonical_to_copy(item)
    if canonical is None:
        return None
    return behind_bars(code_block(canonical)) if item.spoiler else code_block(canonical)


def _copies_file(shown: tuple[Found, ...]) -> TextFile:
    """Put the canonical texts into a file, for when they do not fit into a message."""
    texts = [canonical_to_copy(item) or item.text for item in shown]
    spoiler = any(item.spoiler for item in shown)
    return TextFile("positions.cgp", "\n".join(texts) + "\n", spoiler=spoiler)
