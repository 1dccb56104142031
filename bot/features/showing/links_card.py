"""What is said about links: where a game comes from, why one is not opened, which games a collection has."""

from __future__ import annotations

from bot.chat.card import MAX_LABEL, Card, Choice, clipped, fitting
from bot.chat.markdown import behind_bars, escape, name
from bot.domain.notations import Document
from bot.features.showing.controls import linked_menu
from bot.features.showing.findings import Opened
from bot.links.sites import link_to, source_of
from bot.links.values import Address, Kind, TheirReview
from bot.text import Speaker

MAX_TITLE = 100
MAX_NAME = 30
PAGE = 23
"""Games of a collection in one list; two entries lead to others."""


def source_link(document: Document, say: Speaker) -> str | None:
    """Link to a game on the site it comes from; nothing of its text stands in the link but an id of a known form."""
    address = source_of(document)
    return link_words(address, say) if address is not None else None


def link_words(address: Address, say: Speaker) -> str:
    """Link to something on its site, without a preview."""
    match address.kind:
        case Kind.PUZZLE:
            words = say("Puzzle on {site}", site=address.site)
        case Kind.STUDY:
            words = say("Study on {site}", site=address.site)
        case Kind.BROADCAST:
            words = say("Broadcast on {site}", site=address.site)
        case Kind.COLLECTION:
            words = say("Collection on {site}", site=address.site)
        case _:
            words = say("Game on {site}", site=address.site)
    return f"[{words}](<{link_to(address)}>)"


def unopened_words(opened: tuple[Opened, ...], say: Speaker) -> list[str]:
    """Say of each link that cannot be opened why, hidden where the link is."""
    lines = []
    for one in opened:
        if one.error is not None:
            line = say(
                "I cannot open this: {link}. The reason: {problem}.",
                link=link_words(one.address, say),
                problem=escape(say.problem(one.error)),
            )
            lines.append(behind_bars(line) if one.address.spoiler else line)
    return lines


def answer_unopened(opened: tuple[Opened, ...], say: Speaker) -> Card:
    """Say why links cannot be opened, where there is nothing else to show."""
    return Card(fitting(unopened_words(opened, say)), found=False)


def their_words(review: TheirReview, site: str, say: Speaker) -> str:
    """Say in a line what a site's own review found, as the site's own."""
    players = []
    for player in review.players:
        index = say.number(player.index, ".1f")
        elo = f" (≈ {player.elo})" if player.elo else ""
        players.append(f"{escape(player.name, MAX_NAME)} {index}{elo}")
    return say(
        "🔎 {site} has a review of its own: mistake index {players}.", site=site, players=", ".join(players)
    )


def answer_collection(opened: Opened, say: Speaker, start: int = 0) -> Card:
    """List the games of a collection to choose from, ``start`` being the place of the first one listed."""
    address, listed = opened.address, opened.listed
    count = say.count("{number} game", "{number} games", len(listed))
    title = escape(clipped(opened.title, MAX_TITLE))
    text = " · ".join([f"**{title}**" if title else "", count, link_words(address, say)]).removeprefix(" · ")
    start = min(max(0, start), len(listed) - 1) // PAGE * PAGE
    choices = []
    for number, (game, game_title) in enumerate(listed[start : start + PAGE], start=start + 1):
        words = "" if address.spoiler else name(game_title, MAX_LABEL - 6)
        # A game may be there twice, and no value of a list may.
        value = f"{number}:{game.id}"
        label = f"{number}. {words or say('Game {number}', number=number)}"
        choices.append(Choice(value, label[:MAX_LABEL]))
    menu = linked_menu(
        address.id,
        tuple(choices),
        say,
        earlier=start - PAGE if start else None,
        later=start + PAGE if start + PAGE < len(listed) else None,
        spoiler=address.spoiler,
    )
    return Card(behind_bars(text) if address.spoiler else text, controls=(menu,), accent="board")
