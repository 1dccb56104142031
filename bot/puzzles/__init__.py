"""Puzzles: making them, proving them, judging answers, and the ratings of puzzles and of those who solve them."""
