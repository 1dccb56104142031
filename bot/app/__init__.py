"""The composition root: opens everything in order, and closes it again."""
