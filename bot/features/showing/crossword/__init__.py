"""Shows crossword positions and games."""
