"""Makes the shipped data: runs from a checkout, is not in the wheel."""
