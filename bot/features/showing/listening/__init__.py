"""Handles messages, edits, deletions and reactions, including those that arrived while the bot was offline."""
