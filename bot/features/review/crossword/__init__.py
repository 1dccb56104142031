"""Reviews of crossword games."""
