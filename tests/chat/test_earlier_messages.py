"""Every control of version 0.2.0 still works, even on a message with that version's layout."""

from __future__ import annotations

import pytest

from .actions import control, make_old_message, replies
from .test_cards import GAME
from .test_ids import CONTROL_BY_OLD_ID, DIGEST

LATER_KINDS = {"extra", "goto", "judge", "other", "publish", "set", "suggest"}
"""The kinds of controls (the first words of their ids after ``kibitz:``) that version 0.2.0 didn't have."""
VALUE_BY_MENU_KIND = {
    "turns": "0",
    "more": "to:cgp",
    "games": DIGEST,
    "linked": "1:p6QRjJHG",
    "notation": "gcg",
    "ranked": "0",
    "ways": "turn:0",
    "lexicon": "SCOWL80",
    "known": "e2e4",
    "pick": "e4",
    "choose": "default",
    "judgements": "1",
    "reviews": f"{DIGEST}:quick:o:SCOWL80",
    "who": "none",
}
"""The kinds of menus, each with a value to choose."""
SNOWFLAKE = "1456074443980800021"
"""The id of a user, a message or a server in the old ids."""
IDS = [id_ for id_ in CONTROL_BY_OLD_ID if id_.split(":")[1] not in LATER_KINDS]


@pytest.mark.slow
@pytest.mark.usefixtures("short_analyses")
async def test_each_old_control_has_a_visible_result_and_causes_no_error(world, caplog):
    outcomes_by_kind = {}
    viewer, digest = None, ""
    for number, old_id in enumerate(IDS):
        person = world.add_member(f"person{number}")
        if viewer is None or all(reply.id != viewer.id for reply in replies(world.channel)):
            await person.send(world.channel, GAME)
            viewer = replies(world.channel)[-1]
            digest = control(viewer, "turns")["custom_id"].split(":")[2]
        kind = old_id.split(":")[1]
        custom_id = old_id.replace(DIGEST, digest).replace(SNOWFLAKE, str(person.id))
        value = VALUE_BY_MENU_KIND[kind].replace(DIGEST, digest) if kind in VALUE_BY_MENU_KIND else None
        make_old_message(world, viewer, (custom_id, value))
        message = next(reply for reply in replies(world.channel) if reply.id == viewer.id)
        if value is None:
            result = await person.click(message, custom_id=custom_id)
        else:
            result = await person.select(message, [value], custom_id=custom_id)
        channel_replies = [reply for reply in replies(world.channel) if reply.id >= viewer.id]
        messages = [
            item for item in (*channel_replies, result.response, *result.followups) if item is not None
        ]
        cards = [item for item in messages if item.flags.components_v2]
        assert all(item.flags.components_v2 or item.content == "old" for item in messages), old_id
        has_form = result.modal is not None
        is_deleted = not any(item.id == viewer.id for item in channel_replies)
        assert cards or has_form or is_deleted, f"nothing is shown after pressing {old_id}"
        outcomes_by_kind.setdefault(kind, set()).add(
            "form" if has_form else "deleted" if is_deleted else "card"
        )
        assert "fault " not in caplog.text, old_id
    assert len(outcomes_by_kind) == 47
    for kind in ("view", "turns", "analyze", "copy"):
        assert outcomes_by_kind[kind] == {"card"}
    assert outcomes_by_kind["try"] == {"form"}
