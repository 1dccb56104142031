"""Creates the shipped data. Runs from a checkout, and is not in the wheel."""
