"""Builds docs/Containerfile, and runs the bot in the image against a local Discord.

Because tests don't download from an image registry, the base image is built from Debian packages. It gets the name
that the Containerfile uses.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from .kibitz import ROOT, Program, free_port, uses_programs

RECIPE = ROOT / "docs/Containerfile"
BASE_PACKAGES = "python3,python3-venv,python-is-python3,ca-certificates"
#: The most that the Containerfile may add to the size of its base image. The image may be at most 600 MB; its base, python:3.13-slim, is about 125 MB.
MAX_ADDED_MEGABYTES = 475
#: Files on this machine that pip needs inside the image to reach a package index: certificates and settings.
HOST_FILES = [path for path in ("/etc/ssl/certs/ca-certificates.crt", "/etc/xdg/pip") if Path(path).exists()]

pytestmark = [
    pytest.mark.long,
    uses_programs,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ("buildah", "mmdebstrap"))),
        reason="building an image needs root, buildah and mmdebstrap; .ci/packages.sh installs them",
    ),
]


async def run(*command: str | Path) -> str:
    """Run a command, which must succeed. Return its output."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, (command, output.decode()[-2_000:], errors.decode()[-2_000:])
    return output.decode().strip()


async def test_the_image_is_built_and_its_bot_is_healthy(tmp_path, serve):
    builder = ["buildah", "--storage-driver=vfs", f"--root={tmp_path}/images", f"--runroot={tmp_path}/run"]
    isolation_options = ["--isolation=chroot", *(f"--volume={path}:{path}:ro" for path in HOST_FILES)]
    base = await _megabytes(builder, await _make_base(builder, tmp_path))
    await run(
        *builder,
        "build",
        *isolation_options,
        "--pull-never",
        "--format=docker",
        "--tag=kibitz",
        "-f",
        RECIPE,
        ROOT,
    )

    image = json.loads(await run(*builder, "inspect", "--type=image", "localhost/kibitz"))["Docker"]["config"]
    assert image["User"] == "kibitz"
    container = await run(*builder, "from", "--pull-never", "localhost/kibitz")
    size = await _megabytes(builder, "localhost/kibitz")
    assert size - base < MAX_ADDED_MEGABYTES, f"the image is {size} MB, its base {base} MB"

    wire = await serve()
    buildah_run = [*builder, "run", *isolation_options, f"--volume={ROOT}/tests/wire:/wire:ro"]
    settings = {"DISCORD_TOKEN": wire.token, "WIRE_DISCORD_API": wire.api, "PYTHONPATH": "/wire/site"}
    settings["PORT"] = str(free_port())
    buildah_run += [f"--env={name}={value}" for name, value in settings.items()]
    [kibitz] = image["Entrypoint"]
    assert await run(*buildah_run, container, "id", "-u") == "10001"
    assert (await run(*buildah_run, container, kibitz, "--version")).startswith("Kibitz ")
    assert "❌" not in await run(*buildah_run, container, kibitz, "doctor")
    command = [*map(str, buildah_run), container, kibitz, *image["Cmd"]]
    bot = Program(
        await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    )
    try:
        await wire.gateway.wait_until_ready()
        kind, *check = image["Healthcheck"]["Test"]
        assert kind == "CMD"
        await run(*buildah_run, container, *check)
        assert bot.process.returncode is None
    finally:
        await bot.end()
        shutil.rmtree(tmp_path / "images")  # two gigabytes


async def _megabytes(builder: list[str], image: str) -> int:
    container = await run(*builder, "from", "--pull-never", image)
    return int((await run("du", "-sm", await run(*builder, "mount", container))).split()[0])


async def _make_base(builder: list[str], folder: Path) -> str:
    """Build the base image from Debian packages. Return its name."""
    [name] = set(re.findall(r"^FROM (\S+)", RECIPE.read_text(encoding="utf-8"), re.MULTILINE))
    exclusions = (f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("doc", "locale", "man"))
    base = folder / "base.tar"
    try:
        await run(
            "mmdebstrap",
            "--quiet",
            "--variant=minbase",
            f"--include={BASE_PACKAGES}",
            *exclusions,
            "bookworm",
            base,
        )
    except AssertionError as error:
        pytest.skip(f"this machine can't build the base image: {error}")
    container = await run(*builder, "from", "scratch")
    await run(*builder, "add", container, base, "/")
    await run(*builder, "commit", "--rm", container, name)
    base.unlink()
    return name
