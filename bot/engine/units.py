"""The unit of equities: whole numbers, so that sums do not depend on their order."""

from __future__ import annotations

MILLIPOINTS = 1000
"""How many millipoints make a point."""
