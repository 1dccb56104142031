"""Handles messages, edits, deletions and reactions, even if they came while the bot was offline."""
