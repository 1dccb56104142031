"""Puzzles: makes and proves them, sets them to users, judges answers, rates users, and posts daily puzzles."""
