"""Makes, verifies and stores puzzles about crossword games, and judges answers."""
