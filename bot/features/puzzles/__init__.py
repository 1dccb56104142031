"""Puzzles: making, proving, setting, judging, ratings, the daily."""
