"""Names beside boards of crossword games: where a line of text is, what stands there, and whose name it is."""
