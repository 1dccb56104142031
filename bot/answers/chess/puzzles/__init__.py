"""What is said of chess puzzles."""
