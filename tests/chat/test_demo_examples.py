"""The demo's example positions can be copied and analyzed, and the buttons for longer analyses work."""

from __future__ import annotations

import logging

import pytest

from bot.demo.script import CHANNELS

from .actions import (
    choose,
    click,
    control,
    controls_of,
    kinds_of,
    post_and_get_reply,
    press_analyze,
    press_copy,
    reply_of,
    text_of,
)

USUAL_LABELS = ["Simulate", "Infer", "Simulate 4 turns ahead"]
LABELS_BY_EXAMPLE = [
    None,
    USUAL_LABELS,
    ["Simulate", "Solve"],
    USUAL_LABELS,
    USUAL_LABELS,
]
"""The labels of the buttons for a longer analysis of each example; None for the example without a rack, which can't be analyzed."""


@pytest.mark.long
async def test_the_demos_positions_can_be_copied_and_analyzed(world, monkeypatch, caplog):
    monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", 1.0)
    for example, labels in zip(CHANNELS[0].examples, LABELS_BY_EXAMPLE, strict=True):
        message = await post_and_get_reply(world, example.text)
        await check_every_notation(world, message)
        assert ("analyze" in kinds_of(message)) == (labels is not None)
        if labels is None:
            continue
        ranking = reply_of(await press_analyze(world.bob, message))
        buttons = [
            component
            for component in controls_of(ranking)
            if component["custom_id"].startswith("kibitz:deepen:")
        ]
        assert [button["label"] for button in buttons] == labels
        for button in buttons:
            result = await press_analyze(world.bob, message)
            await click(world.bob, reply_of(result), custom_id=button["custom_id"])
            lines = text_of(reply_of(result)).splitlines()
            assert " · best of " in lines[0]
            reported = "by the end" if button["label"] == "Solve" else "simulation: wins "
            assert reported in lines[1]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def check_every_notation(world, message) -> None:
    """Assert that the Copy menu gives the position in each of its notations."""
    copy = await press_copy(world.bob, message)
    for option in control(copy, "more")["options"]:
        reply = reply_of(await choose(world.bob, copy, "more", option["value"]))
        assert reply.attachments or "```" in text_of(reply)
