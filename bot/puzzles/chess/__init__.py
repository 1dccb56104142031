"""Puzzles of chess."""
