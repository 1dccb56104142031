"""Crossword puzzles."""
