"""Command names, descriptions and choices in the reader's language, from the catalogues of the sentences."""

from __future__ import annotations

import logging
import re
from typing import Final

from discord import Locale, app_commands
from discord.app_commands import TranslationContextLocation as Location

from bot.text import speaker

log = logging.getLogger(__name__)

_NAME: Final = re.compile(r"[-_\w]{1,32}")
_NAMES: Final = (Location.command_name, Location.group_name, Location.parameter_name)
_MAX_DESCRIPTION: Final = 100


class CatalogueTranslator(app_commands.Translator):
    """Translates what Discord shows of commands; English, and what cannot be used, is left to the default text."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return a text in a language of Discord's, None when there is no usable one in the catalogues."""
        text = speaker(locale.value).catalogue.gettext(string.message)
        if text == string.message:
            return None
        is_name = context.location in _NAMES and not isinstance(context.data, app_commands.ContextMenu)
        if is_name and not (_NAME.fullmatch(text) and text == text.lower()):
            log.warning("%r cannot be a command's name in %s", text, locale.value)
            return None
        return text[:_MAX_DESCRIPTION]
