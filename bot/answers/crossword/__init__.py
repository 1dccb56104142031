"""What is said about crossword games."""
