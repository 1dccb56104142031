"""Scores beside boards of crossword games: where text is, which of it are numbers, and which of those are scores."""
