"""Crossword games, reviewed."""
