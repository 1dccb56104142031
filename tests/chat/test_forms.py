"""Forms: every kind of field is shown, and what is filled in comes back."""

from __future__ import annotations

import pytest

from bot.chat.card import Choice
from bot.chat.control import Field, Form
from bot.features.showing.controls import Copy
from tests.positions import MAVEN

from .viewer import click, control, replies

CHOICES = tuple(Choice(value, value.upper()) for value in ("one", "two", "three"))
FIELDS = (
    Field("line", "A line", "as it was", required=False),
    Field("menu", "A menu", "two", "menu", CHOICES, hint="one of three"),
    Field("radio", "Radio buttons", "one", "radio", CHOICES),
    Field("boxes", "Boxes", "one three", "boxes", CHOICES, required=False),
    Field("file", "A file", kind="file", required=False),
)


@pytest.fixture
def opened(monkeypatch):
    """Have a button open a form; collect what is sent with it."""
    sent = []

    async def submit(press, typed):
        sent.append((dict(typed), press.file and (press.file.filename, await press.file.read())))
        await press.tell("taken")

    async def act(self, press):
        await press.ask(Form("A form", FIELDS, submit))

    monkeypatch.setattr(Copy, "act", act)
    return sent


async def form(world):
    await world.alice.send(world.channel, MAVEN)
    [answer] = replies(world.channel)
    return await click(world.bob, answer, custom_id=control(answer, "copy")["custom_id"])


async def test_submitted_form_values_are_returned(world, opened):
    await world.bob.submit_modal(
        await form(world),
        {
            "line": "new",
            "menu": ["three"],
            "radio": "two",
            "boxes": ["one", "two"],
            "file": [("a.gcg", b"#player1 a A")],
        },
    )
    typed = {"line": "new", "menu": "three", "radio": "two", "boxes": "one two"}
    assert opened == [(typed, ("a.gcg", b"#player1 a A"))]


async def test_omitted_optional_fields_are_empty(world, opened):
    await world.bob.submit_modal(await form(world), {"line": "", "menu": ["two"], "radio": "one"})
    assert opened == [({"line": "", "menu": "two", "radio": "one", "boxes": ""}, None)]
