"""Discord's checks of the commands that an application registers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .message_bodies import ApiError

if TYPE_CHECKING:
    from .world import Payload

#: Types of commands, and of options that contain other options.
CHAT, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUBCOMMAND, GROUP = 1, 2
MAX_COMMANDS_BY_KIND = {CHAT: 100, USER_MENU: 15, MESSAGE_MENU: 15}
#: Maximum number of choices per option, and of options per command.
MAX_CHOICES = MAX_OPTIONS = 25
#: Maximum total number of characters in the names, descriptions and choice values of a command and its options.
MAX_CHARACTERS = 8000


def _refusal(path: str, sentence: str) -> ApiError:
    errors = {path: {"_errors": [{"code": "APPLICATION_COMMAND_INVALID", "message": sentence}]}}
    return ApiError(400, 50035, "Invalid Form Body", errors)


def check_commands(commands: list[Payload]) -> None:
    """Raise ApiError for the first command that Discord would reject."""
    seen: set[tuple[int, str]] = set()
    for command in commands:
        kind, name = command.get("type", CHAT), command["name"]
        if (kind, name) in seen:
            raise _refusal(name, "Application command names must be unique")
        seen.add((kind, name))
        names = [name, *(command.get("name_localizations") or {}).values()]
        if kind == CHAT:
            _check(command, name, depth=0)
        elif (
            not all(1 <= len(item) <= 32 for item in names)
            or command.get("description")
            or command.get("options")
        ):
            raise _refusal(name, "Menu commands have a name of 1 to 32 characters and nothing else")
        if _character_count(command) > MAX_CHARACTERS:
            raise _refusal(name, f"Must be {MAX_CHARACTERS} or fewer in length with all its options")
    for kind, limit in MAX_COMMANDS_BY_KIND.items():
        if sum(1 for seen_kind, _ in seen if seen_kind == kind) > limit:
            raise ApiError(400, 30032, f"Maximum number of application commands reached ({limit})")


def _check(item: Payload, path: str, *, depth: int) -> None:
    names = [item["name"], *(item.get("name_localizations") or {}).values()]
    for name in names:
        # Like Discord's pattern, \w matches letters and digits of all languages, and the underscore.
        if not re.fullmatch(r"[\w'-]{1,32}", name) or name != name.lower():
            raise _refusal(path, f"String value did not validate against validation regex: {name!r}")
    for text in [item["description"], *(item.get("description_localizations") or {}).values()]:
        if not 1 <= len(text) <= 100:
            raise _refusal(path, f"A description has 1 to 100 characters: {text!r}")
    options = item.get("options") or []
    choices = item.get("choices") or []
    if len(options) > MAX_OPTIONS or len(choices) > MAX_CHOICES or depth > 3:
        raise _refusal(path, "Too many or too deeply nested options or choices")
    for choice in choices:
        if not 1 <= len(choice["name"]) <= 100:
            raise _refusal(path, "A choice's name has 1 to 100 characters")
    value_options = [option for option in options if option["type"] not in (SUBCOMMAND, GROUP)]
    required = [bool(option.get("required")) for option in value_options]
    if required != sorted(required, reverse=True):
        raise _refusal(path, "Required options must be placed before non-required options")
    if len({option["name"] for option in options}) != len(options):
        raise _refusal(path, "Option names must be unique")
    for option in options:
        _check(option, f"{path}.{option['name']}", depth=depth + 1)


def _character_count(item: Payload) -> int:
    own = len(item["name"]) + len(item.get("description") or "")
    choices = sum(len(choice["name"]) + len(str(choice["value"])) for choice in item.get("choices") or [])
    return own + choices + sum(_character_count(option) for option in item.get("options") or [])
