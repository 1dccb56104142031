"""Answers about words: valid or not, hooks, anagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.chat.card import MAX_TEXT, Card
from bot.chat.markdown import code_block, escape
from bot.text import Speaker

MAX_LISTED = 1_500
"""Characters of words in one answer."""


@dataclass(frozen=True, slots=True)
class Authority:
    """The lexicon that words are judged by."""

    name: str
    words: int = 0
    """How many words it has; 0 when that is not known."""
    missing: str = ""
    """The lexicon that was wanted instead and is not installed."""


def missing_words(missing: str, lexicon: str, say: Speaker) -> str:
    """Say that ``lexicon`` is taken because another is missing."""
    return say(
        "⚠ {missing} is not installed here: {lexicon}, words may differ.",
        missing=escape(missing, 40),
        lexicon=escape(lexicon),
    )


def _lexicon_words(lexicon: Authority, say: Speaker) -> str:
    """Say what a lexicon is, for whoever does not find a word in it."""
    if lexicon.name == "SCOWL80":
        about = say("a free list, close to the tournament lists, not one of them")
    elif lexicon.name == "CROSSWD":
        about = say("a free list, older than words such as QI and ZA")
    elif lexicon.words:
        about = say.count("{number} word", "{number} words", lexicon.words)
    else:
        return say("Lexicon: {lexicon}", lexicon=escape(lexicon.name))
    return say("Lexicon: {lexicon}, {about}", lexicon=escape(lexicon.name), about=about)


def answer_check(
    valid: Sequence[tuple[str, bool | None]],
    lexicon: Authority,
    say: Speaker,
    elsewhere: Mapping[str, Sequence[str]] | None = None,
) -> Card:
    """Say of each word whether it is in a lexicon; None for one that its tiles cannot spell.

    ``elsewhere`` names the other installed lexica that have a word.
    """
    lines = []
    for word, is_valid in valid:
        shown = f"**{escape(word, 60)}**"
        if is_valid is None:
            lines.append(say("❔ {word} cannot be spelled with these tiles", word=shown))
        elif is_valid:
            lines.append(say("✅ {word} is valid", word=shown))
        elif others := (elsewhere or {}).get(word):
            lexica = ", ".join(map(escape, others))
            lines.append(say("❌ {word} is not valid, but it is in {lexica}", word=shown, lexica=lexica))
        else:
            lines.append(say("❌ {word} is not valid", word=shown))
    told = [is_valid for _, is_valid in valid]
    if len(told) > 1:
        # How a challenge of a whole play ends.
        lines.append(say("Together: valid.") if all(told) else say("Together: not valid."))
    if False in told:
        lines.append(_lexicon_words(lexicon, say))
    else:
        lines.append(say("Lexicon: {lexicon}", lexicon=escape(lexicon.name)))
    if lexicon.missing:
        lines.append(missing_words(lexicon.missing, lexicon.name, say))
    return Card("\n".join(lines)[:MAX_TEXT])


def answer_hooks(
    word: str,
    *,
    front: Sequence[str],
    back: Sequence[str],
    inner: Sequence[str],
    lexicon: Authority,
    say: Speaker,
    valid: bool,
) -> Card:
    """Say which letters make another word of a word."""
    shown = f"**{escape(word, 60)}**"
    head = say("✅ {word} is valid", word=shown) if valid else say("❌ {word} is not valid", word=shown)
    lines = [
        head,
        say("In front: {letters}", letters=_listed(front, say)),
        say("Behind: {letters}", letters=_listed(back, say)),
    ]
    if inner:
        lines.append(say("Inside: {words}", words=_listed(inner, say)))
    lines.append(say("Lexicon: {lexicon}", lexicon=escape(lexicon.name)))
    if lexicon.missing:
        lines.append(missing_words(lexicon.missing, lexicon.name, say))
    return Card("\n".join(lines)[:MAX_TEXT])


def answer_anagrams(
    rack: str, words: Sequence[str], found: int, lexicon: Authority, say: Speaker, *, complete: bool
) -> Card:
    """List the words that tiles make, the longest first."""
    shown = f"**{escape(rack, 60)}**"
    if not words:
        lines = [say("{rack} makes no word in {lexicon}.", rack=shown, lexicon=escape(lexicon.name))]
        if lexicon.missing:
            lines.append(missing_words(lexicon.missing, lexicon.name, say))
        return Card("\n".join(lines))
    listed: list[str] = []
    length = 0
    for word in words:
        length += len(word) + 1
        if length > MAX_LISTED:
            break
        listed.append(word)
    head = say.count(
        "{rack} makes {number} word in {lexicon}:",
        "{rack} makes {number} words in {lexicon}:",
        found,
        rack=shown,
        lexicon=escape(lexicon.name),
    )
    lines = [head, code_block(_by_length(listed))]
    if lexicon.missing:
        lines.append(missing_words(lexicon.missing, lexicon.name, say))
    if found > len(listed):
        lines.append(say("The first {shown} are listed.", shown=len(listed)))
    if not complete:
        lines.append(say("There may be more: I looked for as long as I may."))
    return Card("\n".join(lines))


def _listed(parts: Sequence[str], say: Speaker) -> str:
    text = " ".join(escape(part) for part in parts) or say("none")
    return text if len(text) <= MAX_LISTED // 3 else text[: MAX_LISTED // 3].rsplit(" ", 1)[0] + " …"


def _by_length(words: Sequence[str]) -> str:
    """Put words of one length on a line."""
    lines: list[list[str]] = []
    length = 0
    for word in words:
        if not lines or len(word) != length:
            lines.append([])
            length = len(word)
        lines[-1].append(word)
    return "\n".join(" ".join(line) for line in lines)
