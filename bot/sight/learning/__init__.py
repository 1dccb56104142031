"""Learning to read squares, from made-up pictures alone."""
