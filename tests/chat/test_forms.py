"""Forms: the bot gets the submitted value of every kind of field."""

from __future__ import annotations

import pytest

from bot.chat.card import Choice
from bot.chat.control import Field, Form
from bot.features.showing.controls import CopyPosition
from tests.positions import MAVEN

from .actions import click, id_of, only_reply

CHOICES = tuple(Choice(value, value.upper()) for value in ("one", "two", "three"))
FIELDS = (
    Field("line", "A line", "as it was", required=False),
    Field("menu", "A menu", "two", "menu", CHOICES, hint="one of three"),
    Field("radio", "Radio buttons", "one", "radio", CHOICES),
    Field("boxes", "Boxes", "one three", "boxes", CHOICES, required=False),
    Field("file", "A file", kind="file", required=False),
)


@pytest.fixture
def submissions(monkeypatch):
    """Have the Copy button open a form. Return a list of the submitted values and files."""
    submissions = []

    async def submit(press, values):
        file = press.file and (press.file.filename, await press.file.read())
        submissions.append((dict(values), file))
        await press.send_text("taken")

    async def act(self, press):
        await press.open_form(Form("A form", FIELDS, submit))

    monkeypatch.setattr(CopyPosition, "act", act)
    return submissions


async def open_form(world):
    await world.alice.send(world.channel, MAVEN)
    return await click(world.bob, only_reply(world), custom_id=id_of(only_reply(world), "copy:"))


async def test_submitted_values_and_files_are_received(world, submissions):
    await world.bob.submit_modal(
        await open_form(world),
        {
            "line": "new",
            "menu": ["three"],
            "radio": "two",
            "boxes": ["one", "two"],
            "file": [("a.gcg", b"#player1 a A")],
        },
    )
    values = {"line": "new", "menu": "three", "radio": "two", "boxes": "one two"}
    assert submissions == [(values, ("a.gcg", b"#player1 a A"))]


async def test_omitted_optional_fields_are_empty(world, submissions):
    await world.bob.submit_modal(await open_form(world), {"line": "", "menu": ["two"], "radio": "one"})
    assert submissions == [({"line": "", "menu": "two", "radio": "one", "boxes": ""}, None)]
