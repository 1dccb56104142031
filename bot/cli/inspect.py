"""``inspect``: what is in a file."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace

from bot.chat.markdown import plain
from bot.cli.documents import (
    FOUND,
    INVALID,
    MAX_DOCUMENTS,
    NOTHING,
    FileError,
    doubts,
    further,
    local_reader,
    read_bytes,
)
from bot.cli.words import add_config
from bot.domain.notations import NOTATIONS
from bot.features.showing.findings import PICTURE, Findings
from bot.features.showing.inspection import inspection, unreadable
from bot.features.showing.posted import document_line
from bot.features.showing.reading import Attachment, Source
from bot.features.showing.remarks import place_text
from bot.text import speaker


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("inspect", help="say what positions and games a file holds")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each file, on a line of its own"
    )
    add_config(parser)
    parser.set_defaults(work=inspect)


def inspect(arguments: argparse.Namespace) -> int:
    """Inspect files; return the worst of their exit codes."""
    worst = FOUND
    with local_reader(arguments.config) as reader:
        for name in arguments.files:
            try:
                data = read_bytes(name)
            except FileError as error:
                print(error, file=sys.stderr)
                if arguments.json:
                    print(json.dumps(unreadable(name, str(error)), ensure_ascii=False))
                worst = INVALID
                continue
            source = Source("", (Attachment(name, data),), most=MAX_DOCUMENTS)
            findings = asyncio.run(reader.find(source))
            if arguments.json:
                print(json.dumps(inspection(name, findings), ensure_ascii=False))
            else:
                print(_for_people(name, findings))
            worst = max(worst, _exit_code(findings))
    return worst


def _exit_code(findings: Findings) -> int:
    if findings.refused:
        return INVALID
    return FOUND if findings.found else NOTHING


def _for_people(name: str, findings: Findings) -> str:
    say = speaker("en")
    lines = []
    for item in findings.found:
        line = plain(document_line(item, say))
        lines.append(f"{name}: {NOTATIONS[item.format].label}: {line}")
        lines += doubts(name, replace(findings, found=(item,)))
        lines += [
            f"{name}:{warning.line}:{warning.column}: warning: {warning.message}" for warning in item.warnings
        ]
    for refused in findings.refused:
        if refused.format == PICTURE:
            lines.append(f"{name}: picture: {refused.error.message}")
            continue
        where = place_text(refused.error, refused.whole, say)
        lines.append(f"{name}: {NOTATIONS[refused.format].label}: {refused.error.message} {where}")
    if findings.beyond:
        lines.append(f"{name}: {further(findings.beyond)}")
    return "\n".join(lines) if lines else f"{name}: nothing found"
