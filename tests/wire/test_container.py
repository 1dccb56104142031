"""The container: docs/Containerfile is built, and the image runs the bot as its own user against a local Discord.

The registry of images is out of reach, so the base image is made of Debian's packages and bears the name that the recipe asks for.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from .kibitz import ROOT, START, Program, programs
from .test_process import free_port

RECIPE = ROOT / "docs/Containerfile"
BASE = "python3,python3-venv,python-is-python3,ca-certificates"
#: Megabytes that the recipe adds to its base. The image is to stay under 600, and python:3.13-slim has about 125.
MAX_SIZE = 475
#: Where this machine keeps how packages are reached: its certificates and the settings of pip.
MACHINE = [path for path in ("/etc/ssl/certs/ca-certificates.crt", "/etc/xdg/pip") if Path(path).exists()]

pytestmark = [
    pytest.mark.long,
    programs,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ("buildah", "mmdebstrap"))),
        reason="only root with buildah and mmdebstrap, as .ci/packages.sh installs them, can build an image here",
    ),
]


async def run(*command: str | Path) -> str:
    """Return what a command prints; it must succeed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, complaint = await process.communicate()
    assert process.returncode == 0, (command, printed.decode()[-2_000:], complaint.decode()[-2_000:])
    return printed.decode().strip()


async def test_the_image_is_built_and_its_bot_is_healthy(tmp_path, serve):
    builder = ["buildah", "--storage-driver=vfs", f"--root={tmp_path}/images", f"--runroot={tmp_path}/run"]
    isolated = ["--isolation=chroot", *(f"--volume={path}:{path}:ro" for path in MACHINE)]
    base = await _megabytes(builder, await _make_base(builder, tmp_path))
    await run(
        *builder, "build", *isolated, "--pull-never", "--format=docker", "--tag=kibitz", "-f", RECIPE, ROOT
    )

    image = json.loads(await run(*builder, "inspect", "--type=image", "localhost/kibitz"))["Docker"]["config"]
    assert image["User"] == "kibitz"
    container = await run(*builder, "from", "--pull-never", "localhost/kibitz")
    size = await _megabytes(builder, "localhost/kibitz")
    assert size - base < MAX_SIZE, f"the image has {size} MB, its base {base}"

    wire = await serve()
    inside = [*builder, "run", *isolated, f"--volume={ROOT}/tests/wire:/wire:ro"]
    settings = {"DISCORD_TOKEN": wire.token, "WIRE_DISCORD_API": wire.api, "PYTHONPATH": "/wire/site"}
    settings["PORT"] = str(free_port())
    inside += [f"--env={name}={value}" for name, value in settings.items()]
    [kibitz] = image["Entrypoint"]
    assert await run(*inside, container, "id", "-u") == "10001"
    assert (await run(*inside, container, kibitz, "--version")).startswith("Kibitz ")
    assert "❌" not in await run(*inside, container, kibitz, "doctor")
    command = [*map(str, inside), container, kibitz, *image["Cmd"]]
    bot = Program(
        await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    )
    try:
        async with asyncio.timeout(START):
            await wire.gateway.ready()
        kind, *check = image["Healthcheck"]["Test"]
        assert kind == "CMD"
        await run(*inside, container, *check)
        assert bot.process.returncode is None
    finally:
        await bot.end()
        shutil.rmtree(tmp_path / "images")  # two gigabytes


async def _megabytes(builder: list[str], image: str) -> int:
    """Return the size of an image's files."""
    container = await run(*builder, "from", "--pull-never", image)
    return int((await run("du", "-sm", await run(*builder, "mount", container))).split()[0])


async def _make_base(builder: list[str], folder: Path) -> str:
    """Make an image of Debian's packages with the name that the recipe starts from, and return that name."""
    [name] = set(re.findall(r"^FROM (\S+)", RECIPE.read_text(encoding="utf-8"), re.MULTILINE))
    without = (f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("doc", "locale", "man"))
    base = folder / "base.tar"
    try:
        await run(
            "mmdebstrap", "--quiet", "--variant=minbase", f"--include={BASE}", *without, "bookworm", base
        )
    except AssertionError as error:
        pytest.skip(f"this machine makes no base image: {error}")
    container = await run(*builder, "from", "scratch")
    await run(*builder, "add", container, base, "/")
    await run(*builder, "commit", "--rm", container, name)
    base.unlink()
    return name
