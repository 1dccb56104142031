"""Message bodies in JSON or multipart form data, checked against Discord's rules."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .world import COMPONENTS_V2, MAX_FILE_BYTES, Payload, StoredFile, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aiohttp import web

    from .world import StoredMessage, World

#: Discord's limits for a message: the lengths of its content, alt texts, custom ids and layout texts, and the numbers of files
#: and layout components.
MAX_CONTENT_LENGTH = 2000
MAX_FILES = 10
MAX_ALT_TEXT_LENGTH = 1024
MAX_CUSTOM_ID_LENGTH = 100
MAX_COMPONENTS_V2 = 40
MAX_TEXT_LENGTH_V2 = 4000
#: Maximum size of a request, in bytes.
MAX_BODY_BYTES = 3 * MAX_FILE_BYTES

#: Some of Discord's component types.
ACTION_ROW, BUTTON, TEXT_DISPLAY = 1, 2, 10
LINK_STYLE = 5


class ApiError(Exception):
    def __init__(self, status: int, code: int, message: str, errors: Payload | None = None) -> None:
        super().__init__(f"{status} {code} {message} {errors or ''}")
        self.status = status
        self.body: Payload = {"code": code, "message": message, **({"errors": errors} if errors else {})}


def invalid_form_error(path: str, sentence: str) -> ApiError:
    errors = {path: {"_errors": [{"code": "BASE_TYPE_BAD", "message": sentence}]}}
    return ApiError(400, 50035, "Invalid Form Body", errors)


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class MessageBody:
    """A decoded body. `uploads` maps `n` to the file in the field `files[n]`."""

    payload: Payload
    uploads: dict[int, Upload] = field(default_factory=dict)


async def read_body(request: web.Request) -> MessageBody:
    """Decode a body.

    Raises:
        ApiError: The body is malformed or too large.

    """
    if request.content_type == "multipart/form-data":
        return await _read_form(request)
    body = await request.read()
    if not body:
        return MessageBody({})
    return MessageBody(_parse_object(body))


def _parse_object(body: bytes) -> Payload:
    try:
        payload = json.loads(body)
    except ValueError:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from None
    if not isinstance(payload, dict):
        raise ApiError(400, 50109, "The request body is not a JSON object.")
    return payload


async def _read_form(request: web.Request) -> MessageBody:
    payload: Payload = {}
    uploads: dict[int, Upload] = {}
    total = 0
    async for part in await request.multipart():
        data = bytes(await part.read())
        total += len(data)
        if total > MAX_BODY_BYTES:
            raise ApiError(413, 40005, "Request entity too large")
        name = part.name or ""
        file_match = re.fullmatch(r"files\[(\d)\]", name)
        if name == "payload_json":
            payload = _parse_object(data)
        elif file_match is not None:
            uploads[int(file_match[1])] = Upload(part.filename or "", data)
        else:
            raise invalid_form_error(name, "Unknown form field.")
    return MessageBody(payload, uploads)


def apply(world: World, message: StoredMessage, message_body: MessageBody) -> None:
    """Apply a body to `message`. Fields that are not in the body stay unchanged.

    Raises:
        ApiError: Discord would reject the resulting message. `message` is unchanged.

    """
    body = message_body.payload
    flags = int(body.get("flags") or 0) | message.flags
    content = (body["content"] or "") if "content" in body else message.content
    embeds = (body["embeds"] or []) if "embeds" in body else message.embeds
    components = (body["components"] or []) if "components" in body else message.components
    files = _resulting_files(world, message, message_body)
    if len(content) > MAX_CONTENT_LENGTH:
        raise invalid_form_error("content", f"Must be {MAX_CONTENT_LENGTH} or fewer in length.")
    if len(files) > MAX_FILES:
        raise invalid_form_error("attachments", f"Must be {MAX_FILES} or fewer in length.")
    _check_mentions(body.get("allowed_mentions"))
    _check_components(components)
    if flags & COMPONENTS_V2:
        _check_layout(content, embeds, components)
    elif not (content.strip() or embeds or files or components):
        raise ApiError(400, 50006, "Cannot send an empty message")
    urls = {
        f"attachment://{file.name}": file.payload(world.base, message.channel.id)["url"] for file in files
    }
    message.embeds = _replace_attachment_urls(embeds, urls)
    message.components = _replace_attachment_urls(components, urls)
    message.content, message.files, message.flags = content, files, flags
    message.sent = body


def edit(world: World, message: StoredMessage, message_body: MessageBody) -> None:
    apply(world, message, message_body)
    message.edited_at = timestamp()
    message.edit_count += 1


def _resulting_files(world: World, message: StoredMessage, message_body: MessageBody) -> list[StoredFile]:
    """Return the message's files after the body is applied: the existing files that the body keeps, and its new files."""
    attachments = message_body.payload.get("attachments")
    entries: list[Payload] = (
        attachments if attachments is not None else [{"id": n} for n in message_body.uploads]
    )
    existing = {str(file.id): file for file in message.files}
    files = list(message.files) if attachments is None else []
    used: set[int] = set()
    for entry in entries:
        key = str(entry["id"])
        if key in existing:
            files.append(existing[key])
            continue
        upload = message_body.uploads.get(int(key))
        if upload is None:
            raise invalid_form_error("attachments", f"Lists file {key}, which was not uploaded.")
        used.add(int(key))
        files.append(_create_file(world, upload, entry))
    if used != set(message_body.uploads):
        raise invalid_form_error("attachments", "Omits an uploaded file.")
    return files


def _create_file(world: World, upload: Upload, entry: Payload) -> StoredFile:
    description = entry.get("description")
    if description is not None and len(description) > MAX_ALT_TEXT_LENGTH:
        raise invalid_form_error(
            "attachments.description", f"Must be {MAX_ALT_TEXT_LENGTH} or fewer in length."
        )
    if len(upload.data) > MAX_FILE_BYTES:
        raise ApiError(413, 40005, "Request entity too large")
    name = entry.get("filename") or upload.name
    if not name:
        raise invalid_form_error("attachments.filename", "This field is required.")
    return StoredFile(world.ids.next(), name, upload.data, description)


def _check_mentions(allowed: Payload | None) -> None:
    if allowed is None:
        return
    parse = allowed.get("parse", [])
    for kind in ("users", "roles"):
        if kind in parse and allowed.get(kind):
            raise invalid_form_error("allowed_mentions", f"parse:{kind} and {kind} are mutually exclusive.")


def every_component(components: list[Payload]) -> Iterator[Payload]:
    """Yield all components, each container before its content."""
    for component in components:
        yield component
        yield from every_component(component.get("components", []))
        if "accessory" in component:
            yield from every_component([component["accessory"]])


def control_id(message: StoredMessage, start: str, end: str = "") -> str:
    """Return the id of the first enabled control whose id begins with `kibitz:` and then `start`, and ends with `end`.

    Raises:
        StopIteration: No control has such an id.

    """
    return next(
        part["custom_id"]
        for part in every_component(message.components)
        if part.get("custom_id", "").startswith(f"kibitz:{start}")
        and part["custom_id"].endswith(end)
        and not part.get("disabled")
    )


def _check_components(components: list[Payload]) -> None:
    """Check what discord.py leaves to the server: the sizes of rows, and the presence, lengths and uniqueness of ids."""
    seen: set[str] = set()
    for component in every_component(components):
        if component["type"] == ACTION_ROW and not 1 <= len(component["components"]) <= 5:
            raise invalid_form_error("components", "An action row holds 1 to 5 components.")
        custom_id = component.get("custom_id")
        if component["type"] == BUTTON and component["style"] != LINK_STYLE and not custom_id:
            raise invalid_form_error("components", "A custom id is required.")
        if custom_id is None:
            continue
        if len(custom_id) > MAX_CUSTOM_ID_LENGTH:
            raise invalid_form_error(
                "components.custom_id", f"Must be {MAX_CUSTOM_ID_LENGTH} or fewer in length."
            )
        if custom_id in seen:
            raise invalid_form_error("components.custom_id", "Component custom id cannot be duplicated.")
        seen.add(custom_id)


def _check_layout(content: str, embeds: list[Payload], components: list[Payload]) -> None:
    """Check a message with the flag IS_COMPONENTS_V2, which consists only of components."""
    if content or embeds:
        raise invalid_form_error(
            "content", "The 'content' and 'embeds' fields cannot be used with IS_COMPONENTS_V2."
        )
    all_components = list(every_component(components))
    if not 1 <= len(all_components) <= MAX_COMPONENTS_V2:
        raise invalid_form_error("components", f"Must hold 1 to {MAX_COMPONENTS_V2} components.")
    text_length = sum(
        len(component["content"]) for component in all_components if component["type"] == TEXT_DISPLAY
    )
    if text_length > MAX_TEXT_LENGTH_V2:
        raise invalid_form_error("components", f"Must hold {MAX_TEXT_LENGTH_V2} or fewer characters of text.")


def _replace_attachment_urls(value: Any, urls: dict[str, str]) -> Any:
    """Replace each `attachment://name` with the URL of the file. Like Discord, reject unknown names."""
    if isinstance(value, dict):
        return {key: _replace_attachment_urls(inner, urls) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replace_attachment_urls(inner, urls) for inner in value]
    if isinstance(value, str) and value.startswith("attachment://"):
        if value not in urls:
            raise invalid_form_error("components", f"The referenced attachment was not found: {value}")
        return urls[value]
    return value
