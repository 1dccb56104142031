"""Generates chat messages. Many are traps: they look like a notation but are not.

Also reads code, prose and tables from Python's standard library and language reference.
"""

import pydoc_data.topics
import random
import string
import sysconfig
from collections.abc import Callable, Iterator
from itertools import chain, islice
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


def words(rng: random.Random, low: int, high: int) -> list[str]:
    return rng.choices(WORDS, k=rng.randint(low, high))


def number(rng: random.Random, max_digits: int = 3) -> str:
    return str(rng.randrange(10 ** rng.randint(1, max_digits)))


def sentence(rng: random.Random) -> str:
    text = " ".join(words(rng, 3, 20))
    return text.capitalize() + rng.choice(
        (".", "!", "?", "", " :)", "…", " 😀", " **really**", " ||spoiler||")
    )


def date(rng: random.Random) -> str:
    day, month, year = rng.randint(1, 31), rng.randint(1, 12), rng.randint(1900, 2100)
    form = rng.choice(("{0}/{1}/{2}", "{2}/{1:02}/{0:02}", "{1}/{0}", "{2}-{1:02}-{0:02}"))
    return form.format(day, month, year)


def dates(rng: random.Random) -> str:
    return rng.choice((" ", "/", ", ", "-")).join(date(rng) for _ in range(rng.randint(1, 8)))


def path(rng: random.Random) -> str:
    parts = [
        rng.choice((rng.choice(WORDS), number(rng), f"{rng.choice(WORDS)}{number(rng)}", "..", "v1.2"))
        for _ in range(rng.randint(2, 20))
    ]
    return (
        rng.choice(("/", "./", "~/", "C:/", "", "s3://", "file:///"))
        + "/".join(parts)
        + rng.choice(("", ".txt", ".py:12"))
    )


def slashed_words(rng: random.Random) -> str:
    return "/".join(words(rng, 2, 25))


def slashed_numbers(rng: random.Random) -> str:
    return "/".join(number(rng, 2) for _ in range(rng.randint(2, 25)))


def fractions(rng: random.Random) -> str:
    return rng.choice((" ", " + ", ", ")).join(
        f"{number(rng)}/{number(rng)}" for _ in range(rng.randint(1, 12))
    )


def address(rng: random.Random) -> str:
    quad = ".".join(str(rng.randrange(256)) for _ in range(4))
    hexes = ":".join(f"{rng.randrange(65536):x}" for _ in range(8))
    return rng.choice(
        (
            quad,
            f"{quad}/{rng.randrange(33)}",
            hexes,
            f"{hexes}/{rng.randrange(129)}",
            f"http://{quad}:8080/",
        )
    )


def url(rng: random.Random) -> str:
    query = "&".join(
        f"{rng.choice(('id', 'gid', 'q', 'v', 'wl', 'bag', 'seed', 'page', 't'))}={rng.choice((number(rng), rng.choice(WORDS), ''))}"
        for _ in range(rng.randint(0, 5))
    )
    return f"https://{rng.choice(WORDS)}.example/{path(rng).lstrip('./~')}{rng.choice('?#')}{query}"


def fen_row(rng: random.Random, letters: str, width: int) -> str:
    row, remaining_width = "", width
    while remaining_width:
        run = rng.randint(1, remaining_width)
        if rng.random() < 0.5:
            row += rng.choice(letters)
            remaining_width -= 1
        elif not row[-1:].isdigit():
            row += str(run)
            remaining_width -= run
    return row


def chess_position(rng: random.Random) -> str:
    board = "/".join(fen_row(rng, "pnbrqkPNBRQK", 8) for _ in range(8))
    return f"{board} {rng.choice('wb')} {rng.choice(('KQkq', '-', 'Kq'))} - {number(rng, 1)} {number(rng, 2)}"


def chess_variant_position(rng: random.Random) -> str:
    """Return a position of shogi, xiangqi or a large variant of chess."""
    letters, width, rows = rng.choice(
        (("lnsgkrbpLNSGKRBP", 9, 9), ("rnbakcpRNBAKCP", 9, 10), ("rnbqkcapRNBQKCAP", 10, 8))
    )
    board = "/".join(fen_row(rng, letters, width) for _ in range(rows))
    return f"{board} {rng.choice('wb')} - {number(rng, 1)}"


def chess_moves(rng: random.Random) -> str:
    moves = ("e4", "Nf3", "Bb5", "O-O", "Qxd5+", "exd8=Q#", "Rfe1", "c5", "Kh8", "h6")
    return " ".join(
        f"{turn}. {rng.choice(moves)} {rng.choice(moves)}" for turn in range(1, rng.randint(2, 20))
    )


def table_row(rng: random.Random) -> str:
    cells = [
        rng.choice(("---", ":-:", rng.choice(WORDS), number(rng), "~~x~~", "", "~"))
        for _ in range(rng.randint(2, 20))
    ]
    return rng.choice(("| {} |", "{}", "|{}|", "||{}||")).format(rng.choice((" | ", "|", " || ")).join(cells))


def ascii_art(rng: random.Random) -> str:
    characters = rng.choice(("|/-\\", "~|", "~^*.", "/\\_ ", "|~!", "=-|", ".'\"^", "#. "))
    return "".join(rng.choices(characters, k=rng.randint(5, 300)))


def grid_lines(rng: random.Random) -> str:
    """Return a square grid of characters, like the result of a daily puzzle."""
    side = rng.randint(5, 15)
    letters = rng.choice((".#", "🟩🟨⬛", string.ascii_uppercase, "0123456789 ", "XO."))
    return "\n".join("".join(rng.choices(letters, k=side)) for _ in range(side))


def markdown(rng: random.Random) -> str:
    template = rng.choice(
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
    return " ".join(template.format(" ".join(words(rng, 1, 5))) for _ in range(rng.randint(1, 4)))


def shell(rng: random.Random) -> str:
    return " | ".join(
        f"{rng.choice(WORDS)} -{rng.choice(string.ascii_letters)} {path(rng)}"
        for _ in range(rng.randint(1, 8))
    )


def expression(rng: random.Random) -> str:
    return rng.choice(("|", "||", "/", " + ", "~")).join(
        rng.choice((rng.choice(WORDS), number(rng), f"({rng.choice(WORDS)})", f"~{rng.choice(WORDS)}"))
        for _ in range(rng.randint(2, 30))
    )


def crossword_game_talk(rng: random.Random) -> str:
    """Return talk about crossword games: coordinates, racks, scores and lexica."""
    parts = (
        f"{rng.randint(1, 15)}{rng.choice('ABCDEFGHIJKLMNO')} {rng.choice(WORDS).upper()} +{number(rng, 2)}",
        f"{''.join(rng.choices(string.ascii_uppercase + '?', k=7))}/",
        f"{number(rng)}/{number(rng)} 0",
        f"lex {rng.choice(('CSW24', 'NWL23'))};",
        f">bob: {''.join(rng.choices(string.ascii_uppercase, k=7))}",
        f"cgp {number(rng)}/{number(rng)}",
        f"{number(rng)}-{number(rng)} loss",
    )
    return " ".join(rng.choices(parts, k=rng.randint(1, 5)))


def random_characters(rng: random.Random) -> str:
    return "".join(rng.choices(string.printable, k=rng.randint(1, 200)))


def encoded(rng: random.Random) -> str:
    letters = rng.choice((string.hexdigits, string.ascii_letters + string.digits + "+/"))
    return "".join(rng.choices(letters, k=rng.randint(20, 500))) + rng.choice(("", "=="))


def log_line(rng: random.Random) -> str:
    time = f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"
    ident = f"{rng.getrandbits(128):032x}"
    ident = rng.choice((ident, "-".join((ident[:8], ident[8:12], ident[12:16], ident[16:20], ident[20:]))))
    return rng.choice(
        (
            f"[{date(rng)} {time}] {rng.choice(('INFO', 'WARN', 'ERROR'))} {ident} {sentence(rng)}",
            f"{time},{rng.randrange(1000):03} --> {time},{rng.randrange(1000):03}",
            f"<t:{rng.randrange(2**31)}:R> <@{rng.getrandbits(63)}> <#{rng.getrandbits(63)}> {time}",
            f"{ident} {path(rng)} t={number(rng)} gid={number(rng)} tn",
        )
    )


def phone_number(rng: random.Random) -> str:
    groups = [number(rng, rng.randint(2, 5)) for _ in range(rng.randint(2, 6))]
    return rng.choice(("+", "(0)", "tel: ", "ISBN ", "$", "")) + rng.choice((" ", "-", ".", "/")).join(groups)


def sports_results(rng: random.Random) -> str:
    return rng.choice((", ", "; ", "\n", " / ")).join(
        f"{rng.choice(WORDS).upper()[:3]} {number(rng, 2)}{rng.choice('-:/')}{number(rng, 2)} "
        f"{rng.choice(WORDS).upper()[:3]}{rng.choice(('', ' (HT)', ' +3', ' 6/4 6/7(5) 7/5', ' 11/10F', ' a.e.t.'))}"
        for _ in range(rng.randint(1, 20))
    )


def diff(rng: random.Random) -> str:
    """Return a diff. Some of its lines start like Markdown or GCG."""
    lines = [f"@@ -{number(rng)},{number(rng, 2)} +{number(rng)},{number(rng, 2)} @@"]
    lines += (
        rng.choice(("+", "-", " ", "> ", "< ", "# ", "| ", ">>>>>>> ", "#player", ">x: "))
        + rng.choice((sentence(rng), expression(rng), path(rng), table_row(rng)))
        for _ in range(rng.randint(1, 12))
    )
    return "\n".join(lines)


def code(rng: random.Random) -> str:
    """Return a statement in a programming language, a JSON object or a table, sometimes in a code block."""
    name, other = rng.choice(WORDS), rng.choice(WORDS)
    statement = rng.choice(
        (
            f"{name} = {other}[{number(rng)}] / {number(rng)}  # {sentence(rng)}",
            f'{{"{name}": {number(rng)}, "{other}": ["{name}", null, {{"rows": [[{number(rng)}]]}}]}}',
            f'{{"format": "{name}", "version": {number(rng, 1)}, "board": "{slashed_words(rng)}"}}',
            f"#define {name.upper()} {number(rng)}\n#include <{other}.h>\n#title {name}",
            f"SELECT {name}/{other} FROM {name} WHERE {other} > {number(rng)};",
            f"sed -e 's/{name}/{other}/g;s/{other}/{number(rng)}/' | tr a-z A-Z > {path(rng)}",
            f"{name}|{other}|{number(rng)}\n---|---|---\n{table_row(rng)}",
        )
    )
    return rng.choice(("{}", "```\n{}\n```", "```py\n{}```", "`{}`")).format(statement)


def emoji(rng: random.Random) -> str:
    characters = rng.choice(
        ("😀🎉👍🏽", "🟩🟨⬛", "🔲🔳⬜", "1️⃣2️⃣3️⃣", ("<:tile_a:1234567890>", ":regional_indicator_q:", ":joy:"))
    )
    rows = ("".join(rng.choices(characters, k=rng.randint(1, 21))) for _ in range(rng.randint(1, 15)))
    return rng.choice(("", f"Daily {number(rng)} {rng.randint(1, 6)}/6\n\n")) + "\n".join(rows)


def crossword_puzzle_talk(rng: random.Random) -> str:
    """Return clues, numbered rows, answers in capitals, words with their scores, or a play."""
    answers = [word.upper() for word in words(rng, 2, 15)]
    return rng.choice(
        (
            f"{number(rng, 2)}A. {sentence(rng)} ({number(rng, 1)},{number(rng, 1)})",
            f"{number(rng, 2)}d: {rng.choice(answers)} / {rng.choice(answers)}?",
            "/".join(answers) + f" {number(rng)}/{number(rng)}",
            "\n".join(f"{word} {number(rng, 2)}" for word in answers),
            "\n".join(f"{row:2} {' '.join(rng.choices('.ABCDE#', k=15))}" for row in range(1, len(answers))),
            f">{rng.choice(WORDS)}: {rng.choice(answers)} 8D {rng.choice(answers)}",
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
    chess_position,
    chess_variant_position,
    chess_moves,
    table_row,
    ascii_art,
    grid_lines,
    markdown,
    shell,
    expression,
    crossword_game_talk,
    random_characters,
    encoded,
    log_line,
    phone_number,
    sports_results,
    diff,
    code,
    emoji,
    crossword_puzzle_talk,
)


def generated_messages(count: int, seed: int) -> Iterator[str]:
    """Yield messages from all grammars in turn."""
    rng = random.Random(seed)
    for index in range(count):
        yield GRAMMARS[index % len(GRAMMARS)](rng)


def installed_lines(count: int) -> Iterator[str]:
    """Yield the first ``count`` lines of Python's language reference and standard library."""
    modules = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    sources = (module.read_text(encoding="utf-8", errors="replace") for module in modules)
    texts = chain(pydoc_data.topics.topics.values(), sources)
    return islice((line for text in texts for line in text.split("\n")), count)
