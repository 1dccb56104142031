"""Creates replies to damaged inputs of every notation and file type, as if a user had pasted or attached the inputs.

    python -m tests.fuzz.showing [--seconds 60] [--seed N] [--inputs N]

If an input raises an exception or takes more than ten seconds of CPU time, it is printed as a Python expression, and the exit
code is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import random
import sys
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from bot.chat.card import Card, RefusalError, ReplyContext
from bot.chat.source import Attachment, Source
from bot.domain.notations import NOTATIONS, convert, detect
from bot.domain.reading.problems import DomainError
from bot.features.settings.help import EXAMPLES
from bot.features.showing.document_service import DocumentService
from bot.features.showing.service import Presenter
from tests.domain.crossword.notations.test_mutations import CGP, CHARACTERS, GCG, URL
from tests.positions import FOUR_IN_BAG, MAVEN

MAX_SECONDS = 10.0
DRAW_INTERVAL = 50
"""The reply to one input in this many is drawn."""
FILE_NAMES = ("a.txt", "a.gcg", "a.pgn", "a.zip", "a.png", "a.bin", "a.json", "a.csv", "")
OTHER_TEXTS = (
    "https://lichess.org/analysis/rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR_w_KQkq_e6_0_2",
    'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id "one"; c0 "mate";\n',
    "[D]White mates in one.\n[S]1. Re8#\n6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1\n",
    (
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
        "00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,e8d7 a2e6 d7d8 f7f8,1760,80,83,72,mate,x,\n"
    ),
    "hello ||" + MAVEN + "|| and `" + CGP + "`\n> " + URL,
)


class SparseDrawing(DocumentService):
    input_number = 0

    async def draw(self, reply: Card) -> Card:
        return reply if self.input_number % DRAW_INTERVAL else await super().draw(reply)


async def undamaged_inputs() -> list[bytes]:
    """Return examples of all notations, their conversions to other notations, an archive and a picture."""
    texts = [CGP, GCG, URL, MAVEN, FOUR_IN_BAG, *(text for _, text in EXAMPLES.values()), *OTHER_TEXTS]
    for text in tuple(texts):
        for detection in detect(text):
            try:
                document = NOTATIONS[detection.format].read(detection.text).value
            except DomainError:
                continue
            for name in NOTATIONS:
                try:
                    texts.append(convert(document, name).text)
                except DomainError:
                    continue
    inputs = [text.encode() for text in dict.fromkeys(texts)]
    archive_file = io.BytesIO()
    with zipfile.ZipFile(archive_file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, data in enumerate(inputs[:6]):
            archive.writestr(f"{number}.txt", data)
    with ThreadPoolExecutor(1) as executor:
        card = await Presenter(DocumentService(executor)).show(Source(MAVEN), ReplyContext())
    assert card is not None
    return [*inputs, archive_file.getvalue(), card.drawings[0].picture.data]


def damaged_inputs(undamaged: list[bytes], rng: random.Random) -> Iterator[bytes]:
    """Yield inputs with damage in one to six places, endlessly."""
    fragments = [character.encode() for character in CHARACTERS] + [
        b"\xff",
        b"\xc3",
        "\u202e".encode(),
        b"||",
        b"```",
        b"@everyone",
        b"9" * 30,
        b"0" * 5_000,  # more digits than Python reads as a number
    ]
    while True:
        data = bytearray(rng.choice(undamaged))
        for _ in range(rng.randint(1, 6)):
            offset = rng.randrange(len(data) + 1)
            end = min(len(data), offset + rng.choice((0, 1, 1, 2, 10, 100)))
            match rng.randrange(6):
                case 0:
                    del data[offset:end]
                case 1:
                    data[offset:end] = rng.choice(fragments)
                case 2:
                    data[offset:offset] = data[offset:end] * rng.choice((1, 2, 50))
                case 3:
                    other = rng.choice(undamaged)
                    start = rng.randrange(len(other))
                    data[offset:end] = other[start : start + rng.choice((3, 30, 300))]
                case 4 if offset < len(data):
                    data[offset] ^= 1 << rng.randrange(8)
                case _:
                    lines = bytes(data).split(b"\n")
                    rng.shuffle(lines)
                    data = bytearray(b"\n".join(lines))
        yield bytes(data[:200_000])


def source_of(data: bytes, rng: random.Random) -> Source:
    if rng.randrange(2):
        return Source(
            data.decode("utf-8", "replace"),
            on_request=bool(rng.randrange(2)),
            spoiler=not rng.randrange(5),
        )
    return Source("", (Attachment(rng.choice(FILE_NAMES), data),))


async def fuzz(seconds: float, max_inputs: int, seed: int) -> int:
    """Show damaged inputs until ``seconds`` have passed or ``max_inputs`` have been shown. Return the number of inputs shown."""
    rng = random.Random(seed)
    max_cpu_seconds, undamaged = 0.0, await undamaged_inputs()
    with ThreadPoolExecutor(1) as executor:
        documents = SparseDrawing(executor)
        presenter = Presenter(documents)
        end = time.monotonic() + seconds
        for number, data in enumerate(damaged_inputs(undamaged, rng)):
            if number >= max_inputs or time.monotonic() > end:
                break
            documents.input_number = number
            source = source_of(data, rng)
            start = time.process_time()
            try:
                await presenter.show(source, ReplyContext())
            except RefusalError:
                pass
            except BaseException:
                print(f"input {number} of seed {seed}: {source!r}", file=sys.stderr)
                raise
            cpu_seconds = time.process_time() - start
            max_cpu_seconds = max(max_cpu_seconds, cpu_seconds)
            if cpu_seconds > MAX_SECONDS:
                raise SystemExit(f"input {number} of seed {seed} took {cpu_seconds:.1f} s: {source!r}")
    print(f"{number:,} inputs of seed {seed}; the slowest took {1000 * max_cpu_seconds:.0f} ms")
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--inputs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments = parser.parse_args()
    asyncio.run(fuzz(arguments.seconds, arguments.inputs, arguments.seed))


if __name__ == "__main__":
    main()
