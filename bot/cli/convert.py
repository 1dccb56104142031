"""``convert``: a file in another notation."""

from __future__ import annotations

import argparse
import asyncio
import sys

from bot.cli.documents import FOUND, INVALID, NOTHING, FileError, doubts, local_reader, read_bytes, refusals
from bot.cli.words import add_config
from bot.domain.notations import NOTATIONS
from bot.domain.notations import convert as convert_document
from bot.domain.reading.problems import ConversionError
from bot.features.showing.reading import Attachment, Source


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("convert", help="give the first document of a file in another notation")
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--to", choices=sorted(NOTATIONS), required=True, help="the notation wanted")
    parser.add_argument("--turn", type=int, help="of a game, how many turns to tell (default: all)")
    add_config(parser)
    parser.set_defaults(work=convert)


def convert(arguments: argparse.Namespace) -> int:
    """Write the document to standard output, and what was lost or wrong to standard error."""
    try:
        data = read_bytes(arguments.file)
    except FileError as error:
        print(error, file=sys.stderr)
        return INVALID
    with local_reader(arguments.config) as reader:
        findings = asyncio.run(reader.find(Source("", (Attachment(arguments.file, data),))))
    for line in (*refusals(arguments.file, findings), *doubts(arguments.file, findings)):
        print(line, file=sys.stderr)
    if not findings.found:
        if not findings.refused:
            print(f"{arguments.file}: nothing found", file=sys.stderr)
        return INVALID if findings.refused else NOTHING
    try:
        conversion = convert_document(findings.found[0].document, arguments.to, turn=arguments.turn)
    except ConversionError as error:
        print(f"{arguments.file}: {error.message}", file=sys.stderr)
        return INVALID
    print(conversion.text.rstrip("\n"))
    for loss in conversion.losses:
        print(f"{arguments.file}: not in it: {loss.message}", file=sys.stderr)
    return INVALID if findings.refused else FOUND
