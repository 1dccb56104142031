"""Crossword positions, analyzed by our own engine."""
