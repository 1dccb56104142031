"""A crossword position in words: a line about it, the CGP to copy, what to remark on it."""

from __future__ import annotations

from collections.abc import Mapping

from bot.chat.card import Card, Drawing, Moment, Style, join_blocks
from bot.chat.markdown import behind_bars, escape
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import CLASSIC, OWN_GAMES
from bot.domain.notations import CrosswordDocument, final_position
from bot.domain.reading.problems import ConversionError
from bot.features.showing.controls import Offers, viewer
from bot.features.showing.crossword.board_scene import alt_text, player_name, position_scene, unseen_groups
from bot.features.showing.crossword.live import news_remarks
from bot.features.showing.findings import Found
from bot.features.showing.remarks import doubted, remarks, sight_controls
from bot.text import Speaker

_PLAIN_NAMES = {"english_super": "english", "turn-url-en": "english", "turn-url-es": "spanish"}
"""What people call the sets of tiles that have another name within."""


def answer_position(item: Found, moment: Moment, style: Style, offers: Offers) -> Card:
    """Show a position, or a game without turns, with its controls. A spoiler hides the picture and the words."""
    say, position = style.say, item.position
    scene = position_scene(position, style, doubtful=doubted(item), on_card=True)
    drawing = Drawing(scene, alt_text(position, say), spoiler=moment.spoiler)
    lines = (standing_line(position, say), *crossword_remarks(item, say))
    if doubted(item) is None:
        controls, more = viewer(moment, offers=offers(item, moment))
        more = (*sight_controls(item, moment), *more)
    else:
        controls, more = sight_controls(item, moment), ()
    return Card(
        join_blocks(["\n".join(lines)], moment),
        (drawing,),
        controls=controls,
        more=more,
        note=position_note(position, say, spoiler=moment.spoiler),
        accent="board",
    )


def crossword_brief(document: CrosswordDocument, say: Speaker) -> str:
    """Say in few words how the players stand."""
    position = final_position(document)
    named = any(player.name for player in position.players)
    told = (
        f"{player_name(position, seat, say)} {player.score}" if named else str(player.score)
        for seat, player in enumerate(position.players[:3])
    )
    return " – ".join(told)


def crossword_drawing(item: Found, style: Style) -> Drawing:
    """Return the picture of a position, of a game its end."""
    scene = position_scene(item.position, style, doubtful=doubted(item))
    return Drawing(scene, alt_text(item.position, style.say), spoiler=item.spoiler)


def crossword_remarks(item: Found, say: Speaker) -> tuple[str, ...]:
    """Say where reading stopped, what the reader forgave, and what is new in a live game."""
    return remarks(item, say) + (news_remarks(item.news, say) if item.news is not None else ())


def crossword_line(document: CrosswordDocument, say: Speaker) -> str:
    """Say in one line who is to move, the scores, the lexicon and what is unseen; of a game also how long it was."""
    turns = len(document.turns) if isinstance(document, Game) else None
    return position_line(final_position(document), say, turns)


def position_line(
    position: Position, say: Speaker, turns: int | None = None, who: Mapping[int, str] | None = None
) -> str:
    """Say in one line what a position is; ``turns`` is the length of its game, None when it stands alone.

    ``who`` are players, by their seats, who are called otherwise than in the position.
    """
    facts = _facts(position, say)
    if position.rules.has_known_bag:
        facts.append(say.count("{number} tile unseen", "{number} tiles unseen", position.unseen.total))
    return " · ".join([standing_line(position, say, turns, who), *facts])


def standing_line(
    position: Position, say: Speaker, turns: int | None = None, who: Mapping[int, str] | None = None
) -> str:
    """Name the player on turn, and the scores; the arguments are those of :func:`position_line`."""
    if position.is_over:
        parts = [say("**The game is over**")]
    else:
        mover = escape(player_name(position, position.on_turn, say), 40)
        parts = [say("**{player} to move**", player=(who or {}).get(position.on_turn) or mover)]
    parts.append(scores_words(position, say))
    if turns is not None:
        parts.append(say.count("{number} turn", "{number} turns", turns))
    return " · ".join(parts)


def position_note(position: Position, say: Speaker, *, spoiler: bool) -> str:
    """Return the small print of a card: the lexicon, the tiles, and what is unseen, which its picture leaves out."""
    facts = _facts(position, say)
    if position.rules.has_known_bag and (unseen := position.unseen.total):
        title = say("Unseen {unseen} (bag {bag})", unseen=unseen, bag=position.bag_count)
        facts.append(f"{title}: {escape(' '.join(unseen_groups(position)))}")
    note = " · ".join(facts)
    return behind_bars(note) if spoiler and note else note


def _facts(position: Position, say: Speaker) -> list[str]:
    """Return the lexicon, the tiles and the variant, as far as they are not the usual ones."""
    rules = position.rules
    facts = [escape(rules.lexicon, 60)] if rules.lexicon else []
    if game := OWN_GAMES.get(rules.distribution.name):
        facts.append(game)
    elif (name := _PLAIN_NAMES.get(rules.distribution.name, rules.distribution.name)) != "english":
        facts.append(say("{distribution} tiles", distribution=escape(name.replace("_", " "), 40)))
    if rules.variant != CLASSIC:
        facts.append(escape(rules.variant, 40))
    return facts


def scores_words(position: Position, say: Speaker) -> str:
    """Say how the players stand."""
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


def _folded(text: str) -> str:
    """Leave out what makes no difference to a reader: the prefix, spaces, a last semicolon."""
    words = text.split()
    while words and words[0].lower() in ("load", "cgp", "cgp:"):
        del words[0]
    return " ".join(words).rstrip(";")


def canonical_to_copy(item: Found) -> str | None:
    """Return the canonical CGP when it says something else than the text that was posted."""
    try:
        canonical = cgp.write(item.position)
    except ConversionError:
        return None
    return None if _folded(canonical) == _folded(item.text) else canonical
