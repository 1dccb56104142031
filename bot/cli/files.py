"""``inspect``, ``show`` and ``convert``: list the documents in a file, draw them, or convert the first to another notation."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from bot.chat.markdown import strip_markdown
from bot.chat.source import Attachment, Source
from bot.cli import terminal
from bot.cli.documents import (
    MAX_DOCUMENTS,
    find_documents,
    local_reader,
    print_error,
    print_problems,
    problem_lines,
    read_bytes,
    remarks_on,
    write_bytes,
)
from bot.cli.parser import CONFIG, FAILURE, NOTHING_FOUND, SUCCESS, CommandError, argument, command
from bot.config import load_settings
from bot.domain.notations import NOTATIONS, convert as convert_document
from bot.domain.reading.problems import ConversionError
from bot.features.showing.findings import UNREADABLE_PICTURE, Findings
from bot.features.showing.inspection import inspection, unreadable_file_inspection
from bot.features.showing.posted import viewer_of
from bot.features.showing.remarks import location_text
from bot.text import translator
from render.scene import Layout
from render.theme import theme_names

_FILE = argument("file", metavar="FILE", help="a file, or - for standard input")


def _exit_code(findings: Findings) -> int:
    return FAILURE if findings.unreadable_texts else SUCCESS if findings.documents else NOTHING_FOUND


@command(
    "inspect",
    argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input"),
    argument("--json", action="store_true", help="print a line of JSON for each file"),
    CONFIG,
)
def inspect(arguments: argparse.Namespace) -> int:
    """Inspect files, and return the worst exit code."""
    worst_code = SUCCESS
    with local_reader(arguments.config) as reader:
        for name in arguments.files:
            try:
                findings = find_documents(reader, name, read_bytes(name))
            except CommandError as error:
                print_error(error)
                if arguments.json:
                    print(json.dumps(unreadable_file_inspection(name, str(error)), ensure_ascii=False))
                worst_code = FAILURE
                continue
            if arguments.json:
                print(json.dumps(inspection(name, findings), ensure_ascii=False))
            else:
                print(_inspection_text(name, findings))
            worst_code = max(worst_code, _exit_code(findings))
    return worst_code


def _inspection_text(name: str, findings: Findings) -> str:
    translate = translator("en")
    lines = []
    for found in findings.documents:
        lines.append(
            f"{name}: {NOTATIONS[found.format].label}: {strip_markdown(viewer_of(found.document).document_line(found, translate))}"
        )
        lines += remarks_on(name, Findings((found,)))
        lines += problem_lines(name, found.warnings, "warning: ")
    for unreadable in findings.unreadable_texts:
        label, location = "picture" if unreadable.format == UNREADABLE_PICTURE else "file", ""
        if unreadable.source_text:
            label = NOTATIONS[unreadable.format].label
            location = f" {location_text(unreadable.error, unreadable.source_text, translate)}"
        lines.append(f"{name}: {label}: {unreadable.error.message}{location}")
    return "\n".join(
        [*lines, *remarks_on(name, replace(findings, documents=()))] or [f"{name}: nothing found"]
    )


@command(
    "show",
    _FILE,
    argument(
        "-o",
        "--output",
        metavar="PNG",
        type=Path,
        help="file for the picture (default: a new file in the current folder)",
    ),
    argument("--theme", choices=theme_names(), default="light", help="theme of the picture (default: light)"),
    argument(
        "--layout",
        choices=[layout.value for layout in Layout],
        default=Layout.TALL.value,
        help="layout of the picture (default: tall)",
    ),
    CONFIG,
)
def show(arguments: argparse.Namespace) -> int:
    """Draw the positions in a file, and print the text of their card. Pictures after the first are written to numbered files."""
    from bot.chat.card import Appearance, ReplyContext  # noqa: PLC0415 - the other commands draw nothing
    from bot.features.showing.document_service import DocumentService  # noqa: PLC0415 - as above
    from bot.features.showing.service import Presenter  # noqa: PLC0415 - as above

    name = arguments.file
    stem, output = Path(name).stem if name != "-" else "position", arguments.output
    source = Source("", (Attachment(name, read_bytes(name)),), max_documents=MAX_DOCUMENTS)
    context = ReplyContext(Appearance(arguments.theme, Layout(arguments.layout)))
    with ThreadPoolExecutor(1, thread_name_prefix="kibitz-worker") as executor:
        presenter = Presenter(
            DocumentService(executor, lexica_folder=load_settings(arguments.config).analysis.lexica)
        )
        findings = asyncio.run(presenter.find(source))
        card = asyncio.run(presenter.show(source, context, findings))
    print_problems(name, findings)
    if not card.drawings:
        if not findings.unreadable_texts:
            print_error(f"{name}: {strip_markdown(card.text)}")
        return FAILURE if findings.unreadable_texts else NOTHING_FOUND
    for number, drawing in enumerate(card.drawings, start=1):
        if output is None:
            path = _unused_path(stem)
        else:
            path = output if number == 1 else output.with_stem(f"{output.stem}-{number}")
        assert drawing.picture is not None  # the service has drawn the card
        write_bytes(path, drawing.picture.data)
        if sys.stdout.isatty():
            terminal.draw(drawing.picture.data)
        print(f"{path}: {drawing.alt}")
    print(strip_markdown(card.text))
    return SUCCESS


def _unused_path(stem: str) -> Path:
    names = (f"{stem}.png", *(f"{stem}-{number}.png" for number in range(2, 1_000)))
    unused_path = next((path for path in map(Path, names) if not path.exists()), None)
    if unused_path is None:
        raise CommandError(f"{names[0]} to {names[-1]} exist: choose a file with -o")
    return unused_path


@command(
    "convert",
    _FILE,
    argument("--to", choices=sorted(NOTATIONS), required=True, help="target notation"),
    argument("--turn", type=int, metavar="N", help="write a game only up to turn N (default: all turns)"),
    CONFIG,
)
def convert(arguments: argparse.Namespace) -> int:
    """Convert the first document. Print errors, and what the target notation cannot hold, to standard error."""
    name = arguments.file
    with local_reader(arguments.config) as reader:
        findings = find_documents(reader, name, read_bytes(name))
    print_problems(name, findings)
    if not findings.documents:
        if not findings.unreadable_texts:
            print_error(f"{name}: nothing found")
        return _exit_code(findings)
    try:
        conversion = convert_document(findings.documents[0].document, arguments.to, turn=arguments.turn)
    except ConversionError as error:
        raise CommandError(f"{name}: {error.message}") from None
    print(conversion.text.rstrip("\n"))
    print_error(*(f"{name}: lost: {loss.message}" for loss in conversion.losses))
    return _exit_code(findings)
