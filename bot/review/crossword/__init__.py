"""The review of crossword games."""
