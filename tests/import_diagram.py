"""Draws the project's packages with their imports: ``python -m tests.import_diagram`` writes ``docs/architecture.svg``.

A room is a package or module with its own box. The floors are the layers of the import contract in ``pyproject.toml``: the
programs are at the top, and the domain has three floors at the bottom. An arrow means "imports". Arrows that other arrows imply
are left out.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"

WIDTH, BOX_HEIGHT, FLOOR_HEIGHT, GAP, MARGIN = 1000, 54, 104, 18, 24
"""Sizes in pixels. The height of a floor is the distance to the top of the next floor."""
FIRST_LANE_OFFSET = 395
"""Pixels from the middle of the picture to the first lane. Arrows that pass a floor run in lanes beside the boxes."""
PURPOSES = {
    "script": "kibitz, installed",
    "__main__": "python -m bot",
    "demo": "an offline Discord",
    "app": "opens and closes all services",
    "chat": "Discord: receives, replies",
    "cli": "the command line",
    "features": "a folder for each feature",
    "links": "games from links",
    "jobs": "long work, killable",
    "engine": "plays, simulation, endgame",
    "sight": "boards in pictures",
    "text": "sentences in five languages",
    "config": "settings",
    "domain.notations": "the registry",
    "domain.crossword": "rules and notations",
    "domain.chess": "rules and notations",
    "domain.reading": "shared parsing code",
    "storage": "the database",
    "fair_queue": "requests in a fair order",
    "observe": "log, metrics, health",
    "render": "scenes → pictures",
}
"""The text in each room's box."""


@dataclass(frozen=True)
class Box:
    name: str
    left: float
    top: float
    width: float

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def floors() -> list[list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["bot"]]
    rows = [re.split(" [|:] ", layer) for layer in layers]
    rows[-1].remove("domain")
    return [
        *rows[:-1],
        [*rows[-1], "render"],
        ["domain.notations"],
        ["domain.crossword", "domain.chess"],
        ["domain.reading"],
    ]


def room_of(module: str, rooms: set[str]) -> str | None:
    name = module.removeprefix("bot.")
    while name and name not in rooms:
        name = name.rpartition(".")[0]
    return name or None


def arrows(rooms: set[str]) -> set[tuple[str, str]]:
    graph = grimp.build_graph("bot", "render", cache_dir=None)
    imports = {
        (source, target)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if (source := room_of(module, rooms)) and (target := room_of(imported, rooms)) and source != target
    }
    reachable = {room: reachable_from(room, imports) for room in rooms}
    return {
        (source, target)
        for source, target in imports
        if not any(
            target in reachable[other] for start, other in imports if start == source and other != target
        )
    }


def reachable_from(room: str, imports: set[tuple[str, str]]) -> set[str]:
    reachable: set[str] = set()
    rooms_to_visit = [room]
    while rooms_to_visit:
        current = rooms_to_visit.pop()
        new_rooms = {target for start, target in imports if start == current} - reachable
        reachable |= new_rooms
        rooms_to_visit += new_rooms
    return reachable


def boxes(rows: list[list[str]]) -> dict[str, Box]:
    placed_boxes = {}
    for number, row in enumerate(rows):
        width = min(240.0, (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row))
        left = (WIDTH - width * len(row) - GAP * (len(row) - 1)) / 2
        for index, room in enumerate(row):
            placed_boxes[room] = Box(
                room, left + index * (width + GAP), MARGIN + number * FLOOR_HEIGHT, width
            )
    return placed_boxes


def architecture_svg() -> str:
    rows = floors()
    rooms = {room for row in rows for room in row}
    assert rooms == set(PURPOSES), (
        f"add these rooms to PURPOSES, or remove them from it: {rooms ^ set(PURPOSES)}"
    )
    placed_boxes = boxes(rows)
    height = MARGIN * 2 + FLOOR_HEIGHT * (len(rows) - 1) + BOX_HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        "<title>The packages of Kibitz and their imports</title>",
        (
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#64748b"/></marker></defs>'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    lanes = {"left": 0, "right": 0}
    for source, target in sorted(arrows(rooms), key=lambda arrow: (placed_boxes[arrow[0]].top, arrow)):
        if placed_boxes[target].top - placed_boxes[source].top <= FLOOR_HEIGHT:
            lines.append(short_arrow(placed_boxes[source], placed_boxes[target]))
            continue
        side = (
            "left" if (placed_boxes[target].middle, lanes["left"]) <= (WIDTH / 2, lanes["right"]) else "right"
        )
        lines.append(long_arrow(placed_boxes[source], placed_boxes[target], side, lanes[side]))
        lanes[side] += 1
    for room, box in placed_boxes.items():
        lines += box_svg(room, box)
    return "\n".join([*lines, "</svg>", ""])


def short_arrow(source: Box, target: Box) -> str:
    if source.top == target.top:
        step = 1 if target.left > source.left else -1
        y = source.top + BOX_HEIGHT / 2
        return arrow(
            f"M{source.middle + step * source.width / 2:.0f} {y:.0f}H{target.middle - step * target.width / 2:.0f}"
        )
    start, end = source.top + BOX_HEIGHT, target.top
    bend = (end - start) / 2
    return arrow(
        f"M{source.middle:.0f} {start:.0f}C{source.middle:.0f} {start + bend:.0f} {target.middle:.0f} "
        f"{end - bend:.0f} {target.middle:.0f} {end:.0f}"
    )


def long_arrow(source: Box, target: Box, side: str, lane: int) -> str:
    sign = -1 if side == "left" else 1
    x = WIDTH / 2 + sign * (FIRST_LANE_OFFSET + 13 * lane)
    shift = sign * (24 + 9 * lane)
    start, end = source.top + BOX_HEIGHT, target.top
    return arrow(
        f"M{source.middle + shift:.0f} {start:.0f}V{start + 8 + 3 * lane:.0f}H{x:.0f}V{end - 12 - 3 * lane:.0f}"
        f"H{target.middle + shift:.0f}V{end:.0f}"
    )


def arrow(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="#94a3b8" stroke-width="1.5" marker-end="url(#tip)"/>'


def box_svg(room: str, box: Box) -> list[str]:
    fill = "#ecfdf5" if room.startswith("domain") else "#eff6ff" if room != "render" else "#fff7ed"
    name = room if room == "render" else f"bot/{room.replace('.', '/')}"
    name = f"{name}.py" if room in {"script", "__main__"} else name
    return [
        (
            f'<rect x="{box.left:.0f}" y="{box.top:.0f}" width="{box.width:.0f}" height="{BOX_HEIGHT}" rx="8" '
            f'fill="{fill}" stroke="#475569"/>'
        ),
        (
            f'<text x="{box.middle:.0f}" y="{box.top + 22:.0f}" text-anchor="middle" font-size="15" '
            f'font-weight="bold" fill="#0f172a">{escape(name)}</text>'
        ),
        (
            f'<text x="{box.middle:.0f}" y="{box.top + 41:.0f}" text-anchor="middle" font-size="12.5" '
            f'fill="#334155">{escape(PURPOSES[room])}</text>'
        ),
    ]


if __name__ == "__main__":
    PICTURE.write_text(architecture_svg(), encoding="utf-8")
