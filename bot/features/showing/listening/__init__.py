"""Listening: the messages, edits, deletions and reactions that the bot answers, and what it missed while offline."""
