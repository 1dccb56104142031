"""Writes the address of the source code into the metadata of the packages."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r'(?P<link>\]\()(?!https?:|#)|src="(?!https?:)')
"""The text before the target of a relative link, or before the file of a picture."""


class AddressHook(MetadataHookInterface):
    """Sets the URLs and the description of a package.

    The environment variable ``SOURCE_ADDRESS`` holds the address of the repository, such as https://example.org/kibitz.
    It is not stored in the repository, because each fork has its own. Without the variable, the metadata has no URLs, and
    relative links in the description stay as they are.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the two fields that pyproject.toml declares as dynamic."""
        address = os.environ.get("SOURCE_ADDRESS", "").rstrip("/")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["urls"] = {}
        if address:
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{address}/blob/HEAD/docs/README.md",
                "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }
            # On the page of a package index, relative links lead nowhere.
            text = RELATIVE.sub(
                lambda match: f"{match[0]}{address}/{'blob' if match['link'] else 'raw'}/HEAD/", text
            )
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
