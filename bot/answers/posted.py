"""The answer to what was posted, of any kind of game: a viewer, or up to four pictures with a line about each."""

from __future__ import annotations

from collections.abc import Callable

from bot.answers.chess.viewer import is_collection
from bot.answers.findings import Found
from bot.answers.kind import Installed
from bot.answers.kinds import answers_of
from bot.answers.markdown import behind_bars, code_block, inline_code
from bot.answers.page import fitting
from bot.answers.remarks import stopped_at
from bot.answers.reply import (
    MAX_TEXT,
    AnalysisOffer,
    GameOffer,
    Moment,
    NotationMenu,
    Reply,
    TextFile,
    TryOffer,
)
from bot.domain.notations import offered
from bot.scenes.style import Style
from bot.text import Speaker

MAX_SHOWN = 4
"""Positions shown for one message; more are counted and named.

Each is a picture of its own: Discord lays up to four out as a grid, in which each can be opened at its full size, is
described by an alt text of its own, and stays hidden if it was hidden. One joined picture would have none of this.
"""


def shown_or_listed(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the documents that an answer has controls for: of many positions the first, of many games all."""
    # Of games of chess that came together one is shown, and any can be chosen.
    return found if is_collection(found) else found[:MAX_SHOWN]


def answer_posted(
    found: tuple[Found, ...], style: Style, installed: Installed, *, kept: bool, unread: int = 0
) -> Reply:
    """Answer a source with documents in it: with a viewer where they are kept and one picture is enough.

    ``kept`` tells whether controls can name the documents, ``unread`` how many more there are than were found.
    """
    if kept and (viewer := answers_of(found[0].document).posted(found, unread, style, installed)):
        return viewer
    return answer_positions(found, style, installed, menus=kept, unread=unread)


def answer_positions(
    found: tuple[Found, ...], style: Style, installed: Installed, *, menus: bool, unread: int = 0
) -> Reply:
    """Answer a source with positions in it.

    ``menus`` tells whether the documents are kept for menus, ``unread`` how many more there are than were found.
    """
    say = style.say
    shown, left_out = found[:MAX_SHOWN], found[MAX_SHOWN:]
    last = [_left_out(left_out, unread, len(shown), say)] if left_out or unread else []
    files: tuple[TextFile, ...] = ()
    text = "\n".join(
        [
            line if copy is None else f"{line}\n{copy}"
            for line, copy in zip(_lines(shown, _oddities, say), map(_copy, shown), strict=True)
        ]
        + last
    )
    if len(text) > MAX_TEXT:
        files = (_copies_file(shown),)
        text = "\n".join([*_lines(shown, _oddities, say), *last])
    if len(text) > MAX_TEXT:
        text = fitting([*_lines(shown, _stop, say), *last])
    return Reply(
        text,
        tuple(answers_of(item.document).drawing(item, style) for item in shown),
        files,
        (*_menus(shown), *_offers(shown), *(_analyses(shown) if installed.analysis else ())) if menus else (),
    )


def _analyses(shown: tuple[Found, ...]) -> tuple[AnalysisOffer | TryOffer, ...]:
    """Offer to analyze the position that is shown, if it is one alone."""
    return answers_of(shown[0].document).analyses(shown[0]) if len(shown) == 1 else ()


def answer_offer(found: tuple[Found, ...], say: Speaker) -> Reply:
    """Offer documents in other notations, without pictures."""
    return Reply(fitting(_lines(found, _stop, say)), controls=_menus(found))


def _lines(found: tuple[Found, ...], remark: Callable[[Found, Speaker], str], say: Speaker) -> list[str]:
    """Say a line about each document and a remark, hidden where the document is."""
    several = len(found) > 1
    lines = []
    for number, item in enumerate(found, start=1):
        line = document_line(item, say) + remark(item, say)
        lines.append((f"**{number}.** " if several else "") + (behind_bars(line) if item.spoiler else line))
    return lines


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
        if answers_of(item.document).turns(item.document)
    )


def document_line(item: Found, say: Speaker) -> str:
    """Say in one line what a document is."""
    return answers_of(item.document).line(item.document, say)


def _oddities(item: Found, say: Speaker) -> str:
    """Say on lines of their own what is to be remarked on a document."""
    return "".join(f"\n{remark}" for remark in answers_of(item.document).remarks(item, say))


def _stop(item: Found, say: Speaker) -> str:
    """Say on a line of its own where reading stopped."""
    stop = stopped_at(item, say)
    return f"\n{stop}" if stop else ""


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
    canonical = answers_of(item.document).to_copy(item)
    if canonical is None:
        return None
    return behind_bars(code_block(canonical)) if item.spoiler else code_block(canonical)


def _copies_file(shown: tuple[Found, ...]) -> TextFile:
    """Put the canonical texts into a file, for when they do not fit into a message."""
    texts = [answers_of(item.document).to_copy(item) or item.text for item in shown]
    spoiler = any(item.spoiler for item in shown)
    return TextFile("positions.cgp", "\n".join(texts) + "\n", spoiler=spoiler)
