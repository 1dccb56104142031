"""Makes, proves, stores and judges crossword puzzles."""
