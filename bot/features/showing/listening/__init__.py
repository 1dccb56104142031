"""Handles messages, edits, deletions and reactions, also after the bot was offline."""
