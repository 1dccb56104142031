"""Handles messages, edits, deletions and reactions, and catches up on messages that were posted while the bot was offline."""
