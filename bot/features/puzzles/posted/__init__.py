"""Puzzles in files that people post: recognized, read line by line, and proved to be playable."""
