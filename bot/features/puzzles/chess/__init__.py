"""Reads and judges chess puzzles."""
