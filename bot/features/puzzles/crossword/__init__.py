"""Makes, verifies and stores crossword puzzles, and judges answers."""
