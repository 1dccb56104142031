"""Puzzles of crossword games."""
