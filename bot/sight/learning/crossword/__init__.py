"""Made-up boards of crossword games."""
