"""Crossword positions and games, shown."""
