"""``show``: the picture of what is in a file."""

from __future__ import annotations

import argparse
import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bot.chat.markdown import plain
from bot.chat.style import Style, View
from bot.cli.documents import FOUND, INVALID, NOTHING, FileError, doubts, read_bytes, refusals
from bot.cli.words import add_config
from bot.config import load_settings
from bot.features.service import Service
from bot.features.showing.desk import Desk
from bot.features.showing.reading import Attachment, Source
from render.scene import Layout
from render.theme import theme_names


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("show", help="draw the positions in a file")
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="PNG", type=Path, required=True, help="where the picture goes"
    )
    parser.add_argument("--theme", choices=theme_names(), default="light")
    parser.add_argument("--layout", choices=[layout.value for layout in Layout], default=Layout.TALL.value)
    add_config(parser)
    parser.set_defaults(work=show)


def show(arguments: argparse.Namespace) -> int:
    """Draw a file; further positions go to files numbered beside the first."""
    try:
        data = read_bytes(arguments.file)
    except FileError as error:
        print(error, file=sys.stderr)
        return INVALID
    style = Style(View(arguments.theme, Layout(arguments.layout)))
    lexica = load_settings(arguments.config).analysis.lexica
    source = Source("", (Attachment(arguments.file, data),))
    with ThreadPoolExecutor(1, thread_name_prefix="kibitz-worker") as executor:
        service = Service(Desk(executor, lexica=lexica))
        findings = asyncio.run(service.find(source))
        reply = asyncio.run(service.show(source, style, findings))
    for line in (*refusals(arguments.file, findings), *doubts(arguments.file, findings)):
        print(line, file=sys.stderr)
    if reply is None or not reply.images:
        if not findings.refused:
            print(f"{arguments.file}: {plain(reply.text) if reply else 'nothing found'}", file=sys.stderr)
        return INVALID if findings.refused else NOTHING
    output: Path = arguments.output
    for number, image in enumerate(reply.images, start=1):
        path = output if number == 1 else output.with_stem(f"{output.stem}-{number}")
        try:
            path.write_bytes(image.picture.data)
        except OSError as error:
            print(f"{path} cannot be written: {error.strerror}", file=sys.stderr)
            return INVALID
        print(f"{path}: {image.alt}")
    return FOUND
