"""Traps: lines of chat that look like a notation without being one, made from seeds by small grammars.

Nothing is stored: the lines come from the generators here, and from the modules and the language reference that
every Python brings along (code, prose, tables; read where they are installed). Prose is in
:mod:`tests.domain.public_domain`.
"""

import pydoc_data.topics
import random
import string
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

WORDS = """
the a of and to in is it you that he was for on are with as his they be at one have this from or had by hot
but some what there we can out other were all your when up use word how said an each she which do their time
if will way about many then them would write like so these her long make thing see him two has look more day
could go come did my sound no most number who over know water than call first people may down side been now
find any new work part take get place made live where after back little only round man year came show every
good me give our under name library kitchen bedroom hallway terrace gardens balcony cellars seventy quickly
brought Tuesday Friday bingo rack phony spread tile board score endgame lexicon anagram triple double QI ZA
XU QUIZ JINX TWL CSW lol omg brb gg wp
""".split()  # noqa: SIM905 - two hundred quotes would not read better


def words(chance: random.Random, low: int, high: int) -> list[str]:
    return chance.choices(WORDS, k=chance.randint(low, high))


def number(chance: random.Random, digits: int = 3) -> str:
    return str(chance.randrange(10 ** chance.randint(1, digits)))


def sentence(chance: random.Random) -> str:
    text = " ".join(words(chance, 3, 20))
    return text.capitalize() + chance.choice(
        (".", "!", "?", "", " :)", "…", " 😀", " **really**", " ||spoiler||")
    )


def date(chance: random.Random) -> str:
    day, month, year = chance.randint(1, 31), chance.randint(1, 12), chance.randint(1900, 2100)
    return chance.choice(
        (
            f"{day}/{month}/{year}",
            f"{year}/{month:02}/{day:02}",
            f"{month}/{day}",
            f"{year}-{month:02}-{day:02}",
        )
    )


def dates(chance: random.Random) -> str:
    return chance.choice((" ", "/", ", ", "-")).join(date(chance) for _ in range(chance.randint(1, 8)))


def path(chance: random.Random) -> str:
    parts = [
        chance.choice(
            (chance.choice(WORDS), number(chance), f"{chance.choice(WORDS)}{number(chance)}", "..", "v1.2")
        )
        for _ in range(chance.randint(2, 20))
    ]
    return (
        chance.choice(("/", "./", "~/", "C:/", "", "s3://", "file:///"))
        + "/".join(parts)
        + chance.choice(("", ".txt", ".py:12"))
    )


def slashed_words(chance: random.Random) -> str:
    return "/".join(words(chance, 2, 25))


def slashed_numbers(chance: random.Random) -> str:
    return "/".join(number(chance, 2) for _ in range(chance.randint(2, 25)))


def fractions(chance: random.Random) -> str:
    return chance.choice((" ", " + ", ", ")).join(
        f"{number(chance)}/{number(chance)}" for _ in range(chance.randint(1, 12))
    )


def address(chance: random.Random) -> str:
    quad = ".".join(str(chance.randrange(256)) for _ in range(4))
    hexes = ":".join(f"{chance.randrange(65536):x}" for _ in range(8))
    return chance.choice(
        (
            quad,
            f"{quad}/{chance.randrange(33)}",
            hexes,
            f"{hexes}/{chance.randrange(129)}",
            f"http://{quad}:8080/",
        )
    )


def url(chance: random.Random) -> str:
    """A link. None has both ``gid`` and ``tn``, which make a Turn URL."""
    query = "&".join(
        f"{chance.choice(('id', 'gid', 'q', 'v', 'wl', 'bag', 'seed', 'page', 't'))}={chance.choice((number(chance), chance.choice(WORDS), ''))}"
        for _ in range(chance.randint(0, 5))
    )
    return f"https://{chance.choice(WORDS)}.example/{path(chance).lstrip('./~')}{chance.choice('?#')}{query}"


def pieces(chance: random.Random, letters: str, width: int) -> str:
    row, left = "", width
    while left:
        run = chance.randint(1, left)
        if chance.random() < 0.5:
            row += chance.choice(letters)
            left -= 1
        elif not row[-1:].isdigit():
            row += str(run)
            left -= run
    return row


def chess(chance: random.Random) -> str:
    board = "/".join(pieces(chance, "pnbrqkPNBRQK", 8) for _ in range(8))
    return f"{board} {chance.choice('wb')} {chance.choice(('KQkq', '-', 'Kq'))} - {number(chance, 1)} {number(chance, 2)}"


def other_chess(chance: random.Random) -> str:
    """Shogi, xiangqi and large variants of chess."""
    letters, width, rows = chance.choice(
        (("lnsgkrbpLNSGKRBP", 9, 9), ("rnbakcpRNBAKCP", 9, 10), ("rnbqkcapRNBQKCAP", 10, 8))
    )
    board = "/".join(pieces(chance, letters, width) for _ in range(rows))
    return f"{board} {chance.choice('wb')} - {number(chance, 1)}"


def chess_moves(chance: random.Random) -> str:
    squares = ("e4", "Nf3", "Bb5", "O-O", "Qxd5+", "exd8=Q#", "Rfe1", "c5", "Kh8", "h6")
    return " ".join(
        f"{move}. {chance.choice(squares)} {chance.choice(squares)}"
        for move in range(1, chance.randint(2, 20))
    )


def table_row(chance: random.Random) -> str:
    cells = [
        chance.choice(("---", ":-:", chance.choice(WORDS), number(chance), "~~x~~", "", "~"))
        for _ in range(chance.randint(2, 20))
    ]
    return chance.choice(("| {} |", "{}", "|{}|", "||{}||")).format(
        chance.choice((" | ", "|", " || ")).join(cells)
    )


def ascii_art(chance: random.Random) -> str:
    signs = chance.choice(("|/-\\", "~|", "~^*.", "/\\_ ", "|~!", "=-|", ".'\"^", "#. "))
    return "".join(chance.choices(signs, k=chance.randint(5, 300)))


def grid_lines(chance: random.Random) -> str:
    """A square of signs such as puzzles are posted in, one line for each row."""
    side = chance.randint(5, 15)
    letters = chance.choice((".#", "🟩🟨⬛", string.ascii_uppercase, "0123456789 ", "XO."))
    return "\n".join("".join(chance.choices(letters, k=side)) for _ in range(side))


def markdown(chance: random.Random) -> str:
    style = chance.choice(
        (
            "~~{}~~",
            "||{}||",
            "**{}**",
            "`{}`",
            "> {}",
            "# {}",
            "#note {}",
            "#player {}",
            "- {}",
            ">alice: {}",
        )
    )
    return " ".join(style.format(" ".join(words(chance, 1, 5))) for _ in range(chance.randint(1, 4)))


def shell(chance: random.Random) -> str:
    return " | ".join(
        f"{chance.choice(WORDS)} -{chance.choice(string.ascii_letters)} {path(chance)}"
        for _ in range(chance.randint(1, 8))
    )


def expression(chance: random.Random) -> str:
    return chance.choice(("|", "||", "/", " + ", "~")).join(
        chance.choice(
            (chance.choice(WORDS), number(chance), f"({chance.choice(WORDS)})", f"~{chance.choice(WORDS)}")
        )
        for _ in range(chance.randint(2, 30))
    )


def talk_of_games(chance: random.Random) -> str:
    """Talk of players around positions: coordinates, racks, scores, lexica."""
    parts = (
        f"{chance.randint(1, 15)}{chance.choice('ABCDEFGHIJKLMNO')} {chance.choice(WORDS).upper()} +{number(chance, 2)}",
        f"{''.join(chance.choices(string.ascii_uppercase + '?', k=7))}/",
        f"{number(chance)}/{number(chance)} 0",
        f"lex {chance.choice(('CSW24', 'NWL23'))};",
        f">bob: {''.join(chance.choices(string.ascii_uppercase, k=7))}",
        f"cgp {number(chance)}/{number(chance)}",
        f"{number(chance)}-{number(chance)} loss",
    )
    return " ".join(chance.choices(parts, k=chance.randint(1, 5)))


def random_signs(chance: random.Random) -> str:
    return "".join(chance.choices(string.printable, k=chance.randint(1, 200)))


def encoded(chance: random.Random) -> str:
    letters = chance.choice((string.hexdigits, string.ascii_letters + string.digits + "+/"))
    return "".join(chance.choices(letters, k=chance.randint(20, 500))) + chance.choice(("", "=="))


def timestamps(chance: random.Random) -> str:
    """Lines of a log: times, identifiers, levels, key=value."""
    time = f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}"
    ident = f"{chance.getrandbits(128):032x}"
    ident = chance.choice((ident, "-".join((ident[:8], ident[8:12], ident[12:16], ident[16:20], ident[20:]))))
    return chance.choice(
        (
            f"[{date(chance)} {time}] {chance.choice(('INFO', 'WARN', 'ERROR'))} {ident} {sentence(chance)}",
            f"{time},{chance.randrange(1000):03} --> {time},{chance.randrange(1000):03}",
            f"<t:{chance.randrange(2**31)}:R> <@{chance.getrandbits(63)}> <#{chance.getrandbits(63)}> {time}",
            f"{ident} {path(chance)} t={number(chance)} gid={number(chance)} tn",
        )
    )


def telephone(chance: random.Random) -> str:
    """Numbers in groups: telephones, cards, books, prices."""
    groups = [number(chance, chance.randint(2, 5)) for _ in range(chance.randint(2, 6))]
    return chance.choice(("+", "(0)", "tel: ", "ISBN ", "$", "")) + chance.choice((" ", "-", ".", "/")).join(
        groups
    )


def sports(chance: random.Random) -> str:
    """Results: sets, halves, tables, odds."""
    return chance.choice((", ", "; ", "\n", " / ")).join(
        f"{chance.choice(WORDS).upper()[:3]} {number(chance, 2)}{chance.choice('-:/')}{number(chance, 2)} "
        f"{chance.choice(WORDS).upper()[:3]}{chance.choice(('', ' (HT)', ' +3', ' 6/4 6/7(5) 7/5', ' 11/10F', ' a.e.t.'))}"
        for _ in range(chance.randint(1, 20))
    )


def diff(chance: random.Random) -> str:
    """A part of a change as programs show it, with lines that start with +, -, >, # and |."""
    lines = [f"@@ -{number(chance)},{number(chance, 2)} +{number(chance)},{number(chance, 2)} @@"]
    lines += (
        chance.choice(("+", "-", " ", "> ", "< ", "# ", "| ", ">>>>>>> ", "#player", ">x: "))
        + chance.choice((sentence(chance), expression(chance), path(chance), table_row(chance)))
        for _ in range(chance.randint(1, 12))
    )
    return "\n".join(lines)


def code(chance: random.Random) -> str:
    """Statements of no language in particular, in a block of code or not, and JSON that is something else's."""
    name, other = chance.choice(WORDS), chance.choice(WORDS)
    statement = chance.choice(
        (
            f"{name} = {other}[{number(chance)}] / {number(chance)}  # {sentence(chance)}",
            f'{{"{name}": {number(chance)}, "{other}": ["{name}", null, {{"rows": [[{number(chance)}]]}}]}}',
            f'{{"format": "{name}", "version": {number(chance, 1)}, "board": "{slashed_words(chance)}"}}',
            f"#define {name.upper()} {number(chance)}\n#include <{other}.h>\n#title {name}",
            f"SELECT {name}/{other} FROM {name} WHERE {other} > {number(chance)};",
            f"sed -e 's/{name}/{other}/g;s/{other}/{number(chance)}/' | tr a-z A-Z > {path(chance)}",
            f"{name}|{other}|{number(chance)}\n---|---|---\n{table_row(chance)}",
        )
    )
    return chance.choice(("{}", "```\n{}\n```", "```py\n{}```", "`{}`")).format(statement)


def pictures(chance: random.Random) -> str:
    """Emoji, custom emoji and the grids of daily puzzles."""
    signs = chance.choice(
        ("😀🎉👍🏽", "🟩🟨⬛", "🔲🔳⬜", "1️⃣2️⃣3️⃣", ("<:tile_a:1234567890>", ":regional_indicator_q:", ":joy:"))
    )
    rows = ("".join(chance.choices(signs, k=chance.randint(1, 21))) for _ in range(chance.randint(1, 15)))
    return chance.choice(("", f"Daily {number(chance)} {chance.randint(1, 6)}/6\n\n")) + "\n".join(rows)


def talk_of_crosswords(chance: random.Random) -> str:
    """Clues, grids with numbers, answers in capitals, lists of words with their scores."""
    words_ = [word.upper() for word in words(chance, 2, 15)]
    return chance.choice(
        (
            f"{number(chance, 2)}A. {sentence(chance)} ({number(chance, 1)},{number(chance, 1)})",
            f"{number(chance, 2)}d: {chance.choice(words_)} / {chance.choice(words_)}?",
            "/".join(words_) + f" {number(chance)}/{number(chance)}",
            "\n".join(f"{word} {number(chance, 2)}" for word in words_),
            "\n".join(
                f"{row:2} {' '.join(chance.choices('.ABCDE#', k=15))}" for row in range(1, len(words_))
            ),
            f">{chance.choice(WORDS)}: {chance.choice(words_)} 8D {chance.choice(words_)}",
        )
    )


GRAMMARS: tuple[Callable[[random.Random], str], ...] = (
    sentence,
    dates,
    path,
    slashed_words,
    slashed_numbers,
    fractions,
    address,
    url,
    chess,
    other_chess,
    chess_moves,
    table_row,
    ascii_art,
    grid_lines,
    markdown,
    shell,
    expression,
    talk_of_games,
    random_signs,
    encoded,
    timestamps,
    telephone,
    sports,
    diff,
    code,
    pictures,
    talk_of_crosswords,
)


def generated(count: int, seed: int) -> Iterator[str]:
    """Yield a number of messages, in turn from every grammar."""
    chance = random.Random(seed)
    for index in range(count):
        yield GRAMMARS[index % len(GRAMMARS)](chance)


def installed_lines(count: int) -> Iterator[str]:
    """Yield lines of the language reference and of the standard library's modules, as they are installed."""
    left = count
    for topic in pydoc_data.topics.topics.values():
        for line in topic.split("\n"):
            if left:
                left -= 1
                yield line
    for source in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for line in source.read_text(encoding="utf-8", errors="replace").split("\n"):
            if not left:
                return
            left -= 1
            yield line
